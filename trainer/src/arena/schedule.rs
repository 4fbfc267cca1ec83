use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

use acedrex_engine::search::Search;

use super::pair::{Pair, Terms};
use super::player::{Loaded, Player};
use crate::selfplay::SelfplayError;

/// Why a match came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// The terms are wrong, or there is no balanced opening.
    #[error(transparent)]
    Selfplay(#[from] SelfplayError),
    /// An engine cannot be started at all.
    #[error("engine {number}: {fault}: {detail}")]
    Start {
        /// 1 or 2.
        number: usize,
        /// What it does instead.
        fault: super::player::Fault,
        /// More about it.
        detail: String,
    },
}

/// Plays `pairs` pairs, `concurrency` games at a time (at least 1), and hands them to `sink` in the order of their
/// numbers on the thread that calls, until it breaks. What was handed over does not depend on `concurrency` if the
/// engines' moves do not depend on time.
///
/// # Errors
/// If the terms are wrong, an engine does not start, the first pair in order that finds no opening, or what `sink` says.
pub fn play_match<E: From<ArenaError>>(
    terms: &Terms,
    engines: &[Loaded; 2],
    pairs: u64,
    concurrency: usize,
    sink: &mut dyn FnMut(Pair) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let refuse = |error: SelfplayError| ArenaError::Selfplay(error);
    terms.config(pairs).check(&terms.reading.rules).map_err(|error| refuse(error.into()))?;
    for (index, engine) in engines.iter().enumerate() {
        let ready = engine.player().new_game(&terms.reading);
        ready.map_err(|(fault, detail)| ArenaError::Start { number: index + 1, fault, detail })?;
    }
    let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..concurrency.max(1) {
            let sender = sender.clone();
            let (next, stopped) = (&next, &stopped);
            scope.spawn(move || {
                let mut players: Option<[Box<dyn Player>; 2]> = None;
                let mut search = Search::new(1);
                loop {
                    let pair = next.fetch_add(1, Ordering::Relaxed);
                    if pair >= pairs || stopped.load(Ordering::Relaxed) {
                        break;
                    }
                    let players = players.get_or_insert_with(|| [engines[0].player(), engines[1].player()]);
                    let played = terms.play_pair(players, &mut search, pair, stopped).transpose();
                    let Some(played) = played else { break };
                    if sender.send((pair, played)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let result = in_order(&receiver, sink);
        stopped.store(true, Ordering::Relaxed);
        result
    })
}

type Finished = (u64, Result<Pair, SelfplayError>);

/// Hands pairs on in order; one that is done before its turn waits.
fn in_order<E: From<ArenaError>>(
    receiver: &mpsc::Receiver<Finished>,
    sink: &mut dyn FnMut(Pair) -> Result<ControlFlow<()>, E>,
) -> Result<(), E> {
    let (mut turn, mut waiting) = (0, BTreeMap::new());
    for (pair, played) in receiver {
        waiting.insert(pair, played);
        while let Some(played) = waiting.remove(&turn) {
            turn += 1;
            if sink(played.map_err(ArenaError::Selfplay)?)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}
