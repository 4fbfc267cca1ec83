use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};

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
    #[error("game {game}: none of {tries} random openings could be kept: {hint}")]
    Opening {
        /// The game.
        game: u64,
        /// Openings drawn.
        tries: u16,
        /// What to do.
        hint: String,
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
}

/// Plays all games of a run on `threads` threads (at least 1), and hands them to `sink` in the order of their numbers,
/// on the thread that calls. `progress` sees the sums after each game.
///
/// # Errors
/// If the configuration is wrong, the first game in order that finds no opening, or what `sink` says.
pub fn play_all<E: From<SelfplayError>>(
    reading: &Arc<Reading>,
    evaluator: &Evaluator,
    config: &Config,
    threads: usize,
    sink: &mut dyn FnMut(Record) -> Result<(), E>,
    progress: &mut dyn FnMut(&Summary),
) -> Result<Summary, E> {
    config.check(&reading.rules).map_err(SelfplayError::from)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    let pool = pool.map_err(|error| SelfplayError::Threads { threads, why: error.to_string() })?;
    let workers = u64::try_from(pool.current_num_threads()).unwrap_or(1).min(config.games);
    let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    pool.in_place_scope(|scope| {
        for _ in 0..workers {
            let sender = sender.clone();
            let (next, stopped) = (&next, &stopped);
            scope.spawn(move |_| {
                let mut search = Search::new(config.hash_mib.into());
                while !stopped.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= config.games {
                        break;
                    }
                    let played = play_game(reading, evaluator, config, &mut search, config.first_game + at);
                    if sender.send((at, played)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let result = in_order(&receiver, sink, progress);
        stopped.store(true, Ordering::Relaxed);
        result
    })
}

type Finished = (u64, Result<Played, SelfplayError>);

/// Hands games on in order; a game that is done before its turn waits.
fn in_order<E: From<SelfplayError>>(
    receiver: &mpsc::Receiver<Finished>,
    sink: &mut dyn FnMut(Record) -> Result<(), E>,
    progress: &mut dyn FnMut(&Summary),
) -> Result<Summary, E> {
    let mut summary = Summary::default();
    let mut waiting = BTreeMap::new();
    for (at, played) in receiver {
        waiting.insert(at, played);
        while let Some(played) = waiting.remove(&summary.counts.games) {
            let Played { record, nodes } = played?;
            summary.counts.add(&record);
            summary.nodes += nodes;
            sink(record)?;
            progress(&summary);
        }
    }
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
