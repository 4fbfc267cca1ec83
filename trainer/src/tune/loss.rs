//! The logistic function and its cross-entropy, without overflow.

/// 1 / (1 + exp(-x)).
#[must_use]
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + libm::exp(-x))
    } else {
        let e = libm::exp(x);
        e / (1.0 + e)
    }
}

/// Cross-entropy, in nats, of the result `y` (0 to 1) under the log-odds `x`: log(1 + exp x) - y x.
#[must_use]
pub fn cross_entropy(x: f64, y: f64) -> f64 {
    x.max(0.0) - y * x + libm::log1p(libm::exp(-x.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        assert!((sigmoid(0.0) - 0.5).abs() < 1e-16);
        assert!((sigmoid(2.0) - 0.880_797_077_977_882_4).abs() < 1e-15);
        assert!((sigmoid(-2.0) + sigmoid(2.0) - 1.0).abs() < 1e-15);
        assert!((cross_entropy(0.0, 0.3) - std::f64::consts::LN_2).abs() < 1e-15);
        assert!((cross_entropy(2.0, 1.0) + libm::log(sigmoid(2.0))).abs() < 1e-15);
        assert!(
            cross_entropy(800.0, 1.0).abs() < 1e-300 && (cross_entropy(-800.0, 1.0) - 800.0).abs() < 1e-9
        );
    }
}
