use super::paths::Geometry;
use super::{Atom, Fingerprint, Motion, Ruleset};
use crate::types::{Bitboard, Color, Kind, MAX_KINDS, Piece, SQUARES, Square};

/// A ruleset and what it compiles to: what a game is played with.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The rules as data.
    pub rules: Ruleset,
    /// The rules as look-ups.
    pub tables: Tables,
    /// The letter of each piece in a FEN, in ASCII.
    letters: [u8; Piece::COUNT],
    fingerprint: Fingerprint,
}

impl Reading {
    /// Compiles a ruleset. The result is shared: positions hold a reference to it.
    #[must_use]
    pub fn new(rules: Ruleset) -> std::sync::Arc<Reading> {
        let tables = Tables::compile(&rules);
        let mut letters = [b'?'; Piece::COUNT];
        for (index, kind) in (0..).zip(&tables.kinds) {
            let letter = u8::try_from(rules.kinds[kind.def].letter).unwrap_or(b'?');
            letters[Piece::new(Color::White, Kind::new(index)).index()] = letter;
            letters[Piece::new(Color::Black, Kind::new(index)).index()] = letter.to_ascii_lowercase();
        }
        let fingerprint = rules.fingerprint();
        std::sync::Arc::new(Reading { rules, tables, letters, fingerprint })
    }

    /// [`Ruleset::fingerprint`], worked out once.
    #[inline]
    #[must_use]
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    /// The letter of a piece in a FEN, in ASCII: a capital for White.
    #[inline]
    #[must_use]
    pub fn letter(&self, piece: Piece) -> u8 {
        self.letters[piece.index()]
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

/// What a movement consists of: the shapes that have a routine of their own, and all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No move at all.
    None,
    /// Leaps alone.
    Leaps,
    /// [`family::ORTHOGONAL`] alone, everywhere.
    Orthogonal,
    /// [`family::DIAGONAL`] alone, everywhere.
    Diagonal,
    /// [`family::AANCA`] alone, everywhere.
    Aanca,
    /// [`family::RHINO`] alone, everywhere.
    Rhino,
    /// Several of these, parts of them, or general paths.
    Mixed,
}

/// The compiled movement of one kind and colour in one mode (quiet or capture).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    /// What the fields below amount to.
    pub shape: Shape,
    /// Leaps, by square of origin, on-board squares only; `None` if there are none.
    pub leaps: Option<PerSquare>,
    /// Slider families.
    pub slides: Slides,
    /// Everything else, by square of origin; `None` for the built-in shapes.
    pub paths: Option<Box<[Vec<Path>]>>,
}

impl Moves {
    /// The leaps from a square.
    #[inline]
    #[must_use]
    pub fn leaps(&self, from: Square) -> Bitboard {
        self.leaps.as_ref().map_or(Bitboard::EMPTY, |leaps| leaps[from.index()])
    }

    /// From its parts.
    pub(super) fn new(leaps: Option<PerSquare>, slides: Slides, paths: Option<Box<[Vec<Path>]>>) -> Moves {
        let shape = match (&leaps, slides, &paths) {
            (None, Slides { all: 0, up: 0, down: 0 }, None) => Shape::None,
            (Some(_), Slides { all: 0, up: 0, down: 0 }, None) => Shape::Leaps,
            (None, Slides { all: family::ORTHOGONAL, up: 0, down: 0 }, None) => Shape::Orthogonal,
            (None, Slides { all: family::DIAGONAL, up: 0, down: 0 }, None) => Shape::Diagonal,
            (None, Slides { all: family::AANCA, up: 0, down: 0 }, None) => Shape::Aanca,
            (None, Slides { all: family::RHINO, up: 0, down: 0 }, None) => Shape::Rhino,
            _ => Shape::Mixed,
        };
        Moves { shape, leaps, slides, paths }
    }
}

/// From where the men of one kind endanger a royal piece on one square.
#[derive(Clone, Copy, Debug)]
pub struct Threat {
    /// The squares from which a man could attack it on an empty board: [`Mover::reach`] of its square.
    pub reach: Bitboard,
    /// The squares from which a man could attack it or a square that it might step or leap to, or leap over.
    pub zone: Bitboard,
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
    /// True if it only leaps, in both modes.
    pub leaper: bool,
    /// True if it captures at all.
    pub attacks: bool,
    /// For each square, where a piece of this kind attacks it from on an empty board.
    pub reach: PerSquare,
    /// For each square, which squares a piece of this kind attacks from it on an empty board.
    pub field: PerSquare,
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

/// What making a move needs to know of the kind that moves, in few bytes.
#[derive(Clone, Copy, Debug)]
pub struct After {
    /// [`KindTable::moved`]
    pub kind: Kind,
    /// [`KindTable::royal`]
    pub royal: bool,
    /// [`KindTable::pawn`]
    pub pawn: bool,
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
    after: [After; MAX_KINDS],
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
    /// True if the royal piece may not leap from check or over attacked squares.
    pub leap_restrained: bool,
    /// The threats of each colour, at `square of the other's royal piece * kinds + kind`.
    threats: [Box<[Threat]>; 2],
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
        let threats = Color::ALL.map(|color| threats(&kinds, color, rules));
        let rank = |rank| (0..rules.files).map(|file| Square::new(file, rank)).collect();
        let plain_pawn = rules.kinds.iter().position(|kind| kind.pawn).and_then(|def| {
            let double = plain_pawn(&rules.kinds[def])?;
            let ranks = pawn_ranks(rules, def);
            Some(Color::ALL.map(|color| if double { rank(ranks[color.index()]) } else { Bitboard::EMPTY }))
        });
        let mut after = [After { kind: kind_index(0), royal: false, pawn: false }; MAX_KINDS];
        for (kind, after) in kinds.iter().zip(&mut after) {
            *after = After { kind: kind.moved, royal: kind.royal, pawn: kind.pawn };
        }
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
            after,
            promotion,
            last_rank: [rules.ranks - 1, 0],
            promotion_rank: [rank(rules.ranks - 1), rank(0)],
            plain_pawn,
            threats,
            leap_restrained: !(rules.leap.from_check && rules.leap.over_attacked),
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

    /// What becomes of a kind that moves.
    #[inline]
    #[must_use]
    pub fn after(&self, kind: Kind) -> After {
        self.after[kind.index() & (MAX_KINDS - 1)]
    }

    /// The movement of a kind and colour.
    #[inline]
    #[must_use]
    pub fn mover(&self, kind: Kind, color: Color) -> &Mover {
        &self.kinds[kind.index()].movers[color.index()]
    }

    /// For each kind of `by`, from where it endangers a royal piece of the other side on `royal`.
    #[inline]
    #[must_use]
    pub fn threats(&self, by: Color, royal: Square) -> &[Threat] {
        let kinds = self.kinds.len();
        &self.threats[by.index()][royal.index() * kinds..][..kinds]
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

/// The threats of one colour, from the reach of each kind and the steps and leaps of the other's royal piece.
fn threats(kinds: &[KindTable], color: Color, rules: &Ruleset) -> Box<[Threat]> {
    let board = Bitboard::board(rules.files, rules.ranks);
    let mut threats = vec![Threat { reach: Bitboard::EMPTY, zone: Bitboard::EMPTY }; SQUARES * kinds.len()];
    let royal = kinds.iter().filter(|kind| kind.royal).map(|kind| &kind.movers[(!color).index()]);
    let royal: Vec<&Mover> = royal.collect();
    for king in board {
        let ends = |moves: &Moves| match moves.shape {
            Shape::None | Shape::Leaps => moves.leaps(king),
            _ => board,
        };
        let middles = |mover: &Mover| -> Bitboard {
            let leaps = mover.initial.as_ref().map_or(Bitboard::EMPTY, |initial| initial[king.index()]);
            leaps.into_iter().map(|to| king.middle(to)).collect()
        };
        let steps = royal.iter().fold(Bitboard::EMPTY, |all, mover| {
            all | ends(&mover.quiet) | ends(&mover.capture) | middles(mover)
        });
        for (kind, threat) in kinds.iter().zip(&mut threats[king.index() * kinds.len()..]) {
            let reach = &kind.movers[color.index()].reach;
            threat.reach = reach[king.index()];
            threat.zone = steps.into_iter().fold(threat.reach, |all, to| all | reach[to.index()]);
        }
    }
    threats.into_boxed_slice()
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
