use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::event::{Event, Report};
use crate::board::Board;
use crate::eval::Evaluator;
use crate::game::Position;
use crate::movegen::{MoveGen, perft};
use crate::rules::Tables;
use crate::search::{Control, Limits, Search, SearchResult};

/// Work for the search thread.
pub(super) enum Job {
    Search {
        evaluator: Arc<Evaluator>,
        limits: Limits,
        /// Time does not run until [`Thinker::ponder_hit`].
        pondering: bool,
    },
    /// Count sequences of this many moves, at least 1.
    Perft(u32),
}

/// What came of a job.
#[derive(Debug)]
pub(super) enum Answer {
    Found(SearchResult),
    /// The count below each move, sorted by the move's text; `false` if it was stopped.
    Counted(Vec<(String, u64)>, bool),
    /// An order that has no result was carried out.
    Ready,
    /// The table has this size in MiB.
    Sized(usize),
    /// The thread has died, which is a bug.
    Failed,
}

/// What the search thread is asked for. It answers each order once.
enum Order {
    Work {
        id: u64,
        position: Box<Position>,
        job: Job,
        threads: usize,
        control: Arc<Control>,
    },
    Clear,
    Hash(usize),
    /// Nothing: the answer says that all before it is done.
    Sync,
}

/// The search thread. It lives on between searches: a thread that wakes runs at once even on a busy machine, a new one
/// waits for its turn.
struct Worker {
    orders: Sender<Order>,
    answers: Receiver<Answer>,
}

/// Commands the search thread, which owns the search's memory.
pub(super) struct Thinker {
    events: Sender<Event>,
    worker: Option<Worker>,
    hash_mib: usize,
    threads: usize,
    /// The number of the search under way, and how to end it.
    running: Option<(u64, Arc<Control>)>,
    last: u64,
}

/// Says that a search has ended, however it did.
struct Bell(Sender<Event>, u64);

impl Drop for Bell {
    fn drop(&mut self) {
        let _ = self.0.send(Event::Done(self.1));
    }
}

/// Stack of the search thread: the recursion is at most a few hundred frames deep.
const STACK_BYTES: usize = 16 << 20;

impl Thinker {
    pub(super) fn new(events: Sender<Event>, hash_mib: usize, threads: usize) -> std::io::Result<Thinker> {
        let mut thinker = Thinker { events, worker: None, hash_mib, threads, running: None, last: 0 };
        thinker.worker()?;
        Ok(thinker)
    }

    /// The search thread; a new one if the last has died.
    fn worker(&mut self) -> std::io::Result<&Worker> {
        let worker = match self.worker.take() {
            Some(worker) => worker,
            None => {
                let ((orders, received), (sender, answers)) = (channel(), channel());
                let (events, hash_mib) = (self.events.clone(), self.hash_mib);
                let builder = std::thread::Builder::new().name("search".to_owned()).stack_size(STACK_BYTES);
                builder.spawn(move || work(&received, &sender, &events, hash_mib))?;
                Worker { orders, answers }
            }
        };
        Ok(self.worker.insert(worker))
    }

    /// Gives an order to an idle worker and waits until it is carried out.
    fn order(&mut self, order: Order) -> Option<Answer> {
        self.halt();
        let worker = self.worker().ok()?;
        let answer = worker.orders.send(order).ok().and_then(|()| worker.answers.recv().ok());
        if answer.is_none() {
            self.worker = None;
        }
        answer
    }

    /// True if this is the number of the search under way.
    pub(super) fn is_current(&self, id: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.0 == id)
    }

    /// Waits until an idle worker is ready to search at once: that its table has been set up.
    pub(super) fn wait_until_ready(&mut self) {
        if self.running.is_none() {
            let _ = self.order(Order::Sync);
        }
    }

    /// Starts a job; one that runs is ended first and its answer lost.
    pub(super) fn start(&mut self, position: Position, job: Job) -> std::io::Result<()> {
        self.halt();
        self.last += 1;
        let (id, control, threads) = (self.last, Arc::new(Control::default()), self.threads);
        control.reset(matches!(job, Job::Search { pondering: true, .. }));
        let position = Box::new(position);
        let order = Order::Work { id, position, job, threads, control: Arc::clone(&control) };
        if self.worker()?.orders.send(order).is_err() {
            self.worker = None;
            return Err(std::io::Error::other("the search thread has died"));
        }
        self.running = Some((id, control));
        Ok(())
    }

    /// Asks the search to end; [`Event::Done`] follows.
    pub(super) fn stop(&self) {
        if let Some((_, control)) = &self.running {
            control.stop();
        }
    }

    /// The move pondered on was played: time runs from now.
    pub(super) fn ponder_hit(&self) {
        if let Some((_, control)) = &self.running {
            control.ponder_hit();
        }
    }

    /// The answer of the search that has just ended; `None` if that was another one.
    pub(super) fn collect(&mut self, id: u64) -> Option<Answer> {
        if !self.is_current(id) {
            return None;
        }
        self.halt()
    }

    /// Ends the search and waits for it: a millisecond or two. Its later events bear an old number.
    pub(super) fn halt(&mut self) -> Option<Answer> {
        let (_, control) = self.running.take()?;
        control.stop();
        match self.worker.as_ref().and_then(|worker| worker.answers.recv().ok()) {
            Some(answer) => Some(answer),
            None => {
                self.worker = None;
                Some(Answer::Failed)
            }
        }
    }

    /// Forgets what was learnt; ends a search.
    pub(super) fn clear(&mut self) {
        let _ = self.order(Order::Clear);
    }

    /// Sets the table's size, which stays as it is if there is not so much memory: the size set. Ends a running search,
    /// and forgets what was learnt.
    pub(super) fn set_hash(&mut self, mib: usize) -> usize {
        self.halt();
        if mib != self.hash_mib {
            self.hash_mib = mib;
            if let Some(Answer::Sized(mib)) = self.order(Order::Hash(mib)) {
                self.hash_mib = mib;
            }
        }
        self.hash_mib
    }

    /// Sets the number of threads from the next search on.
    pub(super) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }
}

/// The search thread: ends with the loop that gives it orders.
fn work(orders: &Receiver<Order>, answers: &Sender<Answer>, events: &Sender<Event>, hash_mib: usize) {
    let mut size = hash_mib;
    let mut search = Search::try_new(size).unwrap_or_else(|| {
        size = 1;
        Search::new(size)
    });
    for order in orders {
        // Rung last, after the answer is ready.
        let mut bell = None;
        let answer = match order {
            Order::Sync => Answer::Ready,
            Order::Clear => {
                search.clear();
                Answer::Ready
            }
            Order::Hash(mib) => {
                // The old table goes before the new one comes, and comes back if that one does not fit.
                search = Search::new(1);
                size = if let Some(other) = Search::try_new(mib) {
                    search = other;
                    mib
                } else {
                    search = Search::try_new(size).unwrap_or(search);
                    size
                };
                Answer::Sized(size)
            }
            Order::Work { id, position, job, threads, control } => {
                bell = Some(Bell(events.clone(), id));
                match job {
                    Job::Perft(depth) => count(&position, depth, &control),
                    Job::Search { evaluator, limits, .. } => {
                        search.set_threads(threads);
                        let report = |info: &crate::search::Info<'_>| {
                            let _ = events.send(Event::Report(id, Report::new(info)));
                        };
                        Answer::Found(search.run_controlled(&position, &evaluator, &limits, &control, report))
                    }
                }
            }
        };
        if answers.send(answer).is_err() {
            return;
        }
        drop(bell);
    }
}

/// Counts below every move of the root, sorted by text.
fn count(position: &Position, depth: u32, control: &Control) -> Answer {
    let tables = &position.reading().tables;
    let mut board = position.board().clone();
    let mut counts = Vec::new();
    for mv in position.legal_moves() {
        let undo = board.make(tables, mv);
        let nodes = count_below(tables, &mut board, depth.saturating_sub(1), control);
        board.unmake(tables, mv, undo);
        counts.push((position.format_move(mv), nodes));
    }
    counts.sort_unstable();
    Answer::Counted(counts, !control.is_stopped())
}

/// As [`perft`], which it leaves the last plies to, but ends when it is told to.
fn count_below(tables: &Tables, board: &mut Board, depth: u32, control: &Control) -> u64 {
    if depth <= 2 {
        return if control.is_stopped() { 0 } else { perft(tables, board, depth) };
    }
    let mut nodes: u64 = 0;
    let moves = MoveGen::new(tables, board).moves();
    for mv in moves {
        if control.is_stopped() {
            return nodes;
        }
        let undo = board.make(tables, mv);
        nodes = nodes.saturating_add(count_below(tables, board, depth - 1, control));
        board.unmake(tables, mv, undo);
    }
    nodes
}
