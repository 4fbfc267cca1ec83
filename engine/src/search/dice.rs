use super::limits::{Clock, Control, Info, Limits, SearchResult, Shared};
use crate::board::Board;
use crate::eval::Evaluator;
use crate::game::{Outcome, Position, board_outcome};
use crate::movegen::MoveGen;
use crate::rules::{NoMove, Reading};
use crate::types::{Move, Score};

/// The score of a won game with dice. It is no larger, because scores are averaged over the faces of the die: a
/// forced win must be worth more than any position, yet not so much that its shadow hides all else.
pub const DICE_WIN: Score = 5_000;

const FACES: usize = 8;
const DEEPEST: u32 = 16;

struct Dice<'a> {
    reading: &'a Reading,
    evaluator: &'a Evaluator,
    board: Board,
    hashes: Vec<u64>,
    clock: Clock<'a>,
}

/// Searches a position in which the die has shown `die` (1 to 8) by expectimax over the faces of later throws, with
/// iterative deepening. `best` is `None` if the rolled kind has no legal move. Scores lie within ±[`DICE_WIN`].
///
/// # Source
/// Bruce W. Ballard, "The *-minimax search procedure for trees containing chance nodes", Artificial Intelligence 21
/// (1983): the bounds at chance nodes are Star1's.
pub fn search_dice(
    position: &Position,
    evaluator: &Evaluator,
    die: u8,
    limits: &Limits,
    mut report: impl FnMut(&Info<'_>),
) -> SearchResult {
    let mut moves = position.dice_moves(die);
    let control = Control::default();
    let shared = Shared::new(&control);
    let mut dice = Dice {
        reading: position.reading(),
        evaluator,
        board: position.board().clone(),
        hashes: position.hashes().to_vec(),
        clock: Clock::new(limits, &shared, false),
    };
    dice.sort(&mut moves);
    let best = moves.first().copied();
    let mut result = SearchResult { best, score: 0, depth: 0, nodes: 0, pv: best.into_iter().collect() };
    if best.is_none() {
        return result;
    }
    for depth in 1..=limits.depth.unwrap_or(DEEPEST).min(DEEPEST) {
        let mut found: Option<(Move, Score)> = None;
        for &mv in &moves {
            let alpha = found.map_or(-DICE_WIN - 1, |(_, score)| score);
            let score = dice.after(mv, alpha, DICE_WIN + 1, depth - 1, 0);
            if dice.clock.stopped {
                break;
            }
            if score > alpha {
                found = Some((mv, score));
            }
        }
        if let Some((mv, score)) = found {
            (result.best, result.score, result.pv) = (Some(mv), score, vec![mv]);
            // The best move first, so that a stopped iteration has tried it.
            if let Some(at) = moves.iter().position(|&other| other == mv) {
                moves[..=at].rotate_right(1);
            }
        }
        if dice.clock.stopped {
            break;
        }
        result.depth = depth;
        let (nodes, time) = (dice.clock.nodes, dice.clock.elapsed());
        report(&Info {
            depth,
            seldepth: depth,
            line: 1,
            score: result.score,
            nodes,
            time,
            hashfull: 0,
            pv: &result.pv,
        });
        if dice.clock.is_full(limits) {
            break;
        }
    }
    result.nodes = dice.clock.nodes;
    result
}

impl Dice<'_> {
    /// The score for the side that plays `mv`.
    fn after(&mut self, mv: Move, alpha: Score, beta: Score, depth: u32, ply: Score) -> Score {
        let undo = self.board.make(&self.reading.tables, mv);
        self.hashes.push(self.board.hash());
        let score = -self.throw(-beta, -alpha, depth, ply + 1);
        self.hashes.pop();
        self.board.unmake(&self.reading.tables, mv, undo);
        score
    }

    fn is_repetition(&self) -> bool {
        let Some((present, before)) = self.hashes.split_last() else { return false };
        let back = usize::from(self.board.halfmove());
        self.reading.rules.end.repetition > 0 && before.iter().rev().take(back).any(|hash| hash == present)
    }

    /// Expected score for the side to move, before it throws.
    fn throw(&mut self, alpha: Score, beta: Score, depth: u32, ply: Score) -> Score {
        if self.clock.tick() {
            return 0;
        }
        let reading = self.reading;
        let generator = MoveGen::new(&reading.tables, &self.board);
        let in_check = generator.in_check();
        let any = generator.any();
        match board_outcome(reading, &self.board, &generator, any) {
            Outcome::Win(winner, _) if winner == self.board.side() => return DICE_WIN - ply,
            Outcome::Win(..) => return ply - DICE_WIN,
            Outcome::Draw(_) => return 0,
            Outcome::Ongoing if self.is_repetition() => return 0,
            Outcome::Ongoing => {}
        }
        if depth == 0 || !any {
            let most = DICE_WIN - 100;
            return self.evaluator.evaluate(reading, &self.board).clamp(-most, most);
        }
        let mut faces: [Vec<Move>; FACES] = Default::default();
        for mv in generator.moves() {
            let Some(piece) = self.board.piece_at(mv.from()) else { continue };
            let def = reading.tables.kind(piece.kind()).def;
            if let Some(pips @ 1..=8) = reading.rules.kinds[def].pips {
                faces[usize::from(pips) - 1].push(mv);
            }
        }
        if in_check || reading.rules.dice.no_move == NoMove::Reroll {
            let movable = faces.iter().filter(|moves| !moves.is_empty()).count();
            if movable == 0 {
                // Only kinds that no face calls can move: nobody can throw for this side.
                return self.evaluator.evaluate(reading, &self.board).clamp(100 - DICE_WIN, DICE_WIN - 100);
            }
            let faces: Vec<Vec<Move>> = faces.into_iter().filter(|moves| !moves.is_empty()).collect();
            self.average(&faces, alpha, beta, depth, ply)
        } else {
            self.average(&faces, alpha, beta, depth, ply)
        }
    }

    /// The mean over equally likely faces of the best move of each (a pass where there is none). Star1: a face need
    /// only be searched within what could still bring the mean between the bounds.
    fn average(&mut self, faces: &[Vec<Move>], alpha: Score, beta: Score, depth: u32, ply: Score) -> Score {
        let count = Score::try_from(faces.len()).unwrap_or(Score::MAX);
        let (low, high) = (-DICE_WIN, DICE_WIN);
        let mut sum = 0;
        for (face, left) in faces.iter().zip((0..count).rev()) {
            let at_least = count * alpha - sum - high * left;
            let at_most = count * beta - sum - low * left;
            let score = self.best(face, at_least.max(low - 1), at_most.min(high + 1), depth, ply);
            if self.clock.stopped {
                return 0;
            }
            sum += score;
            if score <= at_least {
                return ((sum + high * left) / count).min(alpha);
            }
            if score >= at_most {
                return ((sum + low * left) / count).max(beta);
            }
        }
        sum / count
    }

    fn best(&mut self, moves: &[Move], mut alpha: Score, beta: Score, depth: u32, ply: Score) -> Score {
        let pass = [Move::NONE];
        let mut moves = if moves.is_empty() { pass.to_vec() } else { moves.to_vec() };
        self.sort(&mut moves);
        let mut best = -DICE_WIN;
        for mv in moves {
            let score = self.after(mv, alpha, beta, depth - 1, ply);
            if self.clock.stopped {
                return 0;
            }
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// Captures of dear men first.
    fn sort(&self, moves: &mut [Move]) {
        let values = self.evaluator.piece_values();
        let gain = |mv: &Move| {
            let victim = if mv.is_none() { None } else { self.board.piece_at(mv.to()) };
            std::cmp::Reverse(victim.map_or(0, |piece| values[piece.kind().index()]))
        };
        moves.sort_by_key(gain);
    }
}
