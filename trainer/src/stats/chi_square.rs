//! The chi-square distribution.

use super::special::gamma_q;

/// P(X > x) with `df` > 0 degrees of freedom; NaN for a bad argument.
#[must_use]
pub fn survival(x: f64, df: f64) -> f64 {
    if x.is_nan() || df.is_nan() || df <= 0.0 || df == f64::INFINITY {
        return f64::NAN;
    }
    gamma_q(0.5 * df, 0.5 * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Source: chi-square table (NIST/SEMATECH e-Handbook 1.3.6.7.4) and the closed form exp(-x/2) for df 2.
    #[test]
    fn known_values() {
        for (x, df, p) in [(3.841, 1.0, 0.05), (5.991, 2.0, 0.05), (18.307, 10.0, 0.05), (23.209, 10.0, 0.01)]
        {
            assert!((survival(x, df) - p).abs() < 2e-5, "{x} {df} {}", survival(x, df));
        }
        for x in [0.1, 1.0, 5.0, 40.0] {
            assert!((survival(x, 2.0) / libm::exp(-0.5 * x) - 1.0).abs() < 1e-13);
        }
        assert!((survival(0.0, 3.0) - 1.0).abs() < 1e-15);
        assert!(survival(1.0, 0.0).is_nan());
    }
}
