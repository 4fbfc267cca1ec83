//! Sample quantiles and percentile intervals.

use super::Interval;

/// The `p` quantile of `sorted` (ascending), type 7: linear interpolation at position (n - 1) p, as R, NumPy and Excel do
/// by default. `None` when empty or `p` is outside 0..=1.
///
/// # Source
/// Hyndman and Fan, American Statistician 50 (1996) 361-365, definition 7.
#[must_use]
pub fn quantile_sorted(sorted: &[f64], p: f64) -> Option<f64> {
    if !(0.0..=1.0).contains(&p) {
        return None;
    }
    let last = sorted.len().checked_sub(1)?;
    let position = p * last as f64;
    let below = floor_index(position).min(last);
    let share = position - below as f64;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    Some(if share > 0.0 && low != high { low + share * (high - low) } else { low })
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a position inside a slice, floored; the caller clamps it"
)]
fn floor_index(position: f64) -> usize {
    position.floor() as usize
}

/// The `p` quantile of `values` in any order; NaN entries are left out. See [`quantile_sorted`].
#[must_use]
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    quantile_sorted(&sorted(values), p)
}

/// `values` in ascending order without NaN.
#[must_use]
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut kept: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    kept.sort_by(f64::total_cmp);
    kept
}

/// The percentile interval of bootstrap replicates at `level`: their (1 - level) / 2 and (1 + level) / 2 quantiles.
/// `None` when empty or the level is outside 0..=1.
///
/// # Source
/// Davison and Hinkley, Bootstrap Methods and their Application, 1997, chapter 5.
#[must_use]
pub fn percentile_interval(replicates: &[f64], level: f64) -> Option<Interval> {
    let order = sorted(replicates);
    Some(Interval {
        low: quantile_sorted(&order, 0.5 - 0.5 * level)?,
        high: quantile_sorted(&order, 0.5 + 0.5 * level)?,
    })
}

/// The basic (reflected) bootstrap interval: 2 `estimate` minus the percentile ends. `None` as [`percentile_interval`].
///
/// # Source
/// Davison and Hinkley, Bootstrap Methods and their Application, 1997, chapter 5.
#[must_use]
pub fn basic_interval(estimate: f64, replicates: &[f64], level: f64) -> Option<Interval> {
    let p = percentile_interval(replicates, level)?;
    Some(Interval { low: 2.0 * estimate - p.high, high: 2.0 * estimate - p.low })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Source: R, quantile(c(1, 2, 4, 8), c(.1, .5, .9)) with the default type 7: 1.3, 3, 6.8.
    #[test]
    fn type_seven() {
        let v = [8.0, 1.0, 4.0, f64::NAN, 2.0];
        for (p, q) in [(0.1, 1.3), (0.5, 3.0), (0.9, 6.8), (0.0, 1.0), (1.0, 8.0)] {
            assert!((quantile(&v, p).unwrap() - q).abs() < 1e-12);
        }
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&v, 1.5), None);
        assert_eq!(quantile(&[f64::INFINITY, f64::INFINITY], 0.5), Some(f64::INFINITY));
    }

    #[test]
    fn basic_reflects_percentile() {
        let r: Vec<f64> = (0..=100).map(f64::from).collect();
        let p = percentile_interval(&r, 0.9).unwrap();
        let b = basic_interval(40.0, &r, 0.9).unwrap();
        assert!((p.low - 5.0).abs() < 1e-9 && (p.high - 95.0).abs() < 1e-9);
        assert!((b.low + 15.0).abs() < 1e-9 && (b.high - 75.0).abs() < 1e-9);
    }
}
