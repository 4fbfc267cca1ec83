use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;

use crate::eval::{Evaluator, Weights};
use crate::game::Position;
use crate::rules::{self, Reading, Ruleset};

/// The ruleset with a built-in id, or from the file at a path (with a slash in it, or ending in `.toml`).
///
/// # Errors
/// If the id is unknown, or the file cannot be read or is no valid ruleset.
pub fn load_ruleset(id_or_path: &str) -> anyhow::Result<Ruleset> {
    Ok(rules::resolve(id_or_path, &|path| std::fs::read_to_string(path))?)
}

/// The same, compiled.
///
/// # Errors
/// As [`load_ruleset`].
pub fn load_reading(id_or_path: &str) -> anyhow::Result<Arc<Reading>> {
    Ok(Reading::new(load_ruleset(id_or_path)?))
}

/// The weights in a file; or those built in for these rules; or else values from mobility.
///
/// # Errors
/// If the file cannot be read, or is no weights file of these rules.
pub fn load_weights(reading: &Reading, path: Option<&Path>) -> anyhow::Result<Weights> {
    let Some(path) = path else { return Ok(Weights::default_for(reading)) };
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the weights file {}", path.display()))?;
    Ok(Weights::from_toml(&reading.rules, &path.display().to_string(), &text)?)
}

/// The same, ready to score positions.
///
/// # Errors
/// As [`load_weights`].
pub fn load_evaluator(reading: &Reading, weights: Option<&Path>) -> anyhow::Result<Evaluator> {
    Ok(Evaluator::new(reading, &load_weights(reading, weights)?))
}

/// Prints a weights file.
pub(super) fn print_weights(ruleset: &str, from_mobility: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    let reading = load_reading(ruleset)?;
    let builtin = Weights::builtin_text(&reading.rules).filter(|_| !from_mobility);
    match builtin {
        Some(text) => write!(out, "{text}")?,
        None => {
            let weights = Weights::from_mobility(&reading);
            write!(out, "{}", weights.to_toml(&reading.rules, Weights::ABOUT_MOBILITY))?;
        }
    }
    Ok(())
}

/// The position that `which` names.
///
/// # Errors
/// If the ruleset cannot be loaded or the FEN is wrong.
pub(super) fn load_position(which: &super::Which) -> anyhow::Result<Position> {
    let reading = load_reading(&which.ruleset)?;
    Ok(match &which.fen {
        None => Position::start(&reading),
        Some(fen) => Position::from_fen(&reading, fen)?,
    })
}
