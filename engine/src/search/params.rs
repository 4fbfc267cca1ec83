//! The search's constants. Margins are in pawns of the weights in use, so that tuned values move them.

use crate::types::Score;

/// Half width of the first aspiration window, in hundredths of a pawn.
pub(super) const ASPIRATION: Score = 30;
/// From this depth on windows are narrowed.
pub(super) const ASPIRATION_DEPTH: u32 = 4;
/// Reverse futility: up to this depth, this much of a pawn a ply.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 6;
pub(super) const REVERSE_FUTILITY: Score = 80;
/// Futility of quiet moves: up to this depth, base and a ply.
pub(super) const FUTILITY_DEPTH: i32 = 5;
pub(super) const FUTILITY_BASE: Score = 120;
pub(super) const FUTILITY: Score = 90;
/// Late move pruning: up to this depth, after `LATE + depth * depth` quiet moves.
pub(super) const LATE_DEPTH: i32 = 6;
pub(super) const LATE: i32 = 6;
/// Losing captures are skipped up to this depth when they lose more than this much of a pawn a ply.
pub(super) const SEE_DEPTH: i32 = 5;
pub(super) const SEE_CAPTURE: Score = 100;
/// A capture in quiescence must be able to come within this much of alpha.
pub(super) const DELTA: Score = 150;
/// Null move from this depth on.
pub(super) const NULL_DEPTH: i32 = 3;

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
