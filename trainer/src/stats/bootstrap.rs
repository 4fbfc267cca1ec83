//! The game bootstrap: whole games are drawn with replacement, since positions of one game are not independent.

use super::stream::stream;
use rand::RngExt;
use rayon::prelude::*;

/// Multinomial weights of replicate `replicate`: how often each of `games` games is drawn in `games` draws with
/// replacement. Depends on (`games`, `seed`, `replicate`) alone; empty for no games.
#[must_use]
pub fn multinomial_weights(games: usize, seed: u64, replicate: u64) -> Vec<u32> {
    let mut weights = vec![0u32; games];
    let mut rng = stream(seed, replicate);
    for _ in 0..games {
        weights[rng.random_range(0..games)] += 1;
    }
    weights
}

/// Applies `statistic` to the game weights of each replicate, in parallel; results are in replicate order and the same
/// for any number of threads, as long as `statistic` depends on its arguments alone.
///
/// # Source
/// Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 6; clusters as units: Davison and Hinkley, Bootstrap
/// Methods and their Application, 1997, section 3.8.
pub fn game_bootstrap<T, F>(games: usize, replicates: u32, seed: u64, statistic: F) -> Vec<T>
where
    T: Send,
    F: Fn(&[u32]) -> T + Sync,
{
    (0..replicates)
        .into_par_iter()
        .map(|r| statistic(&multinomial_weights(games, seed, u64::from(r))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::mean::mean_variance;

    #[test]
    fn weights_sum_to_games_and_repeat() {
        for r in 0..20 {
            let w = multinomial_weights(50, 9, r);
            assert_eq!(w.iter().sum::<u32>(), 50);
            assert_eq!(w, multinomial_weights(50, 9, r));
        }
        assert_ne!(multinomial_weights(50, 9, 0), multinomial_weights(50, 9, 1));
        assert_ne!(multinomial_weights(50, 9, 0), multinomial_weights(50, 8, 0));
        assert!(multinomial_weights(0, 1, 1).is_empty());
    }

    #[test]
    fn bootstrap_error_of_a_mean() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 101)).collect();
        let means = game_bootstrap(values.len(), 4000, 3, |w| {
            w.iter().zip(&values).map(|(&w, v)| f64::from(w) * v).sum::<f64>() / 100.0
        });
        let se = mean_variance(&means).unwrap().1.sqrt();
        let theory = (mean_variance(&values).unwrap().1 * 99.0 / 100.0 / 100.0).sqrt();
        assert!((se / theory - 1.0).abs() < 0.05, "{se} {theory}");
    }

    #[test]
    fn threads_change_nothing() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| game_bootstrap(30, 64, 5, <[u32]>::to_vec))
        };
        assert_eq!(run(1), run(2));
    }
}
