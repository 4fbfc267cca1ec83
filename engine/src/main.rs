//! The `acedrex` command.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use acedrex_engine::cli;

fn main() -> ExitCode {
    match cli::check_cpu() {
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
    // Standard error is not locked: a thread that dies must be able to say so.
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr());
    // A user interface that starts the bare command says first which protocol it speaks.
    let spoken = if std::env::args_os().len() > 1 || std::io::stdin().is_terminal() {
        Ok(false)
    } else {
        cli::speak_detected(&mut out)
    };
    let code = match spoken {
        Ok(false) => cli::run(std::env::args_os(), &mut out, &mut err),
        other => cli::finish(other, &mut err),
    };
    let _ = out.flush();
    ExitCode::from(code)
}
