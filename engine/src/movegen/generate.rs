use super::attacks::{attackers, is_attacked, targets};
use crate::board::Board;
use crate::rules::Tables;
use crate::types::{Bitboard, Color, Kind, Move, SQUARES, Square};

/// The checks and pins of a position, from which its legal moves follow without trying them.
///
/// Every check and every pin is a path: the squares from the attacker to the royal piece. With check, other men may
/// only end on the intersection of all checking paths and checkers; a pinned man only on the intersection of the
/// paths that pin it. While the other side has a man that can attack one square by two paths, paths say nothing, and
/// each move is tested by looking at the board after it.
pub struct MoveGen<'a> {
    tables: &'a Tables,
    board: &'a Board,
    us: Color,
    occupied: Bitboard,
    checks: Checks,
}

/// The checks and pins of one position, to be kept while moves are tried on its board.
#[derive(Clone, Debug)]
pub struct Checks {
    checkers: Bitboard,
    /// Where other men than the royal may end, as far as checks go.
    evasions: Bitboard,
    pinned: Bitboard,
    pins: Vec<(Square, Bitboard)>,
    test_each: bool,
}

impl<'a> MoveGen<'a> {
    /// Finds checks and pins.
    #[must_use]
    pub fn new(tables: &'a Tables, board: &'a Board) -> MoveGen<'a> {
        let us = board.side();
        let mut this = MoveGen {
            tables,
            board,
            us,
            occupied: board.occupied(),
            checks: Checks {
                checkers: Bitboard::EMPTY,
                evasions: tables.board,
                pinned: Bitboard::EMPTY,
                pins: Vec::new(),
                test_each: false,
            },
        };
        if tables.any_multipath {
            this.checks.test_each =
                board.kinds().any(|k| tables.mover(k, !us).multipath && board.pieces(!us, k).any());
        }
        if this.checks.test_each {
            this.checks.checkers = attackers(tables, board, board.royal(us), !us, this.occupied);
        } else {
            this.find_checks_and_pins();
        }
        this
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

    fn find_checks_and_pins(&mut self) {
        let (them, king) = (!self.us, self.board.royal(self.us));
        let ours = self.board.men(self.us);
        for kind in self.board.kinds() {
            let men = self.board.pieces(them, kind);
            if men.is_empty() {
                continue;
            }
            let mover = self.tables.mover(kind, them);
            let reaching = men & mover.reach[king.index()];
            if reaching.is_empty() {
                continue;
            }
            let Some(between) = &mover.between else {
                for from in reaching {
                    self.checks.checkers.insert(from);
                    self.checks.evasions &= Bitboard::of(from);
                }
                continue;
            };
            let row = &between[king.index() * SQUARES..][..SQUARES];
            for from in reaching {
                let path = row[from.index()];
                let blockers = path & self.occupied;
                if blockers.is_empty() {
                    self.checks.checkers.insert(from);
                    self.checks.evasions &= path.with(from);
                } else if blockers.is_single() && (blockers & ours).any() {
                    let Some(man) = blockers.first() else { continue };
                    let allowed = path.with(from);
                    if self.checks.pinned.has(man) {
                        for pin in self.checks.pins.iter_mut().filter(|pin| pin.0 == man) {
                            pin.1 &= allowed;
                        }
                    } else {
                        self.checks.pinned.insert(man);
                        self.checks.pins.push((man, allowed));
                    }
                }
            }
        }
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
    pub fn for_each(&self, filter: Bitboard, mut sink: impl FnMut(Square, Bitboard)) {
        for kind in self.board.kinds() {
            self.for_each_of(kind, filter, &mut sink);
        }
    }

    /// The same for one kind alone.
    #[inline]
    pub fn for_each_of(&self, kind: Kind, filter: Bitboard, sink: &mut impl FnMut(Square, Bitboard)) {
        let men = self.board.pieces(self.us, kind);
        if men.is_empty() {
            return;
        }
        let enemy = self.board.men(!self.us);
        let open = filter & self.tables.board & !self.board.men(self.us);
        let table = self.tables.kind(kind);
        let mover = &table.movers[self.us.index()];
        if table.royal {
            let from = self.board.royal(self.us);
            let to = self.royal_moves(kind, open, enemy);
            if to.any() {
                sink(from, to);
            }
            return;
        }
        let allowed = open & self.checks.evasions;
        if allowed.is_empty() {
            return;
        }
        let mut men = men;
        if table.pawn
            && !self.checks.test_each
            && let Some(double) = &self.tables.plain_pawn
        {
            let free = men & !self.checks.pinned;
            men &= self.checks.pinned;
            for (ends, dx, dy) in self.pawn_ends(free, double[self.us.index()], allowed, enemy) {
                for to in ends {
                    if let Some(from) = to.offset(dx, dy, 12, 12) {
                        sink(from, Bitboard::of(to));
                    }
                }
            }
        }
        for from in men {
            let mut allowed = allowed;
            if self.checks.pinned.has(from) {
                for pin in self.checks.pins.iter().filter(|pin| pin.0 == from) {
                    allowed &= pin.1;
                }
            }
            let mut to = mover.destinations(from, self.occupied, enemy, allowed);
            if self.checks.test_each {
                to = to.into_iter().filter(|&to| self.is_safe_after(from, to)).collect();
            }
            if to.any() {
                sink(from, to);
            }
        }
    }

    /// Where plain pawns may end, all at once, each set with the way back to the pawn: steps, double steps, captures.
    #[inline]
    fn pawn_ends(
        &self,
        pawns: Bitboard,
        double: Bitboard,
        allowed: Bitboard,
        enemy: Bitboard,
    ) -> [(Bitboard, i32, i32); 4] {
        let white = self.us == Color::White;
        let ahead = |set: Bitboard| if white { set.up() } else { set.down() };
        let back = if white { -1 } else { 1 };
        let empty = !self.occupied;
        let step = ahead(pawns) & empty;
        let second = ahead(ahead(pawns & double) & empty) & empty;
        let captures = allowed & enemy;
        [
            (step & allowed, 0, back),
            (second & allowed, 0, 2 * back),
            (ahead(pawns.left()) & captures, 1, back),
            (ahead(pawns.right()) & captures, -1, back),
        ]
    }

    #[inline]
    fn royal_moves(&self, kind: Kind, open: Bitboard, enemy: Bitboard) -> Bitboard {
        let mover = self.tables.mover(kind, self.us);
        let from = self.board.royal(self.us);
        let mut to = mover.destinations(from, self.occupied, enemy, open);
        if let Some(initial) = &mover.initial {
            let moved = self.tables.mover(self.tables.kind(kind).moved, self.us);
            let leaps = initial[from.index()] & to & !moved.destinations(from, self.occupied, enemy, to);
            if leaps.any() {
                to = (to & !leaps) | self.allowed_leaps(from, leaps);
            }
        }
        // The royal piece must not hide behind itself. A man it captures attacks no square it stands on.
        let occupied = self.occupied.without(from);
        for kind in self.board.kinds() {
            if to.is_empty() {
                break;
            }
            let mover = self.tables.mover(kind, !self.us);
            for man in self.board.pieces(!self.us, kind) & mover.zone[from.index()] {
                to &= !targets(&mover.capture, man, occupied);
            }
        }
        to
    }

    /// Those leaps of the royal piece that the ruleset's restraints allow: the middle square is judged in the
    /// position before the move.
    fn allowed_leaps(&self, from: Square, leaps: Bitboard) -> Bitboard {
        if !self.tables.leap_from_check && self.in_check() {
            return Bitboard::EMPTY;
        }
        if self.tables.leap_over_attacked {
            return leaps;
        }
        let middle = |to: Square| Square::new((from.file() + to.file()) / 2, (from.rank() + to.rank()) / 2);
        leaps
            .into_iter()
            .filter(|&to| !is_attacked(self.tables, self.board, middle(to), !self.us, self.occupied))
            .collect()
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

    /// Number of legal moves.
    #[must_use]
    pub fn count(&self) -> u64 {
        let mut count = 0;
        self.for_each(self.tables.board, |_, to| count += u64::from(to.count()));
        count
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
        self.for_each(filter, |from, to| moves.extend(to.into_iter().map(|to| Move::new(from, to))));
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
        let mut legal = false;
        self.for_each_of(piece.kind(), Bitboard::of(mv.to()), &mut |from, _| legal |= from == mv.from());
        legal && !mv.is_none()
    }
}
