//! What a dataset consists of after its first bytes: chunks, each with a mark, a length and a checksum.

use super::MAX_CHUNK;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The header. It comes first, and once more after the games: a damaged head can be repaired.
    Head,
    /// Whole records.
    Game,
    /// The end of the file.
    Done,
}

impl Mark {
    pub(super) const ALL: [Mark; 3] = [Mark::Head, Mark::Game, Mark::Done];

    pub(super) const fn bytes(self) -> [u8; 4] {
        match self {
            Mark::Head => *b"HEAD",
            Mark::Game => *b"GAME",
            Mark::Done => *b"DONE",
        }
    }

    pub(super) fn of(bytes: [u8; 4]) -> Option<Mark> {
        Mark::ALL.into_iter().find(|mark| mark.bytes() == bytes)
    }
}

/// The first bytes of a chunk: mark, length of the payload, CRC-32 of both and the payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct Front {
    pub(super) mark: Mark,
    pub(super) length: u32,
    pub(super) crc: u32,
}

impl Front {
    /// Its size in bytes.
    pub(super) const BYTES: usize = 12;

    /// `None` unless mark and length are possible.
    pub(super) fn read(bytes: [u8; Front::BYTES]) -> Option<Front> {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = bytes;
        let mark = Mark::of([a, b, c, d])?;
        let (length, crc) = (u32::from_le_bytes([e, f, g, h]), u32::from_le_bytes([i, j, k, l]));
        let possible = match mark {
            Mark::Head | Mark::Game => (1..=MAX_CHUNK).contains(&length),
            Mark::Done => length as usize == End::BYTES,
        };
        possible.then_some(Front { mark, length, crc })
    }

    /// The CRC-32 that belongs to a payload.
    pub(super) fn crc_of(mark: Mark, payload: &[u8]) -> u32 {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&mark.bytes());
        #[expect(clippy::cast_possible_truncation, reason = "payloads are at most 1 MiB")]
        crc.update(&(payload.len() as u32).to_le_bytes());
        crc.update(payload);
        crc.finalize()
    }
}

/// The payload of the last chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Records in the file.
    pub(super) games: u64,
    /// Their plies.
    pub(super) plies: u64,
    /// CRC-32 of all bytes before the chunk.
    pub(super) crc: u32,
}

impl End {
    /// Its size in bytes.
    pub(super) const BYTES: usize = 20;

    pub(super) fn bytes(self) -> Vec<u8> {
        [&self.games.to_le_bytes()[..], &self.plies.to_le_bytes(), &self.crc.to_le_bytes()].concat()
    }

    /// `None` if there are not as many bytes as there should be.
    pub(super) fn read(payload: &[u8]) -> Option<End> {
        let (games, rest) = payload.split_first_chunk()?;
        let (plies, rest) = rest.split_first_chunk()?;
        let crc = rest.try_into().ok()?;
        let (games, plies) = (u64::from_le_bytes(*games), u64::from_le_bytes(*plies));
        Some(End { games, plies, crc: u32::from_le_bytes(crc) })
    }
}
