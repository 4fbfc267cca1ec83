//! Records as bytes.

use acedrex_engine::types::Move;

use super::{DatasetError, FLAG_DICE, FLAG_FEN, NO_SCORE};
use crate::selfplay::{End, GameResult, Ply, Record};

/// A fault within a payload.
pub(super) struct Fault {
    /// Bytes from the payload's start.
    pub(super) at: usize,
    pub(super) found: String,
    pub(super) expected: &'static str,
}

/// Appends a record's bytes. Scores of -32 768 are written as -32 767.
pub(super) fn encode(record: &Record, bytes: &mut Vec<u8>) -> Result<(), DatasetError> {
    let too_large = |found: String, expected| DatasetError::TooLarge { game: record.game, found, expected };
    let Ok(plies) = u16::try_from(record.plies.len()) else {
        return Err(too_large(format!("{} plies", record.plies.len()), "at most 65535"));
    };
    let dice = record.plies.iter().any(|ply| ply.die.is_some());
    let flags = if dice { FLAG_DICE } else { 0 } | if record.start.is_some() { FLAG_FEN } else { 0 };
    #[expect(clippy::cast_possible_truncation, reason = "four results and eight ends")]
    let (result, end) = (record.result.index() as u8, record.end.index() as u8);
    bytes.extend(record.game.to_le_bytes());
    bytes.extend([result, end, flags]);
    bytes.extend(record.opening_plies.to_le_bytes());
    bytes.extend(record.openings_tried.to_le_bytes());
    bytes.extend(plies.to_le_bytes());
    if let Some(fen) = &record.start {
        let Some(length) = u16::try_from(fen.len()).ok().filter(|&length| length <= MAX_FEN) else {
            return Err(too_large(format!("a FEN of {} bytes", fen.len()), "at most 1024"));
        };
        bytes.extend(length.to_le_bytes());
        bytes.extend(fen.as_bytes());
    }
    for ply in &record.plies {
        let score = ply.score_white_cp.map_or(NO_SCORE, |score| score.max(NO_SCORE + 1));
        bytes.extend(ply.mv.bits().to_le_bytes());
        bytes.extend(score.to_le_bytes());
        if dice {
            bytes.push(ply.die.unwrap_or(0));
        }
    }
    Ok(())
}

/// Longest FEN of a record, in bytes.
const MAX_FEN: u16 = 1024;

/// Takes records from a payload.
pub(super) struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Decoder<'a> {
        Decoder { bytes, at }
    }

    /// Where the next record begins.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let Some((taken, _)) = self.bytes.get(self.at..).and_then(|rest| rest.split_first_chunk::<N>())
        else {
            return Err(self.short(N));
        };
        self.at += N;
        Ok(*taken)
    }

    fn short(&self, wanted: usize) -> Fault {
        let left = self.bytes.len().saturating_sub(self.at);
        Fault {
            at: self.at,
            found: format!("{left} bytes where {wanted} belong to the record"),
            expected: "whole records in a block",
        }
    }

    fn number(&mut self) -> Result<u16, Fault> {
        self.take().map(u16::from_le_bytes)
    }

    /// One byte, given to `read`.
    fn byte<T>(&mut self, expected: &'static str, read: impl Fn(u8) -> Option<T>) -> Result<T, Fault> {
        let at = self.at;
        let [byte] = self.take()?;
        read(byte).ok_or_else(|| Fault { at, found: format!("the number {byte}"), expected })
    }

    pub(super) fn record(&mut self) -> Result<Record, Fault> {
        let game = u64::from_le_bytes(self.take()?);
        let result = self.byte("a result, 0 to 3", |n| GameResult::ALL.get(usize::from(n)).copied())?;
        let end = self.byte("an end, 0 to 7", |n| End::ALL.get(usize::from(n)).copied())?;
        let flags = self.byte("flags, 0 to 3", |n| (n <= FLAG_DICE | FLAG_FEN).then_some(n))?;
        let opening_at = self.at;
        let (opening_plies, openings_tried) = (self.number()?, self.number()?);
        let count = self.number()?;
        if opening_plies > count {
            return Err(Fault {
                at: opening_at,
                found: format!("{opening_plies} random plies of {count}"),
                expected: "no more random plies than plies",
            });
        }
        let start = if flags & FLAG_FEN == 0 { None } else { Some(self.fen()?) };
        let dice = flags & FLAG_DICE != 0;
        // Nothing is reserved for plies that are not there.
        let size = usize::from(count) * (4 + usize::from(dice));
        if self.bytes.len().saturating_sub(self.at) < size {
            return Err(self.short(size));
        }
        let plies = (0..count).map(|_| self.ply(dice)).collect::<Result<Vec<Ply>, Fault>>()?;
        Ok(Record { game, start, opening_plies, openings_tried, plies, result, end })
    }

    fn fen(&mut self) -> Result<String, Fault> {
        let at = self.at;
        let length = self.number()?;
        if length > MAX_FEN {
            let found = format!("a FEN of {length} bytes");
            return Err(Fault { at, found, expected: "at most 1024" });
        }
        let Some(text) = self.bytes.get(self.at..self.at + usize::from(length)) else {
            return Err(self.short(length.into()));
        };
        let Ok(text) = std::str::from_utf8(text) else {
            return Err(Fault { at: self.at, found: "bytes that are no text".into(), expected: "a FEN" });
        };
        self.at += usize::from(length);
        Ok(text.to_owned())
    }

    fn ply(&mut self, dice: bool) -> Result<Ply, Fault> {
        let at = self.at;
        let bits = self.number()?;
        let Some(mv) = Move::from_bits(bits) else {
            return Err(Fault { at, found: format!("{bits:04x}"), expected: "a move between two squares" });
        };
        let score = i16::from_le_bytes(self.take()?);
        let score_white_cp = (score != NO_SCORE).then_some(score);
        let face = |n| match n {
            0 => Some(None),
            1..=8 => Some(Some(n)),
            _ => None,
        };
        let die = if dice { self.byte("a face of the die, 1 to 8, or 0", face)? } else { None };
        Ok(Ply { mv, score_white_cp, die })
    }
}
