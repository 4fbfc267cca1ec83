use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use acedrex_engine::rules::Reading;

use super::{DatasetError, Reader};
use crate::output::Output;

/// The columns of the CSV: one row for each position in which a move was made.
///
/// `ply` counts the plies played before; `move` has the promotion letter where there is one, or is `pass`;
/// `score_white_cp` is empty where nothing was searched; `result` is `1-0`, `1/2-1/2`, `0-1` or `*` (unfinished);
/// `in_check`, `capture` and `opening` (a random ply) are 0 or 1; `die` is empty without dice.
pub const CSV_COLUMNS: [&str; 10] =
    ["game", "ply", "fen", "move", "score_white_cp", "result", "in_check", "capture", "opening", "die"];

/// Writes a dataset as CSV, which appears under its name when it is complete. Returns the number of rows.
///
/// # Errors
/// If the dataset is damaged, was made with other rules or breaks them, or the file cannot be written.
pub fn export<R: Read>(reader: Reader<R>, reading: &Arc<Reading>, out: &Path) -> Result<u64, DatasetError> {
    reader.expect_rules(&reading.rules)?;
    let failed = |source: io::Error| DatasetError::Write { path: out.to_owned(), source };
    let csv_failed = |error: csv::Error| failed(io::Error::other(error));
    let mut csv = csv::Writer::from_writer(Output::create(out).map_err(failed)?);
    csv.write_record(CSV_COLUMNS).map_err(csv_failed)?;
    let path = reader.path().to_owned();
    let mut rows = 0;
    for record in reader {
        let record = record?;
        let (game, result) = (record.game.to_string(), record.result.to_string());
        let broken = |source| DatasetError::Game { path: path.clone(), source };
        let mut replay = record.replay(reading).map_err(broken)?;
        while let Some(step) = replay.next_step().map_err(broken)? {
            let flag = |set| if set { "1" } else { "0" };
            csv.write_record([
                &game,
                &step.ply.to_string(),
                &step.position.fen(),
                &step.position.format_move(step.mv),
                &step.score_white_cp.map_or(String::new(), |score| score.to_string()),
                &result,
                flag(step.in_check),
                flag(step.capture),
                flag(step.opening),
                &step.die.map_or(String::new(), |die| die.to_string()),
            ])
            .map_err(csv_failed)?;
            rows += 1;
        }
    }
    let output = csv.into_inner().map_err(|error| failed(error.into_error()))?;
    output.commit().map_err(failed)?;
    Ok(rows)
}
