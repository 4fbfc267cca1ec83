//! Student's t distribution.

use super::{normal, special::beta_inc};

/// Degrees of freedom above which the normal distribution is nearer than the rounding of the beta function.
const NORMAL_ABOVE: f64 = 1e8;

/// P(T > t) with `df` > 0 degrees of freedom (infinite is the normal distribution); NaN for a bad `df`.
#[must_use]
pub fn survival(t: f64, df: f64) -> f64 {
    if t.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if df > NORMAL_ABOVE {
        return normal::survival(t);
    }
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    let total = df + t * t;
    let tail = 0.5 * beta_inc(0.5 * df, 0.5, df / total, t * t / total);
    if t >= 0.0 { tail } else { 1.0 - tail }
}

/// P(T <= t) with `df` > 0 degrees of freedom.
#[must_use]
pub fn cdf(t: f64, df: f64) -> f64 {
    survival(-t, df)
}

/// Two-sided p-value of a t statistic.
#[must_use]
pub fn two_sided_p(t: f64, df: f64) -> f64 {
    (2.0 * survival(t.abs(), df)).min(1.0)
}

/// The t with P(T <= t) = p; infinite at 0 and 1, NaN outside 0..=1 or for a bad `df`.
#[must_use]
pub fn quantile(p: f64, df: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if df > NORMAL_ABOVE || p == 0.0 || p == 1.0 {
        return normal::quantile(p);
    }
    if p < 0.5 {
        return -upper_point(p, df);
    }
    upper_point(1.0 - p, df)
}

/// The t >= 0 with P(T > t) = tail <= 1/2, by bisection down to neighbouring numbers.
fn upper_point(tail: f64, df: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while survival(high, df) > tail && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if survival(middle, df) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The two-sided critical value of a confidence level: 2.228 for 0.95 and 10 degrees of freedom.
#[must_use]
pub fn critical(level: f64, df: f64) -> f64 {
    quantile(0.5 + 0.5 * level, df)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Source: the usual t table (NIST/SEMATECH e-Handbook 1.3.6.7.2) and closed forms for df 1 and 2.
    #[test]
    fn known_values() {
        let table = [(0.975, 1.0, 12.706), (0.975, 10.0, 2.228), (0.95, 5.0, 2.015), (0.995, 30.0, 2.750)];
        for (p, df, t) in table {
            assert!((quantile(p, df) - t).abs() < 6e-4, "{p} {df}");
        }
        let cauchy = libm::tan(std::f64::consts::PI * 0.475);
        assert!((quantile(0.975, 1.0) / cauchy - 1.0).abs() < 1e-12);
        // df 2: t = (2p - 1) sqrt(2 / (4 p (1 - p)))
        let p: f64 = 0.975;
        let exact = (2.0 * p - 1.0) * (2.0 / (4.0 * p * (1.0 - p))).sqrt();
        assert!((quantile(p, 2.0) / exact - 1.0).abs() < 1e-12);
        assert!((quantile(0.975, 1e6) - 1.959_966_356_75).abs() < 1e-7);
        assert!((cdf(0.0, 3.0) - 0.5).abs() < 1e-15);
        assert!(quantile(0.5, 7.0).abs() < 1e-12);
    }

    #[test]
    fn quantile_inverts() {
        for df in [1.0, 2.5, 7.0, 50.0, 999.0] {
            for p in [1e-6, 0.01, 0.2, 0.49, 0.7, 0.999] {
                assert!((cdf(quantile(p, df), df) / p - 1.0).abs() < 1e-11, "{p} {df}");
            }
        }
        assert!(quantile(0.5, 0.0).is_nan() && survival(1.0, f64::NAN).is_nan());
    }
}
