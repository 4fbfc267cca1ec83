use std::collections::HashSet;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::{Counts, DatasetError, Header, Record, Writer};

/// Writes records, in the order of their games, as a dataset. Of games with one opening only the first is kept: what the
/// kept ones add up to, and how many were dropped.
///
/// # Errors
/// If the file cannot be written, or the first error among the records. No file is left then.
pub fn finalise(
    out: &Path,
    header: &Header,
    records: impl Iterator<Item = Result<Record, DatasetError>>,
) -> Result<(Counts, u64), DatasetError> {
    let mut writer = Writer::create(out, header)?;
    let (mut seen, mut counts, mut duplicates) = (HashSet::new(), Counts::default(), 0);
    for record in records {
        let record = record?;
        if seen.insert(opening(&record)) {
            counts.add(&record);
            writer.push(&record)?;
        } else {
            duplicates += 1;
        }
    }
    writer.finish()?;
    Ok((counts, duplicates))
}

/// A hash of a game's start and random plies; of the whole game where there are none.
pub(super) fn opening(record: &Record) -> [u8; 32] {
    let plies = match usize::from(record.opening_plies) {
        0 => &record.plies[..],
        plies => &record.plies[..plies.min(record.plies.len())],
    };
    let mut hash = Sha256::new();
    hash.update(record.start.as_deref().unwrap_or_default());
    for ply in plies {
        hash.update(ply.mv.bits().to_le_bytes());
        hash.update([ply.die.unwrap_or(0)]);
    }
    hash.finalize().into()
}
