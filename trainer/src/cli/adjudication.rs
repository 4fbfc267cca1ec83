use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::flags::flag;
use super::reading_for;
use super::selfplay::CutArgs;
use crate::dataset::{DatasetError, Reader, Run};
use crate::report::table::{Align, Table};
use crate::selfplay::{Config, Cut, Cuts};
use crate::stats::Interval;
use crate::stats::proportion::wilson;
use crate::stats::ratio::ratio_of_sums;

/// Of all intervals.
const LEVEL: f64 = 0.95;

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
    config.check_as(&reading.rules, &flag)?;
    let mut cuts = Cuts::new(&config);
    for record in reader {
        cuts.add(&record?, &reading)
            .map_err(|fault| DatasetError::Game { path: args.file.clone(), fault })?;
    }
    let head = [
        ("rule", Align::Left),
        ("games cut short", Align::Right),
        ("plies saved", Align::Right),
        ("result changed", Align::Right),
        ("unfinished", Align::Right),
    ];
    let mut table = Table::new(&head);
    for (name, _, cut) in &cuts.rules {
        table.row(&row(name, cut, &cuts));
    }
    writeln!(out, "{}: {} games", reading.rules.id, cuts.games())?;
    write!(out, "{}", table.plain())?;
    writeln!(
        out,
        "result changed: of the games cut short whose end is known; in brackets 95 % intervals, Wilson's, and for plies \
         clustered by game"
    )?;
    Ok(())
}

fn row(name: &str, cut: &Cut, cuts: &Cuts) -> Vec<String> {
    let known = cut.called - cut.unfinished;
    vec![
        name.to_owned(),
        games(cut.called, cuts.games()),
        plies(&cut.plies_saved, &cuts.plies),
        games(cut.changed, known),
        cut.unfinished.to_string(),
    ]
}

/// A part of some games, with its share; of no games there is none.
fn games(part: u64, whole: u64) -> String {
    let (some, all) = (part as f64, whole as f64);
    let share = wilson(some, all, LEVEL).map(|interval| format!(", {}", percent(some / all, interval)));
    format!("{part} of {whole}{}", share.unwrap_or_default())
}

/// The share of the plies that were saved.
fn plies(saved: &[u32], all: &[u32]) -> String {
    let numbers = |plies: &[u32]| plies.iter().copied().map(f64::from).collect::<Vec<_>>();
    let share = ratio_of_sums(&numbers(saved), &numbers(all), LEVEL);
    share.map_or_else(|_| String::new(), |share| percent(share.value, share.interval))
}

fn percent(share: f64, interval: Interval) -> String {
    let [share, low, high] = [share, interval.low.max(0.0), interval.high.min(1.0)].map(|part| 100.0 * part);
    format!("{share:.2} % ({low:.2} to {high:.2})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_share_has_its_interval_and_nothing_has_none() {
        // Newcombe 1998, table I: 15 of 148.
        assert_eq!(games(15, 148), "15 of 148, 10.14 % (6.24 to 16.05)");
        assert_eq!(games(0, 0), "0 of 0");
        assert_eq!(plies(&[10, 20, 30], &[100, 200, 300]), "10.00 % (10.00 to 10.00)");
        // A game that was not cut short beside one that was: anything may be.
        assert_eq!(plies(&[0, 50], &[100, 100]), "25.00 % (0.00 to 100.00)");
        assert_eq!(plies(&[5], &[10]), "");
    }
}
