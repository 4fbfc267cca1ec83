//! Tables of counts (readings by result, readings by end reason): are the rows alike?

use super::{StatsError, chi_square, error::check_count, stream::stream};
use rand::RngExt;
use rayon::prelude::*;

/// Most games in a table, so that a permutation fits in memory.
const MOST_GAMES: u64 = 50_000_000;

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub enum PMethod {
    /// The chi-square distribution; expected counts are large enough.
    ChiSquare,
    /// A seeded permutation of the games between the rows, because expected counts are too small.
    Permutation {
        /// Random permutations drawn.
        draws: u32,
    },
}

/// Pearson's test that the rows of a table come from one distribution.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct TableTest {
    /// Pearson's statistic.
    pub chi_square: f64,
    /// Degrees of freedom, empty rows and columns left out.
    pub df: usize,
    /// p-value.
    pub p: f64,
    /// How `p` was found.
    pub method: PMethod,
    /// Smallest expected count.
    pub min_expected: f64,
    /// Cramer's V, 0 (alike) to 1.
    pub cramers_v: f64,
    /// Games in the table.
    pub count: u64,
}

/// Tests whether the rows of `table` (counts; equal lengths) have the same distribution over the columns.
///
/// Empty rows and columns are left out. The chi-square distribution is used if every expected count is at least 1 and four
/// fifths of them at least 5; else the p-value is (1 + hits) / (1 + `draws`) over random permutations drawn from `seed`.
///
/// # Errors
/// Rows of unequal length, or fewer than two rows or columns with a count (nothing to compare), or more than 50 million games.
///
/// # Source
/// Rule of expected counts: Cochran, Biometrics 10 (1954) 417-451. V: Cramer, Mathematical Methods of Statistics, 1946, p. 282.
pub fn homogeneity(table: &[Vec<u64>], draws: u32, seed: u64) -> Result<TableTest, StatsError> {
    let width = table.first().map_or(0, Vec::len);
    if let Some(bad) = table.iter().find(|r| r.len() != width) {
        return Err(StatsError::LengthMismatch { what: "table rows", left: width, right: bad.len() });
    }
    let used: Vec<usize> = (0..width).filter(|&c| table.iter().any(|r| r[c] > 0)).collect();
    let rows: Vec<Vec<u64>> = table
        .iter()
        .map(|r| used.iter().map(|&c| r[c]).collect::<Vec<u64>>())
        .filter(|r: &Vec<u64>| r.iter().any(|&v| v > 0))
        .collect();
    check_count("table rows with games", rows.len(), 2)?;
    if used.len() < 2 {
        return Err(StatsError::NoVariation { what: "table test" });
    }
    let total = rows.iter().flatten().fold(0u64, |sum, &v| sum.saturating_add(v));
    if total > MOST_GAMES {
        return Err(StatsError::OutOfRange {
            what: "games in a table",
            found: total as f64,
            expected: "at most 50 million",
        });
    }
    let row_sums: Vec<u64> = rows.iter().map(|r| r.iter().sum()).collect();
    let column_sums: Vec<u64> = (0..used.len()).map(|c| rows.iter().map(|r| r[c]).sum()).collect();
    let count: u64 = row_sums.iter().sum();
    let n = count as f64;
    let expected: Vec<f64> =
        row_sums.iter().flat_map(|&r| column_sums.iter().map(move |&c| r as f64 * c as f64 / n)).collect();
    let observed: Vec<u64> = rows.concat();
    let statistic = pearson(&observed, &expected);
    let df = (rows.len() - 1) * (used.len() - 1);
    let min_expected = expected.iter().copied().fold(f64::INFINITY, f64::min);
    let large = expected.iter().filter(|&&e| e >= 5.0).count();
    let (p, method) = if min_expected >= 1.0 && large * 5 >= expected.len() * 4 {
        (chi_square::survival(statistic, df as f64), PMethod::ChiSquare)
    } else {
        let p = permutation_p(&row_sums, &column_sums, &expected, statistic, draws, seed);
        (p, PMethod::Permutation { draws })
    };
    let smaller = (rows.len() - 1).min(used.len() - 1) as f64;
    let cramers_v = (statistic / (n * smaller)).sqrt().min(1.0);
    Ok(TableTest { chi_square: statistic, df, p, method, min_expected, cramers_v, count })
}

fn pearson(observed: &[u64], expected: &[f64]) -> f64 {
    observed.iter().zip(expected).map(|(&o, &e)| (o as f64 - e) * (o as f64 - e) / e).sum()
}

fn permutation_p(
    row_sums: &[u64],
    column_sums: &[u64],
    expected: &[f64],
    statistic: f64,
    draws: u32,
    seed: u64,
) -> f64 {
    let labels: Vec<usize> = column_sums
        .iter()
        .enumerate()
        .flat_map(|(c, &k)| std::iter::repeat_n(c, usize::try_from(k).unwrap_or(0)))
        .collect();
    // Equal tables can differ in the last digit of the sum.
    let bar = statistic * (1.0 - 1e-9);
    let hits: u32 = (0..draws)
        .into_par_iter()
        .map(|draw| {
            let mut rng = stream(seed, u64::from(draw));
            let mut shuffled = labels.clone();
            for i in (1..shuffled.len()).rev() {
                shuffled.swap(i, rng.random_range(0..=i));
            }
            let mut counts = vec![0u64; expected.len()];
            let mut games = shuffled.iter();
            for (row, &size) in row_sums.iter().enumerate() {
                for &c in games.by_ref().take(usize::try_from(size).unwrap_or(0)) {
                    counts[row * column_sums.len() + c] += 1;
                }
            }
            u32::from(pearson(&counts, expected) >= bar)
        })
        .sum();
    (1.0 + f64::from(hits)) / (1.0 + f64::from(draws))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Source: Agresti, Categorical Data Analysis, table 3.2 (education by religious beliefs): X^2 = 69.2, df = 4.
    #[test]
    fn pearson_published() {
        let table = vec![vec![178, 138, 108], vec![570, 648, 442], vec![138, 252, 252]];
        let t = homogeneity(&table, 999, 1).unwrap();
        assert!((t.chi_square - 69.2).abs() < 0.05, "{t:?}");
        assert_eq!((t.df, t.method), (4, PMethod::ChiSquare));
        assert!(t.p < 1e-12);
    }

    // Source: Fisher's tea tasting, 3 1 / 1 3 (Fisher, The Design of Experiments): exact two-sided p = 34/70 = 0.4857.
    #[test]
    fn small_counts_are_permuted() {
        let t = homogeneity(&[vec![3, 1, 0], vec![1, 3, 0]], 9999, 7).unwrap();
        assert_eq!(t.method, PMethod::Permutation { draws: 9999 });
        assert!((t.p - 0.4857).abs() < 0.02, "{}", t.p);
        assert!((t.cramers_v - 0.5).abs() < 1e-12);
        assert_eq!(t, homogeneity(&[vec![3, 1, 0], vec![1, 3, 0]], 9999, 7).unwrap());
    }

    #[test]
    fn bad_input_is_an_error() {
        assert!(homogeneity(&[], 9, 1).is_err());
        assert!(homogeneity(&[vec![1, 2], vec![1]], 9, 1).is_err());
        assert!(homogeneity(&[vec![1, 0], vec![4, 0]], 9, 1).is_err());
        assert!(homogeneity(&[vec![0, 0], vec![4, 3]], 9, 1).is_err());
    }
}
