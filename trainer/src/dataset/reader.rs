use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use acedrex_engine::rules::{Reading, Ruleset, hex};

use super::chunk::{End, Front, Mark};
use super::error::open;
use super::record::{Decoder, Fault};
use super::{DatasetError, FORMAT, Header, MAGIC, MAX_CHUNK};
use crate::selfplay::Record;

const DAMAGED: &str = "the file is damaged: take another copy, play it again with the same seed, or save the rest with `dataset repair`";
const CUT_OFF: &str = "the file is cut off: take another copy, play it again with the same seed, or save the rest with `dataset repair`";
const OTHER: &str = "it may be no dataset of acedrex-trainer, or be damaged";

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
    payload: Vec<u8>,
    /// Where the payload begins in the file.
    payload_offset: u64,
    /// Where the next record begins in the payload.
    at: usize,
    games: u64,
    plies: u64,
    last: Option<(u16, u64)>,
    done: bool,
}

impl Reader<BufReader<File>> {
    /// Opens a file and reads its head.
    ///
    /// # Errors
    /// [`DatasetError::Read`], [`DatasetError::Format`], or [`DatasetError::Request`] of a folder.
    pub fn open(path: &Path) -> Result<Reader<BufReader<File>>, DatasetError> {
        let file = open(path, "a dataset", "acd")?;
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
            header: Header { ruleset: String::new(), fingerprint: String::new(), runs: Vec::new() },
            digest: crc32fast::Hasher::new(),
            offset: 0,
            payload: Vec::new(),
            payload_offset: 0,
            at: 0,
            games: 0,
            plies: 0,
            last: None,
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

    /// Bytes read so far: the size of the file once all records have been read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.offset
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
    fn fill(&mut self, length: u64, bytes: &mut Vec<u8>, what: &str) -> Result<(), DatasetError> {
        let before = bytes.len();
        let result = self.input.by_ref().take(length).read_to_end(bytes);
        let read = result.map_err(DatasetError::read(&self.path))? as u64;
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
        self.fill(N as u64, &mut bytes, what)?;
        bytes.try_into().map_err(|_| self.fault(self.offset, "too few bytes", what, CUT_OFF))
    }

    fn head(&mut self) -> Result<(), DatasetError> {
        let mut magic = Vec::new();
        let cut = match self.fill(MAGIC.len() as u64, &mut magic, "the mark") {
            Err(error @ DatasetError::Read { .. }) => return Err(error),
            filled => filled.err(),
        };
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
        let at = self.offset;
        if self.chunk()? != Mark::Head {
            return Err(self.fault(at, "games", "the header", DAMAGED));
        }
        self.header = serde_json::from_slice(&self.payload).map_err(|error| {
            let found = format!("a header that says: {error}");
            self.fault(self.payload_offset, found, "a header of this format", OTHER)
        })?;
        if let Some(found) = self.header.fault() {
            return Err(self.fault(self.payload_offset, found, "one run or more, in order", OTHER));
        }
        self.at = self.payload.len();
        Ok(())
    }

    /// Reads the next chunk, its payload into `self.payload`.
    fn chunk(&mut self) -> Result<Mark, DatasetError> {
        let start = self.offset;
        let bytes: [u8; Front::BYTES] = self.take("a block's mark, length and checksum")?;
        let Some(Front { mark, length, crc }) = Front::read(bytes) else {
            let [a, b, c, d, e, f, g, h, ..] = bytes;
            let (mark, length) = ([a, b, c, d], u32::from_le_bytes([e, f, g, h]));
            if Mark::of(mark).is_none() {
                let found = format!("the bytes {:?}", mark.escape_ascii().to_string());
                return Err(self.fault(start, found, "\"HEAD\", \"GAME\" or \"DONE\"", DAMAGED));
            }
            let expected = format!("1 to {MAX_CHUNK}, and {} of the last", End::BYTES);
            return Err(self.fault(start + 4, format!("a block of {length} bytes"), &expected, DAMAGED));
        };
        self.payload_offset = self.offset;
        let mut payload = std::mem::take(&mut self.payload);
        payload.clear();
        let filled = self.fill(length.into(), &mut payload, "a block");
        self.payload = payload;
        filled?;
        let expected = Front::crc_of(mark, &self.payload);
        if crc != expected {
            let expected = format!("{expected:08x}, that of the block");
            return Err(self.fault(start + 8, format!("the checksum {crc:08x}"), &expected, DAMAGED));
        }
        self.at = 0;
        Ok(mark)
    }

    /// Reads what follows the games, and makes sure that nothing follows that. The copy of the header has been read.
    fn end(&mut self, copy: u64) -> Result<(), DatasetError> {
        let header: Option<Header> = serde_json::from_slice(&self.payload).ok();
        if header.as_ref() != Some(&self.header) {
            return Err(self.fault(copy, "another header than at the start", "the same once more", DAMAGED));
        }
        let (start, crc) = (self.offset, self.digest.clone().finalize());
        if self.chunk()? != Mark::Done {
            return Err(self.fault(start, "more blocks", "\"DONE\"", DAMAGED));
        }
        let Some(end) = End::read(&self.payload) else {
            return Err(self.fault(start, "too few bytes", "counts and a checksum", DAMAGED));
        };
        if end.crc != crc {
            let (found, expected) =
                (format!("the checksum {:08x}", end.crc), format!("{crc:08x}, that of the file"));
            return Err(self.fault(self.payload_offset + 16, found, &expected, DAMAGED));
        }
        if (end.games, end.plies) != (self.games, self.plies) {
            let found = format!("{} games and {} plies", end.games, end.plies);
            let expected = format!("{} and {}, those in the file", self.games, self.plies);
            return Err(self.fault(self.payload_offset, found, &expected, DAMAGED));
        }
        let mut more = Vec::new();
        self.input.by_ref().take(1).read_to_end(&mut more).map_err(DatasetError::read(&self.path))?;
        if more.is_empty() {
            return Ok(());
        }
        Err(self.fault(self.offset, "more bytes", "the end of the file", DAMAGED))
    }

    /// Reads the next record into `record`, whose memory is used again: false at the end of the file, and after an
    /// error.
    ///
    /// # Errors
    /// [`DatasetError::Read`], or [`DatasetError::Format`].
    pub fn read(&mut self, record: &mut Record) -> Result<bool, DatasetError> {
        if self.done {
            return Ok(false);
        }
        let result = self.next_record(record);
        self.done = !matches!(result, Ok(true));
        result
    }

    fn next_record(&mut self, record: &mut Record) -> Result<bool, DatasetError> {
        if self.at >= self.payload.len() {
            let start = self.offset;
            match self.chunk()? {
                Mark::Game => {}
                Mark::Head => return self.end(start).map(|()| false),
                Mark::Done => {
                    return Err(self.fault(start, "the end", "games, or the header once more", DAMAGED));
                }
            }
        }
        let at = self.payload_offset + self.at as u64;
        let mut decoder = Decoder::new(&self.payload, self.at);
        if let Err(Fault { at, found, expected }) = decoder.record(record) {
            return Err(self.fault(self.payload_offset + at as u64, found, expected, DAMAGED));
        }
        self.at = decoder.at();
        let (stream, game) = record.id();
        if self.header.run(stream).is_none() {
            let expected = format!("one of the {} in the header", self.header.runs.len());
            return Err(self.fault(at + 8, format!("game {game} of run {stream}"), &expected, DAMAGED));
        }
        if self.last.is_some_and(|last| last >= record.id()) {
            let (last_stream, last) = self.last.unwrap_or_default();
            let found = format!("game {game} of run {stream} after game {last} of run {last_stream}");
            return Err(self.fault(at, found, "games in order, each once", DAMAGED));
        }
        self.last = Some(record.id());
        self.games += 1;
        self.plies += record.plies.len() as u64;
        Ok(true)
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut record = Record::default();
        match self.read(&mut record) {
            Ok(true) => Some(Ok(record)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}
