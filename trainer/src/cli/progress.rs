use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Does work on a thread of its own and shows on this one what it sends, so that a terminal or pipe that takes nothing does
/// not keep what is finished from the disk.
pub(super) fn shown<T: Send, R: Send>(
    work: impl FnOnce(Sender<T>) -> R + Send,
    show: impl FnOnce(Receiver<T>),
) -> R {
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let worker = scope.spawn(move || work(sender));
        show(receiver);
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Time between plain lines.
const EVERY: Duration = Duration::from_secs(5);

/// Shows how far a long command is: a bar where standard error is a terminal, otherwise a line every few seconds.
pub struct Progress<'a> {
    label: String,
    total: u64,
    done: u64,
    /// What was done before: it is no work of this process.
    skipped: u64,
    started: Instant,
    shown: Instant,
    bar: Option<ProgressBar>,
    err: &'a mut dyn Write,
}

impl<'a> Progress<'a> {
    /// Begins at 0 of `total`. Plain lines go to `err`.
    pub fn new(label: &str, total: u64, err: &'a mut dyn Write) -> Progress<'a> {
        let now = Instant::now();
        let label = label.to_owned();
        Progress { bar: bar(&label, total), label, total, done: 0, skipped: 0, started: now, shown: now, err }
    }

    /// So much of a step is done; a new label ends the step before it.
    pub fn step(&mut self, label: &str, done: u64, total: u64, note: &str) {
        if label != self.label {
            self.end();
            let now = Instant::now();
            (self.label, self.total, self.started, self.shown) = (label.to_owned(), total, now, now);
            self.skipped = 0;
            self.bar = bar(label, total);
        }
        self.set(done, note);
    }

    /// So much more was done before, and counts in no rate.
    pub fn skip(&mut self, done: u64) {
        self.skipped += done;
        if let Some(bar) = &self.bar {
            bar.inc(done);
            bar.reset_eta();
        }
    }

    /// Says something besides.
    pub fn say(&mut self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => drop(writeln!(self.err, "{text}")),
        }
    }

    /// Says what may be wrong.
    pub fn warn(&mut self, warning: &str) {
        self.say(&format!("warning: {warning}"));
    }

    /// So much is done, what was done before included; `note` says more about it.
    pub fn set(&mut self, done: u64, note: &str) {
        self.done = done;
        if let Some(bar) = &self.bar {
            bar.set_message(note.to_owned());
            bar.set_position(done);
        } else if self.shown.elapsed() >= EVERY {
            self.shown = Instant::now();
            let line = self.line(self.started.elapsed(), note);
            let _ = writeln!(self.err, "{line}");
        }
    }

    /// How far it is after this time.
    fn line(&self, elapsed: Duration, note: &str) -> String {
        let (done, rate) = (self.done, self.rate(elapsed));
        let left = self.total.saturating_sub(done) as f64 / rate;
        let left = if left.is_finite() { format!(", about {left:.0} s left") } else { String::new() };
        format!("{}: {done} of {} ({rate:.1} a second{left}), {note}", self.label, self.total)
    }

    fn rate(&self, elapsed: Duration) -> f64 {
        self.done.saturating_sub(self.skipped) as f64 / elapsed.as_secs_f64().max(1e-3)
    }

    /// Removes the bar, and says how long it took. Dropped before that, it says nothing.
    pub fn finish(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.done == 0 {
            return;
        }
        let elapsed = self.started.elapsed();
        let (seconds, rate) = (elapsed.as_secs_f64(), self.rate(elapsed));
        let _ = writeln!(
            self.err,
            "{}: {} of {} in {seconds:.1} s ({rate:.1} a second)",
            self.label, self.done, self.total
        );
    }
}

fn bar(label: &str, total: u64) -> Option<ProgressBar> {
    std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::new(total);
        let style = "{prefix} {wide_bar} {pos}/{len} {per_sec} eta {eta} {msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.set_prefix(label.to_owned());
        bar
    })
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_before_counts_as_done_and_in_no_rate() {
        let mut err = Vec::new();
        let mut progress = Progress::new("games", 1_000, &mut err);
        progress.skip(500);
        progress.set(503, "");
        let line = progress.line(Duration::from_secs(1), "a note");
        assert_eq!(line, "games: 503 of 1000 (3.0 a second, about 166 s left), a note");
        progress.set(500, "");
        assert_eq!(progress.line(Duration::from_secs(1), "x"), "games: 500 of 1000 (0.0 a second), x");
    }
}
