//! Processes that speak UCI.

use std::time::{Duration, Instant};

use acedrex_engine::game::Position;
use acedrex_engine::rules::Reading;
use acedrex_engine::types::{MATE, Score};

use super::player::{Choice, Failure, Fault, Limit, Turn};
use super::process::{Dialogue, GRACE, PATIENCE, Process, READY};

struct Uci {
    process: Process,
    /// True if the engine can be told the variant.
    variant: bool,
}

/// The handshake, and the variant.
pub(super) fn start(mut process: Process, reading: &Reading) -> Result<Box<dyn Dialogue>, Failure> {
    process.say("uci")?;
    let deadline = Instant::now() + READY;
    let mut variant = false;
    loop {
        let line = process.line(deadline)?;
        match line.trim() {
            "uciok" => break,
            line => variant |= line.starts_with("option name UCI_Variant "),
        }
    }
    if variant {
        process.say(&format!("setoption name UCI_Variant value {}", reading.rules.id))?;
    }
    Ok(Box::new(Uci { process, variant }))
}

impl Dialogue for Uci {
    fn new_game(&mut self, _: &Reading) -> Result<(), Failure> {
        self.process.say("ucinewgame\nisready")?;
        let deadline = Instant::now() + READY;
        while self.process.line(deadline)?.trim() != "readyok" {}
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Failure> {
        let start = if self.variant {
            "startpos".to_owned()
        } else {
            let start = Position::start(turn.position.reading());
            format!("fen {}", start.fen())
        };
        let moves =
            if turn.moves.is_empty() { String::new() } else { format!(" moves {}", turn.moves.join(" ")) };
        let [white, black] = turn.left_ms;
        let (go, patience) = match turn.limit {
            Limit::Nodes(nodes) => (format!("nodes {nodes}"), PATIENCE),
            Limit::Depth(depth) => (format!("depth {depth}"), PATIENCE),
            Limit::Movetime(ms) => (format!("movetime {ms}"), Duration::from_millis(ms) + GRACE),
            Limit::Clock { increment_ms: more, .. } => (
                format!("wtime {white} btime {black} winc {more} binc {more}"),
                Duration::from_millis(turn.left_ms[turn.position.board().side().index()]) + GRACE,
            ),
        };
        self.process.say(&format!("position {start}{moves}\ngo {go}"))?;
        let deadline = Instant::now() + patience;
        let (mut score_cp, mut depth) = (None, None);
        loop {
            let line = self.process.line(deadline)?;
            let mut words = line.split_whitespace();
            match words.next() {
                Some("info") => {
                    let words: Vec<&str> = words.collect();
                    score_cp = score_of(&words).or(score_cp);
                    depth = number_after(&words, "depth").or(depth);
                }
                Some("bestmove") => {
                    let text = words.next().unwrap_or("");
                    if matches!(text, "(none)" | "0000" | "none") {
                        return Err((Fault::WrongClaim, format!("bestmove {text} in a game that goes on")));
                    }
                    let mv = turn.position.parse_move(text);
                    let mv = mv.map_err(|error| (Fault::IllegalMove, error.to_string()))?;
                    return Ok(Choice { mv, score_cp, depth });
                }
                _ => {}
            }
        }
    }

    fn process(&self) -> &Process {
        &self.process
    }
}

fn number_after<T: std::str::FromStr>(words: &[&str], name: &str) -> Option<T> {
    let at = words.iter().position(|&word| word == name)?;
    words.get(at + 1)?.parse().ok()
}

fn score_of(words: &[&str]) -> Option<Score> {
    if let Some(moves) = number_after::<i32>(words, "mate").filter(|moves| moves.unsigned_abs() < 128) {
        return Some(if moves > 0 { MATE - 2 * moves + 1 } else { -MATE - 2 * moves });
    }
    number_after::<Score>(words, "cp").map(|cp| cp.clamp(-MATE, MATE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_info_lines() {
        let score = |text: &str| score_of(&text.split(' ').collect::<Vec<_>>());
        assert_eq!(score("depth 3 score cp -17 nodes 5"), Some(-17));
        assert_eq!(score("score mate 1"), Some(MATE - 1));
        assert_eq!(score("score mate -1"), Some(2 - MATE));
        assert_eq!(score("depth 3"), None);
        assert_eq!(score("score cp"), None);
    }
}
