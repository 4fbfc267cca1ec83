use std::fmt;
use std::sync::Arc;

use super::position::Position;
use crate::board::Board;
use crate::movegen::is_attacked;
use crate::rules::Reading;
use crate::types::{Bitboard, Color, Kind, MAX_SIDE, Piece, Square};

/// Everything that is wrong with a FEN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenError {
    /// The problems, in reading order; never empty.
    pub problems: Vec<FenProblem>,
}

/// One thing that is wrong with a FEN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FenProblem {
    /// Where: the field, and within the placement the rank.
    pub place: String,
    /// What stands there.
    pub found: String,
    /// What should, and what to do.
    pub expected: String,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            let line = if i > 0 { "\n" } else { "" };
            write!(f, "{line}FEN {}: found {}, expected {}", problem.place, problem.found, problem.expected)?;
        }
        Ok(())
    }
}

impl std::error::Error for FenError {}

/// Writes FENs. For many positions of one reading: ranks and rights that look as they did in the position before, as most
/// do, are not put together again.
#[derive(Clone, Debug)]
pub struct FenWriter {
    ranks: [Rank; MAX_SIDE as usize],
    /// The squares of `rights_text`.
    rights: Bitboard,
    rights_text: Text<{ FenWriter::MOST_RIGHTS }>,
    text: Text<{ FenWriter::MOST }>,
}

/// A rank of the placement.
#[derive(Clone, Copy, Debug)]
struct Rank {
    /// [`Board::rank`], or bytes that no rank has.
    men: [u8; 16],
    text: Text<16>,
}

/// ASCII without memory of its own on the heap.
#[derive(Clone, Copy, Debug)]
struct Text<const MOST: usize> {
    bytes: [u8; MOST],
    end: usize,
}

impl<const MOST: usize> Text<MOST> {
    const fn new() -> Text<MOST> {
        Text { bytes: [0; MOST], end: 0 }
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.bytes[self.end] = byte;
        self.end += 1;
    }

    /// Appends the first `length` of some bytes: all are copied, which is quicker.
    #[inline]
    fn extend<const N: usize>(&mut self, bytes: [u8; N], length: usize) {
        self.bytes[self.end..self.end + N].copy_from_slice(&bytes);
        self.end += length;
    }

    fn number(&mut self, number: u32) {
        if number > 9 {
            self.number(number / 10);
        }
        self.push(b'0' + (number % 10) as u8);
    }
}

impl Default for FenWriter {
    fn default() -> FenWriter {
        FenWriter::new()
    }
}

impl FenWriter {
    /// Placement, side to move, every square as a right, and two counters are less.
    const MOST: usize = FenWriter::MOST_RIGHTS + 208;
    /// Every square of the largest board, three bytes at most.
    const MOST_RIGHTS: usize = 3 * (MAX_SIDE as usize) * (MAX_SIDE as usize);

    /// A writer that has seen no position.
    #[must_use]
    pub fn new() -> FenWriter {
        let rank = Rank { men: [u8::MAX; 16], text: Text::new() };
        let mut rights_text = Text::new();
        rights_text.push(b'-');
        FenWriter {
            ranks: [rank; MAX_SIDE as usize],
            rights: Bitboard::EMPTY,
            rights_text,
            text: Text::new(),
        }
    }

    /// The five-field FEN.
    pub fn fen(&mut self, position: &Position) -> &str {
        let board = position.board();
        self.position(position.reading(), board);
        for number in [u32::from(board.halfmove()), board.fullmove()] {
            self.text.push(b' ');
            self.text.number(number);
        }
        self.text()
    }

    /// The FEN's first three fields: placement, side to move, first-move rights.
    pub fn epd(&mut self, position: &Position) -> &str {
        self.position(position.reading(), position.board());
        self.text()
    }

    fn text(&self) -> &str {
        str::from_utf8(&self.text.bytes[..self.text.end]).unwrap_or_default()
    }

    fn position(&mut self, reading: &Reading, board: &Board) {
        self.text.end = 0;
        // What stands before the first rank that has changed is still there.
        let mut changed = false;
        for index in (0..reading.tables.ranks).rev() {
            let rank = &mut self.ranks[usize::from(index)];
            let men = board.rank(index);
            if rank.men != men {
                *rank = Rank::new(reading, men);
                changed = true;
            }
            if changed {
                self.text.extend(rank.text.bytes, rank.text.end);
                self.text.push(if index > 0 { b'/' } else { b' ' });
            } else {
                self.text.end += rank.text.end + 1;
            }
        }
        self.text.push(if board.side() == Color::White { b'w' } else { b'b' });
        self.text.push(b' ');
        let twins = reading.rules.kinds.len();
        let unmoved = Color::ALL.into_iter().flat_map(|color| &board.sets(color)[twins..]);
        let rights = unmoved.fold(Bitboard::EMPTY, |squares, set| squares | *set);
        if self.rights != rights {
            self.set_rights(rights);
        }
        let text = &self.rights_text;
        self.text.bytes[self.text.end..][..text.end].copy_from_slice(&text.bytes[..text.end]);
        self.text.end += text.end;
    }

    fn set_rights(&mut self, rights: Bitboard) {
        self.rights = rights;
        self.rights_text.end = 0;
        if rights.is_empty() {
            self.rights_text.push(b'-');
        }
        for square in rights {
            self.rights_text.push(b'a' + square.file());
            self.rights_text.number(u32::from(square.rank()) + 1);
        }
    }
}

impl Rank {
    fn new(reading: &Reading, men: [u8; 16]) -> Rank {
        let mut text = Text::new();
        // Empty squares since the last man: at most twelve.
        let mut run = 0;
        let flush = |text: &mut Text<16>, run: u8| {
            if run > 9 {
                text.push(b'1');
            }
            if run > 0 {
                text.push(b'0' + run % 10);
            }
        };
        for man in &men[..usize::from(reading.tables.files)] {
            match Piece::from_byte(*man) {
                None => run += 1,
                Some(piece) => {
                    flush(&mut text, std::mem::take(&mut run));
                    text.push(reading.letter(piece));
                }
            }
        }
        flush(&mut text, run);
        Rank { men, text }
    }
}

struct Parser<'a> {
    reading: &'a Reading,
    men: Vec<(Square, Color, usize)>,
    rights: Bitboard,
    problems: Vec<FenProblem>,
}

pub(super) fn parse(reading: &Arc<Reading>, fen: &str) -> Result<Board, FenError> {
    let mut parser = Parser { reading, men: Vec::new(), rights: Bitboard::EMPTY, problems: Vec::new() };
    let board = parser.read(fen);
    match board {
        Some(board) if parser.problems.is_empty() => Ok(board),
        _ => Err(FenError { problems: parser.problems }),
    }
}

/// A quoted, shortened copy of input for a message.
fn quote(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short:?}...") } else { format!("{short:?}") }
}

impl Parser<'_> {
    fn problem(&mut self, place: &str, found: impl Into<String>, expected: impl Into<String>) {
        let problem = FenProblem { place: place.to_owned(), found: found.into(), expected: expected.into() };
        // Told once, however often a long text repeats it.
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    fn read(&mut self, fen: &str) -> Option<Board> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
        if ![3, 5, 6].contains(&fields.len()) {
            self.problem(
                "as a whole",
                format!("{} fields", fields.len()),
                "3, 5 or 6 fields: placement, side to move (w or b), first-move rights, [-], and the two counters",
            );
            return None;
        }
        if fields.len() == 6 && fields[3] != "-" {
            self.problem("field 4", quote(fields[3]), "-: there is no en passant in this game");
        }
        self.placement(fields[0]);
        let side = match fields[1] {
            "w" => Color::White,
            "b" => Color::Black,
            other => {
                self.problem("field 2 (side to move)", quote(other), "w or b");
                return None;
            }
        };
        let clocks = if fields.len() > 3 { &fields[fields.len() - 2..] } else { &["0", "1"] };
        let halfmove = self.counter(fields.len() - 1, "halfmove clock", clocks[0], 0, 9_999);
        let fullmove = self.counter(fields.len(), "move number", clocks[1], 1, 99_999);
        if !self.problems.is_empty() {
            return None;
        }
        self.rights(fields[2]);
        self.men_are_sound();
        if !self.problems.is_empty() {
            return None;
        }
        let board = self.board(side, halfmove, fullmove);
        let tables = &self.reading.tables;
        if is_attacked(tables, &board, board.royal(!side), side, board.occupied()) {
            let found = format!("{}'s king in check with {side} to move", !side);
            self.problem(
                "field 2 (side to move)",
                found,
                "that the side that has just moved is not in check",
            );
            return None;
        }
        Some(board)
    }

    fn placement(&mut self, text: &str) {
        let (files, ranks) = (self.reading.rules.files, self.reading.rules.ranks);
        let rows: Vec<&str> = text.split('/').collect();
        if rows.len() != usize::from(ranks) {
            let expected = format!("{ranks} ranks, the highest first, with / between them");
            self.problem("field 1 (placement)", format!("{} ranks", rows.len()), expected);
            return;
        }
        for (row, rank) in rows.iter().zip((0..ranks).rev()) {
            self.row(row, rank, files);
        }
    }

    fn row(&mut self, row: &str, rank: u8, files: u8) {
        let place = format!("field 1 (placement), rank {}", rank + 1);
        let mut file = 0usize;
        let mut rest = row;
        while let Some(first) = rest.chars().next() {
            if first.is_ascii_digit() {
                let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let run: usize = rest[..digits].parse().unwrap_or(usize::MAX);
                if first == '0' || run > usize::from(files) {
                    let expected = format!("a run of empty squares written as one number from 1 to {files}");
                    self.problem(&place, quote(&rest[..digits]), expected);
                    return;
                }
                file += run;
                rest = &rest[digits..];
                continue;
            }
            let color = if first.is_ascii_uppercase() { Color::White } else { Color::Black };
            let kinds = &self.reading.rules.kinds;
            let Some(def) = kinds.iter().position(|kind| kind.letter == first.to_ascii_uppercase()) else {
                let letters: String = kinds.iter().map(|kind| kind.letter).collect();
                self.problem(&place, quote(&first.to_string()), format!("a letter of {letters} or a number"));
                return;
            };
            if let Ok(x) = u8::try_from(file)
                && x < files
            {
                self.men.push((Square::new(x, rank), color, def));
            }
            file += 1;
            rest = &rest[first.len_utf8()..];
        }
        if file != usize::from(files) {
            let expected = if row == "8" {
                format!("{files}: Fairy-Max writes an empty rank of {files} as 8; write {files} instead")
            } else {
                format!("men and empty squares that add up to {files}")
            };
            self.problem(&place, format!("{file} squares in {}", quote(row)), expected);
        }
    }

    fn counter(&mut self, field: usize, name: &str, text: &str, least: u32, most: u32) -> u32 {
        match text.parse::<u32>() {
            Ok(value) if (least..=most).contains(&value) && text.bytes().all(|b| b.is_ascii_digit()) => value,
            _ => {
                let place = format!("field {field} ({name})");
                self.problem(&place, quote(text), format!("a whole number from {least} to {most}"));
                least
            }
        }
    }

    fn man_at(&self, square: Square) -> Option<(Color, usize)> {
        self.men.iter().find(|man| man.0 == square).map(|man| (man.1, man.2))
    }

    /// The array squares on which a man of this kind and colour holds a privilege; `None` if the kind has none.
    fn homes(&self, color: Color, def: usize) -> Option<Bitboard> {
        let mut kinds = self.reading.tables.kinds.iter();
        kinds.find(|kind| kind.unmoved && kind.def == def).map(|kind| kind.home[color.index()])
    }

    fn rights(&mut self, text: &str) {
        const PLACE: &str = "field 3 (first-move rights)";
        if text == "-" {
            return;
        }
        // Letters are another program's way to write the kings' rights: all of the field or none of it.
        if text.chars().all(|c| c.is_ascii_alphabetic()) {
            return text.chars().for_each(|letter| self.right_by_letter(letter, PLACE));
        }
        let mut seen = Bitboard::EMPTY;
        let mut rest = text;
        while !rest.is_empty() {
            let Some((square, used)) = Square::parse_prefix(rest) else {
                return self.problem(PLACE, quote(rest), "squares such as g1g12, or - for none");
            };
            if seen.has(square) {
                self.problem(PLACE, format!("{square} once more"), "each square once");
            } else {
                self.right_on(square, PLACE);
            }
            seen.insert(square);
            rest = &rest[used..];
        }
    }

    /// `K`, `Q` or the king's file for White, the same in small letters for Black; XBoard names other men that have not
    /// moved by their files.
    fn right_by_letter(&mut self, letter: char, place: &str) {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rules = &self.reading.rules;
        let royal = rules.start.iter().find(|man| man.1 == color && rules.kinds[man.2].royal);
        let Some(&(home, ..)) = royal else { return };
        let small = letter.to_ascii_lowercase();
        let file = char::from(b'a' + home.file());
        let homes = self.homes_for(color, small);
        if homes.is_empty() && !['k', 'q', file].contains(&small) {
            let expected = format!("squares such as {home}, the letters KQkq or {file}, or - for none");
            self.problem(place, quote(&letter.to_string()), expected);
        }
        for home in homes {
            self.right_on(home, place);
        }
    }

    /// The array squares that a letter among the first-move rights means: the king's for `k` and `q`, those on a file for
    /// its letter.
    fn homes_for(&self, color: Color, letter: char) -> Bitboard {
        let tables = &self.reading.tables;
        let mut homes = Bitboard::EMPTY;
        for kind in tables.kinds.iter().filter(|kind| kind.unmoved) {
            for square in kind.home[color.index()] {
                let meant = match letter {
                    'k' | 'q' => kind.royal,
                    _ => char::from(b'a' + square.file()) == letter,
                };
                if meant {
                    homes.insert(square);
                }
            }
        }
        homes
    }

    fn right_on(&mut self, square: Square, place: &str) {
        if !self.reading.tables.board.has(square) {
            self.problem(place, format!("{square}, outside the board"), "squares of men that have not moved");
            return;
        }
        let Some((color, def)) = self.man_at(square) else {
            self.problem(place, format!("{square}, an empty square"), "squares of men that have not moved");
            return;
        };
        let Some(home) = self.homes(color, def) else { return };
        if home.has(square) {
            self.rights.insert(square);
        } else {
            let kind = &self.reading.rules.kinds[def].name;
            let homes: Vec<String> = home.into_iter().map(|s| s.to_string()).collect();
            let found = format!("{square}, where a {color} {kind} never starts");
            self.problem(place, found, format!("its array square ({})", homes.join(" ")));
        }
    }

    fn men_are_sound(&mut self) {
        const PLACE: &str = "field 1 (placement)";
        let rules = &self.reading.rules;
        for color in Color::ALL {
            let royals = self.men.iter().filter(|man| man.1 == color && rules.kinds[man.2].royal).count();
            if royals != 1 {
                self.problem(PLACE, format!("{royals} {color} kings"), "exactly one king a side");
            }
        }
        let last = rules.ranks - 1;
        let pawns: Vec<Square> =
            self.men.iter().filter(|man| rules.kinds[man.2].pawn).map(|man| man.0).collect();
        for square in pawns.into_iter().filter(|square| square.rank() == 0 || square.rank() == last) {
            self.problem(PLACE, format!("a pawn on {square}"), "no pawn on the first or the last rank");
        }
    }

    fn board(&self, side: Color, halfmove: u32, fullmove: u32) -> Board {
        let tables = &self.reading.tables;
        let mut board = Board::empty(tables);
        for &(square, color, def) in &self.men {
            #[expect(clippy::cast_possible_truncation, reason = "at most sixteen kinds")]
            let moved = Kind::new(def as u8);
            let twin = self.rights.has(square).then(|| tables.unmoved_twin(moved)).flatten();
            board.put(tables, Piece::new(color, twin.unwrap_or(moved)), square);
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most 9999")]
        board.set_state(side, halfmove as u16, fullmove);
        board
    }
}
