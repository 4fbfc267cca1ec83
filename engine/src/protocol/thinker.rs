use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

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
    /// The thread has died, which is a bug.
    Failed,
}

struct Running {
    id: u64,
    control: Arc<Control>,
    thread: JoinHandle<(Option<Search>, Answer)>,
}

/// Owns the search's memory, and the thread to which it lends it.
pub(super) struct Thinker {
    events: Sender<Event>,
    search: Option<Search>,
    hash_mib: usize,
    threads: usize,
    running: Option<Running>,
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
    pub(super) fn new(events: Sender<Event>, hash_mib: usize, threads: usize) -> Thinker {
        Thinker { events, search: None, hash_mib, threads, running: None, last: 0 }
    }

    /// True if this is the number of the search under way.
    pub(super) fn is_current(&self, id: u64) -> bool {
        self.running.as_ref().is_some_and(|running| running.id == id)
    }

    /// Starts a job; one that runs is ended first and its answer lost.
    pub(super) fn start(&mut self, position: Position, job: Job) -> std::io::Result<()> {
        self.halt();
        self.last += 1;
        let (id, control) = (self.last, Arc::new(Control::default()));
        control.reset(matches!(job, Job::Search { pondering: true, .. }));
        let search = self.search.take();
        let (hash_mib, threads) = (self.hash_mib, self.threads);
        let (events, commanded) = (self.events.clone(), Arc::clone(&control));
        let work = move || {
            let _bell = Bell(events.clone(), id);
            match job {
                Job::Perft(depth) => (search, count(&position, depth, &commanded)),
                Job::Search { evaluator, limits, .. } => {
                    let mut search = search.unwrap_or_else(|| Search::new(hash_mib));
                    search.set_threads(threads);
                    let report = |info: &crate::search::Info<'_>| {
                        let _ = events.send(Event::Report(id, Report::new(info)));
                    };
                    let found = search.run_controlled(&position, &evaluator, &limits, &commanded, report);
                    (Some(search), Answer::Found(found))
                }
            }
        };
        let builder = std::thread::Builder::new().name("search".to_owned()).stack_size(STACK_BYTES);
        self.running = Some(Running { id, control, thread: builder.spawn(work)? });
        Ok(())
    }

    /// Asks the search to end; [`Event::Done`] follows.
    pub(super) fn stop(&self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }

    /// The move pondered on was played: time runs from now.
    pub(super) fn ponder_hit(&self) {
        if let Some(running) = &self.running {
            running.control.ponder_hit();
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
        let running = self.running.take()?;
        running.control.stop();
        let Ok((search, answer)) = running.thread.join() else { return Some(Answer::Failed) };
        self.search = search;
        Some(answer)
    }

    /// Forgets what was learnt; ends a search.
    pub(super) fn clear(&mut self) {
        self.halt();
        if let Some(search) = &mut self.search {
            search.clear();
        }
    }

    /// Sets the table's size from the next search on; ends a running one, and forgets what was learnt.
    pub(super) fn set_hash(&mut self, mib: usize) {
        self.halt();
        if mib != self.hash_mib {
            (self.search, self.hash_mib) = (None, mib);
        }
    }

    /// Sets the number of threads from the next search on.
    pub(super) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
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
