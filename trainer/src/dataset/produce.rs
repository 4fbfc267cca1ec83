use std::path::Path;
use std::sync::Arc;

use acedrex_engine::eval::Evaluator;
use acedrex_engine::rules::Reading;

use super::{DatasetError, Header, Writer};
use crate::selfplay::{Config, SelfplayError, Summary, play_all};

/// Plays a run's games on `threads` threads into a dataset file, game by game in order. The file appears under its
/// name when it is complete; its bytes do not depend on `threads`. `weights_id` is what
/// [`crate::selfplay::weights_id`] says of the weights in `evaluator`; `progress` sees the sums after each game.
///
/// # Errors
/// If the configuration is wrong, an opening cannot be found, or the file cannot be written. No file is left then.
pub fn play_to_file(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    weights_id: &str,
    config: &Config,
    threads: usize,
    out: &Path,
    progress: &mut dyn FnMut(&Summary),
) -> Result<Summary, DatasetError> {
    config.check(&reading.rules).map_err(SelfplayError::from)?;
    let mut writer = Writer::create(out, &Header::new(&reading.rules, weights_id, config))?;
    let summary =
        play_all(reading, evaluator, config, threads, &mut |record| writer.push(&record), progress)?;
    writer.finish()?;
    Ok(summary)
}
