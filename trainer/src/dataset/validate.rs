use std::collections::HashSet;
use std::io::Read;
use std::sync::Arc;

use acedrex_engine::rules::Reading;

use super::finalise::opening;
use super::{DatasetError, Reader};
use crate::selfplay::{
    Config, Counts, OpeningKind, Record, Referee, ReplayError, expect_opening, first_opening,
};

/// Why a file is not valid.
#[derive(Debug, thiserror::Error)]
pub enum Invalid {
    /// It cannot be read, or a move is not legal.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// It does not hold the games that its header announces.
    #[error("{path}: found {found}, expected {expected}; the header and the games do not belong together")]
    Run {
        /// The file.
        path: String,
        /// What it holds.
        found: String,
        /// What its header announces.
        expected: String,
    },
}

/// Plays every game of a dataset again: every move must be legal, no game may go on after its end, and result and end
/// must be those of the rules and of the run's configuration. Returns what the games add up to.
///
/// # Errors
/// The first fault.
pub fn validate<R: Read>(reader: Reader<R>, reading: &Arc<Reading>) -> Result<Counts, Invalid> {
    reader.expect_rules(&reading.rules)?;
    let (path, config) = (reader.path().to_owned(), reader.header().config.clone());
    let run = |found: String, expected: String| {
        Err(Invalid::Run { path: path.display().to_string(), found, expected })
    };
    if let Err(error) = config.check(&reading.rules) {
        return run(error.to_string(), "a configuration that can be played".into());
    }
    let mut counts = Counts::default();
    let (mut next, end) = (config.first_game, config.first_game.saturating_add(config.games));
    let mut openings = HashSet::new();
    // A game may be left out if an earlier one has its opening. Which openings a search calls balanced is not looked into.
    let left_out = |game: u64, openings: &HashSet<[u8; 32]>| {
        let uniform = config.opening.kind == OpeningKind::Uniform;
        !uniform
            || first_opening(reading, &config, game)
                .is_some_and(|record| openings.contains(&opening(&record)))
    };
    for record in reader {
        let record = record?;
        if !(next..end).contains(&record.game) {
            return run(format!("game {}", record.game), format!("a game from {next} to {}", end - 1));
        }
        if let Some(game) = (next..record.game).find(|&game| !left_out(game, &openings)) {
            return run(format!("game {}", record.game), format!("game {game}"));
        }
        next = record.game + 1;
        openings.insert(opening(&record));
        check(&record, &config, reading)
            .map_err(|source| DatasetError::Game { path: path.clone(), source })?;
        counts.add(&record);
    }
    if let Some(game) = (next..end).find(|&game| !left_out(game, &openings)) {
        return run(format!("{} games", counts.games), format!("game {game} too"));
    }
    Ok(counts)
}

fn check(record: &Record, config: &Config, reading: &Arc<Reading>) -> Result<(), ReplayError> {
    let fault = |ply: usize, found: String, expected: String| {
        Err(ReplayError { game: record.game, ply, found, expected })
    };
    let opening = config.opening.plies;
    if record.opening_plies != opening || record.plies.len() <= usize::from(opening) {
        let found = format!("{} random plies of {}", record.opening_plies, record.plies.len());
        return fault(0, found, format!("{opening} random plies and more that are not"));
    }
    expect_opening(record, config, reading)?;
    let mut referee = Referee::new(config);
    let mut replay = record.replay(reading)?;
    let mut last = None;
    while let Some(step) = replay.next_step()? {
        let (ply, mv, score, die) = (step.ply, step.mv, step.score_white_cp, step.die);
        let searched = !step.opening && !mv.is_none();
        // The verdict on the ply before: the game should have ended there.
        if let Some(score) = last
            && let Some((result, end)) = referee.after(step.position, score)
        {
            return fault(ply, format!("{mv}"), format!("no move: the game has ended, {result} by {end}"));
        }
        if searched != score.is_some() {
            let expected = if searched { "a score" } else { "none: nothing was searched" };
            return fault(ply, score.map_or("no score".into(), |s| s.to_string()), expected.into());
        }
        if die.is_some() != config.dice {
            let expected = if config.dice { "a throw of the die" } else { "no die" };
            return fault(ply, die.map_or("no die".into(), |die| format!("die {die}")), expected.into());
        }
        last = Some(score);
    }
    let verdict = referee.after(replay.position(), last.flatten());
    if verdict == Some((record.result, record.end)) {
        return Ok(());
    }
    let expected = verdict.map_or("that it goes on".into(), |(result, end)| format!("{result} by {end}"));
    fault(record.plies.len(), format!("{} by {}", record.result, record.end), expected)
}
