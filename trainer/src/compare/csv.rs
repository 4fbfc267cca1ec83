use std::io::Write;

use super::{Contrast, Metrics, Replication};
use crate::tune::measured::Measured;

/// The columns of the table.
pub const CSV_HEAD: [&str; 13] = [
    "section",
    "a",
    "b",
    "figure",
    "value",
    "low",
    "high",
    "test",
    "p",
    "p_holm",
    "effect_name",
    "effect",
    "games",
];

/// Writes everything a comparison found as one CSV table: figures, values, pairs of the pips, tau-b, contrasts and
/// replications, a row each. `low` and `high` are 95 % intervals, of replications 90 %, as belongs to their test; cells
/// without meaning are empty. The README of the data folder explains every section.
///
/// # Errors
/// If `out` fails.
pub fn write_csv(
    out: impl Write,
    metrics: &[Metrics],
    measured: &[Option<Measured>],
    contrasts: &[Contrast],
    replications: &[Replication],
) -> Result<(), csv::Error> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(CSV_HEAD)?;
    let cell =
        |value: Option<f64>| value.filter(|v| v.is_finite()).map_or(String::new(), |v| format!("{v:.6}"));
    let mut row = |cells: [String; 13]| csv.write_record(cells);
    let none = String::new;
    for sample in metrics {
        for figure in &sample.figures {
            row([
                "figure".into(),
                sample.name.clone(),
                none(),
                figure.name.into(),
                cell(Some(figure.value)),
                cell(Some(figure.interval.low)),
                cell(Some(figure.interval.high)),
                none(),
                none(),
                none(),
                none(),
                none(),
                figure.games.to_string(),
            ])?;
        }
    }
    for (sample, values) in metrics.iter().zip(measured) {
        let Some(values) = values else { continue };
        let clusters = values.fit.clusters.to_string();
        for column in &values.fit.columns {
            let theta = column.coefficient.as_ref().ok();
            let scaled = values.scaled(&column.name);
            let estimate = theta.map(|c| c.clustered);
            let pairs = [
                ("theta", estimate.map(|e| (e.value, e.interval))),
                ("pawn-scale", scaled.map(|s| (s.value, s.interval))),
            ];
            for (section, value) in pairs {
                if value.is_none() && section == "pawn-scale" {
                    continue;
                }
                row([
                    section.into(),
                    sample.name.clone(),
                    none(),
                    column.name.clone(),
                    cell(value.map(|v| v.0)),
                    cell(value.map(|v| v.1.low)),
                    cell(value.map(|v| v.1.high)),
                    none(),
                    none(),
                    none(),
                    "games with an imbalance".into(),
                    column.imbalance_games.to_string(),
                    clusters.clone(),
                ])?;
            }
        }
        for (pair, holm) in values.pairs.iter().zip(&values.pairs_holm) {
            let difference = pair.difference;
            row([
                "pips-pair".into(),
                sample.name.clone(),
                none(),
                format!("{} > {}", pair.above, pair.below),
                cell(difference.map(|d| d.value)),
                cell(difference.map(|d| d.interval.low)),
                cell(difference.map(|d| d.interval.high)),
                "t, clustered by game, two-sided".into(),
                cell(pair.p),
                cell(Some(*holm)),
                "probability".into(),
                cell(pair.probability),
                clusters.clone(),
            ])?;
        }
        if let Some(agreement) = &values.agreement {
            let distribution = agreement.distribution.as_ref();
            row([
                "tau-b".into(),
                sample.name.clone(),
                none(),
                "theta and pips".into(),
                cell(Some(agreement.tau)),
                cell(distribution.map(|d| d.interval.low)),
                cell(distribution.map(|d| d.interval.high)),
                "exact, exchangeable null, one-sided".into(),
                cell(agreement.exact_p),
                none(),
                "bootstrap mean".into(),
                cell(distribution.map(|d| d.mean)),
                clusters.clone(),
            ])?;
            for (tau, share) in distribution.map_or(&[][..], |d| &d.table[..]) {
                row([
                    "tau-b-share".into(),
                    sample.name.clone(),
                    none(),
                    "share of replicates".into(),
                    cell(Some(*tau)),
                    none(),
                    none(),
                    none(),
                    none(),
                    none(),
                    "share".into(),
                    cell(Some(*share)),
                    clusters.clone(),
                ])?;
            }
        }
    }
    for contrast in contrasts {
        row([
            "contrast".into(),
            contrast.samples.0.clone(),
            contrast.samples.1.clone(),
            contrast.metric.into(),
            cell(contrast.difference.map(|d| d.0)),
            cell(contrast.difference.map(|d| d.1.low)),
            cell(contrast.difference.map(|d| d.1.high)),
            contrast.test.into(),
            cell(Some(contrast.p)),
            cell(Some(contrast.p_holm)),
            contrast.effect_name.into(),
            cell(contrast.effect),
            contrast.games.to_string(),
        ])?;
    }
    for replication in replications {
        let test = replication.score;
        row([
            "replication".into(),
            replication.samples.0.clone(),
            replication.samples.1.clone(),
            if replication.same_game { "White's score".into() } else { "move set".into() },
            cell(test.map(|t| t.0)),
            cell(test.map(|t| t.1.interval.low)),
            cell(test.map(|t| t.1.interval.high)),
            test.map_or_else(none, |t| format!("TOST, margin {}, 90 % interval", t.1.margin)),
            cell(test.map(|t| t.1.p)),
            none(),
            replication.why.into(),
            none(),
            replication.games.to_string(),
        ])?;
    }
    csv.flush()?;
    Ok(())
}
