//! The standard normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Density at `x`.
#[must_use]
pub fn pdf(x: f64) -> f64 {
    libm::exp(-0.5 * x * x) / (2.0 * PI).sqrt()
}

/// P(Z <= x), full relative accuracy in the lower tail.
#[must_use]
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// P(Z > x), full relative accuracy in the upper tail.
#[must_use]
pub fn survival(x: f64) -> f64 {
    cdf(-x)
}

/// The x with P(Z <= x) = p; minus or plus infinity at 0 and 1, NaN outside 0..=1. Accurate to a few units in the last place.
///
/// # Source
/// Start value: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.2.23; then Halley steps on the error function.
#[must_use]
pub fn quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p == 1.0 {
        return f64::INFINITY;
    }
    let centred = p - 0.5;
    if centred.abs() < 0.2 {
        // Near the median solve erf(x / sqrt 2) / 2 = p - 1/2, which keeps the digits of a small x.
        let mut x = centred * (2.0 * PI).sqrt();
        for _ in 0..8 {
            x -= halley(x, (0.5 * libm::erf(x * FRAC_1_SQRT_2) - centred) / pdf(x));
        }
        return x;
    }
    let tail = if p < 0.5 { p } else { 1.0 - p };
    let t = (-2.0 * libm::log(tail)).sqrt();
    let numerator = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let denominator = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    // `x` is the lower-tail point, negative.
    let mut x = numerator / denominator - t;
    for _ in 0..4 {
        let density = pdf(x);
        if density <= 0.0 {
            break;
        }
        x -= halley(x, (cdf(x) - tail) / density);
    }
    if p < 0.5 { x } else { -x }
}

/// Halley's correction for a Newton step `u` at `x`: the normal density has f'/f = -x.
fn halley(x: f64, u: f64) -> f64 {
    u / (1.0 + 0.5 * x * u)
}

/// The two-sided critical value of a confidence level: 1.96 for 0.95.
#[must_use]
pub fn critical(level: f64) -> f64 {
    quantile(0.5 + 0.5 * level)
}

/// Two-sided p-value of a standard normal statistic.
#[must_use]
pub fn two_sided_p(z: f64) -> f64 {
    libm::erfc(z.abs() * FRAC_1_SQRT_2).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Quantiles with 15+ digits: NIST/SEMATECH and R's qnorm.
    #[test]
    fn quantiles_have_full_accuracy() {
        let known = [
            (0.975, 1.959_963_984_540_054),
            (0.95, 1.644_853_626_951_472_7),
            (0.995, 2.575_829_303_548_900_4),
            (0.75, 0.674_489_750_196_081_7),
            (0.6, 0.253_347_103_135_799_7),
            (1e-10, -6.361_340_902_404_056),
            (0.5, 0.0),
        ];
        for (p, x) in known {
            assert!((quantile(p) - x).abs() <= 4e-15 * (1.0 + x.abs()), "{p}: {} {x}", quantile(p));
        }
    }

    #[test]
    fn quantile_inverts_cdf() {
        for i in 1..2000 {
            let p = f64::from(i) / 2000.0;
            assert!((cdf(quantile(p)) - p).abs() < 1e-15);
        }
        for e in 1..300 {
            let p = libm::exp10(-f64::from(e));
            assert!((cdf(quantile(p)) / p - 1.0).abs() < 1e-11, "{p}");
        }
        assert!(quantile(-0.1).is_nan() && quantile(f64::NAN).is_nan());
    }

    #[test]
    fn cdf_known() {
        assert!((cdf(1.0) - 0.841_344_746_068_542_9).abs() < 1e-15);
        assert!((survival(6.0) / 9.865_876_450_376_98e-10 - 1.0).abs() < 1e-12);
        assert!((two_sided_p(1.959_963_984_540_054) - 0.05).abs() < 1e-15);
    }
}
