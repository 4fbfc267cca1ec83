//! Newton's method for logistic regression on weighted patterns.

use super::{
    design::Patterns,
    linalg::{cholesky, solve},
    loss::{cross_entropy, sigmoid},
};
use ndarray::{Array1, Array2};

/// Options of the solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solver {
    /// Added to the total cross-entropy: ridge / 2 times the sum of theta squared, intercept excepted. 0 is none.
    pub ridge: f64,
    /// Stop when the Newton decrement, about the log-likelihood still to gain, is below this.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: usize,
}

impl Default for Solver {
    fn default() -> Self {
        Solver { ridge: 0.0, tolerance: 1e-12, max_iterations: 100 }
    }
}

/// Where the solver stopped.
#[derive(Debug, Clone)]
pub(super) struct Optimum {
    /// Natural-log-odds per unit, one per active column.
    pub theta: Array1<f64>,
    /// Second derivatives of the total cross-entropy (ridge included) at `theta`.
    pub hessian: Array2<f64>,
    /// Total cross-entropy, ridge left out, nats.
    pub loss: f64,
    pub iterations: usize,
    pub converged: bool,
}

/// Log-odds of pattern `i` under `theta` of the active columns.
pub(super) fn log_odds(patterns: &Patterns, i: usize, active: &[usize], theta: &Array1<f64>) -> f64 {
    let row = patterns.row(i);
    active.iter().zip(theta).map(|(&c, t)| row[c] * t).sum()
}

fn penalised_loss(
    patterns: &Patterns,
    weights: &[f64],
    active: &[usize],
    theta: &Array1<f64>,
    ridge: f64,
) -> (f64, f64) {
    let mut loss = 0.0;
    for (i, &w) in weights.iter().enumerate() {
        if w != 0.0 {
            loss += w * cross_entropy(log_odds(patterns, i, active, theta), patterns.results[i]);
        }
    }
    let mut penalty = 0.0;
    for (&c, t) in active.iter().zip(theta) {
        if c != 0 {
            penalty += 0.5 * ridge * t * t;
        }
    }
    (loss, loss + penalty)
}

/// Gradient and Hessian of the penalised total cross-entropy.
fn derivatives(
    patterns: &Patterns,
    weights: &[f64],
    active: &[usize],
    theta: &Array1<f64>,
    ridge: f64,
) -> (Array1<f64>, Array2<f64>) {
    let n = active.len();
    let mut gradient = Array1::zeros(n);
    let mut hessian = Array2::zeros((n, n));
    let mut x = vec![0.0; n];
    for (i, &w) in weights.iter().enumerate() {
        if w == 0.0 {
            continue;
        }
        let row = patterns.row(i);
        for (slot, &c) in x.iter_mut().zip(active) {
            *slot = row[c];
        }
        let p = sigmoid(log_odds(patterns, i, active, theta));
        let (error, curve) = (w * (p - patterns.results[i]), w * p * (1.0 - p));
        for a in 0..n {
            if x[a] == 0.0 {
                continue;
            }
            gradient[a] += error * x[a];
            for b in 0..=a {
                hessian[[a, b]] += curve * x[a] * x[b];
            }
        }
    }
    for a in 0..n {
        if active[a] != 0 {
            gradient[a] += ridge * theta[a];
            hessian[[a, a]] += ridge;
        }
        for b in 0..a {
            hessian[[b, a]] = hessian[[a, b]];
        }
    }
    (gradient, hessian)
}

/// Minimises the total cross-entropy over the active columns, from `start`; Newton steps, halved until the loss falls.
/// A Hessian that is singular is damped, so separated data end at a large finite `theta` instead of failing.
///
/// Source: iteratively reweighted least squares, McCullagh and Nelder, Generalized Linear Models, 2nd ed. 1989, section 4.4.
pub(super) fn newton(
    patterns: &Patterns,
    weights: &[f64],
    active: &[usize],
    start: &Array1<f64>,
    solver: &Solver,
) -> Optimum {
    let mut theta = start.clone();
    let (mut loss, mut penalised) = penalised_loss(patterns, weights, active, &theta, solver.ridge);
    let (mut gradient, mut hessian) = derivatives(patterns, weights, active, &theta, solver.ridge);
    let (mut converged, mut iterations) = (false, 0);
    while iterations < solver.max_iterations && !converged {
        iterations += 1;
        let Some(step) = direction(&hessian, &gradient) else { break };
        let decrement: f64 = 0.5 * step.iter().zip(&gradient).map(|(s, g)| s * g).sum::<f64>();
        converged = decrement <= solver.tolerance;
        let mut length = 1.0;
        let mut moved = false;
        for _ in 0..40 {
            let trial: Array1<f64> = theta.iter().zip(&step).map(|(t, s)| t - length * s).collect();
            let (trial_loss, trial_penalised) =
                penalised_loss(patterns, weights, active, &trial, solver.ridge);
            if trial_penalised <= penalised + 1e-13 * penalised.abs() {
                (theta, loss, penalised) = (trial, trial_loss, trial_penalised);
                moved = true;
                break;
            }
            length *= 0.5;
        }
        if !moved {
            // No step lowers the loss beyond rounding: as good as it gets.
            converged = decrement <= 1e-6;
            break;
        }
        (gradient, hessian) = derivatives(patterns, weights, active, &theta, solver.ridge);
    }
    Optimum { theta, hessian, loss, iterations, converged }
}

fn direction(hessian: &Array2<f64>, gradient: &Array1<f64>) -> Option<Array1<f64>> {
    let mut damping = 0.0;
    for _ in 0..8 {
        let mut h = hessian.clone();
        for a in 0..h.nrows() {
            h[[a, a]] += damping * hessian[[a, a]] + if damping > 0.0 { 1e-12 } else { 0.0 };
        }
        if let Some(l) = cholesky(&h) {
            return Some(solve(&l, gradient));
        }
        damping = if damping == 0.0 { 1e-8 } else { damping * 10.0 };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::design::Design;
    use ndarray::array;

    // A two-by-two table has a closed form: 30 of 40 against 10 of 40 gives log(3) and log(1/3).
    #[test]
    fn closed_form() {
        let mut x = Array2::zeros((80, 1));
        let mut y = Array1::zeros(80);
        for i in 0..80 {
            x[[i, 0]] = if i < 40 { 1.0 } else { 0.0 };
            y[i] = if (30..70).contains(&i) { 0.0 } else { 1.0 };
        }
        let p = Design::new(x, y, (0..80).collect(), vec!["x".into()]).unwrap().compress();
        let o = newton(&p, &p.unit_weights(), &[0, 1], &array![0.0, 0.0], &Solver::default());
        assert!(o.converged);
        assert!((o.theta[0] + libm::log(3.0)).abs() < 1e-12, "{:?}", o.theta);
        assert!((o.theta[1] - 2.0 * libm::log(3.0)).abs() < 1e-12);
        // Information of the intercept: 80 p (1 - p) = 15.
        assert!((o.hessian[[0, 0]] - 15.0).abs() < 1e-9);
    }
}
