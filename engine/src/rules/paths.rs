use super::{Atom, Motion, Mover, Moves, Path, PerSquare, Ride, Shape, Slides, is_outward};
use crate::types::{Bitboard, Color, SQUARES, Square};

/// A board on which movements are walked out.
pub(super) struct Geometry {
    pub(super) files: u8,
    pub(super) ranks: u8,
    /// The rank on which each colour's pawns have their initial moves.
    pub(super) double_rank: [u8; 2],
}

impl Geometry {
    fn step(&self, from: Square, step: (i8, i8), color: Color) -> Option<Square> {
        from.offset(i32::from(step.0), i32::from(step.1) * color.sign(), self.files, self.ranks)
    }

    fn squares(&self) -> impl Iterator<Item = Square> + use<> {
        Bitboard::board(self.files, self.ranks).into_iter()
    }

    fn is_unlimited(&self, ride: &Ride) -> bool {
        ride.max >= self.files.max(self.ranks) - 1
    }

    /// Compiles the movement of one kind and colour.
    pub(super) fn mover(&self, atoms: &[&Atom], color: Color, pawn: bool) -> Mover {
        let quiet: Vec<&Atom> = atoms.iter().copied().filter(|a| a.quiet).collect();
        let capture: Vec<&Atom> = atoms.iter().copied().filter(|a| a.capture).collect();
        let (quiet, captures) = (self.moves(&quiet, color, pawn), self.moves(&capture, color, pawn));
        let mut reach: PerSquare = Box::new([Bitboard::EMPTY; SQUARES]);
        let mut between = vec![Bitboard::EMPTY; SQUARES * SQUARES];
        let mut multipath = false;
        for from in self.squares() {
            for path in self.paths(&capture, color, from, pawn) {
                let mut passed = Bitboard::EMPTY;
                for &(square, stop) in &path.squares {
                    if stop && square != from {
                        let entry = &mut between[square.index() * SQUARES + from.index()];
                        if !reach[square.index()].has(from) || (passed & *entry) == passed {
                            *entry = passed;
                        } else if (passed & *entry) != *entry {
                            multipath = true;
                        }
                        reach[square.index()].insert(from);
                    }
                    passed.insert(square);
                }
            }
        }
        let mut field: PerSquare = Box::new([Bitboard::EMPTY; SQUARES]);
        for target in self.squares() {
            for from in reach[target.index()] {
                field[from.index()].insert(target);
            }
        }
        let initial: Vec<&Atom> = atoms.iter().copied().filter(|a| a.initial).collect();
        let initial = (!initial.is_empty()).then(|| {
            let mut ends: PerSquare = Box::new([Bitboard::EMPTY; SQUARES]);
            for from in self.squares() {
                let paths = self.paths(&initial, color, from, pawn);
                let stops = paths.iter().flat_map(|path| &path.squares).filter(|(_, stop)| *stop);
                ends[from.index()] = stops.map(|(square, _)| *square).collect();
            }
            ends
        });
        Mover {
            uniform: quiet == captures,
            leaper: [&quiet, &captures].iter().all(|moves| matches!(moves.shape, Shape::None | Shape::Leaps)),
            attacks: !capture.is_empty(),
            quiet,
            capture: captures,
            reach,
            field,
            between: between.iter().any(|b| b.any()).then(|| between.into_boxed_slice()),
            multipath,
            initial,
        }
    }

    /// Sorts atoms into leaps, line families and general paths.
    fn moves(&self, atoms: &[&Atom], color: Color, pawn: bool) -> Moves {
        let mut leaps: PerSquare = Box::new([Bitboard::EMPTY; SQUARES]);
        let mut slides = Slides::default();
        let mut general: Vec<&Atom> = Vec::new();
        for &atom in atoms {
            if pawn && atom.initial {
                general.push(atom);
                continue;
            }
            let steps = match &atom.motion {
                Motion::Ride(ride) if ride.max == 1 => Some(ride.steps.clone()),
                Motion::Ride(ride) if self.is_unlimited(ride) => slides.add_lines(&ride.steps, color),
                Motion::Then(first, second) if first.max == 1 && self.is_unlimited(second) => {
                    slides.add_bent(&first.steps, &second.steps, color)
                }
                _ => None,
            };
            let Some(steps) = steps else {
                general.push(atom);
                continue;
            };
            for from in self.squares() {
                let ends = steps.iter().filter_map(|&step| self.step(from, step, color));
                leaps[from.index()] |= ends.collect();
            }
        }
        let paths = (!general.is_empty()).then(|| {
            let mut table = vec![Vec::new(); SQUARES].into_boxed_slice();
            for from in self.squares() {
                table[from.index()] = self.paths(&general, color, from, pawn);
            }
            table
        });
        let leaps = leaps.iter().any(|to| to.any()).then_some(leaps);
        Moves::new(leaps, slides, paths)
    }

    /// All paths of the atoms from a square, walked step by step.
    pub(super) fn paths(&self, atoms: &[&Atom], color: Color, from: Square, pawn: bool) -> Vec<Path> {
        let mut paths = Vec::new();
        for atom in atoms {
            if pawn && atom.initial && from.rank() != self.double_rank[color.index()] {
                continue;
            }
            match &atom.motion {
                Motion::Ride(ride) => {
                    for &step in &ride.steps {
                        let squares = self.walk(from, step, ride.max, color);
                        push_path(&mut paths, squares);
                    }
                }
                Motion::Lame(steps) => {
                    for &step in steps {
                        let Some(to) = self.step(from, step, color) else { continue };
                        let passed = lame_squares(step).into_iter();
                        let passed = passed.filter_map(|s| self.step(from, s, color)).map(|s| (s, false));
                        push_path(&mut paths, passed.chain([(to, true)]).collect());
                    }
                }
                Motion::Then(first, second) => {
                    for &step in &first.steps {
                        let head = self.walk(from, step, first.max, color);
                        for length in 1..=head.len() {
                            let bend = head[length - 1].0;
                            push_path(&mut paths, head[..length].to_vec());
                            for &turn in second.steps.iter().filter(|&&turn| is_outward(step, turn)) {
                                let mut squares = head[..length].to_vec();
                                squares.extend(self.walk(bend, turn, second.max, color));
                                push_path(&mut paths, squares);
                            }
                        }
                    }
                }
            }
        }
        paths
    }

    fn walk(&self, from: Square, step: (i8, i8), max: u8, color: Color) -> Vec<(Square, bool)> {
        let mut squares = Vec::new();
        let mut here = from;
        while squares.len() < usize::from(max)
            && let Some(next) = self.step(here, step, color)
        {
            squares.push((next, true));
            here = next;
        }
        squares
    }
}

fn push_path(paths: &mut Vec<Path>, squares: Vec<(Square, bool)>) {
    if !squares.is_empty() && !paths.iter().any(|p| p.squares.starts_with(&squares)) {
        paths.push(Path { squares });
    }
}

/// The squares a lame leap passes, relative to its origin.
fn lame_squares(step: (i8, i8)) -> Vec<(i8, i8)> {
    let (dx, dy) = step;
    let longest = dx.abs().max(dy.abs());
    if dx == 0 || dy == 0 || dx.abs() == dy.abs() {
        (1..longest).map(|i| (dx.signum() * i, dy.signum() * i)).collect()
    } else if dx.abs() > dy.abs() {
        vec![(dx.signum(), 0)]
    } else {
        vec![(0, dy.signum())]
    }
}
