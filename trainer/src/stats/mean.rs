//! Means of one number per game, and the difference of two.

use super::{
    Estimate, Interval, StatsError,
    error::{check_count, check_finite},
    normal,
};

/// Mean of `values` (one per game) and their variance with divisor n - 1 (0 for a single value); `None` when empty.
#[must_use]
pub fn mean_variance(values: &[f64]) -> Option<(f64, f64)> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    Some((mean, if values.len() > 1 { squares / (n - 1.0) } else { 0.0 }))
}

/// The mean of one value per game with its t interval.
///
/// # Errors
/// Fewer than two values, one that is not finite, or a bad level.
pub fn mean(values: &[f64], level: f64) -> Result<Estimate, StatsError> {
    check_count("mean", values.len(), 2)?;
    check_finite("mean", values)?;
    let n = values.len() as f64;
    let (mean, variance) = mean_variance(values).unwrap_or((0.0, 0.0));
    Estimate::new(mean, (variance / n).sqrt(), n - 1.0, values.len(), level)
}

/// Welch's test of two means with its effect size.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct MeanTest {
    /// First minus second mean, with the Welch interval.
    pub difference: Estimate,
    /// The t statistic.
    pub t: f64,
    /// Two-sided p-value.
    pub p: f64,
    /// Hedges' g: the difference in pooled standard deviations, corrected for small samples. NaN if that is 0.
    pub hedges_g: f64,
    /// Large-sample normal interval of g.
    pub g_interval: Interval,
}

/// Compares the means of two independent samples of one value per game, variances not assumed equal.
///
/// # Errors
/// Fewer than two values in a sample, a value that is not finite, no variation in either sample, or a bad level.
///
/// # Source
/// Welch, Biometrika 34 (1947) 28-35. Effect size and its variance: Hedges, J. Educational Statistics 6 (1981) 107-128.
pub fn welch(a: &[f64], b: &[f64], level: f64) -> Result<MeanTest, StatsError> {
    let (ea, eb) = (mean(a, level)?, mean(b, level)?);
    let difference = ea.minus(&eb, level).map_err(|e| match e {
        StatsError::NoVariation { .. } => StatsError::NoVariation { what: "Welch test" },
        other => other,
    })?;
    let (na, nb) = (a.len() as f64, b.len() as f64);
    let m = na + nb - 2.0;
    let within = ea.standard_error * ea.standard_error * na * (na - 1.0)
        + eb.standard_error * eb.standard_error * nb * (nb - 1.0);
    let g = small_sample_correction(m) * difference.value / (within / m).sqrt();
    let se = ((na + nb) / (na * nb) + g * g / (2.0 * (na + nb))).sqrt();
    let reach = normal::critical(level) * se;
    Ok(MeanTest {
        t: difference.value / difference.standard_error,
        p: difference.two_sided_p(0.0),
        difference,
        hedges_g: g,
        g_interval: Interval { low: g - reach, high: g + reach },
    })
}

/// Hedges' exact factor J(m) for m degrees of freedom.
fn small_sample_correction(m: f64) -> f64 {
    if m <= 1.0 {
        return 0.0;
    }
    libm::exp(libm::lgamma(0.5 * m) - libm::lgamma(0.5 * (m - 1.0))) / (0.5 * m).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::estimate::equivalence;

    // Source: Welch's test, Wikipedia "Welch's t-test", example 1: t = -2.46, df = 25.0, p = 0.021.
    const A1: [f64; 15] =
        [27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4];
    const A2: [f64; 15] =
        [27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4];

    #[test]
    fn welch_published() {
        let w = welch(&A1, &A2, 0.95).unwrap();
        assert!((w.t + 2.46).abs() < 0.005, "{}", w.t);
        assert!((w.difference.df - 25.0).abs() < 0.05, "{w:?}");
        assert!((w.p - 0.021).abs() < 0.0006, "{}", w.p);
        // J(28) = 0.9729; g = J t sqrt(2 / 15)
        assert!((w.hedges_g - 0.9729 * w.t * (2.0f64 / 15.0).sqrt()).abs() < 1e-3);
    }

    #[test]
    fn equal_samples_are_equivalent() {
        let w = welch(&A1, &A1, 0.95).unwrap();
        assert!(w.hedges_g.abs() < 1e-15 && (w.p - 1.0).abs() < 1e-12);
        assert!(equivalence(&w.difference, 5.0, 0.05).unwrap().equivalent);
        assert!(!equivalence(&w.difference, 0.1, 0.05).unwrap().equivalent);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(mean(&[], 0.95).is_err() && mean(&[1.0], 0.95).is_err());
        assert!(mean(&[1.0, f64::NAN], 0.95).is_err());
        assert_eq!(
            welch(&[1.0, 1.0], &[2.0, 2.0], 0.95),
            Err(StatsError::NoVariation { what: "Welch test" })
        );
    }
}
