//! No input makes a statistic panic, and whatever comes out keeps its bounds.

use super::{
    bootstrap, chi_square, contingency, estimate, holm, kendall, mean, normal, proportion, quantile, ratio,
    student, wdl::Wdl,
};
use proptest::prelude::*;

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        -3.0..3.0,
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(0.0),
        Just(1.0),
        Just(1e300),
        (-3i8..4).prop_map(f64::from)
    ]
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(any_number(), 0..9)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn distributions(x in any_number(), p in any_number(), df in any_number()) {
        for v in [normal::cdf(x), student::survival(x, df), chi_square::survival(x, df)] {
            prop_assert!(v.is_nan() || (0.0..=1.0).contains(&v), "{v}");
        }
        let _ = (normal::quantile(p), student::quantile(p, df), student::critical(p, df));
    }

    #[test]
    fn samples(a in numbers(), b in numbers(), level in any_number(), margin in any_number(), alpha in any_number()) {
        let _ = mean::mean(&a, level);
        if let Ok(t) = mean::welch(&a, &b, level) {
            let _ = estimate::equivalence(&t.difference, margin, alpha);
        }
        let _ = ratio::ratio_of_sums(&a, &b, level);
        let _ = (quantile::quantile(&a, level), quantile::basic_interval(margin, &a, level));
        if let Ok(t) = kendall::tau_b(&a, &b) {
            prop_assert!((-1.0..=1.0).contains(&t));
        }
        let _ = kendall::TauDistribution::new(&a, level);
        prop_assert_eq!(holm::adjust(&a).len(), a.len());
        prop_assert_eq!(bootstrap::game_bootstrap(a.len(), 2, 1, <[u32]>::len), vec![a.len(); 2]);
        let short = &a[..a.len().min(5)];
        let _ = kendall::exact_p(short, &b[..b.len().min(5)]);
    }

    #[test]
    fn counts(w in any::<u64>(), d in 0u64..9, l in 0u64..9, level in any_number(), table in prop::collection::vec(prop::collection::vec(prop_oneof![0u64..6, Just(u64::MAX)], 0..4), 0..4)) {
        for wdl in [Wdl { wins: w, draws: d, losses: l }, Wdl { wins: d, draws: l, losses: w % 5 }] {
            if let Ok(s) = wdl.summary(level) {
                for share in [s.wins, s.draws, s.losses, s.score] {
                    let i = share.interval;
                    prop_assert!(0.0 <= i.low && i.low <= i.high && i.high <= 1.0, "{i:?}");
                }
            }
            let _ = wdl.score_estimate(level);
        }
        let _ = proportion::two_proportions((d, l), (l, w), level);
        if let Ok(t) = contingency::homogeneity(&table, 19, 1) {
            prop_assert!(t.p > 0.0 && t.p <= 1.0 && (0.0..=1.0).contains(&t.cramers_v));
        }
    }
}
