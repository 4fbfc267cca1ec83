use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::record::encode;
use super::{BLOCK, DatasetError, END, FORMAT, Header, MAGIC, MAX_CHUNK};
use crate::output::Output;
use crate::selfplay::Record;

/// A block is closed once its payload has this many bytes.
const BLOCK_BYTES: usize = 1 << 16;

/// Turns records into the bytes of a dataset. The bytes depend on header and records alone.
pub struct Encoder<W: Write> {
    output: W,
    path: PathBuf,
    /// CRC-32 of all bytes so far.
    digest: crc32fast::Hasher,
    payload: Vec<u8>,
    count: u32,
    games: u64,
    plies: u64,
}

impl<W: Write> Encoder<W> {
    /// Writes the head to `output`; `path` is for messages.
    ///
    /// # Errors
    /// [`DatasetError::Write`].
    pub fn new(path: &Path, output: W, header: &Header) -> Result<Encoder<W>, DatasetError> {
        let mut encoder = Encoder {
            output,
            path: path.to_owned(),
            digest: crc32fast::Hasher::new(),
            payload: Vec::new(),
            count: 0,
            games: 0,
            plies: 0,
        };
        encoder.head(header).map_err(|source| encoder.failed(source))?;
        Ok(encoder)
    }

    fn failed(&self, source: io::Error) -> DatasetError {
        DatasetError::Write { path: self.path.clone(), source }
    }

    fn head(&mut self, header: &Header) -> io::Result<()> {
        let text = serde_json::to_vec(header)?;
        let length = u32::try_from(text.len()).ok().filter(|&length| length <= MAX_CHUNK);
        let length = length.ok_or_else(|| io::Error::other("the header is too large"))?;
        self.put(&MAGIC)?;
        self.put(&FORMAT.to_le_bytes())?;
        self.put(&length.to_le_bytes())?;
        self.put(&text)?;
        self.put_digest()
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digest.update(bytes);
        self.output.write_all(bytes)
    }

    fn put_digest(&mut self) -> io::Result<()> {
        let crc = self.digest.clone().finalize();
        self.put(&crc.to_le_bytes())
    }

    /// Adds a record.
    ///
    /// # Errors
    /// [`DatasetError::Write`], or [`DatasetError::TooLarge`], after which other records can be added.
    pub fn push(&mut self, record: &Record) -> Result<(), DatasetError> {
        let before = self.payload.len();
        if let Err(error) = encode(record, &mut self.payload) {
            self.payload.truncate(before);
            return Err(error);
        }
        self.count += 1;
        self.games += 1;
        self.plies += record.plies.len() as u64;
        if self.payload.len() >= BLOCK_BYTES {
            self.close_block().map_err(|source| self.failed(source))?;
        }
        Ok(())
    }

    fn close_block(&mut self) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let length = u32::try_from(self.payload.len()).map_err(io::Error::other)?;
        let mut head = Vec::with_capacity(16);
        head.extend(BLOCK);
        head.extend(length.to_le_bytes());
        head.extend(self.count.to_le_bytes());
        let mut crc = crc32fast::Hasher::new();
        crc.update(&head);
        crc.update(&self.payload);
        head.extend(crc.finalize().to_le_bytes());
        self.put(&head)?;
        let payload = std::mem::take(&mut self.payload);
        self.put(&payload)?;
        self.payload = payload;
        self.payload.clear();
        self.count = 0;
        Ok(())
    }

    /// Writes the end: without it no reader takes the file for whole.
    ///
    /// # Errors
    /// [`DatasetError::Write`].
    pub fn finish(mut self) -> Result<W, DatasetError> {
        match self.end() {
            Ok(()) => Ok(self.output),
            Err(source) => Err(self.failed(source)),
        }
    }

    fn end(&mut self) -> io::Result<()> {
        self.close_block()?;
        self.put(&END)?;
        self.put(&self.games.to_le_bytes())?;
        self.put(&self.plies.to_le_bytes())?;
        self.put_digest()?;
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
    /// [`DatasetError::Write`].
    pub fn create(path: &Path, header: &Header) -> Result<Writer, DatasetError> {
        let failed = |source| DatasetError::Write { path: path.to_owned(), source };
        let output = Output::create(path).map_err(failed)?;
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
        self.encoder.finish()?.commit().map_err(|source| DatasetError::Write { path, source })
    }
}
