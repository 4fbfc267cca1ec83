//! Counts of colour-swapped pairs: the two games of a pair share an opening, so pairs are independent and games are not.

use serde::Serialize;

/// What stands for a class without pairs in likelihoods, in pairs.
///
/// # Source
/// The value that Stockfish's fishtest (`LLRcalc.regularize`) and fastchess (`sprt.cpp`) use.
pub const PSEUDO_COUNT: f64 = 1e-3;

/// Pairs by the first engine's points in both games: 0, 1/2, 1 (two draws, or a win and a loss), 3/2 and 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Pentanomial {
    /// The five counts, from two losses to two wins.
    pub counts: [u64; 5],
}

/// A game's share of the points in each class, 0 to 1.
pub const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

impl Pentanomial {
    /// From the counts of LL, LD, DD and WL together, WD and WW.
    #[must_use]
    pub const fn new(counts: [u64; 5]) -> Pentanomial {
        Pentanomial { counts }
    }

    /// Counts a pair by the first engine's half points, 0 to 4; more count as 4.
    pub fn add(&mut self, half_points: usize) {
        self.counts[half_points.min(4)] += 1;
    }

    /// All pairs.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.counts.iter().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Mean points of the first engine per game, 0 to 1; `None` without pairs.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        (self.pairs() > 0).then(|| moments(&self.counts.map(|count| count as f64)).0)
    }

    /// Variance of a pair's points per game, 0 to 1/4, with the number of pairs as divisor; `None` without pairs.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        (self.pairs() > 0).then(|| moments(&self.counts.map(|count| count as f64)).1)
    }

    /// The counts, with [`PSEUDO_COUNT`] for each that is 0.
    #[must_use]
    pub fn regularised(&self) -> [f64; 5] {
        self.counts.map(|count| if count == 0 { PSEUDO_COUNT } else { count as f64 })
    }

    /// The same match from the other engine's view.
    #[must_use]
    pub fn swapped(&self) -> Pentanomial {
        let [a, b, c, d, e] = self.counts;
        Pentanomial::new([e, d, c, b, a])
    }
}

/// Mean and variance of the classes' scores under these weights.
pub(super) fn moments(weights: &[f64; 5]) -> (f64, f64) {
    let total: f64 = weights.iter().sum();
    let mean = SCORES.iter().zip(weights).map(|(score, weight)| score * weight).sum::<f64>() / total;
    let square = SCORES
        .iter()
        .zip(weights)
        .map(|(score, weight)| (score - mean) * (score - mean) * weight)
        .sum::<f64>();
    (mean, square / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_small_counts() {
        assert_eq!(Pentanomial::default().score(), None);
        let mut pairs = Pentanomial::default();
        for half_points in [4, 4, 2, 0] {
            pairs.add(half_points);
        }
        assert_eq!(pairs.counts, [1, 0, 1, 0, 2]);
        assert_eq!(pairs.score(), Some(0.625));
        // Deviations -5/8, -1/8, 3/8 and 3/8.
        assert!((pairs.variance().unwrap() - (25.0 + 1.0 + 9.0 + 9.0) / 64.0 / 4.0).abs() < 1e-15);
        assert_eq!(pairs.swapped().score(), Some(0.375));
        assert_eq!(pairs.swapped().variance(), pairs.variance());
    }
}
