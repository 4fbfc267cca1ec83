//! In: games of self-play. Out: a compact file of them, read back with every byte checked; tools for such files; tables.
//!
//! # Format, version 2
//!
//! All numbers are little-endian. A file begins with 10 bytes: `ACEDREX`, the byte 1A (hexadecimal), and the format
//! version in 2 bytes. Blocks follow to the end of the file, each with a mark, a length and a checksum:
//!
//! | bytes | content |
//! |---|---|
//! | 4 | mark: `HEAD`, `GAME` or `DONE` |
//! | 4 | length of the payload in bytes, 1 to 1 048 576 |
//! | 4 | CRC-32 (that of zlib and PNG) of mark, length and payload |
//! | .. | the payload |
//!
//! The blocks come in this order: one `HEAD`, any number of `GAME`, the same `HEAD` once more, one `DONE`. Whatever is cut
//! off, added, moved or changed anywhere is found, and all blocks that are whole can be saved.
//!
//! | block | payload |
//! |---|---|
//! | `HEAD` | the header, JSON in UTF-8: [`Header`] |
//! | `GAME` | whole records, one after another |
//! | `DONE` | 20 bytes: number of records in the file, 8; number of their plies, 8; CRC-32 of all bytes before this block, 4 |
//!
//! A record, its offsets in bytes; n is its number of plies. Records are in the order of run and game number, and no two
//! have the same:
//!
//! | offset | bytes | content |
//! |---|---|---|
//! | 0 | 8 | game number |
//! | 8 | 2 | stream: which of the header's runs the game belongs to, from 0 |
//! | 10 | 1 | result: 0 White won, 1 draw, 2 Black won, 3 unfinished |
//! | 11 | 1 | end: 0 checkmate, 1 stalemate, 2 bare king, 3 repetition, 4 no progress, 5 adjudicated by score, 6 adjudicated because only kings were left, 7 cap on plies (and no other game is unfinished) |
//! | 12 | 1 | flags: bit 0, plies have a die; bit 1, the game began from a FEN; bit 2, it was adjudicated (end 5 or 6); others are 0 |
//! | 13 | 2 | number of random plies at the start of the game |
//! | 15 | 2 | openings drawn until one was kept, that one included; 0 if not known |
//! | 17 | 2 | n, random plies included |
//! | 19 | 8 | the first 8 bytes of SHA-256 of the final position's FEN (five fields) |
//! | 27 | 2 + m | only with bit 1: m, the length of the FEN (at most 1024), and the FEN in UTF-8. Without it the game began from the array |
//! | .. | 2 n | the moves |
//! | .. | 2 n | the scores |
//! | .. | (n + 1) / 2 | only with bit 0, rounded down: the dice, two to a byte, the earlier one in the low four bits; the last high four bits are 0 if n is odd |
//!
//! A move is `from * 256 + to`, a square `rank * 16 + file`, both counted from 0; 0 is a pass. A score is a signed
//! number of centipawns for White, from the search that chose the move; -32 768 says that nothing was searched, as for
//! random plies and passes. Without dice a score of 32 000 - n announces mate in n plies, -32 000 + n being mated; with
//! dice scores come after the throw, and a won game is 5 000. A die is 1 to 8, or 0 for none.

mod chunk;
mod duplicates;
mod error;
mod export;
mod filter;
mod finalise;
mod header;
mod import;
mod lines;
mod merge;
mod missing;
#[cfg(feature = "parquet")]
mod parquet;
mod produce;
mod reader;
mod record;
mod repair;
mod select;
mod spool;
mod stats;
mod validate;
mod writer;

pub use duplicates::{Duplicates, Repeat};
pub use error::DatasetError;
pub use export::{CSV_COLUMNS, ExportFormat, export};
pub use filter::{Filter, for_each_position};
pub use finalise::{Games, finalise};
pub use header::{Header, Run};
pub use import::import;
pub use merge::{Merged, merge};
pub use missing::Missing;
pub use produce::{Found, Production, expect_own, finished, look, play_to_file};
pub use reader::Reader;
pub use repair::{Repaired, repair};
pub use select::{sample, split};
pub use spool::spool_path;
pub use stats::Stats;
pub use validate::{Invalid, Valid, validate};
pub use writer::{Encoder, Writer};

pub use crate::selfplay::{Counts, End, GameResult, Ply, Record, Replay, ReplayError, Step};

/// The first bytes of every dataset.
pub const MAGIC: [u8; 8] = *b"ACEDREX\x1a";
/// The format this program writes, and the only one that it reads.
pub const FORMAT: u16 = 2;

/// Most bytes of a block's payload.
const MAX_CHUNK: u32 = 1 << 20;
/// In place of a score.
const NO_SCORE: i16 = i16::MIN;
const FLAG_DICE: u8 = 1;
const FLAG_FEN: u8 = 2;
const FLAG_ADJUDICATED: u8 = 4;
const FLAGS: u8 = FLAG_DICE | FLAG_FEN | FLAG_ADJUDICATED;

#[cfg(test)]
mod tests;
