//! The sequential probability ratio test of two Elo differences, on counts of pairs.

use serde::Serialize;

use super::elo::{C_ET, score_of_elo};
use super::pentanomial::{Pentanomial, SCORES};

/// What the bounds of a test are differences of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// Logistic Elo: of the score.
    Logistic,
    /// Normalised Elo: of the score over its standard deviation, which needs about as many games at any draw rate.
    Normalised,
}

/// Largest size of a bound in normalised Elo: beyond it, the iteration for the likeliest distribution need not have a
/// next step.
pub const MOST_NELO: f64 = 100.0;

/// Largest size of a bound in logistic Elo: a score of 0.9968.
pub const MOST_ELO: f64 = 1_000.0;

/// A test of `elo0` against `elo1`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
    model: EloModel,
}

/// What a test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// The difference is `elo0` rather than `elo1`.
    H0,
    /// The difference is `elo1` rather than `elo0`.
    H1,
    /// More pairs are needed.
    Continue,
}

impl Sprt {
    /// A test that says H1 with probability `alpha` when H0 is true, and H0 with probability `beta` when H1 is.
    ///
    /// # Errors
    /// Unless `elo0` < `elo1`, both within [`MOST_ELO`] or [`MOST_NELO`], and `alpha` and `beta` above 0 with a sum
    /// below 1.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64, model: EloModel) -> Result<Sprt, String> {
        let most = match model {
            EloModel::Logistic => MOST_ELO,
            EloModel::Normalised => MOST_NELO,
        };
        let within = |elo: f64| elo.abs() <= most;
        if !(within(elo0) && within(elo1) && elo0 < elo1) {
            return Err(format!(
                "found the bounds {elo0} and {elo1}, expected two rising ones within {most} Elo"
            ));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(format!(
                "found the errors {alpha} and {beta}, expected two above 0 with a sum below 1"
            ));
        }
        Ok(Sprt { elo0, elo1, alpha, beta, model })
    }

    /// The two Elo differences.
    #[must_use]
    pub const fn elos(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// The log-likelihood ratios at which the test ends: for H0 at or below the first, for H1 at or above the second.
    ///
    /// # Source
    /// A. Wald, Sequential Tests of Statistical Hypotheses (1945), section 3.
    #[must_use]
    pub fn bounds(&self) -> (f64, f64) {
        (libm::log(self.beta / (1.0 - self.alpha)), libm::log((1.0 - self.beta) / self.alpha))
    }

    /// The log-likelihood ratio of `elo1` to `elo0`: each with the likeliest distribution of pairs that has that Elo
    /// difference. Classes without pairs count as [`super::pentanomial::PSEUDO_COUNT`], which keeps it finite when all
    /// games are won, drawn or lost; 0 without pairs.
    ///
    /// # Source
    /// Michel Van den Bergh, Comments on Normalized Elo,
    /// <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>: proposition 1.1 and section 4.1.
    #[must_use]
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.regularised();
        match self.model {
            EloModel::Logistic => {
                let likeliest = |elo| with_mean(&SCORES, &counts, score_of_elo(elo));
                ratio(&counts, &likeliest(self.elo0), &likeliest(self.elo1))
            }
            EloModel::Normalised => {
                // A pair's mean has 1 / sqrt 2 of a game's standard deviation.
                let likeliest = |elo: f64| with_t(&SCORES, &counts, std::f64::consts::SQRT_2 * elo / C_ET);
                ratio(&counts, &likeliest(self.elo0), &likeliest(self.elo1))
            }
        }
    }

    /// What a log-likelihood ratio says.
    #[must_use]
    pub fn verdict(&self, llr: f64) -> SprtVerdict {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            SprtVerdict::H1
        } else if llr <= lower {
            SprtVerdict::H0
        } else {
            SprtVerdict::Continue
        }
    }
}

/// Log-likelihood ratio of `p1` to `p0`.
fn ratio<const N: usize>(counts: &[f64; N], p0: &[f64; N], p1: &[f64; N]) -> f64 {
    (0..N).map(|i| counts[i] * (libm::log(p1[i]) - libm::log(p0[i]))).sum()
}

/// The theta with sum of `counts[i] * steps[i] / (1 + theta * steps[i])` = 0, between the poles next to 0, where the
/// sum falls from infinity to minus infinity; 0 if the steps do not have both signs. By bisection.
fn multiplier<const N: usize>(counts: &[f64; N], steps: &[f64; N]) -> f64 {
    let most = steps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = steps.iter().copied().fold(f64::INFINITY, f64::min);
    if !(least < 0.0 && most > 0.0) {
        return 0.0;
    }
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        let sum: f64 = (0..N).map(|i| counts[i] * steps[i] / (1.0 + middle * steps[i])).sum();
        if sum > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn tilted<const N: usize>(counts: &[f64; N], steps: &[f64; N]) -> [f64; N] {
    let total: f64 = counts.iter().sum();
    let theta = multiplier(counts, steps);
    // The denominator is positive between the poles; rounding must not make it 0.
    std::array::from_fn(|i| counts[i] / total / (1.0 + theta * steps[i]).max(f64::MIN_POSITIVE))
}

/// The likeliest distribution with mean `mean`, given the counts of each score.
fn with_mean<const N: usize>(scores: &[f64; N], counts: &[f64; N], mean: f64) -> [f64; N] {
    tilted(counts, &scores.map(|score| score - mean))
}

/// The likeliest distribution whose mean is `t` standard deviations above 1/2, given the counts of each score.
fn with_t<const N: usize>(scores: &[f64; N], counts: &[f64; N], t: f64) -> [f64; N] {
    let mut p = [1.0 / N as f64; N];
    for _ in 0..500 {
        let mean: f64 = (0..N).map(|i| p[i] * scores[i]).sum();
        let variance: f64 = (0..N).map(|i| p[i] * (scores[i] - mean) * (scores[i] - mean)).sum();
        let sigma = variance.sqrt();
        let steps = scores.map(|score| {
            let z = (score - mean) / sigma;
            score - 0.5 - 0.5 * t * sigma * (1.0 + z * z)
        });
        let next = tilted(counts, &steps);
        let change = (0..N).map(|i| (next[i] - p[i]).abs()).fold(0.0, f64::max);
        p = next;
        if change < 1e-12 {
            break;
        }
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sprt(elo0: f64, elo1: f64, model: EloModel) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05, model).unwrap()
    }

    // Source: fastchess, app/tests/sprt_test.cpp, the pentanomial cases (LL, LD, WL, DD, WD, WW; tolerance there 1 %).
    #[test]
    fn published_ratios_of_pairs() {
        use EloModel::{Logistic, Normalised};
        let table = [
            (Normalised, 0.0, 2.0, [365, 16618, 36029 + 200, 16974, 390], 2.25),
            (Normalised, -1.75, 0.25, [127, 4883, 10311 + 401, 5150, 104], 3.01),
            (Normalised, 0.0, 5.0, [0, 0, 0, 0, 5550], 111.82),
            (Logistic, 0.5, 2.5, [223, 9863, 20279 + 1000, 10037, 246], -3.07),
            (Logistic, 0.0, 2.0, [871, 26175, 55003 + 980, 26678, 821], -4.98),
        ];
        for (model, elo0, elo1, counts, expected) in table {
            let llr = sprt(elo0, elo1, model).llr(&Pentanomial::new(counts));
            assert!(
                (llr / expected - 1.0).abs() < 0.01,
                "{model:?} {elo0} {elo1}: {llr}, expected {expected}"
            );
        }
    }

    // Source: the trinomial cases of the same file (losses, draws, wins here).
    #[test]
    fn published_ratios_of_games() {
        let scores = [0.0, 0.5, 1.0];
        let logistic = [
            ([21184.0, 40708.0, 21404.0], 0.5, 2.5, -1.57),
            ([57030.0, 106_593.0, 57433.0], 0.0, 2.0, -2.59),
        ];
        for (counts, elo0, elo1, expected) in logistic {
            let p = |elo| with_mean(&scores, &counts, score_of_elo(elo));
            let llr = ratio(&counts, &p(elo0), &p(elo1));
            assert!((llr / expected - 1.0).abs() < 0.01, "{llr}, expected {expected}");
        }
        let normalised =
            [([36027.0, 68692.0, 36433.0], 0.0, 2.0, 0.92), ([10650.0, 20431.0, 10871.0], -1.75, 0.25, 2.30)];
        for (counts, elo0, elo1, expected) in normalised {
            let p = |elo| with_t(&scores, &counts, elo / C_ET);
            let llr = ratio(&counts, &p(elo0), &p(elo1));
            assert!((llr / expected - 1.0).abs() < 0.01, "{llr}, expected {expected}");
        }
    }

    #[test]
    fn distributions_meet_their_constraints() {
        let counts = [3.0, 20.0, 40.0, 31.0, 1e-3];
        let p = with_mean(&SCORES, &counts, 0.6);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mean: f64 = p.iter().zip(SCORES).map(|(p, score)| p * score).sum();
        assert!((mean - 0.6).abs() < 1e-9, "{mean}");
        let p = with_t(&SCORES, &counts, 0.2);
        let (mean, variance) = super::super::pentanomial::moments(&p);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(((mean - 0.5) / variance.sqrt() - 0.2).abs() < 1e-8);
    }

    // By hand: with wins alone the likeliest share of them is 1/2 at 0 normalised Elo; at 5, half of one more than
    // t / sqrt(1 + t^2), where t is 5 sqrt 2 / 347.4 (all other pairs lost, which leaves most room for wins).
    #[test]
    fn wins_alone_by_hand() {
        let t = std::f64::consts::SQRT_2 * 5.0 / C_ET;
        let expected = 104.0 * libm::log(1.0 + t / (1.0 + t * t).sqrt());
        let llr = sprt(0.0, 5.0, EloModel::Normalised).llr(&Pentanomial::new([0, 0, 0, 0, 104]));
        assert!((llr - expected).abs() < 1e-3, "{llr} {expected}");
    }

    #[test]
    fn bounds_and_verdicts() {
        let test = sprt(0.0, 5.0, EloModel::Logistic);
        let (lower, upper) = test.bounds();
        assert!((upper - 2.944_438_979).abs() < 1e-8 && (lower + upper).abs() < 1e-12);
        assert_eq!(test.verdict(upper), SprtVerdict::H1);
        assert_eq!(test.verdict(lower), SprtVerdict::H0);
        assert_eq!(test.verdict(0.0), SprtVerdict::Continue);
        assert_eq!(test.llr(&Pentanomial::default()), 0.0);
        for (elo0, elo1, alpha) in [(1.0, 1.0, 0.05), (2.0, 1.0, 0.05), (0.0, 5.0, 0.0), (0.0, 5.0, 0.96)] {
            assert!(Sprt::new(elo0, elo1, alpha, 0.05, EloModel::Normalised).is_err());
        }
        assert!(Sprt::new(f64::NAN, 5.0, 0.05, 0.05, EloModel::Logistic).is_err());
        assert!(Sprt::new(0.0, 101.0, 0.05, 0.05, EloModel::Normalised).is_err());
    }

    #[test]
    fn one_sided_matches_decide_and_more_of_them_decide_more() {
        for model in [EloModel::Logistic, EloModel::Normalised] {
            let test = sprt(0.0, 20.0, model);
            let mut last = 0.0;
            for pairs in [1, 2, 5, 20, 100, 10_000, 1 << 40] {
                let won = test.llr(&Pentanomial::new([0, 0, 0, 0, pairs]));
                assert!(won.is_finite() && won > last, "{model:?}: {won} after {last}");
                last = won;
                let lost = test.llr(&Pentanomial::new([pairs, 0, 0, 0, 0]));
                assert!(lost.is_finite() && lost < 0.0);
            }
            assert_eq!(test.verdict(last), SprtVerdict::H1);
            let lost = test.llr(&Pentanomial::new([10_000, 0, 0, 0, 0]));
            assert_eq!(test.verdict(lost), SprtVerdict::H0, "{model:?} {lost}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn ratios_are_finite_and_change_sign_with_the_point_of_view(
            counts in prop::array::uniform5(prop_oneof![Just(0u64), 0u64..200, 0u64..1_000_000]),
            low in -100.0..99.0f64,
            width in 0.1..50.0f64,
        ) {
            let (pairs, high) = (Pentanomial::new(counts), (low + width).min(100.0));
            for model in [EloModel::Logistic, EloModel::Normalised] {
                let llr = sprt(low, high, model).llr(&pairs);
                let other = sprt(-high, -low, model).llr(&pairs.swapped());
                prop_assert!(llr.is_finite(), "{llr}");
                prop_assert!((llr + other).abs() < 1e-6 * (1.0 + llr.abs()), "{model:?}: {llr} {other}");
            }
        }

        #[test]
        fn a_better_pair_raises_the_ratio(counts in prop::array::uniform5(1u64..200), at in 0usize..4) {
            let mut better = counts;
            better[at] -= 1;
            better[at + 1] += 1;
            let test = sprt(-5.0, 5.0, EloModel::Logistic);
            prop_assert!(test.llr(&Pentanomial::new(better)) > test.llr(&Pentanomial::new(counts)));
        }
    }
}
