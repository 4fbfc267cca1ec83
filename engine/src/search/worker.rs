use super::history::{Context, History};
use super::limits::Clock;
use super::picker::Scored;
use super::see::see_at_least;
use super::tt::Table;
use crate::board::Board;
use crate::eval::{EvalMemory, Evaluator, Placed};
use crate::game::{Outcome, board_outcome};
use crate::movegen::MoveGen;
use crate::rules::{BareKing, Reading, Stalemate, Tables};
use crate::types::{Bitboard, Color, Kind, MATE, Move, Piece, Score};

/// Larger than any score.
pub(super) const INFINITY: Score = MATE + 1;

/// A move of the line, and what follows from it.
#[derive(Clone, Copy, Default)]
pub(super) struct Step {
    /// The man that moved and its move; none for a null move, and before the first.
    pub(super) moved: Option<(Piece, Move)>,
    /// It took nothing and did not promote.
    pub(super) quiet: bool,
    /// The worth of the men after it.
    pub(super) placed: Placed,
}

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
    /// The line so far, behind a first step that leads to the root.
    pub(super) line: Vec<Step>,
    pub(super) eval_memory: EvalMemory,
    /// Memory for the moves of nodes to come.
    pub(super) batches: Vec<Vec<Scored>>,
    pub(super) evals: Vec<Score>,
    pub(super) pv: Vec<Vec<Move>>,
    pub(super) root_best: Option<(Move, Score)>,
    /// Nodes below that move.
    pub(super) root_work: u64,
    /// The moves that may be played at the root.
    pub(super) root_moves: Vec<Move>,
    /// Legal moves at the root: with fewer in `root_moves` its score is not that of the position.
    pub(super) root_count: usize,
    /// Nodes before the quiescence of the leaf.
    pub(super) leaf: u64,
    /// The longest line of the iteration, in plies.
    pub(super) seldepth: u32,
    /// The depth of the iteration, in plies.
    pub(super) iteration: u32,
    /// The kind that promotes, if there is one.
    pub(super) pawn_kind: Option<Kind>,
    /// By ply, the move that a search for alternatives leaves out.
    pub(super) excluded: Vec<Move>,
    /// The ply from which on null moves are tried: raised while one is verified.
    pub(super) null_from: usize,
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
        see_at_least(self.tables(), &self.board, self.values(), self.evaluator.cheap_first(), mv, threshold)
    }

    /// What moves of this node are replies to.
    #[inline]
    pub(super) fn context(&self) -> Context {
        self.memory.context(self.board.side(), [self.before(1), self.before(2)])
    }

    /// The last move of the line, the one before it, and so on.
    #[inline]
    pub(super) fn before(&self, back: usize) -> Option<(Piece, Move)> {
        self.line.len().checked_sub(back).and_then(|at| self.line[at].moved)
    }

    /// The pawns of White and Black.
    #[inline]
    pub(super) fn pawns(&self) -> [Bitboard; 2] {
        let Some(kind) = self.pawn_kind else { return [Bitboard::EMPTY; 2] };
        Color::ALL.map(|color| self.board.pieces(color, kind))
    }

    #[inline]
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
        let last = self.last();
        let undo;
        let mut step = Step { moved: None, quiet: false, placed: last.placed };
        if mv.is_none() {
            undo = self.board.make(self.tables(), mv);
        } else {
            let moved = self.board.piece_at(mv.from());
            step.quiet = self.is_quiet(mv);
            undo = self.board.make(self.tables(), mv);
            let evaluator = self.evaluator;
            if let (Some(moved), Some(placed)) = (moved, self.board.piece_at(mv.to())) {
                step.moved = Some((moved, mv));
                step.placed = evaluator.take(step.placed, moved, mv.from());
                step.placed = evaluator.put(step.placed, placed, mv.to());
            }
            if let Some(captured) = undo.captured {
                step.placed = evaluator.take(step.placed, captured, mv.to());
            }
        }
        self.line.push(step);
        self.hashes.push(self.board.hash());
        undo
    }

    /// The last step of the line.
    #[inline]
    pub(super) fn last(&self) -> Step {
        self.line.last().copied().unwrap_or_default()
    }

    /// The evaluation of the position for the side to move.
    #[inline]
    pub(super) fn evaluate(&mut self) -> Score {
        let placed = self.last().placed;
        self.evaluator.evaluate_with(self.reading, &self.board, placed, &mut self.eval_memory)
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
    pub(super) fn is_repetition(&self) -> bool {
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

    /// Notes how deep the line is.
    #[inline]
    pub(super) fn reach(&mut self, ply: usize) {
        self.seldepth = self.seldepth.max(u32::try_from(ply).unwrap_or(0));
    }

    /// True if the side to move has a man besides king and pawns: without one a null move proves nothing.
    pub(super) fn has_officer(&self) -> bool {
        let side = self.board.side();
        let plain = |kind: Kind| self.tables().kind(kind).royal || self.tables().kind(kind).pawn;
        self.board.kinds().any(|kind| !plain(kind) && self.board.pieces(side, kind).any())
    }
}
