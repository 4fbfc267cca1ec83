use super::attacks::targets;
use super::generate::{Aim, MoveGen};
use super::lines;
use super::sink::Sink;
use crate::rules::{Moves, Shape};
use crate::types::{Bitboard, Square};

/// Counts moves by the sizes of sets.
struct Counter(u64);

impl Sink for Counter {
    #[inline]
    fn man(&mut self, _: Square, to: Bitboard) {
        self.0 += u64::from(to.count());
    }

    #[inline]
    fn pawns(&mut self, ends: Bitboard, _: i8) {
        self.0 += u64::from(ends.count());
    }
}

impl MoveGen<'_> {
    /// Number of legal moves: the sizes of the sets of squares that the men may end on, without listing the moves.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> u64 {
        let mut counter = Counter(0);
        if self.checks.test_each || self.checks.pinned.any() {
            self.walk(self.tables.board, &mut counter);
            return counter.0;
        }
        let Aim { enemy, open, allowed } = self.aim(self.tables.board);
        for (men, table) in self.board.sets(self.us).iter().zip(&self.tables.kinds) {
            if men.is_empty() {
                continue;
            }
            let mover = &table.movers[self.us.index()];
            if table.royal {
                counter.0 += u64::from(self.royal_moves(table, open, enemy).count());
            } else if table.pawn
                && let Some(double) = &self.tables.plain_pawn
            {
                self.plain_pawns(*men, double[self.us.index()], allowed, enemy, &mut counter);
            } else if mover.uniform {
                counter.0 += sizes(&mover.quiet, men, &self.occupied, &allowed);
            } else {
                counter.0 += sizes(&mover.quiet, men, &self.occupied, &(allowed & !enemy));
                counter.0 += sizes(&mover.capture, men, &self.occupied, &(allowed & enemy));
            }
        }
        counter.0
    }
}

/// How many squares of `allowed` the men of one kind reach, each man's squares counted for itself.
#[inline(always)]
fn sizes(moves: &Moves, men: &Bitboard, occupied: &Bitboard, allowed: &Bitboard) -> u64 {
    match moves.shape {
        Shape::None => 0,
        Shape::Leaps => match &moves.leaps {
            Some(leaps) => sum(men, |from| (leaps[from.index()] & *allowed).count()),
            None => 0,
        },
        Shape::Orthogonal => sizes_of(men, occupied, allowed, lines::orthogonal_size),
        Shape::Diagonal => sizes_of(men, occupied, allowed, lines::diagonal_size),
        Shape::Aanca => sizes_of(men, occupied, allowed, lines::aanca_size),
        Shape::Rhino => sizes_of(men, occupied, allowed, lines::rhino_size),
        Shape::Mixed => sum(men, |from| (targets(moves, from, *occupied) & *allowed).count()),
    }
}

/// A function of its own for each shape, so that each has all registers.
#[inline(never)]
fn sizes_of(
    men: &Bitboard,
    occupied: &Bitboard,
    allowed: &Bitboard,
    size: impl Fn(Square, Bitboard, Bitboard) -> u32,
) -> u64 {
    sum(men, |from| size(from, *occupied, *allowed))
}

#[inline(always)]
fn sum(men: &Bitboard, size: impl Fn(Square) -> u32) -> u64 {
    men.into_iter().map(|from| u64::from(size(from))).sum()
}
