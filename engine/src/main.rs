//! The `acedrex` command.

use std::path::PathBuf;
use std::process::ExitCode;

mod cli;

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout().lock();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["rulesets"] => cli::rulesets::run_rulesets(None, &mut out)?,
        ["rulesets", which] => cli::rulesets::run_rulesets(Some(which), &mut out)?,
        ["check", files @ ..] if !files.is_empty() => {
            let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
            return Ok(ExitCode::from(u8::from(!cli::check::run_check(&files, &mut out)?)));
        }
        _ => {
            eprintln!("usage: acedrex rulesets [RULESET] | check FILE...");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}
