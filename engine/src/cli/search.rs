use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;

use super::position::ensure_die;
use super::source::{load_evaluator, load_position};
use super::{SearchLimits, Which};
use crate::game::Position;
use crate::search::{Info, Limits, Search, search_dice};
use crate::types::{Score, mate_in_plies};

/// The score in words: `cp 31`, or `mate 3` in moves, negative for being mated.
fn score_text(score: Score) -> String {
    match mate_in_plies(score) {
        None => format!("cp {score}"),
        Some(plies) => format!("mate {}", if plies > 0 { (plies + 1) / 2 } else { plies / 2 }),
    }
}

/// One line about a finished iteration.
fn info_text(position: &Position, info: &Info<'_>) -> String {
    let ms = info.time.as_millis();
    let nps = info.nodes as f64 / info.time.as_secs_f64().max(1e-6);
    let mut line = position.clone();
    let mut pv = String::new();
    for &mv in info.pv {
        pv.push(' ');
        pv.push_str(&line.format_move(mv));
        line.play(mv);
    }
    let score = score_text(info.score);
    format!("info depth {} score {score} nodes {} nps {nps:.0} time {ms} pv{pv}", info.depth, info.nodes)
}

/// Searches, with an `info` line an iteration, then `bestmove MOVE`, or `bestmove none`.
pub(super) fn run(
    which: &Which,
    limits: &SearchLimits,
    die: Option<u8>,
    hash: u32,
    weights: Option<&Path>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let position = load_position(which)?;
    let evaluator = load_evaluator(position.reading(), weights)?;
    let mut limits = Limits {
        nodes: limits.nodes,
        depth: limits.depth,
        time: limits.movetime.map(Duration::from_millis),
        ..Limits::default()
    };
    if limits == Limits::default() {
        limits.nodes = Some(1_000_000);
    }
    let mut failed = Ok(());
    let report = |info: &Info<'_>| {
        if failed.is_ok() {
            failed = writeln!(out, "{}", info_text(&position, info)).and_then(|()| out.flush());
        }
    };
    let result = match die {
        None => Search::try_new(hash as usize)
            .with_context(|| format!("--hash {hash}: there is not so much memory; expected fewer MiB"))?
            .run(&position, &evaluator, &limits, report),
        Some(die) => {
            ensure_die(&position, die)?;
            search_dice(&position, &evaluator, die, &limits, report)
        }
    };
    failed?;
    let best = result.best.map_or("none".to_owned(), |mv| position.format_move(mv));
    writeln!(out, "bestmove {best}")?;
    Ok(())
}
