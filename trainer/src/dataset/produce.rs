use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use acedrex_engine::eval::Evaluator;
use acedrex_engine::rules::Reading;

use super::finalise::finalise;
use super::spool::{Spool, terms};
use super::{Counts, DatasetError, Header, Reader};
use crate::journal::{Terms, differ};
use crate::output::Output;
use crate::selfplay::{Config, Played, SelfplayError, Summary, play_as_they_come};

/// A run whose games go into a dataset file. Until that is complete, finished games are kept in the file `.NAME.games`
/// beside it, which is this process's alone.
pub struct Production<'a> {
    reading: &'a Arc<Reading>,
    evaluator: &'a Evaluator,
    config: &'a Config,
    out: &'a Path,
    header: Header,
    spool: Spool,
}

impl<'a> Production<'a> {
    /// Begins a run, or takes up the one that was interrupted: its games are checked, and not played again. `weights_id`
    /// is what [`crate::selfplay::weights_id`] says of the weights in `evaluator`.
    ///
    /// # Errors
    /// If the configuration is wrong, the file cannot be written, or the file of kept games is another process's, another
    /// run's or damaged; it is left as it is then.
    pub fn open(
        reading: &'a Arc<Reading>,
        evaluator: &'a Evaluator,
        weights_id: &str,
        config: &'a Config,
        out: &'a Path,
    ) -> Result<Production<'a>, DatasetError> {
        config.check(&reading.rules).map_err(SelfplayError::from)?;
        let header = Header::new(&reading.rules, weights_id, config);
        // Before hours of play, not after.
        drop(Output::create(out).map_err(DatasetError::write(out))?);
        let spool = Spool::open(out, &header, reading)?;
        Ok(Production { reading, evaluator, config, out, header, spool })
    }

    /// What the games add up to that are there already.
    #[must_use]
    pub fn kept(&self) -> &Summary {
        self.spool.summary()
    }

    /// Why other processes are not kept out, if they are not.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.spool.warning()
    }

    /// Plays the other games on `threads` threads and writes the dataset. Its bytes do not depend on `threads`, nor on how
    /// often the run was killed. `progress` sees the sums after each game, which is kept by then. What the dataset adds up
    /// to, games dropped for their opening not counted, and the number of these; nodes are those of all games.
    ///
    /// # Errors
    /// If an opening cannot be found or a file cannot be written. No dataset is left then, and finished games stay.
    pub fn play(self, threads: usize, progress: &mut dyn FnMut(&Summary)) -> Result<Summary, DatasetError> {
        let Production { reading, evaluator, config, out, header, mut spool } = self;
        let known = spool.games();
        let mut keep = |played: Option<Played>| {
            spool.keep(played.as_ref())?;
            if played.is_some() {
                progress(spool.summary());
            }
            Ok::<_, DatasetError>(())
        };
        let game_is_known = |game: u64| known.contains(&game);
        if let Err(error) = play_as_they_come(reading, evaluator, config, threads, &game_is_known, &mut keep)
        {
            // Without a game there is nothing to go on with.
            if spool.summary().counts.games == 0 {
                spool.remove()?;
            }
            return Err(error);
        }
        let nodes = spool.summary().nodes;
        let mut games = |visit: &mut dyn FnMut(&super::Record) -> Result<(), DatasetError>| {
            spool.records().try_for_each(|record| visit(&record?))
        };
        let (counts, duplicates) = finalise(out, &header, true, &mut games)?;
        spool.remove()?;
        Ok(Summary { counts, nodes, duplicates })
    }
}

/// As [`Production::open`] and [`Production::play`]; `progress` also sees the sums of what is there, if anything is.
///
/// # Errors
/// As these.
pub fn play_to_file(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    weights_id: &str,
    config: &Config,
    threads: usize,
    out: &Path,
    progress: &mut dyn FnMut(&Summary),
) -> Result<Summary, DatasetError> {
    let run = Production::open(reading, evaluator, weights_id, config, out)?;
    if run.kept().counts.games > 0 {
        progress(run.kept());
    }
    run.play(threads, progress)
}

/// Refuses a file that is there and is not the complete dataset of this header, so far as its head tells; its reader if it
/// is.
///
/// # Errors
/// [`DatasetError::Taken`], or if the file cannot be read.
pub fn expect_own(out: &Path, header: &Header) -> Result<Option<Reader<BufReader<File>>>, DatasetError> {
    if !out.exists() {
        return Ok(None);
    }
    let reader = match Reader::open(out) {
        Err(error @ DatasetError::Read { .. }) => return Err(error),
        reader => reader.map_err(|error| taken(out, format!("\n  {error}")))?,
    };
    match differ(&told(header), &told(reader.header())) {
        None => Ok(Some(reader)),
        Some(differences) => Err(taken(out, differences)),
    }
}

fn taken(out: &Path, differences: String) -> DatasetError {
    DatasetError::Taken { path: out.to_owned(), differences }
}

/// All that a header of one run tells, by name.
fn told(header: &Header) -> Terms {
    let mut terms = terms(header);
    terms.insert("runs".into(), header.runs.len().to_string());
    if let Some(run) = header.run(0) {
        terms.insert("complete".into(), run.complete.to_string());
        let whole = run.whole().map(|games| format!("{} to {}", games.start, games.end.saturating_sub(1)));
        terms.extend(whole.map(|games| ("games of all shards".into(), games)));
    }
    terms
}

/// What a file adds up to if it is the complete dataset of this header, every byte of it sound; `None` if there is no file. A
/// spool that was left beside it is removed.
///
/// # Errors
/// As [`expect_own`], if the file is damaged, or if the spool cannot be removed or is that of another run.
pub fn finished(out: &Path, header: &Header) -> Result<Option<Counts>, DatasetError> {
    let counts = complete(out, header)?;
    if counts.is_some() {
        Spool::discard(out, header)?;
    }
    Ok(counts)
}

fn complete(out: &Path, header: &Header) -> Result<Option<Counts>, DatasetError> {
    let Some(reader) = expect_own(out, header)? else { return Ok(None) };
    let mut counts = Counts::default();
    for record in reader {
        counts.add(&record.map_err(|error| taken(out, format!("\n  {error}")))?);
    }
    Ok(Some(counts))
}

/// What is there of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Its complete dataset.
    Complete,
    /// So many of its games, perhaps none.
    Games(u64),
}

/// What [`finished`] and [`Production::open`] would find; nothing is changed.
///
/// # Errors
/// As these.
pub fn look(reading: &Arc<Reading>, header: &Header, out: &Path) -> Result<Found, DatasetError> {
    if complete(out, header)?.is_some() {
        Spool::expect_own(out, header)?;
        return Ok(Found::Complete);
    }
    Spool::look(out, header, reading).map(Found::Games)
}
