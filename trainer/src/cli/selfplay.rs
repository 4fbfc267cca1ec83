use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use acedrex_engine::cli::{load_reading, load_weights};
use acedrex_engine::eval::Evaluator;
use clap::{Args, ValueEnum};

use super::Progress;
use crate::dataset::play_to_file;
use crate::selfplay::{Adjudication, Config, OpeningConfig, OpeningKind, weights_id};

/// Arguments of `selfplay`.
#[derive(Args)]
#[command(
    after_help = "Games depend on rules, weights, seed, game number and the options above, never on --threads.\n\n\
                  Example: acedrex-trainer selfplay --ruleset murray --games 1000 --nodes 1000 --seed 7 --out murray.acd"
)]
pub struct SelfplayArgs {
    /// A built-in ruleset's id or the path of a ruleset file
    #[arg(long, value_name = "R", default_value = "cazaux-musser")]
    pub ruleset: String,
    /// Number of games
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub games: u64,
    /// Search nodes for each move
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub nodes: u64,
    /// Seed of all random choices
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Threads [default: as many as the machine runs at once]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Which random openings to keep: all, or those that a search calls balanced (these say nothing about the worth
    /// of the first move)
    #[arg(long, value_name = "KIND", default_value = "uniform")]
    pub opening: OpeningKind,
    /// Random plies at the start of each game, an even number
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub opening_plies: u16,
    /// Largest score of a balanced opening for either side, in centipawns
    #[arg(long, value_name = "CP", default_value_t = OpeningConfig::default().margin_cp)]
    pub margin: u16,
    /// Nodes of the search that judges whether an opening is balanced
    #[arg(long, value_name = "N", default_value_t = OpeningConfig::default().check_nodes)]
    pub check_nodes: u64,
    /// Play with dice
    #[arg(long)]
    pub dice: bool,
    /// Call a game won once this score has stood for so many plies, such as 1500:8 [default: play to the end]
    #[arg(long, value_name = "CP:PLIES", value_parser = parse_adjudication)]
    pub adjudicate: Option<Adjudication>,
    /// Play on when only the kings are left and the rules do not end the game
    #[arg(long)]
    pub play_on_kings: bool,
    /// Plies after which a game is left unfinished, random ones included
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub max_plies: u16,
    /// Number of the first game: for playing one run in several parts
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first_game: u64,
    /// Transposition table of each game in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1)]
    pub hash: u16,
    /// A weights file [default: those built in, or values from mobility]
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// The dataset to write
    #[arg(long, value_name = "F", default_value = "data/runs/selfplay.acd")]
    pub out: PathBuf,
}

impl ValueEnum for OpeningKind {
    fn value_variants<'a>() -> &'a [OpeningKind] {
        &[OpeningKind::Balanced, OpeningKind::Uniform]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()))
    }
}

fn parse_adjudication(text: &str) -> Result<Adjudication, String> {
    let parts = text.split_once(':').and_then(|(cp, plies)| Some((cp.parse().ok()?, plies.parse().ok()?)));
    let (score_cp, plies) = parts.ok_or("expected centipawns and plies, such as 1500:8")?;
    Ok(Adjudication { score_cp, plies })
}

impl SelfplayArgs {
    /// The configuration that the arguments describe.
    #[must_use]
    pub fn config(&self) -> Config {
        Config {
            games: self.games,
            first_game: self.first_game,
            nodes: self.nodes,
            seed: self.seed,
            opening: OpeningConfig {
                kind: self.opening,
                plies: self.opening_plies,
                margin_cp: self.margin,
                check_nodes: self.check_nodes,
            },
            dice: self.dice,
            adjudication: self.adjudicate,
            kings_draw: !self.play_on_kings,
            max_plies: self.max_plies,
            hash_mib: self.hash,
        }
    }
}

/// The number of threads asked for, or as many as the machine runs at once.
pub(super) fn threads(asked: Option<u16>) -> usize {
    let available = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or_else(available, usize::from)
}

/// Plays the games and says what they add up to.
pub(super) fn run(args: &SelfplayArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    super::expect_new("--out", &args.out, &super::read_files([&args.ruleset], args.weights.as_deref()))?;
    let reading = load_reading(&args.ruleset)?;
    let weights = load_weights(&reading, args.weights.as_deref())?;
    let (evaluator, weights) = (Evaluator::new(&reading, &weights), weights_id(&reading.rules, &weights));
    let config = args.config();
    let mut progress = Progress::new("selfplay", config.games, err);
    let mut report = |summary: &crate::selfplay::Summary| {
        progress.set(summary.counts.games, &format!("{} positions", summary.counts.positions));
    };
    let threads = threads(args.threads);
    let summary = play_to_file(&reading, &evaluator, &weights, &config, threads, &args.out, &mut report)?;
    progress.finish();
    writeln!(out, "ruleset: {}", reading.rules.id)?;
    write!(out, "{}", summary.counts)?;
    writeln!(out, "nodes: {}", summary.nodes)?;
    writeln!(out, "wrote {}", args.out.display())?;
    Ok(())
}
