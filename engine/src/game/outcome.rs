use std::fmt;

use crate::board::Board;
use crate::movegen::MoveGen;
use crate::rules::{BareKing, Reading, Stalemate};
use crate::types::Color;

/// How a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It goes on.
    Ongoing,
    /// A side has won.
    Win(Color, Reason),
    /// Nobody has won.
    Draw(Reason),
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// No legal move, in check.
    Checkmate,
    /// No legal move, not in check.
    Stalemate,
    /// A side has only its king left.
    BareKing,
    /// The position has occurred as often as the rules allow.
    Repetition,
    /// Too many plies without capture or pawn move.
    NoProgress,
}

impl Reason {
    /// All reasons, in the order in which datasets number them.
    pub const ALL: [Reason; 5] =
        [Reason::Checkmate, Reason::Stalemate, Reason::BareKing, Reason::Repetition, Reason::NoProgress];

    /// `checkmate`, `stalemate`, `bare-king`, `repetition` or `no-progress`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Checkmate => "checkmate",
            Reason::Stalemate => "stalemate",
            Reason::BareKing => "bare-king",
            Reason::Repetition => "repetition",
            Reason::NoProgress => "no-progress",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Ongoing => f.write_str("ongoing"),
            Outcome::Win(winner, reason) => write!(f, "{winner} wins: {reason}"),
            Outcome::Draw(reason) => write!(f, "draw: {reason}"),
        }
    }
}

/// How the game stands by everything but repetition: checkmate, bare king, stalemate, no progress, in that order.
/// `moves` are the checks and pins of this very board; `any_move` says whether there is a legal move.
#[must_use]
pub fn board_outcome(reading: &Reading, board: &Board, moves: &MoveGen<'_>, any_move: bool) -> Outcome {
    let (us, them) = (board.side(), !board.side());
    if !any_move && moves.in_check() {
        return Outcome::Win(them, Reason::Checkmate);
    }
    let end = &reading.rules.end;
    if end.bare_king != BareKing::None {
        let bare = |color| board.men(color).is_single();
        match (bare(us), bare(them)) {
            (true, true) => return Outcome::Draw(Reason::BareKing),
            (false, true) => return Outcome::Win(us, Reason::BareKing),
            (true, false) => {
                if end.bare_king == BareKing::Loses || !can_bare(board, moves) {
                    return Outcome::Win(them, Reason::BareKing);
                }
            }
            (false, false) => {}
        }
    }
    if !any_move {
        return match end.stalemate {
            Stalemate::Draw => Outcome::Draw(Reason::Stalemate),
            Stalemate::Loses => Outcome::Win(them, Reason::Stalemate),
            Stalemate::Wins => Outcome::Win(us, Reason::Stalemate),
        };
    }
    if end.no_progress_plies > 0 && u32::from(board.halfmove()) >= end.no_progress_plies {
        return Outcome::Draw(Reason::NoProgress);
    }
    Outcome::Ongoing
}

/// True if a legal move takes the other side's last man but its king.
fn can_bare(board: &Board, moves: &MoveGen<'_>) -> bool {
    let them = !board.side();
    let men = board.men(them);
    if men.count() != 2 {
        return false;
    }
    let mut can = false;
    moves.for_each(men.without(board.royal(them)), |_, _| can = true);
    can
}
