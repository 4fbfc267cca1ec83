//! Measured piece values: logistic regression of the result on material.

use super::{
    TuneError,
    design::{Design, Patterns, whole},
    linalg::{condition, eigen, unit_diagonal},
    logistic::{Optimum, Solver, log_odds, newton},
    loss::{cross_entropy, sigmoid},
    uncertainty::covariances,
};
use crate::stats::{Estimate, Interval, StatsError};
use ndarray::{Array1, Array2};

/// Name of column 0 of every fit.
pub const INTERCEPT: &str = "intercept";

/// Options of [`fit`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Solver options.
    pub solver: Solver,
    /// Confidence level of the intervals.
    pub level: f64,
}

impl Default for Options {
    fn default() -> Self {
        Options { solver: Solver::default(), level: 0.95 }
    }
}

/// Why the data do not determine a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum Undetermined {
    /// The column has the same value in every position.
    NoVariation,
    /// The column is a combination of others (two kinds that are always traded together).
    Collinear,
    /// The column decides the result of some games without exception, so its estimate runs off to infinity.
    Separable,
}

impl std::fmt::Display for Undetermined {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Undetermined::NoVariation => "undetermined: no variation",
            Undetermined::Collinear => "undetermined: always moves with other columns",
            Undetermined::Separable => "undetermined: decides its games without exception",
        })
    }
}

/// A fitted coefficient, in natural log-odds of White's score per unit of the column (per piece).
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Coefficient {
    /// Estimate, standard error and t interval clustered by game: the ones to report.
    pub clustered: Estimate,
    /// Standard error if positions were independent (they are not): shown only for comparison.
    pub naive_standard_error: f64,
    /// Normal interval of the naive standard error.
    pub naive_interval: Interval,
}

impl Coefficient {
    /// The estimate.
    #[must_use]
    pub fn theta(&self) -> f64 {
        self.clustered.value
    }
}

/// One column of a fit.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The coefficient, or why there is none.
    pub coefficient: Result<Coefficient, Undetermined>,
    /// Positions in which the column is not 0.
    pub imbalance_rows: usize,
    /// Games with such a position.
    pub imbalance_games: usize,
}

/// A fit of the measured values. p = 1 / (1 + exp(-x theta)), K = 1.
#[derive(Debug, Clone)]
pub struct ValuesFit {
    /// The intercept, then the columns of the design in order.
    pub columns: Vec<Column>,
    /// Positions given.
    pub rows: usize,
    /// Positions left out because a separable column predicts them without error.
    pub excluded_rows: usize,
    /// Games given.
    pub games: usize,
    /// Games with a position in the fit; the clusters of the standard errors.
    pub clusters: usize,
    /// Mean cross-entropy per fitted position, nats.
    pub log_loss: f64,
    /// The same with the intercept alone.
    pub log_loss_null: f64,
    /// Largest over smallest eigenvalue of the information matrix scaled to a unit diagonal.
    pub condition_number: f64,
    /// Newton iterations of the last fit.
    pub iterations: usize,
    /// Confidence level of the intervals.
    pub level: f64,
    /// Columns in the solver, theta and clustered covariance in their order.
    pub(super) active: Vec<usize>,
    pub(super) theta: Array1<f64>,
    pub(super) covariance: Array2<f64>,
    pub(super) patterns: Patterns,
    pub(super) kept: Vec<bool>,
    pub(super) solver: Solver,
}

impl ValuesFit {
    /// The column called `name`.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// theta of `a` minus theta of `b` with its clustered interval, if both are determined.
    #[must_use]
    pub fn difference(&self, a: &str, b: &str) -> Option<Estimate> {
        let (i, j) = (self.position(a)?, self.position(b)?);
        let v = &self.covariance;
        let variance = (v[[i, i]] + v[[j, j]] - 2.0 * v[[i, j]]).max(0.0);
        let value = self.theta[i] - self.theta[j];
        Estimate::new(value, variance.sqrt(), self.df(), self.clusters, self.level).ok()
    }

    /// Place of a determined column among the active ones.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let c = self.columns.iter().position(|c| c.name == name && c.coefficient.is_ok())?;
        self.active.iter().position(|&a| a == c)
    }

    fn df(&self) -> f64 {
        self.clusters as f64 - 1.0
    }
}

/// Fits result ~ intercept + columns of `design` by maximum likelihood (cross-entropy), with standard errors clustered by
/// game (sandwich, factor G / (G - 1)) and t intervals with G - 1 degrees of freedom.
///
/// A column the data do not determine is marked, not an error: see [`Undetermined`]. The intercept takes up columns
/// without variation.
///
/// # Errors
/// Fewer than two games, one result only, no convergence, or a confidence level outside 0..1.
///
/// # Source
/// Sandwich by cluster: Liang and Zeger, Biometrika 73 (1986) 13-22. Separation: Albert and Anderson, Biometrika 71 (1984) 1-10.
pub fn fit(design: &Design, options: &Options) -> Result<ValuesFit, TuneError> {
    let level = options.level;
    if !(level > 0.0 && level < 1.0) {
        return Err(TuneError::BadNumber {
            what: "confidence level",
            index: 0,
            found: level,
            expected: "0 to 1",
        });
    }
    let ridge = options.solver.ridge;
    if !(ridge.is_finite() && ridge >= 0.0) {
        return Err(TuneError::BadNumber { what: "ridge", index: 0, found: ridge, expected: "0 or more" });
    }
    let patterns = design.compress();
    let games = patterns.games.len();
    if games < 2 {
        return Err(TuneError::TooFewGames { found: games });
    }
    if let Some(&result) = patterns.results.first()
        && patterns.results.iter().all(|&r| r == result)
    {
        return Err(TuneError::ConstantResult { result });
    }
    let search = determine(&patterns, &options.solver)?;
    let weights = search.weights(&patterns);
    let fitted_rows: f64 = weights.iter().sum();
    let clusters =
        patterns.games.iter().filter(|g| g.iter().any(|&(pattern, _)| search.kept[pattern])).count();
    if clusters < 2 && !search.active.is_empty() {
        return Err(TuneError::TooFewGames { found: clusters });
    }
    let (naive, clustered) = covariances(&patterns, &search.kept, &search.active, &search.optimum, clusters)
        .ok_or(TuneError::NotConverged { iterations: search.optimum.iterations })?;
    let names = std::iter::once(INTERCEPT).chain(design.columns().iter().map(String::as_str));
    let mut columns = Vec::with_capacity(patterns.width);
    for (c, name) in names.enumerate() {
        let coefficient = match (search.status[c], search.active.iter().position(|&a| a == c)) {
            (None, Some(i)) => {
                let theta = search.optimum.theta[i];
                Ok(coefficient(theta, naive[[i, i]], clustered[[i, i]], clusters, level)?)
            }
            (status, _) => Err(status.unwrap_or(Undetermined::NoVariation)),
        };
        let (imbalance_rows, imbalance_games) = patterns.imbalance(c);
        columns.push(Column { name: name.to_string(), coefficient, imbalance_rows, imbalance_games });
    }
    Ok(ValuesFit {
        columns,
        rows: design.rows(),
        excluded_rows: design.rows() - whole(fitted_rows),
        games,
        clusters,
        log_loss: if fitted_rows > 0.0 { search.optimum.loss / fitted_rows } else { 0.0 },
        log_loss_null: null_loss(&patterns, &weights),
        condition_number: condition(&search.optimum.hessian),
        iterations: search.optimum.iterations,
        level,
        active: search.active,
        theta: search.optimum.theta,
        covariance: clustered,
        patterns,
        kept: search.kept,
        solver: options.solver,
    })
}

fn coefficient(
    theta: f64,
    naive_variance: f64,
    variance: f64,
    clusters: usize,
    level: f64,
) -> Result<Coefficient, TuneError> {
    let bad = |_: StatsError| TuneError::TooFewGames { found: clusters };
    let se = variance.max(0.0).sqrt();
    let naive = naive_variance.max(0.0).sqrt();
    let clustered = Estimate::new(theta, se, clusters as f64 - 1.0, clusters, level).map_err(bad)?;
    let plain = Estimate::new(theta, naive, f64::INFINITY, clusters, level).map_err(bad)?;
    Ok(Coefficient { clustered, naive_standard_error: naive, naive_interval: plain.interval })
}

fn null_loss(patterns: &Patterns, weights: &[f64]) -> f64 {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return 0.0;
    }
    let mean = weights.iter().zip(&patterns.results).map(|(w, y)| w * y).sum::<f64>() / total;
    if mean <= 0.0 || mean >= 1.0 {
        return 0.0;
    }
    cross_entropy(libm::log(mean / (1.0 - mean)), mean)
}

/// Which columns the data determine, and the optimum over them.
struct Search {
    status: Vec<Option<Undetermined>>,
    active: Vec<usize>,
    kept: Vec<bool>,
    optimum: Optimum,
}

impl Search {
    fn weights(&self, patterns: &Patterns) -> Vec<f64> {
        masked(patterns, &self.kept)
    }
}

fn masked(patterns: &Patterns, kept: &[bool]) -> Vec<f64> {
    let mut weights = patterns.unit_weights();
    for (w, &k) in weights.iter_mut().zip(kept) {
        if !k {
            *w = 0.0;
        }
    }
    weights
}

/// Fits, and as long as something is undetermined leaves out what causes it and fits again.
fn determine(patterns: &Patterns, solver: &Solver) -> Result<Search, TuneError> {
    let mut status = vec![None; patterns.width];
    let mut active: Vec<usize> = (0..patterns.width).collect();
    let mut kept = vec![true; patterns.results.len()];
    let mut separated = false;
    loop {
        let weights = masked(patterns, &kept);
        drop_constant(patterns, &weights, &mut active, &mut status, separated);
        drop_collinear(patterns, &weights, &mut active, &mut status);
        let start = Array1::zeros(active.len());
        let optimum = newton(patterns, &weights, &active, &start, solver);
        // A ridge bounds every coefficient, so nothing can separate.
        let direction =
            if solver.ridge > 0.0 { None } else { separation(patterns, &weights, &active, &optimum) };
        let Some(direction) = direction else {
            if !optimum.converged && !active.is_empty() {
                return Err(TuneError::NotConverged { iterations: optimum.iterations });
            }
            return Ok(Search { status, active, kept, optimum });
        };
        separated = true;
        for (&c, &share) in active.iter().zip(&direction) {
            if share.abs() > 0.1 {
                status[c] = Some(Undetermined::Separable);
            }
        }
        // In the limit these positions are predicted without error and say nothing about the other columns.
        for (i, keep) in kept.iter_mut().enumerate() {
            let p = sigmoid(log_odds(patterns, i, &active, &optimum.theta));
            if (p - patterns.results[i]).abs() < 1e-5 {
                *keep = false;
            }
        }
        active.remove(largest(&direction));
    }
}

/// Leaves out columns (the intercept excepted) that have one value only.
fn drop_constant(
    patterns: &Patterns,
    weights: &[f64],
    active: &mut Vec<usize>,
    status: &mut [Option<Undetermined>],
    separated: bool,
) {
    let used: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] != 0.0).collect();
    active.retain(|&c| {
        let first = used.first().map(|&i| patterns.row(i)[c]);
        let varies = used.iter().any(|&i| Some(patterns.row(i)[c]) != first);
        let keep = varies || (c == 0 && !used.is_empty());
        if !keep && status[c].is_none() {
            status[c] = Some(if separated { Undetermined::Separable } else { Undetermined::NoVariation });
        }
        keep
    });
}

/// Leaves out columns until the rest are independent; marks every column of a dependency.
fn drop_collinear(
    patterns: &Patterns,
    weights: &[f64],
    active: &mut Vec<usize>,
    status: &mut [Option<Undetermined>],
) {
    while !active.is_empty() {
        let (values, vectors) = eigen(&unit_diagonal(&gram(patterns, weights, active)));
        let lowest = (0..values.len()).fold(0, |best, i| if values[i] < values[best] { i } else { best });
        if values[lowest] > 1e-9 {
            return;
        }
        let direction = vectors.column(lowest).to_vec();
        for (&c, share) in active.iter().zip(&direction) {
            if share.abs() > 1e-5 {
                status[c].get_or_insert(Undetermined::Collinear);
            }
        }
        active.remove(largest(&direction));
    }
}

fn gram(patterns: &Patterns, weights: &[f64], active: &[usize]) -> Array2<f64> {
    let mut out = Array2::zeros((active.len(), active.len()));
    for (i, &w) in weights.iter().enumerate() {
        if w == 0.0 {
            continue;
        }
        let row = patterns.row(i);
        for (a, &ca) in active.iter().enumerate() {
            for (b, &cb) in active.iter().enumerate() {
                out[[a, b]] += w * row[ca] * row[cb];
            }
        }
    }
    out
}

/// The direction along which the likelihood has no maximum: there the information is next to nothing compared with the
/// sums of squares, because the positions it moves are predicted without error. `None` if there is none.
fn separation(patterns: &Patterns, weights: &[f64], active: &[usize], optimum: &Optimum) -> Option<Vec<f64>> {
    if active.is_empty() {
        return None;
    }
    let squares = gram(patterns, weights, active);
    let scaled = Array2::from_shape_fn(squares.dim(), |(a, b)| {
        let scale = (squares[[a, a]] * squares[[b, b]]).sqrt();
        if scale > 0.0 { optimum.hessian[[a, b]] / scale } else { 0.0 }
    });
    let (values, vectors) = eigen(&scaled);
    let lowest = (0..values.len()).fold(0, |best, i| if values[i] < values[best] { i } else { best });
    (values[lowest] < 1e-7).then(|| vectors.column(lowest).to_vec())
}

/// Index of the largest absolute value, the last of equals.
fn largest(values: &[f64]) -> usize {
    let mut best = 0;
    for (i, v) in values.iter().enumerate() {
        if v.abs() >= values[best].abs() - 1e-12 {
            best = i;
        }
    }
    best
}
