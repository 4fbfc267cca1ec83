//! Holm's correction for several tests.

/// Holm's step-down adjusted p-values, in the order given: reject those below alpha and the chance of any false rejection
/// is at most alpha. NaN (a test that could not be made) stays NaN and does not count.
///
/// # Source
/// Holm, Scandinavian J. Statistics 6 (1979) 65-70.
#[must_use]
pub fn adjust(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&i| !p[i].is_nan()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]).then(a.cmp(&b)));
    let tests = order.len();
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut largest = 0.0f64;
    for (rank, &i) in order.iter().enumerate() {
        largest = largest.max(((tests - rank) as f64 * p[i]).min(1.0));
        adjusted[i] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    // Source: Wikipedia "Holm-Bonferroni method", example p = 0.01, 0.04, 0.03, 0.005: adjusted 0.03, 0.06, 0.06, 0.02.
    #[test]
    fn published() {
        let a = adjust(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in a.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn missing_tests_do_not_count() {
        let a = adjust(&[f64::NAN, 0.02, 0.9]);
        assert!(a[0].is_nan() && (a[1] - 0.04).abs() < 1e-12 && (a[2] - 0.9).abs() < 1e-12);
        assert!(adjust(&[]).is_empty());
    }
}
