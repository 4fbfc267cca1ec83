//! Line look-ups on the 12 x 12 board of sixteen-bit lanes.
//!
//! The occupancy of a line is gathered on demand: a rank is a shift, a file three multiplications, and a diagonal
//! holds at most one square of each file, so that folding its lanes together gives its occupancy by file.

use crate::types::{Bitboard, Square};

const LANES: u64 = 0x0001_0001_0001_0001;

/// For a position on a line of twelve and the ten inner bits of its occupancy: the squares attacked.
static LINE: [[u16; 1024]; 12] = line_table();

#[expect(clippy::cast_possible_truncation, reason = "indices of a 12 x 1024 table")]
const fn line_table() -> [[u16; 1024]; 12] {
    let mut table = [[0; 1024]; 12];
    let mut at = 0;
    while at < 12 {
        let mut inner = 0;
        while inner < 1024 {
            let occupied = (inner as u16) << 1;
            let mut attacked = 0u16;
            let mut i = at + 1;
            while i < 12 {
                attacked |= 1 << i;
                if occupied >> i & 1 != 0 {
                    break;
                }
                i += 1;
            }
            let mut i = at;
            while i > 0 {
                i -= 1;
                attacked |= 1 << i;
                if occupied >> i & 1 != 0 {
                    break;
                }
            }
            table[at][inner] = attacked;
            inner += 1;
        }
        at += 1;
    }
    table
}

struct Masks {
    rank: [Bitboard; 12],
    above: [Bitboard; 12],
    below: [Bitboard; 12],
    right: [Bitboard; 12],
    left: [Bitboard; 12],
    diagonal: [Bitboard; 192],
    anti: [Bitboard; 192],
}

static MASKS: Masks = masks();

#[expect(clippy::cast_possible_truncation, reason = "coordinates below 12")]
const fn masks() -> Masks {
    const NONE: Bitboard = Bitboard::EMPTY;
    let mut m = Masks {
        rank: [NONE; 12],
        above: [NONE; 12],
        below: [NONE; 12],
        right: [NONE; 12],
        left: [NONE; 12],
        diagonal: [NONE; 192],
        anti: [NONE; 192],
    };
    let mut i = 0;
    while i < 144 {
        let (x, y) = (i % 12, i / 12);
        let square = Square::new(x as u8, y as u8);
        m.rank[y].insert(square);
        let mut other = 0;
        while other < 12 {
            if y > other {
                m.above[other].insert(square);
            }
            if y < other {
                m.below[other].insert(square);
            }
            if x > other {
                m.right[other].insert(square);
            }
            if x < other {
                m.left[other].insert(square);
            }
            // The squares of file `other` on the two diagonals through (x, y).
            let up = y as i32 + other as i32 - x as i32;
            if up >= 0 && up < 12 {
                m.diagonal[square.index()].insert(Square::new(other as u8, up as u8));
            }
            let down = y as i32 - other as i32 + x as i32;
            if down >= 0 && down < 12 {
                m.anti[square.index()].insert(Square::new(other as u8, down as u8));
            }
            other += 1;
        }
        i += 1;
    }
    m
}

/// Squares on higher ranks than `rank`.
#[inline]
pub(super) fn above(rank: u8) -> Bitboard {
    MASKS.above[rank as usize]
}

/// Squares on lower ranks than `rank`.
#[inline]
pub(super) fn below(rank: u8) -> Bitboard {
    MASKS.below[rank as usize]
}

#[inline]
fn splat(lane: u16) -> Bitboard {
    Bitboard([u64::from(lane) * LANES; 4])
}

#[inline]
fn look_up(at: u8, occupied: u64) -> u16 {
    LINE[at as usize][(occupied >> 1 & 0x3FF) as usize]
}

#[inline]
fn rank_attacks(file: u8, rank: u8, occupied: Bitboard) -> Bitboard {
    let lane = occupied.0[(rank >> 2) as usize] >> ((rank & 3) * 16);
    splat(look_up(file, lane)) & MASKS.rank[rank as usize]
}

#[inline]
fn file_attacks(file: u8, rank: u8, occupied: Bitboard) -> Bitboard {
    // Bits 0, 16, 32, 48 of a word to bits 48 to 51, and back.
    const GATHER: u64 = 1 << 48 | 1 << 33 | 1 << 18 | 1 << 3;
    const SPREAD: u64 = 1 | 1 << 15 | 1 << 30 | 1 << 45;
    let gather = |word: u64| ((word >> file & LANES).wrapping_mul(GATHER) >> 48) & 15;
    let [a, b, c, _] = occupied.0;
    let attacked = u64::from(look_up(rank, gather(a) | gather(b) << 4 | gather(c) << 8));
    let spread = |nibble: u64| ((nibble & 15).wrapping_mul(SPREAD) & LANES) << file;
    Bitboard([spread(attacked), spread(attacked >> 4), spread(attacked >> 8), 0])
}

#[inline]
fn folded(line: Bitboard, file: u8, occupied: Bitboard) -> Bitboard {
    let on = occupied & line;
    let mut lanes = on.0[0] | on.0[1] | on.0[2];
    lanes |= lanes >> 32;
    lanes |= lanes >> 16;
    splat(look_up(file, lanes)) & line
}

/// Rook lines from a square: up to and with the first occupied square each way.
#[inline]
pub(super) fn orthogonal(square: Square, occupied: Bitboard) -> Bitboard {
    rank_attacks(square.file(), square.rank(), occupied)
        | file_attacks(square.file(), square.rank(), occupied)
}

/// Bishop lines from a square.
#[inline]
pub(super) fn diagonal(square: Square, occupied: Bitboard) -> Bitboard {
    folded(MASKS.diagonal[square.index()], square.file(), occupied)
        | folded(MASKS.anti[square.index()], square.file(), occupied)
}

/// The paths of `t[FR]`: along the ranks above and below starting beside the square above or below, and along the
/// files to both sides likewise.
#[inline]
pub(super) fn aanca(square: Square, occupied: Bitboard) -> Bitboard {
    let (x, y) = (square.file(), square.rank());
    let mut attacked = Bitboard::EMPTY;
    if y > 0 {
        attacked |= rank_attacks(x, y - 1, occupied);
    }
    if y < 11 {
        attacked |= rank_attacks(x, y + 1, occupied);
    }
    if x > 0 {
        attacked |= file_attacks(x - 1, y, occupied);
    }
    if x < 11 {
        attacked |= file_attacks(x + 1, y, occupied);
    }
    attacked
}

/// The paths of `t[NB]`: half-diagonals away from the four orthogonal neighbours.
#[inline]
pub(super) fn rhino(square: Square, occupied: Bitboard) -> Bitboard {
    let (x, y) = (square.file(), square.rank());
    let mut attacked = Bitboard::EMPTY;
    if y > 0 {
        attacked |= diagonal(Square::new(x, y - 1), occupied) & MASKS.below[y as usize - 1];
    }
    if y < 11 {
        attacked |= diagonal(Square::new(x, y + 1), occupied) & MASKS.above[y as usize + 1];
    }
    if x > 0 {
        attacked |= diagonal(Square::new(x - 1, y), occupied) & MASKS.left[x as usize - 1];
    }
    if x < 11 {
        attacked |= diagonal(Square::new(x + 1, y), occupied) & MASKS.right[x as usize + 1];
    }
    attacked
}
