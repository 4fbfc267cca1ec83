use std::path::Path;

use sha2::{Digest, Sha256};

use super::{DatasetError, Header, Reader, Writer};
use crate::selfplay::{Counts, Record};

/// What each game draws in the lottery of [`sample`] and [`split`]: it depends on the seed, the run and the game's number,
/// so that the same game has the same luck in whatever file it is.
struct Lottery {
    runs: Vec<Sha256>,
}

impl Lottery {
    fn new(header: &Header, seed: u64) -> Lottery {
        let run = |run: &super::Run| {
            let hash = Sha256::new();
            hash.chain_update(seed.to_le_bytes()).chain_update(&header.fingerprint).chain_update(run.key())
        };
        Lottery { runs: header.runs.iter().map(run).collect() }
    }

    fn draw(&self, record: &Record) -> u64 {
        let hash = self.runs.get(usize::from(record.stream)).cloned().unwrap_or_default();
        let digest: [u8; 32] = hash.chain_update(record.game.to_le_bytes()).finalize().into();
        u64::from_le_bytes(digest.first_chunk().copied().unwrap_or_default())
    }
}

/// Writes `games` games of a dataset, drawn at random without regard to anything but `seed`, run and number; each is as
/// likely as any other. Returns what they add up to. Holds 8 bytes a game in memory.
///
/// # Errors
/// If the dataset is damaged or has fewer games, or the file cannot be written.
pub fn sample(input: &Path, out: &Path, games: u64, seed: u64) -> Result<Counts, DatasetError> {
    let draws = draws(input, seed)?;
    if games > draws.len() as u64 {
        return Err(DatasetError::Request {
            path: input.to_owned(),
            found: format!("{} games", draws.len()),
            expected: format!("at least the {games} to be drawn"),
        });
    }
    select(input, draws, games, seed, out, None).map(|(kept, _)| kept)
}

/// Divides a dataset by game: a random `share` of the games (0 to 1, rounded to whole games) goes to `out`, the others to
/// `rest`. Returns what both add up to. Holds 8 bytes a game in memory.
///
/// # Errors
/// If the dataset is damaged, `share` is not between 0 and 1, or a file cannot be written.
pub fn split(
    input: &Path,
    out: &Path,
    rest: &Path,
    share: f64,
    seed: u64,
) -> Result<(Counts, Counts), DatasetError> {
    if !(0.0..=1.0).contains(&share) {
        let (found, expected) = (format!("a share of {share}"), "0 to 1".into());
        return Err(DatasetError::Request { path: input.to_owned(), found, expected });
    }
    let draws = draws(input, seed)?;
    #[expect(clippy::cast_possible_truncation, reason = "at most the number of games")]
    let games = (share * draws.len() as f64).round() as u64;
    select(input, draws, games, seed, out, Some(rest))
}

fn draws(input: &Path, seed: u64) -> Result<Vec<u64>, DatasetError> {
    let mut reader = Reader::open(input)?;
    let lottery = Lottery::new(reader.header(), seed);
    let (mut draws, mut record) = (Vec::new(), Record::default());
    while reader.read(&mut record)? {
        draws.push(lottery.draw(&record));
    }
    Ok(draws)
}

/// Writes the `games` games with the lowest draws to `out`, and the others to `rest`.
fn select(
    input: &Path,
    mut draws: Vec<u64>,
    games: u64,
    seed: u64,
    out: &Path,
    rest: Option<&Path>,
) -> Result<(Counts, Counts), DatasetError> {
    let (total, wanted) = (draws.len() as u64, usize::try_from(games).unwrap_or(usize::MAX));
    // The lowest draw that loses; all win if there is none.
    let limit = (wanted < draws.len()).then(|| *draws.select_nth_unstable(wanted).1);
    drop(draws);
    let mut reader = Reader::open(input)?;
    let lottery = Lottery::new(reader.header(), seed);
    let header = |games: u64| {
        let mut header = reader.header().clone();
        header.runs.iter_mut().for_each(|run| run.complete &= games == total);
        header
    };
    let mut writer = Writer::create(out, &header(games))?;
    let mut other = rest.map(|rest| Writer::create(rest, &header(total - games))).transpose()?;
    let (mut kept, mut left) = (Counts::default(), Counts::default());
    let mut record = Record::default();
    while reader.read(&mut record)? {
        // Two games with the same draw, once in 2^64 pairs, share their luck.
        if limit.is_none_or(|limit| lottery.draw(&record) < limit) {
            kept.add(&record);
            writer.push(&record)?;
        } else if let Some(other) = &mut other {
            left.add(&record);
            other.push(&record)?;
        }
    }
    writer.finish()?;
    other.map(Writer::finish).transpose()?;
    Ok((kept, left))
}
