use std::path::Path;

use super::{DatasetError, Duplicates, Header, Writer};
use crate::selfplay::{Counts, Record};

/// Games that can be gone through more than once: shows each to the function it is given, in order, and stops at that
/// function's error.
pub type Games<'a> =
    dyn FnMut(&mut dyn FnMut(&Record) -> Result<(), DatasetError>) -> Result<(), DatasetError> + 'a;

/// Writes games as a dataset. With `drop_duplicates`, of the games of a run that began with the same opening
/// ([`Record::opening`]) only that with the lowest number is kept, and the header counts the others; a run of the header is
/// called complete if all of its games are there then. Returns what the games add up to, and how many were dropped.
///
/// # Errors
/// If the file cannot be written, or what `games` says. No file is left then.
pub fn finalise(
    out: &Path,
    header: &Header,
    drop_duplicates: bool,
    games: &mut Games<'_>,
) -> Result<(Counts, u64), DatasetError> {
    let mut header = header.clone();
    let mut dropped = Vec::new();
    // Whether games add up to a run only they can tell.
    if drop_duplicates || header.runs.iter().any(|run| !run.complete) {
        let mut duplicates = Duplicates::default();
        let mut kept = vec![0; header.runs.len()];
        games(&mut |record| {
            let stream = usize::from(record.stream);
            // The writer refuses a game of no run.
            let (Some(run), Some(kept)) = (header.runs.get_mut(stream), kept.get_mut(stream)) else {
                return Ok(());
            };
            if drop_duplicates && duplicates.add(record).is_some() {
                dropped.push(record.id());
                run.duplicates_dropped += 1;
            } else {
                *kept += 1;
            }
            Ok(())
        })?;
        for (run, kept) in header.runs.iter_mut().zip(kept) {
            // Shards that were put together are complete with the last of them.
            run.complete = run.is_all(kept) && (run.complete || run.games() == run.whole());
        }
    }
    let mut writer = Writer::create(out, &header)?;
    let (mut counts, count) = (Counts::default(), dropped.len() as u64);
    let mut dropped = dropped.into_iter().peekable();
    games(&mut |record| {
        if dropped.next_if_eq(&record.id()).is_some() {
            return Ok(());
        }
        counts.add(record);
        writer.push(record)
    })?;
    writer.finish()?;
    Ok((counts, count))
}
