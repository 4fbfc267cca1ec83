use std::io::Write;
use std::time::Instant;

use super::Which;
use super::source::load_position;
use crate::movegen::{divide, perft, perft_parallel};

/// A pool of this many threads.
pub(super) fn pool(threads: u16) -> anyhow::Result<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build();
    pool.map_err(|error| anyhow::anyhow!("cannot start {threads} threads: {error}"))
}

/// Counts, with the rate in millions of nodes a second.
pub(super) fn run(
    depth: u32,
    which: &Which,
    split: bool,
    threads: u16,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let position = load_position(which)?;
    let (tables, board) = (&position.reading().tables, position.board());
    let pool = pool(threads)?;
    let started = Instant::now();
    let nodes = if split && depth > 0 {
        let counts = pool.install(|| divide(tables, board, depth));
        let mut lines: Vec<(String, u64)> =
            counts.iter().map(|(mv, nodes)| (position.format_move(*mv), *nodes)).collect();
        lines.sort_unstable();
        for (mv, nodes) in lines {
            writeln!(out, "{mv} {nodes}")?;
        }
        counts.iter().map(|(_, nodes)| nodes).sum()
    } else if threads == 1 {
        perft(tables, &mut board.clone(), depth)
    } else {
        pool.install(|| perft_parallel(tables, board, depth))
    };
    let seconds = started.elapsed().as_secs_f64();
    writeln!(out, "{:.1} M nodes/s in {seconds:.3} s", nodes as f64 / seconds.max(1e-9) / 1e6)?;
    writeln!(out, "nodes {nodes}")?;
    Ok(())
}
