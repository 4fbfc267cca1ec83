//! The search's constants. Margins are in centipawns.

use crate::types::Score;

/// Half width of the first aspiration window.
pub(super) const ASPIRATION: Score = 19;
/// From this depth on windows are narrowed.
pub(super) const ASPIRATION_DEPTH: u32 = 4;
/// Reverse futility: up to this depth, this much a ply.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 8;
pub(super) const REVERSE_FUTILITY: Score = 50;
/// Futility of quiet moves: up to this depth, base and a ply.
pub(super) const FUTILITY_DEPTH: i32 = 5;
pub(super) const FUTILITY_BASE: Score = 19;
pub(super) const FUTILITY: Score = 57;
/// Late move pruning of quiet moves: up to this depth, after `LATE + depth * depth / 2` moves, twice as many if the
/// evaluation has improved.
pub(super) const LATE_DEPTH: i32 = 6;
pub(super) const LATE: i32 = 6;
/// Losing captures are skipped up to this depth when they lose more than this much a ply.
pub(super) const SEE_DEPTH: i32 = 5;
pub(super) const SEE_CAPTURE: Score = 63;
/// A capture in quiescence must be able to come within this much of alpha.
pub(super) const DELTA: Score = 95;
/// A leaf whose quiescence has taken so many nodes goes on with captures of the man that moved last alone.
pub(super) const LEAF_NODES: u64 = 1_000;
/// Null move from this depth on; a surplus of so much over beta reduces it by a ply more, up to three.
pub(super) const NULL_DEPTH: i32 = 3;
pub(super) const NULL_SURPLUS: Score = 126;
/// From this depth on a null move that cuts is verified by a search without null moves.
pub(super) const VERIFY_DEPTH: i32 = 10;
/// Up to this depth a node so much a ply below alpha goes to quiescence.
pub(super) const RAZOR_DEPTH: i32 = 3;
pub(super) const RAZOR: Score = 158;
/// From this depth on the table's move is tested for being the only good one, by a margin of this much for
/// every eight plies.
pub(super) const SINGULAR_DEPTH: i32 = 6;
pub(super) const SINGULAR: Score = 101;
/// Quiet moves with a history below minus this a ply are skipped up to this depth.
pub(super) const HISTORY_DEPTH: i32 = 3;
pub(super) const HISTORY: i32 = 3_000;
/// Quiet moves that lose more than this much for depth squared are skipped up to this depth.
pub(super) const SEE_QUIET_DEPTH: i32 = 5;
pub(super) const SEE_QUIET: Score = 16;

/// Order of quiet moves, beside histories: for each centipawn of a man that leaves a square where it can be taken by a
/// cheaper man or for nothing, and minus that for one that goes to a square where a cheaper man takes it.
pub(super) const DANGER: i32 = 8;
/// A man counts as worth at most this, so that the worst of histories and danger together are a score.
pub(super) const DANGER_MOST: Score = 1_024;
/// Minus this for each centipawn of a man that goes to a square where it is taken for nothing, if not by a cheaper one.
pub(super) const LOOSE: i32 = 6;
/// For a check.
pub(super) const CHECK: i32 = 6_000;
/// For each centipawn, up to so many, that the move from a safe square attacks: the worth of a man that is not
/// defended, or by how much a man is dearer than the attacker.
pub(super) const ATTACK: i32 = 3;
pub(super) const ATTACK_MOST: Score = 1_000;

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
