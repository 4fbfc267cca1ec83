//! Grant Acedrex: rules as data, move generation, evaluation, search and the protocols of user interfaces.
//!
//! Data flows one way: `types -> rules -> board -> movegen -> game -> eval -> search -> protocol`.
//! No module here opens a file: the command line does.
#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod board;
pub mod cli;
pub mod eval;
pub mod game;
pub mod movegen;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod types;
