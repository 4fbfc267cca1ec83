use super::params;
use super::picker::Picker;
use super::tt::{Bound, Hit};
use super::worker::{INFINITY, Worker};
use crate::movegen::{Checks, MoveGen};
use crate::types::{MATE_IN_MAX, MAX_PLY, Move, Score};

impl Worker<'_> {
    /// Searches captures and promotions, in a leaf quiet moves that give check, and every move out of check, until the
    /// position is quiet.
    fn quiescence(&mut self, alpha: Score, beta: Score, ply: usize) -> Score {
        let checks = MoveGen::new(self.tables(), &self.board).into_checks();
        self.captures_from(checks, alpha, beta, ply, false)
    }

    /// The same for a leaf, with the checks of this very board.
    pub(super) fn quiescence_from(&mut self, checks: Checks, alpha: Score, beta: Score, ply: usize) -> Score {
        self.leaf = self.clock.nodes;
        self.captures_from(checks, alpha, beta, ply, true)
    }

    fn captures_from(
        &mut self,
        checks: Checks,
        mut alpha: Score,
        beta: Score,
        ply: usize,
        checking: bool,
    ) -> Score {
        self.pv[ply].clear();
        if self.clock.tick() {
            return 0;
        }
        self.reach(ply);
        let checks = MoveGen::resume(self.tables(), &self.board, checks);
        let in_check = checks.in_check();
        if let Some(score) = self.rule_end(&checks, ply) {
            return score;
        }
        let checks = checks.into_checks();
        if ply >= MAX_PLY - 1 {
            return self.evaluate();
        }
        let key = self.board.hash();
        let hit = self.table.probe(key, ply);
        if let Some(hit) = hit
            && hit.proves(alpha, beta)
            && beta - alpha == 1
        {
            return hit.score;
        }
        let table_move = hit.map_or(Move::NONE, |hit| hit.mv);
        let mut raw = 0;
        let mut eval = 0;
        let mut best = -INFINITY;
        if !in_check {
            raw = hit.map_or_else(|| self.evaluate(), |hit| hit.eval);
            eval = self.corrected(raw);
            best = eval;
            if let Some(hit) = hit
                && hit.score.abs() < MATE_IN_MAX
                && hit.proves(eval, eval)
            {
                best = hit.score;
            }
            if best >= beta {
                if hit.is_none() {
                    let bound = Bound::Lower;
                    self.table.store(
                        key,
                        ply,
                        Hit { mv: Move::NONE, score: best, eval: raw, depth: 0, bound },
                    );
                }
                return best;
            }
            alpha = alpha.max(best);
        }
        let context = self.context();
        let batch = self.batches.pop().unwrap_or_default();
        let mut picker = if in_check {
            Picker::all(checks, table_move, self.memory.killers(ply), context, false, batch)
        } else {
            Picker::captures(checks, table_move, context, checking, batch)
        };
        let (mut best_move, mut count) = (Move::NONE, 0);
        let old_alpha = alpha;
        loop {
            if in_check && best > -MATE_IN_MAX {
                // One way out of check is enough, unless another takes something.
                picker.skip_quiets();
            }
            let Some((mv, losing)) = picker.next(self) else { break };
            count += 1;
            if best > -MATE_IN_MAX {
                if losing {
                    break;
                }
                // Where everything takes everything the captures of all squares would never end.
                if self.clock.nodes - self.leaf > params::LEAF_NODES
                    && self.last().moved.is_some_and(|(_, last)| last.to() != mv.to())
                {
                    continue;
                }
                if self.is_quiet(mv) {
                    if !self.see(mv, 0) {
                        continue;
                    }
                } else if !in_check {
                    let gain =
                        self.board.piece_at(mv.to()).map_or(0, |piece| self.values()[piece.kind().index()]);
                    let reach = eval + gain + params::DELTA;
                    if reach <= alpha && !self.is_promotion(mv) {
                        best = best.max(reach);
                        continue;
                    }
                }
            }
            let undo = self.make(mv);
            self.table.prefetch(self.board.hash());
            let score = -self.quiescence(-beta, -alpha, ply + 1);
            self.unmake(mv, undo);
            if self.clock.stopped {
                return 0;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = mv;
                }
                if score >= beta {
                    break;
                }
            }
        }
        self.batches.push(picker.into_batch());
        if in_check && count == 0 {
            return self.no_move(true, ply);
        }
        let bound = Bound::of(best, old_alpha, beta);
        self.table.store(key, ply, Hit { mv: best_move, score: best, eval: raw, depth: 0, bound });
        best
    }
}
