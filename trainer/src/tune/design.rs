//! The design matrix of the measured values, and its compressed form.

use super::TuneError;
use ndarray::{Array1, Array2};
use std::collections::HashMap;

/// Positions, one a row, with their features and results. The intercept is not a column: the model adds it.
#[derive(Debug, Clone)]
pub struct Design {
    x: Array2<f64>,
    y: Array1<f64>,
    game: Vec<u64>,
    columns: Vec<String>,
}

impl Design {
    /// Checks and takes the data.
    ///
    /// `x`: rows = positions, columns = features from White's view (side to move +1 White / -1 Black; own minus enemy count of
    /// a kind). `y`: result of the row's game for White, 0, 1/2 or 1 (any value from 0 to 1). `game`: a number per row; rows of one
    /// game are contiguous. `columns`: a name per column.
    ///
    /// # Errors
    /// No rows, lengths that disagree, numbers that are not finite or results outside 0..=1, or a game in two places.
    pub fn new(
        x: Array2<f64>,
        y: Array1<f64>,
        game: Vec<u64>,
        columns: Vec<String>,
    ) -> Result<Self, TuneError> {
        let rows = x.nrows();
        if rows == 0 {
            return Err(TuneError::NoPositions);
        }
        for (what, found, expected) in [
            ("results", y.len(), rows),
            ("game numbers", game.len(), rows),
            ("column names", columns.len(), x.ncols()),
        ] {
            if found != expected {
                return Err(TuneError::Length { what, found, expected });
            }
        }
        for ((index, _), &found) in x.indexed_iter() {
            if !found.is_finite() {
                return Err(TuneError::BadNumber {
                    what: "feature",
                    index,
                    found,
                    expected: "a finite number",
                });
            }
        }
        for (index, &found) in y.iter().enumerate() {
            if !(0.0..=1.0).contains(&found) {
                return Err(TuneError::BadNumber { what: "result", index, found, expected: "0 to 1" });
            }
        }
        let mut seen = std::collections::HashSet::new();
        for (row, &g) in game.iter().enumerate() {
            if (row == 0 || game[row - 1] != g) && !seen.insert(g) {
                return Err(TuneError::GameNotContiguous { row, game: g });
            }
        }
        Ok(Design { x, y, game, columns })
    }

    /// Number of positions.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.x.nrows()
    }

    /// Column names, the intercept not among them.
    #[must_use]
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Merges rows that are equal: a table of distinct (features, result) and, per game, how often each occurs.
    pub(super) fn compress(&self) -> Patterns {
        let width = self.x.ncols() + 1;
        let mut index: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut features: Vec<f64> = Vec::new();
        let mut results: Vec<f64> = Vec::new();
        let mut games: Vec<Vec<(usize, f64)>> = Vec::new();
        for row in 0..self.rows() {
            // Adding 0 turns -0 into 0, so that equal rows have equal bits.
            let mut key: Vec<u64> = self.x.row(row).iter().map(|v| (v + 0.0).to_bits()).collect();
            key.push((self.y[row] + 0.0).to_bits());
            let pattern = *index.entry(key).or_insert_with(|| {
                features.push(1.0);
                features.extend(self.x.row(row));
                results.push(self.y[row]);
                results.len() - 1
            });
            if row == 0 || self.game[row] != self.game[row - 1] {
                games.push(Vec::new());
            }
            if let Some(current) = games.last_mut() {
                match current.iter_mut().find(|(p, _)| *p == pattern) {
                    Some((_, count)) => *count += 1.0,
                    None => current.push((pattern, 1.0)),
                }
            }
        }
        Patterns { width, features, results, games }
    }
}

/// Distinct rows (with the intercept as column 0) and the games they occur in.
#[derive(Debug, Clone)]
pub(super) struct Patterns {
    /// Columns, the intercept included.
    pub width: usize,
    /// Row-major features, `results.len()` rows of `width`.
    pub features: Vec<f64>,
    /// Result per pattern, 0 to 1.
    pub results: Vec<f64>,
    /// Per game: (pattern, positions).
    pub games: Vec<Vec<(usize, f64)>>,
}

impl Patterns {
    /// Features of pattern `i`.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.features[i * self.width..(i + 1) * self.width]
    }

    /// Positions per pattern when game g counts `weight(g)` times, summed in game order.
    pub fn weights(&self, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut out = vec![0.0; self.results.len()];
        for (g, entries) in self.games.iter().enumerate() {
            let w = weight(g);
            if w != 0.0 {
                for &(pattern, count) in entries {
                    out[pattern] += w * count;
                }
            }
        }
        out
    }

    /// Positions per pattern, each game once.
    pub fn unit_weights(&self) -> Vec<f64> {
        self.weights(|_| 1.0)
    }

    /// (positions, games) in which column `c` is not 0.
    pub fn imbalance(&self, c: usize) -> (usize, usize) {
        let (mut rows, mut games) = (0.0, 0);
        for entries in &self.games {
            let here: f64 = entries.iter().filter(|(p, _)| self.row(*p)[c] != 0.0).map(|(_, n)| n).sum();
            rows += here;
            games += usize::from(here > 0.0);
        }
        (whole(rows), games)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a sum of whole position counts")]
pub(super) fn whole(count: f64) -> usize {
    count as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn equal_rows_are_merged() {
        let names = vec!["side".to_string(), "rook".to_string()];
        let x = array![[1.0, 0.0], [1.0, -0.0], [-1.0, 1.0], [1.0, 0.0], [-1.0, 1.0]];
        let d = Design::new(x, array![1.0, 1.0, 1.0, 0.0, 0.0], vec![5, 5, 5, 2, 2], names).unwrap();
        let p = d.compress();
        assert_eq!(p.results.len(), 4);
        assert_eq!(p.games, vec![vec![(0, 2.0), (1, 1.0)], vec![(2, 1.0), (3, 1.0)]]);
        assert_eq!(p.imbalance(2), (2, 2));
        assert_eq!(p.weights(|g| g as f64), vec![0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn bad_input_is_an_error() {
        let n = || vec!["a".to_string()];
        assert_eq!(
            Design::new(Array2::zeros((0, 1)), array![], vec![], n()).unwrap_err(),
            TuneError::NoPositions
        );
        assert!(Design::new(array![[1.0]], array![1.5], vec![0], n()).is_err());
        assert!(Design::new(array![[f64::NAN]], array![1.0], vec![0], n()).is_err());
        assert!(Design::new(array![[1.0]], array![1.0], vec![0, 1], n()).is_err());
        let x = array![[1.0], [2.0], [3.0]];
        let e = Design::new(x, array![1.0, 1.0, 0.0], vec![0, 1, 0], n()).unwrap_err();
        assert_eq!(e, TuneError::GameNotContiguous { row: 2, game: 0 });
    }
}
