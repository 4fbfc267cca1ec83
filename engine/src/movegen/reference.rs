//! The generator's test oracle: the same rules, walked square by square from the parsed movements, slowly and
//! plainly. It shares no table and no look-up with the fast generator, and only tests use it.

use crate::board::Board;
use crate::rules::{Atom, Motion, Ruleset, Tables};
use crate::types::{Color, Move, Square};

#[derive(Clone, Copy, PartialEq)]
struct Man {
    color: Color,
    def: usize,
    unmoved: bool,
}

/// A board for the slow generator.
#[derive(Clone)]
pub struct Slow<'a> {
    rules: &'a Ruleset,
    men: Vec<Option<Man>>,
    side: Color,
}

impl<'a> Slow<'a> {
    /// Copies the men of a board.
    #[must_use]
    pub fn new(rules: &'a Ruleset, tables: &Tables, board: &Board) -> Slow<'a> {
        let mut men = vec![None; 256];
        for square in board.occupied() {
            men[square.index()] = board.piece_at(square).map(|piece| {
                let kind = tables.kind(piece.kind());
                Man { color: piece.color(), def: kind.def, unmoved: kind.unmoved }
            });
        }
        Slow { rules, men, side: board.side() }
    }

    /// All legal moves, sorted.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves: Vec<Move> = Vec::new();
        for from in self.squares() {
            if self.at(from).is_none_or(|man| man.color != self.side) {
                continue;
            }
            for atom in self.atoms_of(from) {
                for to in self.ends(from, atom) {
                    let fits = match self.at(to) {
                        None => atom.quiet,
                        Some(other) => atom.capture && other.color != self.side,
                    };
                    if fits && self.leap_allowed(from, to, atom) && self.safe_after(from, to) {
                        moves.push(Move::new(from, to));
                    }
                }
            }
        }
        moves.sort();
        moves.dedup();
        moves
    }

    /// True if the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.royal(self.side).is_some_and(|king| self.attacked(king, !self.side))
    }

    fn squares(&self) -> Vec<Square> {
        let (files, ranks) = (self.rules.files, self.rules.ranks);
        (0..ranks).flat_map(|rank| (0..files).map(move |file| Square::new(file, rank))).collect()
    }

    fn at(&self, square: Square) -> Option<Man> {
        self.men[square.index()]
    }

    fn royal(&self, color: Color) -> Option<Square> {
        let is_royal = |man: Man| man.color == color && self.rules.kinds[man.def].royal;
        self.squares().into_iter().find(|&square| self.at(square).is_some_and(is_royal))
    }

    /// The atoms that the man on a square may use now.
    fn atoms_of(&self, square: Square) -> Vec<&'a Atom> {
        let Some(man) = self.at(square) else { return Vec::new() };
        let kind = &self.rules.kinds[man.def];
        if kind.pawn {
            let array = |start: &(Square, Color, usize)| start.1 == man.color && start.2 == man.def;
            let on = |rank: u8| self.rules.start.iter().filter(|s| array(s) && s.0.rank() == rank).count();
            let busiest = (0..self.rules.ranks).rev().max_by_key(|&rank| on(rank));
            let home = busiest == Some(square.rank());
            return kind.betza.atoms.iter().filter(|atom| home || !atom.initial).collect();
        }
        match (&kind.first_move, man.unmoved) {
            (Some(first), true) => first.atoms.iter().collect(),
            (None, true) => kind.betza.atoms.iter().collect(),
            (_, false) => kind.betza.atoms.iter().filter(|atom| !atom.initial).collect(),
        }
    }

    fn step(&self, from: Square, color: Color, step: (i8, i8)) -> Option<Square> {
        let up = if color == Color::White { 1 } else { -1 };
        from.offset(i32::from(step.0), i32::from(step.1) * up, self.rules.files, self.rules.ranks)
    }

    /// Every square on which the man on `from` could stop by one atom, whoever stands there.
    fn ends(&self, from: Square, atom: &Atom) -> Vec<Square> {
        let Some(man) = self.at(from) else { return Vec::new() };
        let mut ends = Vec::new();
        match &atom.motion {
            Motion::Ride(ride) => {
                for &step in &ride.steps {
                    ends.extend(self.ride(from, man.color, step, ride.max));
                }
            }
            Motion::Lame(steps) => {
                for &(dx, dy) in steps {
                    let Some(to) = self.step(from, man.color, (dx, dy)) else { continue };
                    let passed: Vec<(i8, i8)> = match (dx.abs(), dy.abs()) {
                        (1, 2) => vec![(0, dy.signum())],
                        (2, 1) => vec![(dx.signum(), 0)],
                        (x, y) => (1..x.max(y)).map(|i| (i * dx.signum(), i * dy.signum())).collect(),
                    };
                    let open = |&s: &(i8, i8)| {
                        self.step(from, man.color, s).is_some_and(|square| self.at(square).is_none())
                    };
                    if passed.iter().all(open) {
                        ends.push(to);
                    }
                }
            }
            Motion::Then(first, second) => {
                for &(dx, dy) in &first.steps {
                    for bend in self.ride(from, man.color, (dx, dy), first.max) {
                        ends.push(bend);
                        if self.at(bend).is_some() {
                            continue;
                        }
                        for &(tx, ty) in &second.steps {
                            let against = dx.signum() * tx.signum() < 0 || dy.signum() * ty.signum() < 0;
                            let onward = i32::from(dx) * i32::from(tx) + i32::from(dy) * i32::from(ty) > 0;
                            if onward && !against {
                                ends.extend(self.ride(bend, man.color, (tx, ty), second.max));
                            }
                        }
                    }
                }
            }
        }
        ends.retain(|&end| end != from);
        ends
    }

    fn ride(&self, from: Square, color: Color, step: (i8, i8), max: u8) -> Vec<Square> {
        let mut squares = Vec::new();
        let mut here = from;
        for _ in 0..max {
            let Some(next) = self.step(here, color, step) else { break };
            squares.push(next);
            if self.at(next).is_some() {
                break;
            }
            here = next;
        }
        squares
    }

    /// True if some man of `by` could capture on `target`.
    fn attacked(&self, target: Square, by: Color) -> bool {
        self.squares().into_iter().any(|from| {
            self.at(from).is_some_and(|man| man.color == by)
                && self.atoms_of(from).iter().any(|a| a.capture && self.ends(from, a).contains(&target))
        })
    }

    fn leap_allowed(&self, from: Square, to: Square, atom: &Atom) -> bool {
        let royal = self.at(from).is_some_and(|man| self.rules.kinds[man.def].royal);
        if !royal || !atom.initial {
            return true;
        }
        let middle = Square::new((from.file() + to.file()) / 2, (from.rank() + to.rank()) / 2);
        (self.rules.leap.from_check || !self.in_check())
            && (self.rules.leap.over_attacked || !self.attacked(middle, !self.side))
    }

    fn safe_after(&self, from: Square, to: Square) -> bool {
        let mut after = self.clone();
        after.men[to.index()] = after.men[from.index()].take().map(|man| Man { unmoved: false, ..man });
        after.royal(self.side).is_none_or(|king| !after.attacked(king, !self.side))
    }
}
