mod live;

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use acedrex_engine::cli::{load_reading, load_weights};
use acedrex_engine::eval::Evaluator;
use acedrex_engine::rules::Reading;
use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::flags::flag;
use super::numbers::{any, whole};
use super::progress::shown;
use super::{expect_new, interrupt, probe};
use crate::dataset::{DatasetError, Found, Header, Production, expect_own, finished, look, spool_path};
use crate::selfplay::{
    Adjudication, Book, Config, Counts, DrawRule, OpeningConfig, OpeningKind, Resignation, Shard, Softmax,
    Start, Summary, weights_id,
};
use live::Live;

/// The variables in which Slurm's array jobs and Kubernetes' indexed jobs number their tasks from 0.
const INDICES: [&str; 2] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];
/// The highest number of a task in Slurm's array.
const LAST_TASK: &str = "SLURM_ARRAY_TASK_MAX";

/// Arguments of `selfplay`.
#[derive(Args)]
#[command(
    after_help = "Games depend on rules, weights, seed, game number and the options above, never on --threads. Finished games \
                  are kept in .NAME.games beside the dataset: after a kill the same command goes on and ends with the same \
                  bytes; a dataset that is complete already is not played again, and a file of another run is not replaced. \
                  Of games with one opening only the first is kept.\n\n\
                  Shards are written as NAME-I-of-N.acd; `dataset merge` makes of all of them the bytes of the run in one.\n\n\
                  Example: acedrex-trainer selfplay --ruleset murray --games 1000 --nodes 1000 --seed 7 --out murray.acd"
)]
pub struct SelfplayArgs {
    /// A built-in ruleset's id or the path of a ruleset file; given more than once, a dataset for each
    #[arg(long = "ruleset", value_name = "R", default_value = "cazaux-musser")]
    pub rulesets: Vec<String>,
    /// Number of games, of each ruleset
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole(Config::GAMES))]
    pub games: u64,
    /// Search nodes for each move
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = whole(Config::NODES))]
    pub nodes: u64,
    /// Begin no deeper iteration after so many nodes; --nodes stays the end in any case
    #[arg(long, value_name = "N", value_parser = whole(Config::NODES))]
    pub soft_nodes: Option<u64>,
    /// Seed of all random choices
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = any::<u64>)]
    pub seed: u64,
    /// Threads [default: as many as the machine runs at once]
    #[arg(long, value_name = "T", value_parser = whole(1u16..=1024))]
    pub threads: Option<u16>,
    /// Which random openings to keep: all, or those that a search calls balanced (these say nothing about the worth
    /// of the first move)
    #[arg(long, value_name = "KIND", default_value = "uniform")]
    pub opening: OpeningKind,
    /// Random plies at the start of each game, an even number
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = whole(OpeningConfig::PLIES))]
    pub opening_plies: u16,
    /// Largest score of a balanced opening for either side, in centipawns
    #[arg(long, value_name = "CP", default_value_t = OpeningConfig::default().margin_cp, value_parser = whole(OpeningConfig::MARGIN_CP))]
    pub margin: u16,
    /// Nodes of the search that judges whether an opening is balanced
    #[arg(long, value_name = "N", default_value_t = OpeningConfig::default().check_nodes, value_parser = whole(OpeningConfig::CHECK_NODES))]
    pub check_nodes: u64,
    /// Begin from the positions of this file, FEN or EPD lines or TOML, in an order that the seed decides
    #[arg(long, value_name = "FILE", conflicts_with = "deletions")]
    pub book: Option<PathBuf>,
    /// Begin from the array without 0 to N men of each side, 1 to 3, drawn anew for each game
    #[arg(long, value_name = "N", value_parser = whole(Start::DELETIONS))]
    pub deletions: Option<u8>,
    /// Draw the moves of the first PLIES searched plies from the best LINES by score, at a temperature in centipawns,
    /// such as 50:8:4; the nodes of a move are shared by its lines
    #[arg(long, value_name = "CP:PLIES:LINES", value_parser = parse_softmax)]
    pub softmax: Option<Softmax>,
    /// Play with dice
    #[arg(long)]
    pub dice: bool,
    #[command(flatten)]
    cuts: CutArgs,
    /// Play on when only the kings are left and the rules do not end the game
    #[arg(long)]
    pub play_on_kings: bool,
    /// Plies after which a game is left unfinished, random ones included
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = whole(Config::MAX_PLIES))]
    pub max_plies: u16,
    /// Number of the first game
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole(Config::FIRST_GAME))]
    pub first_game: u64,
    /// Play only part I, from 0, of N
    #[arg(long, value_name = "I/N", conflicts_with = "shards")]
    pub shard: Option<Shard>,
    /// Play only one part of N: the one that SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX names, from 0
    #[arg(long, value_name = "N", value_parser = any::<u64>)]
    pub shards: Option<u64>,
    /// Transposition table of each game in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1, value_parser = whole(Config::HASH_MIB))]
    pub hash: u16,
    /// A weights file [default: those built in, or values from mobility]
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// Check options and files, those of an interrupted run too, as before the first game, and play nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Report progress as lines of JSON on standard error
    #[arg(long)]
    pub json_progress: bool,
    /// The dataset to write [default: data/runs/selfplay.acd]; with several rulesets the folder of their datasets
    /// [default: data/runs]
    #[arg(long, value_name = "F")]
    pub out: Option<PathBuf>,
}

/// Arguments that cut games short. Without them games are played to their end.
#[derive(Args)]
pub struct CutArgs {
    /// Call a game won once this score has stood for so many plies, such as 1500:8
    #[arg(long, value_name = "CP:PLIES", value_parser = parse_adjudication)]
    pub adjudicate: Option<Adjudication>,
    /// Call a game drawn once the score has kept within this for so many plies, from ply FROM on, such as 10:20:100
    #[arg(long, value_name = "CP:PLIES:FROM", value_parser = parse_draw)]
    pub adjudicate_draw: Option<DrawRule>,
    /// Let a side resign once its own searches have said for so many moves that it is so far behind, such as 1500:5
    #[arg(long, value_name = "CP:MOVES", value_parser = parse_resignation)]
    pub resign: Option<Resignation>,
}

impl CutArgs {
    /// The configuration with these rules.
    #[must_use]
    pub fn apply(&self, config: Config) -> Config {
        Config {
            adjudication: self.adjudicate,
            draw: self.adjudicate_draw,
            resignation: self.resign,
            ..config
        }
    }
}

impl ValueEnum for OpeningKind {
    fn value_variants<'a>() -> &'a [OpeningKind] {
        &[OpeningKind::Balanced, OpeningKind::Uniform]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()))
    }
}

/// Numbers with colons between them.
fn numbers<const N: usize>(text: &str) -> Option<[u16; N]> {
    let numbers: Option<Vec<u16>> = text.split(':').map(|part| part.parse().ok()).collect();
    numbers?.try_into().ok()
}

fn parse_adjudication(text: &str) -> Result<Adjudication, String> {
    let [score_cp, plies] = numbers(text).ok_or("expected centipawns and plies, such as 1500:8")?;
    Ok(Adjudication { score_cp, plies })
}

fn parse_draw(text: &str) -> Result<DrawRule, String> {
    let expected = "expected centipawns, plies and the first ply, such as 10:20:100";
    let [score_cp, plies, from_ply] = numbers(text).ok_or(expected)?;
    Ok(DrawRule { score_cp, plies, from_ply })
}

fn parse_resignation(text: &str) -> Result<Resignation, String> {
    let [score_cp, moves] = numbers(text).ok_or("expected centipawns and moves, such as 1500:5")?;
    Ok(Resignation { score_cp, moves })
}

fn parse_softmax(text: &str) -> Result<Softmax, String> {
    let expected = "expected a temperature in centipawns, plies and lines, such as 50:8:4";
    let [temperature_cp, plies, lines] = numbers(text).ok_or(expected)?;
    Ok(Softmax { temperature_cp, plies, lines })
}

impl SelfplayArgs {
    /// The configuration that the arguments describe, for one reading: its book is loaded.
    ///
    /// # Errors
    /// If the book cannot be read, or has positions that are none of the reading.
    pub fn config(&self, reading: &Arc<Reading>) -> anyhow::Result<Config> {
        let start = match (&self.book, self.deletions) {
            (Some(path), _) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read the book {}", path.display()))?;
                Start::Book(Book::parse(reading, self.seed, &path.display().to_string(), &text)?)
            }
            (None, Some(most)) => Start::Deletions(most),
            (None, None) => Start::Array,
        };
        let config = Config {
            games: self.games,
            first_game: self.first_game,
            nodes: self.nodes,
            soft_nodes: self.soft_nodes,
            seed: self.seed,
            opening: OpeningConfig {
                kind: self.opening,
                plies: self.opening_plies,
                margin_cp: self.margin,
                check_nodes: self.check_nodes,
                start,
            },
            softmax: self.softmax,
            dice: self.dice,
            kings_draw: !self.play_on_kings,
            max_plies: self.max_plies,
            hash_mib: self.hash,
            ..Config::default()
        };
        Ok(self.cuts.apply(config))
    }

    /// The part of the run that was asked for, with the environment as `variable` gives it.
    fn shard(&self, variable: &dyn Fn(&str) -> Option<String>) -> anyhow::Result<Option<Shard>> {
        let Some(count) = self.shards else { return Ok(self.shard) };
        let found: Vec<(&str, String)> =
            INDICES.into_iter().filter_map(|name| Some((name, variable(name)?))).collect();
        let [(name, value)] = &found[..] else {
            let names = INDICES.join(" or ");
            bail!(
                "--shards: found {} of the variables {names} set, expected one; or pass --shard I/N",
                found.len()
            );
        };
        let number = |name: &str, value: &str| -> anyhow::Result<u64> {
            value.parse().map_err(|_| anyhow::anyhow!("{name}: found {value:?}, expected a number"))
        };
        let index = number(name, value)?;
        // All tasks of an array that does not fit fail, not the last ones alone.
        if let Some(last) = variable(LAST_TASK).filter(|_| *name == INDICES[0])
            && number(LAST_TASK, &last)? >= count
            && let Some(most) = count.checked_sub(1)
        {
            bail!(
                "--shards {count}: {LAST_TASK} is {last}, expected at most {most}, since shards are counted from 0: submit \
                 the array with --array=0-{most}"
            );
        }
        Shard::new(index, count)
            .map(Some)
            .map_err(|why| anyhow::anyhow!("--shards: {why} ({name} is {index})"))
    }

    /// The dataset of one of the rulesets.
    fn output(&self, id: &str, shard: Option<Shard>) -> PathBuf {
        let whole = match &self.out {
            Some(folder) if self.rulesets.len() > 1 => folder.join(format!("{id}.acd")),
            Some(file) => file.clone(),
            None if self.rulesets.len() > 1 => Path::new("data/runs").join(format!("{id}.acd")),
            None => PathBuf::from("data/runs/selfplay.acd"),
        };
        shard.map_or_else(|| whole.clone(), |shard| shard.file(&whole))
    }
}

/// The number of threads asked for, or as many as the machine runs at once.
pub(super) fn threads(asked: Option<u16>) -> usize {
    let available = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.map_or_else(available, usize::from)
}

/// One of the datasets to write.
struct Job {
    reading: Arc<Reading>,
    evaluator: Evaluator,
    weights: String,
    config: Config,
    out: PathBuf,
}

impl Job {
    fn header(&self) -> Header {
        Header::new(&self.reading.rules, &self.weights, &self.config)
    }

    /// What is there of it already.
    fn look(&self) -> anyhow::Result<Found> {
        Ok(look(&self.reading, &self.header(), &self.out)?)
    }

    /// What the command would do without `--dry-run`.
    fn prospect(&self) -> anyhow::Result<String> {
        let (games, file) = (self.config.games, self.out.display());
        Ok(match self.look()? {
            Found::Complete => format!("{file} is complete already: would play no game"),
            Found::Games(0) => format!("would play {games} games into {file}"),
            Found::Games(kept) => {
                let rest = games.saturating_sub(kept);
                format!("would go on after {kept} games that are kept, and play {rest} more into {file}")
            }
        })
    }
}

/// All datasets to write, checked before the first game.
fn jobs(args: &SelfplayArgs, shard: Option<Shard>) -> anyhow::Result<Vec<Job>> {
    if args.weights.is_some() && args.rulesets.len() > 1 {
        bail!("--weights: found it with several rulesets, expected one: weights are those of one ruleset");
    }
    let mut known = super::read_files(&args.rulesets, args.weights.as_deref());
    known.extend(args.book.clone());
    let mut jobs: Vec<Job> = Vec::new();
    for ruleset in &args.rulesets {
        let reading = load_reading(ruleset)?;
        let id = reading.rules.id.clone();
        if jobs.iter().any(|job| job.reading.rules.id == id) {
            bail!("--ruleset: found {id} twice, expected each once");
        }
        let weights = load_weights(&reading, args.weights.as_deref())?;
        let run = args.config(&reading)?;
        run.check_as(&reading.rules, &flag)?;
        let config = match shard {
            Some(shard) => shard.of(&run).map_err(|why| {
                let option = if args.shards.is_some() { "--shards" } else { "--shard" };
                anyhow::anyhow!("{option}: {why}")
            })?,
            None => run,
        };
        let out = args.output(&id, shard);
        expect_new("--out", &out, &known)?;
        known.extend([out.clone(), spool_path(&out)]);
        let (evaluator, weights) = (Evaluator::new(&reading, &weights), weights_id(&reading.rules, &weights));
        jobs.push(Job { reading, evaluator, weights, config, out });
    }
    Ok(jobs)
}

/// Plays the games and says what they add up to.
pub(super) fn run(args: &SelfplayArgs, out: &mut dyn Write, err: &mut dyn Write) -> anyhow::Result<()> {
    let shard = args.shard(&|name| std::env::var(name).ok())?;
    let jobs = jobs(args, shard)?;
    for job in &jobs {
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let folders: Vec<&Path> = job.out.ancestors().skip(1).take_while(missing).collect();
        // A pipe would wait for a reader, and that a folder is missing would be found after the last game.
        probe([&job.out])?;
        if args.dry_run {
            // Those that another process has filled since then stay.
            folders.iter().for_each(|folder| drop(std::fs::remove_dir(folder)));
        }
        expect_own(&job.out, &job.header())?;
    }
    if args.dry_run {
        let prospects = jobs.iter().map(Job::prospect).collect::<anyhow::Result<Vec<_>>>()?;
        prospects.iter().try_for_each(|prospect| writeln!(out, "{prospect}"))?;
        return Ok(());
    }
    // What is wrong with those of the first ruleset is found at once in any case, with the others' after its last game.
    jobs.iter().skip(1).try_for_each(|job| job.look().map(drop))?;
    let threads = threads(args.threads);
    let mut live = Live::new(jobs.iter().map(|job| job.config.games).sum(), args.json_progress, err);
    // Nobody may take what is said, and all datasets are written all the same.
    let mut said = Ok(());
    for job in &jobs {
        let id = &job.reading.rules.id;
        if let Some(counts) = finished(&job.out, &job.header())? {
            let last = format!("{} is complete already", job.out.display());
            said = said.and_then(|()| print(out, id, &counts, job.config.games, &last));
            // Those that were dropped are done as well.
            let counts = Counts { games: job.config.games, ..counts };
            live.begin(id, &Summary { counts, ..Summary::default() });
            continue;
        }
        let run = Production::open(&job.reading, &job.evaluator, &job.weights, &job.config, &job.out)?;
        // Not before: what is there may be another process's, which goes on.
        interrupt::begin(&spool_path(&job.out));
        if let Some(warning) = run.warning() {
            live.warn(warning);
        }
        live.begin(id, run.kept());
        let played = shown(
            |sender| run.play(threads, &mut |sums| drop(sender.send(sums.clone()))),
            |sums| sums.iter().for_each(|sums| live.set(&sums)),
        );
        interrupt::end();
        let summary = played.map_err(|error| with_kept(error, &spool_path(&job.out)))?;
        live.end(job.config.games);
        let last = format!("nodes: {}\nwrote {}", summary.nodes, job.out.display());
        said = said.and_then(|()| print(out, id, &summary.counts, job.config.games, &last));
    }
    live.finish();
    Ok(said?)
}

/// An error that stops a run, with a word on the games that were finished before, if any are kept here.
fn with_kept(error: DatasetError, kept: &Path) -> anyhow::Error {
    if !kept.exists() {
        return error.into();
    }
    anyhow::anyhow!(
        "{:#}\nfinished games are kept in {} for the same command: to begin anew with other options delete that file, or \
         choose another output name",
        anyhow::Error::from(error),
        kept.display()
    )
}

fn print(out: &mut dyn Write, id: &str, counts: &Counts, games: u64, last: &str) -> std::io::Result<()> {
    writeln!(out, "ruleset: {id}")?;
    write!(out, "{counts}")?;
    match games.saturating_sub(counts.games) {
        0 => {}
        dropped => writeln!(out, "left out, since an earlier game has the same opening: {dropped}")?,
    }
    writeln!(out, "{last}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: SelfplayArgs,
    }

    fn shard(line: &str, variables: &[(&str, &str)]) -> Result<Option<Shard>, String> {
        let args = Line::try_parse_from(["x"].into_iter().chain(line.split_whitespace())).unwrap().args;
        let lookup = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        args.shard(&lookup).map_err(|error| error.to_string())
    }

    #[test]
    fn the_environment_names_a_shard_only_where_it_is_asked_to() {
        let (slurm, kubernetes) = (("SLURM_ARRAY_TASK_ID", "2"), ("JOB_COMPLETION_INDEX", "2"));
        let third = Ok(Some(Shard::new(2, 3).unwrap()));
        assert_eq!(shard("", &[slurm, kubernetes]), Ok(None));
        assert_eq!(shard("--shard 2/3", &[slurm]), third);
        assert_eq!(shard("--shards 3", &[slurm]), third);
        assert_eq!(shard("--shards 3", &[kubernetes]), third);
        assert!(shard("--shards 3", &[]).unwrap_err().contains("--shard I/N"));
        assert!(shard("--shards 3", &[slurm, kubernetes]).unwrap_err().contains("found 2"));
        assert!(shard("--shards 2", &[slurm]).unwrap_err().contains("expected 0 to 1"));
        assert!(shard("--shards 0", &[slurm]).is_err());
        let named = shard("--shards 3", &[("SLURM_ARRAY_TASK_ID", "two")]).unwrap_err();
        assert!(named.contains("SLURM_ARRAY_TASK_ID: found \"two\""), "{named}");
    }

    #[test]
    fn an_array_of_more_tasks_than_shards_fails_in_every_task() {
        for task in ["0", "2", "3"] {
            let of =
                |last| shard("--shards 3", &[("SLURM_ARRAY_TASK_ID", task), ("SLURM_ARRAY_TASK_MAX", last)]);
            assert_eq!(of("2").is_ok(), task != "3");
            assert!(of("3").unwrap_err().contains("submit the array with --array=0-2"));
        }
        let pod = [("JOB_COMPLETION_INDEX", "2"), ("SLURM_ARRAY_TASK_MAX", "9")];
        assert_eq!(shard("--shards 3", &pod), Ok(Some(Shard::new(2, 3).unwrap())));
    }
}
