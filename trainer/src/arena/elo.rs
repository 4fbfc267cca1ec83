//! Elo, normalised Elo and the likelihood of superiority, from counts of pairs.

use serde::Serialize;

use super::pentanomial::{Pentanomial, moments};
use crate::stats::{Interval, normal, proportion::wilson};

/// Elo points for each unit of a score's log odds, doubled: 800 / ln 10.
pub(super) const C_ET: f64 = 800.0 / std::f64::consts::LN_10;

/// Confidence of all intervals here.
pub const LEVEL: f64 = 0.95;

/// A figure and its 95 % interval; `None` is an end, or a value, that is infinite or that the counts do not determine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Figure {
    /// The estimate.
    pub value: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
}

/// How much stronger the first engine is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Strength {
    /// Mean points per game, 0 to 1.
    pub score: Option<f64>,
    /// Logistic Elo difference.
    pub elo: Figure,
    /// Normalised Elo difference.
    pub nelo: Figure,
    /// Probability that the first engine is the stronger, 0 to 1.
    pub los: Option<f64>,
}

/// The logistic Elo difference of a score; infinite at 0 and 1.
#[must_use]
pub fn elo_of_score(score: f64) -> f64 {
    0.5 * C_ET * (libm::log(score) - libm::log1p(-score))
}

/// The score, 0 to 1, of a logistic Elo difference.
#[must_use]
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-2.0 * elo / C_ET))
}

/// The normalised Elo difference of a score whose pairs have this variance.
///
/// # Source
/// Michel Van den Bergh, Normalized Elo, <https://www.cantate.be/Fishtest/normalized_elo.pdf>: the score above 1/2 over
/// the standard deviation of one game, which is that of a pair's mean times the root of 2.
#[must_use]
pub fn nelo_of_score(score: f64, variance: f64) -> f64 {
    (score - 0.5) / (2.0 * variance).sqrt() * C_ET
}

impl Strength {
    /// From the counts of pairs.
    ///
    /// Intervals are normal ones of the mean pair. Where such an interval leaves 0 to 1 or shrinks to a point, Elo's is
    /// Wilson's for as many all-or-nothing pairs instead, which is wider than need be, and is open on the side of a score
    /// of 0 or 1; normalised Elo, which is no number without variance, is left out in the latter case.
    /// LOS is the normal one; without variance that of the regularised counts ([`Pentanomial::regularised`]).
    #[must_use]
    pub fn of(pairs: &Pentanomial) -> Strength {
        let (Some(score), Some(variance)) = (pairs.score(), pairs.variance()) else {
            return Strength::default();
        };
        let count = pairs.pairs() as f64;
        let z = normal::quantile(0.5 + 0.5 * LEVEL);
        let half = z * (variance / count).sqrt();
        let plain = Interval { low: score - half, high: score + half };
        let sound = variance > 0.0 && plain.low > 0.0 && plain.high < 1.0;
        let interval = if sound {
            plain
        } else {
            wilson(score * count, count, LEVEL).unwrap_or(Interval { low: 0.0, high: 1.0 })
        };
        let finite = |score: f64| Some(elo_of_score(score)).filter(|elo| elo.is_finite());
        // A Wilson interval ends at 0 or 1 exactly, but for rounding, when all points went to one side.
        let inner = |score: f64| if (1e-12..=1.0 - 1e-12).contains(&score) { finite(score) } else { None };
        let elo = Figure { value: finite(score), low: inner(interval.low), high: inner(interval.high) };
        let normalised = |score: f64| (variance > 0.0).then(|| nelo_of_score(score, variance));
        let nelo =
            Figure { value: normalised(score), low: normalised(plain.low), high: normalised(plain.high) };
        let (mean, spread) = if variance > 0.0 { (score, variance) } else { moments(&pairs.regularised()) };
        let los = normal::cdf((mean - 0.5) / (spread / count).sqrt());
        Strength { score: Some(score), elo, nelo, los: Some(los) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pairs in the order in which fastchess's tests list them: LL, LD, WL, DD, WD, WW.
    fn pairs(listed: [u64; 6]) -> Pentanomial {
        let [ll, ld, wl, dd, wd, ww] = listed;
        Pentanomial::new([ll, ld, wl + dd, wd, ww])
    }

    fn half_width(figure: Figure) -> f64 {
        (figure.high.unwrap() - figure.low.unwrap()) / 2.0
    }

    // Source: fastchess, app/tests/elo_test.cpp, "EloPentanomial 1" to "3" (tolerance there 1 %).
    #[test]
    fn published_values() {
        let table = [
            ([34, 54, 31, 32, 64, 75], 57.94, 28.28, 55.58, 27.65, Some(1.0)),
            ([332, 433, 457, 41, 333, 334], -9.17, 10.96, -8.64, 10.33, Some(0.0505)),
            ([7895, 8757, 5485, 200, 568, 9999], -19.01, 2.65, -21.04, 2.95, None),
        ];
        for (listed, nelo, nelo_error, elo, elo_error, los) in table {
            let found = Strength::of(&pairs(listed));
            assert!((found.nelo.value.unwrap() - nelo).abs() < 0.006, "{found:?}");
            assert!((half_width(found.nelo) - nelo_error).abs() < 0.006, "{found:?}");
            assert!((found.elo.value.unwrap() - elo).abs() < 0.006, "{found:?}");
            assert!((half_width(found.elo) - elo_error).abs() < 0.006, "{found:?}");
            assert!(los.is_none_or(|los| (found.los.unwrap() - los).abs() < 6e-5), "{found:?}");
        }
    }

    #[test]
    fn one_sided_and_empty_matches() {
        assert_eq!(Strength::of(&Pentanomial::default()), Strength::default());
        let won = Strength::of(&Pentanomial::new([0, 0, 0, 0, 50]));
        assert_eq!((won.elo.value, won.elo.high, won.nelo.value), (None, None, None));
        // Wilson's lower end for 50 of 50 is n / (n + z^2) = 0.92865.
        assert!((won.elo.low.unwrap() - elo_of_score(50.0 / 53.841_459)).abs() < 1e-3, "{won:?}");
        assert!(won.los.unwrap() > 0.999);
        let lost = Strength::of(&Pentanomial::new([50, 0, 0, 0, 0]));
        assert!((lost.elo.high.unwrap() + won.elo.low.unwrap()).abs() < 1e-6);
        assert!(lost.los.unwrap() < 0.001 && lost.elo.low.is_none());
        let drawn = Strength::of(&Pentanomial::new([0, 0, 50, 0, 0]));
        assert_eq!((drawn.elo.value, drawn.nelo.value), (Some(0.0), None));
        assert!((drawn.los.unwrap() - 0.5).abs() < 1e-9 && half_width(drawn.elo) > 50.0);
    }

    #[test]
    fn elo_and_score_are_inverse() {
        // A score of 3/4 is 400 log10 3.
        assert!((elo_of_score(0.75) - 190.848_501_9).abs() < 1e-6);
        for elo in [-700.0, -3.0, 0.0, 0.5, 250.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9, "{elo}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_other_engine_sees_the_mirror_image(counts in prop::array::uniform5(0u64..60)) {
            let pairs = Pentanomial::new(counts);
            let (one, other) = (Strength::of(&pairs), Strength::of(&pairs.swapped()));
            let mirrored = |a: Option<f64>, b: Option<f64>| match (a, b) {
                (Some(a), Some(b)) => (a + b).abs() < 1e-6 * (1.0 + a.abs()),
                (a, b) => a.is_none() && b.is_none(),
            };
            for (a, b) in [(one.elo, other.elo), (one.nelo, other.nelo)] {
                prop_assert!(mirrored(a.value, b.value) && mirrored(a.low, b.high) && mirrored(a.high, b.low), "{a:?} {b:?}");
            }
            if let (Some(a), Some(b)) = (one.los, other.los) {
                prop_assert!((a + b - 1.0).abs() < 1e-9);
            }
            if let (Some(low), Some(value)) = (one.elo.low, one.elo.value) {
                prop_assert!(low <= value + 1e-9);
            }
        }

        #[test]
        fn a_better_pair_never_lowers_the_estimate(counts in prop::array::uniform5(0u64..60), at in 0usize..4) {
            let mut counts = counts;
            counts[at] += 1;
            let mut better = counts;
            better[at] -= 1;
            better[at + 1] += 1;
            let value = |counts| {
                let strength = Strength::of(&Pentanomial::new(counts));
                strength.elo.value.unwrap_or_else(|| elo_of_score(strength.score.unwrap()))
            };
            prop_assert!(value(better) > value(counts));
        }
    }
}
