//! Line look-ups on the 12 x 12 board of sixteen-bit lanes.
//!
//! The occupancy of a line is gathered on demand: a rank is a shift, a file a multiplication, and a diagonal holds at
//! most one square of each file, so that folding its lanes together gives its occupancy by file. Masks have an empty
//! margin, so that a piece at the edge needs no case of its own.

use crate::types::{Bitboard, SQUARES, Square};

const LANES: u64 = 0x0001_0001_0001_0001;

/// For a position on a line of twelve and the ten inner bits of its occupancy: the squares attacked.
/// The last four rows are never used: any four bits are an index.
static LINE: [[u16; 1024]; 16] = line_table();

#[expect(clippy::cast_possible_truncation, reason = "indices of a 16 x 1024 table")]
const fn line_table() -> [[u16; 1024]; 16] {
    let mut table = [[0; 1024]; 16];
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

/// The four diagonals that run past a square, beside it: two neighbours of the square lie on each and are left out,
/// so that a look-up from the square's own file passes them.
type Skirts = [Bitboard; 4];

struct Masks {
    /// By rank plus one: margins below and above.
    rank: [Bitboard; 18],
    /// By file plus one.
    file: [Bitboard; 18],
    above: [Bitboard; 16],
    below: [Bitboard; 16],
    /// Both diagonals through a square.
    diagonals: [[Bitboard; 2]; SQUARES],
    skirts: [Skirts; SQUARES],
}

static MASKS: Masks = masks();

/// The squares on the line of slope `slope` (1 or -1) through a square that may lie off the board.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "coordinates below 12")]
const fn diagonal_through(x: i32, y: i32, slope: i32) -> Bitboard {
    let mut line = Bitboard::EMPTY;
    let mut file = 0;
    while file < 12 {
        let rank = y + slope * (file - x);
        if rank >= 0 && rank < 12 {
            line.insert(Square::new(file as u8, rank as u8));
        }
        file += 1;
    }
    line
}

/// A set without the square at coordinates that may lie off the board.
#[expect(clippy::cast_sign_loss, reason = "checked to be on the board")]
const fn strike(mut set: Bitboard, x: i32, y: i32) -> Bitboard {
    if x >= 0 && x < 12 && y >= 0 && y < 12 {
        set.0[y as usize >> 2] &= !(1 << ((y & 3) * 16 + x));
    }
    set
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "coordinates below 12")]
const fn masks() -> Masks {
    const NONE: Bitboard = Bitboard::EMPTY;
    let mut m = Masks {
        rank: [NONE; 18],
        file: [NONE; 18],
        above: [NONE; 16],
        below: [NONE; 16],
        diagonals: [[NONE; 2]; SQUARES],
        skirts: [[NONE; 4]; SQUARES],
    };
    let mut i = 0;
    while i < 144 {
        let (x, y) = (i % 12, i / 12);
        let square = Square::new(x as u8, y as u8);
        m.rank[y as usize + 1].insert(square);
        m.file[x as usize + 1].insert(square);
        let mut other = 0;
        while other < 12 {
            if y > other {
                m.above[other as usize].insert(square);
            }
            if y < other {
                m.below[other as usize].insert(square);
            }
            other += 1;
        }
        m.diagonals[square.index()] = [diagonal_through(x, y, 1), diagonal_through(x, y, -1)];
        m.skirts[square.index()] = [
            strike(strike(diagonal_through(x, y + 1, 1), x, y + 1), x - 1, y),
            strike(strike(diagonal_through(x, y - 1, 1), x, y - 1), x + 1, y),
            strike(strike(diagonal_through(x, y + 1, -1), x, y + 1), x + 1, y),
            strike(strike(diagonal_through(x, y - 1, -1), x, y - 1), x - 1, y),
        ];
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
fn splat(lane: u64) -> Bitboard {
    Bitboard([lane * LANES; 4])
}

/// The squares attacked from a place on a line of which the inner ten squares are occupied so.
#[inline]
fn look_up(at: u8, inner: u64) -> u64 {
    u64::from(LINE[usize::from(at & 15)][(inner & 0x3FF) as usize])
}

/// A rank as a line, in the low bits.
#[inline]
fn lane(rank: u8, set: Bitboard) -> u64 {
    // Beyond the board this is a lane that is never occupied.
    set.0[usize::from(rank >> 2 & 3)] >> ((rank & 3) * 16)
}

/// Attacks along the rank `beside` (-1, 0 or 1) ranks away from the square, as from there.
#[inline]
fn rank_attacks(square: Square, beside: i8, occupied: Bitboard) -> Bitboard {
    let rank = square.rank().wrapping_add_signed(beside);
    let attacked = look_up(square.file(), lane(rank, occupied) >> 1);
    splat(attacked) & MASKS.rank[usize::from(rank.wrapping_add(1) & 15)]
}

#[inline]
fn rank_size(square: Square, beside: i8, occupied: Bitboard, allowed: Bitboard) -> u32 {
    let rank = square.rank().wrapping_add_signed(beside);
    (look_up(square.file(), lane(rank, occupied) >> 1) & lane(rank, allowed)).count_ones()
}

// A file is brought into one word, the squares of each word beside those of the others: bits 0, 16, 32, 48, four more
// and eight more. One multiplication takes them to bits 48 to 59, another from bits 0 to 11 back.
const GATHER: u64 = 1 << 48 | 1 << 33 | 1 << 18 | 1 << 3;
const SPREAD: u64 = 1 | 1 << 15 | 1 << 30 | 1 << 45;

#[inline]
fn file_mask(file: u8) -> Bitboard {
    MASKS.file[usize::from(file.wrapping_add(1) & 15)]
}

#[inline]
fn gather(file: u8, set: Bitboard) -> u64 {
    let on = set & file_mask(file);
    let shift = file & 15;
    on.0[0] >> shift | (on.0[1] >> shift) << 4 | (on.0[2] >> shift) << 8
}

/// Attacks along the file `beside` (-1, 0 or 1) files away from the square, as from there.
#[inline]
fn file_attacks(square: Square, beside: i8, occupied: Bitboard) -> Bitboard {
    let file = square.file().wrapping_add_signed(beside);
    let inner = gather(file, occupied).wrapping_mul(GATHER) >> 49;
    let attacked = look_up(square.rank(), inner) * SPREAD;
    Bitboard([attacked, attacked >> 4, attacked >> 8, 0].map(|word| word << (file & 15))) & file_mask(file)
}

/// Without the squares of `skipped`, a set of ranks.
#[inline]
fn file_size(square: Square, beside: i8, skipped: u64, occupied: Bitboard, allowed: Bitboard) -> u32 {
    let file = square.file().wrapping_add_signed(beside);
    let inner = gather(file, occupied).wrapping_mul(GATHER) >> 49;
    let attacked = look_up(square.rank(), inner) & !skipped;
    ((attacked * SPREAD) & gather(file, allowed)).count_ones()
}

/// A diagonal as a line, by file, in bits 48 to 59.
#[inline]
fn fold(line: Bitboard, set: Bitboard) -> u64 {
    (set & line).together().wrapping_mul(LANES)
}

/// Attacks along diagonals from the square's file: `line` holds at most one square of each.
#[inline]
fn folded(line: Bitboard, file: u8, occupied: Bitboard) -> Bitboard {
    splat(look_up(file, fold(line, occupied) >> 49)) & line
}

#[inline]
fn folded_size(line: Bitboard, file: u8, occupied: Bitboard, allowed: Bitboard) -> u32 {
    (look_up(file, fold(line, occupied) >> 49) & (fold(line, allowed) >> 48)).count_ones()
}

/// Rook lines from a square: up to and with the first occupied square each way.
#[inline]
pub(super) fn orthogonal(square: Square, occupied: Bitboard) -> Bitboard {
    rank_attacks(square, 0, occupied) | file_attacks(square, 0, occupied)
}

/// Bishop lines from a square.
#[inline]
pub(super) fn diagonal(square: Square, occupied: Bitboard) -> Bitboard {
    let [rising, falling] = MASKS.diagonals[square.index()];
    folded(rising, square.file(), occupied) | folded(falling, square.file(), occupied)
}

/// The paths of `t[FR]`: along the ranks above and below starting beside the square above or below, and along the
/// files to both sides likewise.
#[inline]
pub(super) fn aanca(square: Square, occupied: Bitboard) -> Bitboard {
    rank_attacks(square, -1, occupied)
        | rank_attacks(square, 1, occupied)
        | file_attacks(square, -1, occupied)
        | file_attacks(square, 1, occupied)
}

/// The paths of `t[NB]`: half-diagonals away from the four orthogonal neighbours. Two of the eight lie on each of
/// four lines.
#[inline]
pub(super) fn rhino(square: Square, occupied: Bitboard) -> Bitboard {
    let [a, b, c, d] = MASKS.skirts[square.index()];
    let file = square.file();
    folded(a, file, occupied)
        | folded(b, file, occupied)
        | folded(c, file, occupied)
        | folded(d, file, occupied)
}

/// Number of squares of `allowed` in [`orthogonal`], counted line by line.
#[inline]
pub(super) fn orthogonal_size(square: Square, occupied: Bitboard, allowed: Bitboard) -> u32 {
    rank_size(square, 0, occupied, allowed) + file_size(square, 0, 0, occupied, allowed)
}

/// Number of squares of `allowed` in [`diagonal`].
#[inline]
pub(super) fn diagonal_size(square: Square, occupied: Bitboard, allowed: Bitboard) -> u32 {
    let size = |line: &Bitboard| folded_size(*line, square.file(), occupied, allowed);
    MASKS.diagonals[square.index()].iter().map(size).sum()
}

/// Number of squares of `allowed` in [`aanca`]: the squares diagonally next lie on a rank and
/// a file.
#[inline]
pub(super) fn aanca_size(square: Square, occupied: Bitboard, allowed: Bitboard) -> u32 {
    let counted = 0b101 << square.rank() >> 1;
    rank_size(square, -1, occupied, allowed)
        + rank_size(square, 1, occupied, allowed)
        + file_size(square, -1, counted, occupied, allowed)
        + file_size(square, 1, counted, occupied, allowed)
}

/// Number of squares of `allowed` in [`rhino`].
#[inline]
pub(super) fn rhino_size(square: Square, occupied: Bitboard, allowed: Bitboard) -> u32 {
    let size = |line: &Bitboard| folded_size(*line, square.file(), occupied, allowed);
    MASKS.skirts[square.index()].iter().map(size).sum()
}
