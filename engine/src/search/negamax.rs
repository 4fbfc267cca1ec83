use super::history::History;
use super::limits::Clock;
use super::params::{self, pawns};
use super::picker::Picker;
use super::see::see_at_least;
use super::tt::{Bound, Hit, Table};
use crate::board::Board;
use crate::eval::Evaluator;
use crate::game::{Outcome, board_outcome};
use crate::movegen::MoveGen;
use crate::rules::{BareKing, Reading, Stalemate, Tables};
use crate::types::{Bitboard, Kind, MATE, MATE_IN_MAX, MAX_PLY, Move, Piece, Score};

/// Larger than any score.
pub(super) const INFINITY: Score = MATE + 1;

/// One search of one position by one thread.
pub(super) struct Worker<'a> {
    pub(super) reading: &'a Reading,
    pub(super) evaluator: &'a Evaluator,
    pub(super) board: Board,
    pub(super) clock: Clock<'a>,
    pub(super) table: &'a Table,
    pub(super) memory: &'a mut History,
    pub(super) reductions: &'a [[i32; 64]],
    /// Hashes of the game and the line, the present position last.
    pub(super) hashes: Vec<u64>,
    /// Number of `hashes` at the root.
    pub(super) root: usize,
    /// Men and moves of the line so far.
    pub(super) line: Vec<Option<(Piece, Move)>>,
    pub(super) evals: Vec<Score>,
    pub(super) pv: Vec<Vec<Move>>,
    pub(super) root_best: Option<(Move, Score)>,
    /// The moves that may be played at the root.
    pub(super) root_moves: Vec<Move>,
    /// Legal moves at the root: with fewer in `root_moves` its score is not that of the position.
    pub(super) root_count: usize,
    /// The longest line of the iteration, in plies.
    pub(super) seldepth: u32,
    pub(super) order: Vec<Kind>,
    pub(super) pawn: Score,
}

impl<'a> Worker<'a> {
    #[inline]
    pub(super) fn tables(&self) -> &'a Tables {
        &self.reading.tables
    }

    #[inline]
    pub(super) fn values(&self) -> &'a [Score] {
        self.evaluator.piece_values()
    }

    #[inline]
    pub(super) fn see(&self, mv: Move, threshold: Score) -> bool {
        see_at_least(self.tables(), &self.board, self.values(), &self.order, mv, threshold)
    }

    #[inline]
    pub(super) fn history(&self, piece: Piece, mv: Move) -> i32 {
        self.memory.score(piece, mv)
    }

    pub(super) fn pawn_kinds(&self) -> impl Iterator<Item = Kind> + use<'a> {
        let tables = self.tables();
        tables.all_kinds().filter(|&kind| tables.kind(kind).pawn)
    }

    pub(super) fn promotion_rank(&self) -> Bitboard {
        self.tables().promotion_rank[self.board.side().index()]
    }

    #[inline]
    pub(super) fn is_promotion(&self, mv: Move) -> bool {
        let tables = self.tables();
        self.board.piece_at(mv.from()).is_some_and(|piece| {
            tables.kind(piece.kind()).pawn && mv.to().rank() == tables.last_rank[piece.color().index()]
        })
    }

    #[inline]
    pub(super) fn is_quiet(&self, mv: Move) -> bool {
        self.board.piece_at(mv.to()).is_none() && !self.is_promotion(mv)
    }

    #[inline]
    pub(super) fn make(&mut self, mv: Move) -> crate::board::Undo {
        self.line.push(self.board.piece_at(mv.from()).filter(|_| !mv.is_none()).map(|piece| (piece, mv)));
        let undo = self.board.make(self.tables(), mv);
        self.hashes.push(self.board.hash());
        undo
    }

    #[inline]
    pub(super) fn unmake(&mut self, mv: Move, undo: crate::board::Undo) {
        self.board.unmake(self.tables(), mv, undo);
        self.hashes.pop();
        self.line.pop();
    }

    /// The score of a decided game for the side to move.
    fn decided(&self, outcome: Outcome, ply: usize) -> Option<Score> {
        let ply = Score::try_from(ply).unwrap_or(0);
        match outcome {
            Outcome::Ongoing => None,
            Outcome::Draw(_) => Some(0),
            Outcome::Win(winner, _) if winner == self.board.side() => Some(MATE - ply),
            Outcome::Win(..) => Some(ply - MATE),
        }
    }

    /// Ends that do not wait for the lack of a move: bare kings, and the no-progress count.
    pub(super) fn rule_end(&self, moves: &MoveGen<'_>, ply: usize) -> Option<Score> {
        let end = &self.reading.rules.end;
        let board = &self.board;
        let bare = end.bare_king != BareKing::None
            && (board.men(board.side()).is_single() || board.men(!board.side()).is_single());
        let stale = end.no_progress_plies > 0 && u32::from(board.halfmove()) >= end.no_progress_plies;
        if !bare && !stale {
            return None;
        }
        self.decided(board_outcome(self.reading, board, moves, moves.any()), ply)
    }

    /// The score of a node without a legal move.
    pub(super) fn no_move(&self, in_check: bool, ply: usize) -> Score {
        let ply = Score::try_from(ply).unwrap_or(0);
        match (in_check, self.reading.rules.end.stalemate) {
            (true, _) | (false, Stalemate::Loses) => ply - MATE,
            (false, Stalemate::Draw) => 0,
            (false, Stalemate::Wins) => MATE - ply,
        }
    }

    /// True if the position has been on the board before: once since the root, or as often as the rule allows.
    fn is_repetition(&self) -> bool {
        let limit = self.reading.rules.end.repetition as usize;
        let last = self.hashes.len() - 1;
        let present = self.hashes[last];
        let oldest = last.saturating_sub(usize::from(self.board.halfmove()));
        let mut before = 0;
        let mut index = last;
        while limit > 0 && index >= oldest + 2 {
            index -= 2;
            if self.hashes[index] == present {
                before += 1;
                if index >= self.root || before + 1 >= limit {
                    return true;
                }
            }
        }
        false
    }

    /// Principal variation search: the score for the side to move, within `alpha..=beta` if `PV`.
    pub(super) fn negamax<const PV: bool>(
        &mut self,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        ply: usize,
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
            return self.quiescence(alpha, beta, ply);
        }
        if self.clock.tick() {
            return 0;
        }
        if !root {
            if let Some(score) = self.rule_end(&checks, ply) {
                return score;
            }
            if self.is_repetition() {
                return 0;
            }
            if ply >= MAX_PLY - 1 {
                return self.evaluator.evaluate(self.reading, &self.board);
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
        let hit = self.table.probe(key, ply);
        if let Some(hit) = hit
            && !PV
            && hit.depth >= depth
            && match hit.bound {
                Bound::Exact => true,
                Bound::Lower => hit.score >= beta,
                Bound::Upper => hit.score <= alpha,
            }
        {
            return hit.score;
        }
        let table_move = hit.map_or(Move::NONE, |hit| hit.mv);
        let eval = match hit {
            _ if in_check => -INFINITY,
            Some(hit) => hit.eval,
            None => self.evaluator.evaluate(self.reading, &self.board),
        };
        self.evals[ply] = eval;
        let improving = !in_check && ply >= 2 && eval > self.evals[ply - 2];
        if !PV && !in_check && beta.abs() < MATE_IN_MAX {
            if depth <= params::REVERSE_FUTILITY_DEPTH {
                let plies = depth - i32::from(improving);
                if eval - pawns(self.pawn, params::REVERSE_FUTILITY) * plies >= beta {
                    return eval;
                }
            }
            if depth >= params::NULL_DEPTH
                && eval >= beta
                && self.line.last().is_some_and(Option::is_some)
                && self.has_officer()
            {
                let reduced = depth - 4 - depth / 4;
                let undo = self.make(Move::NONE);
                let score = -self.negamax::<false>(-beta, -beta + 1, reduced, ply + 1);
                self.unmake(Move::NONE, undo);
                if self.clock.stopped {
                    return 0;
                }
                if score >= beta {
                    return if score >= MATE_IN_MAX { beta } else { score };
                }
            }
        }
        if PV && table_move.is_none() && depth >= 4 {
            depth -= 1;
        }

        let last = self.line.last().copied().flatten();
        let killers = self.memory.killers(ply);
        let mut picker = Picker::all(checks, table_move, killers, self.memory.reply(last));
        let (mut best, mut best_move, mut count, mut quiets) = (-INFINITY, Move::NONE, 0, 0);
        let mut tried: Vec<(Piece, Move)> = Vec::new();
        let old_alpha = alpha;
        while let Some((mv, losing)) = picker.next(self) {
            let quiet = self.is_quiet(mv);
            let Some(piece) = self.board.piece_at(mv.from()) else { continue };
            if root && !self.root_moves.contains(&mv) {
                continue;
            }
            count += 1;
            if !root && !in_check && best > -MATE_IN_MAX {
                if quiet {
                    let late = depth <= params::LATE_DEPTH
                        && quiets >= (params::LATE + depth * depth) / (2 - i32::from(improving));
                    let margin = pawns(self.pawn, params::FUTILITY_BASE + params::FUTILITY * depth);
                    let futile = depth <= params::FUTILITY_DEPTH && eval + margin <= alpha;
                    if !PV && (late || futile) {
                        picker.skip_quiets();
                        continue;
                    }
                } else if losing
                    && depth <= params::SEE_DEPTH
                    && !self.see(mv, -pawns(self.pawn, params::SEE_CAPTURE) * depth)
                {
                    continue;
                }
            }
            let undo = self.make(mv);
            let mut reduction = 0;
            if depth >= 3 && count > 1 + i32::from(PV) && (quiet || losing) {
                let number = usize::try_from(count).unwrap_or(63).min(63);
                reduction = self.reductions[usize::try_from(depth).unwrap_or(63).min(63)][number];
                reduction -= i32::from(PV) + i32::from(in_check);
                if quiet {
                    reduction += i32::from(!improving);
                    reduction -= self.memory.score(piece, mv) / 4_096;
                }
                reduction = reduction.clamp(0, depth - 2);
            }
            let mut score = alpha;
            if !PV || count > 1 {
                score = -self.negamax::<false>(-alpha - 1, -alpha, depth - 1 - reduction, ply + 1);
                if score > alpha && reduction > 0 {
                    score = -self.negamax::<false>(-alpha - 1, -alpha, depth - 1, ply + 1);
                }
            }
            if PV && (count == 1 || score > alpha) {
                score = -self.negamax::<PV>(-beta, -alpha, depth - 1, ply + 1);
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
                        let (head, tail) = self.pv.split_at_mut(ply + 1);
                        head[ply].clear();
                        head[ply].push(mv);
                        head[ply].extend_from_slice(&tail[0]);
                    }
                    if root {
                        self.root_best = Some((mv, score));
                    }
                }
                alpha = alpha.max(score);
                if score >= beta {
                    if quiet {
                        self.memory.reward(ply, last, (piece, mv), &tried, depth);
                    }
                    break;
                }
            }
            if quiet {
                quiets += 1;
                tried.push((piece, mv));
            }
        }
        if count == 0 {
            return self.no_move(in_check, ply);
        }
        let bound = Bound::of(best, old_alpha, beta);
        let eval = if in_check { 0 } else { eval };
        if root && self.root_moves.len() < self.root_count {
            return best;
        }
        self.table.store(key, ply, Hit { mv: best_move, score: best, eval, depth, bound });
        best
    }

    /// Notes how deep the line is.
    #[inline]
    pub(super) fn reach(&mut self, ply: usize) {
        self.seldepth = self.seldepth.max(u32::try_from(ply).unwrap_or(0));
    }

    /// True if the side to move has a man besides king and pawns: without one a null move proves nothing.
    fn has_officer(&self) -> bool {
        let side = self.board.side();
        let plain = |kind: Kind| self.tables().kind(kind).royal || self.tables().kind(kind).pawn;
        self.board.kinds().any(|kind| !plain(kind) && self.board.pieces(side, kind).any())
    }
}
