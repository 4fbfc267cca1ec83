use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::game::Position;
use acedrex_engine::rules::{Reading, hex};
use acedrex_engine::types::Move;
use sha2::{Digest, Sha256};

use super::error::open;
use super::header::PROGRAM;
use super::lines::Lines;
use super::validate::check;
use super::{CSV_COLUMNS, DatasetError, Header, Run, Writer};
use crate::selfplay::{Counts, End, GameResult, Ply, Record, ReplayError, final_hash};

/// Columns without which there is no game.
const NEEDED: [&str; 5] = ["game", "ply", "move", "result", "end"];
/// What the rows follow from the rest, and is not read.
const DERIVED: [&str; 2] = ["in_check", "capture"];
const WHOLE: &str = "a table for import holds whole games as `dataset export` writes them without filters";

/// Makes a dataset of a CSV table with the columns of [`super::export()`] in any order: whole games, their rows together and in
/// order. `fen`, `score_white_cp`, `opening`, `die`, `stream` and `openings_tried` may be missing; `fen` counts in the first
/// row of a game, where it is the start if it is not the array. Moves, results and ends are checked as [`super::validate()`]
/// checks them.
///
/// The header is that of `like`, a dataset of the same run or runs, or says that how the games were played is not known.
///
/// # Errors
/// The first row that is wrong, or a file that cannot be read or written: then there is no dataset.
pub fn import(
    input: &Path,
    reading: &Arc<Reading>,
    like: Option<&Header>,
    out: &Path,
) -> Result<Counts, DatasetError> {
    let header = match like {
        Some(header) => header.clone(),
        None => unknown(input, reading)?,
    };
    let mut table = Table::open(input, reading)?;
    let mut writer = Writer::create(out, &header)?;
    let mut counts = Counts::default();
    let mut games = vec![0; header.runs.len()];
    while let Some(record) = table.next_game()? {
        // A stream without a run, and what else no dataset holds, the writer refuses.
        writer.push(&record).map_err(|error| table.unwritable(error))?;
        if let Some(run) = header.run(record.stream) {
            check(&record, run, reading).map_err(|fault| table.fault(fault))?;
            games[usize::from(record.stream)] += 1;
        }
        counts.add(&record);
    }
    for (number, (run, games)) in header.runs.iter().zip(games).enumerate() {
        if run.complete && !run.is_all(games) {
            let found = format!("the end after {games} games of run {number}");
            let expected = "all of it, as the dataset that this is to be like has them";
            return Err(table.error(table.csv.get_ref().last(), found, expected));
        }
    }
    writer.finish()?;
    Ok(counts)
}

/// The header of games of which only the table is known: its hash tells one import from another.
fn unknown(input: &Path, reading: &Reading) -> Result<Header, DatasetError> {
    let failed = DatasetError::read(input);
    let (mut hash, mut bytes) = (Sha256::new(), vec![0; 1 << 16]);
    let mut file = open(input, "a table", "csv")?;
    loop {
        let read = file.read(&mut bytes).map_err(&failed)?;
        if read == 0 {
            break;
        }
        hash.update(&bytes[..read]);
    }
    let program = format!("{PROGRAM}, import of {}", hex(&hash.finalize().into()));
    let run = Run { config: None, weights: String::new(), program, complete: false, duplicates_dropped: 0 };
    Ok(Header::of(&reading.rules, run))
}

struct Table<'a> {
    path: PathBuf,
    reading: &'a Arc<Reading>,
    csv: csv::Reader<Lines<BufReader<File>>>,
    /// Where each of [`CSV_COLUMNS`] is.
    columns: [Option<usize>; CSV_COLUMNS.len()],
    /// A row that has been read and not used, and its line.
    row: Option<csv::StringRecord>,
    line: u64,
    /// The line of each ply of the game that was read last.
    lines: Vec<u64>,
}

impl<'a> Table<'a> {
    fn open(path: &Path, reading: &'a Arc<Reading>) -> Result<Table<'a>, DatasetError> {
        let file = open(path, "a table", "csv")?;
        let mut csv = csv::Reader::from_reader(Lines::new(BufReader::new(file)));
        let names = csv.headers().cloned().map_err(|error| csv_error(path, &mut csv, error))?;
        let line = csv.get_mut().line_at(0);
        let wrong = |found: String, expected: String| {
            let (path, hint) = (path.to_owned(), WHOLE);
            Err(DatasetError::Table { path, line, found, expected, hint })
        };
        let mut columns = [None; CSV_COLUMNS.len()];
        for (at, name) in names.iter().enumerate() {
            match CSV_COLUMNS.iter().position(|known| *known == name) {
                Some(column) if columns[column].is_some() => {
                    return wrong(format!("the column {name:?} once more"), "each column once".into());
                }
                Some(column) => columns[column] = Some(at),
                None => return wrong(format!("the column {:?}", shorten(name)), CSV_COLUMNS.join(", ")),
            }
        }
        let there = |name: &&str| names.iter().any(|other| other == *name);
        if let Some(missing) = NEEDED.iter().find(|name| !there(name)) {
            return wrong(format!("no column {missing:?}"), NEEDED.join(", "));
        }
        let mut table =
            Table { path: path.to_owned(), reading, csv, columns, row: None, line: 1, lines: Vec::new() };
        table.advance()?;
        Ok(table)
    }

    fn advance(&mut self) -> Result<(), DatasetError> {
        let mut row = self.row.take().unwrap_or_default();
        let read = self.csv.read_record(&mut row);
        if read.map_err(|error| csv_error(&self.path, &mut self.csv, error))? {
            self.line = self.csv.get_mut().line_at(row.position().map_or(0, csv::Position::byte));
            self.row = Some(row);
        }
        Ok(())
    }

    /// A cell of the present row; empty if there is no such column.
    fn cell(&self, name: &str) -> &str {
        debug_assert!(!DERIVED.contains(&name));
        let column = CSV_COLUMNS.iter().position(|known| *known == name);
        let at = column.and_then(|column| self.columns[column]);
        self.row.as_ref().zip(at).and_then(|(row, at)| row.get(at)).unwrap_or_default()
    }

    fn error(&self, line: u64, found: String, expected: impl Into<String>) -> DatasetError {
        DatasetError::Table { path: self.path.clone(), line, found, expected: expected.into(), hint: WHOLE }
    }

    fn wrong<T>(&self, name: &str, expected: impl Into<String>) -> Result<T, DatasetError> {
        Err(self.error(self.line, format!("{name} {:?}", shorten(self.cell(name))), expected))
    }

    /// What is wrong with the game that was read last, where it is: what is wrong with its end in its last line.
    fn fault(&self, fault: ReplayError) -> DatasetError {
        let line = self.lines.get(fault.ply).or(self.lines.last()).copied().unwrap_or(1);
        self.error(line, format!("{} in game {}", fault.found, fault.game), fault.expected)
    }

    /// Why the game that was read last cannot be written, where it begins.
    fn unwritable(&self, error: DatasetError) -> DatasetError {
        match error {
            DatasetError::Record { game, found, expected } => {
                let line = self.lines.first().copied().unwrap_or(1);
                self.error(line, format!("{found} in game {game}"), expected)
            }
            error => error,
        }
    }

    /// A cell as a number; `None` if it is empty.
    fn number<T: std::str::FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>, DatasetError> {
        match self.cell(name) {
            "" => Ok(None),
            text => text.parse().map_or_else(|_| self.wrong(name, expected), |number| Ok(Some(number))),
        }
    }

    fn id(&self) -> Result<(u16, u64), DatasetError> {
        let stream = self.number("stream", "the number of a run, 0 to 65534")?.unwrap_or(0);
        match self.number("game", "a whole number")? {
            Some(game) => Ok((stream, game)),
            None => self.wrong("game", "a whole number"),
        }
    }

    /// The next game; `None` at the end.
    fn next_game(&mut self) -> Result<Option<Record>, DatasetError> {
        if self.row.is_none() {
            return Ok(None);
        }
        let (stream, game) = self.id()?;
        let result = GameResult::ALL.into_iter().find(|result| result.name() == self.cell("result"));
        let end = End::ALL.into_iter().find(|end| end.name() == self.cell("end"));
        let Some(result) = result else { return self.wrong("result", "1-0, 1/2-1/2, 0-1 or *") };
        let Some(end) = end else { return self.wrong("end", End::ALL.map(End::name).join(", ")) };
        let openings_tried = self.number("openings_tried", "0 to 65535")?.unwrap_or(0);
        let (mut position, start) = self.start()?;
        let mut record = Record { stream, game, start, openings_tried, result, end, ..Record::default() };
        self.lines.clear();
        while self.row.is_some() && self.id()? == (stream, game) {
            self.lines.push(self.line);
            self.ply(&mut record, &mut position)?;
            self.advance()?;
        }
        record.final_hash = final_hash(&position);
        Ok(Some(record))
    }

    /// The position in which a game begins, and its FEN if it is not the array.
    fn start(&self) -> Result<(Position, Option<String>), DatasetError> {
        let array = Position::start(self.reading);
        let fen = self.cell("fen");
        if fen.is_empty() || fen == array.fen() {
            return Ok((array, None));
        }
        match Position::from_fen(self.reading, fen) {
            Ok(position) => Ok((position, Some(fen.to_owned()))),
            Err(error) => self.wrong("fen", format!("a position of {}: {error}", self.reading.rules.id)),
        }
    }

    /// Adds the present row to a game.
    fn ply(&self, record: &mut Record, position: &mut Position) -> Result<(), DatasetError> {
        let ply = record.plies.len();
        if self.cell("ply") != ply.to_string() {
            return self.wrong("ply", format!("{ply}, the next of game {}", record.game));
        }
        for (name, value) in [("result", record.result.name()), ("end", record.end.name())] {
            if self.cell(name) != value {
                return self.wrong(name, format!("{value}, as in the game's first row"));
            }
        }
        let tried = self.number("openings_tried", "0 to 65535")?.unwrap_or(0);
        if tried != record.openings_tried {
            return self
                .wrong("openings_tried", format!("{}, as in the game's first row", record.openings_tried));
        }
        if self.cell("opening") == "1" {
            if usize::from(record.opening_plies) < ply {
                return self.wrong("opening", "0: random plies come first in a game");
            }
            record.opening_plies += 1;
        } else if !["", "0"].contains(&self.cell("opening")) {
            return self.wrong("opening", "1 for a random ply, 0 for others");
        }
        let die: Option<u8> = self.number("die", "1 to 8, or nothing")?;
        if die.is_some_and(|die| !(1..=8).contains(&die)) {
            return self.wrong("die", "1 to 8, or nothing");
        }
        let score_white_cp = self.number("score_white_cp", "-32767 to 32767, or nothing")?;
        if score_white_cp == Some(i16::MIN) {
            return self.wrong("score_white_cp", "-32767 to 32767, or nothing");
        }
        let mv = match self.cell("move") {
            // Whether one may pass is checked with the whole game.
            "pass" if die.is_some() => Move::NONE,
            text => match position.parse_move(text) {
                Ok(mv) => mv,
                Err(error) => return self.wrong("move", format!("a legal move: {error}")),
            },
        };
        if ply >= usize::from(u16::MAX) {
            return self.wrong("ply", "at most 65535 plies");
        }
        position.play(mv);
        record.plies.push(Ply { mv, score_white_cp, die });
        Ok(())
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}

fn csv_error(path: &Path, csv: &mut csv::Reader<Lines<BufReader<File>>>, error: csv::Error) -> DatasetError {
    let line = csv.get_mut().line_at(error.position().map_or(0, csv::Position::byte));
    let (found, expected) = match error.into_kind() {
        csv::ErrorKind::Io(error) => return DatasetError::read(path)(error),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            (format!("{len} cells"), format!("{expected_len}, as in the first line"))
        }
        csv::ErrorKind::Utf8 { .. } => ("bytes that are no UTF-8".to_owned(), "text in UTF-8".to_owned()),
        other => (format!("{other:?}"), "a table of games".to_owned()),
    };
    DatasetError::Table { path: path.to_owned(), line, found, expected, hint: WHOLE }
}
