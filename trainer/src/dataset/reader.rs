use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use acedrex_engine::rules::{Reading, Ruleset, hex};

use super::record::{Decoder, Fault};
use super::{BLOCK, DatasetError, END, FORMAT, Header, MAGIC, MAX_CHUNK};
use crate::selfplay::Record;

const DAMAGED: &str = "the file is damaged: take another copy or play it again with the same seed";
const CUT_OFF: &str = "the file is cut off: take another copy or play it again with the same seed";

/// Reads a dataset record by record, with a block in memory at a time. As an iterator it ends with `None` only after
/// the whole file has proved sound, and after the first error.
pub struct Reader<R> {
    input: R,
    path: PathBuf,
    header: Header,
    /// CRC-32 of all bytes so far.
    digest: crc32fast::Hasher,
    /// Bytes read so far.
    offset: u64,
    block: Vec<u8>,
    /// Where the block's payload begins in the file.
    block_offset: u64,
    /// Where the next record begins in the block.
    at: usize,
    /// Records left in the block.
    left: u32,
    games: u64,
    plies: u64,
    done: bool,
}

impl Reader<BufReader<File>> {
    /// Opens a file and reads its head.
    ///
    /// # Errors
    /// [`DatasetError::Read`], or [`DatasetError::Format`].
    pub fn open(path: &Path) -> Result<Reader<BufReader<File>>, DatasetError> {
        let file = File::open(path).map_err(|source| DatasetError::Read { path: path.to_owned(), source })?;
        Reader::new(path, BufReader::new(file))
    }

    /// Opens a file that must have been made with the rules of this reading.
    ///
    /// # Errors
    /// As [`Reader::open`], and [`DatasetError::Rules`] if the fingerprints differ.
    pub fn open_for(path: &Path, reading: &Reading) -> Result<Reader<BufReader<File>>, DatasetError> {
        let reader = Reader::open(path)?;
        reader.expect_rules(&reading.rules)?;
        Ok(reader)
    }
}

impl<R: Read> Reader<R> {
    /// Reads the head from `input`; `path` is for messages.
    ///
    /// # Errors
    /// [`DatasetError::Read`], or [`DatasetError::Format`].
    pub fn new(path: &Path, input: R) -> Result<Reader<R>, DatasetError> {
        let mut reader = Reader {
            input,
            path: path.to_owned(),
            header: Header {
                ruleset: String::new(),
                fingerprint: String::new(),
                weights: String::new(),
                config: crate::selfplay::Config::default(),
                program: String::new(),
            },
            digest: crc32fast::Hasher::new(),
            offset: 0,
            block: Vec::new(),
            block_offset: 0,
            at: 0,
            left: 0,
            games: 0,
            plies: 0,
            done: false,
        };
        reader.head()?;
        Ok(reader)
    }

    /// The head.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The file, as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a file made with other rules.
    ///
    /// # Errors
    /// [`DatasetError::Rules`] if the fingerprints differ.
    pub fn expect_rules(&self, rules: &Ruleset) -> Result<(), DatasetError> {
        if self.header.made_with(rules) {
            return Ok(());
        }
        Err(DatasetError::Rules {
            path: self.path.clone(),
            made: self.header.ruleset.clone(),
            made_fingerprint: self.header.fingerprint.clone(),
            given: rules.id.clone(),
            given_fingerprint: hex(&rules.fingerprint()),
        })
    }

    fn fault(
        &self,
        offset: u64,
        found: impl Into<String>,
        expected: &str,
        hint: &'static str,
    ) -> DatasetError {
        let (path, expected) = (self.path.clone(), expected.to_owned());
        DatasetError::Format { path, offset, found: found.into(), expected, hint }
    }

    /// Appends `length` bytes to `bytes`, which grows only as they come.
    fn read(&mut self, length: u64, bytes: &mut Vec<u8>, what: &str) -> Result<(), DatasetError> {
        let before = bytes.len();
        let result = self.input.by_ref().take(length).read_to_end(bytes);
        let read = result.map_err(|source| DatasetError::Read { path: self.path.clone(), source })? as u64;
        self.digest.update(&bytes[before..]);
        if read < length {
            let found = format!("the end of the file after {read} bytes of {what}");
            return Err(self.fault(self.offset, found, &format!("{length} bytes"), CUT_OFF));
        }
        self.offset += read;
        Ok(())
    }

    fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], DatasetError> {
        let mut bytes = Vec::with_capacity(N);
        self.read(N as u64, &mut bytes, what)?;
        let offset = self.offset;
        bytes.try_into().map_err(|_| self.fault(offset, "too few bytes", what, CUT_OFF))
    }

    fn check_crc(&mut self, expected: u32, what: &str) -> Result<(), DatasetError> {
        let at = self.offset;
        let found = u32::from_le_bytes(self.take("a checksum")?);
        if found == expected {
            return Ok(());
        }
        let expected = format!("{expected:08x}, that of {what}");
        Err(self.fault(at, format!("the checksum {found:08x}"), &expected, DAMAGED))
    }

    fn head(&mut self) -> Result<(), DatasetError> {
        const OTHER: &str = "it may be no dataset of acedrex-trainer, or be damaged";
        let mut magic = Vec::new();
        let cut = self.read(MAGIC.len() as u64, &mut magic, "the mark").err();
        if magic.is_empty() {
            return Err(self.fault(0, "an empty file", "a dataset", OTHER));
        }
        if !MAGIC.starts_with(&magic) {
            let found = format!("the bytes {:?}", magic.escape_ascii().to_string());
            return Err(self.fault(0, found, &format!("{:?}", MAGIC.escape_ascii().to_string()), OTHER));
        }
        if let Some(cut) = cut {
            return Err(cut);
        }
        let version = u16::from_le_bytes(self.take("the format version")?);
        if version != FORMAT {
            let expected = format!("{FORMAT}, the format that this program reads");
            let hint = "read it with the version of acedrex-trainer that wrote it, or a newer one";
            return Err(self.fault(8, format!("format version {version}"), &expected, hint));
        }
        let length = u32::from_le_bytes(self.take("the header's length")?);
        if length > MAX_CHUNK {
            let expected = format!("at most {MAX_CHUNK}");
            return Err(self.fault(10, format!("a header of {length} bytes"), &expected, DAMAGED));
        }
        let mut text = Vec::new();
        self.read(length.into(), &mut text, "the header")?;
        let crc = self.digest.clone().finalize();
        self.check_crc(crc, "the head")?;
        self.header = serde_json::from_slice(&text).map_err(|error| {
            self.fault(14, format!("a header that says: {error}"), "a header of this format", OTHER)
        })?;
        Ok(())
    }

    /// Reads the next block: false if it is the end of the file.
    fn next_block(&mut self) -> Result<bool, DatasetError> {
        let start = self.offset;
        let mark: [u8; 4] = self.take("a block's mark")?;
        if mark == END {
            return self.end(start).map(|()| false);
        }
        if mark != BLOCK {
            let found = format!("the bytes {:?}", mark.escape_ascii().to_string());
            return Err(self.fault(start, found, "\"GAME\" or \"DONE\"", DAMAGED));
        }
        let length = u32::from_le_bytes(self.take("a block's length")?);
        let count = u32::from_le_bytes(self.take("a block's number of records")?);
        let stored = u32::from_le_bytes(self.take("a block's checksum")?);
        if length == 0 || length > MAX_CHUNK || count == 0 {
            let found = format!("a block of {length} bytes and {count} records");
            let expected = format!("1 to {MAX_CHUNK} bytes and at least one record");
            return Err(self.fault(start + 4, found, &expected, DAMAGED));
        }
        self.block_offset = self.offset;
        let mut block = std::mem::take(&mut self.block);
        block.clear();
        let read = self.read(length.into(), &mut block, "a block");
        self.block = block;
        read?;
        let mut crc = crc32fast::Hasher::new();
        crc.update(&BLOCK);
        crc.update(&length.to_le_bytes());
        crc.update(&count.to_le_bytes());
        crc.update(&self.block);
        let crc = crc.finalize();
        if crc != stored {
            let expected = format!("{crc:08x}, that of the block");
            return Err(self.fault(start + 12, format!("the checksum {stored:08x}"), &expected, DAMAGED));
        }
        (self.at, self.left) = (0, count);
        Ok(true)
    }

    /// Reads what follows the end mark, and makes sure that nothing follows that.
    fn end(&mut self, start: u64) -> Result<(), DatasetError> {
        let games = u64::from_le_bytes(self.take("the number of records")?);
        let plies = u64::from_le_bytes(self.take("the number of plies")?);
        let crc = self.digest.clone().finalize();
        self.check_crc(crc, "the file")?;
        if (games, plies) != (self.games, self.plies) {
            let found = format!("{games} games and {plies} plies");
            let expected = format!("{} and {}, those in the file", self.games, self.plies);
            return Err(self.fault(start + 4, found, &expected, DAMAGED));
        }
        let mut more = Vec::new();
        let result = self.input.by_ref().take(1).read_to_end(&mut more);
        result.map_err(|source| DatasetError::Read { path: self.path.clone(), source })?;
        if more.is_empty() {
            return Ok(());
        }
        Err(self.fault(self.offset, "more bytes", "the end of the file", DAMAGED))
    }

    fn record(&mut self) -> Result<Option<Record>, DatasetError> {
        if self.left == 0 {
            if self.at < self.block.len() {
                let found = format!("{} bytes after the last record", self.block.len() - self.at);
                let offset = self.block_offset + self.at as u64;
                return Err(self.fault(offset, found, "the end of the block", DAMAGED));
            }
            if !self.next_block()? {
                return Ok(None);
            }
        }
        let mut decoder = Decoder::new(&self.block, self.at);
        let record = match decoder.record() {
            Ok(record) => record,
            Err(Fault { at, found, expected }) => {
                return Err(self.fault(self.block_offset + at as u64, found, expected, DAMAGED));
            }
        };
        self.at = decoder.at();
        self.left -= 1;
        self.games += 1;
        self.plies += record.plies.len() as u64;
        Ok(Some(record))
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let record = self.record().transpose();
        self.done = !matches!(record, Some(Ok(_)));
        record
    }
}
