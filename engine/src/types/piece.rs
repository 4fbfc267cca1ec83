use std::num::NonZeroU8;

use super::Color;

/// Most kinds a compiled ruleset holds: sixteen, and an unmoved twin of each.
pub const MAX_KINDS: usize = 32;

/// A kind of piece as the board knows it: an index into the ruleset's compiled kinds, below [`MAX_KINDS`].
/// A piece with a first-move privilege is a kind of its own until it moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(u8);

impl Kind {
    /// The kind with this index, which must be below [`MAX_KINDS`].
    #[inline]
    #[must_use]
    pub const fn new(index: u8) -> Kind {
        debug_assert!((index as usize) < MAX_KINDS);
        Kind(index)
    }

    /// Array index.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A kind and its colour in one byte, and so is `Option<Piece>`: twice the index, plus one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece(NonZeroU8);

impl Piece {
    /// Length of an array indexed by [`Piece::index`].
    pub const COUNT: usize = 2 * MAX_KINDS;

    /// The piece of this colour and kind.
    #[inline]
    #[must_use]
    pub fn new(color: Color, kind: Kind) -> Piece {
        Piece(NonZeroU8::MIN | ((color as u8) << 6 | kind.0 << 1))
    }

    /// Its colour.
    #[inline]
    #[must_use]
    pub const fn color(self) -> Color {
        if self.0.get() & 64 == 0 { Color::White } else { Color::Black }
    }

    /// Its kind.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> Kind {
        Kind(self.0.get() >> 1 & 31)
    }

    /// A byte of its own, not 0.
    #[inline]
    #[must_use]
    pub(crate) const fn byte(self) -> u8 {
        self.0.get()
    }

    /// The piece with this byte, if it is not 0.
    #[inline]
    #[must_use]
    pub(crate) fn from_byte(byte: u8) -> Option<Piece> {
        NonZeroU8::new(byte).map(Piece)
    }

    /// Array index, below [`Piece::COUNT`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0.get() >> 1 & 63) as usize
    }
}
