use super::attacks::{is_attacked, targets};
use super::checks::{Checks, bits};
use super::lines;
use super::sink::{Each, List, Sink};
use crate::board::Board;
use crate::rules::{KindTable, Shape, Tables};
use crate::types::{Bitboard, Color, Kind, Move, SQUARES, Square};

/// The checks and pins of a position, from which its legal moves follow without trying them.
///
/// Every check and every pin is a path: the squares from the attacker to the royal piece. With check, other men may
/// only end on the intersection of all checking paths and checkers; a pinned man only on the intersection of the
/// paths that pin it. While the other side has a man that can attack one square by two paths, paths say nothing, and
/// each move is tested by looking at the board after it.
pub struct MoveGen<'a> {
    pub(super) tables: &'a Tables,
    pub(super) board: &'a Board,
    pub(super) us: Color,
    pub(super) occupied: Bitboard,
    pub(super) checks: Checks,
}

/// Squares that moves may end on.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    pub(super) enemy: Bitboard,
    /// Without our own men: for the royal piece.
    pub(super) open: Bitboard,
    /// Those that meet every check, too: for the others.
    pub(super) allowed: Bitboard,
}

impl<'a> MoveGen<'a> {
    /// Finds checks and pins.
    #[inline(always)]
    #[must_use]
    pub fn new(tables: &'a Tables, board: &'a Board) -> MoveGen<'a> {
        let (us, occupied) = (board.side(), board.occupied());
        MoveGen { tables, board, us, occupied, checks: Checks::of(tables, board) }
    }

    /// Goes on with the checks and pins found earlier on this very board.
    #[inline]
    #[must_use]
    pub fn resume(tables: &'a Tables, board: &'a Board, checks: Checks) -> MoveGen<'a> {
        MoveGen { tables, board, us: board.side(), occupied: board.occupied(), checks }
    }

    /// Lets go of the board and keeps its checks and pins.
    #[inline]
    #[must_use]
    pub fn into_checks(self) -> Checks {
        self.checks
    }

    /// The men that give check.
    #[inline]
    #[must_use]
    pub fn checkers(&self) -> Bitboard {
        self.checks.checkers
    }

    /// True if the side to move is in check.
    #[inline]
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.checks.checkers.any()
    }

    /// Calls `sink` with every man that has a legal move ending on `filter`, and where it may end.
    #[inline]
    pub fn for_each(&self, filter: Bitboard, sink: impl FnMut(Square, Bitboard)) {
        self.walk(filter, &mut Each(sink));
    }

    /// The same for one kind alone.
    #[inline]
    pub fn for_each_of(&self, kind: Kind, filter: Bitboard, sink: &mut impl FnMut(Square, Bitboard)) {
        let men = self.board.pieces(self.us, kind);
        if men.any() {
            self.walk_kind(self.tables.kind(kind), men, self.aim(filter), &mut Each(sink));
        }
    }

    #[inline]
    pub(super) fn aim(&self, filter: Bitboard) -> Aim {
        let open = filter & self.tables.board & !self.board.men(self.us);
        Aim { enemy: self.board.men(!self.us), open, allowed: open & self.checks.evasions }
    }

    #[inline]
    pub(super) fn walk(&self, filter: Bitboard, sink: &mut impl Sink) {
        let aim = self.aim(filter);
        for (men, table) in self.board.sets(self.us).iter().zip(&self.tables.kinds) {
            if men.any() {
                self.walk_kind(table, *men, aim, sink);
            }
        }
    }

    /// Finds the moves of `men`, all of one kind.
    #[inline]
    fn walk_kind(&self, table: &KindTable, men: Bitboard, aim: Aim, sink: &mut impl Sink) {
        let Aim { enemy, open, allowed } = aim;
        if table.royal {
            let from = self.board.royal(self.us);
            sink.man(from, self.royal_moves(table, open, enemy));
            return;
        }
        let mut men = men;
        let pinned = men & self.checks.pinned;
        if table.pawn
            && !self.checks.test_each
            && let Some(double) = &self.tables.plain_pawn
        {
            self.plain_pawns(men & !pinned, double[self.us.index()], allowed, enemy, sink);
            men = pinned;
        }
        let mover = &table.movers[self.us.index()];
        if pinned.any() || self.checks.test_each || !mover.uniform {
            for from in men {
                let to = mover.destinations(from, self.occupied, enemy, allowed);
                sink.man(from, self.restrained(from, to));
            }
            return;
        }
        // One loop for each shape: which it is is asked once, not for each man.
        let occupied = self.occupied;
        match mover.quiet.shape {
            Shape::None => {}
            Shape::Leaps => each(men, |from| sink.man(from, mover.quiet.leaps(from) & allowed)),
            Shape::Orthogonal => {
                each(men, |from| sink.man(from, lines::orthogonal(from, occupied) & allowed));
            }
            Shape::Diagonal => each(men, |from| sink.man(from, lines::diagonal(from, occupied) & allowed)),
            Shape::Aanca => each(men, |from| sink.man(from, lines::aanca(from, occupied) & allowed)),
            Shape::Rhino => each(men, |from| sink.man(from, lines::rhino(from, occupied) & allowed)),
            Shape::Mixed => {
                each(men, |from| sink.man(from, targets(&mover.quiet, from, occupied) & allowed));
            }
        }
    }

    /// Those of `to` that pins, or a look at the board after the move, allow the man on `from`.
    #[inline]
    fn restrained(&self, from: Square, to: Bitboard) -> Bitboard {
        if self.checks.test_each {
            to.into_iter().filter(|&to| self.is_safe_after(from, to)).collect()
        } else if self.checks.pinned.has(from) {
            to & self.pin_of(from)
        } else {
            to
        }
    }

    /// Where a pinned man may end: on all paths that pin it, or capturing the pinner.
    #[cold]
    fn pin_of(&self, man: Square) -> Bitboard {
        let king = self.board.royal(self.us);
        let mut allowed = self.tables.board;
        for pinner in self.checks.pinners {
            let Some(piece) = self.board.piece_at(pinner) else { continue };
            let Some(between) = &self.tables.mover(piece.kind(), !self.us).between else { continue };
            let path = between[king.index() * SQUARES + pinner.index()];
            if path.has(man) {
                allowed &= path.with(pinner);
            }
        }
        allowed
    }

    /// Finds the moves of plain pawns, all at once: steps, double steps, captures to the left, captures to the right.
    #[inline(always)]
    pub(super) fn plain_pawns(
        &self,
        pawns: Bitboard,
        double: Bitboard,
        allowed: Bitboard,
        enemy: Bitboard,
        sink: &mut impl Sink,
    ) {
        let white = self.us == Color::White;
        let ahead = |set: Bitboard| if white { set.up() } else { set.down() };
        let back = if white { -16 } else { 16 };
        let empty = !self.occupied;
        let step = ahead(pawns) & empty;
        sink.pawns(step & allowed, back);
        if double.any() {
            let second = ahead(ahead(pawns & double) & empty) & empty;
            sink.pawns(second & allowed, 2 * back);
        }
        let captures = allowed & enemy;
        let attacked = ahead(pawns);
        sink.pawns(attacked.left() & captures, back + 1);
        sink.pawns(attacked.right() & captures, back - 1);
    }

    #[inline(always)]
    pub(super) fn royal_moves(&self, table: &KindTable, open: Bitboard, enemy: Bitboard) -> Bitboard {
        let mover = &table.movers[self.us.index()];
        let from = self.board.royal(self.us);
        let mut to = mover.destinations(from, self.occupied, enemy, open);
        if to.is_empty() {
            return to;
        }
        let mut leaps = Bitboard::EMPTY;
        let mut wanted = to;
        if self.tables.leap_restrained
            && let Some(initial) = &mover.initial
        {
            let moved = self.tables.mover(table.moved, self.us);
            leaps = initial[from.index()] & to & !moved.destinations(from, self.occupied, enemy, to);
            for leap in leaps {
                wanted.insert(from.middle(leap));
            }
        }
        let danger = self.danger(from, wanted);
        to &= !danger;
        leaps &= to;
        if leaps.any() {
            to = (to & !leaps) | self.allowed_leaps(from, leaps, danger);
        }
        to
    }

    /// Those of `wanted`, which the royal piece may step or leap to or leap over, that the enemy would attack if it
    /// were there: it does not hide behind itself, and a man it captures attacks no square it stands on.
    #[inline(always)]
    fn danger(&self, royal: Square, wanted: Bitboard) -> Bitboard {
        let occupied = self.occupied.without(royal);
        let mut danger = Bitboard::EMPTY;
        let threats = self.tables.threats(!self.us, royal);
        let sets = self.board.sets(!self.us);
        for kind in bits(self.checks.near) {
            let men = sets[kind] & threats[kind].zone;
            let mover = &self.tables.kinds[kind].movers[(!self.us).index()];
            for man in men {
                let near = mover.field[man.index()] & wanted;
                if near.is_empty() {
                    continue;
                }
                match &mover.between {
                    _ if mover.multipath => danger |= targets(&mover.capture, man, occupied),
                    None => danger |= near,
                    Some(between) => {
                        for square in near {
                            if !between[square.index() * SQUARES + man.index()].meets(occupied) {
                                danger.insert(square);
                            }
                        }
                    }
                }
            }
        }
        danger
    }

    /// Those leaps of the royal piece that the ruleset's restraints allow: the middle square is judged in the
    /// position before the move. `danger` holds at least the middle squares that are attacked then.
    fn allowed_leaps(&self, from: Square, leaps: Bitboard, danger: Bitboard) -> Bitboard {
        if !self.tables.leap_from_check && self.in_check() {
            return Bitboard::EMPTY;
        }
        if self.tables.leap_over_attacked {
            return leaps;
        }
        let attacked = |middle| {
            danger.has(middle) && is_attacked(self.tables, self.board, middle, !self.us, self.occupied)
        };
        leaps.into_iter().filter(|&to| !attacked(from.middle(to))).collect()
    }

    fn is_safe_after(&self, from: Square, to: Square) -> bool {
        let king = self.board.royal(self.us);
        // A captured man's square stays occupied, but by ours: take it out of the attackers.
        let occupied = self.occupied.without(from).with(to);
        let captured = Bitboard::of(to);
        !self.board.kinds().any(|kind| {
            let mover = self.tables.mover(kind, !self.us);
            let men = self.board.pieces(!self.us, kind) & !captured;
            mover.attacks && mover.attackers_among(men, king, occupied).any()
        })
    }

    /// True if there is a legal move.
    #[must_use]
    pub fn any(&self) -> bool {
        self.board.kinds().any(|kind| {
            let mut any = false;
            self.for_each_of(kind, self.tables.board, &mut |_, _| any = true);
            any
        })
    }

    /// Appends the legal moves that end on `filter`, by kind, then by square left, then by square reached.
    pub fn moves_into(&self, filter: Bitboard, moves: &mut Vec<Move>) {
        self.walk(filter, &mut List(moves));
    }

    /// All legal moves, in the same order.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(96);
        self.moves_into(self.tables.board, &mut moves);
        moves
    }

    /// True if `mv` is legal, whatever squares it names.
    #[must_use]
    pub fn is_legal(&self, mv: Move) -> bool {
        let Some(piece) = self.board.piece_at(mv.from()).filter(|p| p.color() == self.us) else {
            return false;
        };
        let Aim { enemy, open, allowed } = self.aim(Bitboard::of(mv.to()));
        let table = self.tables.kind(piece.kind());
        let to = if table.royal {
            self.royal_moves(table, open, enemy)
        } else {
            let mover = &table.movers[self.us.index()];
            self.restrained(mv.from(), mover.destinations(mv.from(), self.occupied, enemy, allowed))
        };
        to.any() && !mv.is_none()
    }
}

#[inline]
fn each(men: Bitboard, act: impl FnMut(Square)) {
    men.into_iter().for_each(act);
}
