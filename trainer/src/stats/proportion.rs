//! Proportions: Wilson's interval and the two-proportion test.

use super::{
    Interval, StatsError,
    error::{check_count, check_level},
    normal,
};

/// Wilson's score interval for `successes` of `trials`, both possibly fractional (an effective number of trials).
///
/// # Errors
/// No trials, successes outside 0..=trials, or a bad level.
///
/// # Source
/// Wilson, J. American Statistical Association 22 (1927) 209-212.
pub fn wilson(successes: f64, trials: f64, level: f64) -> Result<Interval, StatsError> {
    check_level(level)?;
    if !(trials.is_finite() && trials > 0.0) {
        return Err(StatsError::OutOfRange { what: "trials", found: trials, expected: "> 0" });
    }
    if !(0.0..=trials).contains(&successes) {
        return Err(StatsError::OutOfRange { what: "successes", found: successes, expected: "0 to trials" });
    }
    let z = normal::critical(level);
    let p = successes / trials;
    let shrink = z * z / trials;
    let centre = (p + 0.5 * shrink) / (1.0 + shrink);
    let reach = z / (1.0 + shrink) * (p * (1.0 - p) / trials + 0.25 * shrink / trials).sqrt();
    let low = if successes == 0.0 { 0.0 } else { (centre - reach).max(0.0) };
    let high = if successes == trials { 1.0 } else { (centre + reach).min(1.0) };
    Ok(Interval { low, high })
}

/// Result of comparing two proportions.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ProportionTest {
    /// First minus second proportion.
    pub difference: f64,
    /// Newcombe's hybrid score interval of the difference.
    pub interval: Interval,
    /// Pooled z statistic; 0 when neither sample varies.
    pub z: f64,
    /// Two-sided p-value of `z`.
    pub p: f64,
    /// Cohen's h, 2 asin sqrt p1 - 2 asin sqrt p2: 0.2 is called small, 0.5 medium, 0.8 large.
    pub cohen_h: f64,
}

/// Compares `a` = (successes, trials) with `b`.
///
/// # Errors
/// No trials in a sample, more successes than trials, or a bad level.
///
/// # Source
/// Interval: Newcombe, Statistics in Medicine 17 (1998) 873-890, method 10. Effect size: Cohen, Statistical Power Analysis,
/// 2nd ed. 1988, chapter 6.
pub fn two_proportions(a: (u64, u64), b: (u64, u64), level: f64) -> Result<ProportionTest, StatsError> {
    check_count("two-proportion test", usize::from(a.1 > 0 && b.1 > 0), 1)?;
    let (xa, na, xb, nb) = (a.0 as f64, a.1 as f64, b.0 as f64, b.1 as f64);
    let (ia, ib) = (wilson(xa, na, level)?, wilson(xb, nb, level)?);
    let (pa, pb) = (xa / na, xb / nb);
    let difference = pa - pb;
    let below = (square(pa - ia.low) + square(ib.high - pb)).sqrt();
    let above = (square(ia.high - pa) + square(pb - ib.low)).sqrt();
    let pooled = (xa + xb) / (na + nb);
    let se = (pooled * (1.0 - pooled) * (1.0 / na + 1.0 / nb)).sqrt();
    let z = if se > 0.0 { difference / se } else { 0.0 };
    Ok(ProportionTest {
        difference,
        interval: Interval { low: difference - below, high: difference + above },
        z,
        p: normal::two_sided_p(z),
        cohen_h: cohen_h(pa, pb),
    })
}

/// Cohen's h of two proportions, each clamped to 0..=1.
#[must_use]
pub fn cohen_h(a: f64, b: f64) -> f64 {
    2.0 * (libm::asin(a.clamp(0.0, 1.0).sqrt()) - libm::asin(b.clamp(0.0, 1.0).sqrt()))
}

fn square(v: f64) -> f64 {
    v * v
}

#[cfg(test)]
mod tests {
    use super::*;

    // Source: Newcombe 1998, Statistics in Medicine 17, 857-872, table I: Wilson for 81/263 is 0.2553 to 0.3662,
    // 15/148 is 0.0624 to 0.1605, 0/20 is 0 to 0.1611, 1/29 is 0.0061 to 0.1718.
    #[test]
    fn wilson_published() {
        let rows = [
            (81.0, 263.0, 0.2553, 0.3662),
            (15.0, 148.0, 0.0624, 0.1605),
            (0.0, 20.0, 0.0, 0.1611),
            (1.0, 29.0, 0.0061, 0.1718),
            // 15/20, by hand from the formula: centre 0.70973, half-width 0.17844.
            (15.0, 20.0, 0.5313, 0.8881),
        ];
        for (x, n, low, high) in rows {
            let i = wilson(x, n, 0.95).unwrap();
            assert!((i.low - low).abs() < 6e-5 && (i.high - high).abs() < 6e-5, "{x}/{n}: {i:?}");
        }
    }

    // Source: Newcombe 1998, Statistics in Medicine 17, 873-890, table II(a): 56/70 - 48/80, method 10: 0.0524 to 0.3339.
    #[test]
    fn newcombe_published() {
        let t = two_proportions((56, 70), (48, 80), 0.95).unwrap();
        assert!((t.difference - 0.2).abs() < 1e-12);
        assert!((t.interval.low - 0.0524).abs() < 6e-5 && (t.interval.high - 0.3339).abs() < 6e-5, "{t:?}");
        assert!((t.cohen_h - 0.4421).abs() < 1e-3, "{}", t.cohen_h);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(wilson(1.0, 0.0, 0.95).is_err() && wilson(3.0, 2.0, 0.95).is_err());
        assert!(wilson(f64::NAN, 2.0, 0.95).is_err() && wilson(1.0, 2.0, 1.5).is_err());
        assert!(two_proportions((1, 0), (1, 2), 0.95).is_err());
        let same = two_proportions((0, 5), (0, 9), 0.95).unwrap();
        assert!((same.p - 1.0).abs() < 1e-15);
    }
}
