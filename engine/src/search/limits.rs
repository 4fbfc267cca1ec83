use std::time::{Duration, Instant};

use crate::types::{Move, Score};

/// When a search ends: at the first limit reached, and in any case once the deepest line is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Nodes, at least 1.
    pub nodes: Option<u64>,
    /// Depth in plies, at least 1.
    pub depth: Option<u32>,
    /// Time. Searches limited by it alone differ from run to run.
    pub time: Option<Duration>,
}

/// What one finished iteration found.
#[derive(Clone, Debug)]
pub struct Info<'a> {
    /// Its depth in plies.
    pub depth: u32,
    /// Score in centipawns for the side to move.
    pub score: Score,
    /// Nodes since the search began.
    pub nodes: u64,
    /// Time since the search began.
    pub time: Duration,
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

/// Counts nodes against the limits.
pub(super) struct Clock {
    pub(super) nodes: u64,
    pub(super) stopped: bool,
    limits: Limits,
    started: Instant,
}

impl Clock {
    pub(super) fn new(limits: Limits) -> Clock {
        Clock { nodes: 0, stopped: false, limits, started: Instant::now() }
    }

    /// Counts a node; true if the search must end before it.
    #[inline]
    pub(super) fn tick(&mut self) -> bool {
        if self.stopped {
            return true;
        }
        if self.limits.nodes.is_some_and(|most| self.nodes >= most) {
            self.stopped = true;
            return true;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024)
            && self.limits.time.is_some_and(|most| self.started.elapsed() >= most)
        {
            self.stopped = true;
        }
        self.stopped
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}
