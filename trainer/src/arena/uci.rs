//! Engines as processes: each in a group of its own, which is killed with the player, or when this program dies.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use acedrex_engine::rules::Reading;
use acedrex_engine::types::{MATE, Score};

use super::player::{Choice, Failure, Fault, Limit, Player, Turn};

/// Time for an engine to start and to make itself ready.
const READY: Duration = Duration::from_secs(10);
/// Time for a move that is limited by nodes or depth.
const PATIENCE: Duration = Duration::from_secs(120);
/// Time past the end of an engine's own after which it hangs; before that it has lost on time.
const GRACE: Duration = Duration::from_secs(1);
/// Bytes of a line beyond which it is cut.
const MOST_BYTES: u64 = 1 << 16;
/// Lines that wait to be read; an engine that says more waits too.
const MOST_LINES: usize = 1_024;

/// A process that speaks UCI. It starts with its first game, and again after a fault.
pub(super) struct UciPlayer {
    command: Vec<String>,
    process: Option<Process>,
    /// Of processes that have ended.
    cpu: Duration,
}

struct Process {
    group: Group,
    input: ChildStdin,
    lines: Receiver<String>,
    /// True if the engine can be told the variant.
    variant: bool,
}

impl UciPlayer {
    pub(super) fn new(command: &[String]) -> UciPlayer {
        UciPlayer { command: command.to_owned(), process: None, cpu: Duration::ZERO }
    }

    fn end(&mut self) {
        if let Some(process) = self.process.take() {
            self.cpu += process.cpu();
        }
    }

    fn ready(&mut self, reading: &Reading) -> Result<(), Failure> {
        if self.process.is_none() {
            self.process = Some(Process::start(&self.command, reading)?);
        }
        let Some(process) = &mut self.process else { return Err((Fault::Crash, "no process".into())) };
        process.say("ucinewgame\nisready")?;
        let deadline = Instant::now() + READY;
        while process.line(deadline)?.trim() != "readyok" {}
        Ok(())
    }
}

impl Player for UciPlayer {
    fn new_game(&mut self, reading: &Reading) -> Result<(), Failure> {
        let result = self.ready(reading);
        if result.is_err() {
            self.end();
        }
        result
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Failure> {
        let Some(process) = &mut self.process else { return Err((Fault::Crash, "no process".into())) };
        let result = process.choose(turn);
        if matches!(result, Err((Fault::Crash | Fault::Hang, _))) {
            self.end();
        }
        result
    }

    fn cpu(&self) -> Duration {
        self.cpu + self.process.as_ref().map_or(Duration::ZERO, Process::cpu)
    }
}

impl Process {
    fn start(command: &[String], reading: &Reading) -> Result<Process, Failure> {
        let crash = |error: std::io::Error| {
            (Fault::Crash, format!("cannot start {:?}: {error}", command.first().map_or("", String::as_str)))
        };
        let Some((program, arguments)) = command.split_first() else {
            return Err((Fault::Crash, "no command".into()));
        };
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(crash)?;
        let mut group = Group::guard(child).map_err(crash)?;
        let (Some(input), Some(output)) = (group.child.stdin.take(), group.child.stdout.take()) else {
            return Err((Fault::Crash, "no pipes".into()));
        };
        let (sender, lines) = sync_channel(MOST_LINES);
        std::thread::spawn(move || read_lines(output, &sender));
        let mut process = Process { group, input, lines, variant: false };
        process.say("uci")?;
        let deadline = Instant::now() + READY;
        loop {
            let line = process.line(deadline)?;
            match line.trim() {
                "uciok" => break,
                line => process.variant |= line.starts_with("option name UCI_Variant "),
            }
        }
        if process.variant {
            process.say(&format!("setoption name UCI_Variant value {}", reading.rules.id))?;
        }
        Ok(process)
    }

    fn say(&mut self, text: &str) -> Result<(), Failure> {
        let said = writeln!(self.input, "{text}").and_then(|()| self.input.flush());
        said.map_err(|error| (Fault::Crash, format!("cannot be written to: {error}")))
    }

    /// The next line.
    fn line(&mut self, deadline: Instant) -> Result<String, Failure> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => (Fault::Hang, "no answer in time".into()),
            RecvTimeoutError::Disconnected => (Fault::Crash, "it closed its output".into()),
        })
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Choice, Failure> {
        let start = if self.variant {
            "startpos".to_owned()
        } else {
            let start = acedrex_engine::game::Position::start(turn.position.reading());
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
        self.say(&format!("position {start}{moves}\ngo {go}"))?;
        let deadline = Instant::now() + patience;
        let (mut score_cp, mut depth) = (None, None);
        loop {
            let line = self.line(deadline)?;
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

    /// Processor time of the process (its first thread, where the system counts no further).
    fn cpu(&self) -> Duration {
        let path = format!("/proc/{}/schedstat", self.group.child.id());
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse().ok());
        Duration::from_nanos(nanoseconds.unwrap_or(0))
    }
}

/// A process and all that it starts.
struct Group {
    child: Child,
    /// A shell that waits for the end of its input, however that comes about, and kills the group then.
    guard: Child,
}

impl Group {
    fn guard(mut child: Child) -> std::io::Result<Group> {
        let guard = Command::new("sh")
            .args(["-c", "read _; kill -s KILL -- \"-$0\"", &child.id().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn();
        match guard {
            Ok(guard) => Ok(Group { child, guard }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The child is waited for last: until then its number is that of its group and of nothing else.
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(output: ChildStdout, sender: &SyncSender<String>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut bytes = Vec::new();
        match reader.by_ref().take(MOST_BYTES).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if sender.send(String::from_utf8_lossy(&bytes).into_owned()).is_err() {
            return;
        }
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
