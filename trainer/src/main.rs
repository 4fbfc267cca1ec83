//! The `acedrex-trainer` command.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match acedrex_engine::cli::check_cpu() {
        Ok(()) => run(),
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Kept out of line, so that nothing compiled for newer processors runs before the check.
#[inline(never)]
fn run() -> ExitCode {
    // Not locked: a progress bar writes to the same terminal.
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    let code = acedrex_trainer::cli::run(std::env::args_os(), &mut out, &mut err);
    let _ = out.flush();
    ExitCode::from(code)
}
