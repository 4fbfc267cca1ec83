use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::types::{Move, Score};

/// When a search ends: at the first limit reached, and in any case once the deepest line is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Nodes of all threads, at least 1.
    pub nodes: Option<u64>,
    /// Nodes of all threads after which no new iteration begins, at least 1.
    pub soft_nodes: Option<u64>,
    /// Depth in plies, at least 1.
    pub depth: Option<u32>,
    /// Time that is never exceeded. Searches limited by time differ from run to run.
    pub time: Option<Duration>,
    /// Time after which no new iteration begins, if the choice is neither settled nor in doubt: then it is 0.4 to 2.5 of
    /// this, and nothing if there is only one move.
    pub soft_time: Option<Duration>,
    /// End once a mate in at most this many moves of the side to move is found.
    pub mate: Option<u32>,
    /// The root moves to search; empty for all.
    pub moves: Vec<Move>,
    /// Number of best lines to find, at least 1.
    pub lines: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            nodes: None,
            soft_nodes: None,
            depth: None,
            time: None,
            soft_time: None,
            mate: None,
            moves: Vec::new(),
            lines: 1,
        }
    }
}

impl Limits {
    /// A limit of nodes alone.
    #[must_use]
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A limit of depth alone.
    #[must_use]
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }
}

/// How another thread commands a running search.
#[derive(Debug, Default)]
pub struct Control {
    stop: AtomicBool,
    pondering: AtomicBool,
}

impl Control {
    /// Ends the search at its next node.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Makes the next search possible after [`Control::stop`]; with `pondering` its time does not run until
    /// [`Control::ponder_hit`].
    pub fn reset(&self, pondering: bool) {
        self.stop.store(false, Relaxed);
        self.pondering.store(pondering, Relaxed);
    }

    /// The move pondered on was played: time runs from now.
    pub fn ponder_hit(&self) {
        self.pondering.store(false, Relaxed);
    }

    /// True once [`Control::stop`] was called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }
}

/// What one finished iteration found.
#[derive(Clone, Debug)]
pub struct Info<'a> {
    /// Its depth in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// Number of the line, from 1 for the best.
    pub line: usize,
    /// Score in centipawns for the side to move.
    pub score: Score,
    /// Nodes of all threads since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
    /// How full the transposition table is, in thousandths.
    pub hashfull: usize,
    /// The principal variation.
    pub pv: &'a [Move],
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play; `None` if there is no legal one.
    pub best: Option<Move>,
    /// Its score in centipawns for the side to move.
    pub score: Score,
    /// The last finished depth.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// The principal variation.
    pub pv: Vec<Move>,
}

/// What the threads of one search share.
pub(super) struct Shared<'a> {
    pub(super) control: &'a Control,
    /// Set when the first thread has finished, or any has seen that the time is up.
    pub(super) done: AtomicBool,
    /// Nodes of the other threads.
    pub(super) helper_nodes: AtomicU64,
}

impl<'a> Shared<'a> {
    pub(super) fn new(control: &'a Control) -> Shared<'a> {
        Shared { control, done: AtomicBool::new(false), helper_nodes: AtomicU64::new(0) }
    }
}

/// Nodes between looks at the clock and at commands.
const LOOK_EVERY: u64 = 512;

/// Counts a thread's nodes against the limits.
pub(super) struct Clock<'a> {
    pub(super) nodes: u64,
    pub(super) stopped: bool,
    most_nodes: u64,
    limit: Option<Duration>,
    soft: Option<Duration>,
    started: Instant,
    /// True if the search began as a ponder search.
    pondered: bool,
    /// When time began to run: later than `started` after pondering.
    running: Option<Instant>,
    shared: &'a Shared<'a>,
    helper: bool,
    counted: u64,
}

impl<'a> Clock<'a> {
    pub(super) fn new(limits: &Limits, shared: &'a Shared<'a>, helper: bool) -> Clock<'a> {
        Clock {
            nodes: 0,
            stopped: shared.control.is_stopped(),
            most_nodes: if helper { u64::MAX } else { limits.nodes.unwrap_or(u64::MAX) },
            limit: limits.time,
            soft: limits.soft_time,
            started: Instant::now(),
            pondered: shared.control.pondering.load(Relaxed),
            running: None,
            shared,
            helper,
            counted: 0,
        }
    }

    /// Counts a node; true if the search must end before it.
    #[inline]
    pub(super) fn tick(&mut self) -> bool {
        if self.stopped {
            return true;
        }
        if self.nodes >= self.most_nodes {
            self.stopped = true;
            return true;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(LOOK_EVERY) {
            self.look();
        }
        self.stopped
    }

    fn look(&mut self) {
        if self.helper {
            self.shared.helper_nodes.fetch_add(self.nodes - self.counted, Relaxed);
            self.counted = self.nodes;
            // With more threads than processors the first one may not run when its time is up.
            if self.limit.is_some_and(|most| self.spent() >= most) {
                self.shared.done.store(true, Relaxed);
            }
            self.stopped = self.shared.done.load(Relaxed);
        } else {
            let others = self.shared.helper_nodes.load(Relaxed);
            self.stopped = self.shared.done.load(Relaxed)
                || self.limit.is_some_and(|most| self.spent() >= most)
                || others > 0 && self.nodes.saturating_add(others) >= self.most_nodes;
        }
        self.stopped |= self.shared.control.is_stopped();
    }

    /// Time that counts against the limits.
    fn spent(&mut self) -> Duration {
        if self.shared.control.pondering.load(Relaxed) {
            return Duration::ZERO;
        }
        let begun = || if self.pondered { Instant::now() } else { self.started };
        let since = *self.running.get_or_insert_with(begun);
        since.elapsed()
    }

    /// True if another iteration should not begin, with the soft time stretched by this factor.
    pub(super) fn is_late(&mut self, stretch: f64) -> bool {
        self.soft.is_some_and(|most| self.spent().as_secs_f64() >= most.as_secs_f64() * stretch)
    }

    /// True if another iteration should not begin because of the nodes there were.
    pub(super) fn is_full(&self, limits: &Limits) -> bool {
        limits.soft_nodes.is_some_and(|most| self.all_nodes() >= most)
    }

    /// Nodes of all threads.
    pub(super) fn all_nodes(&self) -> u64 {
        self.nodes + self.shared.helper_nodes.load(Relaxed)
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
