use std::fmt;

/// Longest side of a board, in squares.
pub const MAX_SIDE: u8 = 12;

/// Length of an array indexed by [`Square::index`]: twelve ranks of sixteen lanes.
pub const SQUARES: usize = 192;

/// A square, numbered `rank * 16 + file` (0-based): files 12 to 15 never occur.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square on 0-based `file` and `rank`, both below [`MAX_SIDE`].
    ///
    /// # Panics
    /// In debug builds, if a coordinate is out of range.
    #[inline]
    #[must_use]
    pub const fn new(file: u8, rank: u8) -> Square {
        debug_assert!(file < MAX_SIDE && rank < MAX_SIDE);
        Square(rank * 16 + file)
    }

    /// The square at signed coordinates, or `None` outside a `files` x `ranks` board.
    #[inline]
    #[must_use]
    pub const fn at(file: i32, rank: i32, files: u8, ranks: u8) -> Option<Square> {
        if file < 0 || rank < 0 || file >= files as i32 || rank >= ranks as i32 {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, reason = "checked above: both are below 12")]
        Some(Square::new(file as u8, rank as u8))
    }

    /// From an index below [`SQUARES`] whose low four bits are below 12.
    #[inline]
    #[must_use]
    pub const fn from_index(index: u8) -> Square {
        debug_assert!((index as usize) < SQUARES && index & 15 < MAX_SIDE);
        Square(index)
    }

    /// Array index, below [`SQUARES`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The index as a byte.
    #[inline]
    #[must_use]
    pub const fn byte(self) -> u8 {
        self.0
    }

    /// 0-based file.
    #[inline]
    #[must_use]
    pub const fn file(self) -> u8 {
        self.0 & 15
    }

    /// 0-based rank.
    #[inline]
    #[must_use]
    pub const fn rank(self) -> u8 {
        self.0 >> 4
    }

    /// The square `(dx, dy)` away, or `None` outside a `files` x `ranks` board.
    #[inline]
    #[must_use]
    pub const fn offset(self, dx: i32, dy: i32, files: u8, ranks: u8) -> Option<Square> {
        Square::at(self.file() as i32 + dx, self.rank() as i32 + dy, files, ranks)
    }

    /// The square halfway to another; of two that are equally near, the one nearer `a1`.
    #[inline]
    #[must_use]
    pub const fn middle(self, other: Square) -> Square {
        Square::new((self.file() + other.file()) / 2, (self.rank() + other.rank()) / 2)
    }

    /// Reads a square such as `g12` at the start of `text`: the square and the bytes it took.
    /// Takes two rank digits where they make 10, 11 or 12.
    #[must_use]
    pub fn parse_prefix(text: &str) -> Option<(Square, usize)> {
        let bytes = text.as_bytes();
        let file = bytes.first()?.wrapping_sub(b'a');
        if file >= MAX_SIDE {
            return None;
        }
        let tens = bytes.get(1).filter(|d| d.is_ascii_digit())? - b'0';
        if tens == 1
            && let Some(units @ b'0'..=b'2') = bytes.get(2)
        {
            return Some((Square::new(file, 9 + units - b'0'), 3));
        }
        (tens >= 1).then(|| (Square::new(file, tens - 1), 2))
    }
}

impl std::str::FromStr for Square {
    type Err = ();

    /// Reads exactly one square, such as `a1` or `l12`.
    fn from_str(text: &str) -> Result<Square, ()> {
        match Square::parse_prefix(text) {
            Some((square, used)) if used == text.len() => Ok(square),
            _ => Err(()),
        }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_reads_back() {
        for rank in 0..MAX_SIDE {
            for file in 0..MAX_SIDE {
                let square = Square::new(file, rank);
                assert_eq!(square.to_string().parse(), Ok(square));
            }
        }
        for bad in ["", "a", "a0", "m1", "a13", "a1x", "A1", "a-1", "é1"] {
            assert_eq!(bad.parse::<Square>(), Err(()), "{bad}");
        }
    }
}
