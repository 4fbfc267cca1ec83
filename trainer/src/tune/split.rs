//! Splitting games into training and validation.

use crate::stats::stream::stream;
use rand::RngExt;

/// Marks the games that validate: about `fraction` of `games`, at least one and at most all but one, drawn from `seed`.
/// Empty below two games. Whole games go to one side, because positions of one game share its result.
#[must_use]
pub fn validation_games(games: usize, fraction: f64, seed: u64) -> Vec<bool> {
    if games < 2 {
        return Vec::new();
    }
    let wanted = if fraction.is_finite() { (fraction * games as f64).round() } else { 1.0 };
    let wanted = super::design::whole(wanted.max(1.0)).min(games - 1);
    let mut order: Vec<usize> = (0..games).collect();
    shuffle(&mut order, seed, 0);
    let mut marks = vec![false; games];
    for &g in &order[..wanted] {
        marks[g] = true;
    }
    marks
}

/// Shuffles `items` (Fisher and Yates) with stream `number` of `seed`.
pub(super) fn shuffle<T>(items: &mut [T], seed: u64, number: u64) {
    let mut rng = stream(seed, number);
    for i in (1..items.len()).rev() {
        items.swap(i, rng.random_range(0..=i));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_sizes() {
        let count = |n, f| validation_games(n, f, 1).iter().filter(|&&v| v).count();
        assert_eq!((count(100, 0.2), count(2, 0.0), count(2, 1.0), count(5, f64::NAN)), (20, 1, 1, 1));
        assert!(validation_games(1, 0.2, 1).is_empty());
        assert_eq!(validation_games(50, 0.2, 3), validation_games(50, 0.2, 3));
    }
}
