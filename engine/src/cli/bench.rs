use std::io::Write;
use std::time::Instant;

use super::source::{load_evaluator, load_reading};
use crate::game::Position;
use crate::search::{Limits, Search};

/// Depth of the bench searches, in plies.
pub const BENCH_DEPTH: u32 = 6;

/// Openings, middle games and end games of several readings.
const POSITIONS: &[(&str, &str)] = &[
    (
        "cazaux-musser",
        "rlugcakcgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCAKCGULR w g1g12 0 1",
    ),
    (
        "cazaux-musser",
        "rl3a1cg1lr/2L1u2k4/12/pp1pppp1p1pp/2p4p1p2/4g4c2/12/12/PPuPPP1PPPPP/5U3C2/10A1/R2GC1K1GULR w g1 0 12",
    ),
    (
        "cazaux-musser",
        "3g2k1g3/12/r1c7u1/1ppa1ppp2p1/p1lp4p2r/5P2Cp1p/1P6P3/P1P5l2P/2P1P1PP2PL/5RG5/6C3A1/R1U1L2KG3 b - 6 35",
    ),
    (
        "murray",
        "rlugckacgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCKACGULR w c1f1j1c12f12j12 0 1",
    ),
    (
        "murray",
        "r1ugc5lr/12/6kauc2/pl3pp1pppp/1ppCp2p4/12/12/5P1P1PP1/PPPPP1P4P/4g2K4/2A1C1R4U/RLUG4G1L1 b c1c12 2 21",
    ),
    (
        "chess-variant-pages",
        "r3c4ulr/4l7/5c6/1pppkp1p1p2/6p1p2p/p2Pp3g1pa/P3P1P1P1PP/5P3P2/1P1P2CP4/2Cg4A3/R3LK6/2UG3LGU1R w - 5 27",
    ),
    (
        "codex-literal",
        "rlugcakcgulr/12/12/pppppppppppp/12/12/12/12/PPPPPPPPPPPP/12/12/RLUGCAKCGULR w g1g12 0 1",
    ),
    ("shatranj", "rnb1qb1r/ppkp3p/2p2pp1/3n4/P2p3P/RPQ3P1/2P1PP2/1NBK1BNR w - 2 14"),
];

/// Searches every position to [`BENCH_DEPTH`]: the total of nodes, equal on every machine.
///
/// # Errors
/// If a built-in ruleset or position cannot be read, which would be a bug.
pub fn bench_nodes() -> anyhow::Result<u64> {
    let mut nodes = 0;
    let limits = Limits::depth(BENCH_DEPTH);
    let mut search = Search::new(16);
    for (ruleset, fen) in POSITIONS {
        let reading = load_reading(ruleset)?;
        let position = Position::from_fen(&reading, fen)?;
        search.clear();
        nodes += search.run(&position, &load_evaluator(&reading, None)?, &limits, |_| {}).nodes;
    }
    Ok(nodes)
}

pub(super) fn run(out: &mut dyn Write) -> anyhow::Result<()> {
    let started = Instant::now();
    let nodes = bench_nodes()?;
    let nps = nodes as f64 / started.elapsed().as_secs_f64().max(1e-9);
    writeln!(out, "bench {nodes} nodes {nps:.0} nps")?;
    Ok(())
}
