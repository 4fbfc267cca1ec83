//! The text of a ruleset file and its parents, merged key by key. What the values mean is the business of `check`.
//!
//! The format, every key of which may be left out where `extends` gives it (except `id`):
//!
//! | table | keys |
//! |---|---|
//! | top level | `id`, `title`, `extends` (a built-in id, or a path relative to this file) |
//! | `[source]` | `citation`, `confidence` = `attested`, `reconstructed` or `conjecture` |
//! | `[board]` | `files`, `ranks` (1 to 12), `start` (a FEN placement; runs of empty squares are decimal numbers up to 12) |
//! | `[piece.<key>]` | `name`, `letter` (one capital), `betza`, `first_move` (instead of `betza` until it has moved; `""` drops an inherited one), `pips` (1 to 8), `royal` (default: only for the key `king`), `pawn` (default: only for the key `pawn`) |
//! | `[promotion]` | `to` = a piece key, `"array"` or a list with one key a file; `king_file` for the royal file of `"array"` |
//! | `[leap]` | `from_check`, `over_attacked`: may be left out if the royal piece has no `i` motion |
//! | `[end]` | `stalemate` = `draw`, `loses` or `wins`; `bare_king` = `none`, `loses` or `loses_unless_bared_back`; `repetition`, `no_progress_plies` (0: no such rule) |
//! | `[dice]` | `no_move` = `reroll` (the default) or `pass` |

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::builtin;
use super::problem::{Problem, Problems, WHERE_TO_LOOK, suggestion};
use super::resolve::is_path;
use super::schema::{self, Type};
use super::{Ruleset, check};

/// Resolves an `extends`: a built-in id or a path, to the parent's display name and text.
pub type Loader<'a> = dyn Fn(&str) -> Option<(String, String)> + 'a;

/// Longest chain of parents.
const MAX_PARENTS: usize = 8;

/// Where something stands: an index into [`Merged::files`], and 1-based line and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct At {
    pub file: usize,
    pub line: usize,
    pub column: usize,
}

/// A value of the expected type, or the sign that one of a wrong type was there.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Integer(i64),
    Flag(bool),
    Texts(Vec<(String, At)>),
    Bad,
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub value: Value,
    pub at: At,
    /// Column of the first character of a string, if the file spells it as it is.
    pub inside: Option<usize>,
}

/// A file with its parents' keys filled in, by `table.key` (pieces: `piece.<key>.<key>`).
#[derive(Default)]
pub(super) struct Merged {
    /// Display names, the file itself first, then its parents.
    pub files: Vec<String>,
    pub values: BTreeMap<String, Entry>,
    /// Tables by `table` or `piece.<key>`: where the nearest file has them.
    pub tables: BTreeMap<String, At>,
    /// True if a file did not parse or a parent is missing: then absent keys prove nothing.
    pub incomplete: bool,
}

impl Ruleset {
    /// Reads a ruleset from the text of its file. `name` is the file's display name and, if it has parents by path, what
    /// those paths are relative to; `loader` finds parents. The format is that of `data/rulesets/README.md`.
    ///
    /// # Errors
    /// Every problem of the file and of its parents at once.
    pub fn load(name: &str, text: &str, loader: &Loader<'_>) -> Result<Ruleset, Problems> {
        let mut problems = Vec::new();
        let merged = read_chain(name, text, loader, &mut problems);
        let ruleset = check::build(&merged, &mut problems);
        problems.sort_by_key(|(at, _)| *at);
        let problems = problems.into_iter().map(|(_, problem)| problem).collect();
        match Problems::of(problems) {
            Some(problems) => Err(problems),
            None => Ok(ruleset),
        }
    }
}

/// A problem and where to list it.
pub(super) type Found = (At, Problem);

fn read_chain(name: &str, text: &str, loader: &Loader<'_>, problems: &mut Vec<Found>) -> Merged {
    let mut merged = Merged::default();
    let mut next = Some((name.to_owned(), text.to_owned()));
    let mut seen = vec![name.to_owned()];
    while let Some((name, text)) = next.take() {
        let file = merged.files.len();
        merged.files.push(name.clone());
        Layer { name: &name, text: &text, file, merged: &mut merged, problems, broken: Vec::new() }.read();
        // The layer put its own `extends` here; take it out, or the next layer's would look inherited.
        let (parent, at) = match merged.values.remove("extends") {
            Some(Entry { value: Value::Text(parent), at, .. }) => (parent, at),
            other => {
                merged.incomplete |= other.is_some();
                continue;
            }
        };
        if let Some(id) = own_id(&merged, file) {
            seen.push(id);
        }
        let mut refuse = |found: String, expected: &str, hint: String| {
            problems.push((at, problem(&name, at.line, None, found, expected, hint)));
        };
        let wanted = if is_path(&parent) { beside(&name, &parent) } else { parent.clone() };
        if seen.contains(&wanted) {
            refuse(
                format!("extends = \"{parent}\", which leads back to {wanted}"),
                "parents that do not go round in a circle",
                String::new(),
            );
        } else if file >= MAX_PARENTS {
            refuse(
                format!("{} parents", file + 1),
                &format!("at most {MAX_PARENTS}"),
                "extend an earlier one".into(),
            );
        } else if let Some(found) = loader(&wanted) {
            seen.push(wanted);
            next = Some(found);
        } else if is_path(&parent) {
            let hint = format!("{wanted} cannot be read; paths are relative to the file that extends");
            refuse(format!("extends = \"{parent}\""), "the path of a ruleset file", hint);
        } else {
            let known: Vec<&str> = builtin::known_ids().collect();
            let hint = format!("{}; a path ends with .toml", suggestion(&parent, &known));
            refuse(format!("extends = \"{parent}\""), "a built-in id or the path of a ruleset file", hint);
        }
        merged.incomplete |= next.is_none();
    }
    merged
}

/// The id that a file gives itself, which a parent cannot extend again without going round.
fn own_id(merged: &Merged, file: usize) -> Option<String> {
    match merged.values.get("id") {
        Some(Entry { value: Value::Text(id), at, .. }) if at.file == file => Some(id.clone()),
        _ => None,
    }
}

/// `path` as seen from the directory of `file`.
fn beside(file: &str, path: &str) -> String {
    let joined = Path::new(file).parent().unwrap_or(Path::new("")).join(path);
    let tidy: PathBuf = joined.components().filter(|part| *part != Component::CurDir).collect();
    tidy.to_string_lossy().into_owned()
}

fn problem(
    file: &str,
    line: usize,
    column: Option<usize>,
    found: impl Into<String>,
    expected: impl Into<String>,
    hint: impl Into<String>,
) -> Problem {
    let hint = Some(hint.into()).filter(|hint| !hint.is_empty()).unwrap_or_else(|| WHERE_TO_LOOK.to_owned());
    Problem { file: file.into(), line, column, found: found.into(), expected: expected.into(), hint }
}

/// One file on its way into the merged one.
struct Layer<'a> {
    name: &'a str,
    text: &'a str,
    file: usize,
    merged: &'a mut Merged,
    problems: &'a mut Vec<Found>,
    /// Lines that are no TOML, whose values are guesses of the parser.
    broken: Vec<usize>,
}

impl Layer<'_> {
    fn read(&mut self) {
        let (table, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            let at = self.at(&error.span().unwrap_or(0..0));
            self.merged.incomplete = true;
            if !self.broken.contains(&at.line) {
                self.broken.push(at.line);
                let (found, expected) =
                    error.message().split_once(", expected ").unwrap_or((error.message(), "valid TOML"));
                let hint = "the file is not TOML here";
                let problem = problem(self.name, at.line, Some(at.column), found, expected, hint);
                self.problems.push((at, problem));
            }
        }
        match self.without_broken_lines() {
            Some(text) => self.table("", "", DeTable::parse_recoverable(&text).0.get_ref()),
            None => self.table("", "", table.get_ref()),
        }
    }

    /// The text with its broken lines blanked, since the parser may give up at one. `None` if none is broken, or if one
    /// is a table's header, without which the lines below would mean something else.
    fn without_broken_lines(&self) -> Option<String> {
        let mut text = String::with_capacity(self.text.len());
        for (i, line) in self.text.split_inclusive('\n').enumerate() {
            if !self.broken.contains(&(i + 1)) {
                text.push_str(line);
            } else if line.trim_start().starts_with('[') {
                return None;
            } else {
                // As many bytes, so that places stay.
                text.extend(line.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            }
        }
        (!self.broken.is_empty()).then_some(text)
    }

    fn at(&self, span: &Range<usize>) -> At {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        At { file: self.file, line, column }
    }

    /// `kind` is the table's name in the schema, `path` its name in this file.
    fn table(&mut self, kind: &str, path: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let at = self.at(&key.span());
            let name: &str = key.get_ref();
            let full = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            if let Some(key) = schema::find(kind, name) {
                let entry = self.entry(key.kind, key.example, name, value);
                // A nearer file's value stays.
                self.merged.values.entry(full).or_insert(entry);
            } else if kind.is_empty() && schema::TABLES.contains(&name) {
                self.subtable(name, &full, at, value);
            } else {
                let known = schema::names(kind);
                let place = if kind.is_empty() { "the top level".into() } else { format!("[{path}]") };
                self.refuse(
                    at,
                    format!("unknown key {}", quote(name)),
                    place_keys(&place),
                    suggestion(name, &known),
                );
            }
        }
    }

    fn subtable(&mut self, name: &str, full: &str, at: At, value: &Spanned<DeValue<'_>>) {
        let DeValue::Table(table) = value.get_ref() else {
            self.refuse(
                at,
                format!("{name} = {}", type_of(value.get_ref())),
                format!("a table [{name}]"),
                String::new(),
            );
            return;
        };
        self.merged.tables.entry(full.to_owned()).or_insert(at);
        if name != "piece" {
            return self.table(name, full, table);
        }
        for (key, value) in table {
            let at = self.at(&key.span());
            let name: &str = key.get_ref();
            if !schema::is_id(name) || name == "array" {
                let hint = if name == "array" {
                    "array is a word of [promotion]"
                } else {
                    "write it like man-at-arms"
                };
                let expected = "a key of lower-case letters, digits and hyphens";
                self.refuse(at, format!("piece key {}", quote(name)), expected.into(), hint.into());
                self.merged.incomplete = true;
            } else if let DeValue::Table(piece) = value.get_ref() {
                let full = format!("piece.{name}");
                self.merged.tables.entry(full.clone()).or_insert(at);
                self.table("piece", &full, piece);
            } else {
                let hint = "a piece is a table of its own";
                self.refuse(at, type_of(value.get_ref()), format!("[piece.{name}]"), hint.into());
            }
        }
    }

    fn entry(&mut self, kind: Type, example: &str, name: &str, value: &Spanned<DeValue<'_>>) -> Entry {
        let at = self.at(&value.span());
        let mut inside = None;
        let value = match (kind, value.get_ref()) {
            (Type::Text | Type::Texts, DeValue::String(text)) => {
                inside = self.first_column(&value.span(), text);
                Value::Text(text.clone().into_owned())
            }
            (Type::Flag, DeValue::Boolean(flag)) => Value::Flag(*flag),
            (Type::Integer, DeValue::Integer(digits)) => {
                match i64::from_str_radix(digits.as_str(), digits.radix()) {
                    Ok(integer) => Value::Integer(integer),
                    Err(_) => {
                        self.refuse(at, "a number beyond 64 bits".into(), "an integer".into(), String::new());
                        Value::Bad
                    }
                }
            }
            (Type::Texts, DeValue::Array(items)) => {
                let mut texts = Vec::new();
                let mut bad = false;
                for item in items.iter() {
                    let at = self.at(&item.span());
                    match item.get_ref() {
                        DeValue::String(text) => texts.push((text.clone().into_owned(), at)),
                        other => {
                            self.refuse(at, type_of(other), "a string".into(), "list piece keys".into());
                            bad = true;
                        }
                    }
                }
                if bad { Value::Bad } else { Value::Texts(texts) }
            }
            (_, other) => {
                let found = format!("{name} = {}", type_of(other));
                self.refuse(at, found, kind.words().into(), format!("for example {example}"));
                Value::Bad
            }
        };
        Entry { value, at, inside }
    }

    /// The column of a string's first character, if the file spells the string as it is.
    fn first_column(&self, span: &Range<usize>, text: &str) -> Option<usize> {
        let raw = self.text.get(span.clone())?;
        (raw.len() == text.len() + 2 && raw.get(1..raw.len() - 1)? == text).then(|| self.at(span).column + 1)
    }

    fn refuse(&mut self, at: At, found: String, expected: String, hint: String) {
        if !self.broken.contains(&at.line) {
            self.problems.push((at, problem(self.name, at.line, None, found, expected, hint)));
        }
    }
}

fn place_keys(place: &str) -> String {
    format!("a key of {place}")
}

fn type_of(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the string {}", quote(text)),
        DeValue::Integer(digits) => format!("the integer {digits}"),
        DeValue::Float(digits) => format!("the number {digits}"),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(_) => "a list".into(),
        DeValue::Table(_) => "a table".into(),
    }
}

/// Text from a file as messages show it: on one line and not too long.
pub(super) fn quote(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    format!("\"{}\"", short.escape_debug())
}
