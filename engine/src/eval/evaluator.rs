use std::ops::{AddAssign, Mul, SubAssign};

use super::{Feature, Features, Weights, crowded_mobility};
use crate::board::Board;
use crate::rules::{Reading, Tables};
use crate::types::{Bitboard, Color, Kind, Piece, SQUARES, Score, Square};

/// A weight: middle game and end game.
type Pair = [i32; 2];

/// A pair in one word, the middle game in its high half, so that both are added and multiplied at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum(i64);

impl Sum {
    #[inline]
    fn new([middle, end]: Pair) -> Sum {
        Sum((i64::from(middle) << 32) + i64::from(end))
    }

    /// The two halves, if both have stayed within 32 bits.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the halves are wanted")]
    pub(super) fn pair(self) -> Pair {
        let end = self.0 as i32;
        [((self.0 - i64::from(end)) >> 32) as i32, end]
    }
}

impl AddAssign for Sum {
    #[inline]
    fn add_assign(&mut self, other: Sum) {
        self.0 += other.0;
    }
}

impl SubAssign for Sum {
    #[inline]
    fn sub_assign(&mut self, other: Sum) {
        self.0 -= other.0;
    }
}

impl Mul<i32> for Sum {
    type Output = Sum;
    #[inline]
    fn mul(self, count: i32) -> Sum {
        Sum(self.0 * i64::from(count))
    }
}

/// The weights of a compiled kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct KindWeights {
    pub(super) mobility: Sum,
    pub(super) king_attack: Sum,
    pub(super) threatened: Sum,
    pub(super) hanging: Sum,
}

/// Weights made ready for one ruleset: what scores positions.
#[derive(Clone, Debug)]
pub struct Evaluator {
    /// Weights by feature, in [`Evaluator::UNIT`]ths of a centipawn.
    weights: Vec<Pair>,
    /// Material, rank and file weights together, by piece and square, signed for White.
    placed: Vec<[Sum; SQUARES]>,
    /// What a piece adds to the phase.
    phase: Vec<i32>,
    phase_total: i32,
    /// Typical worth of each compiled kind, in centipawns.
    values: Vec<Score>,
    /// The compiled kinds from cheap to dear, the royal ones last.
    order: Vec<Kind>,
    /// The kind that promotes, if there is one.
    pub(super) pawn_kind: Option<Kind>,
    /// By compiled kind.
    pub(super) kinds: Vec<KindWeights>,
    /// Weights of a passed pawn, by file and by rank from its own side.
    pub(super) passed: Vec<Vec<Sum>>,
    pub(super) attackers: [Sum; Features::KING_ATTACKERS + 1],
    pub(super) tempo: Sum,
    pub(super) connected: Sum,
    pub(super) isolated: Sum,
    pub(super) doubled: Sum,
    /// By colour and square of the royal piece: that square and those a step away.
    pub(super) zone: Box<[[Bitboard; SQUARES]; 2]>,
}

/// What the men are worth where they stand, for White, and the phase: sums that moves change a little.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placed {
    pub(super) sum: Sum,
    pub(super) phase: i32,
}

/// The probability that a square is occupied for which worth from mobility is counted.
const DENSITY: f64 = 0.31;

impl Evaluator {
    /// Units of a centipawn in which weights are added up.
    pub const UNIT: i32 = 16;
    /// The phase of the array; 0 is a board without officers.
    pub const PHASE_MAX: i32 = 256;

    /// Makes weights ready.
    #[must_use]
    pub fn new(reading: &Reading, weights: &Weights) -> Evaluator {
        let (rules, tables) = (&reading.rules, &reading.tables);
        let features = Features::new(rules);
        #[expect(clippy::cast_possible_truncation, reason = "weights are bounded when they are read")]
        let scaled = |pair: &[f64; 2]| pair.map(|w| libm::round(w * f64::from(Evaluator::UNIT)) as i32);
        let units: Vec<Pair> = weights.values().iter().map(scaled).collect();
        let of = |feature| units[features.index(feature)];
        let sum = |feature| Sum::new(of(feature));
        let (mut kinds, mut phase, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for kind in tables.all_kinds() {
            let table = tables.kind(kind);
            let officer = !table.royal && !table.pawn;
            let crowded = crowded_mobility(reading, table.def, DENSITY);
            let mobile = if officer { of(Feature::Mobility(table.def)) } else { [0; 2] };
            kinds.push(KindWeights {
                mobility: Sum::new(mobile),
                king_attack: sum(Feature::KingAttack(table.def)),
                threatened: sum(Feature::Threatened(table.def)),
                hanging: sum(Feature::Hanging(table.def)),
            });
            #[expect(clippy::cast_possible_truncation, reason = "a mean over at most 143 squares")]
            phase.push(if officer { libm::round(crowded) as i32 } else { 0 });
            let material = of(Feature::Material(table.def));
            #[expect(clippy::cast_possible_truncation, reason = "weights are bounded when they are read")]
            let mobile = libm::round(f64::from(mobile[0] + mobile[1]) * crowded) as i32;
            values.push(((material[0] + material[1] + mobile) / (2 * Evaluator::UNIT)).max(1));
        }
        let start = rules.start.iter().map(|man| phase[man.2]).sum::<i32>();
        let mut order: Vec<Kind> = tables.all_kinds().collect();
        order.sort_by_key(|kind| (tables.kind(*kind).royal, values[kind.index()], kind.index()));
        let passed = |file: u8| -> Vec<Sum> {
            let becomes = tables.kind(tables.promotion[usize::from(file)]).def;
            (0..features.ranks()).map(|rank| sum(Feature::Passed(becomes, rank))).collect()
        };
        Evaluator {
            placed: placed(tables, &of),
            pawn_kind: tables.all_kinds().find(|&kind| tables.kind(kind).pawn),
            kinds,
            passed: (0..tables.files).map(passed).collect(),
            attackers: std::array::from_fn(|count| sum(Feature::KingAttackers(count))),
            tempo: sum(Feature::Tempo),
            connected: sum(Feature::Connected),
            isolated: sum(Feature::Isolated),
            doubled: sum(Feature::Doubled),
            zone: zones(tables),
            weights: units,
            phase,
            phase_total: start.max(1),
            values,
            order,
        }
    }

    /// Typical worth of each compiled kind in centipawns, mobility included: for exchanges, ordering and margins.
    #[must_use]
    pub fn piece_values(&self) -> &[Score] {
        &self.values
    }

    /// The compiled kinds from cheap to dear by [`Evaluator::piece_values`], the royal ones last.
    #[must_use]
    pub fn cheap_first(&self) -> &[Kind] {
        &self.order
    }

    /// Weights by feature, in [`Evaluator::UNIT`]ths of a centipawn.
    pub(super) fn weights(&self) -> &[Pair] {
        &self.weights
    }

    /// Mixes middle game and end game, from units to centipawns.
    #[inline]
    pub(super) fn taper(&self, sum: Pair, phase: i32) -> Score {
        let max = Evaluator::PHASE_MAX;
        (sum[0] * phase + sum[1] * (max - phase)) / (max * Evaluator::UNIT)
    }

    /// The share of the middle game, 0 to [`Evaluator::PHASE_MAX`].
    #[inline]
    pub(super) fn phase(&self, placed: Placed) -> i32 {
        (placed.phase * Evaluator::PHASE_MAX / self.phase_total).min(Evaluator::PHASE_MAX)
    }

    /// Counts what all men are worth where they stand.
    #[must_use]
    pub fn placed(&self, board: &Board) -> Placed {
        let men = board.occupied().into_iter().filter_map(|square| Some((board.piece_at(square)?, square)));
        men.fold(Placed::default(), |placed, (piece, square)| self.put(placed, piece, square))
    }

    /// With one man more.
    #[inline]
    #[must_use]
    pub fn put(&self, placed: Placed, piece: Piece, square: Square) -> Placed {
        let mut sum = placed.sum;
        sum += self.placed[piece.index()][square.index()];
        Placed { sum, phase: placed.phase + self.phase[piece.kind().index()] }
    }

    /// With one man less.
    #[inline]
    #[must_use]
    pub fn take(&self, placed: Placed, piece: Piece, square: Square) -> Placed {
        let mut sum = placed.sum;
        sum -= self.placed[piece.index()][square.index()];
        Placed { sum, phase: placed.phase - self.phase[piece.kind().index()] }
    }
}

/// Material, rank and file weights by piece and square.
fn placed(tables: &Tables, of: &dyn Fn(Feature) -> Pair) -> Vec<[Sum; SQUARES]> {
    let mut placed = vec![[Sum::default(); SQUARES]; Piece::COUNT];
    for kind in tables.all_kinds() {
        let def = tables.kind(kind).def;
        for color in Color::ALL {
            for square in tables.board {
                let (rank, file) = relative(tables, color, square);
                let entry = &mut placed[Piece::new(color, kind).index()][square.index()];
                for part in [Feature::Material(def), Feature::Rank(def, rank), Feature::File(def, file)] {
                    *entry += Sum::new(of(part)) * color.sign();
                }
            }
        }
    }
    placed
}

/// By colour and square, the square and where a moved royal piece there may step or leap to.
fn zones(tables: &Tables) -> Box<[[Bitboard; SQUARES]; 2]> {
    let mut zones = Box::new([[Bitboard::EMPTY; SQUARES]; 2]);
    let royal = tables.kinds.iter().filter(|kind| kind.royal && !kind.unmoved);
    for (kind, color) in royal.flat_map(|kind| Color::ALL.map(|color| (kind, color))) {
        let leaps = kind.movers[color.index()].quiet.leaps.as_ref();
        for square in tables.board {
            let zone = &mut zones[color.index()][square.index()];
            zone.insert(square);
            *zone |= leaps.map_or(Bitboard::EMPTY, |leaps| leaps[square.index()]);
        }
    }
    zones
}

/// Rank from the man's own side and file from the nearer edge, both 0-based.
#[inline]
pub(super) fn relative(tables: &Tables, color: Color, square: Square) -> (usize, usize) {
    let rank = if color == Color::White { square.rank() } else { tables.ranks - 1 - square.rank() };
    (usize::from(rank), usize::from(square.file().min(tables.files - 1 - square.file())))
}
