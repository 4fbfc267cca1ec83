//! Evaluation weights: cross-entropy of sigmoid(K eval / 100), minimised by Adam with early stopping.

use super::{
    TuneError,
    loss::{cross_entropy, sigmoid},
    sparse::SparseRows,
    split::{shuffle, validation_games},
};
use rayon::prelude::*;

/// Rows summed by one piece of parallel work; fixed, so that sums do not depend on threads.
const PIECE: usize = 1024;
/// Smallest and largest K, natural log-odds per 100 centipawns.
const K_RANGE: (f64, f64) = (0.05, 10.0);

/// Options of [`fit_weights`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Seed of the split and the shuffles.
    pub seed: u64,
    /// Share of the games that validate.
    pub validation: f64,
    /// Adam's step size, in spreads of the prior.
    pub learning_rate: f64,
    /// Factor on the step size after each epoch, 0 to 1.
    pub decay: f64,
    /// Rows per step; never more than an eighth of the training rows.
    pub batch: usize,
    /// Most epochs.
    pub max_epochs: usize,
    /// Epochs without a better validation loss before stopping.
    pub patience: usize,
    /// Strength of the prior: 1 takes the spreads as standard deviations and each game as one observation, since its
    /// positions share one result; 0 leaves the prior out.
    pub prior: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            seed: 1,
            validation: 0.2,
            learning_rate: 0.02,
            decay: 0.99,
            batch: 4096,
            max_epochs: 200,
            patience: 10,
            prior: 1.0,
        }
    }
}

/// State after an epoch, for a progress display.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Epoch, from 1.
    pub epoch: usize,
    /// Mean cross-entropy of the training positions, nats.
    pub train_loss: f64,
    /// The same of the validation positions.
    pub validation_loss: f64,
}

/// Fitted evaluation weights.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightsFit {
    /// Weights of the best epoch, centipawns, in the order of the start weights.
    pub weights: Vec<f64>,
    /// K: natural log-odds of White's score per 100 centipawns, fitted with the start weights.
    pub k: f64,
    /// Whether K stopped at an end of its range (0.05 to 10): the start weights do not predict results.
    pub k_at_bound: bool,
    /// Mean cross-entropy of the training positions with the start weights, nats.
    pub train_loss_before: f64,
    /// The same with the fitted weights.
    pub train_loss_after: f64,
    /// Mean cross-entropy of the validation positions with the start weights.
    pub validation_loss_before: f64,
    /// The same with the fitted weights.
    pub validation_loss_after: f64,
    /// Epochs run.
    pub epochs: usize,
    /// Epoch the weights come from; 0 means the start weights were not beaten.
    pub best_epoch: usize,
    /// (games, positions) of the training part.
    pub training: (usize, usize),
    /// (games, positions) of the validation part.
    pub validation: (usize, usize),
}

/// Tunes `start` (centipawns) on `rows`; `progress` hears of each epoch. `spread`, as long as `start`, says how far each
/// weight is believed to lie from its start: the standard deviation of a normal prior, in centipawns; 0 keeps it.
///
/// K is fitted first, on the training games and the start weights. Then Adam runs over shuffled batches of training
/// positions, and the weights with the lowest validation loss are returned. Same result for any number of threads.
///
/// # Errors
/// No positions, fewer than two games, lengths that disagree, an index without a weight, or a number out of range.
///
/// # Source
/// Adam: Kingma and Ba, ICLR 2015 (arXiv:1412.6980), algorithm 1. Texel's method: P. Osterlund, Chess Programming Wiki.
pub fn fit_weights(
    rows: &SparseRows,
    start: &[f64],
    spread: &[f64],
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<WeightsFit, TuneError> {
    check(rows, start, spread, options)?;
    let marks = validation_games(rows.games(), options.validation, options.seed);
    let (validating, mut training): (Vec<usize>, Vec<usize>) =
        (0..rows.len()).partition(|&i| marks[rows.game(i)]);
    let (k, k_at_bound) = fit_k(rows, &training, start);
    let train_loss_before = mean_loss(rows, &training, start, k);
    let validation_loss_before = mean_loss(rows, &validating, start, k);

    let in_order = training.clone();
    let batch = options.batch.clamp(1, training.len().div_ceil(8));
    let mut adam = Adam::new(start.len());
    let mut weights = start.to_vec();
    // How far each weight has gone, in spreads.
    let mut gone = vec![0.0; start.len()];
    let pull = options.prior / (marks.iter().filter(|&&m| !m).count().max(1) as f64);
    let mut rate = options.learning_rate;
    let mut best = (validation_loss_before, train_loss_before, 0, weights.clone());
    let mut epochs = 0;
    for epoch in 1..=options.max_epochs {
        // Stream 0 of the seed made the split.
        shuffle(&mut training, options.seed, epoch as u64);
        for part in training.chunks(batch) {
            let mut gradient = gradient(rows, part, &weights, k);
            for (j, g) in gradient.iter_mut().enumerate() {
                *g = *g * spread[j] / 100.0 + pull * gone[j];
            }
            adam.step(&mut gone, &gradient, rate);
            for (j, w) in weights.iter_mut().enumerate() {
                *w = start[j] + spread[j] * gone[j];
            }
        }
        rate *= options.decay;
        epochs = epoch;
        let train_loss = mean_loss(rows, &in_order, &weights, k);
        let validation_loss = mean_loss(rows, &validating, &weights, k);
        progress(Progress { epoch, train_loss, validation_loss });
        if validation_loss < best.0 {
            best = (validation_loss, train_loss, epoch, weights.clone());
        } else if validation_loss.is_nan() || epoch - best.2 >= options.patience {
            break;
        }
    }
    let held = marks.iter().filter(|&&m| m).count();
    Ok(WeightsFit {
        weights: best.3,
        k,
        k_at_bound,
        train_loss_before,
        train_loss_after: best.1,
        validation_loss_before,
        validation_loss_after: best.0,
        epochs,
        best_epoch: best.2,
        training: (marks.len() - held, training.len()),
        validation: (held, validating.len()),
    })
}

fn check(rows: &SparseRows, start: &[f64], spread: &[f64], options: &Options) -> Result<(), TuneError> {
    if rows.is_empty() {
        return Err(TuneError::NoPositions);
    }
    if rows.games() < 2 {
        return Err(TuneError::TooFewGames { found: rows.games() });
    }
    if spread.len() != start.len() {
        return Err(TuneError::Length { what: "spreads", found: spread.len(), expected: start.len() });
    }
    if let Some(index) = rows.max_index()
        && index as usize >= start.len()
    {
        return Err(TuneError::Length {
            what: "start weights",
            found: start.len(),
            expected: index as usize + 1,
        });
    }
    let number = |what, index, found: f64, fine: bool, expected| {
        if found.is_finite() && fine {
            Ok(())
        } else {
            Err(TuneError::BadNumber { what, index, found, expected })
        }
    };
    for (index, &w) in start.iter().enumerate() {
        number("start weight", index, w, true, "a finite number")?;
    }
    for (index, &w) in spread.iter().enumerate() {
        number("spread", index, w, w >= 0.0, "0 or more")?;
    }
    let o = options;
    number("validation share", 0, o.validation, (0.0..1.0).contains(&o.validation), "0 to 1")?;
    number("learning rate", 0, o.learning_rate, o.learning_rate > 0.0, "> 0")?;
    number("decay", 0, o.decay, o.decay > 0.0 && o.decay <= 1.0, "0 < decay <= 1")?;
    number("prior", 0, o.prior, o.prior >= 0.0, "0 or more")
}

/// Mean cross-entropy over the rows `which`; 0 for none.
fn mean_loss(rows: &SparseRows, which: &[usize], weights: &[f64], k: f64) -> f64 {
    let pieces: Vec<f64> = which
        .par_chunks(PIECE)
        .map(|piece| {
            piece
                .iter()
                .map(|&i| cross_entropy(k * rows.dot(i, weights) / 100.0, rows.result(i)))
                .sum::<f64>()
        })
        .collect();
    pieces.iter().sum::<f64>() / (which.len().max(1) as f64)
}

/// Gradient of the mean cross-entropy over `which` by weight / 100.
fn gradient(rows: &SparseRows, which: &[usize], weights: &[f64], k: f64) -> Vec<f64> {
    let pieces: Vec<Vec<f64>> = which
        .par_chunks(PIECE)
        .map(|piece| {
            let mut sum = vec![0.0; weights.len()];
            for &i in piece {
                let error = k * (sigmoid(k * rows.dot(i, weights) / 100.0) - rows.result(i));
                for (j, v) in rows.entries(i) {
                    sum[j] += error * v;
                }
            }
            sum
        })
        .collect();
    let mut total = vec![0.0; weights.len()];
    for piece in &pieces {
        for (t, p) in total.iter_mut().zip(piece) {
            *t += p;
        }
    }
    let n = which.len().max(1) as f64;
    total.iter_mut().for_each(|t| *t /= n);
    total
}

/// K with the least training loss, by golden section (the loss is convex in K), and whether it is at an end of its range.
fn fit_k(rows: &SparseRows, which: &[usize], weights: &[f64]) -> (f64, bool) {
    let evals: Vec<(f64, f64)> =
        which.iter().map(|&i| (rows.dot(i, weights) / 100.0, rows.result(i))).collect();
    let loss = |k: f64| {
        let pieces: Vec<f64> = evals
            .par_chunks(PIECE)
            .map(|piece| piece.iter().map(|&(e, y)| cross_entropy(k * e, y)).sum::<f64>())
            .collect();
        pieces.iter().sum::<f64>()
    };
    let golden = 0.5 * (5.0f64.sqrt() - 1.0);
    let (mut low, mut high) = K_RANGE;
    let (mut a, mut b) = (high - golden * (high - low), low + golden * (high - low));
    let (mut loss_a, mut loss_b) = (loss(a), loss(b));
    while high - low > 1e-7 {
        if loss_a <= loss_b {
            (high, b, loss_b) = (b, a, loss_a);
            a = high - golden * (high - low);
            loss_a = loss(a);
        } else {
            (low, a, loss_a) = (a, b, loss_b);
            b = low + golden * (high - low);
            loss_b = loss(b);
        }
    }
    let k = 0.5 * (low + high);
    (k, k - K_RANGE.0 < 1e-5 || K_RANGE.1 - k < 1e-5)
}

/// Adam's moments.
struct Adam {
    first: Vec<f64>,
    second: Vec<f64>,
    /// beta^t of both moments.
    powers: (f64, f64),
}

const BETAS: (f64, f64) = (0.9, 0.999);

impl Adam {
    fn new(n: usize) -> Self {
        Adam { first: vec![0.0; n], second: vec![0.0; n], powers: (1.0, 1.0) }
    }

    fn step(&mut self, values: &mut [f64], gradient: &[f64], rate: f64) {
        self.powers = (self.powers.0 * BETAS.0, self.powers.1 * BETAS.1);
        for (j, w) in values.iter_mut().enumerate() {
            let g = gradient[j];
            self.first[j] = BETAS.0 * self.first[j] + (1.0 - BETAS.0) * g;
            self.second[j] = BETAS.1 * self.second[j] + (1.0 - BETAS.1) * g * g;
            let m = self.first[j] / (1.0 - self.powers.0);
            let v = self.second[j] / (1.0 - self.powers.1);
            *w -= rate * m / (v.sqrt() + 1e-8);
        }
    }
}
