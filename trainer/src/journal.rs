//! In: values, as they come. Out: the same values, after whatever stopped the process that kept them.
//!
//! JSON lines, each with the CRC-32 of the text after it: first the terms of the work, then a line for each value.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::output::{sync_folder, target};

/// Why there is no journal to go on with.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process uses it.
    #[error("{}: another {work} is at work with this journal: wait for its end, or choose another output name", path.display())]
    Busy {
        /// The journal.
        path: PathBuf,
        /// What it is a journal of, in a word.
        work: &'static str,
    },
    /// It was kept on other terms.
    #[error(
        "{} keeps the games of an interrupted {work} on other terms:{differences}\ngive the command of that {work} to go \
         on with it, or delete the file or choose another output name to begin anew",
        path.display()
    )]
    Other {
        /// The journal.
        path: PathBuf,
        /// What it is a journal of, in a word.
        work: &'static str,
        /// A line for each term that differs.
        differences: String,
    },
    /// It holds what nobody kept.
    #[error("{}, line {line}: {why}; {}", path.display(), way_out(*line))]
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

/// What to do about a line that nobody kept.
fn way_out(line: usize) -> &'static str {
    // The first line has the terms of all others.
    match line {
        1 => {
            "without it no other line can be taken up: delete the file or choose another output name to begin anew"
        }
        _ => "delete that line, and what it kept is played again",
    }
}

/// What every line begins with.
const MARK: &[u8] = b"{\"crc32\":\"";

/// All that decides what is kept, by name.
pub type Terms = BTreeMap<String, String>;

/// Where a value stands in its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes before its line.
    offset: u64,
    /// Bytes of its line.
    length: usize,
}

/// A file of values, which belongs to one process at a time.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    /// Bytes of the file.
    length: u64,
    kept: u64,
    warning: Option<String>,
}

/// A line with its checksum.
fn seal<T: Serialize>(value: &T) -> io::Result<String> {
    let text = serde_json::to_string(value).map_err(io::Error::from)?;
    Ok(format!("{{\"crc32\":\"{:08x}\",\"kept\":{text}}}\n", crc32fast::hash(text.as_bytes())))
}

/// What a line holds, if it is whole.
fn unseal(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (sum, text) = line.strip_prefix("{\"crc32\":\"")?.split_once("\",\"kept\":")?;
    let text = text.strip_suffix('}')?;
    (u32::from_str_radix(sum, 16).ok()? == crc32fast::hash(text.as_bytes())).then_some(text)
}

impl Journal {
    /// The path of a journal beside an output: `.NAME.EXTENSION`. Links are followed, so that one file has one journal.
    #[must_use]
    pub fn beside(output: &Path, extension: &str) -> PathBuf {
        let output = target(output);
        let name = output.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        output.with_file_name(format!(".{name}.{extension}"))
    }

    /// Begins a journal, or takes up the one that is there, and keeps other processes out; if it cannot,
    /// [`Journal::warning`] says why. `take` is handed each value's text in the order of the file, and says what is wrong with
    /// it. A last line that is torn is dropped. `work` says in a word what it is a journal of.
    ///
    /// # Errors
    /// If the journal is in use, was kept on other terms, holds what nobody kept, or cannot be read or written. It is left
    /// as it is then.
    pub fn open(
        path: &Path,
        work: &'static str,
        terms: &Terms,
        take: &mut dyn FnMut(&str, Place) -> Result<(), String>,
    ) -> Result<Journal, JournalError> {
        let (file, warning) = Journal::lock(path, work)?;
        let mut journal = Journal { file, path: path.to_owned(), length: 0, kept: 0, warning };
        journal.read(work, terms, take)?;
        let there = journal.file.metadata().map_err(|error| journal.failed(error))?.len();
        if journal.length < there {
            journal.file.set_len(journal.length).map_err(|error| journal.failed(error))?;
        }
        if journal.length == 0 {
            journal.write(terms)?;
            journal.sync()?;
            sync_folder(path).map_err(|error| journal.failed(error))?;
        }
        Ok(journal)
    }

    /// What [`Journal::open`] would find, with nothing changed: the number of values, 0 if there is no journal.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub fn look(
        path: &Path,
        work: &'static str,
        terms: &Terms,
        take: &mut dyn FnMut(&str, Place) -> Result<(), String>,
    ) -> Result<u64, JournalError> {
        let failed = |error| JournalError::File { path: path.to_owned(), error };
        expect_file(path)?;
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            file => file.map_err(failed)?,
        };
        let warning = judge(file.try_lock_shared(), path, work)?;
        let mut journal = Journal { file, path: path.to_owned(), length: 0, kept: 0, warning };
        journal.read(work, terms, take)?;
        Ok(journal.kept)
    }

    fn failed(&self, error: io::Error) -> JournalError {
        JournalError::File { path: self.path.clone(), error }
    }

    fn lock(path: &Path, work: &'static str) -> Result<(File, Option<String>), JournalError> {
        let failed = |error| JournalError::File { path: path.to_owned(), error };
        loop {
            expect_file(path)?;
            let file = File::options().read(true).append(true).create(true).open(path).map_err(failed)?;
            let warning = judge(file.try_lock(), path, work)?;
            // A process that has just ended may have removed the file meanwhile.
            let own = file.metadata().map_err(failed)?;
            if fs::metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (own.dev(), own.ino())) {
                return Ok((file, warning));
            }
        }
    }

    /// Reads all lines, and sets how many values and how many bytes are to stay: none if there are no more than terms.
    fn read(
        &mut self,
        work: &'static str,
        terms: &Terms,
        take: &mut dyn FnMut(&str, Place) -> Result<(), String>,
    ) -> Result<(), JournalError> {
        let (path, failed) =
            (self.path.clone(), |error| JournalError::File { path: self.path.clone(), error });
        let mut input = BufReader::new(&self.file);
        let (mut line, mut whole, mut kept, mut differences) = (Vec::new(), 0, 0, None);
        for number in 1.. {
            line.clear();
            let length = input.read_until(b'\n', &mut line).map_err(failed)?;
            if length == 0 {
                break;
            }
            let last = input.fill_buf().map_err(failed)?.is_empty();
            let damaged = |why: String| JournalError::Damaged { path: path.clone(), line: number, why };
            let stranger = || damaged(format!("this is no journal of a {work}"));
            match unseal(&line) {
                None if number == 1 => {
                    // Terms that were being written when the power went.
                    let begun = last && MARK.iter().zip(&line).all(|(a, b)| a == b);
                    if begun && !line.ends_with(b"\n") {
                        break;
                    }
                    let mut next = Vec::new();
                    input.read_until(b'\n', &mut next).map_err(failed)?;
                    if !line.starts_with(MARK) && unseal(&next).is_none() {
                        return Err(stranger());
                    }
                    let why = "the checksum does not fit the line, which says what all others depend on, so that none of them can be \
                               taken up";
                    return Err(damaged(why.to_owned()));
                }
                None if last => break,
                None => return Err(damaged("the checksum does not fit the line".to_owned())),
                Some(text) if number == 1 => {
                    let there: Terms = serde_json::from_str(text).map_err(|_| stranger())?;
                    differences = differ(terms, &there);
                }
                Some(text) => {
                    if let Some(differences) = differences {
                        return Err(JournalError::Other { path, work, differences });
                    }
                    take(text, Place { offset: whole, length }).map_err(damaged)?;
                    kept += 1;
                }
            }
            whole += length as u64;
        }
        // Without a value there is nothing to lose.
        (self.kept, self.length) = if kept > 0 { (kept, whole) } else { (0, 0) };
        Ok(())
    }

    fn write<T: Serialize>(&mut self, value: &T) -> Result<Place, JournalError> {
        let line = seal(value).map_err(|error| self.failed(error))?;
        self.file.write_all(line.as_bytes()).map_err(|error| self.failed(error))?;
        let place = Place { offset: self.length, length: line.len() };
        self.length += line.len() as u64;
        Ok(place)
    }

    /// Keeps a value: from now on it survives the end of this process, and after [`Journal::sync`] that of the machine.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep<T: Serialize>(&mut self, value: &T) -> Result<Place, JournalError> {
        let place = self.write(value)?;
        self.kept += 1;
        Ok(place)
    }

    /// Returns when all that was kept is on the disk.
    ///
    /// # Errors
    /// If the disk cannot take it.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|error| self.failed(error))
    }

    /// The text of the value at this place.
    ///
    /// # Errors
    /// If it cannot be read, or has changed since.
    pub fn text(&self, place: Place) -> Result<String, JournalError> {
        let mut line = vec![0; place.length];
        self.file.read_exact_at(&mut line, place.offset).map_err(|error| self.failed(error))?;
        let text = unseal(&line).map(str::to_owned);
        text.ok_or_else(|| self.failed(io::Error::other("the file was changed by another program")))
    }

    /// Values in the file.
    #[must_use]
    pub const fn kept(&self) -> u64 {
        self.kept
    }

    /// Why other processes are not kept out, if they are not.
    #[must_use]
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file: all that it is for is done.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(self) -> Result<(), JournalError> {
        fs::remove_file(&self.path).map_err(|error| self.failed(error))
    }
}

/// Refuses a folder or a pipe, which would wait for a writer.
fn expect_file(path: &Path) -> Result<(), JournalError> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let error = io::Error::other("a journal belongs here, and this is no file");
        return Err(JournalError::File { path: path.to_owned(), error });
    }
    Ok(())
}

/// What to say of an attempt to lock a journal; nothing if it has the lock.
fn judge(
    lock: Result<(), fs::TryLockError>,
    path: &Path,
    work: &'static str,
) -> Result<Option<String>, JournalError> {
    match lock {
        Ok(()) => Ok(None),
        Err(fs::TryLockError::WouldBlock) => Err(JournalError::Busy { path: path.to_owned(), work }),
        Err(fs::TryLockError::Error(error)) => Ok(Some(format!(
            "{}: its file system has no locks ({error}): make sure that no other {work} has this output",
            path.display()
        ))),
    }
}

/// A line for each term that differs, with a line feed before it; `None` if all are the same.
pub(crate) fn differ(here: &Terms, there: &Terms) -> Option<String> {
    let mut text = String::new();
    let names: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
    for name in names {
        let value =
            |terms: &Terms| terms.get(name).map_or_else(|| "none".to_owned(), |value| format!("{value:?}"));
        if here.get(name) != there.get(name) {
            text.push_str(&format!("\n  {name}: there {}, here {}", value(there), value(here)));
        }
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::SYNCED;

    fn open(path: &Path) -> Result<Journal, JournalError> {
        Journal::open(path, "test", &Terms::new(), &mut |_, _| Ok(()))
    }

    #[test]
    fn the_name_of_a_new_journal_is_on_the_disk() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(".x.journal");
        open(&path).unwrap().keep(&1).unwrap();
        assert_eq!(SYNCED.take(), std::slice::from_ref(&path));
        open(&path).unwrap();
        assert!(SYNCED.take().is_empty());
    }

    #[test]
    fn a_link_to_an_output_has_the_lock_of_the_output() {
        let directory = tempfile::tempdir().unwrap();
        let (output, link) = (directory.path().join("games"), directory.path().join("elsewhere"));
        std::os::unix::fs::symlink("games", &link).unwrap();
        let journal = open(&Journal::beside(&output, "journal")).unwrap();
        let error = open(&Journal::beside(&link, "journal")).unwrap_err().to_string();
        assert!(error.contains("another test is at work"), "{error}");
        drop(journal);
        open(&Journal::beside(&link, "journal")).unwrap();
    }

    #[test]
    fn a_file_system_without_locks_is_a_warning() {
        let judge = |lock| judge(lock, Path::new("x"), "run");
        assert_eq!(judge(Ok(())).unwrap(), None);
        assert!(judge(Err(fs::TryLockError::WouldBlock)).unwrap_err().to_string().contains("another run"));
        let none = fs::TryLockError::Error(io::ErrorKind::Unsupported.into());
        let warning = judge(Err(none)).unwrap().unwrap();
        assert!(warning.starts_with("x: its file system has no locks"), "{warning}");
    }
}
