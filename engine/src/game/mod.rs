//! In: boards and legal moves. Out: validated positions, FEN, move text, history and outcomes.

mod epd;
mod fen;
mod outcome;
mod position;

pub use fen::{FenError, FenProblem, FenWriter};
pub use outcome::{Outcome, Reason, board_outcome};
pub use position::{MoveError, Position};
