use super::history::Context;
use super::tactics::Tactics;
use super::worker::Worker;
use crate::eval::Attacked;
use crate::movegen::{Checks, MoveGen};
use crate::types::{Bitboard, Move, Piece, Score, Square};

/// A move and its place in the order, in one word that a vector compares eight at a time: the score in the high half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Scored(i32);

impl Scored {
    /// A score beyond 16 bits counts as the nearest within.
    #[inline]
    fn new(mv: Move, score: i32) -> Scored {
        let score = score.clamp(i32::from(i16::MIN), i32::from(i16::MAX));
        Scored(score << 16 | i32::from(mv.bits()))
    }

    #[inline]
    fn raised(self, bonus: i32) -> Scored {
        Scored::new(self.mv(), (self.0 >> 16) + bonus)
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the low half is a move's bits"
    )]
    fn mv(self) -> Move {
        let square = |byte: i32| Square::from_index(byte as u8);
        Move::new(square(self.0 >> 8), square(self.0))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    MakeCaptures,
    Captures,
    Specials,
    MakeQuiets,
    Quiets,
    Losing,
    Done,
}

/// Which moves of a node are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    /// Captures and promotions.
    Captures,
    /// Captures and promotions, and quiet moves that give check.
    Checks,
}

/// Hands out a node's legal moves, likely ones first, and makes each batch only when it is asked for: table move,
/// winning captures and promotions, killers, other quiet moves, losing captures.
pub(super) struct Picker {
    stage: Stage,
    checks: Option<Checks>,
    table: Move,
    specials: [Move; 2],
    special: usize,
    /// Losing captures that were put off, then the moves handed out or passed over, then those to come.
    batch: Vec<Scored>,
    next: usize,
    losing: usize,
    wanted: Wanted,
    /// Quiet moves are wanted no more.
    no_quiets: bool,
    context: Context,
    /// Whether quiet moves are ordered by what is attacked, too.
    tactics: bool,
    /// What is attacked: found with the quiet moves, since most nodes that cut do so before.
    attacked: Option<Attacked>,
}

impl Picker {
    /// All moves of the node.
    pub(super) fn all(
        checks: Checks,
        table: Move,
        killers: [Move; 2],
        context: Context,
        tactics: bool,
        mut batch: Vec<Scored>,
    ) -> Picker {
        batch.clear();
        Picker {
            stage: Stage::Table,
            checks: Some(checks),
            table,
            specials: killers,
            special: 0,
            batch,
            next: 0,
            losing: 0,
            wanted: Wanted::All,
            no_quiets: false,
            context,
            tactics,
            attacked: None,
        }
    }

    /// Captures and promotions that do not lose material, then quiet moves that give check if `checking`.
    pub(super) fn captures(
        checks: Checks,
        table: Move,
        context: Context,
        checking: bool,
        batch: Vec<Scored>,
    ) -> Picker {
        let wanted = if checking { Wanted::Checks } else { Wanted::Captures };
        Picker { wanted, ..Picker::all(checks, table, [Move::NONE; 2], context, false, batch) }
    }

    /// What is attacked, if that was needed.
    pub(super) fn attacked(&self) -> Option<&Attacked> {
        self.attacked.as_ref()
    }

    /// Gives the memory for moves back.
    pub(super) fn into_batch(self) -> Vec<Scored> {
        self.batch
    }

    /// Skips the quiet moves that have not been handed out yet, but for the table's.
    pub(super) fn skip_quiets(&mut self) {
        self.no_quiets = true;
    }

    /// The next move, and whether it comes from the losing captures.
    pub(super) fn next(&mut self, worker: &mut Worker<'_>) -> Option<(Move, bool)> {
        loop {
            if self.no_quiets && matches!(self.stage, Stage::Specials | Stage::MakeQuiets | Stage::Quiets) {
                self.start_losing();
            }
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::MakeCaptures;
                    let wanted = self.wanted == Wanted::All || !worker.is_quiet(self.table);
                    if !self.table.is_none() && wanted && self.is_legal(worker, self.table) {
                        return Some((self.table, false));
                    }
                    self.table = Move::NONE;
                }
                Stage::MakeCaptures => {
                    self.make_captures(worker);
                    self.stage = Stage::Captures;
                }
                Stage::Captures => match self.best() {
                    Some(scored) if scored.mv() == self.table => {}
                    Some(scored) => {
                        let mv = scored.mv();
                        if worker.see(mv, 0) {
                            return Some((mv, false));
                        }
                        // Each losing capture has left the rest, so there is room for it in front.
                        self.batch[self.losing] = scored;
                        self.losing += 1;
                    }
                    None => {
                        self.stage = match self.wanted {
                            Wanted::All => Stage::Specials,
                            Wanted::Captures => Stage::Done,
                            Wanted::Checks => Stage::MakeQuiets,
                        }
                    }
                },
                Stage::Specials => {
                    let Some(&mv) = self.specials.get(self.special) else {
                        self.stage = Stage::MakeQuiets;
                        continue;
                    };
                    let seen = mv == self.table || self.specials[..self.special].contains(&mv);
                    if !mv.is_none() && !seen && worker.is_quiet(mv) && self.is_legal(worker, mv) {
                        self.special += 1;
                        return Some((mv, false));
                    }
                    self.specials[self.special] = Move::NONE;
                    self.special += 1;
                }
                Stage::MakeQuiets => {
                    if self.wanted == Wanted::Checks {
                        self.make_checks(worker);
                    } else {
                        self.make_quiets(worker);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => match self.best().map(Scored::mv) {
                    Some(mv) if mv == self.table || self.specials.contains(&mv) => {}
                    Some(mv) => return Some((mv, false)),
                    None if self.wanted == Wanted::All => self.start_losing(),
                    None => self.stage = Stage::Done,
                },
                Stage::Losing => {
                    let Some(scored) = self.batch[..self.losing].get(self.next) else {
                        self.stage = Stage::Done;
                        continue;
                    };
                    self.next += 1;
                    return Some((scored.mv(), true));
                }
                Stage::Done => return None,
            }
        }
    }

    fn start_losing(&mut self) {
        self.stage = Stage::Losing;
        self.next = 0;
    }

    fn generator<'b>(&mut self, worker: &'b Worker<'_>) -> Option<MoveGen<'b>> {
        Some(MoveGen::resume(worker.tables(), &worker.board, self.checks.take()?))
    }

    fn is_legal(&mut self, worker: &Worker<'_>, mv: Move) -> bool {
        let Some(moves) = self.generator(worker) else { return false };
        let legal = moves.is_legal(mv);
        self.checks = Some(moves.into_checks());
        legal
    }

    fn make_captures(&mut self, worker: &Worker<'_>) {
        let Some(moves) = self.generator(worker) else { return };
        let enemy = worker.board.men(!worker.board.side());
        let context = self.context;
        moves.for_each(enemy, |from, to| {
            self.batch.extend(to.into_iter().map(|to| worker.scored_capture(context, Move::new(from, to))));
        });
        let promoting = worker.promotion_rank() & !enemy;
        if let Some(kind) = worker.pawn_kind {
            moves.for_each_of(kind, promoting, &mut |from, to| {
                self.batch
                    .extend(to.into_iter().map(|to| worker.scored_capture(context, Move::new(from, to))));
            });
        }
        self.checks = Some(moves.into_checks());
        self.next = 0;
    }

    fn make_checks(&mut self, worker: &Worker<'_>) {
        self.batch.truncate(self.losing);
        self.next = self.losing;
        let Some(moves) = self.generator(worker) else { return };
        let (board, tables) = (&worker.board, worker.tables());
        let king = board.royal(!board.side());
        let context = self.context;
        moves.for_each(!board.occupied(), |from, to| {
            let Some(piece) = board.piece_at(from) else { return };
            let mover = tables.mover(tables.after(piece.kind()).kind, board.side());
            if to.meets(mover.reach[king.index()]) {
                let checking = mover.attackers_among(to, king, board.occupied().without(from));
                let row = worker.memory.quiet_row(context, piece);
                let quiet =
                    checking.into_iter().map(|to| Move::new(from, to)).filter(|&mv| worker.is_quiet(mv));
                self.batch.extend(quiet.map(|mv| Scored::new(mv, row.score(mv.to()))));
            }
        });
        self.checks = Some(moves.into_checks());
    }

    fn make_quiets(&mut self, worker: &mut Worker<'_>) {
        if self.tactics {
            let memory = &mut worker.eval_memory;
            self.attacked = Some(worker.evaluator.attacked(worker.reading, &worker.board, memory));
        }
        let worker = &*worker;
        self.batch.truncate(self.losing);
        self.next = self.losing;
        let Some(moves) = self.generator(worker) else { return };
        let board = &worker.board;
        let empty = !board.occupied();
        let pawns = worker.pawns()[board.side().index()];
        let promoting = worker.promotion_rank();
        let context = self.context;
        let attacked = self.attacked.as_ref();
        let tactics =
            attacked.map(|attacked| Tactics::new(worker.tables(), board, worker.values(), attacked));
        moves.for_each(empty, |from, to| {
            let to = if pawns.has(from) { to & !promoting } else { to };
            let Some(piece) = board.piece_at(from) else { return };
            let first = self.batch.len();
            let row = worker.memory.quiet_row(context, piece);
            self.batch.extend(to.into_iter().map(|to| Scored::new(Move::new(from, to), row.score(to))));
            if let Some(tactics) = &tactics {
                let made = &mut self.batch[first..];
                let all = tactics.judge(piece, from, to, |ends, bonus| raise(made, ends, bonus));
                if all != 0 {
                    raise(&mut self.batch[first..], to, all);
                }
            }
        });
        self.checks = Some(moves.into_checks());
    }

    /// Takes the best of the rest of the batch: a selection sort, one step at a time.
    fn best(&mut self) -> Option<Scored> {
        let rest = &mut self.batch[self.next..];
        let best = rest.iter().copied().max()?;
        // Moves differ, so the words do.
        let place = rest.iter().position(|scored| *scored == best)?;
        rest.swap(0, place);
        self.next += 1;
        Some(best)
    }
}

/// Adds to the scores of the moves that end on some squares.
#[inline]
fn raise(moves: &mut [Scored], ends: Bitboard, bonus: i32) {
    if ends.any() {
        for scored in moves.iter_mut().filter(|scored| ends.has(scored.mv().to())) {
            *scored = scored.raised(bonus);
        }
    }
}

impl Worker<'_> {
    /// Most valuable victim first, then what has done well; a promotion counts as what it brings.
    #[inline]
    fn scored_capture(&self, context: Context, mv: Move) -> Scored {
        let (mover, victim) = (self.board.piece_at(mv.from()), self.board.piece_at(mv.to()));
        let worth = |piece: Option<Piece>| piece.map_or(0, |p| self.values()[p.kind().index()]);
        let promotion: Score = if self.is_promotion(mv) {
            self.values()[self.tables().promotion[mv.to().file() as usize].index()]
        } else {
            0
        };
        let done = mover.map_or(0, |piece| self.memory.capture(context, piece, mv, victim));
        Scored::new(mv, (16 * (worth(victim) + promotion) - worth(mover).min(10_000) + done / 4) / 4)
    }
}
