mod files;

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use acedrex_engine::cli::{load_evaluator, load_reading};
use anyhow::bail;
use clap::{Args, ValueEnum};

use super::flags::flag;
use super::numbers::{any, real, whole};
use super::progress::shown;
use super::selfplay::threads;
use super::{Progress, expect_new, interrupt, probe};
use crate::arena::{
    ArenaError, EloModel, EngineSpec, Journal, JournalError, Limit, Loaded, MARGIN_MS, MatchSummary, Pair,
    Sink, Sprt, SprtVerdict, Terms, journal, play_match,
};
use crate::selfplay::{Config, OpeningConfig};
use files::Files;

/// Arguments of `match`.
#[derive(Args)]
#[command(
    after_help = "Engines: internal[:OPTION,...], uci[,OPTION...]:COMMAND or cecp[,OPTION...]:COMMAND, such as \
                  uci,nodes=500,option.Hash=64:acedrex uci. Options are the engine's own limit instead of the match's \
                  (nodes=N, depth=N, movetime=MS or tc=BASE+INC), of internal engines weights=FILE and hash=MIB, of others \
                  variant=NAME and option.NAME=VALUE. Values hold no comma and no colon. A command is split at blanks, and \
                  quotes mean nothing in it. An acedrex engine is told a ruleset file by its own --ruleset FILE.\n\n\
                  Games come in pairs with colours swapped, from a random opening that a search calls balanced. Results \
                  are the first engine's; an unfinished game counts as half a point. With --nodes or --depth and internal \
                  engines they do not depend on --concurrency. With an output the games of an interrupted match are kept beside \
                  it, and the same command, perhaps with other --games or --sprt, goes on; it must find the same programs (the \
                  first word of each command; what a script or wrapper runs is not checked).\n\n\
                  Example: acedrex-trainer match --engine internal:weights=new.toml --engine internal --ruleset murray \
                  --games 1000 --nodes 1000 --sprt 0 20 --json match.json"
)]
pub struct MatchArgs {
    /// An engine; give it twice
    #[arg(long = "engine", value_name = "SPEC", required = true)]
    pub engines: Vec<EngineSpec>,
    /// A built-in ruleset's id or the path of a ruleset file
    #[arg(long, value_name = "R", default_value = "cazaux-musser")]
    pub ruleset: String,
    /// Most games, an even number
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(2u64..=1_000_000_000))]
    pub games: u64,
    /// Search nodes for each move [default: 1000]
    #[arg(long, value_name = "N", value_parser = whole(1u64..=1_000_000_000), conflicts_with_all = ["depth", "movetime", "tc"])]
    pub nodes: Option<u64>,
    /// Search depth for each move in plies
    #[arg(long, value_name = "D", value_parser = whole(1u32..=64), conflicts_with_all = ["movetime", "tc"])]
    pub depth: Option<u32>,
    /// Milliseconds for each move
    #[arg(long, value_name = "MS", value_parser = whole(1u64..=3_600_000), conflicts_with = "tc")]
    pub movetime: Option<u64>,
    /// Seconds for the game, and seconds that each move adds, such as 10+0.1
    #[arg(long, value_name = "BASE+INC", value_parser = Limit::clock)]
    pub tc: Option<Limit>,
    /// Games at once [default: as many as the machine runs at once]
    #[arg(long, value_name = "C", value_parser = whole(1u16..=1024))]
    pub concurrency: Option<u16>,
    /// Seed of the openings
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = any::<u64>)]
    pub seed: u64,
    /// Random plies of each opening, an even number
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole(OpeningConfig::PLIES))]
    pub opening_plies: u16,
    /// Plies after which a game is left unfinished, random ones included
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = whole(Config::MAX_PLIES))]
    pub max_plies: u16,
    /// Milliseconds that a move may take beyond its time: more where the machine halts or has other work
    #[arg(long, value_name = "MS", default_value_t = MARGIN_MS, value_parser = whole(0u64..=1_000))]
    pub time_margin: u64,
    /// End early once a sequential test of these two Elo differences (errors 5 %) has its answer
    #[arg(long, value_names = ["ELO0", "ELO1"], num_args = 2, allow_negative_numbers = true, value_parser = real)]
    pub sprt: Option<Vec<f64>>,
    /// What the test's bounds are
    #[arg(long, value_name = "MODEL", default_value = "logistic", requires = "sprt")]
    pub elo_model: EloModel,
    /// Write the games as PGN
    #[arg(long, value_name = "FILE")]
    pub pgn: Option<PathBuf>,
    /// Write a row for each game as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the summary as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

impl ValueEnum for EloModel {
    fn value_variants<'a>() -> &'a [EloModel] {
        &[EloModel::Logistic, EloModel::Normalised]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(match self {
            EloModel::Logistic => clap::builder::PossibleValue::new("logistic"),
            EloModel::Normalised => clap::builder::PossibleValue::new("normalised"),
        })
    }
}

impl MatchArgs {
    /// The limit for engines that have none of their own.
    #[must_use]
    pub fn limit(&self) -> Limit {
        let depth = self.depth.map(Limit::Depth);
        let limit = depth.or(self.movetime.map(Limit::Movetime)).or(self.tc);
        limit.unwrap_or(Limit::Nodes(self.nodes.unwrap_or(1_000)))
    }

    /// The test that was asked for.
    ///
    /// # Errors
    /// If its bounds make no test.
    pub fn test(&self) -> anyhow::Result<Option<Sprt>> {
        let Some([elo0, elo1]) = self.sprt.as_deref() else { return Ok(None) };
        let test = Sprt::new(*elo0, *elo1, 0.05, 0.05, self.elo_model);
        test.map(Some).map_err(|error| anyhow::anyhow!("--sprt: {error}"))
    }

    /// The outputs that were asked for, none of them another's or an input's name; and the journal beside the first.
    fn outputs(&self) -> anyhow::Result<(Vec<PathBuf>, Option<PathBuf>)> {
        let outputs = [("--pgn", &self.pgn), ("--csv", &self.csv), ("--json", &self.json)];
        let outputs: Vec<_> =
            outputs.into_iter().filter_map(|(option, path)| Some((option, path.clone()?))).collect();
        let journal = outputs.first().map(|(_, path)| Journal::beside(path));
        let mut known = super::read_files([&self.ruleset], None);
        known.extend(self.engines.iter().flat_map(EngineSpec::files));
        known.extend(journal.clone());
        let mut paths = Vec::new();
        for (option, path) in outputs {
            expect_new(option, &path, &known)?;
            known.push(path.clone());
            paths.push(path);
        }
        Ok((paths, journal))
    }
}

/// What stops a match.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error(transparent)]
    Arena(#[from] ArenaError),
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// Adds up what is played.
struct Tally<'a> {
    terms: &'a Terms,
    test: Option<Sprt>,
    names: [&'a str; 2],
    summary: MatchSummary,
    cpu: [Duration; 2],
    files: Files<'a>,
    journal: Option<Journal>,
    /// Games so far, and a note about them.
    progress: Sender<(u64, String)>,
}

impl Sink<Stop> for Tally<'_> {
    fn finished(&mut self, pair: &Pair) -> Result<(), Stop> {
        Ok(self.journal.as_mut().map_or(Ok(()), |journal| journal.keep(pair))?)
    }

    fn next(&mut self, pair: Pair) -> Result<ControlFlow<()>, Stop> {
        self.summary.add(&pair);
        for (sum, part) in self.cpu.iter_mut().zip(pair.cpu) {
            *sum = sum.saturating_add(part);
        }
        self.files.add(self.terms, self.names, &pair)?;
        let _ = self.progress.send((self.summary.games(), self.summary.note(self.test)));
        let decided = self.test.is_some_and(|test| self.summary.sprt(test).verdict != SprtVerdict::Continue);
        Ok(if decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

impl<'a> Tally<'a> {
    /// Gives the outputs their names and removes the journal: summary, processor time of each engine, and paths. A match that
    /// was stopped keeps its journal, unless there is no game to go on with.
    fn end(self, played: Result<(), Stop>) -> anyhow::Result<(MatchSummary, [Duration; 2], Vec<&'a Path>)> {
        let Tally { terms, test, summary, cpu, files, journal, .. } = self;
        let played = played.map_err(anyhow::Error::from);
        let paths = played.and_then(|()| files.commit(&summary.json(terms, test)));
        interrupt::end();
        if let Some(journal) = journal.filter(|journal| paths.is_ok() || journal.pairs() == 0) {
            journal.remove()?;
        }
        Ok((summary, cpu, paths?))
    }
}

/// Plays the match and says what it adds up to.
pub(super) fn run(args: &MatchArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    let [first, second] = args.engines.as_slice() else {
        bail!("--engine: found {} of them, expected two", args.engines.len());
    };
    if !args.games.is_multiple_of(2) {
        bail!("--games: found {}, expected an even number: games come in pairs", args.games);
    }
    let (outputs, journal) = args.outputs()?;
    let test = args.test()?;
    let reading = load_reading(&args.ruleset)?;
    let specs = [first, second];
    let limits = specs.map(|spec| spec.limit(args.limit()));
    for (spec, limit) in specs.into_iter().zip(limits) {
        spec.check(limit).map_err(anyhow::Error::msg)?;
    }
    let engines: [Loaded; 2] = [first.load(&reading)?, second.load(&reading)?];
    let mut names = specs.map(ToString::to_string);
    if names[0] == names[1] {
        for (name, number) in names.iter_mut().zip(["#1", "#2"]) {
            *name = format!("{name} {number}");
        }
    }
    let terms = Terms {
        judge: Arc::new(load_evaluator(&reading, None)?),
        reading,
        limits,
        seed: args.seed,
        opening_plies: args.opening_plies,
        max_plies: args.max_plies,
        margin_ms: args.time_margin,
    };
    let pairs = args.games / 2;
    terms.config(pairs).check_as(&terms.reading.rules, &flag)?;
    probe(&outputs)?;
    let mut done = BTreeMap::new();
    let journal = match &journal {
        None => None,
        Some(path) => {
            let head = journal::head(&terms, specs, &engines, &crate::program::signature())?;
            let (journal, kept) = Journal::open(path, &head, &terms)?;
            if let Some(warning) = journal.warning() {
                let _ = writeln!(err, "warning: {warning}");
            }
            if let Some((&last, _)) = kept.last_key_value().filter(|(last, _)| **last >= pairs) {
                bail!(
                    "--games: found {}, but {} keeps games up to number {} of an interrupted match: expected as many as \
                     that match has; or delete the file or choose another output name to begin anew",
                    args.games,
                    path.display(),
                    last.saturating_add(1).saturating_mul(2)
                );
            }
            interrupt::begin(path);
            done = kept;
            Some(journal)
        }
    };
    let before = 2 * done.len() as u64;
    let files = Files::create(args)?;
    let work = |progress| {
        let mut tally = Tally {
            terms: &terms,
            test,
            names: names.each_ref().map(String::as_str),
            summary: MatchSummary::new(names.clone(), limits),
            cpu: [Duration::ZERO; 2],
            files,
            journal,
            progress,
        };
        let played = play_match(&terms, &engines, pairs, threads(args.concurrency), done, &mut tally);
        tally.end(played)
    };
    let mut progress = Progress::new("match", args.games, err);
    let (summary, cpu, paths) = shown(work, |sums| {
        if before > 0 {
            progress.say(&format!("resumes after {before} games"));
        }
        progress.skip(before);
        sums.iter().for_each(|(games, note)| progress.set(games, &note));
    })?;
    progress.finish();
    for (name, cpu) in names.iter().zip(cpu) {
        let _ = writeln!(err, "CPU time of {name}: {:.2} s", cpu.as_secs_f64());
    }
    writeln!(out, "ruleset: {}", terms.reading.rules.id)?;
    write!(out, "{summary}")?;
    if let Some(status) = test.map(|test| summary.sprt(test)) {
        let (elo0, elo1) = status.test.elos();
        let verdict = match status.verdict {
            SprtVerdict::H0 => "H0 is accepted",
            SprtVerdict::H1 => "H1 is accepted",
            SprtVerdict::Continue => "no answer yet",
        };
        let (llr, lower, upper) = (status.llr, status.lower, status.upper);
        writeln!(out, "sprt of {elo0} against {elo1}: llr {llr:.2} ({lower:.2} to {upper:.2}), {verdict}")?;
    }
    for path in paths {
        writeln!(out, "wrote {}", path.display())?;
    }
    Ok(())
}
