//! Engines as processes: each in a group of its own, which is killed with the player, or when this program dies.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use acedrex_engine::rules::Reading;

use super::player::{Answer, Failure, Fault, Player, Turn};
use super::spec::Launch;

/// Time for an engine to start and to make itself ready.
pub(super) const READY: Duration = Duration::from_secs(10);
/// Time for a move that is limited by nodes or depth.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);
/// Time past the end of an engine's own after which it hangs; before that it has lost on time.
pub(super) const GRACE: Duration = Duration::from_secs(1);
/// Bytes of a line beyond which it is cut.
const MOST_BYTES: u64 = 1 << 16;
/// Lines that wait to be read; an engine that says more waits too.
const MOST_LINES: usize = 1_024;

/// A running engine and its protocol.
pub(super) trait Dialogue: Send {
    /// Begins a game.
    fn new_game(&mut self, reading: &Reading) -> Result<(), Failure>;

    /// Asks for a move; the engine may give up instead.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<Answer, Failure>;

    /// The process.
    fn process(&self) -> &Process;
}

/// Starts a command and learns what it can do.
pub(super) type Start = fn(Process, &Reading, &Launch) -> Result<Box<dyn Dialogue>, Failure>;

/// A player that is a process. It starts with its first game, and again after a crash or a hang.
pub(super) struct ProcessPlayer {
    launch: Launch,
    start: Start,
    running: Option<Box<dyn Dialogue>>,
    /// Of processes that have ended.
    cpu: Duration,
}

impl ProcessPlayer {
    pub(super) fn new(launch: Launch, start: Start) -> ProcessPlayer {
        ProcessPlayer { launch, start, running: None, cpu: Duration::ZERO }
    }

    fn end(&mut self) {
        if let Some(running) = self.running.take() {
            self.cpu += running.process().cpu();
        }
    }

    fn ready(&mut self, reading: &Reading) -> Result<(), Failure> {
        let mut running = match self.running.take() {
            Some(running) => running,
            None => (self.start)(Process::start(&self.launch.command)?, reading, &self.launch)?,
        };
        let result = running.new_game(reading);
        self.running = Some(running);
        result
    }
}

impl Player for ProcessPlayer {
    fn new_game(&mut self, reading: &Reading) -> Result<(), Failure> {
        let result = self.ready(reading);
        if result.is_err() {
            self.end();
        }
        result
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Answer, Failure> {
        let Some(running) = &mut self.running else { return Err((Fault::Crash, "no process".into())) };
        let result = running.choose(turn);
        if matches!(result, Err((Fault::Crash | Fault::Hang, _))) {
            self.end();
        }
        result
    }

    fn cpu(&self) -> Duration {
        self.cpu + self.running.as_ref().map_or(Duration::ZERO, |running| running.process().cpu())
    }
}

/// A process whose lines are read as they come.
pub(super) struct Process {
    group: Group,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    fn start(command: &[String]) -> Result<Process, Failure> {
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
        Ok(Process { group, input, lines })
    }

    pub(super) fn say(&mut self, text: &str) -> Result<(), Failure> {
        let said = writeln!(self.input, "{text}").and_then(|()| self.input.flush());
        said.map_err(|error| {
            (Fault::Crash, self.group.fate().unwrap_or_else(|| format!("cannot be written to: {error}")))
        })
    }

    /// The next line.
    pub(super) fn line(&mut self, deadline: Instant) -> Result<String, Failure> {
        let left = deadline.saturating_duration_since(Instant::now());
        // Lines may wait without end where an engine says more than is read.
        if left.is_zero() {
            return Err((Fault::Hang, "no answer in time".into()));
        }
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => (Fault::Hang, "no answer in time".into()),
            RecvTimeoutError::Disconnected => {
                (Fault::Crash, self.group.fate().unwrap_or_else(|| "it closed its output".into()))
            }
        })
    }

    /// Reads up to a line with this text, past lines that `other` has nothing against.
    pub(super) fn await_line(
        &mut self,
        text: &str,
        other: &mut dyn FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let deadline = Instant::now() + READY;
        loop {
            let line = self.line(deadline)?;
            if line.trim() == text {
                return Ok(());
            }
            other(line.trim())?;
        }
    }

    /// Processor time of the process, all its threads together, to a hundredth of a second.
    fn cpu(&self) -> Duration {
        // The 14th and 15th fields are user and system time in ticks.
        let fields = stat(self.group.child.id());
        let ticks: u64 = fields.iter().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
        Duration::from_millis(10 * ticks)
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

    /// How the process ended, if it did. It is not waited for: see below.
    fn fate(&self) -> Option<String> {
        // Its pipes close a moment before it is said to be dead.
        for _ in 0..20 {
            let fields = stat(self.child.id());
            if fields.first().is_none_or(|state| state == "Z") {
                let code = fields.get(49).and_then(|code| code.parse::<i32>().ok()).unwrap_or(0);
                return Some(match code & 0x7f {
                    0 => format!("it ended with exit status {}", code >> 8),
                    signal => format!("it was ended by signal {signal}"),
                });
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

/// What the system tells of a process, from the third field on: its state is the first.
fn stat(process: u32) -> Vec<String> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    fields.split_whitespace().map(str::to_owned).collect()
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
