//! Sparse feature rows of the evaluation weights.

use super::TuneError;
use std::collections::HashMap;

/// Positions as sparse rows (compressed sparse row form): the evaluation of row i, in centipawns from White's view, is the
/// sum of coefficient x weight over its entries.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SparseRows {
    /// Row i holds entries `offsets[i]..offsets[i + 1]`; empty without rows.
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
    y: Vec<f64>,
    /// Dense game number per row, by first appearance.
    game: Vec<usize>,
    game_numbers: HashMap<u64, usize>,
    max_index: Option<u32>,
}

impl SparseRows {
    /// No rows.
    #[must_use]
    pub fn new() -> Self {
        SparseRows::default()
    }

    /// Adds a position: (weight index, coefficient) entries, White's result of its game (0 to 1), the game's number.
    ///
    /// # Errors
    /// A coefficient that is not finite, or a result outside 0..=1; then nothing is added.
    pub fn push(&mut self, entries: &[(u32, f32)], y: f64, game: u64) -> Result<(), TuneError> {
        let index = self.len();
        if let Some(&(_, bad)) = entries.iter().find(|(_, v)| !v.is_finite()) {
            let found = f64::from(bad);
            return Err(TuneError::BadNumber {
                what: "coefficient",
                index,
                found,
                expected: "a finite number",
            });
        }
        if !(0.0..=1.0).contains(&y) {
            return Err(TuneError::BadNumber { what: "result", index, found: y, expected: "0 to 1" });
        }
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        for &(i, v) in entries {
            self.indices.push(i);
            self.values.push(v);
            self.max_index = self.max_index.max(Some(i));
        }
        self.offsets.push(self.indices.len());
        self.y.push(y);
        let next = self.game_numbers.len();
        self.game.push(*self.game_numbers.entry(game).or_insert(next));
        Ok(())
    }

    /// Number of positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.y.len()
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.y.is_empty()
    }

    /// Number of games.
    #[must_use]
    pub fn games(&self) -> usize {
        self.game_numbers.len()
    }

    /// Largest weight index used.
    #[must_use]
    pub fn max_index(&self) -> Option<u32> {
        self.max_index
    }

    /// White's result of row `i`.
    pub(super) fn result(&self, i: usize) -> f64 {
        self.y[i]
    }

    /// Dense game number of row `i`.
    pub(super) fn game(&self, i: usize) -> usize {
        self.game[i]
    }

    /// Entries of row `i` as (weight index, coefficient).
    pub(super) fn entries(&self, i: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.offsets[i]..self.offsets[i + 1];
        self.indices[range.clone()].iter().zip(&self.values[range]).map(|(&i, &v)| (i as usize, f64::from(v)))
    }

    /// Evaluation of row `i`, in the unit of `weights`.
    pub(super) fn dot(&self, i: usize, weights: &[f64]) -> f64 {
        self.entries(i).map(|(j, v)| v * weights[j]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_errors() {
        let mut rows = SparseRows::new();
        rows.push(&[(3, 2.0), (0, -1.0)], 1.0, 77).unwrap();
        rows.push(&[], 0.5, 77).unwrap();
        rows.push(&[(1, 0.5)], 0.0, 5).unwrap();
        assert!(rows.push(&[(1, f32::NAN)], 0.0, 5).is_err() && rows.push(&[], 2.0, 5).is_err());
        assert_eq!((rows.len(), rows.games(), rows.max_index()), (3, 2, Some(3)));
        assert!((rows.dot(0, &[1.0, 0.0, 0.0, 10.0]) - 19.0).abs() < 1e-12);
        assert_eq!((rows.game(1), rows.game(2)), (0, 1));
    }
}
