//! The search's constants. Margins are in pawns of the weights in use, so that tuned values move them.

use crate::types::Score;

/// Half width of the first aspiration window, in hundredths of a pawn.
pub(super) const ASPIRATION: Score = 30;
/// From this depth on windows are narrowed.
pub(super) const ASPIRATION_DEPTH: u32 = 4;
/// Reverse futility: up to this depth, this much of a pawn a ply.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 8;
pub(super) const REVERSE_FUTILITY: Score = 80;
/// Futility of quiet moves: up to this depth, base and a ply.
pub(super) const FUTILITY_DEPTH: i32 = 5;
pub(super) const FUTILITY_BASE: Score = 120;
pub(super) const FUTILITY: Score = 90;
/// Late move pruning of quiet moves: up to this depth, after `LATE + depth * depth` moves, twice as many if the evaluation
/// has improved.
pub(super) const LATE_DEPTH: i32 = 6;
pub(super) const LATE: i32 = 6;
/// Losing captures are skipped up to this depth when they lose more than this much of a pawn a ply.
pub(super) const SEE_DEPTH: i32 = 5;
pub(super) const SEE_CAPTURE: Score = 100;
/// A capture in quiescence must be able to come within this much of alpha.
pub(super) const DELTA: Score = 150;
/// Null move from this depth on; a surplus of so much over beta reduces it by a ply more, up to three.
pub(super) const NULL_DEPTH: i32 = 3;
pub(super) const NULL_SURPLUS: Score = 200;
/// From this depth on a null move that cuts is verified by a search without null moves.
pub(super) const VERIFY_DEPTH: i32 = 10;
/// Up to this depth a node so much a ply below alpha goes to quiescence.
pub(super) const RAZOR_DEPTH: i32 = 3;
pub(super) const RAZOR: Score = 250;
/// From this depth on the table's move is tested for being the only good one, by a margin of this much of a pawn for
/// every eight plies.
pub(super) const SINGULAR_DEPTH: i32 = 6;
pub(super) const SINGULAR: Score = 160;
/// Quiet moves with a history below minus this a ply are skipped up to this depth.
pub(super) const HISTORY_DEPTH: i32 = 3;
pub(super) const HISTORY: i32 = 3_000;
/// Quiet moves that lose more than this much of a pawn for depth squared are skipped up to this depth.
pub(super) const SEE_QUIET_DEPTH: i32 = 5;
pub(super) const SEE_QUIET: Score = 25;

/// A part of a pawn's worth: `percent` hundredths.
#[inline]
pub(super) fn pawns(pawn: Score, percent: Score) -> Score {
    pawn * percent / 100
}

/// Late move reductions in plies, by depth and number of the move, both cut at 63.
pub(super) fn reductions() -> Vec<[i32; 64]> {
    let entry = |depth: usize, number: usize| {
        if depth == 0 || number == 0 {
            return 0;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a small number of plies")]
        let plies = (0.4 + libm::log(depth as f64) * libm::log(number as f64) / 2.1) as i32;
        plies
    };
    (0..64).map(|depth| std::array::from_fn(|number| entry(depth, number))).collect()
}
