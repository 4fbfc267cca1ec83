use std::io::Write;

use anyhow::ensure;

use super::Which;
use super::source::load_position;
use crate::game::Position;

/// Board, side to move, number of legal moves, outcome.
pub(super) fn show(which: &Which, out: &mut dyn Write) -> anyhow::Result<()> {
    let position = load_position(which)?;
    writeln!(out, "{}", position.reading().rules.title)?;
    write!(out, "{}", position.diagram())?;
    writeln!(out, "{}", position.fen())?;
    let check = if position.in_check() { ", in check" } else { "" };
    writeln!(out, "{} to move{check}", position.board().side())?;
    writeln!(out, "{} legal moves", position.generator().count())?;
    writeln!(out, "{}", position.outcome())?;
    Ok(())
}

/// The legal moves as text, sorted bytewise.
pub(super) fn moves(which: &Which, die: Option<u8>, out: &mut dyn Write) -> anyhow::Result<()> {
    let position = load_position(which)?;
    let moves = match die {
        None => position.legal_moves(),
        Some(die) => {
            ensure_die(&position, die)?;
            position.dice_moves(die)
        }
    };
    let mut moves: Vec<String> = moves.into_iter().map(|mv| position.format_move(mv)).collect();
    moves.sort_unstable();
    for mv in moves {
        writeln!(out, "{mv}")?;
    }
    Ok(())
}

/// Refuses a face of the die that calls no kind of this ruleset.
pub(super) fn ensure_die(position: &Position, die: u8) -> anyhow::Result<()> {
    let rules = &position.reading().rules;
    let called = rules.kinds.iter().any(|kind| kind.pips == Some(die));
    ensure!(
        called,
        "face {die} of the die calls no piece of {}: give the kinds pips in the ruleset",
        rules.id
    );
    Ok(())
}

/// Plays the moves, each checked, and says how the game stands then.
pub(super) fn outcome(which: &Which, moves: &str, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut position = load_position(which)?;
    for (number, text) in moves.split_ascii_whitespace().enumerate() {
        let mv = position.parse_move(text).map_err(|e| anyhow::anyhow!("move {}: {e}", number + 1))?;
        position.play(mv);
    }
    writeln!(out, "{}", position.outcome())?;
    Ok(())
}
