//! Whole-system properties, in one binary.
#![allow(clippy::unwrap_used, reason = "a test that meets an error has failed")]

/// Published and independently counted answers: perft, endings, dice.
mod answers;
/// Every command line, in process: what it prints, how it ends, and what it says of mistakes.
mod cli;
/// Readings, positions and rulesets made up at random.
mod common;
/// The dataset format, read by a program in another language.
mod dataset;
/// Evaluation: the tuner's coefficients give the search's score; mirror images and colours are worth the same.
mod eval;
/// FEN and moves as text: the rules' section 6, sentence by sentence.
mod fen;
/// Ten thousand malformed inputs: a clear error each, and never a panic.
mod malformed;
/// A reading and its mirror image are the same game.
mod mirror;
/// The engine's modules import from earlier stages only.
mod order;
/// Every command of the README runs as printed.
mod readme;
/// The fast generator against the slow one, over all readings and rulesets made up at random.
mod reference;
/// Searches: mates found, limits kept, results reproduced.
mod search;
/// The trainer's command line: flags, study files and datasets that are wrong in thousands of ways.
mod trainer;
