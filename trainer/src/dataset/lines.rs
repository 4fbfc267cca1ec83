use std::collections::VecDeque;
use std::io::{self, Read};

/// Passes bytes on and knows in which line each row of a table begins. The parser of tables does not where lines end in CR LF
/// or are empty.
pub(super) struct Lines<R> {
    input: R,
    /// Bytes passed on.
    at: u64,
    /// The line that comes next, from 1, and whether anything of it came.
    line: u64,
    begun: bool,
    /// Where lines begin that are not empty, and their numbers: those that were not asked for yet.
    starts: VecDeque<(u64, u64)>,
}

impl<R> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        Lines { input, at: 0, line: 1, begun: false, starts: VecDeque::new() }
    }

    /// The line of the first row that begins at this byte or after it. Bytes never go down from call to call.
    pub(super) fn line_at(&mut self, byte: u64) -> u64 {
        while self.starts.front().is_some_and(|start| start.0 < byte) {
            self.starts.pop_front();
        }
        self.starts.front().map_or_else(|| self.last(), |start| start.1)
    }

    /// The last line so far.
    pub(super) fn last(&self) -> u64 {
        if self.begun { self.line } else { self.line.saturating_sub(1).max(1) }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(bytes)?;
        for (at, &byte) in (self.at..).zip(&bytes[..length]) {
            match byte {
                b'\n' => (self.line, self.begun) = (self.line + 1, false),
                b'\r' => {}
                _ if self.begun => {}
                _ => {
                    self.starts.push_back((at, self.line));
                    self.begun = true;
                }
            }
        }
        self.at += length as u64;
        Ok(length)
    }
}
