use crate::types::{MAX_PLY, Move, Piece, SQUARES};

const LIMIT: i32 = 8_192;

/// Which quiet moves have cut before: by man and square, by ply, and as replies.
pub(super) struct History {
    quiet: Vec<[i16; SQUARES]>,
    killers: Vec<[Move; 2]>,
    replies: Vec<[Move; SQUARES]>,
}

impl History {
    pub(super) fn new() -> History {
        History {
            quiet: vec![[0; SQUARES]; Piece::COUNT],
            killers: vec![[Move::NONE; 2]; MAX_PLY + 1],
            replies: vec![[Move::NONE; SQUARES]; Piece::COUNT],
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.quiet.fill([0; SQUARES]);
        self.killers.fill([Move::NONE; 2]);
        self.replies.fill([Move::NONE; SQUARES]);
    }

    /// Halves what older searches found, and forgets their killers.
    pub(super) fn age(&mut self) {
        for row in &mut self.quiet {
            for value in row {
                *value /= 2;
            }
        }
        self.killers.fill([Move::NONE; 2]);
    }

    #[inline]
    pub(super) fn score(&self, piece: Piece, mv: Move) -> i32 {
        i32::from(self.quiet[piece.index()][mv.to().index()])
    }

    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Move; 2] {
        self.killers[ply]
    }

    #[inline]
    pub(super) fn reply(&self, to: Option<(Piece, Move)>) -> Move {
        to.map_or(Move::NONE, |(piece, mv)| self.replies[piece.index()][mv.to().index()])
    }

    #[expect(clippy::cast_possible_truncation, reason = "the update keeps values within ±8192")]
    fn add(&mut self, piece: Piece, mv: Move, bonus: i32) {
        let value = &mut self.quiet[piece.index()][mv.to().index()];
        let old = i32::from(*value);
        *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
    }

    /// Remembers a quiet move that cut, and the quiet moves tried before it that did not.
    pub(super) fn reward(
        &mut self,
        ply: usize,
        last: Option<(Piece, Move)>,
        best: (Piece, Move),
        tried: &[(Piece, Move)],
        depth: i32,
    ) {
        let bonus = (16 * depth * depth + 32 * depth).min(1_600);
        self.add(best.0, best.1, bonus);
        for &(piece, mv) in tried {
            self.add(piece, mv, -bonus);
        }
        let killers = &mut self.killers[ply];
        if killers[0] != best.1 {
            killers[1] = killers[0];
            killers[0] = best.1;
        }
        if let Some((piece, mv)) = last {
            self.replies[piece.index()][mv.to().index()] = best.1;
        }
    }
}
