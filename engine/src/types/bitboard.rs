use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::{Square, lanes};

/// A set of squares: one 16-bit lane a rank, in 256 bits so that one vector register holds it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(C, align(32))]
pub struct Bitboard(pub(crate) [u64; 4]);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard([0; 4]);

    /// The set of one square.
    #[inline]
    #[must_use]
    pub fn of(square: Square) -> Bitboard {
        // A look-up keeps the set in one register: written word by word and read as a whole it would stall.
        SINGLES[square.byte() as usize]
    }

    /// All squares of a `files` x `ranks` board.
    #[must_use]
    pub const fn board(files: u8, ranks: u8) -> Bitboard {
        let mut words = [0; 4];
        let mut rank = 0;
        while rank < ranks {
            words[(rank >> 2) as usize] |= ((1 << files) - 1) << ((rank & 3) * 16);
            rank += 1;
        }
        Bitboard(words)
    }

    /// True if no square is in the set.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        lanes::disjoint(self.0, self.0)
    }

    /// True if some square is in both sets.
    #[inline]
    #[must_use]
    pub fn meets(self, other: Bitboard) -> bool {
        !lanes::disjoint(self.0, other.0)
    }

    /// All lanes of four ranks together, as one word.
    #[inline]
    #[must_use]
    pub(crate) fn together(self) -> u64 {
        lanes::together(self.0)
    }

    /// True if the set holds at least one square.
    #[inline]
    #[must_use]
    pub fn any(self) -> bool {
        !self.is_empty()
    }

    /// Number of squares in the set.
    #[inline]
    #[must_use]
    pub const fn count(self) -> u32 {
        self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones()
    }

    /// The words that hold squares.
    #[inline]
    pub(crate) const fn words(self) -> [u64; 3] {
        [self.0[0], self.0[1], self.0[2]]
    }

    /// True if `square` is in the set.
    #[inline]
    #[must_use]
    pub const fn has(self, square: Square) -> bool {
        self.0[square.index() >> 6] >> (square.index() & 63) & 1 != 0
    }

    /// Adds a square.
    #[inline]
    pub const fn insert(&mut self, square: Square) {
        self.0[square.index() >> 6] |= 1 << (square.index() & 63);
    }

    /// The set without `square`.
    #[inline]
    #[must_use]
    pub fn without(self, square: Square) -> Bitboard {
        self & !Bitboard::of(square)
    }

    /// The set with `square`.
    #[inline]
    #[must_use]
    pub fn with(self, square: Square) -> Bitboard {
        self | Bitboard::of(square)
    }

    /// Every square one rank up the board; what leaves twelve ranks lands on unused lanes, so intersect it.
    #[inline]
    #[must_use]
    pub(crate) const fn up(self) -> Bitboard {
        let [a, b, c, _] = self.0;
        Bitboard([a << 16, b << 16 | a >> 48, c << 16 | b >> 48, c >> 48])
    }

    /// Every square one rank down the board.
    #[inline]
    #[must_use]
    pub(crate) const fn down(self) -> Bitboard {
        let [a, b, c, d] = self.0;
        Bitboard([a >> 16 | b << 48, b >> 16 | c << 48, c >> 16 | d << 48, d >> 16])
    }

    /// Every square one file to the right; the unused files take what leaves the board, so intersect it.
    #[inline]
    #[must_use]
    pub(crate) const fn right(self) -> Bitboard {
        let [a, b, c, d] = self.0;
        Bitboard([a << 1, b << 1, c << 1, d << 1])
    }

    /// Every square one file to the left; the unused files take what leaves the board, so intersect it.
    #[inline]
    #[must_use]
    pub(crate) const fn left(self) -> Bitboard {
        let [a, b, c, d] = self.0;
        // File a of one rank becomes the unused last lane of the rank below.
        Bitboard([a >> 1 | b << 63, b >> 1 | c << 63, c >> 1 | d << 63, d >> 1])
    }

    /// The lowest square, if any.
    #[inline]
    #[must_use]
    pub fn first(self) -> Option<Square> {
        self.into_iter().next()
    }

    /// True if the set holds exactly one square.
    #[inline]
    #[must_use]
    pub const fn is_single(self) -> bool {
        self.count() == 1
    }
}

macro_rules! lanewise {
    ($trait:ident, $f:ident, $assign:ident, $g:ident, $op:tt, $lanes:ident) => {
        impl $trait for Bitboard {
            type Output = Bitboard;
            #[inline]
            fn $f(self, other: Bitboard) -> Bitboard {
                Bitboard(lanes::$lanes(self.0, other.0))
            }
        }
        impl $assign for Bitboard {
            #[inline]
            fn $g(&mut self, other: Bitboard) {
                *self = *self $op other;
            }
        }
    };
}
lanewise!(BitAnd, bitand, BitAndAssign, bitand_assign, &, and);
lanewise!(BitOr, bitor, BitOrAssign, bitor_assign, |, or);
lanewise!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^, xor);

impl Not for Bitboard {
    type Output = Bitboard;
    /// The complement over all 256 bits: intersect it before counting.
    #[inline]
    fn not(self) -> Bitboard {
        self ^ Bitboard([u64::MAX; 4])
    }
}

/// The set of each square, by [`Square::byte`].
static SINGLES: [Bitboard; 256] = {
    let mut singles = [Bitboard::EMPTY; 256];
    let mut i = 0;
    while i < 256 {
        singles[i].0[i >> 6] = 1 << (i & 63);
        i += 1;
    }
    singles
};

/// Iterates over a [`Bitboard`] from the lowest square up.
pub struct Squares {
    low: u64,
    middle: u64,
    high: u64,
}

impl Iterator for Squares {
    type Item = Square;
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "an index below 192")]
    fn next(&mut self) -> Option<Square> {
        // Three returns rather than one, so that the words stay in registers.
        if self.low != 0 {
            let index = self.low.trailing_zeros();
            self.low &= self.low - 1;
            return Some(Square::from_index(index as u8));
        }
        if self.middle != 0 {
            let index = self.middle.trailing_zeros() + 64;
            self.middle &= self.middle - 1;
            return Some(Square::from_index(index as u8));
        }
        if self.high != 0 {
            let index = self.high.trailing_zeros() + 128;
            self.high &= self.high - 1;
            return Some(Square::from_index(index as u8));
        }
        None
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;
    #[inline]
    fn into_iter(self) -> Squares {
        let [low, middle, high, _] = self.0;
        Squares { low, middle, high }
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
