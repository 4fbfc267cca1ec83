//! In: games of self-play. Out: a compact file of them, read back with every byte checked; and CSV.
//!
//! # Format, version 1
//!
//! All numbers are little-endian. A file is a head, any number of blocks, and an end. Whatever is cut off, added or
//! changed anywhere is found.
//!
//! | part | bytes | content |
//! |---|---|---|
//! | head | 8 | `ACEDREX` and the byte 1A (hexadecimal) |
//! | | 2 | format version: 1 |
//! | | 4 | length of the header, at most 1 048 576 |
//! | | .. | the header, JSON in UTF-8: [`Header`] |
//! | | 4 | CRC-32 of all bytes before |
//! | block | 4 | `GAME` |
//! | | 4 | length of the payload, 1 to 1 048 576 |
//! | | 4 | number of records, at least 1 |
//! | | 4 | CRC-32 of the 12 bytes before and the payload |
//! | | .. | the payload: whole records, one after another |
//! | end | 4 | `DONE` |
//! | | 8 | number of records in the file |
//! | | 8 | number of plies in the file |
//! | | 4 | CRC-32 of all bytes of the file before |
//!
//! A record, its offsets in bytes:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | game number |
//! | 8 | 1 | result: 0 White won, 1 draw, 2 Black won, 3 unfinished |
//! | 9 | 1 | end: 0 checkmate, 1 stalemate, 2 bare king, 3 repetition, 4 no progress, 5 adjudicated by score, 6 adjudicated because only kings were left, 7 cap on plies |
//! | 10 | 1 | flags: bit 0, plies have a die; bit 1, the game began from a FEN; others are 0 |
//! | 11 | 2 | number of random plies at the start of the game |
//! | 13 | 2 | openings drawn until one was kept, that one included |
//! | 15 | 2 | number of plies, random ones included |
//! | 17 | 2 + n | only with bit 1: length of the FEN (at most 1024), and the FEN in UTF-8. Without it the game began from the array |
//! | .. | 4 or 5 | for each ply: move, 2 bytes; score, 2 bytes; with bit 0 the die, 1 byte |
//!
//! A move is `from * 256 + to`, a square `rank * 16 + file`, both counted from 0; 0 is a pass. A score is a signed
//! number of centipawns for White, from the search that chose the move; -32 768 says that nothing was searched, as for
//! random plies and passes. Without dice a score of 32 000 - n announces mate in n plies, -32 000 + n being mated; with
//! dice scores come after the throw, and a won game is 5 000. A die is 1 to 8, or 0 for none.

mod error;
mod export;
mod finalise;
mod header;
mod produce;
mod reader;
mod record;
mod spool;
mod validate;
mod writer;

pub use error::DatasetError;
pub use export::{CSV_COLUMNS, export};
pub use finalise::finalise;
pub use header::Header;
pub use produce::{finished, play_to_file};
pub use reader::Reader;
pub use spool::spool_path;
pub use validate::{Invalid, validate};
pub use writer::{Encoder, Writer};

pub use crate::selfplay::{Counts, End, GameResult, Ply, Record, Replay, ReplayError, Step};

/// The first bytes of every dataset.
pub const MAGIC: [u8; 8] = *b"ACEDREX\x1a";
/// The format this program writes, and the only one that it reads.
pub const FORMAT: u16 = 1;

/// Most bytes of a header, or of a block's payload.
const MAX_CHUNK: u32 = 1 << 20;
const BLOCK: [u8; 4] = *b"GAME";
const END: [u8; 4] = *b"DONE";
/// In place of a score.
const NO_SCORE: i16 = i16::MIN;
const FLAG_DICE: u8 = 1;
const FLAG_FEN: u8 = 2;

#[cfg(test)]
mod tests;
