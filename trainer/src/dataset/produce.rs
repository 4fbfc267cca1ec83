use std::path::Path;
use std::sync::Arc;

use acedrex_engine::eval::Evaluator;
use acedrex_engine::rules::Reading;

use super::finalise::finalise;
use super::spool::Spool;
use super::spool::spool_path;
use super::{Counts, DatasetError, Header, Reader};
use crate::output::{Output, remove_partials};
use crate::selfplay::{Config, SelfplayError, Summary, play_as_they_come};

/// Plays a run's games on `threads` threads into a dataset file. Until it is complete, finished games are kept in the file
/// `.NAME.games` beside it; if that is there already, only the games that are not in it are played. The bytes of the
/// dataset do not depend on `threads`, nor on how often the run was killed. `weights_id` is what
/// [`crate::selfplay::weights_id`] says of the weights in `evaluator`; `progress` sees the sums once if games were there,
/// and after each game. What the dataset adds up to, games dropped for their opening not counted, and the number of these;
/// nodes are those of all games.
///
/// # Errors
/// If the configuration is wrong, an opening cannot be found, the file cannot be written, or the file of kept games is
/// another process's, another run's or damaged. No dataset is left then, and finished games stay.
pub fn play_to_file(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    weights_id: &str,
    config: &Config,
    threads: usize,
    out: &Path,
    progress: &mut dyn FnMut(&Summary),
) -> Result<Summary, DatasetError> {
    config.check(&reading.rules).map_err(SelfplayError::from)?;
    let header = Header::new(&reading.rules, weights_id, config);
    // Before hours of play, not after.
    drop(Output::create(out).map_err(|source| DatasetError::Write { path: out.to_owned(), source })?);
    let mut spool = Spool::open(out, &header)?;
    remove_partials(out);
    let known = spool.games();
    if !known.is_empty() {
        progress(spool.summary());
    }
    let mut keep = |played: Option<crate::selfplay::Played>| {
        spool.keep(played.as_ref())?;
        if played.is_some() {
            progress(spool.summary());
        }
        Ok::<_, DatasetError>(())
    };
    let game_is_known = |game: u64| known.contains(&game);
    if let Err(error) = play_as_they_come(reading, evaluator, config, threads, &game_is_known, &mut keep) {
        // Without a game there is nothing to go on with.
        if spool.summary().counts.games == 0 {
            spool.remove()?;
        }
        return Err(error);
    }
    let nodes = spool.summary().nodes;
    let (counts, duplicates) =
        finalise(out, &header, true, &mut |visit| spool.records().try_for_each(|record| visit(&record?)))?;
    spool.remove()?;
    Ok(Summary { counts, nodes, duplicates })
}

/// What a file adds up to if it is the complete dataset of this header, every byte of it sound; otherwise `None`. A spool
/// that was left beside it is removed.
///
/// # Errors
/// If the spool cannot be removed.
pub fn finished(out: &Path, header: &Header) -> Result<Option<Counts>, DatasetError> {
    let Ok(reader) = Reader::open(out) else { return Ok(None) };
    let run = |header: &Header| header.run(0).map(|run| (run.key(), run.games()));
    let same = (reader.header().runs.len(), run(reader.header())) == (1, run(header));
    if !same || reader.header().fingerprint != header.fingerprint || !reader.header().runs[0].complete {
        return Ok(None);
    }
    let mut counts = Counts::default();
    for record in reader {
        let Ok(record) = record else { return Ok(None) };
        counts.add(&record);
    }
    let spool = spool_path(out);
    if spool.exists() {
        Spool::open(out, header)?.remove()?;
    }
    Ok(Some(counts))
}
