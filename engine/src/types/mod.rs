//! In: nothing. Out: the vocabulary that every later stage speaks.

mod bitboard;
mod color;
mod lanes;
mod moves;
mod piece;
mod score;
mod square;

pub use bitboard::Bitboard;
pub use color::Color;
pub use moves::Move;
pub use piece::{Kind, MAX_KINDS, Piece};
pub use score::{MATE, MATE_IN_MAX, MAX_DEPTH, MAX_PLY, Score, mate_in_plies};
pub use square::{MAX_SIDE, SQUARES, Square};
