//! In: the vocabulary and compiled rules. Out: a placement with make, unmake and hash.

mod placement;
mod zobrist;

pub use placement::{Board, Undo};
