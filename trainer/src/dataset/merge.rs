use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io::BufReader;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{DatasetError, Header, Missing, Reader, Run, finalise};
use crate::selfplay::{Config, Counts, Record, Whole};

/// What went into a merged file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// What the games in it add up to.
    pub counts: Counts,
    /// Games that were in more than one of the files.
    pub repeated: u64,
    /// Games left out because an earlier one of their run began with the same opening.
    pub duplicates_dropped: u64,
    /// What is missing of each run.
    pub missing: Vec<Missing>,
}

/// Writes the games of several datasets of one ruleset into one, each game once. The bytes do not depend on the order of
/// `inputs`, and all parts of a run give those of the run in one piece. With `drop_duplicates`, of the games of a run that
/// began with the same opening ([`Record::opening`]) only that with the lowest number is kept: this is also how one file is
/// rid of its duplicates. See [`finalise()`].
///
/// Holds all inputs open and a block of each in memory, and some 50 bytes a game with `drop_duplicates`.
///
/// # Errors
/// If an input is damaged, the inputs are of different rules or contradict each other, or the file cannot be written: then
/// there is none.
pub fn merge(inputs: &[impl AsRef<Path>], out: &Path, drop_duplicates: bool) -> Result<Merged, DatasetError> {
    let header = Merge::open(inputs)?.header;
    let (mut repeated, mut missing) = (0, Vec::new());
    let (counts, duplicates_dropped) = finalise(out, &header, drop_duplicates, &mut |visit| {
        let (mut merge, mut record) = (Merge::open(inputs)?, Record::default());
        missing = merge.missing();
        while merge.read(&mut record)? {
            missing[usize::from(record.stream)].found(record.game);
            visit(&record)?;
        }
        missing.iter_mut().for_each(Missing::end);
        repeated = merge.repeated;
        Ok(())
    })?;
    Ok(Merged { counts, repeated, duplicates_dropped, missing })
}

/// What there is to do where so many files cannot be open at once.
fn too_many(error: DatasetError, files: usize) -> DatasetError {
    // EMFILE, on every Unix.
    const TOO_MANY_OPEN_FILES: i32 = 24;
    match error {
        DatasetError::Read { source, .. } if source.raw_os_error() == Some(TOO_MANY_OPEN_FILES) => {
            DatasetError::TooMany { files, source }
        }
        error => error,
    }
}

/// The games of several datasets in order, each once.
struct Merge {
    header: Header,
    parts: Vec<Part>,
    /// The next game of each part that has one.
    next: BinaryHeap<Reverse<((u16, u64), usize)>>,
    repeated: u64,
}

struct Part {
    reader: Reader<BufReader<File>>,
    /// What the part's streams are called in the whole.
    streams: Vec<u16>,
    /// Its next record.
    record: Record,
}

impl Merge {
    fn open(inputs: &[impl AsRef<Path>]) -> Result<Merge, DatasetError> {
        let mut readers = Vec::new();
        for input in inputs {
            readers.push(Reader::open(input.as_ref()).map_err(|error| too_many(error, inputs.len()))?);
        }
        let header = merged_header(&readers)?;
        let numbers: BTreeMap<String, u16> = header.runs.iter().map(Run::key).zip(0..).collect();
        let mut merge = Merge { header, parts: Vec::new(), next: BinaryHeap::new(), repeated: 0 };
        for reader in readers {
            let streams = reader.header().runs.iter().map(|run| numbers[&run.key()]).collect();
            merge.parts.push(Part { reader, streams, record: Record::default() });
            merge.advance(merge.parts.len() - 1)?;
        }
        Ok(merge)
    }

    /// All games of all runs.
    fn missing(&self) -> Vec<Missing> {
        let parts = |run: &Run| {
            let key = run.key();
            let runs = self.parts.iter().flat_map(|part| &part.reader.header().runs);
            Missing::new(run, runs.filter(|other| other.key() == key))
        };
        self.header.runs.iter().map(parts).collect()
    }

    fn advance(&mut self, index: usize) -> Result<(), DatasetError> {
        let part = &mut self.parts[index];
        if part.reader.read(&mut part.record)? {
            part.record.stream = part.streams[usize::from(part.record.stream)];
            self.next.push(Reverse((part.record.id(), index)));
        }
        Ok(())
    }

    /// As [`Reader::read`].
    fn read(&mut self, record: &mut Record) -> Result<bool, DatasetError> {
        let Some(Reverse((id, first))) = self.next.pop() else { return Ok(false) };
        std::mem::swap(&mut self.parts[first].record, record);
        self.advance(first)?;
        while let Some(&Reverse((other, second))) = self.next.peek()
            && other == id
        {
            self.next.pop();
            if self.parts[second].record != *record {
                let path = |index: usize| self.parts[index].reader.path().to_owned();
                return Err(DatasetError::Merge {
                    first: path(first),
                    second: path(second),
                    found: format!("two games that are game {} of one run", id.1),
                    expected: "the same game",
                    hint: "one of them was changed, or played by another program of the same version: `dataset validate` \
                           may tell which",
                });
            }
            self.repeated += 1;
            self.advance(second)?;
        }
        Ok(true)
    }
}

/// The header of all files together.
fn merged_header(readers: &[Reader<BufReader<File>>]) -> Result<Header, DatasetError> {
    let Some(first) = readers.first() else {
        let (found, expected) = ("no file".into(), "one or more".into());
        return Err(DatasetError::Request { path: PathBuf::new(), found, expected });
    };
    let mut ruleset = &first.header().ruleset;
    let mut parts: BTreeMap<String, Vec<(&Run, &Path)>> = BTreeMap::new();
    for reader in readers {
        let header = reader.header();
        if header.fingerprint != first.header().fingerprint {
            return Err(DatasetError::Merge {
                first: first.path().to_owned(),
                second: reader.path().to_owned(),
                found: format!("games of {} and of {}", first.header().ruleset, header.ruleset),
                expected: "games of one ruleset",
                hint: "keep those of different rules in different files",
            });
        }
        // The same rules under two names.
        ruleset = ruleset.min(&header.ruleset);
        for run in &header.runs {
            let known = parts.entry(run.key()).or_default();
            // Parts of a run that say the same of it are parts of the same.
            if known.iter().all(|(other, _)| *other != run) {
                known.push((run, reader.path()));
            }
        }
    }
    expect_one_program(&parts)?;
    let runs = parts.values().filter_map(|parts| Some(merged_run(parts.first()?.0, parts)));
    let runs = runs.collect::<Result<_, _>>()?;
    Ok(Header { ruleset: ruleset.clone(), fingerprint: first.header().fingerprint.clone(), runs })
}

/// Parts of one run by different programs are no run: each alone would look complete.
fn expect_one_program(parts: &BTreeMap<String, Vec<(&Run, &Path)>>) -> Result<(), DatasetError> {
    let mut known: BTreeMap<String, (&Run, &Path)> = BTreeMap::new();
    for &(run, path) in parts.values().filter_map(|parts| parts.first()) {
        if run.config.is_none() {
            continue;
        }
        let any = Run { program: String::new(), ..run.clone() };
        // One file may have games of both: they were put together on purpose.
        if let Some((other, first)) = known.insert(any.key(), (run, path))
            && first != path
        {
            return Err(DatasetError::Merge {
                first: first.to_owned(),
                second: path.to_owned(),
                found: format!("games of one run by {} and by {}", other.program, run.program),
                expected: "all by one program, since others play otherwise",
                hint: "play the parts of one of them again with the other",
            });
        }
    }
    Ok(())
}

/// One run from what several files say of it.
fn merged_run(first: &Run, parts: &[(&Run, &Path)]) -> Result<Run, DatasetError> {
    let mut run = first.clone();
    run.duplicates_dropped = parts.iter().map(|(run, _)| run.duplicates_dropped).sum();
    let ranges = parts.iter().filter_map(|(run, path)| Some((run.games()?, *run, *path)));
    let mut ranges: Vec<(Range<u64>, &Run, &Path)> = ranges.collect();
    ranges.sort_by_key(|(games, ..)| (games.start, games.end));
    // Complete if its parts are, and no game between them is missing. Without a configuration nobody knows.
    let (first_game, mut last) = match ranges.first() {
        Some((games, _, path)) => (games.start, (games.start, *path)),
        None => (0, (0, Path::new(""))),
    };
    run.complete = !ranges.is_empty();
    for (games, part, path) in &ranges {
        if games.start < last.0 && run.duplicates_dropped > 0 {
            return Err(DatasetError::Merge {
                first: last.1.to_owned(),
                second: (*path).to_owned(),
                found: "games of one run from which different duplicates were dropped".into(),
                expected: "files that share no games, or none from which games were dropped",
                hint: "merge the files as they were before, and drop duplicates then",
            });
        }
        run.complete &= part.complete && games.start <= last.0;
        last = last.max((games.end, path));
    }
    let games = first_game..last.0;
    let wholes = || parts.iter().filter_map(|(run, _)| run.whole());
    let first_of_all = wholes().map(|whole| whole.start).min().unwrap_or(games.start);
    let whole = first_of_all..wholes().map(|whole| whole.end).max().unwrap_or(games.end);
    // Shards without the others are no run.
    run.complete &= games == whole || parts.len() == 1;
    let count = |games: &Range<u64>| games.end - games.start;
    run.config = run.config.map(|config| Config {
        first_game: games.start,
        games: count(&games),
        shard_of: (games != whole).then_some(Whole { first_game: whole.start, games: count(&whole) }),
        ..config
    });
    Ok(run)
}
