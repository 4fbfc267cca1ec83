use std::sync::Arc;

use super::fen::{FenError, FenWriter};
use super::outcome::{Outcome, Reason, board_outcome};
use crate::board::{Board, Undo};
use crate::movegen::MoveGen;
use crate::rules::Reading;
use crate::types::{Kind, Move, Piece, Square};

/// A legal position of a reading, with the moves that led to it.
#[derive(Clone, Debug)]
pub struct Position {
    reading: Arc<Reading>,
    board: Board,
    played: Vec<(Move, Undo)>,
    /// Hash of every position so far, the present one last.
    hashes: Vec<u64>,
}

/// Why a move was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is no move at all.
    #[error("found {0:?}, expected a move such as a4a5, or a11a12r for a promotion")]
    Syntax(String),
    /// The text names a move that the rules do not allow here.
    #[error("{text} is not legal here: {why}; `acedrex moves` lists the legal moves")]
    Illegal {
        /// The move as it was given.
        text: String,
        /// What forbids it.
        why: String,
    },
}

impl Position {
    /// The start of a game.
    #[must_use]
    pub fn start(reading: &Arc<Reading>) -> Position {
        let tables = &reading.tables;
        let mut board = Board::empty(tables);
        for &(square, color, def) in &reading.rules.start {
            #[expect(clippy::cast_possible_truncation, reason = "at most sixteen kinds")]
            let moved = Kind::new(def as u8);
            let kind = tables.unmoved_twin(moved).unwrap_or(moved);
            board.put(tables, Piece::new(color, kind), square);
        }
        Position::from_board(reading, board)
    }

    /// Reads a FEN with three, five or six fields.
    ///
    /// # Errors
    /// Every problem of the text, and of the position that it names, at once.
    pub fn from_fen(reading: &Arc<Reading>, fen: &str) -> Result<Position, FenError> {
        super::fen::parse(reading, fen).map(|board| Position::from_board(reading, board))
    }

    pub(super) fn from_board(reading: &Arc<Reading>, board: Board) -> Position {
        let hashes = vec![board.hash()];
        Position { reading: Arc::clone(reading), board, played: Vec::new(), hashes }
    }

    /// The five-field FEN.
    #[must_use]
    pub fn fen(&self) -> String {
        FenWriter::new().fen(self).to_owned()
    }

    /// The FEN's first three fields: placement, side to move, first-move rights.
    #[must_use]
    pub fn epd(&self) -> String {
        FenWriter::new().epd(self).to_owned()
    }

    /// The rules it is played by.
    #[must_use]
    pub fn reading(&self) -> &Arc<Reading> {
        &self.reading
    }

    /// Where the men stand.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The moves played since the position was set up, oldest first.
    pub fn played(&self) -> impl ExactSizeIterator<Item = Move> + '_ {
        self.played.iter().map(|(mv, _)| *mv)
    }

    /// Hashes of all positions since the set-up one, the present one last.
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Checks, pins and legal moves.
    #[must_use]
    pub fn generator(&self) -> MoveGen<'_> {
        MoveGen::new(&self.reading.tables, &self.board)
    }

    /// All legal moves; end rules are ignored.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<Move> {
        self.generator().moves()
    }

    /// The legal moves of the kind that a face of the die (1 to 8) calls.
    #[must_use]
    pub fn dice_moves(&self, die: u8) -> Vec<Move> {
        let rules = &self.reading;
        let rolled =
            |mv: &Move| self.kind_moved(*mv).is_some_and(|def| rules.rules.kinds[def].pips == Some(die));
        self.legal_moves().into_iter().filter(rolled).collect()
    }

    fn kind_moved(&self, mv: Move) -> Option<usize> {
        Some(self.reading.tables.kind(self.board.piece_at(mv.from())?.kind()).def)
    }

    /// True if the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.generator().in_check()
    }

    /// Plays a legal move, or [`Move::NONE`] to pass.
    ///
    /// # Panics
    /// If no man stands on the square the move leaves.
    pub fn play(&mut self, mv: Move) {
        let undo = self.board.make(&self.reading.tables, mv);
        self.played.push((mv, undo));
        self.hashes.push(self.board.hash());
    }

    /// Takes the last move back: false if none has been played.
    pub fn undo(&mut self) -> bool {
        let Some((mv, undo)) = self.played.pop() else { return false };
        self.board.unmake(&self.reading.tables, mv, undo);
        self.hashes.pop();
        true
    }

    /// Reads a move in coordinates and checks that it is legal. A promotion letter may be left out.
    ///
    /// # Errors
    /// If the text is no move, or the move is not legal.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax(text.chars().take(40).collect());
        let (from, used) = Square::parse_prefix(text).ok_or_else(syntax)?;
        let (to, more) = Square::parse_prefix(&text[used..]).ok_or_else(syntax)?;
        let letter = &text[used + more..];
        if letter.chars().count() > 1 || !letter.chars().all(|c| c.is_ascii_alphabetic()) {
            return Err(syntax());
        }
        let mv = Move::new(from, to);
        let illegal = |why: String| MoveError::Illegal { text: text.to_owned(), why };
        self.check_legal(mv).map_err(illegal)?;
        let wanted = self.promotion_letter(mv);
        match letter.chars().next() {
            Some(found) if Some(found.to_ascii_lowercase()) != wanted => Err(illegal(match wanted {
                Some(wanted) => format!("a pawn that arrives on this file becomes {wanted:?}, not {found:?}"),
                None => format!("it is no promotion, so the letter {found:?} has no meaning"),
            })),
            _ => Ok(mv),
        }
    }

    fn check_legal(&self, mv: Move) -> Result<(), String> {
        let tables = &self.reading.tables;
        for square in [mv.from(), mv.to()] {
            if !tables.board.has(square) {
                return Err(format!("{square} is outside the board of {} x {}", tables.files, tables.ranks));
            }
        }
        let side = self.board.side();
        let Some(piece) = self.board.piece_at(mv.from()) else {
            return Err(format!("no man stands on {}", mv.from()));
        };
        if piece.color() != side {
            return Err(format!("{side} is to move, and the man on {} is {}", mv.from(), piece.color()));
        }
        let moves = self.generator();
        if moves.is_legal(mv) {
            return Ok(());
        }
        let kind = &self.reading.rules.kinds[tables.kind(piece.kind()).def];
        let mover = tables.mover(piece.kind(), side);
        let enemy = self.board.men(!side);
        let open = tables.board & !self.board.men(side);
        let reaches = mover.destinations(mv.from(), self.board.occupied(), enemy, open).has(mv.to());
        Err(match (reaches, moves.in_check()) {
            (false, _) => format!("the {} on {} does not go to {}", kind.name, mv.from(), mv.to()),
            (true, true) => format!("{side} is in check, and this does not answer it"),
            (true, false) => "it leaves the king attacked or breaks the rule of the king's leap".to_owned(),
        })
    }

    /// The small letter of the piece that a promotion gives, if the move is one.
    fn promotion_letter(&self, mv: Move) -> Option<char> {
        let tables = &self.reading.tables;
        let piece = self.board.piece_at(mv.from())?;
        let promotes = tables.kind(piece.kind()).pawn
            && mv.to().rank() == tables.last_rank[piece.color().index()]
            && !mv.is_none();
        let becomes = tables.promotion[mv.to().file() as usize];
        promotes.then(|| self.reading.rules.kinds[tables.kind(becomes).def].letter.to_ascii_lowercase())
    }

    /// A legal move as text: coordinates, and the promotion letter where there is one.
    #[must_use]
    pub fn format_move(&self, mv: Move) -> String {
        let mut text = String::new();
        self.write_move(mv, &mut text);
        text
    }

    /// Appends to `text` what [`Position::format_move`] returns.
    pub fn write_move(&self, mv: Move, text: &mut String) {
        if mv.is_none() {
            return text.push_str("pass");
        }
        for square in [mv.from(), mv.to()] {
            text.push(char::from(b'a' + square.file()));
            if square.rank() > 8 {
                text.push('1');
            }
            text.push(char::from(b'0' + (square.rank() + 1) % 10));
        }
        text.extend(self.promotion_letter(mv));
    }

    /// How often the present position has occurred, itself counted.
    #[must_use]
    pub fn occurrences(&self) -> u32 {
        let present = self.board.hash();
        let back = usize::from(self.board.halfmove()) + 1;
        let recent = self.hashes.iter().rev().take(back).filter(|&&hash| hash == present);
        u32::try_from(recent.count()).unwrap_or(u32::MAX)
    }

    /// How the game stands, by every end rule of the reading.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let moves = self.generator();
        let outcome = board_outcome(&self.reading, &self.board, &moves, moves.any());
        let limit = self.reading.rules.end.repetition;
        if outcome == Outcome::Ongoing && limit > 0 && self.occurrences() >= limit {
            return Outcome::Draw(Reason::Repetition);
        }
        outcome
    }

    /// The board as text, White below, with file letters and rank numbers.
    #[must_use]
    pub fn diagram(&self) -> String {
        let (files, ranks) = (self.reading.tables.files, self.reading.tables.ranks);
        let mut text = String::new();
        for rank in (0..ranks).rev() {
            text.push_str(&format!("{:>2} ", rank + 1));
            for file in 0..files {
                let letter = self.board.piece_at(Square::new(file, rank));
                text.push(' ');
                text.push(letter.map_or('.', |piece| char::from(self.reading.letter(piece))));
            }
            text.push('\n');
        }
        text.push_str("   ");
        for file in 0..files {
            text.push(' ');
            text.push(char::from(b'a' + file));
        }
        text.push('\n');
        text
    }
}
