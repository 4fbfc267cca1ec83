use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use acedrex_engine::game::FenWriter;
use acedrex_engine::rules::Reading;

use super::filter::{Filter, for_each_position};
use super::{DatasetError, Reader};
use crate::output::Output;
use crate::selfplay::{Record, Step};

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

/// Writes positions into a file.
pub(super) trait Sink {
    /// Writes a position: false if the format has no place for it.
    fn row(&mut self, record: &Record, step: &Step<'_>) -> io::Result<bool>;
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
        ExportFormat::Csv => Box::new(Lines::new(output, csv_row, &(CSV_COLUMNS.join(",") + "\n"))),
        ExportFormat::Text => Box::new(Lines::new(output, text_row, "")),
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => Box::new(super::parquet::Table::new(output).map_err(&failed)?),
    };
    let mut written = 0;
    let (_, all) = for_each_position(reader, reading, filter, |record, step| {
        written += u64::from(sink.row(record, step).map_err(&failed)?);
        Ok(())
    })?;
    sink.finish().map_err(&failed)?;
    Ok((written, all))
}

/// Writes a line for each position.
struct Lines<F> {
    output: Output,
    line: F,
    fens: FenWriter,
    /// Lines that are not in the file yet.
    text: String,
}

impl<F: Fn(&Record, &Step<'_>, &mut FenWriter, &mut String) -> bool> Lines<F> {
    /// Bytes to write at a time.
    const BYTES: usize = 1 << 16;

    fn new(output: Output, line: F, head: &str) -> Lines<F> {
        Lines { output, line, fens: FenWriter::new(), text: head.to_owned() }
    }
}

impl<F: Fn(&Record, &Step<'_>, &mut FenWriter, &mut String) -> bool> Sink for Lines<F> {
    fn row(&mut self, record: &Record, step: &Step<'_>) -> io::Result<bool> {
        let written = (self.line)(record, step, &mut self.fens, &mut self.text);
        if self.text.len() >= Self::BYTES {
            self.output.write_all(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(written)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.output.write_all(self.text.as_bytes())?;
        self.output.commit()
    }
}

/// Appends a row of the CSV. No cell has a comma or a quotation mark in it.
fn csv_row(record: &Record, step: &Step<'_>, fens: &mut FenWriter, text: &mut String) -> bool {
    let flag = |set| if set { "1," } else { "0," };
    number(text, record.game);
    number(text, step.ply);
    text.push_str(fens.fen(step.position));
    text.push(',');
    step.position.write_move(step.mv, text);
    text.push(',');
    match step.score_white_cp {
        Some(score) => number(text, score),
        None => text.push(','),
    }
    text.push_str(record.result.name());
    text.push(',');
    for set in [step.in_check, step.capture, step.opening] {
        text.push_str(flag(set));
    }
    match step.die {
        Some(die) => number(text, die),
        None => text.push(','),
    }
    text.push_str(record.end.name());
    text.push(',');
    number(text, record.stream);
    number(text, record.openings_tried);
    // The comma after the last cell.
    text.pop();
    text.push('\n');
    true
}

/// Appends a number and a comma.
fn number(text: &mut String, number: impl itoa::Integer) {
    text.push_str(itoa::Buffer::new().format(number));
    text.push(',');
}

/// Appends a line `FEN | score | result`.
fn text_row(record: &Record, step: &Step<'_>, fens: &mut FenWriter, text: &mut String) -> bool {
    let (Some(score), Some(points)) = (step.score_white_cp, record.result.white_points()) else {
        return false;
    };
    text.push_str(fens.fen(step.position));
    text.push_str(" | ");
    text.push_str(itoa::Buffer::new().format(score));
    text.push_str(match points {
        1.0 => " | 1.0\n",
        0.5 => " | 0.5\n",
        _ => " | 0.0\n",
    });
    true
}
