//! What keys a ruleset file may have.

/// The type a key's value must have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Integer,
    Flag,
    /// A string or a list of strings.
    Texts,
}

impl Type {
    pub fn words(self) -> &'static str {
        match self {
            Type::Text => "a string",
            Type::Integer => "an integer",
            Type::Flag => "true or false",
            Type::Texts => "a string or a list of strings",
        }
    }
}

/// A key, the table it lives in, its type and an example for hints. `piece` stands for each `[piece.<key>]`.
pub(super) struct Key {
    pub table: &'static str,
    pub name: &'static str,
    pub kind: Type,
    pub example: &'static str,
}

const fn key(table: &'static str, name: &'static str, kind: Type, example: &'static str) -> Key {
    Key { table, name, kind, example }
}

/// Every key of the format.
pub(super) const KEYS: &[Key] = &[
    key("", "id", Type::Text, r#"id = "my-reading""#),
    key("", "title", Type::Text, r#"title = "My reading""#),
    key("", "extends", Type::Text, r#"extends = "cazaux-musser""#),
    key("source", "citation", Type::Text, r#"citation = "Author, title, year, page""#),
    key("source", "confidence", Type::Text, r#"confidence = "conjecture""#),
    key("board", "files", Type::Integer, "files = 12"),
    key("board", "ranks", Type::Integer, "ranks = 12"),
    key("board", "start", Type::Text, r#"start = "rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR""#),
    key("piece", "name", Type::Text, r#"name = "lion""#),
    key("piece", "letter", Type::Text, r#"letter = "L""#),
    key("piece", "betza", Type::Text, r#"betza = "HL""#),
    key("piece", "first_move", Type::Text, r#"first_move = "mN""#),
    key("piece", "pips", Type::Integer, "pips = 4"),
    key("piece", "royal", Type::Flag, "royal = true"),
    key("piece", "pawn", Type::Flag, "pawn = true"),
    key("promotion", "to", Type::Texts, r#"to = "array""#),
    key("promotion", "king_file", Type::Text, r#"king_file = "aanca""#),
    key("leap", "from_check", Type::Flag, "from_check = true"),
    key("leap", "over_attacked", Type::Flag, "over_attacked = true"),
    key("end", "stalemate", Type::Text, r#"stalemate = "draw""#),
    key("end", "bare_king", Type::Text, r#"bare_king = "none""#),
    key("end", "repetition", Type::Integer, "repetition = 3"),
    key("end", "no_progress_plies", Type::Integer, "no_progress_plies = 200"),
    key("dice", "no_move", Type::Text, r#"no_move = "reroll""#),
];

/// The tables of the format.
pub(super) const TABLES: &[&str] = &["source", "board", "piece", "promotion", "leap", "end", "dice"];

/// A key of a table.
pub(super) fn find(table: &str, name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.table == table && key.name == name)
}

/// The names that a table (`""` is the top level) may hold.
pub(super) fn names(table: &str) -> Vec<&'static str> {
    let mut names: Vec<_> = KEYS.iter().filter(|key| key.table == table).map(|key| key.name).collect();
    if table.is_empty() {
        names.extend(TABLES);
    }
    names
}

/// True for what ids and piece keys look like: a lower-case letter, then lower-case letters, digits and hyphens.
pub(super) fn is_id(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
