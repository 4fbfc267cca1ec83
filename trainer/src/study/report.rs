use super::Manifest;
use super::run::Findings;
use crate::compare::{contrasts_note, contrasts_table, metrics_table, notes};
use crate::report::table::{Align, Table, number, p_value, percent, with_interval};
use crate::stats::proportion::wilson;
use crate::tune::measured::Measured;
use crate::tune::order::PawnScale;

/// The kinds of all readings, pips first from the highest, then the rest in the order of the readings.
pub(super) fn kinds(found: &Findings) -> Vec<String> {
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
        ("tau-b", Align::Right),
        ("bootstrap mean", Align::Right),
        ("exact p, one-sided", Align::Right),
        ("pairs likelier right", Align::Right),
        ("right, p (Holm) < 0.05", Align::Right),
        ("wrong, p (Holm) < 0.05", Align::Right),
    ]);
    for (sample, measured) in found.samples.iter().zip(&found.measured) {
        let Some((measured, agreement)) =
            measured.as_ref().and_then(|measured| Some((measured, measured.agreement.as_ref()?)))
        else {
            let why = if sample.pips().len() < 2 { "no pips" } else { "not measured" };
            table.row(&[sample.name.as_str(), "", why]);
            continue;
        };
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
        "Read every figure with its interval, and every difference with its corrected p-value."
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
         Measured values in hundredths of a pawn (theta, in log-odds, where the pawn scale is undetermined)\n\n{}\n\
         Agreement of the values with the manuscript's pips; Holm over the pairs of all readings\n\n{}\n\
         95 % intervals, clustered by game. {}\n",
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

/// A plot in the report, or that it has nothing to show.
fn link(title: &str, name: &str, drawn: &[&str]) -> String {
    match drawn.contains(&name) {
        true => format!("\n![{title}]({name})\n"),
        false => format!("\n(No plot: {title}: undetermined in every reading.)\n"),
    }
}

/// report.md; it shows the plots that were drawn.
pub(super) fn markdown(manifest: &Manifest, found: &Findings, drawn: &[&str]) -> String {
    let plot = |title: &str, name: &str| link(title, name, drawn);
    let mut text = format!(
        "# Study {}\n\nSeed {}, {}. **{}** Intervals are 95 % unless they say otherwise.\n\n",
        manifest.config.name,
        manifest.seed,
        manifest.program,
        verdict(manifest)
    );
    readings_section(&mut text, manifest, found);
    method_section(&mut text, manifest, found);
    games_section(&mut text, found, &plot);
    text.push_str(&values_section(found, &plot));
    text.push_str(
        "\n## What this does not say\n\nValues are those of this engine playing itself at this strength. Self-play games share \
         weights, so the intervals cover chance in the games, not the choice of engine or of weights. Pips may mean \
         dignity rather than strength: agreement with them is a finding, not an assumption.\n",
    );
    text.push_str(&format!(
        "\n## Manifest\n\nAll that the results depend on; the same manifest gives the same bytes. Threads and times are in \
         run.log.\n\n```json\n{}```\n",
        manifest.text()
    ));
    text
}

fn readings_section(text: &mut String, manifest: &Manifest, found: &Findings) {
    let mut table = Table::new(&[
        ("reading", Align::Left),
        ("title", Align::Left),
        ("confidence", Align::Left),
        ("fingerprint", Align::Left),
        ("start weights", Align::Left),
        ("tuned weights, played with", Align::Left),
        ("tuned again", Align::Left),
    ]);
    let short = |hash: &str| hash.chars().take(16).collect::<String>();
    for ((sample, reading), [first, second]) in found.samples.iter().zip(&manifest.readings).zip(&found.fits)
    {
        let rules = &sample.reading.rules;
        table.row(&[
            rules.id.clone(),
            rules.title.clone(),
            rules.source.confidence.to_string(),
            short(&reading.fingerprint),
            short(&reading.weights),
            short(&first.weights),
            short(&second.weights),
        ]);
    }
    text.push_str("## Readings\n\n");
    text.push_str(&table.markdown());
    text.push_str("\nFingerprints and hashes are SHA-256, the first 16 digits.\n");
}

fn method_section(text: &mut String, manifest: &Manifest, found: &Findings) {
    let config = &manifest.config;
    text.push_str(&format!(
        "\n## Method\n\nEach reading played {} games at {} nodes a move with start weights, had all eval weights tuned on \
         them (Texel's method), and played {} games at {} nodes a move with the tuned weights. Everything below comes \
         from the second games alone. Each game has an opening of its own, {} random plies ({}){}; games are not paired, so \
         the game is the unit of every interval and test. ",
        config.first.games,
        config.first.nodes,
        config.second.games,
        config.second.nodes,
        config.opening.plies,
        config.opening.kind.name(),
        if config.dice { ", and is played with dice" } else { "" },
    ));
    match config.adjudication {
        None => text.push_str("No game is called won before its end. "),
        Some(rule) => text.push_str(&format!(
            "A game is called won once both sides' scores have stood at {} cp or more for {} plies; such games are named \
             among the ends. ",
            rule.score_cp, rule.plies
        )),
    }
    text.push_str(&format!(
        "One with only the kings left is called drawn. No-progress draws after the plies of the ruleset are this \
         project's rule, not Alfonso's; a game of {} plies is left unfinished and counts in no score.\n\n",
        config.max_plies
    ));
    for ((sample, fits), (kept, tried)) in found.samples.iter().zip(&found.fits).zip(&found.openings) {
        text.push_str(&format!("- {}: {kept} openings kept of {tried} drawn", sample.name));
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
        for (round, fit) in fits.iter().enumerate() {
            text.push_str(&format!("    - eval weights, round {}: {}\n", round + 1, fit.line));
        }
    }
}

fn games_section(text: &mut String, found: &Findings, plot: &dyn Fn(&str, &str) -> String) {
    text.push_str(
        "\n## Games\n\nIntervals: Wilson's for shares (for White's score with the variance that draws leave), t for means, clustered \
         by game for legal moves a position.\n\n",
    );
    text.push_str(&metrics_table(&found.metrics).markdown());
    for note in notes(&found.metrics) {
        text.push_str(&format!("\n{note}\n"));
    }
    text.push_str(&plot("Results", "results.svg"));
    text.push_str(&plot("Length of games", "lengths.svg"));
    text.push_str("\n## Differences\n\n");
    if found.contrasts.is_empty() {
        text.push_str("One reading: nothing to compare.\n");
    } else {
        text.push_str(&format!(
            "{}\n\n{}",
            contrasts_note(&found.contrasts),
            contrasts_table(&found.contrasts).markdown()
        ));
    }
    for (i, replication) in found.replications.iter().enumerate() {
        text.push_str(if i == 0 { "\n- " } else { "- " });
        text.push_str(&replication.sentence());
        text.push('\n');
    }
}

fn values_section(found: &Findings, plot: &dyn Fn(&str, &str) -> String) -> String {
    let mut text = String::from(
        "\n## Measured values\n\nresult ~ intercept + side to move + material difference by kind, logistic, quiet positions of \
         finished games, intervals clustered by game (values on the pawn scale: game bootstrap). Values of the eval \
         weights are another matter and in the weights files.\n\n",
    );
    text.push_str(&values_table(found).markdown());
    text.push_str(&plot("Measured values, theta", "values-theta.svg"));
    text.push_str(&plot("Measured values on the pawn scale", "values-pawns.svg"));
    for (sample, (measured, why)) in found.samples.iter().zip(found.measured.iter().zip(&found.unmeasured)) {
        text.push_str(&format!("\n### {}\n\n", sample.name));
        let Some(measured) = measured else {
            text.push_str(&format!("Not measured: {}.\n", why.as_deref().unwrap_or("too little data")));
            continue;
        };
        let fit = &measured.fit;
        text.push_str(&measured.table().markdown());
        text.push_str(&format!(
            "\n{} quiet positions of {} finished games, {} of them left out because a kind decides them without exception, which \
             leaves {} games; cross-entropy {} nats ({} without material); condition number {}; {} \
             bootstrap replicates, {} not converged.\n",
            fit.rows,
            fit.games,
            fit.excluded_rows,
            fit.clusters,
            number(fit.log_loss, 4),
            number(fit.log_loss_null, 4),
            number(fit.condition_number, 0),
            measured.replicates.0,
            measured.replicates.1,
        ));
        if !measured.pairs.is_empty() {
            text.push_str(
                "\nAdjacent pairs of the pips. Probability: the share of bootstrap replicates in this order. p: no difference, \
                 two-sided, clustered by game; Holm's correction is over the pairs of all readings of this report, one \
                 family.\n\n",
            );
            text.push_str(&measured.pairs_table().markdown());
        }
    }
    text.push_str("\n## Agreement with the pips\n\n");
    text.push_str(&agreement_table(found).markdown());
    text.push_str(
        "\nKendall's tau-b between theta and pips, with the 95 % percentile interval over game-bootstrap replicates; their noise \
         lowers agreement, so the interval can lie below tau-b itself. Exact p, one-sided: the share of all orders of the \
         pieces that agree at least as well, all orders taken as equally likely, the measured values as exact; it is not \
         corrected for the number of readings. Pairs: adjacent pairs of the pips whose order is the pips' in more than half \
         of the replicates, and those whose difference is significant in or against that order.\n",
    );
    text.push_str(&plot("Agreement with the pips", "tau.svg"));
    text
}
