//! The `acedrex` command.

use std::io::Write;
use std::process::ExitCode;

use acedrex_engine::cli;

fn main() -> ExitCode {
    match cli::check_cpu() {
        Ok(()) => run(),
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Kept out of line, so that nothing compiled for newer processors runs before the check.
#[inline(never)]
fn run() -> ExitCode {
    let (mut out, mut err) = (std::io::stdout().lock(), std::io::stderr().lock());
    let code = cli::run(std::env::args_os(), &mut out, &mut err);
    let _ = out.flush();
    ExitCode::from(code)
}
