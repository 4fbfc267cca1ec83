use super::Evaluator;
use super::pawns::ahead;
use super::sight::{EvalMemory, Sight};
use crate::board::Board;
use crate::rules::Reading;
use crate::types::{Bitboard, Color, Kind, MAX_KINDS, Piece};

/// The squares that both sides attack, men of their own included: what stands there is defended.
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

    /// The squares where a man of this kind, of the side to move, could be taken by a cheaper one.
    #[inline]
    #[must_use]
    pub fn by_cheaper(&self, kind: Kind) -> Bitboard {
        self.cheaper[kind.index()]
    }
}

impl Evaluator {
    /// Finds the squares that both sides attack. `memory` has only ever served this reading and these weights.
    #[must_use]
    pub fn attacked(&self, reading: &Reading, board: &Board, memory: &mut EvalMemory) -> Attacked {
        let tables = &reading.tables;
        let occupied = board.occupied();
        let mut attacked = Attacked { by: [Bitboard::EMPTY; 2], cheaper: [Bitboard::EMPTY; MAX_KINDS] };
        for &kind in self.cheap_first() {
            attacked.cheaper[kind.index()] = attacked.by[(!board.side()).index()];
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
