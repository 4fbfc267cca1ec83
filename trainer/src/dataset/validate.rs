use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use acedrex_engine::rules::Reading;
use acedrex_engine::search::DICE_WIN;
use acedrex_engine::types::MATE;

use super::{DatasetError, Duplicates, Reader, Repeat, Run};
use crate::selfplay::{
    Config, Counts, End, GameResult, Record, Referee, Replay, ReplayError, Step, expect_opening, final_hash,
};

/// Why a file is not valid.
#[derive(Debug, thiserror::Error)]
pub enum Invalid {
    /// It cannot be read, or a game breaks the rules.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// It does not hold the games that its header announces.
    #[error("{}: found {found}, expected {expected}; the header and the games do not belong together", path.display())]
    Run {
        /// The file.
        path: PathBuf,
        /// What it holds.
        found: String,
        /// What its header announces.
        expected: String,
    },
}

/// What a valid file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Valid {
    /// What its games add up to.
    pub counts: Counts,
    /// Games that are, move by move, an earlier game of their run.
    pub duplicate_games: u64,
    /// Games that began like an earlier one of their run, duplicate games included.
    pub duplicate_openings: u64,
}

/// Plays every game of a dataset again. Every move must be legal, no game may go on after its end, result and end must be
/// those of the rules and of the run's configuration, scores must be possible ones, and the last position must have the
/// hash that was stored. The numbers of the games must be those of the run; all of them where the header calls it
/// complete. Duplicates are counted; they are no fault of a file.
///
/// # Errors
/// The first fault.
pub fn validate<R: Read>(mut reader: Reader<R>, reading: &Arc<Reading>) -> Result<Valid, Invalid> {
    reader.expect_rules(&reading.rules)?;
    let path = reader.path().to_owned();
    let wrong = |found: String, expected: String| Err(Invalid::Run { path: path.clone(), found, expected });
    let runs = reader.header().runs.clone();
    for config in runs.iter().filter_map(|run| run.config.as_ref()) {
        if let Err(error) = config.check(&reading.rules) {
            return wrong(error.to_string(), "a configuration that can be played".into());
        }
    }
    let mut valid = Valid::default();
    let mut games = vec![0u64; runs.len()];
    let mut duplicates = Duplicates::default();
    let mut record = Record::default();
    while reader.read(&mut record)? {
        let stream = usize::from(record.stream);
        let Some(run) = runs.get(stream) else { continue };
        if let Some(range) = run.games().filter(|range| !range.contains(&record.game)) {
            let expected =
                format!("games {} to {} of run {stream}", range.start, range.end.saturating_sub(1));
            return wrong(format!("game {}", record.game), expected);
        }
        check(&record, run, reading).map_err(|fault| DatasetError::Game { path: path.clone(), fault })?;
        games[stream] += 1;
        valid.counts.add(&record);
        let repeat = duplicates.add(&record);
        valid.duplicate_games += u64::from(repeat == Some(Repeat::Game));
        valid.duplicate_openings += u64::from(repeat.is_some());
    }
    for (stream, (run, &games)) in runs.iter().zip(&games).enumerate() {
        let Some(config) = &run.config else { continue };
        let (all, dropped) = (config.games, run.duplicates_dropped);
        let there = format!("{games} games of run {stream} and {dropped} dropped as duplicates");
        if run.complete && !run.is_all(games) {
            return wrong(there, format!("{all}, since the run is called complete"));
        }
        if games.saturating_add(dropped) > all {
            return wrong(there, format!("at most {all}"));
        }
    }
    Ok(valid)
}

/// Plays one game again.
pub(super) fn check(record: &Record, run: &Run, reading: &Arc<Reading>) -> Result<(), ReplayError> {
    let mut replay = record.replay(reading)?;
    match &run.config {
        Some(config) => check_run(record, config, reading, &mut replay)?,
        None => check_rules(record, &mut replay)?,
    }
    if final_hash(replay.position()) == record.final_hash {
        return Ok(());
    }
    fault(
        record,
        record.plies.len(),
        "another hash of the last position",
        format!("that of {}", replay.position().fen()),
    )
}

fn fault(
    record: &Record,
    ply: usize,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> Result<(), ReplayError> {
    Err(ReplayError { game: record.game, ply, found: found.into(), expected: expected.into() })
}

/// A game of a run of which the configuration is known.
fn check_run(
    record: &Record,
    config: &Config,
    reading: &Arc<Reading>,
    replay: &mut Replay<'_>,
) -> Result<(), ReplayError> {
    let opening = config.opening.plies;
    if record.opening_plies != opening || record.plies.len() <= usize::from(opening) {
        let found = format!("{} random plies of {}", record.opening_plies, record.plies.len());
        return fault(record, 0, found, format!("{opening} random plies and more that are not"));
    }
    expect_opening(record, config, reading)?;
    let mut referee = Referee::new(config);
    let mut last = None;
    while let Some(step) = replay.next_step()? {
        // The verdict on the ply before: the game should have ended there.
        if let Some(score) = last
            && let Some((result, end)) = referee.after(step.position, score)
        {
            let expected = format!("no move: the game has ended, {result} by {end}");
            return fault(record, step.ply, step.mv.to_string(), expected);
        }
        let searched = !step.opening && !step.mv.is_none();
        if searched != step.score_white_cp.is_some() {
            let found = step.score_white_cp.map_or("no score".into(), |score| score.to_string());
            let expected = if searched { "a score" } else { "none: nothing was searched" };
            return fault(record, step.ply, found, expected);
        }
        if step.die.is_some() != config.dice {
            let found = step.die.map_or("no die".into(), |die| format!("die {die}"));
            return fault(record, step.ply, found, if config.dice { "a throw of the die" } else { "no die" });
        }
        check_score(record, &step)?;
        last = Some(step.score_white_cp);
    }
    let verdict = referee.after(replay.position(), last.flatten());
    if verdict == Some((record.result, record.end)) {
        return Ok(());
    }
    let expected = verdict.map_or("that it goes on".into(), |(result, end)| format!("{result} by {end}"));
    fault(record, record.plies.len(), format!("{} by {}", record.result, record.end), expected)
}

/// A game of which only the rules are known: where they do not end it, it may have been broken off or called.
fn check_rules(record: &Record, replay: &mut Replay<'_>) -> Result<(), ReplayError> {
    let over = |replay: &Replay<'_>| End::of(replay.position().outcome());
    while let Some(step) = replay.next_step()? {
        if let Some((result, end)) = End::of(step.position.outcome()) {
            let expected = format!("no move: the game has ended, {result} by {end}");
            return fault(record, step.ply, step.mv.to_string(), expected);
        }
        check_score(record, &step)?;
    }
    let (found, verdict) = (format!("{} by {}", record.result, record.end), over(replay));
    let kings = record.end == End::AdjudicatedKings;
    let right = match verdict {
        Some(verdict) => verdict == (record.result, record.end),
        None if kings => {
            record.result == GameResult::Draw && crate::selfplay::only_kings(replay.position().board())
        }
        None => !matches!(record.end, End::Rule(_)),
    };
    if right {
        return Ok(());
    }
    let expected = verdict.map_or("that it goes on, is broken off or is called".into(), |(result, end)| {
        format!("{result} by {end}")
    });
    fault(record, record.plies.len(), found, expected)
}

fn check_score(record: &Record, step: &Step<'_>) -> Result<(), ReplayError> {
    let most = if step.die.is_some() { DICE_WIN } else { MATE };
    match step.score_white_cp {
        Some(score) if i32::from(score).abs() > most => {
            fault(record, step.ply, format!("the score {score}"), format!("-{most} to {most} cp"))
        }
        _ => Ok(()),
    }
}
