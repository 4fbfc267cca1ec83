//! Keys of the position hash: fixed pseudo-random numbers, the same in every build.

use crate::types::{Piece, SQUARES, Square};

const fn split_mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

static PIECES: [[u64; SQUARES]; Piece::COUNT] = {
    let mut keys = [[0; SQUARES]; Piece::COUNT];
    let mut i = 0;
    while i < Piece::COUNT * SQUARES {
        keys[i / SQUARES][i % SQUARES] = split_mix(i as u64 + 1);
        i += 1;
    }
    keys
};

/// Differs between White and Black to move.
pub(super) const SIDE: u64 = split_mix(u64::MAX / 3);

#[inline]
pub(super) fn key(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index()][square.index()]
}
