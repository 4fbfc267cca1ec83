//! What the `acedrex` command does, one function a subcommand.

pub mod check;
pub mod rulesets;
pub mod source;
