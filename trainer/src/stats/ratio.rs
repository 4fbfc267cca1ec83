//! A ratio of sums over games, such as legal moves per position.

use super::{
    Estimate, StatsError,
    error::{check_count, check_finite},
};

/// sum(numerator) / sum(denominator), one entry per game in each, with an interval clustered by game: the positions of
/// one game resemble each other, so the game is the unit. Linearised (Taylor) variance, t with games - 1 degrees of freedom.
///
/// # Errors
/// Unequal lengths, fewer than two games, an entry that is not finite, a denominator sum that is not positive, or a bad level.
///
/// # Source
/// Cochran, Sampling Techniques, 3rd ed. 1977, chapter 6 (ratio estimators), without the finite-population factor.
pub fn ratio_of_sums(numerator: &[f64], denominator: &[f64], level: f64) -> Result<Estimate, StatsError> {
    if numerator.len() != denominator.len() {
        return Err(StatsError::LengthMismatch {
            what: "ratio of sums",
            left: numerator.len(),
            right: denominator.len(),
        });
    }
    check_count("ratio of sums", numerator.len(), 2)?;
    check_finite("ratio of sums", numerator)?;
    check_finite("ratio of sums", denominator)?;
    let bottom: f64 = denominator.iter().sum();
    if bottom <= 0.0 {
        return Err(StatsError::OutOfRange { what: "sum of denominators", found: bottom, expected: "> 0" });
    }
    let ratio = numerator.iter().sum::<f64>() / bottom;
    let squares: f64 = numerator
        .iter()
        .zip(denominator)
        .map(|(n, d)| {
            let residual = n - ratio * d;
            residual * residual
        })
        .sum();
    let games = numerator.len() as f64;
    let se = (squares * games / (games - 1.0)).sqrt() / bottom;
    Estimate::new(ratio, se, games - 1.0, numerator.len(), level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::mean::mean;

    #[test]
    fn equal_denominators_give_the_mean() {
        let values = [3.0, 5.0, 4.0, 9.0, 1.0];
        let r = ratio_of_sums(&values, &[1.0; 5], 0.95).unwrap();
        let m = mean(&values, 0.95).unwrap();
        assert!((r.value - m.value).abs() < 1e-14);
        assert!((r.standard_error - m.standard_error).abs() < 1e-14);
    }

    #[test]
    fn proportional_games_leave_no_error() {
        let r = ratio_of_sums(&[20.0, 40.0, 60.0], &[1.0, 2.0, 3.0], 0.95).unwrap();
        assert!((r.value - 20.0).abs() < 1e-12 && r.standard_error < 1e-12);
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(ratio_of_sums(&[1.0], &[1.0, 2.0], 0.95).is_err());
        assert!(ratio_of_sums(&[1.0, 1.0], &[0.0, 0.0], 0.95).is_err());
        assert!(ratio_of_sums(&[1.0], &[1.0], 0.95).is_err());
        assert!(ratio_of_sums(&[1.0, f64::INFINITY], &[1.0, 1.0], 0.95).is_err());
    }
}
