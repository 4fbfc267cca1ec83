use super::history::History;
use super::limits::{Clock, Info, Limits, SearchResult};
use super::negamax::{INFINITY, Worker};
use super::params::{self, pawns};
use super::tt::Table;
use crate::eval::Evaluator;
use crate::game::Position;
use crate::types::{Kind, MAX_DEPTH, MAX_PLY, Move, Score};

/// What a search remembers from move to move: transposition table and histories.
pub struct Search {
    table: Table,
    memory: History,
    reductions: Vec<[i32; 64]>,
}

impl Search {
    /// An empty memory with a table of `mib` MiB, at least 1.
    #[must_use]
    pub fn new(mib: usize) -> Search {
        Search { table: Table::new(mib), memory: History::new(), reductions: params::reductions() }
    }

    /// Forgets everything: the next search is as reproducible as a first one.
    pub fn clear(&mut self) {
        self.table.clear();
        self.memory.clear();
    }

    /// Searches a position by iterative deepening. With limits of nodes or depth alone, and the same memory, the
    /// result is the same on every machine.
    pub fn run(
        &mut self,
        position: &Position,
        evaluator: &Evaluator,
        limits: Limits,
        mut report: impl FnMut(&Info<'_>),
    ) -> SearchResult {
        self.table.next_search();
        self.memory.age();
        let reading: &crate::rules::Reading = position.reading();
        let mut order: Vec<Kind> = reading.tables.all_kinds().collect();
        let values = evaluator.piece_values();
        order.sort_by_key(|kind| (reading.tables.kind(*kind).royal, values[kind.index()], kind.index()));
        let pawn = reading.tables.all_kinds().find(|&kind| reading.tables.kind(kind).pawn);
        let mut worker = Worker {
            reading,
            evaluator,
            board: position.board().clone(),
            clock: Clock::new(limits),
            table: &mut self.table,
            memory: &mut self.memory,
            reductions: &self.reductions,
            hashes: position.hashes().to_vec(),
            root: position.hashes().len() - 1,
            line: vec![None],
            evals: vec![0; MAX_PLY + 1],
            pv: vec![Vec::new(); MAX_PLY + 1],
            root_best: None,
            order,
            pawn: pawn.map_or(100, |kind| values[kind.index()]).max(1),
        };
        let fallback = position.legal_moves().into_iter().min();
        // Until a move is searched, the evaluation is the best guess at the score.
        let score = evaluator.evaluate(reading, position.board());
        let mut result =
            SearchResult { best: fallback, score, depth: 0, nodes: 0, pv: fallback.into_iter().collect() };
        let Some(_) = fallback else { return result };
        let deepest = limits.depth.unwrap_or(MAX_DEPTH).min(MAX_DEPTH);
        for depth in 1..=deepest {
            worker.root_best = None;
            let score = worker.aspire(depth, result.score);
            if let Some((best, score)) = worker.root_best.filter(|_| worker.clock.stopped) {
                // The first move searched is the last iteration's best: what beats it does so for certain.
                (result.best, result.score, result.pv) = (Some(best), score, vec![best]);
            }
            if worker.clock.stopped {
                break;
            }
            result.score = score;
            result.depth = depth;
            result.pv.clone_from(&worker.pv[0]);
            result.best = result.pv.first().copied().or(result.best);
            let (nodes, time) = (worker.clock.nodes, worker.clock.elapsed());
            report(&Info { depth, score, nodes, time, pv: &result.pv });
        }
        result.nodes = worker.clock.nodes;
        result
    }
}

impl Worker<'_> {
    /// One iteration, in a window around the last score that widens until the score fits.
    fn aspire(&mut self, depth: u32, last: Score) -> Score {
        let plies = i32::try_from(depth).unwrap_or(i32::MAX);
        if depth < params::ASPIRATION_DEPTH {
            return self.negamax::<true>(-INFINITY, INFINITY, plies, 0);
        }
        let mut width = pawns(self.pawn, params::ASPIRATION).max(8);
        let (mut alpha, mut beta) = ((last - width).max(-INFINITY), (last + width).min(INFINITY));
        loop {
            let best: Option<(Move, Score)> = self.root_best;
            let score = self.negamax::<true>(alpha, beta, plies, 0);
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
