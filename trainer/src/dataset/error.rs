use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::journal::JournalError;
use crate::selfplay::{ReplayError, SelfplayError};

/// Why a dataset could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The system could not read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The system could not write.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The bytes are not those of a dataset.
    #[error("{}: byte {offset}: found {found}, expected {expected}; {hint}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Where the fault was seen, in bytes from the start of the file.
        offset: u64,
        /// What stands there.
        found: String,
        /// What could stand there.
        expected: String,
        /// What to do.
        hint: &'static str,
    },
    /// The file was made with other rules.
    #[error(
        "{}: made with the rules {made} (fingerprint {made_fingerprint}), which are not those of {given} \
         ({given_fingerprint}); pass --ruleset with the ruleset file that it was made with",
        path.display()
    )]
    Rules {
        /// The file.
        path: PathBuf,
        /// Id of the rules it was made with.
        made: String,
        /// Their fingerprint.
        made_fingerprint: String,
        /// Id of the rules to be read with.
        given: String,
        /// Their fingerprint.
        given_fingerprint: String,
    },
    /// A game breaks the rules.
    #[error("{}: {fault}; the file was written by a program with other rules, or changed on purpose", path.display())]
    Game {
        /// The file.
        path: PathBuf,
        /// Game, ply and fault.
        fault: ReplayError,
    },
    /// A record that the format cannot hold, or that is out of order.
    #[error("game {game} cannot be written: found {found}, expected {expected}")]
    Record {
        /// The game.
        game: u64,
        /// What it has.
        found: String,
        /// What the format takes.
        expected: String,
    },
    /// A header that no dataset can have.
    #[error("{}: cannot be written: found {found}, expected one run or more, in order, each once", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What it has.
        found: &'static str,
    },
    /// Two files cannot be merged.
    #[error("{} and {}: found {found}, expected {expected}; {hint}", first.display(), second.display())]
    Merge {
        /// A file.
        first: PathBuf,
        /// Another.
        second: PathBuf,
        /// What does not fit.
        found: String,
        /// What would.
        expected: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// More files than may be open at once.
    #[error(
        "found {files} files, expected no more than may be open at once: merge neighbouring ones in groups and then what comes \
         of these, which gives the same bytes, or raise the limit with `ulimit -n`"
    )]
    TooMany {
        /// How many there are.
        files: usize,
        /// What the system says.
        source: io::Error,
    },
    /// Text that is no table of games.
    #[error("{}, line {line}: found {found}, expected {expected}; {hint}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Where, counted from 1.
        line: u64,
        /// What stands there.
        found: String,
        /// What could stand there.
        expected: String,
        /// What to do.
        hint: &'static str,
    },
    /// A request that the file cannot meet.
    #[error("{}: found {found}, expected {expected}", path.display())]
    Request {
        /// The file.
        path: PathBuf,
        /// What was asked for or is there.
        found: String,
        /// What could be.
        expected: String,
    },
    /// A file that is not the dataset to be written has its name.
    #[error(
        "{}: the file is there already, and is no dataset of this run:{differences}\nit is not replaced: give the command of \
         that run, choose another output name, or delete the file",
        path.display()
    )]
    Taken {
        /// The file.
        path: PathBuf,
        /// A line for each option that differs, or for what else is wrong with it.
        differences: String,
    },
    /// The games could not be played.
    #[error(transparent)]
    Selfplay(#[from] SelfplayError),
    /// The games of an interrupted run cannot be taken up.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Opens a file to read: `what` it is, and the ending of its name.
pub(super) fn open(path: &Path, what: &str, ending: &str) -> Result<File, DatasetError> {
    let file = File::open(path).map_err(DatasetError::read(path))?;
    if !file.metadata().is_ok_and(|found| found.is_dir()) {
        return Ok(file);
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let like = entries.filter(|path| path.extension().is_some_and(|found| found == ending)).min();
    let like = like.unwrap_or_else(|| path.join(format!("NAME.{ending}")));
    let expected = format!("{what}, which is a file such as {}", like.display());
    Err(DatasetError::Request { path: path.to_owned(), found: "a folder".into(), expected })
}

impl DatasetError {
    /// For `map_err`: this file cannot be read.
    pub(super) fn read(path: &Path) -> impl Fn(io::Error) -> DatasetError {
        move |source| DatasetError::Read { path: path.to_owned(), source }
    }

    /// For `map_err`: this file cannot be written.
    pub(super) fn write(path: &Path) -> impl Fn(io::Error) -> DatasetError {
        move |source| DatasetError::Write { path: path.to_owned(), source }
    }
}
