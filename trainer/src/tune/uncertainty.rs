//! How sure measured values are: clustered covariance and the game bootstrap.

use super::{
    design::Patterns,
    linalg::{cholesky, inverse, multiply},
    logistic::{Optimum, Solver, log_odds, newton},
    loss::sigmoid,
    values::ValuesFit,
};
use crate::stats::bootstrap::game_bootstrap;
use ndarray::{Array1, Array2};

/// Covariance of theta: (inverse Hessian, clustered by game). `None` for a singular Hessian or fewer than two clusters.
pub(super) fn covariances(
    patterns: &Patterns,
    kept: &[bool],
    active: &[usize],
    optimum: &Optimum,
    clusters: usize,
) -> Option<(Array2<f64>, Array2<f64>)> {
    let n = active.len();
    if n == 0 {
        return Some((Array2::zeros((0, 0)), Array2::zeros((0, 0))));
    }
    if clusters < 2 {
        return None;
    }
    let bread = inverse(&cholesky(&optimum.hessian)?);
    let mut meat = Array2::<f64>::zeros((n, n));
    for entries in &patterns.games {
        let mut score = vec![0.0; n];
        for &(pattern, count) in entries.iter().filter(|(p, _)| kept[*p]) {
            let row = patterns.row(pattern);
            let p = sigmoid(log_odds(patterns, pattern, active, &optimum.theta));
            let error = count * (p - patterns.results[pattern]);
            for (s, &c) in score.iter_mut().zip(active) {
                *s += error * row[c];
            }
        }
        for a in 0..n {
            for b in 0..n {
                meat[[a, b]] += score[a] * score[b];
            }
        }
    }
    let factor = clusters as f64 / (clusters as f64 - 1.0);
    let mut clustered = multiply(&multiply(&bread, &meat), &bread);
    clustered.mapv_inplace(|v| v * factor);
    Some((bread, clustered))
}

/// Bootstrap replicates of the fitted coefficients.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicates {
    /// One row a replicate, one column an active column of the fit; NaN where the replicate had no imbalance in it.
    theta: Array2<f64>,
    /// Replicates whose solver stopped before its tolerance; they count all the same.
    pub unconverged: usize,
}

impl Replicates {
    /// Draws the games of `fit` with replacement `count` times (1000 is a good number) and fits each draw from the fit's
    /// theta. Parallel; the same for any number of threads.
    #[must_use]
    pub fn draw(fit: &ValuesFit, count: u32, seed: u64) -> Self {
        // Newton squares the error at each step, so this leaves far less than a thousandth of a standard error.
        let solver = Solver { tolerance: 1e-5, max_iterations: 30, ..fit.solver };
        let rows = game_bootstrap(fit.patterns.games.len(), count, seed, |games| refit(fit, games, &solver));
        let n = fit.active.len();
        let unconverged = rows.iter().filter(|(_, converged)| !converged).count();
        let theta = Array2::from_shape_fn((rows.len(), n), |(r, c)| rows[r].0[c]);
        Replicates { theta, unconverged }
    }

    /// Number of replicates.
    #[must_use]
    pub fn len(&self) -> usize {
        self.theta.nrows()
    }

    /// Whether there are no replicates.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.theta.nrows() == 0
    }

    /// theta of the determined column `name` in each replicate (NaN where it had no imbalance), natural log-odds.
    #[must_use]
    pub fn theta(&self, fit: &ValuesFit, name: &str) -> Option<Vec<f64>> {
        let c = fit.position(name)?;
        (c < self.theta.ncols()).then(|| self.theta.column(c).to_vec())
    }
}

fn refit(fit: &ValuesFit, games: &[u32], solver: &Solver) -> (Vec<f64>, bool) {
    let patterns = &fit.patterns;
    let mut weights = patterns.weights(|g| f64::from(games[g]));
    for (w, &kept) in weights.iter_mut().zip(&fit.kept) {
        if !kept {
            *w = 0.0;
        }
    }
    // A column whose every imbalance was left out of this draw has no theta in it.
    let present: Vec<usize> = (0..fit.active.len())
        .filter(|&a| {
            let c = fit.active[a];
            weights.iter().enumerate().any(|(i, &w)| w != 0.0 && patterns.row(i)[c] != 0.0)
        })
        .collect();
    let active: Vec<usize> = present.iter().map(|&a| fit.active[a]).collect();
    let start: Array1<f64> = present.iter().map(|&a| fit.theta[a]).collect();
    let optimum = newton(patterns, &weights, &active, &start, solver);
    let mut theta = vec![f64::NAN; fit.active.len()];
    for (&a, &t) in present.iter().zip(&optimum.theta) {
        theta[a] = t;
    }
    (theta, optimum.converged)
}
