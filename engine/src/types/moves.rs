use std::fmt;

use super::Square;

/// A move in 16 bits: from and to. Promotion needs no more, since the file of arrival decides it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(u16);

impl Move {
    /// No move; with dice, a pass.
    pub const NONE: Move = Move(0);

    /// The move from one square to another.
    #[inline]
    #[must_use]
    pub const fn new(from: Square, to: Square) -> Move {
        Move((from.byte() as u16) << 8 | to.byte() as u16)
    }

    /// The square it leaves.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Square {
        Square::from_index((self.0 >> 8) as u8)
    }

    /// The square it reaches.
    #[inline]
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "the low byte is what is wanted")]
    pub const fn to(self) -> Square {
        Square::from_index(self.0 as u8)
    }

    /// True for [`Move::NONE`].
    #[inline]
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The 16 bits, as datasets store them.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// From stored bits; `None` if they name no two squares of a 12 x 12 board.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Option<Move> {
        let (from, to) = (bits >> 8, bits & 255);
        if from >= 192 || to >= 192 || from & 15 >= 12 || to & 15 >= 12 {
            return None;
        }
        Some(Move(bits))
    }
}

impl fmt::Display for Move {
    /// Coordinates without a promotion letter, or `pass`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() { f.write_str("pass") } else { write!(f, "{}{}", self.from(), self.to()) }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
