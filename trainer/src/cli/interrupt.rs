use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use crate::output::remove_partials;

/// Exit status of a program that SIGINT ended, as shells say it.
const INTERRUPTED: i32 = 130;
/// How long the last word may wait for a terminal or pipe that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The journal and the outputs of the work that runs.
static RUNNING: Mutex<Option<(PathBuf, Vec<PathBuf>)>> = Mutex::new(None);

/// From here on SIGINT, SIGTERM or SIGHUP ends the program with a word about how to go on. Where one of them is ignored
/// or handled already, all stay as they are. Engines die with this program, whatever ends it.
pub(super) fn begin(journal: &Path, outputs: &[PathBuf]) {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some((journal.to_owned(), outputs.to_owned()));
    // A second piece of work in one process finds the handler there.
    let _ = ctrlc::try_set_handler(|| {
        if let Some((journal, outputs)) = &*RUNNING.lock().unwrap_or_else(PoisonError::into_inner) {
            outputs.iter().for_each(|output| remove_partials(output));
            say(format!(
                "\ninterrupted: finished games are kept in {}; the same command goes on from there",
                journal.display()
            ));
        }
        std::process::exit(INTERRUPTED);
    });
}

/// Says something on standard error, if anyone listens.
fn say(text: String) {
    let (sender, said) = mpsc::channel();
    let _ = std::thread::Builder::new().spawn(move || {
        let _ = writeln!(std::io::stderr(), "{text}");
        let _ = sender.send(());
    });
    let _ = said.recv_timeout(PATIENCE);
}

/// The work has ended: there is nothing to go on with.
pub(super) fn end() {
    *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = None;
}
