use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::reading_for;
use super::selfplay::CutArgs;
use crate::dataset::{DatasetError, Reader, Run};
use crate::report::table::{Align, Table};
use crate::selfplay::{Config, Cut, Cuts};
use crate::stats::proportion::wilson;

/// Arguments of `adjudication`.
#[derive(Args)]
#[command(
    after_help = "Cutting games short changes nothing before the cut: the games of a run without it show exactly what it \
                  would have done to each of them.\n\n\
                  Example: acedrex-trainer adjudication murray.acd --adjudicate 1500:8 --resign 1500:5"
)]
pub struct AdjudicationArgs {
    /// A dataset of games that were played to their end
    #[arg(value_name = "F")]
    file: PathBuf,
    #[command(flatten)]
    cuts: CutArgs,
    /// The ruleset it was made with [default: the built-in one that it names]
    #[arg(long, value_name = "R")]
    ruleset: Option<String>,
}

/// Measures, and prints a row for each rule.
pub(super) fn run(args: &AdjudicationArgs, out: &mut dyn Write) -> anyhow::Result<()> {
    let reader = Reader::open(&args.file)?;
    let reading = reading_for(reader.header(), args.ruleset.as_deref())?;
    reader.expect_rules(&reading.rules)?;
    let [Run { config: Some(played), .. }] = &reader.header().runs[..] else {
        bail!(
            "{}: found games of several runs, or of one whose options are not known; expected one run of selfplay: split \
             nothing and merge nothing before this",
            args.file.display()
        );
    };
    let played = played.clone();
    let whole = Config { adjudication: None, draw: None, resignation: None, ..played.clone() };
    if played != whole {
        bail!("{}: its games were cut short, expected games played to their end", args.file.display());
    }
    let config = args.cuts.apply(whole.clone());
    if config == whole {
        bail!("no rule to measure: expected --adjudicate, --adjudicate-draw or --resign");
    }
    config.check(&reading.rules)?;
    let mut cuts = Cuts::new(&config);
    for record in reader {
        cuts.add(&record?, &reading)
            .map_err(|source| DatasetError::Game { path: args.file.clone(), source })?;
    }
    let head = [
        ("rule", Align::Left),
        ("games cut short", Align::Right),
        ("plies saved", Align::Right),
        ("result changed", Align::Right),
        ("95 % interval", Align::Right),
        ("unfinished", Align::Right),
    ];
    let mut table = Table::new(&head);
    for (name, _, cut) in &cuts.rules {
        table.row(&row(name, cut, &cuts)?);
    }
    writeln!(out, "{}: {} games", reading.rules.id, cuts.games)?;
    write!(out, "{}", table.plain())?;
    writeln!(out, "result changed: of the games cut short whose end is known; Wilson's interval")?;
    Ok(())
}

fn row(name: &str, cut: &Cut, cuts: &Cuts) -> anyhow::Result<Vec<String>> {
    let percent = |part: f64| format!("{:.2} %", 100.0 * part);
    let share = |part: u64, whole: u64| percent(part as f64 / whole.max(1) as f64);
    let known = cut.called - cut.unfinished;
    let interval = match known {
        0 => String::new(),
        known => {
            let interval = wilson(cut.changed as f64, known as f64, 0.95)?;
            format!("{} to {}", percent(interval.low), percent(interval.high))
        }
    };
    Ok(vec![
        name.to_owned(),
        format!("{} ({})", cut.called, share(cut.called, cuts.games)),
        share(cut.plies_saved, cuts.plies),
        format!("{} of {known} ({})", cut.changed, share(cut.changed, known)),
        interval,
        cut.unfinished.to_string(),
    ])
}
