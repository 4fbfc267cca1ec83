//! Records as bytes.

use acedrex_engine::types::Move;

use super::{DatasetError, FLAG_ADJUDICATED, FLAG_DICE, FLAG_FEN, FLAGS, NO_SCORE};
use crate::selfplay::{End, GameResult, Ply, Record};

/// A fault within a payload.
pub(super) struct Fault {
    /// Bytes from the payload's start.
    pub(super) at: usize,
    pub(super) found: String,
    pub(super) expected: &'static str,
}

/// Longest FEN of a record, in bytes.
const MAX_FEN: u16 = 1024;
const UNFINISHED: &str = "an unfinished game exactly where the cap on plies ended it";

fn is_labelled(result: GameResult, end: End) -> bool {
    (result == GameResult::Unfinished) == (end == End::PlyCap)
}

/// Appends a record's bytes. Scores of -32 768 are written as -32 767.
pub(super) fn encode(record: &Record, bytes: &mut Vec<u8>) -> Result<(), DatasetError> {
    let refused = |found: String, expected: &str| {
        Err(DatasetError::Record { game: record.game, found, expected: expected.to_owned() })
    };
    let Ok(plies) = u16::try_from(record.plies.len()) else {
        return refused(format!("{} plies", record.plies.len()), "at most 65535");
    };
    if record.opening_plies > plies {
        let found = format!("{} random plies of {plies}", record.opening_plies);
        return refused(found, "no more random plies than plies");
    }
    if !is_labelled(record.result, record.end) {
        return refused(format!("{} by {}", record.result, record.end), UNFINISHED);
    }
    let dice = record.plies.iter().any(|ply| ply.die.is_some());
    let flag = |set: bool, flag: u8| if set { flag } else { 0 };
    let flags = flag(dice, FLAG_DICE)
        | flag(record.start.is_some(), FLAG_FEN)
        | flag(record.end.is_adjudicated(), FLAG_ADJUDICATED);
    #[expect(clippy::cast_possible_truncation, reason = "four results and eight ends")]
    let (result, end) = (record.result.index() as u8, record.end.index() as u8);
    bytes.extend(record.game.to_le_bytes());
    bytes.extend(record.stream.to_le_bytes());
    bytes.extend([result, end, flags]);
    bytes.extend(record.opening_plies.to_le_bytes());
    bytes.extend(record.openings_tried.to_le_bytes());
    bytes.extend(plies.to_le_bytes());
    bytes.extend(record.final_hash);
    if let Some(fen) = &record.start {
        let Some(length) = u16::try_from(fen.len()).ok().filter(|&length| length <= MAX_FEN) else {
            return refused(format!("a FEN of {} bytes", fen.len()), "at most 1024");
        };
        bytes.extend(length.to_le_bytes());
        bytes.extend(fen.as_bytes());
    }
    bytes.extend(record.plies.iter().flat_map(|ply| ply.mv.bits().to_le_bytes()));
    let score = |ply: &Ply| ply.score_white_cp.map_or(NO_SCORE, |score| score.max(NO_SCORE + 1));
    bytes.extend(record.plies.iter().flat_map(|ply| score(ply).to_le_bytes()));
    if dice {
        let die = |ply: &Ply| ply.die.unwrap_or(0);
        bytes.extend(record.plies.chunks(2).map(|pair| die(&pair[0]) | pair.get(1).map_or(0, die) << 4));
    }
    Ok(())
}

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

    /// True if there is no more.
    pub(super) fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn slice(&mut self, length: usize) -> Result<&'a [u8], Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(taken) = rest.get(..length) else {
            return Err(Fault {
                at: self.at,
                found: format!("{} bytes where {length} belong to the record", rest.len()),
                expected: "whole records in a block",
            });
        };
        self.at += length;
        Ok(taken)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.slice(N).map(|taken| taken.first_chunk().copied().unwrap_or([0; N]))
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

    /// The next record, in place of what `record` holds: its list of plies keeps its memory.
    pub(super) fn record(&mut self, record: &mut Record) -> Result<(), Fault> {
        let began = self.at;
        let fault = |found: String, expected| Err(Fault { at: began, found, expected });
        record.game = u64::from_le_bytes(self.take()?);
        record.stream = self.number()?;
        record.result = self.byte("a result, 0 to 3", |n| GameResult::ALL.get(usize::from(n)).copied())?;
        record.end = self.byte("an end, 0 to 7", |n| End::ALL.get(usize::from(n)).copied())?;
        let flags = self.byte("flags, 0 to 7", |n| (n <= FLAGS).then_some(n))?;
        if !is_labelled(record.result, record.end) {
            return fault(format!("{} by {}", record.result, record.end), UNFINISHED);
        }
        if (flags & FLAG_ADJUDICATED != 0) != record.end.is_adjudicated() {
            let found = format!("flags {flags} of a game ended by {}", record.end);
            return fault(found, "the flag of adjudication on adjudicated games alone");
        }
        record.opening_plies = self.number()?;
        record.openings_tried = self.number()?;
        let count = self.number()?;
        if record.opening_plies > count {
            let found = format!("{} random plies of {count}", record.opening_plies);
            return fault(found, "no more random plies than plies");
        }
        record.final_hash = self.take()?;
        record.start = if flags & FLAG_FEN == 0 { None } else { Some(self.fen()?) };
        self.plies(count.into(), flags & FLAG_DICE != 0, &mut record.plies)
    }

    fn fen(&mut self) -> Result<String, Fault> {
        let at = self.at;
        let length = self.number()?;
        if length > MAX_FEN {
            let found = format!("a FEN of {length} bytes");
            return Err(Fault { at, found, expected: "at most 1024" });
        }
        let at = self.at;
        match std::str::from_utf8(self.slice(length.into())?) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(Fault { at, found: "bytes that are no text".into(), expected: "a FEN" }),
        }
    }

    fn plies(&mut self, count: usize, dice: bool, plies: &mut Vec<Ply>) -> Result<(), Fault> {
        plies.clear();
        let at = self.at;
        let (moves, scores) = (self.slice(2 * count)?, self.slice(2 * count)?);
        let faces = if dice { self.slice(count.div_ceil(2))? } else { &[] };
        for (i, (mv, score)) in moves.as_chunks().0.iter().zip(scores.as_chunks().0).enumerate() {
            let bits = u16::from_le_bytes(*mv);
            let Some(mv) = Move::from_bits(bits) else {
                let found = format!("{bits:04x}");
                return Err(Fault { at: at + 2 * i, found, expected: "a move between two squares" });
            };
            let score = i16::from_le_bytes(*score);
            let face = if dice { faces[i / 2] >> (4 * (i % 2)) & 15 } else { 0 };
            if face > 8 {
                let (at, found) = (at + 4 * count + i / 2, format!("the number {face}"));
                return Err(Fault { at, found, expected: "a face of the die, 1 to 8, or 0" });
            }
            plies.push(Ply {
                mv,
                score_white_cp: (score != NO_SCORE).then_some(score),
                die: (face > 0).then_some(face),
            });
        }
        if dice && count % 2 == 1 && faces[count / 2] > 15 {
            let (at, found) = (at + 4 * count + count / 2, format!("the number {}", faces[count / 2]));
            return Err(Fault { at, found, expected: "no die after the last ply" });
        }
        Ok(())
    }
}
