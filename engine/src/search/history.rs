use crate::types::{Bitboard, Color, MAX_PLY, Move, Piece, Score, Square};

/// Largest size of an entry.
pub(super) const LIMIT: i32 = 8_192;
/// Squares by rank and file, without the lanes that never occur.
const SPOTS: usize = 144;
/// Slots of the corrections, by side.
const CORRECTIONS: usize = 8_192;
/// Corrections are kept in these parts of a centipawn.
const GRAIN: i32 = 256;
/// Largest correction, in centipawns.
const MOST: i32 = 100;

/// Which moves have cut before: quiet ones by man and square, also as replies to the last two moves; captures by man,
/// square and victim. And how far the evaluation was from what searches found, by pawns.
///
/// Black's moves are seen from Black's side of the board where the other moves of the line count too, so that both
/// colours learn from each other.
pub(super) struct History {
    /// For each compiled kind the kind it counts as: a twin that has not moved learns with the others.
    defs: Vec<u8>,
    kinds: usize,
    ranks: u8,
    quiet: Vec<i16>,
    capture: Vec<i16>,
    /// For the move before and the one before that: a row for each man and square.
    replies: [Vec<i16>; 2],
    killers: Vec<[Move; 2]>,
    corrections: Vec<i32>,
}

/// The rows of a node, and who is to move.
#[derive(Clone, Copy)]
pub(super) struct Context {
    side: Color,
    rows: [Option<usize>; 2],
}

/// How well the quiet moves of one man have done, by square of arrival.
pub(super) struct QuietRow<'a> {
    history: &'a History,
    side: Color,
    rows: [&'a [i16; SPOTS]; 3],
}

impl QuietRow<'_> {
    /// As [`History::quiet`].
    #[inline]
    pub(super) fn score(&self, to: Square) -> i32 {
        let place = self.history.place(self.side, to);
        self.rows.iter().map(|row| i32::from(row[place])).sum()
    }
}

impl History {
    pub(super) fn new() -> History {
        History {
            defs: Vec::new(),
            kinds: 0,
            ranks: 0,
            quiet: Vec::new(),
            capture: Vec::new(),
            replies: [Vec::new(), Vec::new()],
            killers: vec![[Move::NONE; 2]; MAX_PLY + 1],
            corrections: vec![0; 2 * CORRECTIONS],
        }
    }

    /// Makes room for a reading with so many ranks, whose compiled kinds count as the kinds of `defs`, all below
    /// `kinds`; forgets everything if that is another one.
    pub(super) fn fit(&mut self, defs: impl Iterator<Item = u8> + Clone, kinds: usize, ranks: u8) {
        if self.ranks != ranks || self.kinds != kinds || !self.defs.iter().copied().eq(defs.clone()) {
            (self.defs, self.kinds, self.ranks) = (defs.collect(), kinds, ranks);
            self.clear();
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        let row = self.kinds * SPOTS;
        self.quiet = vec![0; 2 * row];
        self.capture = vec![0; row * self.kinds];
        for table in &mut self.replies {
            // Fresh memory is clear, and is not touched before it is used; the old one goes first.
            *table = Vec::new();
            *table = vec![0; row * row];
        }
        self.killers.fill([Move::NONE; 2]);
        self.corrections.fill(0);
    }

    /// Halves what older searches found, and forgets their killers.
    pub(super) fn age(&mut self) {
        self.quiet.iter_mut().for_each(|value| *value /= 2);
        self.killers.fill([Move::NONE; 2]);
    }

    #[inline]
    fn def(&self, piece: Piece) -> usize {
        usize::from(self.defs[piece.kind().index()])
    }

    #[inline]
    fn place(&self, view: Color, to: Square) -> usize {
        let rank = if view == Color::White { to.rank() } else { self.ranks - 1 - to.rank() };
        usize::from(rank) * 12 + usize::from(to.file())
    }

    #[inline]
    fn spot(&self, view: Color, piece: Piece, to: Square) -> usize {
        self.def(piece) * SPOTS + self.place(view, to)
    }

    /// What moves of `side` are replies to: the last move and the one before it.
    #[inline]
    pub(super) fn context(&self, side: Color, before: [Option<(Piece, Move)>; 2]) -> Context {
        let row = |(piece, mv): (Piece, Move)| self.spot(side, piece, mv.to()) * self.kinds * SPOTS;
        Context { side, rows: before.map(|moved| moved.map(row)) }
    }

    #[inline]
    fn quiet_index(&self, side: Color, spot: usize) -> usize {
        side.index() * self.kinds * SPOTS + spot
    }

    /// What is known of the quiet moves of a man of this node.
    #[inline]
    pub(super) fn quiet_row(&self, context: Context, piece: Piece) -> QuietRow<'_> {
        let man = self.def(piece) * SPOTS;
        let replies = |table: usize| {
            let row = context.rows[table].map(|row| &self.replies[table][row + man..]);
            row.and_then(|row| row.first_chunk()).unwrap_or(&[0; SPOTS])
        };
        let own = self.quiet[self.quiet_index(context.side, man)..].first_chunk().unwrap_or(&[0; SPOTS]);
        QuietRow { history: self, side: context.side, rows: [own, replies(0), replies(1)] }
    }

    /// How well a quiet move has done: between ±3 [`LIMIT`].
    #[inline]
    pub(super) fn quiet(&self, context: Context, piece: Piece, mv: Move) -> i32 {
        self.quiet_row(context, piece).score(mv.to())
    }

    #[inline]
    fn capture_index(&self, context: Context, piece: Piece, mv: Move, victim: usize) -> usize {
        self.spot(context.side, piece, mv.to()) * self.kinds + victim
    }

    /// How well a capture has done: between ±[`LIMIT`]. A promotion without a capture has the royal kind as victim.
    #[inline]
    pub(super) fn capture(&self, context: Context, piece: Piece, mv: Move, victim: Option<Piece>) -> i32 {
        let victim = victim.map_or(0, |victim| self.def(victim));
        i32::from(self.capture[self.capture_index(context, piece, mv, victim)])
    }

    #[inline]
    pub(super) fn killers(&self, ply: usize) -> [Move; 2] {
        self.killers[ply]
    }

    /// Rewards or, with a negative bonus, blames a quiet move.
    pub(super) fn add_quiet(&mut self, context: Context, piece: Piece, mv: Move, bonus: i32) {
        let spot = self.spot(context.side, piece, mv.to());
        let index = self.quiet_index(context.side, spot);
        gravitate(&mut self.quiet[index], bonus);
        for (table, row) in self.replies.iter_mut().zip(context.rows) {
            if let Some(row) = row {
                gravitate(&mut table[row + spot], bonus);
            }
        }
    }

    /// Rewards or blames a capture.
    pub(super) fn add_capture(
        &mut self,
        context: Context,
        piece: Piece,
        mv: Move,
        victim: Option<Piece>,
        bonus: i32,
    ) {
        let victim = victim.map_or(0, |victim| self.def(victim));
        let index = self.capture_index(context, piece, mv, victim);
        gravitate(&mut self.capture[index], bonus);
    }

    /// Remembers a quiet move that cut at this ply.
    pub(super) fn add_killer(&mut self, ply: usize, mv: Move) {
        let killers = &mut self.killers[ply];
        if killers[0] != mv {
            killers[1] = killers[0];
            killers[0] = mv;
        }
    }

    #[inline]
    fn correction_index(side: Color, pawns: [Bitboard; 2]) -> usize {
        let mut key = 0u64;
        for word in pawns[0].words().into_iter().chain(pawns[1].words()) {
            key = (key.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        let slot = (key >> 40) as usize % CORRECTIONS;
        side.index() * CORRECTIONS + slot
    }

    /// What to add to the evaluation of a position with these pawns of White and Black.
    #[inline]
    pub(super) fn correction(&self, side: Color, pawns: [Bitboard; 2]) -> Score {
        self.corrections[History::correction_index(side, pawns)] / GRAIN
    }

    /// Learns that a search of this depth found `error` more than the evaluation.
    pub(super) fn correct(&mut self, side: Color, pawns: [Bitboard; 2], error: Score, depth: i32) {
        let entry = &mut self.corrections[History::correction_index(side, pawns)];
        let weight = (depth + 1).min(16);
        let target = error.clamp(-4 * MOST, 4 * MOST) * GRAIN;
        *entry += (target - *entry) * weight / 256;
        *entry = (*entry).clamp(-MOST * GRAIN, MOST * GRAIN);
    }
}

/// Moves an entry by `bonus`, the less the nearer it is to its limit.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the update keeps values within ±LIMIT")]
fn gravitate(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / LIMIT) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Kind;

    #[test]
    fn rewards_stay_within_their_limits_and_colours_learn_from_each_other() {
        let mut history = History::new();
        history.fit(0..3, 3, 12);
        let piece = |color| Piece::new(color, Kind::new(1));
        let white = Move::new(Square::new(2, 3), Square::new(4, 5));
        let black = Move::new(Square::new(2, 8), Square::new(4, 6));
        let before = Some((piece(Color::Black), black));
        let context = history.context(Color::White, [before, None]);
        for _ in 0..1_000 {
            history.add_quiet(context, piece(Color::White), white, 1_500);
        }
        let learnt = history.quiet(context, piece(Color::White), white);
        assert!(learnt > LIMIT && learnt <= 2 * LIMIT, "{learnt}");
        // The mirror image shares the replies, not the colour's own table.
        let before = Some((piece(Color::White), white));
        let mirrored = history.context(Color::Black, [before, None]);
        let shared = history.quiet(mirrored, piece(Color::Black), black);
        assert!(shared > 0 && shared <= LIMIT, "{shared}");
        history.add_capture(context, piece(Color::White), white, before.map(|moved| moved.0), -3_000);
        assert!(history.capture(context, piece(Color::White), white, Some(piece(Color::Black))) < 0);
        assert_eq!(history.capture(context, piece(Color::White), white, None), 0);
        history.fit(0..3, 3, 8);
        assert_eq!(history.quiet(context, piece(Color::White), white), 0);
    }

    #[test]
    fn corrections_tend_to_the_error_and_are_bounded() {
        let mut history = History::new();
        let pawns = [Bitboard::of(Square::new(3, 3)), Bitboard::EMPTY];
        for _ in 0..500 {
            history.correct(Color::White, pawns, 40, 6);
            history.correct(Color::Black, pawns, -9_000, 6);
        }
        assert!((38..=40).contains(&history.correction(Color::White, pawns)));
        assert_eq!(history.correction(Color::Black, pawns), -MOST);
        assert_eq!(history.correction(Color::White, [Bitboard::EMPTY; 2]), 0);
    }
}
