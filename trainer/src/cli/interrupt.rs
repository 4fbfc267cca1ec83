use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

use crate::output::abandon;

/// Exit status of a program that SIGINT ended, as shells say it.
const INTERRUPTED: i32 = 130;
/// How long the last word may wait for a terminal or pipe that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// The journal of the work that runs, if it has one.
static JOURNAL: Mutex<Option<PathBuf>> = Mutex::new(None);

/// From here on SIGINT, SIGTERM or SIGHUP ends the program, and what it had not completed goes. Where one of them is ignored
/// or handled already, all stay as they are. Engines die with this program, whatever ends it.
pub(super) fn watch() {
    // A second piece of work in one process finds the handler there.
    let _ = ctrlc::try_set_handler(|| {
        abandon();
        if let Some(journal) = &*JOURNAL.lock().unwrap_or_else(PoisonError::into_inner) {
            say(format!(
                "\ninterrupted: finished games are kept in {}; the same command goes on from there",
                journal.display()
            ));
        }
        std::process::exit(INTERRUPTED);
    });
}

/// As [`watch`], with a word about how to go on from this journal.
pub(super) fn begin(journal: &Path) {
    *JOURNAL.lock().unwrap_or_else(PoisonError::into_inner) = Some(journal.to_owned());
    watch();
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
    *JOURNAL.lock().unwrap_or_else(PoisonError::into_inner) = None;
}
