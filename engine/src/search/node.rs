use super::history::LIMIT;
use super::params;
use super::tt::{Bound, Hit};
use super::worker::Worker;
use crate::eval::Attacked;
use crate::movegen::Checks;
use crate::types::{MATE_IN_MAX, Move, Score};

/// A node, as far as its pruning and reductions go.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) alpha: Score,
    pub(super) beta: Score,
    pub(super) depth: i32,
    pub(super) ply: usize,
    /// Expected to fail high: a null-window node below a reduced or late move.
    pub(super) cut: bool,
    pub(super) in_check: bool,
    /// The evaluation, corrected; no score if in check.
    pub(super) eval: Score,
    pub(super) improving: bool,
}

impl Worker<'_> {
    /// What can be said of a node before any of its moves: razoring, reverse futility, null move.
    pub(super) fn prune_node(&mut self, node: &Node, checks: &Checks) -> Option<Score> {
        let &Node { alpha, beta, depth, ply, eval, .. } = node;
        if beta.abs() >= MATE_IN_MAX {
            return None;
        }
        if depth <= params::RAZOR_DEPTH && eval + params::RAZOR * depth <= alpha {
            let score = self.quiescence_from(checks.clone(), alpha, beta, ply);
            if self.clock.stopped || score <= alpha {
                return Some(score);
            }
        }
        if depth <= params::REVERSE_FUTILITY_DEPTH {
            let plies = depth - i32::from(node.improving);
            if eval - params::REVERSE_FUTILITY * plies >= beta && eval < MATE_IN_MAX {
                return Some(i32::midpoint(eval, beta));
            }
        }
        if depth >= params::NULL_DEPTH
            && eval >= beta
            && self.last().moved.is_some()
            && ply >= self.null_from
            && self.has_officer()
        {
            let surplus = (eval - beta) / params::NULL_SURPLUS;
            let reduced = depth - 4 - depth / 4 - surplus.min(3);
            let undo = self.make(Move::NONE);
            let score = -self.negamax::<false>(-beta, -beta + 1, reduced, ply + 1, !node.cut);
            self.unmake(Move::NONE, undo);
            if self.clock.stopped {
                return Some(0);
            }
            if score >= beta {
                let score = if score >= MATE_IN_MAX { beta } else { score };
                if depth < params::VERIFY_DEPTH || self.null_from > 0 {
                    return Some(score);
                }
                // Deep down a null move must be confirmed without null moves.
                self.null_from = ply + usize::try_from(reduced.max(1)).unwrap_or(1) * 3 / 4;
                let confirmed = self.negamax::<false>(beta - 1, beta, reduced.max(1), ply, false);
                self.null_from = 0;
                if self.clock.stopped || confirmed >= beta {
                    return Some(score);
                }
            }
        }
        None
    }

    /// How much deeper to search the table's move: by a ply if every other move is worse by a margin, by none if not;
    /// -2 if the other moves, too, reach beta.
    pub(super) fn singular<const PV: bool>(&mut self, node: &Node, hit: Option<Hit>) -> i32 {
        let &Node { depth, ply, beta, .. } = node;
        let Some(hit) = hit else { return 0 };
        if ply == 0
            || depth < params::SINGULAR_DEPTH
            || hit.mv.is_none()
            || hit.depth < depth - 3
            || hit.bound == Bound::Upper
            || hit.score.abs() >= MATE_IN_MAX
            || node.in_check
            || !self.excluded[ply].is_none()
            || self.seldepth > 2 * self.iteration + 8
        {
            return 0;
        }
        let goal = hit.score - params::SINGULAR * depth / 8;
        self.excluded[ply] = hit.mv;
        let score = self.negamax::<false>(goal - 1, goal, (depth - 1) / 2, ply, node.cut);
        self.excluded[ply] = Move::NONE;
        if score < goal {
            1
        } else if !PV && goal >= beta {
            -2
        } else if hit.score >= beta {
            -1
        } else {
            0
        }
    }

    /// True if no quiet move is worth a search any more, in a node that has a fair score from so many moves.
    #[inline]
    pub(super) fn enough_quiets(&self, node: &Node, count: i32) -> bool {
        let &Node { alpha, depth, eval, improving, .. } = node;
        let most = (params::LATE + depth * depth / 2) << u32::from(improving);
        depth <= params::LATE_DEPTH && count >= most
            || depth <= params::FUTILITY_DEPTH
                && eval + params::FUTILITY_BASE + params::FUTILITY * depth <= alpha
    }

    /// True if a quiet move of a node with a fair score is not worth a search: it has done badly, or loses too much.
    pub(super) fn is_poor(&self, node: &Node, mv: Move, done: i32, attacked: Option<&Attacked>) -> bool {
        let depth = node.depth;
        if depth <= params::HISTORY_DEPTH && done < -params::HISTORY * depth {
            return true;
        }
        // Where nobody takes it the man loses nothing, but for what it uncovers.
        let enemy = !self.board.side();
        depth <= params::SEE_QUIET_DEPTH
            && attacked.is_none_or(|attacked| attacked.by(enemy).has(mv.to()))
            && !self.see(mv, -params::SEE_QUIET * depth * depth)
    }

    /// Plies that a late move is searched less deep, before it is cut to what the depth allows.
    pub(super) fn reduction<const PV: bool>(&self, node: &Node, count: i32, quiet: bool, done: i32) -> i32 {
        let index = |n: i32| usize::try_from(n).unwrap_or(63).min(63);
        let mut reduction = self.reductions[index(node.depth)][index(count)];
        reduction -= i32::from(PV) + i32::from(node.in_check);
        reduction += i32::from(node.cut);
        if quiet {
            reduction += i32::from(!node.improving);
            reduction -= done / (LIMIT * 3 / 4);
        }
        reduction
    }
}
