use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::chunk::{End, Front, Mark};
use super::record::encode;
use super::{DatasetError, FORMAT, Header, MAGIC, MAX_CHUNK};
use crate::output::Output;
use crate::selfplay::Record;

/// A block is closed once its payload has this many bytes.
const BLOCK_BYTES: usize = 1 << 16;

/// Turns records into the bytes of a dataset. The bytes depend on header and records alone.
pub struct Encoder<W: Write> {
    output: W,
    path: PathBuf,
    header: Vec<u8>,
    runs: usize,
    /// CRC-32 of all bytes so far.
    digest: crc32fast::Hasher,
    payload: Vec<u8>,
    games: u64,
    plies: u64,
    last: Option<(u16, u64)>,
}

impl<W: Write> Encoder<W> {
    /// Writes the head to `output`; `path` is for messages.
    ///
    /// # Errors
    /// [`DatasetError::Write`], or [`DatasetError::Header`].
    pub fn new(path: &Path, output: W, header: &Header) -> Result<Encoder<W>, DatasetError> {
        if let Some(found) = header.fault() {
            return Err(DatasetError::Header { path: path.to_owned(), found });
        }
        let json = serde_json::to_vec(header).map_err(io::Error::from).map_err(DatasetError::write(path))?;
        if json.len() > MAX_CHUNK as usize {
            return Err(DatasetError::Header { path: path.to_owned(), found: "a header of more than 1 MiB" });
        }
        let mut encoder = Encoder {
            output,
            path: path.to_owned(),
            header: json,
            runs: header.runs.len(),
            digest: crc32fast::Hasher::new(),
            payload: Vec::new(),
            games: 0,
            plies: 0,
            last: None,
        };
        encoder.head().map_err(DatasetError::write(path))?;
        Ok(encoder)
    }

    fn head(&mut self) -> io::Result<()> {
        self.put(&MAGIC)?;
        self.put(&FORMAT.to_le_bytes())?;
        self.header_chunk()
    }

    fn header_chunk(&mut self) -> io::Result<()> {
        let header = std::mem::take(&mut self.header);
        let result = self.chunk(Mark::Head, &header);
        self.header = header;
        result
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.output.write_all(bytes)
    }

    fn chunk(&mut self, mark: Mark, payload: &[u8]) -> io::Result<()> {
        let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
        self.put(&mark.bytes())?;
        self.put(&length.to_le_bytes())?;
        self.put(&Front::crc_of(mark, payload).to_le_bytes())?;
        self.put(payload)
    }

    /// Adds a record. Records come in the order of [`Record::id`], each once.
    ///
    /// # Errors
    /// [`DatasetError::Write`], or [`DatasetError::Record`], after which other records can be added.
    pub fn push(&mut self, record: &Record) -> Result<(), DatasetError> {
        let (stream, game) = record.id();
        let refused = |found: String, expected: String| Err(DatasetError::Record { game, found, expected });
        if usize::from(stream) >= self.runs {
            return refused(format!("run {stream}"), format!("one of the {} in the header", self.runs));
        }
        if let Some((last_stream, last)) = self.last
            && (last_stream, last) >= (stream, game)
        {
            let expected = format!("one that comes after game {last} of run {last_stream}");
            return refused(format!("game {game} of run {stream}"), expected);
        }
        let before = self.payload.len();
        if let Err(error) = encode(record, &mut self.payload) {
            self.payload.truncate(before);
            return Err(error);
        }
        self.last = Some((stream, game));
        self.games += 1;
        self.plies += record.plies.len() as u64;
        if self.payload.len() >= BLOCK_BYTES {
            self.close_block().map_err(DatasetError::write(&self.path))?;
        }
        Ok(())
    }

    fn close_block(&mut self) -> io::Result<()> {
        if self.payload.is_empty() {
            return Ok(());
        }
        let mut payload = std::mem::take(&mut self.payload);
        let result = self.chunk(Mark::Game, &payload);
        payload.clear();
        self.payload = payload;
        result
    }

    /// Writes the end: without it no reader takes the file for whole.
    ///
    /// # Errors
    /// [`DatasetError::Write`].
    pub fn finish(mut self) -> Result<W, DatasetError> {
        self.end().map_err(DatasetError::write(&self.path))?;
        Ok(self.output)
    }

    fn end(&mut self) -> io::Result<()> {
        self.close_block()?;
        self.header_chunk()?;
        let end = End { games: self.games, plies: self.plies, crc: self.digest.clone().finalize() };
        self.chunk(Mark::Done, &end.bytes())?;
        self.output.flush()
    }
}

/// Writes a dataset file, which appears under its name when it is complete.
pub struct Writer {
    encoder: Encoder<Output>,
}

impl Writer {
    /// Begins a file, making the directories above it if they are missing.
    ///
    /// # Errors
    /// [`DatasetError::Write`], or [`DatasetError::Header`].
    pub fn create(path: &Path, header: &Header) -> Result<Writer, DatasetError> {
        let output = Output::create(path).map_err(DatasetError::write(path))?;
        Ok(Writer { encoder: Encoder::new(path, output, header)? })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// As [`Encoder::push`].
    pub fn push(&mut self, record: &Record) -> Result<(), DatasetError> {
        self.encoder.push(record)
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// [`DatasetError::Write`]; no file is left then.
    pub fn finish(self) -> Result<(), DatasetError> {
        let path = self.encoder.path.clone();
        self.encoder.finish()?.commit().map_err(DatasetError::write(&path))
    }
}
