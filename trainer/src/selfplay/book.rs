use std::collections::HashSet;
use std::sync::Arc;

use acedrex_engine::game::{FenError, Outcome, Position};
use acedrex_engine::rules::{Reading, hex};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::dice::below;
use super::game::stream;

/// The stream that shuffles books: no game has this number.
const SHUFFLE: u64 = u64::MAX;

/// Positions for games to begin from. In files it is a hash: whoever plays from it loads it again.
#[derive(Clone, Debug, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Book {
    /// SHA-256 of the book's file, 64 hexadecimal digits.
    pub sha256: String,
    /// FENs, in the order in which games take them.
    #[serde(skip)]
    fens: Arc<[String]>,
}

impl PartialEq for Book {
    fn eq(&self, other: &Book) -> bool {
        self.sha256 == other.sha256
    }
}

/// What is wrong with a book.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    /// It is no TOML file of positions.
    #[error("{file}, line {line}: {why}; expected positions = [\"FEN or EPD\", ...]")]
    Toml {
        /// The file, as it was named.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What the parser says.
        why: String,
    },
    /// A position is not one of the reading.
    #[error("{file}, line {line}: {why}")]
    Position {
        /// The file, as it was named.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// It has no position.
    #[error("{file}: found no position, expected one a line as FEN or EPD")]
    Empty {
        /// The file, as it was named.
        file: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlBook {
    positions: Vec<toml::Spanned<String>>,
}

impl Book {
    /// Reads a book: TOML if the file's name ends so, otherwise a FEN or EPD line for each position, with empty lines and
    /// lines that begin with `#` between them. The seed is that of the run: it decides the order.
    ///
    /// # Errors
    /// The first line that is no position of this reading with the game going on, or if there is none.
    pub fn parse(reading: &Arc<Reading>, seed: u64, file: &str, text: &str) -> Result<Book, BookError> {
        let sha256 = hex(&Sha256::digest(text).into());
        // As some editors mark UTF-8.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line_at = |offset: usize| text[..offset.min(text.len())].matches('\n').count() + 1;
        let lines: Vec<(usize, String)> = if file.ends_with(".toml") {
            let book: TomlBook = toml::from_str(text).map_err(|error| BookError::Toml {
                file: file.to_owned(),
                line: error.span().map_or(1, |span| line_at(span.start)),
                why: error.message().to_owned(),
            })?;
            let positions = book.positions.into_iter();
            positions.map(|position| (line_at(position.span().start), position.into_inner())).collect()
        } else {
            let numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim().to_owned()));
            numbered.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).collect()
        };
        let mut fens = Vec::with_capacity(lines.len());
        for (line, entry) in lines {
            let problem = |why: String| BookError::Position { file: file.to_owned(), line, why };
            let position = position(reading, &entry).map_err(|error| problem(error.to_string()))?;
            if position.outcome() != Outcome::Ongoing {
                return Err(problem(format!("found the end of a game, {entry:?}; expected that it goes on")));
            }
            fens.push(position.fen());
        }
        if fens.is_empty() {
            return Err(BookError::Empty { file: file.to_owned() });
        }
        let mut rng = stream(reading, seed, SHUFFLE);
        for last in (1..fens.len()).rev() {
            let bound = u32::try_from(last + 1).unwrap_or(u32::MAX);
            fens.swap(last, below(&mut rng, bound) as usize);
        }
        Ok(Book { sha256, fens: fens.into() })
    }

    /// How many different positions it has; `None` if it is known by its hash alone.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        let different: HashSet<&String> = self.fens.iter().collect();
        (!different.is_empty()).then_some(different.len() as u64)
    }

    /// The FEN that a game begins from; `None` if the book is known by its hash alone.
    #[must_use]
    pub fn fen(&self, game: u64) -> Option<&str> {
        let count = self.fens.len() as u64;
        let index = usize::try_from(game.checked_rem(count)?).ok()?;
        self.fens.get(index).map(String::as_str)
    }
}

/// A position from a line in either notation: EPD has operations, which end in a semicolon, or three or four fields.
fn position(reading: &Arc<Reading>, line: &str) -> Result<Position, FenError> {
    if line.contains(';') || line.split_whitespace().count() < 5 {
        return Position::from_epd(reading, line).map(|(position, _)| position);
    }
    Position::from_fen(reading, line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use acedrex_engine::cli::load_reading;

    #[test]
    fn fen_epd_and_toml_name_the_same_positions_in_an_order_of_the_seed() {
        let reading = load_reading("murray").unwrap();
        let mut position = Position::start(&reading);
        let mut lines = Vec::new();
        for _ in 0..6 {
            let mv = position.legal_moves().into_iter().max().unwrap();
            position.play(mv);
            lines.push(position.fen());
        }
        let plain = format!("# a book\n\n{}\n", lines.join("\n"));
        let epd = lines.iter().map(|fen| {
            let fields: Vec<&str> = fen.split(' ').collect();
            format!("{} {} {} hmvc {}; fmvn {};\n", fields[0], fields[1], fields[2], fields[3], fields[4])
        });
        let toml =
            format!("positions = [\n{}]\n", lines.iter().map(|l| format!("\"{l}\",\n")).collect::<String>());
        let order = |file: &str, text: &str, seed| {
            let book = Book::parse(&reading, seed, file, text).unwrap();
            (0..6).map(|game| book.fen(game).unwrap().to_owned()).collect::<Vec<_>>()
        };
        let first = order("b.epd", &plain, 1);
        assert_eq!(first, order("b.epd", &epd.collect::<String>(), 1));
        assert_eq!(first, order("b.toml", &toml, 1));
        for (file, text) in [("b.epd", &plain), ("b.epd", &lines.join("\r\n")), ("b.toml", &toml)] {
            assert_eq!(first, order(file, &format!("\u{feff}{text}"), 1), "{file}");
        }
        assert_ne!(first, order("b.epd", &plain, 2));
        let mut sorted = [first, lines];
        sorted.iter_mut().for_each(|list| list.sort());
        assert_eq!(sorted[0], sorted[1]);
        let book = Book::parse(&reading, 1, "b.epd", &plain).unwrap();
        assert_eq!(book.fen(13), book.fen(1));
        let json = serde_json::to_string(&book).unwrap();
        let known: Book = serde_json::from_str(&json).unwrap();
        assert!(known == book && known.fen(0).is_none(), "{json}");
    }

    #[test]
    fn a_bad_book_is_refused_with_its_line() {
        let reading = load_reading("murray").unwrap();
        let fen = Position::start(&reading).fen();
        let bare = "k11/12/12/12/12/12/12/12/12/12/12/11K w - 0 1";
        for (file, text, says) in [
            ("b.epd", String::new(), "b.epd: found no position"),
            ("b.epd", "# nothing\n".to_owned(), "found no position"),
            ("b.epd", format!("{fen}\n\nnonsense\n"), "b.epd, line 3: "),
            ("b.epd", format!("{fen}\n{bare}\n"), "b.epd, line 2: found the end of a game"),
            ("b.toml", format!("positions = [\"{fen}\",\n\"x\"]"), "b.toml, line 2: "),
            ("b.toml", "positions = 3".to_owned(), "b.toml, line 1: "),
            ("b.toml", "fens = []".to_owned(), "expected positions"),
            ("b.toml", "positions = []".to_owned(), "found no position"),
        ] {
            let error = Book::parse(&reading, 1, file, &text).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
