use super::history::Context;
use super::node::Node;
use super::params;
use super::picker::Picker;
use super::tt::{Bound, Hit};
use super::worker::{INFINITY, Worker};
use crate::movegen::MoveGen;
use crate::types::{MATE, MATE_IN_MAX, MAX_PLY, Move, Piece, Score};

/// The first few moves of a node that did not cut.
struct Tried {
    moves: [Move; 32],
    count: usize,
}

impl Tried {
    fn new() -> Tried {
        Tried { moves: [Move::NONE; 32], count: 0 }
    }

    fn push(&mut self, mv: Move) {
        if let Some(slot) = self.moves.get_mut(self.count) {
            *slot = mv;
            self.count += 1;
        }
    }

    fn all(&self) -> &[Move] {
        &self.moves[..self.count]
    }
}

impl Worker<'_> {
    /// Principal variation search: the score for the side to move, within `alpha..=beta` if `PV`.
    pub(super) fn negamax<const PV: bool>(
        &mut self,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        ply: usize,
        cut: bool,
    ) -> Score {
        self.pv[ply].clear();
        self.reach(ply);
        let root = ply == 0;
        let checks = MoveGen::new(self.tables(), &self.board);
        let in_check = checks.in_check();
        if in_check {
            depth += 1;
        }
        if depth <= 0 {
            let checks = checks.into_checks();
            return self.quiescence_from(checks, alpha, beta, ply);
        }
        if self.clock.tick() {
            return 0;
        }
        let excluded = self.excluded[ply];
        if !root {
            if let Some(score) = self.rule_end(&checks, ply) {
                return score;
            }
            if self.is_repetition() {
                return 0;
            }
            if ply >= MAX_PLY - 1 {
                return self.evaluate();
            }
            let ply = Score::try_from(ply).unwrap_or(0);
            alpha = alpha.max(ply - MATE);
            beta = beta.min(MATE - ply - 1);
            if alpha >= beta {
                return alpha;
            }
        }
        let checks = checks.into_checks();
        let key = self.board.hash();
        let hit = if excluded.is_none() { self.table.probe(key, ply) } else { None };
        if let Some(hit) = hit
            && !PV
            && hit.depth >= depth
            && hit.proves(alpha, beta)
        {
            return hit.score;
        }
        let table_move = hit.map_or(Move::NONE, |hit| hit.mv);
        let raw = match hit {
            _ if in_check => 0,
            _ if !excluded.is_none() => self.evals[ply],
            Some(hit) => hit.eval,
            None => self.evaluate(),
        };
        let mut eval = if in_check { -INFINITY } else { self.corrected(raw) };
        self.evals[ply] = if in_check { -INFINITY } else { raw };
        let improving = !in_check && ply >= 2 && raw > self.evals[ply - 2];
        if let Some(hit) = hit
            && !in_check
            && hit.score.abs() < MATE_IN_MAX
            && hit.proves(eval, eval)
        {
            eval = hit.score;
        }
        if depth >= 4 && table_move.is_none() && (PV || cut) && excluded.is_none() {
            depth -= 1;
        }
        let node = Node { alpha, beta, depth, ply, cut, in_check, eval, improving };
        if !PV
            && !in_check
            && excluded.is_none()
            && let Some(score) = self.prune_node(&node, &checks)
        {
            return score;
        }
        if self.clock.stopped {
            return 0;
        }
        let extension = self.singular::<PV>(&node, hit);
        if self.clock.stopped {
            return 0;
        }
        if extension < -1 {
            // Even without its best move the node is too good.
            return beta;
        }

        let context = self.context();
        let batch = self.batches.pop().unwrap_or_default();
        let killers = self.memory.killers(ply);
        let mut picker = Picker::all(checks, table_move, killers, context, !in_check, batch);
        let (mut best, mut best_move, mut count) = (-INFINITY, Move::NONE, 0);
        let (mut quiets, mut captures) = (Tried::new(), Tried::new());
        let old_alpha = alpha;
        loop {
            let fair = !PV && !in_check && best > -MATE_IN_MAX;
            if fair && self.enough_quiets(&Node { alpha, ..node }, count) {
                picker.skip_quiets();
            }
            let Some((mv, losing)) = picker.next(self) else { break };
            if mv == excluded {
                continue;
            }
            let quiet = self.is_quiet(mv);
            let Some(piece) = self.board.piece_at(mv.from()) else { continue };
            if root && !self.root_moves.contains(&mv) {
                continue;
            }
            count += 1;
            let done = if quiet {
                self.memory.quiet(context, piece, mv)
            } else {
                self.memory.capture(context, piece, mv, self.board.piece_at(mv.to()))
            };
            if !root && best > -MATE_IN_MAX && !in_check {
                if quiet {
                    if !PV && self.is_poor(&node, mv, done, picker.attacked()) {
                        continue;
                    }
                } else if losing && depth <= params::SEE_DEPTH && !self.see(mv, -params::SEE_CAPTURE * depth)
                {
                    continue;
                }
            }
            let longer = if mv == table_move { extension } else { 0 };
            let next = depth - 1 + longer;
            let before = self.clock.nodes;
            let undo = self.make(mv);
            self.table.prefetch(self.board.hash());
            let mut score = alpha;
            if !PV || count > 1 {
                let reduction = if depth >= 3 && count > 1 + i32::from(PV) && (quiet || losing) {
                    let node = Node { depth, ..node };
                    self.reduction::<PV>(&node, count, quiet, done).clamp(0, depth - 2)
                } else {
                    0
                };
                let narrow = if reduction > 0 { true } else { !cut };
                score = -self.negamax::<false>(-alpha - 1, -alpha, next - reduction, ply + 1, narrow);
                if score > alpha && reduction > 0 {
                    score = -self.negamax::<false>(-alpha - 1, -alpha, next, ply + 1, !cut);
                }
            }
            if PV && (count == 1 || score > alpha) {
                score = -self.negamax::<PV>(-beta, -alpha, next, ply + 1, false);
            }
            self.unmake(mv, undo);
            if self.clock.stopped {
                return 0;
            }
            if score > best {
                best = score;
                if score > alpha || root && count == 1 {
                    best_move = mv;
                    if PV {
                        self.extend_pv(mv, ply);
                    }
                    if root {
                        self.root_best = Some((mv, score));
                        self.root_work = self.clock.nodes - before;
                    }
                }
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
            if quiet {
                quiets.push(mv);
            } else {
                captures.push(mv);
            }
        }
        self.batches.push(picker.into_batch());
        if count == 0 {
            return if excluded.is_none() { self.no_move(in_check, ply) } else { alpha };
        }
        if best >= beta {
            self.reward(context, ply, best_move, &quiets, &captures, depth);
        }
        if best <= old_alpha && excluded.is_none() {
            self.reward_last(depth);
        }
        if root && self.root_moves.len() < self.root_count || !excluded.is_none() {
            return best;
        }
        let bound = Bound::of(best, old_alpha, beta);
        if !in_check
            && (best_move.is_none() || self.is_quiet(best_move))
            && best.abs() < MATE_IN_MAX
            && !(bound == Bound::Lower && best <= eval)
            && !(bound == Bound::Upper && best >= eval)
        {
            let (side, pawns) = (self.board.side(), self.pawns());
            self.memory.correct(side, pawns, best - raw, depth);
        }
        self.table.store(key, ply, Hit { mv: best_move, score: best, eval: raw, depth, bound });
        best
    }

    /// The evaluation and what searches of positions with the same pawns found besides.
    #[inline]
    pub(super) fn corrected(&self, eval: Score) -> Score {
        (eval + self.memory.correction(self.board.side(), self.pawns()))
            .clamp(-MATE_IN_MAX + 1, MATE_IN_MAX - 1)
    }

    /// Puts a move in front of the line of the ply below.
    fn extend_pv(&mut self, mv: Move, ply: usize) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(mv);
        head[ply].extend_from_slice(&tail[0]);
    }

    /// Remembers that the quiet move which led here left the other side nothing better than expected: half of what a
    /// cut is worth.
    fn reward_last(&mut self, depth: i32) {
        let last = self.last();
        if let Some((piece, mv)) = last.moved.filter(|_| last.quiet) {
            let context = self.memory.context(!self.board.side(), [self.before(2), self.before(3)]);
            self.memory.add_quiet(context, piece, mv, bonus(depth) / 2);
        }
    }

    /// Remembers the move that cut, and those tried before it that did not.
    fn reward(
        &mut self,
        context: Context,
        ply: usize,
        best: Move,
        quiets: &Tried,
        captures: &Tried,
        depth: i32,
    ) {
        let bonus = bonus(depth);
        let man = |worker: &Self, mv: Move| -> Option<(Piece, Option<Piece>)> {
            Some((worker.board.piece_at(mv.from())?, worker.board.piece_at(mv.to())))
        };
        if let Some((piece, victim)) = man(self, best) {
            if self.is_quiet(best) {
                self.memory.add_quiet(context, piece, best, bonus);
                self.memory.add_killer(ply, best);
                for &mv in quiets.all() {
                    if let Some((piece, _)) = man(self, mv) {
                        self.memory.add_quiet(context, piece, mv, -bonus);
                    }
                }
            } else {
                self.memory.add_capture(context, piece, best, victim, bonus);
            }
        }
        for &mv in captures.all() {
            if let Some((piece, victim)) = man(self, mv) {
                self.memory.add_capture(context, piece, mv, victim, -bonus);
            }
        }
    }
}

/// What a cut by a search of this depth is worth in the histories.
fn bonus(depth: i32) -> i32 {
    (16 * depth * depth + 64 * depth).min(1_600)
}
