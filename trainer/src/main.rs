//! The `acedrex-trainer` command.
fn main() {}
