use super::Evaluator;
use super::pawns::ahead;
use super::sight::{EvalMemory, Sight};
use crate::board::Board;
use crate::rules::Reading;
use crate::types::{Bitboard, Color, Kind, MAX_KINDS, Piece};

/// The squares that each side attacks, those with men of its own included: they are defended.
pub struct Attacked {
    by: [Bitboard; 2],
    cheaper: [Bitboard; MAX_KINDS],
}

impl Attacked {
    /// The squares that men of a colour attack.
    #[inline]
    #[must_use]
    pub fn by(&self, color: Color) -> Bitboard {
        self.by[color.index()]
    }

    /// The squares where a man of this kind, of the side to move, could be taken by one that is worth less.
    #[inline]
    #[must_use]
    pub fn by_cheaper(&self, kind: Kind) -> Bitboard {
        self.cheaper[kind.index()]
    }
}

impl Evaluator {
    /// Finds the squares that each side attacks. `memory` has only ever served this reading and these weights.
    #[must_use]
    pub fn attacked(&self, reading: &Reading, board: &Board, memory: &mut EvalMemory) -> Attacked {
        let tables = &reading.tables;
        let occupied = board.occupied();
        let mut attacked = Attacked { by: [Bitboard::EMPTY; 2], cheaper: [Bitboard::EMPTY; MAX_KINDS] };
        let (mut cheaper, mut worth) = (Bitboard::EMPTY, None);
        for &kind in self.cheap_first() {
            // Kinds of the same worth are not cheaper than one another.
            let value = self.piece_values()[kind.index()];
            if worth.replace(value) != Some(value) {
                cheaper = attacked.by(!board.side());
            }
            attacked.cheaper[kind.index()] = cheaper;
            let table = tables.kind(kind);
            for color in Color::ALL {
                let men = board.pieces(color, kind);
                let by = &mut attacked.by[color.index()];
                if table.pawn && tables.plain_pawn.is_some() {
                    *by |= ahead(men.left() | men.right(), color) & tables.board;
                    continue;
                }
                let (mover, piece) = (&table.movers[color.index()], Piece::new(color, kind));
                for square in men {
                    *by |= memory.of(mover, piece, square, occupied)[1];
                }
            }
        }
        attacked
    }
}
