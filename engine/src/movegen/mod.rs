//! In: a board and compiled rules. Out: attacks and legal moves, and counts of them.

mod attacks;
mod checks;
mod count;
mod generate;
mod lines;
mod perft;
pub mod reference;
mod sink;

pub use attacks::{attackers, is_attacked, targets};
pub use checks::Checks;
pub use generate::MoveGen;
pub use perft::{Divide, divide, perft, perft_made, perft_parallel};
