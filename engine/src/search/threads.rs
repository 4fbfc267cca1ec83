use std::sync::atomic::Ordering::Relaxed;

use super::history::History;
use super::limits::{Clock, Control, Info, Limits, SearchResult, Shared};
use super::params;
use super::time::Pace;
use super::tt::Table;
use super::worker::{INFINITY, Step, Worker};
use crate::eval::{EvalMemory, Evaluator};
use crate::game::Position;
use crate::types::{Kind, MAX_DEPTH, MAX_PLY, Move, Score, mate_in_plies};

/// What a search remembers from move to move: transposition table and histories.
pub struct Search {
    table: Table,
    memories: Vec<History>,
    reductions: Vec<[i32; 64]>,
}

impl Search {
    /// An empty memory for one thread with a table of `mib` MiB, at least 1.
    ///
    /// # Panics
    /// If there is not so much memory: see [`Search::try_new`].
    #[must_use]
    pub fn new(mib: usize) -> Search {
        #[expect(clippy::expect_used, reason = "as for any allocation")]
        Search::try_new(mib).expect("memory for the transposition table")
    }

    /// As [`Search::new`]; `None` if there is not so much memory.
    #[must_use]
    pub fn try_new(mib: usize) -> Option<Search> {
        Some(Search {
            table: Table::new(mib)?,
            memories: vec![History::new()],
            reductions: params::reductions(),
        })
    }

    /// Searches with this many threads from now on, at least 1. With more than one, results differ from run to run.
    pub fn set_threads(&mut self, threads: usize) {
        self.memories.resize_with(threads.max(1), History::new);
    }

    /// Forgets everything: the next search is as reproducible as a first one.
    pub fn clear(&mut self) {
        self.table.clear();
        self.memories.iter_mut().for_each(History::clear);
    }

    /// Searches a position by iterative deepening, and reports each finished iteration. With limits of nodes or depth
    /// alone, one thread and the same memory, the result is the same on every machine.
    pub fn run(
        &mut self,
        position: &Position,
        evaluator: &Evaluator,
        limits: &Limits,
        report: impl FnMut(&Info<'_>),
    ) -> SearchResult {
        self.run_controlled(position, evaluator, limits, &Control::default(), report)
    }

    /// As [`Search::run`], under the command of another thread.
    pub fn run_controlled(
        &mut self,
        position: &Position,
        evaluator: &Evaluator,
        limits: &Limits,
        control: &Control,
        report: impl FnMut(&Info<'_>),
    ) -> SearchResult {
        self.table.next_search();
        let (tables, rules) = (&position.reading().tables, &position.reading().rules);
        #[expect(clippy::cast_possible_truncation, reason = "at most sixteen kinds")]
        let defs = tables.kinds.iter().map(|kind| kind.def as u8);
        for memory in &mut self.memories {
            memory.fit(defs.clone(), rules.kinds.len(), tables.ranks);
            memory.age();
        }
        let shared = Shared::new(control);
        let (table, reductions) = (&self.table, &self.reductions[..]);
        let Some((memory, others)) = self.memories.split_first_mut() else {
            unreachable!("there is always one thread")
        };
        let worker = |memory, helper| Worker {
            reading: position.reading(),
            evaluator,
            board: position.board().clone(),
            clock: Clock::new(limits, &shared, helper),
            table,
            memory,
            reductions,
            hashes: position.hashes().to_vec(),
            root: position.hashes().len() - 1,
            line: vec![Step { placed: evaluator.placed(position.board()), ..Step::default() }],
            eval_memory: EvalMemory::new(),
            batches: Vec::new(),
            evals: vec![0; MAX_PLY + 1],
            pv: vec![Vec::new(); MAX_PLY + 1],
            root_best: None,
            root_work: 0,
            root_moves: root_moves(position, &limits.moves),
            root_count: position.legal_moves().len(),
            leaf: 0,
            seldepth: 0,
            pawn_kind: pawn_kind(position),
            excluded: vec![Move::NONE; MAX_PLY + 1],
            null_from: 0,
            iteration: 0,
        };
        if others.is_empty() {
            return worker(memory, false).deepen(position, limits, report);
        }
        std::thread::scope(|scope| {
            for (number, memory) in others.iter_mut().enumerate() {
                let mut helper = worker(memory, true);
                scope.spawn(move || helper.help(number));
            }
            let result = worker(memory, false).deepen(position, limits, report);
            shared.done.store(true, Relaxed);
            result
        })
    }
}

/// The moves to search at the root: all legal ones, or those asked for.
fn root_moves(position: &Position, wanted: &[Move]) -> Vec<Move> {
    let mut moves = position.legal_moves();
    moves.retain(|mv| wanted.is_empty() || wanted.contains(mv));
    moves
}

fn pawn_kind(position: &Position) -> Option<Kind> {
    let tables = &position.reading().tables;
    tables.all_kinds().find(|&kind| tables.kind(kind).pawn)
}

impl Worker<'_> {
    fn deepen(
        &mut self,
        position: &Position,
        limits: &Limits,
        mut report: impl FnMut(&Info<'_>),
    ) -> SearchResult {
        let fallback = self.root_moves.iter().copied().min();
        // Until a move is searched, the evaluation is the best guess at the score.
        let score = self.evaluator.evaluate(self.reading, position.board());
        let mut result =
            SearchResult { best: fallback, score, depth: 0, nodes: 0, pv: fallback.into_iter().collect() };
        if fallback.is_none() {
            return result;
        }
        let all = self.root_moves.clone();
        let lines = limits.lines.clamp(1, all.len());
        let mut scores = vec![score; lines];
        let (mut pace, mut stretch) = (Pace::default(), 1.0);
        for depth in 1..=limits.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH) {
            self.root_moves.clone_from(&all);
            for (line, last) in scores.iter_mut().enumerate() {
                (self.root_best, self.root_work) = (None, 0);
                let before = self.clock.nodes;
                let score = self.aspire(depth, *last);
                if line == 0
                    && let Some((best, score)) = self.root_best.filter(|_| self.clock.stopped)
                {
                    // The first move searched is the last iteration's best: what beats it does so for certain.
                    if result.pv.first() != Some(&best) {
                        result.pv = vec![best];
                    }
                    (result.best, result.score) = (Some(best), score);
                }
                if self.clock.stopped {
                    break;
                }
                *last = score;
                let pv = self.pv[0].clone();
                if line == 0 {
                    (result.score, result.depth) = (score, depth);
                    result.best = pv.first().copied().or(result.best);
                    result.pv.clone_from(&pv);
                    let part = self.root_work as f64 / (self.clock.nodes - before).max(1) as f64;
                    let settled = pace.stretch(result.best.unwrap_or(Move::NONE), score, part);
                    // A single move needs no thought.
                    stretch = if all.len() == 1 { 0.0 } else { settled };
                }
                report(&Info {
                    depth,
                    seldepth: self.seldepth,
                    line: line + 1,
                    score,
                    nodes: self.clock.all_nodes(),
                    time: self.clock.elapsed(),
                    hashfull: self.table.permille(),
                    pv: &pv,
                });
                if let Some(first) = pv.first() {
                    self.root_moves.retain(|mv| mv != first);
                }
            }
            let plies = mate_in_plies(result.score);
            let found = limits.mate.zip(plies).is_some_and(|(most, plies)| {
                plies > 0 && u32::try_from(plies).is_ok_and(|plies| plies.div_ceil(2) <= most)
            });
            if self.clock.stopped || found || self.clock.is_full(limits) || self.clock.is_late(stretch) {
                break;
            }
        }
        result.nodes = self.clock.all_nodes();
        result
    }

    /// Fills the table for the first thread; every other helper runs one ply ahead.
    fn help(&mut self, number: usize) {
        let mut score = 0;
        for depth in 1..=MAX_DEPTH {
            let ahead = u32::from(number.is_multiple_of(2));
            score = self.aspire((depth + ahead).min(MAX_DEPTH), score);
            if self.clock.stopped {
                return;
            }
        }
    }

    /// One iteration, in a window around the last score that widens until the score fits.
    fn aspire(&mut self, depth: u32, last: Score) -> Score {
        let plies = i32::try_from(depth).unwrap_or(i32::MAX);
        self.seldepth = 0;
        self.iteration = depth;
        if depth < params::ASPIRATION_DEPTH {
            return self.negamax::<true>(-INFINITY, INFINITY, plies, 0, false);
        }
        let mut width = params::ASPIRATION;
        let (mut alpha, mut beta) = ((last - width).max(-INFINITY), (last + width).min(INFINITY));
        loop {
            let best: Option<(Move, Score)> = self.root_best;
            let score = self.negamax::<true>(alpha, beta, plies, 0, false);
            if self.clock.stopped {
                return score;
            }
            if score <= alpha {
                self.root_best = best;
                beta = i32::midpoint(alpha, beta);
                alpha = (score - width).max(-INFINITY);
            } else if score >= beta {
                beta = (score + width).min(INFINITY);
            } else {
                return score;
            }
            width = width.saturating_mul(3).min(4 * INFINITY);
        }
    }
}
