//! Move generation by parts: `cargo bench -p acedrex-engine --bench movegen [-- FILTER]`.

#![expect(clippy::expect_used, reason = "a benchmark may stop where a test would")]

use std::sync::Arc;

use acedrex_engine::game::Position;
use acedrex_engine::movegen::{MoveGen, perft, perft_made};
use acedrex_engine::rules::{Reading, builtin};
use acedrex_engine::types::Move;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

/// Name, reading and position; no FEN is the start.
type Case = (&'static str, &'static str, Option<&'static str>);

const CASES: [(&str, &str, Option<&str>); 5] = [
    ("cazaux-musser start", "cazaux-musser", None),
    ("murray start", "murray", None),
    ("chess-variant-pages start", "chess-variant-pages", None),
    (
        "cazaux-musser middle game",
        "cazaux-musser",
        Some(
            "3g2k1g3/12/r1c7u1/1ppa1ppp2p1/p1lp4p2r/5P2Cp1p/1P6P3/P1P5l2P/2P1P1PP2PL/5RG5/6C3A1/R1U1L2KG3 b - 6 35",
        ),
    ),
    (
        "cazaux-musser in check",
        "cazaux-musser",
        Some("5k6/12/12/12/5r6/12/12/12/PPPPPP1PPPPP/12/12/RLUG1K1CGULR w - 0 1"),
    ),
];

fn load(case: Case) -> Position {
    let reading: Arc<Reading> = Reading::new(builtin(case.1).expect("a built-in ruleset"));
    match case.2 {
        Some(fen) => Position::from_fen(&reading, fen).expect("a valid position"),
        None => Position::start(&reading),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    CASES.iter().map(|case| case.0)
}

fn named(name: &str) -> Position {
    load(*CASES.iter().find(|case| case.0 == name).expect("a case of this name"))
}

/// Checks and pins alone.
#[divan::bench(args = names())]
fn checks(bencher: Bencher<'_, '_>, name: &str) {
    let position = named(name);
    let (tables, board) = (&position.reading().tables, position.board());
    bencher.bench_local(|| MoveGen::new(tables, black_box(board)).in_check());
}

/// All legal moves into a list that keeps its memory.
#[divan::bench(args = names())]
fn list(bencher: Bencher<'_, '_>, name: &str) {
    let position = named(name);
    let (tables, board) = (&position.reading().tables, position.board());
    let mut moves: Vec<Move> = Vec::new();
    bencher.bench_local(|| {
        moves.clear();
        MoveGen::new(tables, black_box(board)).moves_into(tables.board, &mut moves);
        moves.len()
    });
}

/// The number of legal moves.
#[divan::bench(args = names())]
fn count(bencher: Bencher<'_, '_>, name: &str) {
    let position = named(name);
    let (tables, board) = (&position.reading().tables, position.board());
    bencher.bench_local(|| MoveGen::new(tables, black_box(board)).count());
}

/// The captures, as the search of captures asks for them.
#[divan::bench(args = names())]
fn captures(bencher: Bencher<'_, '_>, name: &str) {
    let position = named(name);
    let (tables, board) = (&position.reading().tables, position.board());
    bencher.bench_local(|| {
        let mut found = 0;
        MoveGen::new(tables, black_box(board))
            .for_each(board.men(!board.side()), |_, to| found += to.count());
        found
    });
}

/// One move made and taken back, on average over the legal moves.
#[divan::bench(args = names())]
fn make_unmake(bencher: Bencher<'_, '_>, name: &str) {
    let position = named(name);
    let (tables, mut board) = (&position.reading().tables, position.board().clone());
    let moves = position.legal_moves();
    bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
        for &mv in &moves {
            let undo = board.make(tables, mv);
            black_box(&board);
            board.unmake(tables, mv, undo);
        }
    });
}

/// Nodes of perft 3, the last ply counted.
#[divan::bench(args = names())]
fn perft_3(bencher: Bencher<'_, '_>, name: &str) {
    let position = named(name);
    let (tables, mut board) = (&position.reading().tables, position.board().clone());
    let nodes = perft(tables, &mut board, 3);
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| perft(tables, &mut board, 3));
}

/// Nodes of perft 3, every one made.
#[divan::bench(args = names())]
fn perft_3_made(bencher: Bencher<'_, '_>, name: &str) {
    let position = named(name);
    let (tables, mut board) = (&position.reading().tables, position.board().clone());
    let nodes = perft_made(tables, &mut board, 3);
    bencher.counter(ItemsCount::new(nodes)).bench_local(|| perft_made(tables, &mut board, 3));
}
