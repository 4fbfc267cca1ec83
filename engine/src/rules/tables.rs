use super::{Atom, Motion, Ride, Ruleset, is_outward};
use crate::types::{Bitboard, Color, Kind, SQUARES, Square};

/// A ruleset and what it compiles to: what a game is played with.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The rules as data.
    pub rules: Ruleset,
    /// The rules as look-ups.
    pub tables: Tables,
}

impl Reading {
    /// Compiles a ruleset. The result is shared: positions hold a reference to it.
    #[must_use]
    pub fn new(rules: Ruleset) -> std::sync::Arc<Reading> {
        std::sync::Arc::new(Reading { tables: Tables::compile(&rules), rules })
    }
}

/// A bitboard for every square.
pub type PerSquare = Box<[Bitboard; SQUARES]>;

/// Slider families that have line look-ups, as bits of [`Slides`].
pub mod family {
    /// Rook lines.
    pub const ORTHOGONAL: u8 = 1;
    /// Bishop lines.
    pub const DIAGONAL: u8 = 2;
    /// `t[FR]`: one diagonal step, then outward along rank or file.
    pub const AANCA: u8 = 4;
    /// `t[NB]`: a knight leap, then outward along the diagonal.
    pub const RHINO: u8 = 8;
}

/// Which slider families a piece rides: everywhere, only to higher ranks, only to lower ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slides {
    /// Families without a limit.
    pub all: u8,
    /// Families limited to ranks above the piece.
    pub up: u8,
    /// Families limited to ranks below the piece.
    pub down: u8,
}

/// One way from a square: the squares in order, and which of them the piece may stop on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Squares in the order they are passed; each must be empty for the next to be reached.
    pub squares: Vec<(Square, bool)>,
}

/// The compiled movement of one kind and colour in one mode (quiet or capture).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Leaps, by square of origin, on-board squares only; `None` if there are none.
    pub leaps: Option<PerSquare>,
    /// Slider families.
    pub slides: Slides,
    /// Everything else, by square of origin; `None` for the built-in shapes.
    pub paths: Option<Box<[Vec<Path>]>>,
}

/// A compiled kind in one colour.
#[derive(Clone, Debug)]
pub struct Mover {
    /// Moves to empty squares.
    pub quiet: Moves,
    /// Captures; what it attacks.
    pub capture: Moves,
    /// True if `quiet` and `capture` are equal, so that one look-up does for both.
    pub uniform: bool,
    /// True if it captures at all.
    pub attacks: bool,
    /// For each square, where a piece of this kind attacks it from on an empty board.
    pub reach: PerSquare,
    /// For each square, where a piece of this kind could attack a square that the enemy's royal piece might step or
    /// leap to from there.
    pub zone: PerSquare,
    /// At `target * SQUARES + from`, the squares that must be empty for the attack; `None` if there are never any.
    pub between: Option<Box<[Bitboard]>>,
    /// True if some square is attacked by more than one path, so that `between` says nothing.
    pub multipath: bool,
    /// Squares that the initial atoms (`i`) reach on an empty board, by origin.
    pub initial: Option<PerSquare>,
}

/// A kind of piece as the board knows it.
#[derive(Clone, Debug)]
pub struct KindTable {
    /// Index into [`Ruleset::kinds`].
    pub def: usize,
    /// The kind it is after a move (itself, unless it has a first-move privilege).
    pub moved: Kind,
    /// True if it holds a first-move privilege.
    pub unmoved: bool,
    /// True for the royal piece, moved or not.
    pub royal: bool,
    /// True for the pawn.
    pub pawn: bool,
    /// Movement for White and Black.
    pub movers: [Mover; 2],
    /// The squares on which an unmoved piece may stand, by colour; empty for moved kinds.
    pub home: [Bitboard; 2],
}

/// A ruleset compiled for the generator: no names, no movement strings.
#[derive(Clone, Debug)]
pub struct Tables {
    /// Number of files.
    pub files: u8,
    /// Number of ranks.
    pub ranks: u8,
    /// All squares.
    pub board: Bitboard,
    /// Moved kinds first, in the order of [`Ruleset::kinds`], then the unmoved twins.
    pub kinds: Vec<KindTable>,
    /// What a pawn becomes on the last rank, by file.
    pub promotion: [Kind; 12],
    /// The last rank of each colour.
    pub last_rank: [u8; 2],
    /// May the royal piece leap out of check?
    pub leap_from_check: bool,
    /// May the royal piece leap over an attacked square?
    pub leap_over_attacked: bool,
    /// True if some kind is [`Mover::multipath`].
    pub any_multipath: bool,
    /// The squares of each colour's last rank.
    pub promotion_rank: [Bitboard; 2],
    /// If the pawn is the usual one, one step ahead and captures one step diagonally ahead: for each colour the
    /// squares from which it may also go two steps, both empty.
    pub plain_pawn: Option<[Bitboard; 2]>,
}

impl Tables {
    /// Compiles a checked ruleset.
    #[must_use]
    pub fn compile(rules: &Ruleset) -> Tables {
        let mut geometry = Geometry { files: rules.files, ranks: rules.ranks, double_rank: [0; 2] };
        let mut kinds = Vec::with_capacity(rules.kinds.len());
        for (def, kind) in rules.kinds.iter().enumerate() {
            geometry.double_rank = pawn_ranks(rules, def);
            let moved: Vec<&Atom> =
                if kind.pawn { kind.betza.atoms.iter().collect() } else { kind.moved().collect() };
            let movers = Color::ALL.map(|color| geometry.mover(&moved, color, kind.pawn));
            kinds.push(KindTable {
                def,
                moved: kind_index(def),
                unmoved: false,
                royal: kind.royal,
                pawn: kind.pawn,
                movers,
                home: [Bitboard::EMPTY; 2],
            });
        }
        for (def, kind) in rules.kinds.iter().enumerate() {
            if kind.pawn {
                continue;
            }
            let Some(atoms) = kind.unmoved() else { continue };
            let atoms: Vec<&Atom> = atoms.iter().collect();
            let home = Color::ALL.map(|color| {
                let mine = rules.start.iter().filter(|man| man.1 == color && man.2 == def);
                mine.map(|man| man.0).collect()
            });
            let movers = Color::ALL.map(|color| geometry.mover(&atoms, color, false));
            kinds.push(KindTable {
                def,
                moved: kind_index(def),
                unmoved: true,
                royal: kind.royal,
                pawn: false,
                movers,
                home,
            });
        }
        fill_zones(&mut kinds, rules);
        let rank = |rank| (0..rules.files).map(|file| Square::new(file, rank)).collect();
        let plain_pawn = rules.kinds.iter().position(|kind| kind.pawn).and_then(|def| {
            let double = plain_pawn(&rules.kinds[def])?;
            let ranks = pawn_ranks(rules, def);
            Some(Color::ALL.map(|color| if double { rank(ranks[color.index()]) } else { Bitboard::EMPTY }))
        });
        let mut promotion = [kind_index(0); 12];
        for (file, &kind) in rules.promotion.iter().enumerate() {
            promotion[file] = kind_index(kind);
        }
        Tables {
            files: rules.files,
            ranks: rules.ranks,
            board: Bitboard::board(rules.files, rules.ranks),
            any_multipath: kinds.iter().any(|k| k.movers.iter().any(|m| m.multipath)),
            kinds,
            promotion,
            last_rank: [rules.ranks - 1, 0],
            promotion_rank: [rank(rules.ranks - 1), rank(0)],
            plain_pawn,
            leap_from_check: rules.leap.from_check,
            leap_over_attacked: rules.leap.over_attacked,
        }
    }

    /// The compiled kind.
    #[inline]
    #[must_use]
    pub fn kind(&self, kind: Kind) -> &KindTable {
        &self.kinds[kind.index()]
    }

    /// The movement of a kind and colour.
    #[inline]
    #[must_use]
    pub fn mover(&self, kind: Kind, color: Color) -> &Mover {
        &self.kinds[kind.index()].movers[color.index()]
    }

    /// The unmoved twin of a moved kind, if that kind has a first-move privilege.
    #[must_use]
    pub fn unmoved_twin(&self, kind: Kind) -> Option<Kind> {
        let twin = self.kinds.iter().position(|k| k.unmoved && k.moved == kind)?;
        Some(kind_index(twin))
    }

    /// All compiled kinds, in order.
    pub fn all_kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        (0..self.kinds.len()).map(kind_index)
    }
}

fn kind_index(index: usize) -> Kind {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a ruleset has at most sixteen kinds and their twins"
    )]
    Kind::new(index as u8)
}

/// Fills [`Mover::zone`] from the reach of each kind and the royal piece's own steps.
fn fill_zones(kinds: &mut [KindTable], rules: &Ruleset) {
    let board = Bitboard::board(rules.files, rules.ranks);
    for color in Color::ALL {
        let royal = kinds.iter().filter(|kind| kind.royal).map(|kind| &kind.movers[(!color).index()]);
        let royal: Vec<(Moves, Moves)> = royal.map(|m| (m.quiet.clone(), m.capture.clone())).collect();
        for king in board {
            let ends = |moves: &Moves| {
                let leaps = moves.leaps.as_ref().map_or(Bitboard::EMPTY, |leaps| leaps[king.index()]);
                let plain = moves.slides == Slides::default() && moves.paths.is_none();
                if plain { leaps } else { board }
            };
            let steps = royal.iter().fold(Bitboard::EMPTY, |all, (q, c)| all | ends(q) | ends(c));
            for kind in kinds.iter_mut() {
                let mover = &mut kind.movers[color.index()];
                mover.zone[king.index()] =
                    steps.into_iter().fold(Bitboard::EMPTY, |all, to| all | mover.reach[to.index()]);
            }
        }
    }
}

/// If a pawn is the usual one, whether it may go two steps from the array.
fn plain_pawn(kind: &super::KindDef) -> Option<bool> {
    let mut double = false;
    let (mut quiet, mut capture) = (Vec::new(), Vec::new());
    for atom in &kind.betza.atoms {
        match &atom.motion {
            Motion::Ride(ride) if ride.max == 1 && !atom.initial => {
                quiet.extend(ride.steps.iter().copied().filter(|_| atom.quiet));
                capture.extend(ride.steps.iter().copied().filter(|_| atom.capture));
            }
            Motion::Lame(steps) if atom.initial && !atom.capture && steps[..] == [(0, 2)] => double = true,
            _ => return None,
        }
    }
    capture.sort_unstable();
    (quiet == [(0, 1)] && capture == [(-1, 1), (1, 1)]).then_some(double)
}

/// The rank on which each colour's pawns start: that of most of them, since a pawn keeps its first-move
/// privilege on the array rank alone. Courier's advanced pawns have none.
fn pawn_ranks(rules: &Ruleset, def: usize) -> [u8; 2] {
    Color::ALL.map(|color| {
        let mut count = [0u32; 12];
        for man in rules.start.iter().filter(|man| man.1 == color && man.2 == def) {
            count[man.0.rank() as usize] += 1;
        }
        let best = count.iter().max().copied().unwrap_or(0);
        (0u8..).zip(count).find(|&(_, n)| n == best).map_or(0, |(rank, _)| rank)
    })
}

/// White's men that attack Black's royal piece in the array: with White to move there must be none.
pub(super) fn checks_at_start(rules: &Ruleset) -> Vec<Square> {
    let royal = rules.start.iter().find(|man| man.1 == Color::Black && rules.kinds[man.2].royal);
    let Some(&(royal, ..)) = royal else { return Vec::new() };
    let occupied: Bitboard = rules.start.iter().map(|man| man.0).collect();
    let mut geometry = Geometry { files: rules.files, ranks: rules.ranks, double_rank: [0; 2] };
    let mut attacks = |square, def: usize| {
        let kind = &rules.kinds[def];
        geometry.double_rank = pawn_ranks(rules, def);
        let atoms = if kind.pawn { None } else { kind.unmoved() }.unwrap_or(&kind.betza.atoms);
        let captures: Vec<&Atom> = atoms.iter().filter(|atom| atom.capture).collect();
        geometry
            .paths(&captures, Color::White, square, kind.pawn)
            .iter()
            .any(|path| path.squares.iter().find(|(passed, _)| occupied.has(*passed)) == Some(&(royal, true)))
    };
    let white = rules.start.iter().filter(|man| man.1 == Color::White);
    white.filter(|man| attacks(man.0, man.2)).map(|man| man.0).collect()
}

struct Geometry {
    files: u8,
    ranks: u8,
    double_rank: [u8; 2],
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

    fn mover(&self, atoms: &[&Atom], color: Color, pawn: bool) -> Mover {
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
            attacks: !capture.is_empty(),
            quiet,
            capture: captures,
            zone: Box::new([Bitboard::EMPTY; SQUARES]),
            reach,
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
        Moves { leaps, slides, paths }
    }

    /// All paths of the atoms from a square, walked step by step.
    fn paths(&self, atoms: &[&Atom], color: Color, from: Square, pawn: bool) -> Vec<Path> {
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

const ORTHOGONAL: [(i8, i8); 4] = [(-1, 0), (0, -1), (0, 1), (1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(-1, -1), (-1, 1), (1, -1), (1, 1)];
const KNIGHT: [(i8, i8); 8] = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)];

impl Slides {
    /// Adds the line families that these steps of an unlimited rider make up, and returns the leaps that remain
    /// (none); `None`, and nothing is added, if the steps are no union of whole, forward or backward families.
    fn add_lines(&mut self, steps: &[(i8, i8)], color: Color) -> Option<Vec<(i8, i8)>> {
        let mut found = *self;
        let mut counted = 0;
        for (kind, whole) in [(family::ORTHOGONAL, &ORTHOGONAL[..]), (family::DIAGONAL, &DIAGONAL[..])] {
            let mine: Vec<_> = steps.iter().copied().filter(|s| whole.contains(s)).collect();
            counted += mine.len();
            found.add(kind, &mine, whole, |s| s.1, color)?;
        }
        if counted != steps.len() {
            return None;
        }
        *self = found;
        Some(Vec::new())
    }

    /// Adds the bent family that `t[XY]` makes up, and returns the leaps X that the family does not hold; `None`,
    /// and nothing is added, if it is no whole, upward or downward family.
    fn add_bent(&mut self, first: &[(i8, i8)], second: &[(i8, i8)], color: Color) -> Option<Vec<(i8, i8)>> {
        let pairs = |first: &[(i8, i8)], second: &[(i8, i8)]| -> Vec<((i8, i8), (i8, i8))> {
            let pairs = first.iter().flat_map(|&s| second.iter().map(move |&t| (s, t)));
            pairs.filter(|&(s, t)| is_outward(s, t)).collect()
        };
        let mine = pairs(first, second);
        let families =
            [(family::AANCA, pairs(&DIAGONAL, &ORTHOGONAL)), (family::RHINO, pairs(&KNIGHT, &DIAGONAL))];
        let (kind, whole) = families.iter().find(|(_, whole)| mine.iter().all(|p| whole.contains(p)))?;
        if mine.is_empty() {
            return None;
        }
        self.add(*kind, &mine, whole, |pair| pair.0.1, color)?;
        Some(first.iter().copied().filter(|s| !mine.iter().any(|pair| pair.0 == *s)).collect())
    }

    /// Adds `mine` as part of the family `whole`: all of it, or what goes up or down the board.
    fn add<T: PartialEq + Copy>(
        &mut self,
        kind: u8,
        mine: &[T],
        whole: &[T],
        dy: impl Fn(T) -> i8,
        color: Color,
    ) -> Option<()> {
        let is = |keep: fn(i8) -> bool| {
            let mut wanted = whole.iter().filter(|&&part| keep(dy(part)));
            wanted.clone().count() == mine.len() && wanted.all(|part| mine.contains(part))
        };
        let white = color == Color::White;
        if mine.is_empty() {
        } else if is(|_| true) {
            self.all |= kind;
        } else if is(|dy| dy > 0) {
            *(if white { &mut self.up } else { &mut self.down }) |= kind;
        } else if is(|dy| dy < 0) {
            *(if white { &mut self.down } else { &mut self.up }) |= kind;
        } else {
            return None;
        }
        Some(())
    }
}
