//! The board, the array and what pawns become.

use super::Ruleset;
use super::check::{Check, text_of};
use super::check_pieces::Draft;
use super::file::{At, Entry, Value, quote};
use super::problem::suggestion;
use super::tables::checks_at_start;
use crate::types::{Color, MAX_SIDE, Square};

/// What `[board]` says; a size is missing if it is bad.
pub(super) struct BoardDef {
    pub files: Option<u8>,
    pub ranks: Option<u8>,
    pub start: Vec<(Square, Color, usize)>,
    /// True if the array was read without a problem.
    sound: bool,
}

pub(super) fn board(check: &mut Check<'_>, drafts: &[Draft]) -> BoardDef {
    for key in ["board.files", "board.ranks", "board.start"] {
        check.required(key);
    }
    let mut side = |path| {
        let (side, _) = check.integer(path, 1..=u16::from(MAX_SIDE), "1 to 12 squares")?;
        u8::try_from(side).ok()
    };
    let mut board =
        BoardDef { files: side("board.files"), ranks: side("board.ranks"), start: Vec::new(), sound: false };
    let (Some(files), Some(ranks)) = (board.files, board.ranks) else { return board };
    let Some((text, entry)) = check.entry("board.start").and_then(text_of) else { return board };
    let mut reader = Array { files, ranks, entry, drafts, start: Vec::new(), sound: true };
    reader.read(check, text);
    board.sound = reader.sound;
    board.start = reader.start;
    if board.sound {
        men(check, drafts, &board, entry.at);
    }
    board
}

/// Reads the placement string of the array.
struct Array<'a> {
    files: u8,
    ranks: u8,
    entry: &'a Entry,
    drafts: &'a [Draft],
    start: Vec<(Square, Color, usize)>,
    sound: bool,
}

impl Array<'_> {
    fn read(&mut self, check: &mut Check<'_>, text: &str) {
        let rows = text.split('/').count();
        if rows != usize::from(self.ranks) {
            let expected = format!("the {} that [board] ranks says", self.ranks);
            self.refuse(
                check,
                0,
                format!("{rows} ranks in start"),
                expected,
                "the highest rank first, '/' between",
            );
        }
        let mut offset = 0;
        for (i, row) in text.split('/').enumerate() {
            let rank = (rows - 1 - i).try_into().ok().filter(|&rank: &u8| rank < self.ranks);
            self.row(check, row, rows - i, rank, offset);
            offset += row.chars().count() + 1;
        }
    }

    /// One rank: `number` is 1-based, `rank` 0-based and missing if there are too many.
    fn row(&mut self, check: &mut Check<'_>, row: &str, number: usize, rank: Option<u8>, offset: usize) {
        let mut file = 0_usize;
        let mut run: Option<usize> = None;
        for (i, c) in row.chars().enumerate() {
            if let Some(digit) = c.to_digit(10) {
                let so_far = run.unwrap_or(0);
                if so_far == 0 && digit == 0 {
                    let found = format!("a run that starts with 0 in rank {number}");
                    self.refuse(check, offset + i, found, "a run of 1 to 12 empty squares".into(), "");
                }
                run = Some(so_far.saturating_mul(10).saturating_add(digit as usize));
                continue;
            }
            file = file.saturating_add(run.take().unwrap_or(0));
            self.man(check, c, file, rank, offset + i);
            file = file.saturating_add(1);
        }
        file = file.saturating_add(run.unwrap_or(0));
        if file != usize::from(self.files) {
            let found = format!("{file} squares in rank {number} of start");
            let expected = format!("the {} that [board] files says", self.files);
            self.refuse(check, offset, found, expected, "a run of empty squares is one decimal number");
        }
    }

    fn man(&mut self, check: &mut Check<'_>, c: char, file: usize, rank: Option<u8>, offset: usize) {
        let letter = c.to_ascii_uppercase();
        let kind = self.drafts.iter().position(|draft| draft.has_letter && draft.kind.letter == letter);
        let Some(kind) = kind else {
            self.sound = false;
            // With a letter missing or a kind unread, this one may be right.
            if !check.merged.incomplete && self.drafts.iter().all(|draft| draft.has_letter) {
                let letters: String = self.drafts.iter().map(|draft| draft.kind.letter).collect();
                let hint = match self.entry.at.file {
                    0 => "each letter is that of a [piece.<key>]".to_owned(),
                    _ => format!(
                        "start is inherited and letters changed: say start in {}",
                        check.merged.files[0]
                    ),
                };
                let found = format!("'{}' in start", c.escape_debug());
                self.refuse(
                    check,
                    offset,
                    found,
                    format!("the letter of a kind ({letters}), '/' or a number"),
                    &hint,
                );
            }
            return;
        };
        let square = u8::try_from(file).ok().filter(|&file| file < self.files).zip(rank);
        if let Some((file, rank)) = square {
            let color = if c.is_ascii_uppercase() { Color::White } else { Color::Black };
            self.start.push((Square::new(file, rank), color, kind));
        }
    }

    fn refuse(&mut self, check: &mut Check<'_>, offset: usize, found: String, expected: String, hint: &str) {
        self.sound = false;
        check.refuse_inside(self.entry, offset, found, expected, hint.into());
    }
}

/// The men of a sound array: kings and pawns.
fn men(check: &mut Check<'_>, drafts: &[Draft], board: &BoardDef, at: At) {
    let of = |color: Color| board.start.iter().filter(move |man| man.1 == color);
    for color in Color::ALL {
        let kings = of(color).filter(|man| drafts[man.2].kind.royal).count();
        if kings != 1 && drafts.iter().filter(|draft| draft.kind.royal).count() == 1 {
            let found = format!("{kings} royal pieces for {color} in start");
            check.refuse(at, found, "exactly one a side", "capitals are White's");
        }
        let pawns: Vec<&(Square, Color, usize)> = of(color).filter(|man| drafts[man.2].kind.pawn).collect();
        let edge = |rank: u8| rank == 0 || Some(rank + 1) == board.ranks;
        if let Some(pawn) = pawns.iter().find(|pawn| edge(pawn.0.rank())) {
            let found = format!("a pawn on {} in start", pawn.0);
            check.refuse(at, found, "no pawn on the first or last rank", "");
        }
        let first_rank = pawns.first().map(|pawn| pawn.0.rank());
        if let Some(pawn) = pawns.iter().find(|pawn| Some(pawn.0.rank()) != first_rank)
            && drafts[pawn.2].kind.unmoved().is_some()
        {
            let found = format!("{color} pawns with a first move on several ranks");
            let hint = "a pawn may use an atom marked i while it is on its array rank";
            check.refuse(at, found, "all of them on one rank", hint);
        }
    }
}

/// White, who moves first, must not find Black's king attacked. The ruleset is sound but for that.
pub(super) fn nobody_is_in_check(check: &mut Check<'_>, ruleset: &Ruleset) {
    let Some(entry) = check.entry("board.start") else { return };
    let checkers: Vec<String> = checks_at_start(ruleset).iter().map(Square::to_string).collect();
    if !checkers.is_empty() {
        let found = format!("black's king attacked from {} in start", checkers.join(" "));
        check.refuse(entry.at, found, "a start in which black is not in check", "white moves first");
    }
}

/// For each file, what a pawn that arrives there becomes.
pub(super) fn promotion(check: &mut Check<'_>, drafts: &[Draft], board: &BoardDef) -> Vec<usize> {
    if !drafts.iter().any(|draft| draft.kind.pawn) {
        return Vec::new();
    }
    let Some(to) = check.required("promotion.to") else { return Vec::new() };
    let files = usize::from(board.files.unwrap_or_default());
    match &to.value {
        Value::Text(word) if word == "array" => by_array(check, drafts, board, to.at),
        Value::Text(key) => {
            unused_king_file(check, to.at);
            vec![target(check, drafts, key, to.at).unwrap_or_default(); files]
        }
        Value::Texts(keys) => {
            unused_king_file(check, to.at);
            if keys.len() != files && board.files.is_some() {
                let found = format!("{} kinds to promote to", keys.len());
                check.refuse(to.at, found, format!("one for each of the {files} files"), "");
            }
            keys.iter().map(|(key, at)| target(check, drafts, key, *at).unwrap_or_default()).collect()
        }
        _ => Vec::new(),
    }
}

fn unused_king_file(check: &mut Check<'_>, to: At) {
    if let Some(entry) = check.entry("promotion.king_file")
        && entry.at.file == to.file
    {
        check.refuse(entry.at, "king_file", "none: it goes with to = \"array\"", "leave it out");
    }
}

/// A piece key that a pawn may become.
fn target(check: &mut Check<'_>, drafts: &[Draft], key: &str, at: At) -> Option<usize> {
    let found = format!("promotion to {}", quote(key));
    let known: Vec<&str> = drafts.iter().map(|draft| draft.kind.key.as_str()).collect();
    match drafts.iter().position(|draft| draft.kind.key == key) {
        None if check.merged.incomplete => None,
        None => {
            check.refuse(at, found, "the key of a piece", suggestion(key, &known));
            None
        }
        Some(index) if drafts[index].kind.royal || drafts[index].kind.pawn => {
            check.refuse(at, found, "a kind that is neither royal nor the pawn", "");
            None
        }
        index => index,
    }
}

fn by_array(check: &mut Check<'_>, drafts: &[Draft], board: &BoardDef, at: At) -> Vec<usize> {
    let king_file = match check.entry("promotion.king_file").and_then(text_of) {
        Some((key, entry)) => target(check, drafts, key, entry.at),
        None => None,
    };
    if !board.sound {
        return Vec::new();
    }
    let mut promotion = Vec::new();
    for file in 0..board.files.unwrap_or_default() {
        let stands = board.start.iter().find(|man| man.0 == Square::new(file, 0) && man.1 == Color::White);
        promotion.push(match stands {
            Some(man) if drafts[man.2].kind.royal => {
                if !check.has("promotion.king_file") {
                    check.missing("promotion.king_file", "no pawn becomes a king".into());
                }
                king_file.unwrap_or_default()
            }
            Some(man) if !drafts[man.2].kind.pawn => man.2,
            _ => {
                let found = format!("to = \"array\" with no piece on {} in start", Square::new(file, 0));
                let hint = "name one kind, or list one for each file";
                check.refuse(at, found, "a piece on every square of White's first rank", hint);
                0
            }
        });
    }
    promotion
}
