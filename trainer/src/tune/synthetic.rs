//! Synthetic games with known values, for the tests of this folder.

use super::{
    design::Design,
    sparse::SparseRows,
    values::{Options, fit},
};
use crate::stats::stream::stream;
use ndarray::{Array1, Array2};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

pub(super) const KINDS: [&str; 4] = ["aanca", "rook", "lion", "pawn"];
pub(super) const THETA: [f64; 4] = [1.2, 0.9, 0.5, 0.25];
pub(super) const FIRST_MOVE: f64 = 0.1;

/// A result in {0, 1/2, 1} with mean sigmoid(log_odds).
pub(super) fn result(rng: &mut ChaCha8Rng, log_odds: f64) -> f64 {
    let p = super::loss::sigmoid(log_odds);
    let draw = p.min(1.0 - p) * 0.6;
    let u: f64 = rng.random();
    if u < p - 0.5 * draw {
        1.0
    } else if u < p + 0.5 * draw {
        0.5
    } else {
        0.0
    }
}

/// Material differences of one game: each kind -1, 0 or +1, pawns -2 to 2.
fn imbalance(rng: &mut ChaCha8Rng) -> [f64; 4] {
    let mut d = [0.0; 4];
    for (k, slot) in d.iter_mut().enumerate() {
        let reach = if k == 3 { 2 } else { 1 };
        *slot = f64::from(rng.random_range(-reach..=reach));
    }
    d
}

/// `games` games whose result is drawn once from their imbalance and shared by 10 to 60 positions, all with it.
pub(super) fn games(games: u64, seed: u64) -> Design {
    let mut rng = stream(seed, 0);
    let (mut x, mut y, mut game) = (vec![], vec![], vec![]);
    for g in 0..games {
        let d = imbalance(&mut rng);
        let odds = d.iter().zip(THETA).map(|(d, t)| d * t).sum::<f64>() + FIRST_MOVE;
        let r = result(&mut rng, odds);
        for t in 0..rng.random_range(10..=60) {
            x.push(if t % 2 == 0 { 1.0 } else { -1.0 });
            x.extend(d);
            y.push(r);
            game.push(g);
        }
    }
    let columns = std::iter::once("side to move").chain(KINDS).map(str::to_string).collect();
    Design::new(Array2::from_shape_vec((y.len(), 5), x).unwrap(), Array1::from(y), game, columns).unwrap()
}

/// Sparse rows of `games` games of `positions` positions each, with weights `truth` (centipawns) and K.
pub(super) fn sparse(games: u64, positions: usize, truth: &[f64], k: f64, seed: u64) -> SparseRows {
    let mut rng = stream(seed, 1);
    let mut rows = SparseRows::new();
    for g in 0..games {
        let entries: Vec<(u32, f32)> = (0..u32::try_from(truth.len()).unwrap())
            .filter_map(|j| {
                let v: i8 = rng.random_range(-1..=1);
                (v != 0).then(|| (j, f32::from(v)))
            })
            .collect();
        let eval: f64 = entries.iter().map(|&(j, v)| f64::from(v) * truth[j as usize]).sum();
        let r = result(&mut rng, k * eval / 100.0);
        for _ in 0..positions {
            rows.push(&entries, r, g).unwrap();
        }
    }
    rows
}

#[test]
fn values_are_recovered_within_their_intervals() {
    let mut inside = 0;
    for seed in 1..=10 {
        let f = fit(&games(1500, seed), &Options::default()).unwrap();
        for (kind, theta) in KINDS.iter().zip(THETA) {
            let c = f.column(kind).unwrap().coefficient.unwrap();
            assert!((c.theta() - theta).abs() < 4.0 * c.clustered.standard_error, "{kind} {c:?}");
            inside += usize::from(c.clustered.interval.contains(theta));
        }
        assert!(f.log_loss < f.log_loss_null && f.condition_number < 10.0);
        assert_eq!((f.games, f.clusters, f.excluded_rows), (1500, 1500, 0));
    }
    println!("inside: {inside} of 40");
    assert!(inside >= 34, "{inside} of 40");
}

#[test]
fn clustered_intervals_cover_and_naive_ones_do_not() {
    let (mut clustered, mut naive, mut total) = (0, 0, 0);
    for seed in 0..200 {
        let f = fit(&games(200, 1000 + seed), &Options::default()).unwrap();
        for (kind, theta) in KINDS.iter().zip(THETA) {
            let c = f.column(kind).unwrap().coefficient.unwrap();
            clustered += usize::from(c.clustered.interval.contains(theta));
            naive += usize::from(c.naive_interval.contains(theta));
            total += 1;
        }
    }
    let share = |n| f64::from(u32::try_from(n).unwrap()) / f64::from(total);
    println!("coverage: clustered {:.3}, naive {:.3}", share(clustered), share(naive));
    assert!((0.90..=0.99).contains(&share(clustered)), "{}", share(clustered));
    assert!(share(naive) < 0.75, "{}", share(naive));
}
