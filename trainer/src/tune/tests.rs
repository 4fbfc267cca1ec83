//! Tests of the two models on synthetic games.

use super::{
    TuneError,
    design::Design,
    order::{PawnScale, adjacent_pairs, pawn_scale, rank_agreement},
    sparse::SparseRows,
    synthetic::{KINDS, THETA, games, sparse},
    uncertainty::Replicates,
    values::{self, Undetermined, fit},
    weights_fit::{self, fit_weights},
};
use ndarray::{Array1, Array2};

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn table(rows: &[(&[f64], f64, u64)], names: &[&str]) -> Design {
    let width = names.len();
    let x = rows.iter().flat_map(|r| r.0.iter().copied()).collect();
    Design::new(
        Array2::from_shape_vec((rows.len(), width), x).unwrap(),
        rows.iter().map(|r| r.1).collect::<Array1<f64>>(),
        rows.iter().map(|r| r.2).collect(),
        names.iter().map(|s| (*s).to_string()).collect(),
    )
    .unwrap()
}

#[test]
fn bootstrap_agrees_with_the_sandwich_and_ignores_threads() {
    let f = fit(&games(600, 4), &values::Options::default()).unwrap();
    let one = in_pool(1, || Replicates::draw(&f, 300, 11));
    let two = in_pool(2, || Replicates::draw(&f, 300, 11));
    assert_eq!(one, two);
    assert_eq!((one.len(), one.unconverged), (300, 0));
    for kind in KINDS {
        let draws = one.theta(&f, kind).unwrap();
        let sd = crate::stats::mean::mean_variance(&draws).unwrap().1.sqrt();
        let se = f.column(kind).unwrap().coefficient.unwrap().clustered.standard_error;
        assert!((sd / se - 1.0).abs() < 0.15, "{kind}: bootstrap {sd}, sandwich {se}");
    }
}

#[test]
fn order_of_known_values() {
    let f = fit(&games(2000, 7), &values::Options::default()).unwrap();
    let draws = Replicates::draw(&f, 200, 3);
    let pairs = adjacent_pairs(&f, &draws, &KINDS);
    assert_eq!(pairs.len(), 3);
    for p in &pairs {
        assert!(p.probability.unwrap() > 0.95 && p.p.unwrap() < 0.05, "{p:?}");
    }
    let PawnScale::Scaled(scaled) = pawn_scale(&f, &draws, &KINDS, "pawn") else { panic!() };
    for (s, theta) in scaled.iter().zip(THETA) {
        assert!(s.interval.contains(100.0 * theta / THETA[3]), "{s:?}");
    }
    assert!((scaled[3].value - 100.0).abs() < 1e-9);
    let ranks = [("aanca", 4.0), ("rook", 3.0), ("lion", 2.0), ("pawn", 1.0), ("giraffe", 2.5)];
    let agreement = rank_agreement(&f, &draws, &ranks).unwrap();
    assert!((agreement.tau - 1.0).abs() < 1e-12 && agreement.left_out == ["giraffe"]);
    assert!((agreement.exact_p.unwrap() - 1.0 / 24.0).abs() < 1e-12);
    assert!(agreement.distribution.unwrap().mean > 0.95);
    assert!(adjacent_pairs(&f, &draws, &["aanca", "giraffe"])[0].probability.is_none());
}

#[test]
fn weak_pawn_leaves_the_scale_undetermined() {
    let f = fit(&games(60, 2), &values::Options::default()).unwrap();
    let draws = Replicates::draw(&f, 50, 3);
    let pawn = f.column("pawn").unwrap().coefficient.unwrap().clustered.interval;
    let scale = pawn_scale(&f, &draws, &KINDS, "pawn");
    assert_eq!(matches!(scale, PawnScale::Undetermined { .. }), pawn.low <= 0.0);
    let none = pawn_scale(&f, &draws, &KINDS, "no such kind");
    assert_eq!(none.to_string(), "pawn scale undetermined");
}

#[test]
fn columns_without_information_are_marked() {
    // "still" never varies; "twin" always equals "rook"; "queen" wins every game it is in; "lion" is ordinary.
    let mut rows: Vec<([f64; 5], f64, u64)> = Vec::new();
    for g in 0..40u64 {
        let lion = if g % 2 == 0 { 1.0 } else { -1.0 };
        let rook = if g % 3 == 0 { 1.0 } else { -1.0 };
        let y = f64::from(u8::from(g % 4 < 2)) * 0.5 + f64::from(u8::from(g % 5 < 2)) * 0.5;
        rows.push(([2.0, rook, rook, 0.0, lion], y, g));
    }
    rows.push(([2.0, 1.0, 1.0, 1.0, 1.0], 1.0, 40));
    rows.push(([2.0, -1.0, -1.0, -1.0, 1.0], 0.0, 41));
    let view: Vec<(&[f64], f64, u64)> = rows.iter().map(|(x, y, g)| (&x[..], *y, *g)).collect();
    let d = table(&view, &["still", "rook", "twin", "queen", "lion"]);
    let f = fit(&d, &values::Options::default()).unwrap();
    let status = |n: &str| f.column(n).unwrap().coefficient.err();
    assert_eq!(status("still"), Some(Undetermined::NoVariation));
    assert_eq!(status("rook"), Some(Undetermined::Collinear));
    assert_eq!(status("twin"), Some(Undetermined::Collinear));
    assert_eq!(status("queen"), Some(Undetermined::Separable));
    assert_eq!(status("lion"), None);
    assert_eq!(f.excluded_rows, 2);
    assert_eq!(f.column("queen").unwrap().imbalance_games, 2);
    assert!(Replicates::draw(&f, 20, 1).theta(&f, "queen").is_none());
    // A ridge bounds the separable column.
    let solver = super::logistic::Solver { ridge: 0.1, ..Default::default() };
    let f = fit(&d, &values::Options { solver, level: 0.95 }).unwrap();
    assert!(f.column("queen").unwrap().coefficient.is_ok());
}

#[test]
fn degenerate_designs_do_not_panic() {
    let options = values::Options::default();
    let d = table(&[(&[1.0], 1.0, 0), (&[0.0], 0.0, 0)], &["a"]);
    assert_eq!(fit(&d, &options).unwrap_err(), TuneError::TooFewGames { found: 1 });
    let d = table(&[(&[1.0], 1.0, 0), (&[0.0], 1.0, 1)], &["a"]);
    assert_eq!(fit(&d, &options).unwrap_err(), TuneError::ConstantResult { result: 1.0 });
    let d = table(&[(&[1.0], 1.0, 0), (&[-1.0], 0.0, 1)], &["a"]);
    let f = fit(&d, &options).unwrap();
    assert_eq!(f.column("a").unwrap().coefficient, Err(Undetermined::Separable));
    assert!(Replicates::draw(&f, 5, 1).len() == 5);
    let d = table(&[(&[], 1.0, 0), (&[], 0.0, 1)], &[]);
    assert!(fit(&d, &options).unwrap().columns.len() == 1);
    assert!(fit(&d, &values::Options { level: 2.0, ..options }).is_err());
}

const TRUTH: [f64; 8] = [400.0, 300.0, 250.0, 200.0, 150.0, 100.0, 50.0, -40.0];

#[test]
fn weights_are_recovered() {
    let rows = sparse(20_000, 2, &TRUTH, 0.4, 1);
    // K comes from the start weights, so only the product of K and weight is known.
    let start: Vec<f64> = TRUTH.iter().map(|w| w * 0.7 + 40.0).collect();
    let mut spread = vec![60.0; TRUTH.len()];
    let mut seen = 0;
    let f =
        fit_weights(&rows, &start, &spread, &weights_fit::Options::default(), &mut |_| seen += 1).unwrap();
    assert!(!f.k_at_bound && f.epochs == seen && f.best_epoch > 0);
    for (w, t) in f.weights.iter().zip(TRUTH) {
        assert!((f.k * w / 100.0 - 0.4 * t / 100.0).abs() < 0.06, "{} {t}: {:?}", w * f.k / 0.4, f.weights);
    }
    assert!(f.validation_loss_after < f.validation_loss_before && f.train_loss_after < f.train_loss_before);
    assert_eq!((f.training, f.validation), ((16_000, 32_000), (4000, 8000)));
    assert_eq!(f.weights.len(), TRUTH.len());
    // A weight without spread stays.
    spread[2] = 0.0;
    let options = weights_fit::Options { max_epochs: 3, ..Default::default() };
    let f = fit_weights(&rows, &start, &spread, &options, &mut |_| ()).unwrap();
    assert!(f.weights[2].to_bits() == start[2].to_bits() && f.weights[1] != start[1]);
}

#[test]
fn noise_stops_early() {
    // 60 weights, 80 games: nothing to learn but noise, since the start is the truth.
    let truth: Vec<f64> = (0..60).map(|j| f64::from(j) * 3.0).collect();
    let rows = sparse(80, 20, &truth, 0.3, 5);
    let options = weights_fit::Options { prior: 0.0, learning_rate: 0.1, ..Default::default() };
    let f = fit_weights(&rows, &truth, &[100.0; 60], &options, &mut |_| ()).unwrap();
    assert!(f.epochs < 60, "{} epochs", f.epochs);
    assert!(f.validation_loss_after <= f.validation_loss_before);
}

#[test]
fn few_games_keep_weights_near_their_start() {
    // Forty games say next to nothing: the prior, not the noise, must decide.
    let truth: Vec<f64> = (0..60).map(|j| f64::from(j) * 3.0).collect();
    let rows = sparse(40, 60, &truth, 0.3, 7);
    let options = weights_fit::Options { patience: 1_000, max_epochs: 100, ..Default::default() };
    let furthest = |prior: f64| {
        let options = weights_fit::Options { prior, ..options };
        let f = fit_weights(&rows, &truth, &[10.0; 60], &options, &mut |_| ()).unwrap();
        f.weights.iter().zip(&truth).map(|(w, t)| (w - t).abs() / 10.0).fold(0.0, f64::max)
    };
    let (with, without) = (furthest(1.0), furthest(0.0));
    assert!(with <= without && with < 2.0, "{with} {without}");
}

#[test]
fn weights_do_not_depend_on_threads() {
    let rows = sparse(500, 20, &TRUTH, 0.4, 9);
    let options = weights_fit::Options { max_epochs: 5, ..Default::default() };
    let run = |threads| {
        in_pool(threads, || fit_weights(&rows, &[100.0; 8], &[50.0; 8], &options, &mut |_| ()).unwrap())
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn degenerate_rows_are_errors() {
    let o = weights_fit::Options::default();
    let go = |rows: &SparseRows, start: &[f64], spread: &[f64], o: &weights_fit::Options| {
        fit_weights(rows, start, spread, o, &mut |_| ())
    };
    let mut rows = SparseRows::new();
    assert_eq!(go(&rows, &[1.0], &[9.0], &o), Err(TuneError::NoPositions));
    rows.push(&[(0, 1.0)], 1.0, 0).unwrap();
    assert_eq!(go(&rows, &[1.0], &[9.0], &o), Err(TuneError::TooFewGames { found: 1 }));
    rows.push(&[(1, 1.0)], 0.0, 1).unwrap();
    assert!(go(&rows, &[1.0], &[9.0], &o).is_err());
    assert!(go(&rows, &[1.0, 2.0], &[9.0], &o).is_err());
    assert!(go(&rows, &[1.0, f64::NAN], &[9.0; 2], &o).is_err());
    assert!(go(&rows, &[1.0, 2.0], &[9.0; 2], &weights_fit::Options { decay: 0.0, ..o }).is_err());
    let f = go(&rows, &[1.0, 2.0], &[9.0; 2], &weights_fit::Options { batch: 0, ..o }).unwrap();
    assert!(f.weights.iter().all(|w| w.is_finite()));
}

mod any_input {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn values_never_panic(
            cells in prop::collection::vec((prop::array::uniform3(-2i8..3), 0u8..3, 0u64..4), 0..24),
            scale in prop_oneof![Just(1.0), Just(1e-200), Just(1e200), Just(f64::NAN), Just(1e9)],
        ) {
            let mut cells = cells;
            cells.sort_by_key(|c| c.2);
            let x: Vec<f64> = cells.iter().flat_map(|c| c.0.map(|v| f64::from(v) * scale)).collect();
            let y: Array1<f64> = cells.iter().map(|c| f64::from(c.1) / 2.0).collect();
            let game = cells.iter().map(|c| c.2).collect();
            let names = ["a", "b", "c"].map(str::to_string).to_vec();
            let x = Array2::from_shape_vec((cells.len(), 3), x).unwrap();
            if let Ok(d) = Design::new(x, y, game, names)
                && let Ok(f) = fit(&d, &values::Options::default())
            {
                let draws = Replicates::draw(&f, 5, 1);
                let _ = pawn_scale(&f, &draws, &["a", "b"], "c");
                let _ = adjacent_pairs(&f, &draws, &["a", "b", "c"]);
                let _ = rank_agreement(&f, &draws, &[("a", 1.0), ("b", 2.0), ("c", f64::NAN)]);
            }
        }

        #[test]
        fn weights_never_panic(
            cells in prop::collection::vec((0u32..4, any::<f32>(), 0u8..3, 0u64..4), 0..20),
            start in prop::collection::vec(prop_oneof![any::<f64>(), -100.0..100.0], 0..5),
            rate in prop_oneof![Just(1.0), any::<f64>()],
        ) {
            let mut rows = SparseRows::new();
            for (j, v, y, g) in cells {
                let _ = rows.push(&[(j, v)], f64::from(y) / 2.0, g);
            }
            let o = weights_fit::Options { learning_rate: rate, max_epochs: 4, ..Default::default() };
            let _ = fit_weights(&rows, &start, &vec![rate; start.len()], &o, &mut |_| ());
        }
    }
}
