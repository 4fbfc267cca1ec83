use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::chunk::{End, Front, Mark};
use super::error::open;
use super::record::Decoder;
use super::{DatasetError, FORMAT, Header, MAGIC, Reader, Writer};
use crate::selfplay::{Counts, Record};

/// What could be saved of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// What the games saved add up to.
    pub counts: Counts,
    /// Games that were in the file more than once, and are kept once.
    pub repeated: u64,
    /// Bytes that belong to nothing whole, as offsets in the damaged file, in order.
    pub lost_bytes: Vec<Range<u64>>,
    /// Games that are missing; `None` if that is not known, since the end of the file, which counts them, is lost.
    pub lost_games: Option<u64>,
}

/// Writes a sound dataset of every block of a damaged one that is whole: each block has a mark and a checksum of its own,
/// so that those after the damage are found again. Runs that are no longer all there are no longer called complete. The
/// header is the first that is whole of the two in the file, or else that of `like`, a dataset of the same run.
///
/// Holds some 50 bytes a block in memory.
///
/// # Errors
/// If no header is whole and no `like` given, no block is whole, blocks of another dataset are among them, or a file
/// cannot be read or written.
pub fn repair(input: &Path, out: &Path, like: Option<&Path>) -> Result<Repaired, DatasetError> {
    let mut scan = Scan::of(input)?;
    let mut header = match (scan.header.take(), like) {
        (Some(header), _) => header,
        (None, Some(like)) => Reader::open(like)?.header().clone(),
        (None, None) => {
            return Err(scan.fault(
                0,
                "no whole header",
                "one at the start or the end",
                "what the rules were is not known then: name another dataset of the same run with --like",
            ));
        }
    };
    if scan.blocks.is_empty() {
        return Err(scan.fault(0, "no whole block of games", "one or more", "there is nothing to save"));
    }
    // Blocks that were copied to another place are next to their originals.
    scan.blocks.sort_by_key(|block| (block.first, block.bytes.start));
    let mut games = vec![0; header.runs.len()];
    scan.each_record(&mut |record| {
        if let Some(games) = games.get_mut(usize::from(record.stream)) {
            *games += 1;
        }
        Ok(())
    })?;
    for (run, games) in header.runs.iter_mut().zip(games) {
        run.complete &= run.is_all(games);
    }
    let mut writer = Writer::create(out, &header)?;
    let mut counts = Counts::default();
    let repeated = scan.each_record(&mut |record| {
        counts.add(record);
        writer.push(record)
    })?;
    writer.finish()?;
    let all_there = header.runs.iter().all(|run| run.complete).then_some(0);
    let lost_games = scan.end.map(|end| end.games.saturating_sub(counts.games)).or(all_there);
    Ok(Repaired { counts, repeated, lost_bytes: scan.lost, lost_games })
}

/// What is whole in a file.
struct Scan {
    file: Window,
    header: Option<Header>,
    blocks: Vec<Block>,
    end: Option<End>,
    lost: Vec<Range<u64>>,
}

/// A whole block of games.
struct Block {
    /// Its first game.
    first: (u16, u64),
    /// Its payload.
    bytes: Range<u64>,
}

enum Chunk {
    Head(Header),
    Game((u16, u64)),
    Done(End),
}

impl Scan {
    fn of(path: &Path) -> Result<Scan, DatasetError> {
        let file = Window::open(path)?;
        let mut scan = Scan { file, header: None, blocks: Vec::new(), end: None, lost: Vec::new() };
        let front = [&MAGIC[..], &FORMAT.to_le_bytes()].concat();
        let mut at = if scan.file.get(0, front.len())? == front { front.len() as u64 } else { 0 };
        let mut lost_from = at;
        while at < scan.file.size {
            match scan.chunk(at)? {
                Some((chunk, end)) => {
                    if lost_from < at {
                        scan.lost.push(lost_from..at);
                    }
                    scan.add(chunk, at..end)?;
                    (at, lost_from) = (end, end);
                }
                None => at = scan.file.next_mark(at + 1)?,
            }
        }
        if lost_from < scan.file.size {
            scan.lost.push(lost_from..scan.file.size);
        }
        Ok(scan)
    }

    fn fault(&self, offset: u64, found: &str, expected: &str, hint: &'static str) -> DatasetError {
        let (path, found, expected) = (self.file.path.clone(), found.to_owned(), expected.to_owned());
        DatasetError::Format { path, offset, found, expected, hint }
    }

    fn add(&mut self, chunk: Chunk, bytes: Range<u64>) -> Result<(), DatasetError> {
        match chunk {
            Chunk::Head(header) => {
                if self.header.as_ref().is_some_and(|known| *known != header) {
                    let expected = "the one found before, once more";
                    let hint = "two datasets were written into one file: cut it in two here, and repair each";
                    return Err(self.fault(bytes.start, "another header", expected, hint));
                }
                self.header = Some(header);
            }
            Chunk::Game(first) => {
                let bytes = bytes.start + Front::BYTES as u64..bytes.end;
                self.blocks.push(Block { first, bytes });
            }
            Chunk::Done(end) => self.end = Some(end),
        }
        Ok(())
    }

    /// The whole chunk at an offset, and where it ends.
    fn chunk(&mut self, at: u64) -> Result<Option<(Chunk, u64)>, DatasetError> {
        let Some(front) =
            self.file.get(at, Front::BYTES)?.first_chunk().and_then(|bytes| Front::read(*bytes))
        else {
            return Ok(None);
        };
        let start = at + Front::BYTES as u64;
        let payload = self.file.get(start, front.length as usize)?;
        if payload.len() < front.length as usize || Front::crc_of(front.mark, payload) != front.crc {
            return Ok(None);
        }
        let chunk = match front.mark {
            Mark::Head => serde_json::from_slice(payload).ok().map(Chunk::Head),
            Mark::Game => first_game(payload).map(Chunk::Game),
            Mark::Done => End::read(payload).map(Chunk::Done),
        };
        Ok(chunk.map(|chunk| (chunk, start + u64::from(front.length))))
    }

    /// The records of all blocks in order, each once; how many there were more than once.
    fn each_record(
        &mut self,
        act: &mut dyn FnMut(&Record) -> Result<(), DatasetError>,
    ) -> Result<u64, DatasetError> {
        let (mut record, mut last, mut repeated) = (Record::default(), None, 0);
        for block in &self.blocks {
            let length = usize::try_from(block.bytes.end - block.bytes.start).unwrap_or(usize::MAX);
            let mut decoder = Decoder::new(self.file.get(block.bytes.start, length)?, 0);
            while !decoder.is_done() && decoder.record(&mut record).is_ok() {
                if last >= Some(record.id()) {
                    repeated += 1;
                } else {
                    last = Some(record.id());
                    act(&record)?;
                }
            }
        }
        Ok(repeated)
    }
}

/// Run and number of a payload's first game; `None` unless it is whole records.
fn first_game(payload: &[u8]) -> Option<(u16, u64)> {
    let (mut decoder, mut record, mut first) = (Decoder::new(payload, 0), Record::default(), None);
    while !decoder.is_done() {
        decoder.record(&mut record).ok()?;
        first = first.or(Some(record.id()));
    }
    first
}

/// A file, some of it in memory.
struct Window {
    file: File,
    path: PathBuf,
    size: u64,
    /// Where `bytes` begin in the file.
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// Bytes to read at a time.
    const BYTES: usize = 1 << 21;

    fn open(path: &Path) -> Result<Window, DatasetError> {
        let failed = DatasetError::read(path);
        let file = open(path, "a dataset", "acd")?;
        let size = file.metadata().map_err(&failed)?.len();
        Ok(Window { file, path: path.to_owned(), size, start: 0, bytes: Vec::new() })
    }

    /// The bytes from `at` on, `length` of them or fewer if the file ends before.
    fn get(&mut self, at: u64, length: usize) -> Result<&[u8], DatasetError> {
        let held = self.start..self.start + self.bytes.len() as u64;
        let end = at.saturating_add(length as u64).min(self.size);
        if at < held.start || end > held.end {
            self.bytes.clear();
            self.start = at;
            let wanted = length.max(Window::BYTES) as u64;
            let read = self.file.seek(SeekFrom::Start(at));
            let read = read.and_then(|_| self.file.by_ref().take(wanted).read_to_end(&mut self.bytes));
            read.map_err(DatasetError::read(&self.path))?;
        }
        let from = usize::try_from(at - self.start).unwrap_or(usize::MAX).min(self.bytes.len());
        let to = from.saturating_add(length).min(self.bytes.len());
        Ok(&self.bytes[from..to])
    }

    /// Where the next mark of a chunk begins, from `at` on; the end of the file if there is none.
    fn next_mark(&mut self, mut at: u64) -> Result<u64, DatasetError> {
        const STEP: usize = 1 << 16;
        while at < self.size {
            let bytes = self.get(at, STEP)?;
            let mark = bytes.windows(4).position(|four| Mark::ALL.iter().any(|mark| four == mark.bytes()));
            match mark {
                Some(found) => return Ok(at + found as u64),
                // A mark may lie across the end of the step.
                None => at += bytes.len().saturating_sub(3).max(1) as u64,
            }
        }
        Ok(self.size)
    }
}
