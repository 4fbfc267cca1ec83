use super::{Evaluator, Feature, Features};
use crate::types::Score;

/// Sees every term as it is counted. [`NoTrace`] compiles to nothing.
pub trait Trace {
    /// `count` (signed for White) of a feature.
    fn add(&mut self, feature: impl FnOnce() -> Feature, count: i32);
}

/// Watches nothing: for search.
pub struct NoTrace;

impl Trace for NoTrace {
    #[inline]
    fn add(&mut self, _: impl FnOnce() -> Feature, _: i32) {}
}

/// The coefficients of one position: how often each feature counts, White minus Black.
#[derive(Clone, Debug)]
pub struct Coefficients {
    features: Features,
    counts: Vec<i32>,
    /// Share of the middle game, 0 to [`Evaluator::PHASE_MAX`].
    pub phase: i32,
}

impl Coefficients {
    /// All zero.
    #[must_use]
    pub fn new(features: &Features) -> Coefficients {
        Coefficients { counts: vec![0; features.len()], features: features.clone(), phase: 0 }
    }

    /// The features that count, with their counts for White.
    pub fn nonzero(&self) -> impl Iterator<Item = (usize, i32)> + '_ {
        self.counts.iter().copied().enumerate().filter(|(_, count)| *count != 0)
    }

    /// The score for White in centipawns that `weights` give these coefficients: equal to the evaluation.
    #[must_use]
    pub fn dot(&self, evaluator: &Evaluator) -> Score {
        let mut sum = [0; 2];
        for (index, count) in self.nonzero() {
            let weights = evaluator.weights()[index];
            sum[0] += count * weights[0];
            sum[1] += count * weights[1];
        }
        evaluator.taper(sum, self.phase)
    }
}

impl Trace for Coefficients {
    fn add(&mut self, feature: impl FnOnce() -> Feature, count: i32) {
        self.counts[self.features.index(feature())] += count;
    }
}
