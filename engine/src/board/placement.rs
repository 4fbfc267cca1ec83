use super::zobrist;
use crate::rules::Tables;
use crate::types::{Bitboard, Color, Kind, Move, Piece, Square};

/// Where the men stand, who moves, and the two counters. First-move rights are part of the men's kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    by_piece: [Bitboard; Piece::COUNT],
    by_color: [Bitboard; 2],
    /// [`Piece::byte`] or 0, by [`Square::byte`]: any byte is an index.
    mailbox: [u8; 256],
    kind_count: u8,
    side: Color,
    halfmove: u16,
    fullmove: u32,
    hash: u64,
    royal: [Square; 2],
}

/// What [`Board::unmake`] needs to take a move back.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    moved: Piece,
    /// The man that was captured, if any.
    pub captured: Option<Piece>,
    halfmove: u16,
    hash: u64,
}

impl Board {
    /// An empty board, White to move, for a ruleset's tables.
    #[must_use]
    pub fn empty(tables: &Tables) -> Board {
        #[expect(clippy::cast_possible_truncation, reason = "at most 32 kinds")]
        let kind_count = tables.kinds.len() as u8;
        Board {
            by_piece: [Bitboard::EMPTY; Piece::COUNT],
            by_color: [Bitboard::EMPTY; 2],
            mailbox: [0; 256],
            kind_count,
            side: Color::White,
            halfmove: 0,
            fullmove: 1,
            hash: 0,
            royal: [Square::new(0, 0); 2],
        }
    }

    /// The man on a square.
    #[inline]
    #[must_use]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Piece::from_byte(self.mailbox[square.index()])
    }

    /// The men of a rank, a byte for each file from a, which [`Piece::from_byte`] reads; files beyond the board are 0.
    #[inline]
    pub(crate) fn rank(&self, rank: u8) -> [u8; 16] {
        self.mailbox.as_chunks().0[usize::from(rank)]
    }

    /// The squares of one colour's men of one kind.
    #[inline]
    #[must_use]
    pub fn pieces(&self, color: Color, kind: Kind) -> Bitboard {
        self.by_piece[Piece::new(color, kind).index()]
    }

    /// The squares of one colour's men by kind: as many sets as the ruleset has compiled kinds.
    #[inline]
    #[must_use]
    pub fn sets(&self, color: Color) -> &[Bitboard] {
        &self.by_piece[Piece::new(color, Kind::new(0)).index()..][..usize::from(self.kind_count)]
    }

    /// The squares of both colours' men of one kind.
    #[inline]
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> Bitboard {
        self.pieces(Color::White, kind) | self.pieces(Color::Black, kind)
    }

    /// The squares of all men of a colour.
    #[inline]
    #[must_use]
    pub fn men(&self, color: Color) -> Bitboard {
        self.by_color[color.index()]
    }

    /// All occupied squares.
    #[inline]
    #[must_use]
    pub fn occupied(&self) -> Bitboard {
        self.by_color[0] | self.by_color[1]
    }

    /// The square of a colour's royal piece.
    #[inline]
    #[must_use]
    pub fn royal(&self, color: Color) -> Square {
        self.royal[color.index()]
    }

    /// The side to move.
    #[inline]
    #[must_use]
    pub fn side(&self) -> Color {
        self.side
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    #[must_use]
    pub fn halfmove(&self) -> u16 {
        self.halfmove
    }

    /// Number of the move, from 1, counted up after Black's.
    #[inline]
    #[must_use]
    pub fn fullmove(&self) -> u32 {
        self.fullmove
    }

    /// Hash of placement, side to move and first-move rights.
    #[inline]
    #[must_use]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// All compiled kinds of the ruleset, by index.
    #[inline]
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        (0..self.kind_count).map(Kind::new)
    }

    /// Sets side to move and counters: for building a position.
    pub fn set_state(&mut self, side: Color, halfmove: u16, fullmove: u32) {
        if side != self.side {
            self.hash ^= zobrist::SIDE;
        }
        (self.side, self.halfmove, self.fullmove) = (side, halfmove, fullmove);
    }

    /// Puts a man on an empty square: for building a position.
    ///
    /// # Panics
    /// In debug builds, if the square is occupied.
    pub fn put(&mut self, tables: &Tables, piece: Piece, square: Square) {
        debug_assert!(self.piece_at(square).is_none());
        self.add(piece, square);
        self.hash ^= zobrist::key(piece, square);
        if tables.kind(piece.kind()).royal {
            self.royal[piece.color().index()] = square;
        }
    }

    #[inline]
    fn add(&mut self, piece: Piece, square: Square) {
        let bit = Bitboard::of(square);
        self.by_piece[piece.index()] |= bit;
        self.by_color[piece.color().index()] |= bit;
        self.mailbox[square.index()] = piece.byte();
    }

    /// Plays a pseudo-legal move; [`Move::NONE`] passes.
    ///
    /// # Panics
    /// If no man stands on the square the move leaves.
    #[inline(always)]
    pub fn make(&mut self, tables: &Tables, mv: Move) -> Undo {
        if mv.is_none() {
            return self.pass();
        }
        let (from, to) = (mv.from(), mv.to());
        #[expect(clippy::expect_used, reason = "a move without a man is a bug of the caller")]
        let moved = self.piece_at(from).expect("a man on the square a move leaves");
        let captured = self.piece_at(to);
        let undo = Undo { moved, captured, halfmove: self.halfmove, hash: self.hash };
        let after = tables.after(moved.kind());
        let color = moved.color();
        let (left, reached) = (Bitboard::of(from), Bitboard::of(to));
        let mut hash = self.hash ^ zobrist::key(moved, from) ^ zobrist::SIDE;
        let mut halfmove = self.halfmove.saturating_add(1);
        if let Some(captured) = captured {
            self.by_piece[captured.index()] ^= reached;
            self.by_color[captured.color().index()] ^= reached;
            hash ^= zobrist::key(captured, to);
            halfmove = 0;
        }
        let mut kind = after.kind;
        if after.pawn {
            halfmove = 0;
            if to.rank() == tables.last_rank[color.index()] {
                kind = tables.promotion[to.file() as usize];
            }
        } else if after.royal {
            self.royal[color.index()] = to;
        }
        let placed = Piece::new(color, kind);
        self.by_piece[moved.index()] ^= left ^ reached;
        if placed != moved {
            self.by_piece[moved.index()] ^= reached;
            self.by_piece[placed.index()] ^= reached;
        }
        self.by_color[color.index()] ^= left ^ reached;
        self.mailbox[from.index()] = 0;
        self.mailbox[to.index()] = placed.byte();
        self.hash = hash ^ zobrist::key(placed, to);
        self.halfmove = halfmove;
        self.fullmove += u32::from(color == Color::Black);
        self.side = !color;
        undo
    }

    #[cold]
    fn pass(&mut self) -> Undo {
        let royal = Piece::new(self.side, Kind::new(0));
        let undo = Undo { moved: royal, captured: None, halfmove: self.halfmove, hash: self.hash };
        self.halfmove = self.halfmove.saturating_add(1);
        self.fullmove += u32::from(self.side == Color::Black);
        self.side = !self.side;
        self.hash ^= zobrist::SIDE;
        undo
    }

    /// Takes back the move that [`Board::make`] played last.
    #[inline(always)]
    pub fn unmake(&mut self, tables: &Tables, mv: Move, undo: Undo) {
        self.side = !self.side;
        self.fullmove -= u32::from(self.side == Color::Black);
        self.halfmove = undo.halfmove;
        self.hash = undo.hash;
        if mv.is_none() {
            return;
        }
        let (from, to) = (mv.from(), mv.to());
        let moved = undo.moved;
        let (left, reached) = (Bitboard::of(from), Bitboard::of(to));
        let placed = self.piece_at(to).unwrap_or(moved);
        self.by_piece[moved.index()] ^= left ^ reached;
        if placed != moved {
            self.by_piece[moved.index()] ^= reached;
            self.by_piece[placed.index()] ^= reached;
        }
        self.by_color[moved.color().index()] ^= left ^ reached;
        self.mailbox[from.index()] = moved.byte();
        self.mailbox[to.index()] = undo.captured.map_or(0, Piece::byte);
        if let Some(captured) = undo.captured {
            self.by_piece[captured.index()] ^= reached;
            self.by_color[captured.color().index()] ^= reached;
        }
        if tables.after(moved.kind()).royal {
            self.royal[moved.color().index()] = from;
        }
    }

    /// The hash counted afresh: equal to [`Board::hash`] unless there is a bug.
    #[must_use]
    pub fn hash_from_scratch(&self) -> u64 {
        let men = self.occupied().into_iter().filter_map(|s| Some(zobrist::key(self.piece_at(s)?, s)));
        let side = if self.side == Color::Black { zobrist::SIDE } else { 0 };
        men.fold(side, |hash, key| hash ^ key)
    }
}
