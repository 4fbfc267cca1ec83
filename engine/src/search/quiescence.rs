use super::negamax::{INFINITY, Worker};
use super::params::{self, pawns};
use super::picker::Picker;
use super::tt::{Bound, Hit};
use crate::movegen::MoveGen;
use crate::types::{MATE_IN_MAX, MAX_PLY, Move, Score};

impl Worker<'_> {
    /// Searches captures and promotions, and every move out of check, until the position is quiet.
    pub(super) fn quiescence(&mut self, mut alpha: Score, beta: Score, ply: usize) -> Score {
        self.pv[ply].clear();
        if self.clock.tick() {
            return 0;
        }
        self.reach(ply);
        let checks = MoveGen::new(self.tables(), &self.board);
        let in_check = checks.in_check();
        if let Some(score) = self.rule_end(&checks, ply) {
            return score;
        }
        if ply >= MAX_PLY - 1 {
            return self.evaluator.evaluate(self.reading, &self.board);
        }
        let key = self.board.hash();
        let hit = self.table.probe(key, ply);
        if let Some(hit) = hit
            && match hit.bound {
                Bound::Exact => true,
                Bound::Lower => hit.score >= beta,
                Bound::Upper => hit.score <= alpha,
            }
            && beta - alpha == 1
        {
            return hit.score;
        }
        let mut eval = 0;
        let mut best = -INFINITY;
        if !in_check {
            eval = hit.map_or_else(|| self.evaluator.evaluate(self.reading, &self.board), |hit| hit.eval);
            best = eval;
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
        }
        let table_move = hit.map_or(Move::NONE, |hit| hit.mv);
        let checks = checks.into_checks();
        let mut picker = if in_check {
            Picker::all(checks, table_move, self.memory.killers(ply), Move::NONE)
        } else {
            Picker::captures(checks, table_move)
        };
        let (mut best_move, mut count) = (Move::NONE, 0);
        let old_alpha = alpha;
        while let Some((mv, losing)) = picker.next(self) {
            count += 1;
            if best > -MATE_IN_MAX {
                if losing {
                    continue;
                }
                if !in_check {
                    let gain =
                        self.board.piece_at(mv.to()).map_or(0, |piece| self.values()[piece.kind().index()]);
                    let reach = eval + gain + pawns(self.pawn, params::DELTA);
                    if reach <= alpha && !self.is_promotion(mv) {
                        best = best.max(reach);
                        continue;
                    }
                }
            }
            let undo = self.make(mv);
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
        if in_check && count == 0 {
            return self.no_move(true, ply);
        }
        let bound = Bound::of(best, old_alpha, beta);
        self.table.store(key, ply, Hit { mv: best_move, score: best, eval, depth: 0, bound });
        best
    }
}
