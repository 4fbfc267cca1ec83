use super::{LEVEL, Metrics};
use crate::report::table::{Align, Table, number, p_value, with_interval};
use crate::stats::contingency::{PMethod, TableTest, homogeneity};
use crate::stats::estimate::Interval;
use crate::stats::{holm, mean, proportion};

/// Tests of a pair of samples.
const TESTS: usize = 9;

/// Permutations behind a table test whose expected counts are too small for chi-square. The smallest p-value they can
/// give, one over their number, must survive Holm's correction over all tests of the report.
fn permutations(samples: usize) -> u32 {
    let tests = samples * samples.saturating_sub(1) / 2 * TESTS;
    u32::try_from(200 * tests).unwrap_or(u32::MAX).clamp(10_000, 100_000)
}

/// One test of a difference between two samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// The two samples.
    pub samples: (String, String),
    /// What is compared.
    pub metric: &'static str,
    /// First minus second with its interval; `None` for tables of counts.
    pub difference: Option<(f64, Interval)>,
    /// The test.
    pub test: &'static str,
    /// Name of the effect size.
    pub effect_name: &'static str,
    /// The effect size, if it is defined.
    pub effect: Option<f64>,
    /// p-value; NaN if the test could not be made.
    pub p: f64,
    /// p-value after Holm's correction over all contrasts of the report.
    pub p_holm: f64,
    /// Games behind it.
    pub games: u64,
    /// Decimals that make sense in a table.
    pub decimals: usize,
}

/// Tests every pair of samples on every figure, and corrects all of the p-values together.
#[must_use]
pub fn contrasts(all: &[Metrics], seed: u64) -> Vec<Contrast> {
    let mut found = Vec::new();
    for (i, a) in all.iter().enumerate() {
        for b in &all[i + 1..] {
            found.extend(pair(a, b, permutations(all.len()), seed));
        }
    }
    let p: Vec<f64> = found.iter().map(|contrast| contrast.p).collect();
    for (contrast, adjusted) in found.iter_mut().zip(holm::adjust(&p)) {
        contrast.p_holm = adjusted;
    }
    found
}

fn pair(a: &Metrics, b: &Metrics, permutations: u32, seed: u64) -> Vec<Contrast> {
    let new = |metric, test, effect_name, decimals| Contrast {
        samples: (a.name.clone(), b.name.clone()),
        metric,
        difference: None,
        test,
        effect_name,
        effect: None,
        p: f64::NAN,
        p_holm: f64::NAN,
        games: a.games + b.games,
        decimals,
    };
    let finished = a.wdl.games() + b.wdl.games();
    let mut found = Vec::new();

    let points: [Vec<f64>; 2] = [points(a), points(b)];
    let contrast = Contrast { games: finished, ..new("White's score", "Welch t", "Hedges g", 3) };
    found.push(welch(contrast, &points[0], &points[1]));

    let results = |m: &Metrics| vec![m.wdl.wins, m.wdl.draws, m.wdl.losses];
    let table = homogeneity(&[results(a), results(b)], permutations, seed).ok();
    found
        .push(Contrast { games: finished, ..table_test(new("win, draw, loss", "", "Cramer's V", 3), table) });

    type Share = fn(&Metrics) -> (u64, u64);
    let shares: [(&str, Share); 2] = [
        ("share of draws", |m| (m.wdl.draws, m.wdl.games())),
        ("share unfinished", |m| (m.unfinished, m.games)),
    ];
    for (metric, share) in shares {
        let mut contrast = new(metric, "z, two proportions", "Cohen h", 3);
        contrast.games = share(a).1 + share(b).1;
        let part = share(a).0 + share(b).0;
        // All or none in both: nothing to test, and no reason to make the other tests stricter.
        if part > 0
            && part < contrast.games
            && let Ok(test) = proportion::two_proportions(share(a), share(b), LEVEL)
        {
            contrast.difference = Some((test.difference, test.interval));
            contrast.p = test.p;
            contrast.effect = Some(test.cohen_h).filter(|h| h.is_finite());
        }
        found.push(contrast);
    }
    let table = homogeneity(&[a.ends.to_vec(), b.ends.to_vec()], permutations, seed).ok();
    found.push(table_test(new("end reasons", "", "Cramer's V", 3), table));

    type Values = fn(&Metrics) -> &Vec<f64>;
    let means: [(&str, Values, usize); 3] = [
        ("length, plies", |m| &m.lengths, 1),
        ("captures a game", |m| &m.captures, 2),
        ("promotions a game", |m| &m.promotions, 3),
    ];
    for (metric, values, decimals) in means {
        found.push(welch(new(metric, "Welch t", "Hedges g", decimals), values(a), values(b)));
    }
    let mut contrast = new("legal moves a position", "Welch t, ratios clustered by game", "ratio", 2);
    if let (Some(x), Some(y)) = (a.branching, b.branching)
        && let Ok(difference) = x.minus(&y, LEVEL)
    {
        contrast.difference = Some((difference.value, difference.interval));
        contrast.p = difference.two_sided_p(0.0);
        contrast.effect = (y.value > 0.0).then(|| x.value / y.value);
    }
    found.push(contrast);
    found
}

/// White's points, one entry a finished game; their order does not matter.
fn points(metrics: &Metrics) -> Vec<f64> {
    let wdl = metrics.wdl;
    let of = |points: f64, games: u64| std::iter::repeat_n(points, usize::try_from(games).unwrap_or(0));
    of(1.0, wdl.wins).chain(of(0.5, wdl.draws)).chain(of(0.0, wdl.losses)).collect()
}

fn welch(mut contrast: Contrast, a: &[f64], b: &[f64]) -> Contrast {
    if let Ok(test) = mean::welch(a, b, LEVEL) {
        contrast.difference = Some((test.difference.value, test.difference.interval));
        contrast.p = test.p;
        contrast.effect = Some(test.hedges_g).filter(|g| g.is_finite());
    }
    contrast
}

fn table_test(contrast: Contrast, table: Option<TableTest>) -> Contrast {
    match table {
        None => Contrast { test: "none: one column of counts", ..contrast },
        Some(test) => Contrast {
            test: match test.method {
                PMethod::ChiSquare => "chi-square",
                _ => "chi-square, permuted",
            },
            p: test.p,
            effect: Some(test.cramers_v).filter(|v| v.is_finite()),
            ..contrast
        },
    }
}

/// How to read the contrasts, in a sentence or two.
#[must_use]
pub fn contrasts_note(found: &[Contrast]) -> String {
    let made = found.iter().filter(|contrast| !contrast.p.is_nan()).count();
    format!(
        "{made} tests, all two-sided and of one family: p (Holm) is corrected over all of them. The games of two samples are \
         independent of each other. Effect sizes: Hedges g for means, Cohen h for shares, Cramer's V for tables of \
         counts, first over second for legal moves. `-`: nothing varies, so there is nothing to test."
    )
}

/// A row a contrast.
#[must_use]
pub fn contrasts_table(found: &[Contrast]) -> Table {
    let mut table = Table::new(&[
        ("samples", Align::Left),
        ("figure", Align::Left),
        ("difference", Align::Right),
        ("test", Align::Left),
        ("p", Align::Right),
        ("p (Holm)", Align::Right),
        ("effect", Align::Right),
        ("games", Align::Right),
    ]);
    for contrast in found {
        let none = || "-".to_owned();
        let p = |p: f64| if p.is_nan() { none() } else { p_value(p) };
        table.row(&[
            format!("{} - {}", contrast.samples.0, contrast.samples.1),
            contrast.metric.to_owned(),
            contrast
                .difference
                .map_or_else(none, |(v, interval)| with_interval(v, interval, contrast.decimals)),
            contrast.test.to_owned(),
            p(contrast.p),
            p(contrast.p_holm),
            contrast.effect.map_or_else(none, |e| format!("{} {}", contrast.effect_name, number(e, 2))),
            contrast.games.to_string(),
        ]);
    }
    table
}
