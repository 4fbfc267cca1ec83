use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use acedrex_engine::cli::{load_evaluator, load_reading};
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::selfplay::threads;
use super::{Progress, expect_new};
use crate::arena::{
    ArenaError, EloModel, EngineSpec, Limit, Loaded, MatchSummary, Pair, Sprt, SprtVerdict, Terms, pgn,
    play_match,
};
use crate::output::Output;

/// Arguments of `match`.
#[derive(Args)]
#[command(
    after_help = "Engines: internal[:weights=FILE,hash=MIB,nodes=N|depth=N|movetime=MS], uci:COMMAND or cecp:COMMAND. Games come in \
                  pairs with colours swapped, from a random opening that a search calls balanced. Results are the first \
                  engine's; an unfinished game counts as half a point. With --nodes or --depth and internal engines \
                  they do not depend on --concurrency.\n\n\
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
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(2..=1_000_000_000))]
    pub games: u64,
    /// Search nodes for each move [default: 1000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000), conflicts_with_all = ["depth", "movetime", "tc"])]
    pub nodes: Option<u64>,
    /// Search depth for each move in plies
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=64), conflicts_with_all = ["movetime", "tc"])]
    pub depth: Option<u32>,
    /// Milliseconds for each move
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000), conflicts_with = "tc")]
    pub movetime: Option<u64>,
    /// Seconds for the game, and seconds that each move adds, such as 10+0.1
    #[arg(long, value_name = "BASE+INC", value_parser = parse_clock)]
    pub tc: Option<Limit>,
    /// Games at once [default: as many as the machine runs at once]
    #[arg(long, value_name = "C", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub concurrency: Option<u16>,
    /// Seed of the openings
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Random plies of each opening, an even number
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub opening_plies: u16,
    /// Plies after which a game is left unfinished, random ones included
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub max_plies: u16,
    /// End early once a sequential test of these two Elo differences (errors 5 %) has its answer
    #[arg(long, value_names = ["ELO0", "ELO1"], num_args = 2, allow_negative_numbers = true)]
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

fn parse_clock(text: &str) -> Result<Limit, String> {
    let ms = |text: &str| {
        let seconds: f64 = text.parse().ok()?;
        // A day is more than any game needs.
        (0.0..=86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds).as_millis())
    };
    let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
    let parts = ms(base).and_then(|base| u64::try_from(base).ok()).zip(ms(increment));
    match parts.and_then(|(base, increment)| Some((base, u64::try_from(increment).ok()?))) {
        Some((base_ms, increment_ms)) if base_ms > 0 => Ok(Limit::Clock { base_ms, increment_ms }),
        _ => Err("expected seconds and an increment, such as 10+0.1".into()),
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

    fn outputs(&self) -> anyhow::Result<()> {
        let outputs = [("--pgn", &self.pgn), ("--csv", &self.csv), ("--json", &self.json)];
        let mut known: Vec<PathBuf> = Vec::new();
        for (option, path) in outputs.into_iter().filter_map(|(option, path)| Some((option, path.as_ref()?)))
        {
            expect_new(option, path, &known)?;
            known.push(path.clone());
        }
        Ok(())
    }
}

/// The outputs that were asked for, in the making.
struct Files<'a> {
    pgn: Option<(Output, &'a Path)>,
    csv: Option<(csv::Writer<Output>, &'a Path)>,
}

impl<'a> Files<'a> {
    fn create(args: &'a MatchArgs) -> anyhow::Result<Files<'a>> {
        let pgn =
            args.pgn.as_deref().map(|path| Ok::<_, anyhow::Error>((create(path)?, path))).transpose()?;
        let csv = args.csv.as_deref().map(|path| {
            let mut writer = csv::Writer::from_writer(create(path)?);
            writer.write_record(["pair", "game", "white", "black", "result", "reason", "plies", "points"])?;
            Ok::<_, anyhow::Error>((writer, path))
        });
        Ok(Files { pgn, csv: csv.transpose()? })
    }

    fn add(&mut self, terms: &Terms, names: [&str; 2], pair: &Pair) -> anyhow::Result<()> {
        for game in &pair.games {
            if let Some((file, path)) = &mut self.pgn {
                let written = file.write_all(pgn(&terms.reading, names, game).as_bytes());
                written.with_context(|| format!("cannot write {}", path.display()))?;
            }
            if let Some((writer, path)) = &mut self.csv {
                let points = game.half_points() as f64 / 2.0;
                let row = [
                    (game.pair + 1).to_string(),
                    (game.white + 1).to_string(),
                    names[game.white].to_owned(),
                    names[1 - game.white].to_owned(),
                    game.result.to_string(),
                    game.ending.to_string(),
                    game.plies.len().to_string(),
                    points.to_string(),
                ];
                writer.write_record(row).with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        Ok(())
    }

    fn commit(self, out: &mut dyn Write) -> anyhow::Result<()> {
        if let Some((file, path)) = self.pgn {
            commit(file, path, out)?;
        }
        if let Some((writer, path)) = self.csv {
            let file = writer.into_inner().map_err(|error| anyhow::anyhow!("{}", error.error()));
            commit(file.with_context(|| format!("cannot write {}", path.display()))?, path, out)?;
        }
        Ok(())
    }
}

fn create(path: &Path) -> anyhow::Result<Output> {
    Output::create(path).with_context(|| format!("cannot write {}", path.display()))
}

fn commit(file: Output, path: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    file.commit().with_context(|| format!("cannot write {}", path.display()))?;
    writeln!(out, "wrote {}", path.display())?;
    Ok(())
}

/// What stops a match.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error(transparent)]
    Arena(#[from] ArenaError),
    #[error(transparent)]
    Other(#[from] anyhow::Error),
}

/// Plays the match and says what it adds up to.
pub(super) fn run(args: &MatchArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    let [first, second] = args.engines.as_slice() else {
        bail!("--engine: found {} engines, expected two", args.engines.len());
    };
    if !args.games.is_multiple_of(2) {
        bail!("--games: found {}, expected an even number: games come in pairs", args.games);
    }
    args.outputs()?;
    let test = args.test()?;
    let reading = load_reading(&args.ruleset)?;
    let limits = [first, second].map(|spec| spec.limit(args.limit()));
    for (spec, limit) in [first, second].into_iter().zip(limits) {
        spec.check(limit).map_err(anyhow::Error::msg)?;
    }
    let engines: [Loaded; 2] = [first.load(&reading)?, second.load(&reading)?];
    let mut names = [first.to_string(), second.to_string()];
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
    };
    let mut files = Files::create(args)?;
    let json = args.json.as_deref().map(|path| Ok::<_, anyhow::Error>((create(path)?, path))).transpose()?;
    let mut summary = MatchSummary::new(names.clone(), limits);
    let names = names.each_ref().map(String::as_str);
    let mut cpu = [Duration::ZERO; 2];
    let mut progress = Progress::new("match", args.games, err);
    let mut sink = |pair: Pair| -> Result<ControlFlow<()>, Stop> {
        summary.add(&pair);
        for (sum, part) in cpu.iter_mut().zip(pair.cpu) {
            *sum += part;
        }
        files.add(&terms, names, &pair)?;
        progress.set(summary.games(), &summary.note(test));
        let decided = test.is_some_and(|test| summary.sprt(test).verdict != SprtVerdict::Continue);
        Ok(if decided { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    };
    let concurrency = threads(args.concurrency);
    play_match(&terms, &engines, args.games / 2, concurrency, &mut sink)?;
    progress.finish();
    for (name, cpu) in names.iter().zip(cpu) {
        writeln!(err, "CPU time of {name}: {:.2} s", cpu.as_secs_f64())?;
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
    files.commit(out)?;
    if let Some((mut file, path)) = json {
        let value = summary.json(&terms.reading.rules.id, args.seed, test);
        let written = serde_json::to_writer_pretty(&mut file, &value).map_err(std::io::Error::from);
        let written = written.and_then(|()| writeln!(file));
        written.with_context(|| format!("cannot write {}", path.display()))?;
        commit(file, path, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_refused() {
        let clock = |base_ms, increment_ms| Ok(Limit::Clock { base_ms, increment_ms });
        assert_eq!(parse_clock("10+0.1"), clock(10_000, 100));
        assert_eq!(parse_clock("0.2+0.002"), clock(200, 2));
        assert_eq!(parse_clock("60"), clock(60_000, 0));
        for text in ["", "+", "0+1", "-1+0", "1+x", "nan", "1e9"] {
            assert!(parse_clock(text).is_err(), "{text}");
        }
    }
}
