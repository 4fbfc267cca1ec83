use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};

use super::perft::pool;
use super::source::load_reading;
use crate::game::Position;
use crate::movegen::perft_parallel;

/// Deepest count, in plies, as on the command line.
const MAX_DEPTH: u32 = 64;

/// One position of a suite and the counts it must give.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) id: String,
    pub(super) line: usize,
    pub(super) fen: String,
    pub(super) counts: Vec<(u32, u64)>,
}

/// Reads blocks of `id NAME`, `epd FEN` and `perft DEPTH NODES` lines; `#` starts a comment line.
pub(super) fn parse(file: &str, text: &str) -> anyhow::Result<Vec<Case>> {
    let mut cases: Vec<Case> = Vec::new();
    let mut id = String::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "id" => rest.trim().clone_into(&mut id),
            "epd" => {
                let fen = rest.trim().to_owned();
                cases.push(Case { id: std::mem::take(&mut id), line: number, fen, counts: Vec::new() });
            }
            "perft" => {
                let mut numbers = rest.split_ascii_whitespace();
                let depth = numbers.next().and_then(|n| n.parse().ok()).filter(|depth| *depth <= MAX_DEPTH);
                let nodes = numbers.next().and_then(|n| n.parse().ok());
                match (depth, nodes, numbers.next(), cases.last_mut()) {
                    (Some(depth), Some(nodes), None, Some(case)) => case.counts.push((depth, nodes)),
                    (_, _, _, None) => {
                        bail!("{file}:{number}: found perft before any position, expected epd FEN")
                    }
                    _ => bail!(
                        "{file}:{number}: found {line:?}, expected perft DEPTH NODES, the depth at most {MAX_DEPTH}"
                    ),
                }
            }
            _ => bail!("{file}:{number}: found {word:?}, expected id, epd or perft at the start of the line"),
        }
    }
    if cases.is_empty() {
        bail!("{file}: found no position, expected blocks of id, epd and perft lines");
    }
    Ok(cases)
}

/// Checks a suite: a line for each wrong count, then how many positions passed and failed. True if none failed.
pub(super) fn run(
    suite: &Path,
    ruleset: Option<&str>,
    threads: u16,
    max_nodes: u64,
    out: &mut dyn Write,
) -> anyhow::Result<bool> {
    let file = suite.display().to_string();
    let text = std::fs::read_to_string(suite).with_context(|| format!("cannot read the suite {file}"))?;
    let stem = suite.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let reading = load_reading(ruleset.unwrap_or(stem))
        .with_context(|| format!("no ruleset for {file}: name one with --ruleset"))?;
    let pool = pool(threads)?;
    let (mut passed, mut failed) = (0, 0);
    for case in parse(&file, &text)? {
        let mut good = true;
        let mut counted = 0;
        match Position::from_fen(&reading, &case.fen) {
            Err(error) => {
                writeln!(out, "{file}:{}: {}: {error}", case.line, case.id)?;
                good = false;
            }
            Ok(position) => {
                for &(depth, expected) in case.counts.iter().filter(|count| count.1 <= max_nodes) {
                    let found = pool.install(|| perft_parallel(&reading.tables, position.board(), depth));
                    counted += 1;
                    if found != expected {
                        writeln!(
                            out,
                            "{file}:{}: {}: perft {depth}: found {found}, expected {expected}",
                            case.line, case.id
                        )?;
                        good = false;
                    }
                }
            }
        }
        if !good {
            failed += 1;
        } else if counted > 0 {
            passed += 1;
        }
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(failed == 0)
}
