use std::collections::{BTreeMap, BTreeSet};
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
    #[error("engine {number} is not ready: {detail}")]
    Start {
        /// 1 or 2.
        number: usize,
        /// What it does instead.
        detail: String,
    },
}

/// Takes the pairs of a match as they come.
pub trait Sink<E> {
    /// A pair is finished, whatever its number. Pairs that were there before are not handed over here.
    ///
    /// # Errors
    /// Whatever is to stop the match.
    fn finished(&mut self, pair: &Pair) -> Result<(), E>;

    /// It is this pair's turn, in the order of their numbers; a break ends the match.
    ///
    /// # Errors
    /// Whatever is to stop the match.
    fn next(&mut self, pair: Pair) -> Result<ControlFlow<()>, E>;
}

/// Plays `pairs` pairs, `concurrency` games at a time (at least 1), but for those that `done` holds, and hands all of
/// them to `sink` on the thread that calls, until it breaks. What is handed over in order does not depend on
/// `concurrency` or `done` if the engines' moves do not depend on time.
///
/// # Errors
/// If the terms are wrong, an engine does not start, the first pair in order that finds no opening, or what `sink` says.
pub fn play_match<E: From<ArenaError>>(
    terms: &Terms,
    engines: &[Loaded; 2],
    pairs: u64,
    concurrency: usize,
    mut done: BTreeMap<u64, Pair>,
    sink: &mut dyn Sink<E>,
) -> Result<(), E> {
    terms.check(pairs).map_err(ArenaError::Selfplay)?;
    done.retain(|&pair, _| pair < pairs);
    let known: BTreeSet<u64> = done.keys().copied().collect();
    let waiting = done.into_iter().map(|(pair, played)| (pair, Ok(played))).collect();
    let mut queue = Queue { turn: 0, waiting };
    if queue.hand_on(sink)?.is_break() || queue.turn == pairs {
        return Ok(());
    }
    for (index, engine) in engines.iter().enumerate() {
        let ready = engine.player().new_game(&terms.reading);
        ready.map_err(|(_, detail)| ArenaError::Start { number: index + 1, detail: engine.blame(detail) })?;
    }
    let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..concurrency.max(1) {
            let sender = sender.clone();
            let (next, stopped, known) = (&next, &stopped, &known);
            scope.spawn(move || {
                let mut players: Option<[Box<dyn Player>; 2]> = None;
                let mut search = Search::new(1);
                loop {
                    let pair = next.fetch_add(1, Ordering::Relaxed);
                    if pair >= pairs || stopped.load(Ordering::Relaxed) {
                        break;
                    }
                    if known.contains(&pair) {
                        continue;
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
        let result = queue.receive(&receiver, sink);
        stopped.store(true, Ordering::Relaxed);
        result
    })
}

type Finished = Result<Pair, SelfplayError>;

/// Hands pairs on in order; one that is done before its turn waits.
struct Queue {
    turn: u64,
    waiting: BTreeMap<u64, Finished>,
}

impl Queue {
    fn hand_on<E: From<ArenaError>>(&mut self, sink: &mut dyn Sink<E>) -> Result<ControlFlow<()>, E> {
        while let Some(played) = self.waiting.remove(&self.turn) {
            self.turn += 1;
            if sink.next(played.map_err(ArenaError::Selfplay)?)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn receive<E: From<ArenaError>>(
        &mut self,
        receiver: &mpsc::Receiver<(u64, Finished)>,
        sink: &mut dyn Sink<E>,
    ) -> Result<(), E> {
        for (pair, played) in receiver {
            if let Ok(played) = &played {
                sink.finished(played)?;
            }
            self.waiting.insert(pair, played);
            if self.hand_on(sink)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}
