use crate::types::{Bitboard, Move, Square};

/// What is done with legal moves as they are found.
pub(super) trait Sink {
    /// The man on `from` may end on `to`, which may be empty.
    fn man(&mut self, from: Square, to: Bitboard);

    /// Plain pawns may end on `ends`, each coming from the square `back` indices away.
    fn pawns(&mut self, ends: Bitboard, back: i8);
}

/// Calls a function with each man that has a move.
pub(super) struct Each<F>(pub(super) F);

impl<F: FnMut(Square, Bitboard)> Sink for Each<F> {
    #[inline]
    fn man(&mut self, from: Square, to: Bitboard) {
        if to.any() {
            (self.0)(from, to);
        }
    }

    #[inline]
    fn pawns(&mut self, ends: Bitboard, back: i8) {
        for to in ends {
            let from = Square::from_index(to.byte().wrapping_add_signed(back));
            (self.0)(from, Bitboard::of(to));
        }
    }
}

/// Appends the moves to a list.
pub(super) struct List<'a>(pub(super) &'a mut Vec<Move>);

impl Sink for List<'_> {
    #[inline(never)]
    fn man(&mut self, from: Square, to: Bitboard) {
        for to in to {
            self.0.push(Move::new(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, ends: Bitboard, back: i8) {
        for to in ends {
            let from = Square::from_index(to.byte().wrapping_add_signed(back));
            self.0.push(Move::new(from, to));
        }
    }
}
