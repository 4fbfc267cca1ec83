//! In: a board and compiled rules. Out: attacks and legal moves, and counts of them.

mod attacks;
mod generate;
mod lines;
mod perft;
pub mod reference;

pub use attacks::{attackers, is_attacked, targets};
pub use generate::{Checks, MoveGen};
pub use perft::{Divide, divide, perft, perft_made, perft_parallel};
