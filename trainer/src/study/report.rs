use super::Manifest;
use super::run::Findings;
use crate::compare::{contrasts_table, metrics_table};
use crate::report::plots::{
    ForestSeries, ForestValue, LengthSeries, ResultBar, TauSeries, forest, lengths, results, tau,
};
use crate::report::table::{Align, Table, number, p_value, percent, with_interval};
use crate::stats::proportion::wilson;
use crate::tune::measured::Measured;
use crate::tune::order::PawnScale;

/// The kinds of all readings, pips first from the highest, then the rest in the order of the readings.
fn kinds(found: &Findings) -> Vec<String> {
    let mut kinds: Vec<String> = Vec::new();
    let pips = found.samples.iter().flat_map(|s| s.pips().into_iter().map(|(key, _)| key));
    for kind in pips.chain(found.samples.iter().flat_map(|s| s.kinds())) {
        if !kinds.iter().any(|known| known == kind) {
            kinds.push(kind.to_owned());
        }
    }
    kinds
}

fn is_scaled(measured: &Measured) -> bool {
    matches!(measured.scale, PawnScale::Scaled(_))
}

/// Value of a kind on the pawn scale, or theta where the scale is undetermined.
fn value_cell(measured: &Measured, kind: &str) -> String {
    match (measured.scaled(kind), measured.theta(kind)) {
        (Some(value), _) => with_interval(value.value, value.interval, 0),
        (None, Some(Ok(c))) if !is_scaled(measured) => {
            format!("theta {}", with_interval(c.theta(), c.clustered.interval, 3))
        }
        (None, Some(Err(why))) => why.to_string(),
        _ => String::new(),
    }
}

fn values_table(found: &Findings) -> Table {
    let mut head = vec![("piece", Align::Left), ("pips", Align::Right)];
    head.extend(found.samples.iter().map(|sample| (sample.name.as_str(), Align::Right)));
    let mut table = Table::new(&head);
    for kind in kinds(found) {
        let pips =
            found.samples.iter().flat_map(|s| s.pips()).find(|(key, _)| *key == kind).map(|(_, pips)| pips);
        let mut row = vec![kind.clone(), pips.map_or(String::new(), |pips| pips.to_string())];
        for (sample, measured) in found.samples.iter().zip(&found.measured) {
            let known = sample.kinds().contains(&kind.as_str());
            row.push(match measured {
                Some(measured) if known => value_cell(measured, &kind),
                None if known => "not measured".to_owned(),
                _ => String::new(),
            });
        }
        table.row(&row);
    }
    table
}

fn agreement_table(found: &Findings) -> Table {
    let mut table = Table::new(&[
        ("reading", Align::Left),
        ("games", Align::Right),
        ("tau-b of values and pips", Align::Right),
        ("bootstrap mean", Align::Right),
        ("exact p", Align::Right),
        ("adjacent pairs more likely right than wrong", Align::Right),
        ("pairs right, p (Holm) < 0.05", Align::Right),
        ("pairs wrong, p (Holm) < 0.05", Align::Right),
    ]);
    for (sample, measured) in found.samples.iter().zip(&found.measured) {
        let Some(measured) = measured else { continue };
        let Some(agreement) = &measured.agreement else { continue };
        let distribution = agreement.distribution.as_ref();
        let certain = |right: bool| {
            let pairs = measured.pairs.iter().zip(&measured.pairs_holm);
            let is = |d: f64| if right { d > 0.0 } else { d < 0.0 };
            pairs.filter(|(pair, holm)| **holm < 0.05 && pair.difference.is_some_and(|d| is(d.value))).count()
        };
        let likely = measured.pairs.iter().filter(|pair| pair.probability.is_some_and(|p| p > 0.5)).count();
        table.row(&[
            sample.name.clone(),
            measured.fit.clusters.to_string(),
            match distribution {
                Some(d) => with_interval(agreement.tau, d.interval, 2),
                None => number(agreement.tau, 2),
            },
            distribution.map_or("-".to_owned(), |d| number(d.mean, 2)),
            agreement.exact_p.map_or("-".to_owned(), p_value),
            format!("{likely} of {}", measured.pairs.len()),
            certain(true).to_string(),
            certain(false).to_string(),
        ]);
    }
    table
}

fn verdict(manifest: &Manifest) -> &'static str {
    if manifest.config.decides {
        "Read every figure with its interval; the intervals are 95 %, clustered by game."
    } else {
        "This run demonstrates the method and does not decide: it has too few games, at too few nodes a move, for any \
         conclusion about a reading."
    }
}

/// What the command prints at its end.
pub(super) fn headline(manifest: &Manifest, found: &Findings) -> String {
    let second = &manifest.config.second;
    format!(
        "Study {}, seed {}: {} games of each reading at {} nodes a move\n\n{}\n\
         Measured values, in hundredths of a pawn (theta in log-odds where the pawn scale is undetermined)\n\n{}\n\
         Agreement with the manuscript's pips\n\n{}\n{}\n",
        manifest.config.name,
        manifest.seed,
        second.games,
        second.nodes,
        metrics_table(&found.metrics).plain(),
        values_table(found).plain(),
        agreement_table(found).plain(),
        verdict(manifest),
    )
}

/// The plots, by file name; one that cannot be drawn is left out.
pub(super) fn plots(found: &Findings) -> Vec<(&'static str, String)> {
    let names = kinds(found);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let series = |scaled: bool| -> Vec<ForestSeries> {
        let both = found.samples.iter().zip(&found.measured);
        both.map(|(sample, measured)| {
            let value = |kind: &&str| -> Option<ForestValue> {
                let measured = measured.as_ref()?;
                if scaled {
                    let value = measured.scaled(kind)?;
                    return Some(ForestValue { value: value.value, interval: value.interval });
                }
                let theta = measured.theta(kind)?.ok()?;
                Some(ForestValue { value: theta.theta(), interval: theta.clustered.interval })
            };
            ForestSeries { name: sample.name.clone(), values: names.iter().map(value).collect() }
        })
        .collect()
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "lengths are whole plies")]
    let plies = |lengths: &[f64]| lengths.iter().map(|&plies| plies as u32).collect();
    let length =
        found.metrics.iter().map(|m| LengthSeries { name: m.name.clone(), lengths: plies(&m.lengths) });
    let bars = found.metrics.iter().map(|m| ResultBar { name: m.name.clone(), wdl: m.wdl });
    let agreement = found.samples.iter().zip(&found.measured).map(|(sample, measured)| {
        let agreement = measured.as_ref().and_then(|m| m.agreement.as_ref());
        TauSeries {
            name: sample.name.clone(),
            observed: agreement.map(|a| a.tau),
            distribution: agreement.and_then(|a| a.distribution.clone()),
        }
    });
    let drawn = [
        ("values-theta.svg", forest("Measured values", "log-odds a piece", &names, &series(false))),
        ("values-pawns.svg", forest("Measured values", "hundredths of a pawn", &names, &series(true))),
        ("lengths.svg", lengths("Length of games", &length.collect::<Vec<_>>())),
        ("results.svg", results("Results", &bars.collect::<Vec<_>>())),
        ("tau.svg", tau("Agreement of measured values with the pips", &agreement.collect::<Vec<_>>())),
    ];
    drawn.into_iter().filter_map(|(name, svg)| Some((name, svg.ok()?))).collect()
}

/// report.md.
pub(super) fn markdown(manifest: &Manifest, found: &Findings) -> String {
    let config = &manifest.config;
    let mut text = format!(
        "# Study {}\n\nSeed {}, {}. **{}**\n\n",
        config.name,
        manifest.seed,
        manifest.program,
        verdict(manifest)
    );
    text.push_str("## Readings\n\n");
    let mut table = Table::new(&[
        ("reading", Align::Left),
        ("title", Align::Left),
        ("confidence", Align::Left),
        ("fingerprint", Align::Left),
    ]);
    for (sample, reading) in found.samples.iter().zip(&manifest.readings) {
        let rules = &sample.reading.rules;
        let confidence = rules.source.confidence.to_string();
        table.row(&[rules.id.clone(), rules.title.clone(), confidence, reading.fingerprint[..16].to_owned()]);
    }
    text.push_str(&table.markdown());
    text.push_str(&format!(
        "\n## Method\n\nEach reading played {} games at {} nodes a move with start weights, had all eval weights tuned on \
         them (Texel's method), and played {} games at {} nodes a move with the tuned weights. Everything below comes \
         from the second games. Games open with {} random plies ({}){}. No-progress draws after the plies of the \
         ruleset are this project's rule, not Alfonso's; a game of {} plies is left unfinished and counts in no \
         score.\n\n",
        config.first.games,
        config.first.nodes,
        config.second.games,
        config.second.nodes,
        config.opening.plies,
        config.opening.kind.name(),
        if config.dice { ", with dice" } else { "" },
        config.max_plies,
    ));
    for ((sample, fit), (kept, tried)) in found.samples.iter().zip(&found.fits).zip(&found.openings) {
        text.push_str(&format!("- {}: {fit}; {kept} openings kept of {tried} drawn", sample.name));
        if let Ok(interval) = wilson(*kept as f64, *tried as f64, 0.95) {
            let share = *kept as f64 / (*tried).max(1) as f64;
            text.push_str(&format!(
                " ({}, 95 % {} to {})",
                percent(share, 1),
                percent(interval.low, 1),
                percent(interval.high, 1)
            ));
        }
        text.push('\n');
    }
    text.push_str("\n## Games\n\n95 % intervals: Wilson's for shares, t for means, clustered by game for legal moves a position.\n\n");
    text.push_str(&metrics_table(&found.metrics).markdown());
    if found.metrics.iter().any(|metrics| metrics.balanced) {
        text.push_str(
            "\nOpenings were kept only if balanced, so White's score does not measure the first move.\n",
        );
    }
    text.push_str("\n![Results](results.svg)\n\n![Length of games](lengths.svg)\n\n## Differences\n\n");
    if found.contrasts.is_empty() {
        text.push_str("One reading: nothing to compare.\n");
    } else {
        text.push_str(&format!(
            "{} tests, p-values corrected together by Holm's method.\n\n{}",
            found.contrasts.len(),
            contrasts_table(&found.contrasts).markdown()
        ));
    }
    for replication in &found.replications {
        let (a, b) = &replication.samples;
        text.push_str(&format!("\n- {a} and {b}: {}", replication.why));
        if let Some(test) = &replication.score {
            text.push_str(&format!(
                "; White's scores {} within {} of each other (TOST p {})",
                if test.equivalent { "lie" } else { "are not shown to lie" },
                number(test.margin, 2),
                p_value(test.p)
            ));
        }
        text.push('\n');
    }
    text.push_str(&values_section(found));
    text.push_str(
        "\n## What this does not say\n\nValues are those of this engine playing itself at this strength. Self-play games share \
         weights, so the intervals cover chance in the games, not the choice of engine. Pips may mean dignity rather than \
         strength: agreement with them is a finding, not an assumption.\n",
    );
    text
}

fn values_section(found: &Findings) -> String {
    let mut text = String::from(
        "\n## Measured values\n\nresult ~ intercept + side to move + material difference by kind, logistic, quiet positions of \
         finished games, intervals clustered by game (values on the pawn scale: game bootstrap). Values of the eval \
         weights are another matter and in the weights files.\n\n",
    );
    text.push_str(&values_table(found).markdown());
    text.push_str("\n![Measured values](values-theta.svg)\n\n![Values in pawns](values-pawns.svg)\n");
    for (sample, (measured, why)) in found.samples.iter().zip(found.measured.iter().zip(&found.unmeasured)) {
        text.push_str(&format!("\n### {}\n\n", sample.name));
        let Some(measured) = measured else {
            text.push_str(&format!("Not measured: {}.\n", why.as_deref().unwrap_or("too little data")));
            continue;
        };
        let fit = &measured.fit;
        text.push_str(&measured.table().markdown());
        text.push_str(&format!(
            "\n{} quiet positions of {} games; cross-entropy {} nats ({} without material); condition number {}; {} \
             bootstrap replicates, {} not converged.\n",
            fit.rows,
            fit.clusters,
            number(fit.log_loss, 4),
            number(fit.log_loss_null, 4),
            number(fit.condition_number, 0),
            measured.replicates.0,
            measured.replicates.1,
        ));
        if !measured.pairs.is_empty() {
            text.push_str("\nAdjacent pairs of the pips (probability: share of bootstrap replicates):\n\n");
            text.push_str(&measured.pairs_table().markdown());
        }
    }
    text.push_str("\n## Agreement with the pips\n\n");
    text.push_str(&agreement_table(found).markdown());
    text.push_str(
        "\nKendall's tau-b between measured values and pips, 95 % percentile interval over game-bootstrap replicates. Exact p: \
         the share of all orders of the pieces that agree at least as well, which takes all orders as equally likely.\n\n\
         ![Agreement with the pips](tau.svg)\n",
    );
    text
}
