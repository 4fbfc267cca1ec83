/// A score in centipawns for the side to move, within `-MATE..=MATE`.
pub type Score = i32;

/// Deepest line the search follows, in plies.
pub const MAX_PLY: usize = 128;
/// The score of having mated already; mate in n plies is `MATE - n`.
pub const MATE: Score = 32_000;

/// Scores beyond this (in size) announce a forced end of the game.
pub const MATE_IN_MAX: Score = MATE - 256;

/// Deepest iteration: lines may be twice as long by extensions.
pub const MAX_DEPTH: u32 = 64;

/// Plies to the forced end that `score` announces: positive if the side to move wins, negative if it loses.
#[must_use]
pub fn mate_in_plies(score: Score) -> Option<i32> {
    if score >= MATE_IN_MAX {
        Some(MATE - score)
    } else if score <= -MATE_IN_MAX {
        Some(-(MATE + score))
    } else {
        None
    }
}
