//! Turns the merged values of a ruleset file into a [`Ruleset`], and finds everything that is wrong with them.

use std::ops::RangeInclusive;

use super::check_board;
use super::check_pieces;
use super::file::{At, Entry, Found, Merged, Value, quote};
use super::problem::{Problem, WHERE_TO_LOOK, nearest};
use super::schema;
use super::{
    BareKing, Confidence, DiceRule, EndRules, KindDef, LeapRule, NoMove, Ruleset, Source, Stalemate,
};

/// The ruleset, which is worth something only if no problem was added.
pub(super) fn build(merged: &Merged, problems: &mut Vec<Found>) -> Ruleset {
    let mut check = Check { merged, problems };
    let (id, title, source) = (check.id(), check.line("title"), check.source());
    let drafts = check_pieces::kinds(&mut check);
    let board = check_board::board(&mut check, &drafts);
    let promotion = check_board::promotion(&mut check, &drafts, &board);
    let kinds: Vec<KindDef> = drafts.into_iter().map(|draft| draft.kind).collect();
    let leap = check_pieces::leap(&mut check, &kinds);
    let (end, dice) = (check.end(), check.dice());
    let ruleset = Ruleset {
        id,
        title,
        source,
        files: board.files.unwrap_or_default(),
        ranks: board.ranks.unwrap_or_default(),
        start: board.start,
        kinds,
        promotion,
        leap,
        end,
        dice,
    };
    if check.problems.is_empty() {
        check_board::nobody_is_in_check(&mut check, &ruleset);
    }
    ruleset
}

/// The values, and the problems found so far.
pub(super) struct Check<'a> {
    pub merged: &'a Merged,
    problems: &'a mut Vec<Found>,
}

impl<'a> Check<'a> {
    /// Notes a problem of the value at `at`.
    pub fn refuse(
        &mut self,
        at: At,
        found: impl Into<String>,
        expected: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.push(at, None, found.into(), expected.into(), hint.into());
    }

    /// Notes a problem of the character at 0-based `offset` in a string value.
    pub fn refuse_inside(
        &mut self,
        entry: &Entry,
        offset: usize,
        found: String,
        expected: String,
        hint: String,
    ) {
        self.push(entry.at, entry.inside.map(|column| column + offset), found, expected, hint);
    }

    fn push(&mut self, at: At, column: Option<usize>, found: String, expected: String, hint: String) {
        let file = self.merged.files.get(at.file).cloned().unwrap_or_default();
        // A second look at the same fault adds nothing.
        let hint = if hint.is_empty() { WHERE_TO_LOOK.to_owned() } else { hint };
        let problem = Problem { file, line: at.line, column, found, expected, hint };
        if !self.problems.iter().any(|(_, known)| *known == problem) {
            self.problems.push((at, problem));
        }
    }

    /// A value, if it is there and of the right type.
    pub fn entry(&self, path: &str) -> Option<&'a Entry> {
        self.merged.values.get(path).filter(|entry| !matches!(entry.value, Value::Bad))
    }

    /// True if the key is there, with whatever value.
    pub fn has(&self, path: &str) -> bool {
        self.merged.values.contains_key(path)
    }

    /// A value; notes a problem if the key is missing everywhere.
    pub fn required(&mut self, path: &str) -> Option<&'a Entry> {
        if !self.has(path) {
            self.missing(path, String::new());
        }
        self.entry(path)
    }

    /// Notes a missing key at its table's line.
    pub fn missing(&mut self, path: &str, hint: String) {
        if self.merged.incomplete {
            return;
        }
        let (table, name) = path.rsplit_once('.').unwrap_or(("", path));
        let kind = if table.starts_with("piece.") { "piece" } else { table };
        let example = schema::find(kind, name).map_or("", |key| key.example);
        let found = if table.is_empty() { format!("no {name}") } else { format!("no {name} in [{table}]") };
        let hint = if hint.is_empty() { String::new() } else { format!(" ({hint})") };
        self.refuse(
            self.place_of(table),
            found,
            format!("{name}, here or in a parent"),
            format!("add a line such as {example}{hint}"),
        );
    }

    /// Where a table stands, or else the start of the file.
    pub fn place_of(&self, table: &str) -> At {
        self.merged.tables.get(table).copied().unwrap_or(At { file: 0, line: 1, column: 1 })
    }

    /// A required string.
    pub fn text(&mut self, path: &str) -> Option<(&'a str, &'a Entry)> {
        text_of(self.required(path)?)
    }

    /// A required, non-empty line of text.
    pub fn line(&mut self, path: &str) -> String {
        let Some((text, entry)) = self.text(path) else { return String::new() };
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            self.refuse(entry.at, quote(text), "one line of text", "");
        }
        text.to_owned()
    }

    /// An integer in a range, if the key is there.
    pub fn integer(&mut self, path: &str, range: RangeInclusive<u16>, expected: &str) -> Option<(u16, At)> {
        let entry = self.entry(path)?;
        let Value::Integer(integer) = entry.value else { return None };
        match u16::try_from(integer).ok().filter(|small| range.contains(small)) {
            Some(small) => Some((small, entry.at)),
            None => {
                let name = path.rsplit('.').next().unwrap_or(path);
                self.refuse(entry.at, format!("{name} = {integer}"), expected, "");
                None
            }
        }
    }

    /// A flag and its place, if the key is there.
    pub fn flag(&self, path: &str) -> Option<(bool, At)> {
        match self.entry(path)? {
            Entry { value: Value::Flag(flag), at, .. } => Some((*flag, *at)),
            _ => None,
        }
    }

    /// One of several words.
    fn choice<T: Copy>(&mut self, path: &str, words: &[(&str, T)]) -> Option<T> {
        let (text, entry) = text_of(self.entry(path)?)?;
        if let Some(&(_, value)) = words.iter().find(|(word, _)| *word == text) {
            return Some(value);
        }
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let name = path.rsplit('.').next().unwrap_or(path);
        let found = format!("{name} = {}", quote(text));
        let meant = nearest(text, known.iter().copied());
        let hint = meant.map_or(String::new(), |word| format!("did you mean {word}?"));
        self.refuse(entry.at, found, known.join(" or "), hint);
        None
    }

    fn id(&mut self) -> String {
        if self.merged.values.get("id").is_none_or(|entry| entry.at.file != 0) {
            self.missing("id", "an id is never inherited".into());
            return String::new();
        }
        let Some((text, entry)) = self.text("id") else { return String::new() };
        if !schema::is_id(text) {
            let expected = "a letter, then letters, digits and hyphens, all in lower case";
            self.refuse(entry.at, format!("id = {}", quote(text)), expected, "write it like cazaux-musser");
        }
        text.to_owned()
    }

    fn source(&mut self) -> Source {
        let citation = self.line("source.citation");
        self.required("source.confidence");
        let words = [
            ("attested", Confidence::Attested),
            ("reconstructed", Confidence::Reconstructed),
            ("conjecture", Confidence::Conjecture),
        ];
        let confidence = self.choice("source.confidence", &words).unwrap_or(Confidence::Conjecture);
        Source { citation, confidence }
    }

    fn end(&mut self) -> EndRules {
        for key in ["end.stalemate", "end.bare_king", "end.repetition", "end.no_progress_plies"] {
            self.required(key);
        }
        let stalemate = [("draw", Stalemate::Draw), ("loses", Stalemate::Loses), ("wins", Stalemate::Wins)];
        let bare_king = [
            ("none", BareKing::None),
            ("loses", BareKing::Loses),
            ("loses_unless_bared_back", BareKing::LosesUnlessBaredBack),
        ];
        let stalemate = self.choice("end.stalemate", &stalemate).unwrap_or(Stalemate::Draw);
        let bare_king = self.choice("end.bare_king", &bare_king).unwrap_or(BareKing::None);
        let repetition = match self.integer("end.repetition", 0..=100, "0 (none) or 2 to 100") {
            Some((1, at)) => {
                let hint = "the first occurrence is the position itself";
                self.refuse(at, "repetition = 1", "0 (none) or 2 to 100", hint);
                0
            }
            other => other.map_or(0, |(n, _)| n),
        };
        let plies = self.integer("end.no_progress_plies", 0..=10_000, "0 (none) to 10000 plies");
        EndRules {
            stalemate,
            bare_king,
            repetition: repetition.into(),
            no_progress_plies: plies.map_or(0, |(n, _)| n).into(),
        }
    }

    fn dice(&mut self) -> DiceRule {
        let words = [("reroll", NoMove::Reroll), ("pass", NoMove::Pass)];
        DiceRule { no_move: self.choice("dice.no_move", &words).unwrap_or(NoMove::Reroll) }
    }

    /// `[leap]`, required if the royal piece has a leap to restrain.
    pub fn leap_rule(&mut self, needed: bool) -> LeapRule {
        if needed {
            self.required("leap.from_check");
            self.required("leap.over_attacked");
        }
        let flag = |path| self.flag(path).is_none_or(|(flag, _)| flag);
        LeapRule { from_check: flag("leap.from_check"), over_attacked: flag("leap.over_attacked") }
    }
}

/// A string value.
pub(super) fn text_of(entry: &Entry) -> Option<(&str, &Entry)> {
    match &entry.value {
        Value::Text(text) => Some((text, entry)),
        _ => None,
    }
}
