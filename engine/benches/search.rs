//! Evaluation, exchanges and search: `cargo bench -p acedrex-engine --bench search [-- FILTER]`.

#![expect(clippy::expect_used, reason = "a benchmark may stop where a test would")]

use acedrex_engine::eval::{EvalMemory, Evaluator, Weights};
use acedrex_engine::game::Position;
use acedrex_engine::rules::{Reading, builtin};
use acedrex_engine::search::{Limits, Search, see_at_least};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Reading and position; no FEN is the start.
const CASES: [(&str, Option<&str>); 4] = [
    ("cazaux-musser", None),
    (
        "cazaux-musser",
        Some(
            "3g2k1g3/12/r1c7u1/1ppa1ppp2p1/p1lp4p2r/5P2Cp1p/1P6P3/P1P5l2P/2P1P1PP2PL/5RG5/6C3A1/R1U1L2KG3 b - 6 35",
        ),
    ),
    ("murray", None),
    ("shatranj", None),
];

fn cases() -> impl Iterator<Item = usize> {
    0..CASES.len()
}

fn load(case: usize) -> (Position, Evaluator) {
    let (id, fen) = CASES[case];
    let reading = Reading::new(builtin(id).expect("a built-in ruleset"));
    let evaluator = Evaluator::new(&reading, &Weights::from_mobility(&reading));
    let position = match fen {
        Some(fen) => Position::from_fen(&reading, fen).expect("a valid position"),
        None => Position::start(&reading),
    };
    (position, evaluator)
}

/// Every term counted anew.
#[divan::bench(args = cases())]
fn evaluate(bencher: Bencher<'_, '_>, case: usize) {
    let (position, evaluator) = load(case);
    bencher.bench_local(|| evaluator.evaluate(position.reading(), black_box(position.board())));
}

/// As the search does it: after each legal move, with what was remembered of the position before.
#[divan::bench(args = cases())]
fn evaluate_moves(bencher: Bencher<'_, '_>, case: usize) {
    let (position, evaluator) = load(case);
    let (reading, mut board) = (position.reading(), position.board().clone());
    let (moves, mut memory) = (position.legal_moves(), EvalMemory::new());
    bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
        for &mv in &moves {
            let undo = board.make(&reading.tables, mv);
            let placed = evaluator.placed(&board);
            black_box(evaluator.evaluate_with(reading, &board, placed, &mut memory));
            board.unmake(&reading.tables, mv, undo);
        }
    });
}

/// Static exchange evaluation of every legal move.
#[divan::bench(args = cases())]
fn exchanges(bencher: Bencher<'_, '_>, case: usize) {
    let (position, evaluator) = load(case);
    let (tables, board, moves) = (&position.reading().tables, position.board(), position.legal_moves());
    let (values, order) = (evaluator.piece_values(), evaluator.cheap_first());
    bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
        let moves = black_box(&moves).iter();
        moves.filter(|&&mv| see_at_least(tables, board, values, order, mv, 0)).count()
    });
}

/// Ten thousand nodes from an empty table.
#[divan::bench(args = cases(), sample_count = 20)]
fn search_nodes(bencher: Bencher<'_, '_>, case: usize) {
    const NODES: u64 = 10_000;
    let (position, evaluator) = load(case);
    let mut search = Search::new(4);
    bencher.counter(ItemsCount::new(NODES)).bench_local(|| {
        search.clear();
        search.run(&position, &evaluator, &Limits::nodes(NODES), |_| {}).best
    });
}
