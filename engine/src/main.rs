//! The `acedrex` command.
fn main() {}
