//! Processes that speak version 2 of the Chess Engine Communication Protocol, with `setboard` or without.

use std::time::{Duration, Instant};

use acedrex_engine::rules::Reading;
use acedrex_engine::types::MATE;

use super::player::{Choice, Failure, Fault, Limit, Turn};
use super::process::{Dialogue, GRACE, PATIENCE, Process, READY};

/// Fairy-Max's name of the rules that these readings describe.
const FAIRY_MAX: (&str, [&str; 2]) = ("grande-acedrex", ["cazaux-musser", "shamax"]);
/// Fairy-Max's option for the moves without progress that make a draw.
const CLAIM: &str = "Claim draw after";

struct Cecp {
    process: Process,
    variant: String,
    /// True if moves are preceded by `usermove`.
    usermove: bool,
    ping: bool,
    claim: bool,
    pings: u32,
    /// Moves of the game that the engine knows.
    known: usize,
    /// True once it plays: it then answers a move without being asked.
    playing: bool,
}

/// The handshake.
pub(super) fn start(mut process: Process, reading: &Reading) -> Result<Box<dyn Dialogue>, Failure> {
    process.say("xboard\nprotover 2")?;
    let deadline = Instant::now() + READY;
    let mut features = String::new();
    while !features.contains("done=1") {
        let line = process.line(deadline)?;
        if let Some(more) = line.trim().strip_prefix("feature ") {
            features.push(' ');
            features.push_str(more);
        }
    }
    let known =
        features.split_once(" variants=\"").and_then(|(_, rest)| rest.split('"').next()).unwrap_or("");
    let has = |name: &str| known.split(',').any(|known| known.trim() == name);
    let id = reading.rules.id.as_str();
    let variant = if has(id) {
        id
    } else if FAIRY_MAX.1.contains(&id) && has(FAIRY_MAX.0) {
        FAIRY_MAX.0
    } else {
        return Err((Fault::Crash, format!("it does not know the variant {id}")));
    };
    Ok(Box::new(Cecp {
        process,
        variant: variant.to_owned(),
        usermove: features.contains(" usermove=1"),
        ping: features.contains(" ping=1"),
        claim: features.contains(CLAIM),
        pings: 0,
        known: 0,
        playing: false,
    }))
}

impl Cecp {
    fn settle(&mut self) -> Result<(), Failure> {
        if !self.ping {
            return Ok(());
        }
        self.pings += 1;
        self.process.say(&format!("ping {}", self.pings))?;
        let (pong, deadline) = (format!("pong {}", self.pings), Instant::now() + READY);
        while self.process.line(deadline)?.trim() != pong {}
        Ok(())
    }
}

impl Dialogue for Cecp {
    fn new_game(&mut self, reading: &Reading) -> Result<(), Failure> {
        // `force` first: an engine that thinks gives up its game.
        self.process.say(&format!("force\nnew\nvariant {}\nforce\npost\neasy", self.variant))?;
        if self.claim {
            let moves = (reading.rules.end.no_progress_plies / 2).min(200);
            self.process.say(&format!("option {CLAIM}={moves}"))?;
        }
        (self.known, self.playing) = (0, false);
        self.settle()
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Failure> {
        let side = turn.position.board().side().index();
        let mut text = String::new();
        let patience = match turn.limit {
            Limit::Nodes(_) => return Err((Fault::Crash, "the protocol has no limit of nodes".into())),
            // Without a clock that lasts, an engine may save time on one that it imagines.
            Limit::Depth(depth) => {
                if !self.playing {
                    text.push_str(&format!("level 0 600 0\nsd {depth}\n"));
                }
                PATIENCE
            }
            Limit::Movetime(ms) => {
                if !self.playing {
                    text.push_str(&format!("st {}\n", ms / 1_000));
                }
                Duration::from_millis(ms) + GRACE
            }
            Limit::Clock { base_ms, increment_ms } => {
                if !self.playing {
                    let (seconds, more) = (base_ms / 1_000, increment_ms as f64 / 1_000.0);
                    text.push_str(&format!("level 0 {}:{:02} {more}\n", seconds / 60, seconds % 60));
                }
                let [own, other] = [turn.left_ms[side] / 10, turn.left_ms[1 - side] / 10];
                text.push_str(&format!("time {own}\notim {other}\n"));
                Duration::from_millis(turn.left_ms[side]) + GRACE
            }
        };
        for mv in &turn.moves[self.known..] {
            text.push_str(if self.usermove { "usermove " } else { "" });
            text.push_str(mv);
            text.push('\n');
        }
        if !self.playing {
            text.push_str("go\n");
        }
        self.process.say(text.trim_end())?;
        (self.known, self.playing) = (turn.moves.len() + 1, true);
        let deadline = Instant::now() + patience;
        let (mut score_cp, mut depth) = (None, None);
        loop {
            let line = self.process.line(deadline)?;
            let line = line.trim();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["move", text, ..] => {
                    // What a pawn becomes is a matter of the file: a letter that names it otherwise changes nothing.
                    let squares = text.trim_end_matches(|c: char| !c.is_ascii_digit());
                    let mv = turn.position.parse_move(squares);
                    let mv = mv.map_err(|error| (Fault::IllegalMove, error.to_string()))?;
                    return Ok(Choice { mv, score_cp, depth });
                }
                ["1-0" | "0-1" | "1/2-1/2" | "resign", ..] => {
                    return Err((Fault::WrongClaim, format!("{line:?} in a game that goes on")));
                }
                ["Illegal", "move", ..] | ["Illegal", "move:", ..] => {
                    return Err((Fault::WrongClaim, format!("{line:?} of a legal move")));
                }
                [plies, score, time, nodes, ..] => {
                    let numbers = time.parse::<u64>().is_ok() && nodes.parse::<u64>().is_ok();
                    if let (Ok(plies), Ok(score), true) = (plies.parse(), score.parse::<i32>(), numbers) {
                        (score_cp, depth) = (Some(score.clamp(-MATE, MATE)), Some(plies));
                    }
                }
                _ => {}
            }
        }
    }

    fn process(&self) -> &Process {
        &self.process
    }
}
