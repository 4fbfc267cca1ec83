use super::report::kinds;
use super::run::Findings;
use crate::report::plots::{
    ForestCell, ForestSeries, ForestValue, LengthSeries, ResultBar, TauSeries, forest, lengths, results, tau,
};

/// Names of the plots.
pub(super) const PLOTS: [&str; 5] =
    ["values-theta.svg", "values-pawns.svg", "lengths.svg", "results.svg", "tau.svg"];

/// The plots, by file name; one that has nothing to show is left out.
pub(super) fn plots(found: &Findings) -> Vec<(&'static str, String)> {
    let names = kinds(found);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let series = |scaled: bool| -> Vec<ForestSeries> {
        let both = found.samples.iter().zip(&found.measured);
        both.map(|(sample, measured)| {
            let value = |kind: &str| -> Option<ForestValue> {
                let measured = measured.as_ref()?;
                if scaled {
                    let value = measured.scaled(kind)?;
                    return Some(ForestValue { value: value.value, interval: value.interval });
                }
                let theta = measured.theta(kind)?.ok()?;
                Some(ForestValue { value: theta.theta(), interval: theta.clustered.interval })
            };
            let known = sample.kinds();
            let cell = |kind: &&str| match value(kind) {
                Some(value) => ForestCell::Value(value),
                None if known.contains(kind) => ForestCell::Undetermined,
                None => ForestCell::Absent,
            };
            ForestSeries { name: sample.name.clone(), values: names.iter().map(cell).collect() }
        })
        .collect()
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lengths are whole plies")]
    let plies = |lengths: &[f64]| lengths.iter().map(|&plies| plies as u32).collect();
    let length = found.metrics.iter().map(|m| LengthSeries {
        name: m.name.clone(),
        lengths: plies(&m.lengths),
        unfinished: m.unfinished,
    });
    let bars = found.metrics.iter().map(|m| ResultBar { name: m.name.clone(), wdl: m.wdl });
    // A game without pips has nothing to agree with.
    let ranked = found.samples.iter().zip(&found.measured).filter(|(sample, _)| sample.pips().len() >= 2);
    let agreement = ranked.map(|(sample, measured)| {
        let agreement = measured.as_ref().and_then(|m| m.agreement.as_ref());
        TauSeries {
            name: sample.name.clone(),
            observed: agreement.map(|a| a.tau),
            distribution: agreement.and_then(|a| a.distribution.clone()),
        }
    });
    let clustered = "Measured values, 95 % intervals clustered by game";
    let percentile = "Measured values, 95 % percentile intervals of the game bootstrap";
    let drawn = [
        forest(clustered, "log-odds a piece", &names, &series(false)),
        forest(percentile, "hundredths of a pawn", &names, &series(true)),
        lengths("Length of games", &length.collect::<Vec<_>>()),
        results("Results", &bars.collect::<Vec<_>>()),
        tau("Agreement of measured values with the pips", &agreement.collect::<Vec<_>>()),
    ];
    PLOTS.into_iter().zip(drawn).filter_map(|(name, svg)| Some((name, svg.ok()?))).collect()
}
