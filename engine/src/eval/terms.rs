use super::{Feature, Features, Weights, crowded_mobility};
use crate::board::Board;
use crate::rules::Reading;
use crate::types::{Color, MATE_IN_MAX, Piece, SQUARES, Score};

/// Sees every term as it is counted. [`NoTrace`] compiles to nothing.
pub trait Trace {
    /// `count` (signed for White) of a feature.
    fn add(&mut self, feature: impl FnOnce() -> Feature, count: i32);
}

/// Watches nothing: for search.
pub struct NoTrace;

impl Trace for NoTrace {
    #[inline]
    fn add(&mut self, _: impl FnOnce() -> Feature, _: i32) {}
}

/// The coefficients of one position: how often each feature counts, White minus Black.
#[derive(Clone, Debug)]
pub struct Coefficients {
    features: Features,
    counts: Vec<i32>,
    /// Share of the middle game, 0 to [`Evaluator::PHASE_MAX`].
    pub phase: i32,
}

impl Coefficients {
    /// All zero.
    #[must_use]
    pub fn new(features: &Features) -> Coefficients {
        Coefficients { counts: vec![0; features.len()], features: features.clone(), phase: 0 }
    }

    /// The features that count, with their counts for White.
    pub fn nonzero(&self) -> impl Iterator<Item = (usize, i32)> + '_ {
        self.counts.iter().copied().enumerate().filter(|(_, count)| *count != 0)
    }

    /// The score for White in centipawns that `weights` give these coefficients: equal to the evaluation.
    #[must_use]
    pub fn dot(&self, evaluator: &Evaluator) -> Score {
        let mut sum = [0; 2];
        for (index, count) in self.nonzero() {
            sum[0] += count * evaluator.weights[index][0];
            sum[1] += count * evaluator.weights[index][1];
        }
        taper(sum, self.phase)
    }
}

impl Trace for Coefficients {
    fn add(&mut self, feature: impl FnOnce() -> Feature, count: i32) {
        self.counts[self.features.index(feature())] += count;
    }
}

/// Weights made ready for one ruleset: what scores positions.
#[derive(Clone, Debug)]
pub struct Evaluator {
    /// Weights by feature, in [`Evaluator::UNIT`]ths of a centipawn.
    weights: Vec<[i32; 2]>,
    /// Material, rank and file weights together, by piece and square, signed for White.
    placed: Vec<[[i32; 2]; SQUARES]>,
    /// Mobility weights by kind.
    mobility: Vec<[i32; 2]>,
    /// What a piece adds to the phase.
    phase: Vec<i32>,
    phase_total: i32,
    /// Typical worth of each compiled kind, in centipawns.
    values: Vec<Score>,
}

/// The probability that a square is occupied for which worth from mobility is counted.
const DENSITY: f64 = 0.31;

fn taper(sum: [i32; 2], phase: i32) -> Score {
    let max = Evaluator::PHASE_MAX;
    (sum[0] * phase + sum[1] * (max - phase)) / (max * Evaluator::UNIT)
}

impl Evaluator {
    /// Units of a centipawn in which weights are added up.
    pub const UNIT: i32 = 16;
    /// The phase of the array; 0 is a board without officers.
    pub const PHASE_MAX: i32 = 256;

    /// Makes weights ready.
    #[must_use]
    pub fn new(reading: &Reading, weights: &Weights) -> Evaluator {
        let rules = &reading.rules;
        let features = Features::new(rules);
        #[expect(clippy::cast_possible_truncation, reason = "weights are bounded when they are read")]
        let scaled = |pair: &[f64; 2]| pair.map(|w| libm::round(w * f64::from(Evaluator::UNIT)) as i32);
        let units: Vec<[i32; 2]> = weights.values().iter().map(scaled).collect();
        let mut placed = vec![[[0; 2]; SQUARES]; Piece::COUNT];
        let (mut mobility, mut phase, mut values) = (Vec::new(), Vec::new(), Vec::new());
        for kind in reading.tables.all_kinds() {
            let table = reading.tables.kind(kind);
            for color in Color::ALL {
                for square in reading.tables.board {
                    let (rank, file) = relative(reading, color, square);
                    let of = |feature| units[features.index(feature)];
                    let parts = [
                        of(Feature::Material(table.def)),
                        of(Feature::Rank(table.def, rank)),
                        of(Feature::File(table.def, file)),
                    ];
                    let entry = &mut placed[Piece::new(color, kind).index()][square.index()];
                    for part in parts {
                        entry[0] += part[0] * color.sign();
                        entry[1] += part[1] * color.sign();
                    }
                }
            }
            let officer = !table.royal && !table.pawn;
            let crowded = crowded_mobility(reading, table.def, DENSITY);
            let mobile = if officer { units[features.index(Feature::Mobility(table.def))] } else { [0; 2] };
            mobility.push(mobile);
            #[expect(clippy::cast_possible_truncation, reason = "a mean over at most 143 squares")]
            phase.push(if officer { libm::round(crowded) as i32 } else { 0 });
            let material = units[features.index(Feature::Material(table.def))];
            #[expect(clippy::cast_possible_truncation, reason = "weights are bounded when they are read")]
            let mobile = libm::round(f64::from(mobile[0] + mobile[1]) * crowded) as i32;
            values.push(((material[0] + material[1] + mobile) / (2 * Evaluator::UNIT)).max(1));
        }
        let start = rules.start.iter().map(|man| phase[man.2]).sum::<i32>();
        Evaluator { weights: units, placed, mobility, phase, phase_total: start.max(1), values }
    }

    /// Typical worth of each compiled kind in centipawns, mobility included: for exchanges, ordering and margins.
    #[must_use]
    pub fn piece_values(&self) -> &[Score] {
        &self.values
    }

    /// The score for the side to move, in centipawns, well within the mate scores.
    #[inline]
    #[must_use]
    pub fn evaluate(&self, reading: &Reading, board: &Board) -> Score {
        self.evaluate_with(reading, board, &mut NoTrace).0 * board.side().sign()
    }

    /// The coefficients of a position, for the tuner.
    #[must_use]
    pub fn coefficients(&self, reading: &Reading, board: &Board) -> Coefficients {
        let mut trace = Coefficients::new(&Features::new(&reading.rules));
        trace.phase = self.evaluate_with(reading, board, &mut trace).1;
        trace
    }

    /// Counts every term once: the score for White and the phase.
    #[inline]
    fn evaluate_with(&self, reading: &Reading, board: &Board, trace: &mut impl Trace) -> (Score, i32) {
        let tables = &reading.tables;
        let occupied = board.occupied();
        let mut sum = [0; 2];
        let mut phase = 0;
        for kind in board.kinds() {
            let table = tables.kind(kind);
            let def = table.def;
            let weights = self.mobility[kind.index()];
            for color in Color::ALL {
                let (men, sign) = (board.pieces(color, kind), color.sign());
                if men.is_empty() {
                    continue;
                }
                let placed = &self.placed[Piece::new(color, kind).index()];
                let mover = &table.movers[color.index()];
                let (enemy, open) = (board.men(!color), tables.board & !board.men(color));
                let mobile = !table.royal && !table.pawn;
                for square in men {
                    let entry = placed[square.index()];
                    sum[0] += entry[0];
                    sum[1] += entry[1];
                    phase += self.phase[kind.index()];
                    trace.add(|| Feature::Material(def), sign);
                    trace.add(|| Feature::Rank(def, relative(reading, color, square).0), sign);
                    trace.add(|| Feature::File(def, relative(reading, color, square).1), sign);
                    if mobile {
                        let to = mover.destinations(square, occupied, enemy, open);
                        #[expect(clippy::cast_possible_wrap, reason = "at most 144 squares")]
                        let count = to.count() as i32 * sign;
                        sum[0] += weights[0] * count;
                        sum[1] += weights[1] * count;
                        trace.add(|| Feature::Mobility(def), count);
                    }
                }
            }
        }
        let tempo = board.side().sign();
        sum[0] += self.weights[0][0] * tempo;
        sum[1] += self.weights[0][1] * tempo;
        trace.add(|| Feature::Tempo, tempo);
        let phase = (phase * Evaluator::PHASE_MAX / self.phase_total).min(Evaluator::PHASE_MAX);
        (taper(sum, phase).clamp(-MATE_IN_MAX + 1, MATE_IN_MAX - 1), phase)
    }
}

/// Rank from the man's own side and file from the nearer edge, both 0-based.
#[inline]
fn relative(reading: &Reading, color: Color, square: crate::types::Square) -> (usize, usize) {
    let (files, ranks) = (reading.tables.files, reading.tables.ranks);
    let rank = if color == Color::White { square.rank() } else { ranks - 1 - square.rank() };
    (usize::from(rank), usize::from(square.file().min(files - 1 - square.file())))
}
