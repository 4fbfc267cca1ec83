//! Kendall's rank correlation.

use super::{
    Interval, StatsError,
    error::{check_count, check_finite},
    quantile::{percentile_interval, sorted},
};

/// Most items for which all orders are counted: 8! = 40320.
pub const EXACT_LIMIT: usize = 8;

/// Kendall's tau-b of paired values, ties handled: -1 (opposite orders) to 1 (same order).
///
/// # Errors
/// Unequal lengths, fewer than two pairs, a value that is not finite, or one side all tied.
///
/// # Source
/// Kendall, Biometrika 33 (1945) 239-251.
pub fn tau_b(x: &[f64], y: &[f64]) -> Result<f64, StatsError> {
    check_pairs(x, y)?;
    let (score, tied_x, tied_y) = pair_counts(x, y);
    let pairs = (x.len() * (x.len() - 1) / 2) as f64;
    let (a, b) = (pairs - tied_x as f64, pairs - tied_y as f64);
    if a <= 0.0 || b <= 0.0 {
        return Err(StatsError::NoVariation { what: "Kendall's tau-b" });
    }
    Ok((score as f64 / (a * b).sqrt()).clamp(-1.0, 1.0))
}

fn check_pairs(x: &[f64], y: &[f64]) -> Result<(), StatsError> {
    if x.len() != y.len() {
        return Err(StatsError::LengthMismatch { what: "Kendall's tau-b", left: x.len(), right: y.len() });
    }
    check_count("Kendall's tau-b", x.len(), 2)?;
    check_finite("Kendall's tau-b", x)?;
    check_finite("Kendall's tau-b", y)
}

/// (concordant - discordant pairs, pairs tied in x, pairs tied in y).
fn pair_counts(x: &[f64], y: &[f64]) -> (i64, u64, u64) {
    let (mut score, mut tied_x, mut tied_y) = (0, 0, 0);
    for i in 0..x.len() {
        for j in 0..i {
            let (a, b) = (sign(x[i], x[j]), sign(y[i], y[j]));
            score += a * b;
            tied_x += u64::from(a == 0);
            tied_y += u64::from(b == 0);
        }
    }
    (score, tied_x, tied_y)
}

fn sign(a: f64, b: f64) -> i64 {
    i64::from(a > b) - i64::from(a < b)
}

/// Exact one-sided permutation p-value: the fraction of the n! orders of `y` with tau-b at least that observed. It is for a
/// fully exchangeable null (every order of the kinds equally likely before the data), which ignores how sure the measured
/// values are; the bootstrap distribution shows that.
///
/// # Errors
/// As [`tau_b`]; more than [`EXACT_LIMIT`] pairs.
pub fn exact_p(x: &[f64], y: &[f64]) -> Result<f64, StatsError> {
    tau_b(x, y)?;
    if x.len() > EXACT_LIMIT {
        return Err(StatsError::OutOfRange {
            what: "pairs for an exact p-value",
            found: x.len() as f64,
            expected: "at most 8",
        });
    }
    // Ties do not depend on the order, so tau-b grows with the score alone, and scores are whole numbers.
    let observed = pair_counts(x, y).0;
    let mut order = y.to_vec();
    let (mut hits, mut total) = (0u32, 0u32);
    visit_orders(&mut order, 0, &mut |permuted| {
        total += 1;
        hits += u32::from(pair_counts(x, permuted).0 >= observed);
    });
    Ok(f64::from(hits) / f64::from(total))
}

fn visit_orders(items: &mut [f64], fixed: usize, visit: &mut impl FnMut(&[f64])) {
    if fixed + 1 >= items.len() {
        visit(items);
        return;
    }
    for i in fixed..items.len() {
        items.swap(fixed, i);
        visit_orders(items, fixed + 1, visit);
        items.swap(fixed, i);
    }
}

/// How tau-b varies over bootstrap replicates.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct TauDistribution {
    /// Replicates with a tau-b.
    pub count: usize,
    /// Mean tau-b.
    pub mean: f64,
    /// Percentile interval.
    pub interval: Interval,
    /// Each distinct tau-b, ascending, with its share of the replicates (7 kinds without ties: at most 22 values).
    pub table: Vec<(f64, f64)>,
}

impl TauDistribution {
    /// Summarises the tau-b of each replicate (NaN left out) with a percentile interval at `level`; `None` without any.
    #[must_use]
    pub fn new(replicates: &[f64], level: f64) -> Option<Self> {
        let order = sorted(replicates);
        let interval = percentile_interval(&order, level)?;
        let count = order.len();
        let mean = order.iter().sum::<f64>() / count as f64;
        let mut groups: Vec<(f64, usize)> = Vec::new();
        for &value in &order {
            match groups.last_mut() {
                Some((last, n)) if value - *last < 1e-9 => *n += 1,
                _ => groups.push((value, 1)),
            }
        }
        let table = groups.into_iter().map(|(v, n)| (v, n as f64 / count as f64)).collect();
        Some(TauDistribution { count, mean, interval, table })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Source: SciPy documentation of scipy.stats.kendalltau: x = 12 2 1 12 2, y = 1 4 7 1 0 gives -0.4714045207910316.
    #[test]
    fn tau_published() {
        let t = tau_b(&[12.0, 2.0, 1.0, 12.0, 2.0], &[1.0, 4.0, 7.0, 1.0, 0.0]).unwrap();
        assert!((t + 0.471_404_520_791_031_6).abs() < 1e-15, "{t}");
    }

    // Source: Kendall, Rank Correlation Methods, table of the distribution of S: n = 4: P(S >= 6) = 1/24, P(S >= 4) = 4/24.
    #[test]
    fn exact_p_published() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert!((exact_p(&x, &x).unwrap() - 1.0 / 24.0).abs() < 1e-15);
        assert!((exact_p(&x, &[1.0, 2.0, 4.0, 3.0]).unwrap() - 4.0 / 24.0).abs() < 1e-15);
        let seven: Vec<f64> = (0..7).map(f64::from).collect();
        assert!((exact_p(&seven, &seven).unwrap() - 1.0 / 5040.0).abs() < 1e-15);
        assert!(exact_p(&[0.0; 9], &[0.0; 9]).is_err());
    }

    #[test]
    fn distribution_table() {
        let d = TauDistribution::new(&[1.0, 0.5, f64::NAN, 0.5, 1.0 - 1e-12], 0.95).unwrap();
        assert_eq!(d.count, 4);
        assert_eq!(d.table.len(), 2);
        assert!((d.table[0].1 - 0.5).abs() < 1e-15 && (d.mean - 0.75).abs() < 1e-9);
        assert_eq!(TauDistribution::new(&[f64::NAN], 0.95), None);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(tau_b(&[1.0], &[1.0]).is_err() && tau_b(&[1.0, 2.0], &[1.0]).is_err());
        assert!(tau_b(&[1.0, 1.0], &[1.0, 2.0]).is_err());
        assert!(tau_b(&[1.0, f64::NAN], &[1.0, 2.0]).is_err());
    }
}
