use super::pawns::PawnTerms;
use crate::movegen::targets;
use crate::rules::Mover;
use crate::types::{Bitboard, Piece, SQUARES, Square};

/// Where the evaluation gets what depends on the board alone: counted afresh, or remembered.
pub(super) trait Sight {
    /// Where the man on `from` may go without and with a capture, blockers of either colour included.
    fn of(&mut self, mover: &Mover, piece: Piece, from: Square, occupied: Bitboard) -> [Bitboard; 2];

    /// The terms of these pawns of White and Black, which `count` counts.
    fn pawns(&mut self, pawns: [Bitboard; 2], count: impl FnOnce() -> PawnTerms) -> PawnTerms;
}

#[inline]
fn look(mover: &Mover, from: Square, occupied: Bitboard) -> [Bitboard; 2] {
    let quiet = targets(&mover.quiet, from, occupied);
    [quiet, if mover.uniform { quiet } else { targets(&mover.capture, from, occupied) }]
}

/// Remembers nothing.
pub(super) struct Afresh;

impl Sight for Afresh {
    #[inline]
    fn of(&mut self, mover: &Mover, _: Piece, from: Square, occupied: Bitboard) -> [Bitboard; 2] {
        look(mover, from, occupied)
    }

    #[inline]
    fn pawns(&mut self, _: [Bitboard; 2], count: impl FnOnce() -> PawnTerms) -> PawnTerms {
        count()
    }
}

/// What was seen from a square last.
#[derive(Clone, Copy)]
struct Seen {
    to: [Bitboard; 2],
    occupied: Bitboard,
    piece: Option<Piece>,
}

#[derive(Clone, Copy)]
struct SeenPawns {
    pawns: [Bitboard; 2],
    terms: PawnTerms,
}

const PAWN_SLOTS: usize = 512;

/// What the evaluation remembers from position to position, of one reading and one set of weights. It changes the
/// time that evaluations take, never a score.
///
/// A man sees each path up to and with the first occupied square, so what it sees stays the same until one of the
/// squares seen becomes free or occupied. Nearly all men see the same in two positions of one search.
pub struct EvalMemory {
    seen: Vec<Seen>,
    pawns: Vec<SeenPawns>,
}

impl EvalMemory {
    /// Remembers nothing yet.
    #[must_use]
    pub fn new() -> EvalMemory {
        let seen = Seen { to: [Bitboard::EMPTY; 2], occupied: Bitboard::EMPTY, piece: None };
        // Without pawns there is no term, so the empty entry is true.
        let pawns = SeenPawns { pawns: [Bitboard::EMPTY; 2], terms: PawnTerms::default() };
        EvalMemory { seen: vec![seen; SQUARES], pawns: vec![pawns; PAWN_SLOTS] }
    }
}

impl Default for EvalMemory {
    fn default() -> EvalMemory {
        EvalMemory::new()
    }
}

impl Sight for EvalMemory {
    #[inline]
    fn of(&mut self, mover: &Mover, piece: Piece, from: Square, occupied: Bitboard) -> [Bitboard; 2] {
        let seen = &mut self.seen[from.index()];
        let changed = (seen.occupied ^ occupied) & (seen.to[0] | seen.to[1]);
        if seen.piece == Some(piece) && changed.is_empty() {
            return seen.to;
        }
        // General paths may pass squares on which they cannot end: what they see is not kept.
        let plain = mover.quiet.paths.is_none() && mover.capture.paths.is_none();
        *seen = Seen { to: look(mover, from, occupied), occupied, piece: plain.then_some(piece) };
        seen.to
    }

    #[inline]
    fn pawns(&mut self, pawns: [Bitboard; 2], count: impl FnOnce() -> PawnTerms) -> PawnTerms {
        let mut key = 0u64;
        for word in pawns[0].words().into_iter().chain(pawns[1].words()) {
            key = (key.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        let slot = &mut self.pawns[(key >> 32) as usize % PAWN_SLOTS];
        if slot.pawns != pawns {
            *slot = SeenPawns { pawns, terms: count() };
        }
        slot.terms
    }
}
