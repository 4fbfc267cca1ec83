//! Out: what tells this program from others that would play otherwise.

use std::sync::OnceLock;

/// Name and version of the program, and the signature of its search: games of another search are not taken up again.
#[must_use]
pub fn signature() -> String {
    static BENCH: OnceLock<u64> = OnceLock::new();
    let bench = BENCH.get_or_init(|| acedrex_engine::cli::bench_nodes().unwrap_or(0));
    format!("acedrex-trainer {}, bench {bench}", env!("CARGO_PKG_VERSION"))
}
