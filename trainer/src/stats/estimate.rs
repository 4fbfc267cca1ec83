//! An estimate with its standard error and interval, and differences of two.

use super::{StatsError, error::check_level, student};

/// A closed interval, low <= high.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies in the interval, ends included.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// A value with standard error, degrees of freedom and a symmetric t interval.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Estimate {
    /// The estimate, in the unit of the data.
    pub value: f64,
    /// Its standard error, same unit.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error; infinite means normal theory.
    pub df: f64,
    /// Independent units behind it (games, not positions).
    pub count: usize,
    /// `value` +- t times `standard_error` at the level asked for.
    pub interval: Interval,
}

impl Estimate {
    /// Builds an estimate with its t interval at `level` (0.95 for 95 %).
    ///
    /// # Errors
    /// A level outside 0..1, or degrees of freedom that are not positive.
    pub fn new(
        value: f64,
        standard_error: f64,
        df: f64,
        count: usize,
        level: f64,
    ) -> Result<Self, StatsError> {
        check_level(level)?;
        if df.is_nan() || df <= 0.0 {
            return Err(StatsError::OutOfRange { what: "degrees of freedom", found: df, expected: "> 0" });
        }
        let reach = student::critical(level, df) * standard_error;
        let interval = Interval { low: value - reach, high: value + reach };
        Ok(Estimate { value, standard_error, df, count, interval })
    }

    /// The difference `self - other` of two independent estimates.
    ///
    /// # Errors
    /// A bad level; no variation in either.
    ///
    /// # Source
    /// Degrees of freedom: Satterthwaite, Biometrics Bulletin 2 (1946) 110-114.
    pub fn minus(&self, other: &Estimate, level: f64) -> Result<Estimate, StatsError> {
        let (a, b) = (self.standard_error * self.standard_error, other.standard_error * other.standard_error);
        let variance = a + b;
        if variance.is_nan() || variance <= 0.0 {
            return Err(StatsError::NoVariation { what: "difference" });
        }
        let spread = a * a / self.df + b * b / other.df;
        // Rounding must not leave less than the smaller of the two.
        let df = if spread > 0.0 {
            (variance * variance / spread).max(self.df.min(other.df))
        } else {
            f64::INFINITY
        };
        Estimate::new(self.value - other.value, variance.sqrt(), df, self.count + other.count, level)
    }

    /// Two-sided p-value of the hypothesis that the true value is `null`.
    #[must_use]
    pub fn two_sided_p(&self, null: f64) -> f64 {
        let gap = self.value - null;
        if self.standard_error > 0.0 {
            student::two_sided_p(gap / self.standard_error, self.df)
        } else if gap == 0.0 {
            1.0
        } else {
            0.0
        }
    }
}

/// Result of two one-sided tests that a difference lies within a margin.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Equivalence {
    /// The larger of the two one-sided p-values; below alpha means equivalent within the margin.
    pub p: f64,
    /// The margin, in the unit of the data.
    pub margin: f64,
    /// The 1 - 2 alpha interval that the decision amounts to (90 % for alpha 0.05).
    pub interval: Interval,
    /// Whether `p < alpha`, so the whole interval lies inside +- margin.
    pub equivalent: bool,
}

/// Tests that a difference lies within +- `margin` (TOST), at one-sided error rate `alpha`.
///
/// # Errors
/// A margin that is not positive and finite, or `alpha` outside 0..0.5.
///
/// # Source
/// Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680.
pub fn equivalence(difference: &Estimate, margin: f64, alpha: f64) -> Result<Equivalence, StatsError> {
    if !margin.is_finite() || margin <= 0.0 {
        return Err(StatsError::OutOfRange { what: "margin", found: margin, expected: "> 0 and finite" });
    }
    if !(alpha > 0.0 && alpha < 0.5) {
        return Err(StatsError::OutOfRange { what: "alpha", found: alpha, expected: "0 < alpha < 0.5" });
    }
    let se = difference.standard_error;
    let tail = |distance: f64| {
        if se > 0.0 {
            student::survival(distance / se, difference.df)
        } else if distance > 0.0 {
            0.0
        } else {
            1.0
        }
    };
    let p = tail(difference.value + margin).max(tail(margin - difference.value));
    let inner =
        Estimate::new(difference.value, se, difference.df, difference.count, 1.0 - 2.0 * alpha)?.interval;
    Ok(Equivalence { p, margin, interval: inner, equivalent: p < alpha })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalence_agrees_with_the_interval() {
        for value in [-0.08, -0.02, 0.0, 0.03, 0.06, 0.2] {
            let d = Estimate::new(value, 0.02, 40.0, 42, 0.95).unwrap();
            let e = equivalence(&d, 0.08, 0.05).unwrap();
            let inside = e.interval.low > -0.08 && e.interval.high < 0.08;
            assert_eq!(e.equivalent, inside, "{value}");
        }
        let d = Estimate::new(0.0, 0.02, 40.0, 42, 0.95).unwrap();
        assert!(equivalence(&d, 0.0, 0.05).is_err() && equivalence(&d, 0.1, 0.5).is_err());
    }

    #[test]
    fn difference_of_equal_parts() {
        let a = Estimate::new(1.0, 0.3, 10.0, 11, 0.95).unwrap();
        let d = a.minus(&a, 0.95).unwrap();
        assert!((d.df - 20.0).abs() < 1e-9 && d.value.abs() < 1e-15);
        assert!((d.two_sided_p(0.0) - 1.0).abs() < 1e-12);
        assert!(Estimate::new(0.0, 1.0, 5.0, 1, 1.0).is_err());
    }
}
