use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use acedrex_engine::eval::{Evaluator, Weights};
use acedrex_engine::rules::{Reading, Ruleset, hex};
use acedrex_engine::search::Search;
use sha2::{Digest, Sha256};

use super::game::play_game;
use super::{Config, ConfigError, Counts, Played, Record};

/// Why a run came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum SelfplayError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// No opening was kept.
    #[error("game {game}: found {found}: {hint}")]
    Opening {
        /// The game.
        game: u64,
        /// How many were drawn, and from where.
        found: String,
        /// What to do.
        hint: String,
    },
    /// There is too little memory.
    #[error(
        "found too little memory for {tables} transposition tables of {mib} MiB, one a thread: ask for less with --hash, or \
         for fewer --threads"
    )]
    Memory {
        /// Tables, one for each thread that has a game to play.
        tables: u64,
        /// Size of each.
        mib: u16,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {why}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system says.
        why: String,
    },
}

/// What a run added up to. It depends on what the games depend on, and on nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Games, positions, results, ends and openings.
    pub counts: Counts,
    /// Nodes searched, those that judged openings included.
    pub nodes: u64,
    /// Games left out because an earlier one has the same opening; they are not among the counts.
    pub duplicates: u64,
}

impl Summary {
    /// Adds a game.
    pub fn add(&mut self, played: &Played) {
        self.counts.add(&played.record);
        self.nodes += played.nodes;
    }
}

/// How long `sink` may wait for a game before it is called without one.
const IDLE: Duration = Duration::from_millis(500);

/// Plays the games of a run but for those that `known` names, on `threads` threads (at least 1), and hands each to `sink`
/// on the thread that calls as soon as it is finished, whatever its number. Half a second after the last call `sink` is
/// called with `None`. The threads that play never wait for it.
///
/// # Errors
/// If the configuration is wrong, the first game by number that finds no opening (games that run are finished and handed
/// over before), or what `sink` says.
pub fn play_as_they_come<E: From<SelfplayError>>(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    config: &Config,
    threads: usize,
    known: &(dyn Fn(u64) -> bool + Sync),
    sink: &mut dyn FnMut(Option<Played>) -> Result<(), E>,
) -> Result<(), E> {
    config.check(&reading.rules).map_err(SelfplayError::from)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    let pool = pool.map_err(|error| SelfplayError::Threads { threads, why: error.to_string() })?;
    let workers = u64::try_from(pool.current_num_threads()).unwrap_or(1).min(config.games);
    let searches: Option<Vec<Search>> =
        (0..workers).map(|_| Search::try_new(config.hash_mib.into())).collect();
    let searches = searches.ok_or(SelfplayError::Memory { tables: workers, mib: config.hash_mib })?;
    let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    pool.in_place_scope(|scope| {
        for mut search in searches {
            let sender = sender.clone();
            let (next, stopped) = (&next, &stopped);
            scope.spawn(move |_| {
                while !stopped.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= config.games {
                        break;
                    }
                    let game = config.first_game + at;
                    if known(game) {
                        continue;
                    }
                    let played = play_game(reading, evaluator, config, &mut search, game);
                    if sender.send((game, played)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let result = hand_over(&receiver, &stopped, sink);
        stopped.store(true, Ordering::Relaxed);
        result
    })
}

type Finished = (u64, Result<Played, SelfplayError>);

fn hand_over<E: From<SelfplayError>>(
    receiver: &mpsc::Receiver<Finished>,
    stopped: &AtomicBool,
    sink: &mut dyn FnMut(Option<Played>) -> Result<(), E>,
) -> Result<(), E> {
    // Games begin in the order of their numbers: none with a smaller number than a failed one's is still to begin.
    let mut failed: Option<(u64, SelfplayError)> = None;
    loop {
        match receiver.recv_timeout(IDLE) {
            Ok((_, Ok(played))) => sink(Some(played))?,
            Ok((game, Err(error))) => {
                stopped.store(true, Ordering::Relaxed);
                if failed.as_ref().is_none_or(|(first, _)| game < *first) {
                    failed = Some((game, error));
                }
            }
            Err(RecvTimeoutError::Timeout) => sink(None)?,
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    failed.map_or(Ok(()), |(_, error)| Err(error.into()))
}

/// Plays all games of a run on `threads` threads (at least 1), and hands them to `sink` in the order of their numbers,
/// on the thread that calls. `progress` sees the sums after each game.
///
/// # Errors
/// If the configuration is wrong, the first game by number that finds no opening, or what `sink` says.
pub fn play_all<E: From<SelfplayError>>(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    config: &Config,
    threads: usize,
    sink: &mut dyn FnMut(Record) -> Result<(), E>,
    progress: &mut dyn FnMut(&Summary),
) -> Result<Summary, E> {
    let mut summary = Summary::default();
    // A game that is done before its turn waits.
    let mut waiting = BTreeMap::new();
    let mut in_order = |played: Option<Played>| {
        waiting.extend(played.map(|played| (played.record.game, played)));
        while let Some(played) = waiting.remove(&(config.first_game + summary.counts.games)) {
            summary.add(&played);
            sink(played.record)?;
            progress(&summary);
        }
        Ok::<(), E>(())
    };
    play_as_they_come(reading, evaluator, config, threads, &|_| false, &mut in_order)?;
    Ok(summary)
}

/// As [`play_all`], with the games in memory.
///
/// # Errors
/// If the configuration is wrong, or the first game in order that finds no opening.
pub fn play_in_memory(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    config: &Config,
    threads: usize,
) -> Result<(Vec<Record>, Summary), SelfplayError> {
    let mut records = Vec::new();
    let mut sink = |record| {
        records.push(record);
        Ok::<_, SelfplayError>(())
    };
    let summary = play_all(reading, evaluator, config, threads, &mut sink, &mut |_| {})?;
    Ok((records, summary))
}

/// The name of weights in datasets: SHA-256 of their values for these rules, whatever file they came from.
#[must_use]
pub fn weights_id(rules: &Ruleset, weights: &Weights) -> String {
    hex(&Sha256::digest(weights.to_toml(rules, "")).into())
}
