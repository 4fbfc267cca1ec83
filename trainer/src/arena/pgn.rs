//! Games as PGN: moves in coordinates from the reading's array.

use std::fmt::Write;

use acedrex_engine::game::Position;
use acedrex_engine::rules::Reading;
use acedrex_engine::types::Score;

use super::pair::{ArenaGame, Ending};
use crate::selfplay::End;
use std::sync::Arc;

/// Columns that move text keeps within.
const WIDTH: usize = 80;

/// A game with its tags. Moves are commented with `{score/depth}`, the mover's score in pawns, or `{book}` for those of
/// the opening; the last comment says why the game ended. Nothing in it depends on the time or the machine.
#[must_use]
pub fn pgn(reading: &Arc<Reading>, names: [&str; 2], game: &ArenaGame) -> String {
    let start = Position::start(reading);
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    tag("Event", "Grant Acedrex match");
    tag("Site", "?");
    tag("Date", "????.??.??");
    tag("Round", &format!("{}.{}", game.pair + 1, game.white + 1));
    tag("White", names[game.white]);
    tag("Black", names[1 - game.white]);
    tag("Result", &game.result.to_string());
    tag("Variant", &reading.rules.id);
    tag("SetUp", "1");
    tag("FEN", &start.fen());
    tag("PlyCount", &game.plies.len().to_string());
    tag("Termination", termination(&game.ending));
    text.push('\n');
    let mut line = 0;
    let mut word = |word: &str| {
        let length = word.chars().count();
        if line > 0 && line + 1 + length > WIDTH {
            text.push('\n');
            line = 0;
        } else if line > 0 {
            text.push(' ');
            line += 1;
        }
        text.push_str(word);
        line += length;
    };
    for (index, ply) in game.plies.iter().enumerate() {
        if index.is_multiple_of(2) {
            word(&format!("{}.", index / 2 + 1));
        }
        word(&ply.text);
        if index < game.opening_plies {
            word("{book}");
        } else if let (Some(score), Some(depth)) = (ply.score_cp, ply.depth) {
            word(&format!("{{{}/{depth}}}", pawns(score)));
        }
    }
    for part in format!("{{{}}}", reason(game, names)).split_whitespace() {
        word(part);
    }
    word(&game.result.to_string());
    text.push_str("\n\n");
    text
}

/// A score in pawns with a sign and two decimals.
fn pawns(score: Score) -> String {
    let sign = if score < 0 { '-' } else { '+' };
    let size = score.unsigned_abs();
    format!("{sign}{}.{:02}", size / 100, size % 100)
}

/// The value that the PGN standard (9.8.1) has for it.
const fn termination(ending: &Ending) -> &'static str {
    use super::player::Fault;
    match ending {
        Ending::Board(End::Rule(_)) | Ending::Resignation { .. } => "normal",
        Ending::Board(End::AdjudicatedKings | End::AdjudicatedScore) => "adjudication",
        Ending::Board(End::PlyCap) => "unterminated",
        Ending::Fault { fault: Fault::TimeLoss, .. } => "time forfeit",
        Ending::Fault { fault: Fault::IllegalMove | Fault::WrongClaim, .. } => "rules infraction",
        Ending::Fault { fault: Fault::Crash | Fault::Hang, .. } => "abandoned",
    }
}

fn reason(game: &ArenaGame, names: [&str; 2]) -> String {
    // A comment has no way to hold its own end.
    let clean = |text: &str| text.replace(['{', '}'], "'");
    match &game.ending {
        Ending::Board(end) => end.to_string(),
        Ending::Fault { engine, detail, .. } | Ending::Resignation { engine, detail } => {
            format!("{} of {}: {}", game.ending, clean(names[*engine]), clean(detail))
        }
    }
}
