use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use acedrex_engine::rules::Reading;

use super::filter::{Filter, for_each_position};
use super::{DatasetError, Reader};
use crate::output::Output;
use crate::selfplay::{GameResult, Record, Step};

/// The columns of the CSV: one row for each position in which a move was made.
///
/// `ply` counts the plies played before; `move` has the promotion letter where there is one, or is `pass`;
/// `score_white_cp` is empty where nothing was searched; `result` is `1-0`, `1/2-1/2`, `0-1` or `*` (unfinished);
/// `in_check`, `capture` and `opening` (a random ply) are 0 or 1; `die` is empty without dice. `end` says why the game
/// ended, `stream` which of the header's runs it belongs to, `openings_tried` how many openings were drawn for it.
pub const CSV_COLUMNS: [&str; 13] = [
    "game",
    "ply",
    "fen",
    "move",
    "score_white_cp",
    "result",
    "in_check",
    "capture",
    "opening",
    "die",
    "end",
    "stream",
    "openings_tried",
];

/// What a dataset can be exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// A table with [`CSV_COLUMNS`].
    Csv,
    /// A line `FEN | score | result` for each position of a finished game that has a score: centipawns for White, and
    /// White's points (1.0, 0.5 or 0.0).
    Text,
    /// A table with the columns of the CSV and their types, compressed with Snappy.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: &[ExportFormat] = &[
        ExportFormat::Csv,
        ExportFormat::Text,
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet,
    ];

    /// `csv`, `text` or `parquet`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ExportFormat::Csv => "csv",
            ExportFormat::Text => "text",
            #[cfg(feature = "parquet")]
            ExportFormat::Parquet => "parquet",
        }
    }

    /// The format that a file's name asks for by its ending: `.txt` and `.epd` are text.
    #[must_use]
    pub fn of(path: &Path) -> Option<ExportFormat> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let ending = if ["txt", "epd"].contains(&&ending[..]) { "text" } else { &ending };
        ExportFormat::ALL.iter().copied().find(|format| format.name() == ending)
    }
}

/// One position to be written.
pub(super) struct Row<'a> {
    pub(super) record: &'a Record,
    pub(super) step: &'a Step<'a>,
    pub(super) fen: &'a str,
    pub(super) mv: &'a str,
}

/// Writes positions into a file.
pub(super) trait Sink {
    /// Writes a position: false if the format has no place for it.
    fn row(&mut self, row: &Row<'_>) -> io::Result<bool>;
    /// Writes what is left, and gives the file its name.
    fn finish(self: Box<Self>) -> io::Result<()>;
}

/// Writes the positions of a dataset that `filter` takes into a file, which appears under its name when it is complete.
/// Returns how many were written and how many there are.
///
/// # Errors
/// If the dataset is damaged, was made with other rules or breaks them, or the file cannot be written.
pub fn export<R: Read>(
    reader: Reader<R>,
    reading: &Arc<Reading>,
    filter: &Filter,
    format: ExportFormat,
    out: &Path,
) -> Result<(u64, u64), DatasetError> {
    reader.expect_rules(&reading.rules)?;
    let failed = DatasetError::write(out);
    let output = Output::create(out).map_err(&failed)?;
    let mut sink: Box<dyn Sink> = match format {
        ExportFormat::Csv => Box::new(Csv::new(output).map_err(&failed)?),
        ExportFormat::Text => Box::new(Text { output, line: String::new() }),
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => Box::new(super::parquet::Table::new(output).map_err(&failed)?),
    };
    let (mut fen, mut mv, mut written) = (String::new(), String::new(), 0);
    let (_, all) = for_each_position(reader, reading, filter, |record, step| {
        fen.clear();
        mv.clear();
        step.position.write_fen(&mut fen);
        step.position.write_move(step.mv, &mut mv);
        let row = Row { record, step, fen: &fen, mv: &mv };
        written += u64::from(sink.row(&row).map_err(&failed)?);
        Ok(())
    })?;
    sink.finish().map_err(&failed)?;
    Ok((written, all))
}

struct Csv {
    writer: csv::Writer<Output>,
    number: itoa::Buffer,
}

impl Csv {
    fn new(output: Output) -> io::Result<Csv> {
        let mut writer = csv::Writer::from_writer(output);
        writer.write_record(CSV_COLUMNS)?;
        Ok(Csv { writer, number: itoa::Buffer::new() })
    }

    fn number(&mut self, number: Option<impl itoa::Integer>) -> csv::Result<()> {
        self.writer.write_field(number.map_or("", |number| self.number.format(number)))
    }

    fn flag(&mut self, set: bool) -> csv::Result<()> {
        self.writer.write_field(if set { "1" } else { "0" })
    }
}

impl Sink for Csv {
    fn row(&mut self, row: &Row<'_>) -> io::Result<bool> {
        let Row { record, step, fen, mv } = row;
        self.number(Some(record.game))?;
        self.number(Some(step.ply))?;
        self.writer.write_field(fen)?;
        self.writer.write_field(mv)?;
        self.number(step.score_white_cp)?;
        self.writer.write_field(record.result.name())?;
        self.flag(step.in_check)?;
        self.flag(step.capture)?;
        self.flag(step.opening)?;
        self.number(step.die)?;
        self.writer.write_field(record.end.name())?;
        self.number(Some(record.stream))?;
        self.number(Some(record.openings_tried))?;
        self.writer.write_record(None::<&[u8]>)?;
        Ok(true)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.writer.into_inner().map_err(csv::IntoInnerError::into_error)?.commit()
    }
}

struct Text {
    output: Output,
    line: String,
}

impl Sink for Text {
    fn row(&mut self, row: &Row<'_>) -> io::Result<bool> {
        let result = match row.record.result {
            GameResult::WhiteWins => "1.0",
            GameResult::Draw => "0.5",
            GameResult::BlackWins => "0.0",
            GameResult::Unfinished => return Ok(false),
        };
        let Some(score) = row.step.score_white_cp else { return Ok(false) };
        self.line.clear();
        writeln!(self.line, "{} | {score} | {result}", row.fen).map_err(io::Error::other)?;
        self.output.write_all(self.line.as_bytes())?;
        Ok(true)
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.output.commit()
    }
}
