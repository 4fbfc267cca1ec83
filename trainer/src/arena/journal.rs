//! The journal of a match that goes on. In: pairs as they are finished. Out: the same pairs, after whatever stopped the
//! match.
//!
//! JSON lines, each with the CRC-32 of the text after it: first what decides the games, then a line for each pair.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::kept::KeptPair;
use super::pair::{Pair, Terms};
use super::player::Loaded;
use super::schedule::ArenaError;
use super::spec::EngineSpec;
use crate::selfplay::weights_id;
use acedrex_engine::eval::Weights;
use acedrex_engine::rules::hex;

/// Why there is no journal to go on with.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process uses it.
    #[error("{}: another match is at work with this journal: wait for its end, or choose another output name", path.display())]
    Busy {
        /// The journal.
        path: PathBuf,
    },
    /// It is that of another match.
    #[error(
        "{} keeps the games of an interrupted match on other terms:{differences}\ngive the command of that match to go on \
         with it, or delete the file or choose another output name to begin anew",
        path.display()
    )]
    Other {
        /// The journal.
        path: PathBuf,
        /// A line for each term that differs.
        differences: String,
    },
    /// It holds what no match wrote.
    #[error("{}, line {line}: {why}; delete the file or choose another output name to begin anew", path.display())]
    Damaged {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// It cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The journal.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Finished pairs in a file, which belongs to one process at a time.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    pairs: u64,
}

/// All that decides the games of a match, by name.
pub type Head = BTreeMap<String, String>;

/// What decides the games of a match: its terms, both engines, and the version and search of the program.
///
/// # Errors
/// If an engine's program does not exist.
pub fn head(
    terms: &Terms,
    specs: [&EngineSpec; 2],
    engines: &[Loaded; 2],
    program: &str,
) -> Result<Head, ArenaError> {
    let rules = &terms.reading.rules;
    let judge = Weights::default_for(&terms.reading);
    let mut head = Head::new();
    let mut term = |name: String, value: String| head.insert(name, value);
    term("program".into(), program.into());
    term("ruleset".into(), rules.id.clone());
    term("fingerprint of the rules".into(), hex(&rules.fingerprint()));
    term("weights that judge openings".into(), weights_id(rules, &judge));
    for (index, (spec, engine)) in specs.into_iter().zip(engines).enumerate() {
        let number = index + 1;
        term(format!("engine {number}"), spec.to_string());
        term(format!("limit of engine {number}"), terms.limits[index].to_string());
        match engine {
            Loaded::Internal { weights, .. } => term(format!("weights of engine {number}"), weights.clone()),
            Loaded::Process(launch) => {
                let hash = launch.program_hash().map_err(|detail| ArenaError::Start { number, detail })?;
                term(format!("program of engine {number}"), hash)
            }
        };
    }
    term("seed".into(), terms.seed.to_string());
    term("opening plies".into(), terms.opening_plies.to_string());
    term("max plies".into(), terms.max_plies.to_string());
    Ok(head)
}

/// A line with its checksum.
fn seal<T: serde::Serialize>(value: &T) -> io::Result<String> {
    let text = serde_json::to_string(value).map_err(io::Error::from)?;
    Ok(format!("{{\"crc32\":\"{:08x}\",\"kept\":{text}}}\n", crc32fast::hash(text.as_bytes())))
}

/// What a line holds, if it is whole.
fn unseal(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?;
    let (sum, text) = line.strip_prefix("{\"crc32\":\"")?.split_once("\",\"kept\":")?;
    let text = text.strip_suffix('}')?;
    (u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(text.as_bytes())).then_some(text)
}

impl Journal {
    /// The journal of a match whose first output has this path: `.NAME.journal` beside it.
    #[must_use]
    pub fn beside(output: &Path) -> PathBuf {
        let name = output.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        output.with_file_name(format!(".{name}.journal"))
    }

    /// Begins a journal, or takes up the one that is there, and keeps other processes out. The pairs in it have been
    /// checked against the rules, move by move. A last line that is torn is dropped.
    ///
    /// # Errors
    /// If the journal is in use, is another match's, holds what no match wrote, or cannot be read or written. It is left
    /// as it is then.
    pub fn open(
        path: &Path,
        head: &Head,
        terms: &Terms,
    ) -> Result<(Journal, BTreeMap<u64, Pair>), JournalError> {
        let failed = |error| JournalError::File { path: path.to_owned(), error };
        let file = Journal::lock(path)?;
        let mut bytes = Vec::new();
        (&file).read_to_end(&mut bytes).map_err(failed)?;
        let mut journal = Journal { file, path: path.to_owned(), pairs: 0 };
        let (pairs, whole) = journal.read(&bytes, head, terms)?;
        if whole < bytes.len() {
            journal.file.set_len(whole as u64).map_err(failed)?;
        }
        if whole == 0 {
            journal.write(head)?;
        }
        journal.pairs = pairs.len() as u64;
        Ok((journal, pairs))
    }

    fn lock(path: &Path) -> Result<File, JournalError> {
        let failed = |error| JournalError::File { path: path.to_owned(), error };
        loop {
            if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
                return Err(failed(io::Error::other("a journal belongs here, and this is no file")));
            }
            let file = File::options().read(true).append(true).create(true).open(path).map_err(failed)?;
            match file.try_lock() {
                Err(fs::TryLockError::WouldBlock) => {
                    return Err(JournalError::Busy { path: path.to_owned() });
                }
                // Some file systems know no locks: there it is up to the user.
                Ok(()) | Err(fs::TryLockError::Error(_)) => {}
            }
            // A match that has just ended may have removed the file meanwhile.
            let own = file.metadata().map_err(failed)?;
            if fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())) {
                return Ok(file);
            }
        }
    }

    /// The pairs, and how many of the bytes are to stay: none if there is no more than a head.
    fn read(
        &self,
        bytes: &[u8],
        head: &Head,
        terms: &Terms,
    ) -> Result<(BTreeMap<u64, Pair>, usize), JournalError> {
        let (mut pairs, mut whole) = (BTreeMap::new(), 0);
        let mut differences = None;
        for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let damaged = |why: &str| JournalError::Damaged {
                path: self.path.clone(),
                line: index + 1,
                why: why.to_owned(),
            };
            let last = whole + line.len() == bytes.len();
            let text = line.strip_suffix(b"\n").and_then(unseal);
            match text {
                None if index == 0 => {
                    // A head that was being written when the power went.
                    let begun = last && b"{\"crc32\":\"".iter().zip(line).all(|(a, b)| a == b);
                    return if begun && !line.ends_with(b"\n") {
                        Ok((pairs, 0))
                    } else {
                        Err(damaged("this is no journal of a match"))
                    };
                }
                None if last => break,
                None => return Err(damaged("the checksum does not fit the line")),
                Some(text) if index == 0 => {
                    let there: Head =
                        serde_json::from_str(text).map_err(|_| damaged("this is no journal of a match"))?;
                    differences = differ(head, &there);
                }
                Some(text) => {
                    if let Some(differences) = differences {
                        return Err(JournalError::Other { path: self.path.clone(), differences });
                    }
                    let kept: KeptPair = serde_json::from_str(text)
                        .map_err(|error| damaged(&format!("no pair of games: {error}")))?;
                    let number = kept.pair;
                    let pair =
                        kept.check(terms).map_err(|why| damaged(&format!("pair {number} has {why}")))?;
                    if pairs.insert(number, pair).is_some() {
                        return Err(damaged(&format!("pair {number} is there already")));
                    }
                }
            }
            whole += line.len();
        }
        // Without a game there is nothing to lose.
        if pairs.is_empty() { Ok((pairs, 0)) } else { Ok((pairs, whole)) }
    }

    fn write<T: serde::Serialize>(&mut self, value: &T) -> Result<(), JournalError> {
        let written = seal(value).and_then(|line| self.file.write_all(line.as_bytes()));
        written
            .and_then(|()| self.file.sync_data())
            .map_err(|error| JournalError::File { path: self.path.clone(), error })
    }

    /// Keeps a pair.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&mut self, pair: &Pair) -> Result<(), JournalError> {
        self.write(&KeptPair::of(pair))?;
        self.pairs += 1;
        Ok(())
    }

    /// Pairs in the file.
    #[must_use]
    pub const fn pairs(&self) -> u64 {
        self.pairs
    }

    /// Removes the file: all that it is for is done.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(self) -> Result<(), JournalError> {
        fs::remove_file(&self.path).map_err(|error| JournalError::File { path: self.path.clone(), error })
    }
}

/// A line for each term that differs.
fn differ(here: &Head, there: &Head) -> Option<String> {
    let mut text = String::new();
    let names: std::collections::BTreeSet<&String> = here.keys().chain(there.keys()).collect();
    for name in names {
        let value =
            |head: &Head| head.get(name).map_or_else(|| "none".to_owned(), |value| format!("{value:?}"));
        if here.get(name) != there.get(name) {
            text.push_str(&format!("\n  {name}: there {}, here {}", value(there), value(here)));
        }
    }
    (!text.is_empty()).then_some(text)
}
