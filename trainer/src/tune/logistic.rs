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

/// The total cross-entropy and its derivatives at one `theta`.
struct Evaluation {
    /// Without the ridge.
    loss: f64,
    /// With the ridge.
    penalised: f64,
    gradient: Array1<f64>,
    hessian: Array2<f64>,
}

/// One pass over the patterns; loss and derivatives share the exponential, which is most of the work.
fn evaluate(
    patterns: &Patterns,
    weights: &[f64],
    active: &[usize],
    theta: &Array1<f64>,
    ridge: f64,
) -> Evaluation {
    let n = active.len();
    let mut loss = 0.0;
    let mut gradient = vec![0.0; n];
    // Row-major; only the lower triangle is filled until the end.
    let mut hessian = vec![0.0; n * n];
    let mut x = vec![0.0; n];
    for (i, &w) in weights.iter().enumerate() {
        if w == 0.0 {
            continue;
        }
        let row = patterns.row(i);
        let mut odds = 0.0;
        for ((slot, &c), t) in x.iter_mut().zip(active).zip(theta) {
            *slot = row[c];
            odds += row[c] * t;
        }
        let (p, y) = (sigmoid(odds), patterns.results[i]);
        loss += w * cross_entropy(odds, y);
        let (error, curve) = (w * (p - y), w * p * (1.0 - p));
        for (a, &xa) in x.iter().enumerate() {
            if xa != 0.0 {
                gradient[a] += error * xa;
                let scaled = curve * xa;
                for (h, &xb) in hessian[a * n..=a * n + a].iter_mut().zip(&x) {
                    *h += scaled * xb;
                }
            }
        }
    }
    let mut penalty = 0.0;
    for (a, (&c, t)) in active.iter().zip(theta).enumerate() {
        if c != 0 {
            penalty += 0.5 * ridge * t * t;
            gradient[a] += ridge * t;
            hessian[a * n + a] += ridge;
        }
    }
    let hessian = Array2::from_shape_fn((n, n), |(a, b)| hessian[a.max(b) * n + a.min(b)]);
    Evaluation { loss, penalised: loss + penalty, gradient: Array1::from(gradient), hessian }
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
    let at = |theta: &Array1<f64>| evaluate(patterns, weights, active, theta, solver.ridge);
    let mut theta = start.clone();
    let mut here = at(&theta);
    let (mut converged, mut iterations) = (false, 0);
    while iterations < solver.max_iterations && !converged {
        iterations += 1;
        let Some(step) = direction(&here.hessian, &here.gradient) else { break };
        let decrement: f64 = 0.5 * step.iter().zip(&here.gradient).map(|(s, g)| s * g).sum::<f64>();
        let mut length = 1.0;
        let mut moved = false;
        for _ in 0..40 {
            let trial: Array1<f64> = theta.iter().zip(&step).map(|(t, s)| t - length * s).collect();
            let there = at(&trial);
            if there.penalised <= here.penalised + 1e-13 * here.penalised.abs() {
                (theta, here, moved) = (trial, there, true);
                break;
            }
            length *= 0.5;
        }
        // If no step lowers the loss beyond rounding, it is as good as it gets.
        converged = decrement <= if moved { solver.tolerance } else { solver.tolerance.max(1e-6) };
        if !moved {
            break;
        }
    }
    Optimum { theta, hessian: here.hessian, loss: here.loss, iterations, converged }
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
