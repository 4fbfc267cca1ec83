use std::hint::black_box;

use rayon::prelude::*;

use super::MoveGen;
use crate::board::Board;
use crate::rules::Tables;
use crate::types::Move;

/// Number of sequences of `depth` legal moves. No end rule stops a sequence but the lack of a legal move.
///
/// Every position up to the last but one ply is reached by making its moves. Of the last ply the moves are counted
/// ([`MoveGen::count`]) and not made; nothing is remembered between positions.
#[must_use]
pub fn perft(tables: &Tables, board: &mut Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => MoveGen::new(tables, board).count(),
        _ => visit::<1>(tables, board, depth, &mut Vec::new()),
    }
}

/// [`perft`] that makes and takes back every move of the last ply too.
#[must_use]
pub fn perft_made(tables: &Tables, board: &mut Board, depth: u32) -> u64 {
    visit::<0>(tables, board, depth, &mut Vec::new())
}

/// Makes moves down to `LAST` plies before the end. `moves` is a stack: what it holds on entry stays there.
fn visit<const LAST: u32>(tables: &Tables, board: &mut Board, depth: u32, moves: &mut Vec<Move>) -> u64 {
    if depth <= LAST {
        return if LAST == 0 { 1 } else { MoveGen::new(tables, board).count() };
    }
    let first = moves.len();
    MoveGen::new(tables, board).moves_into(tables.board, moves);
    let mut nodes = 0;
    for i in first..moves.len() {
        let mv = moves[i];
        let undo = board.make(tables, mv);
        nodes += if LAST == 0 && depth == 1 {
            // What no one looks at the compiler need not make.
            black_box(&*board);
            1
        } else {
            visit::<LAST>(tables, board, depth - 1, moves)
        };
        board.unmake(tables, mv, undo);
    }
    moves.truncate(first);
    nodes
}

/// The count below each legal move, in the generator's order.
pub type Divide = Vec<(Move, u64)>;

/// [`perft`] by move, spread over the threads of the current rayon pool. `depth` is at least 1.
#[must_use]
pub fn divide(tables: &Tables, board: &Board, depth: u32) -> Divide {
    let moves = MoveGen::new(tables, board).moves();
    let count = |mv| {
        let mut board = board.clone();
        board.make(tables, mv);
        // Two plies of tasks: small enough at the end that no thread waits long.
        let rest = depth.saturating_sub(1);
        let nodes = if depth > 3 { split(tables, &board, rest) } else { perft(tables, &mut board, rest) };
        (mv, nodes)
    };
    moves.into_par_iter().with_max_len(1).map(count).collect()
}

/// [`perft`] with a task for each move.
fn split(tables: &Tables, board: &Board, depth: u32) -> u64 {
    let count = |board: &mut Board, mv| {
        let undo = board.make(tables, mv);
        let nodes = perft(tables, board, depth - 1);
        board.unmake(tables, mv, undo);
        nodes
    };
    let moves = MoveGen::new(tables, board).moves();
    moves.into_par_iter().with_max_len(1).map_init(|| board.clone(), count).sum()
}

/// [`perft`] spread over the threads of the current rayon pool.
#[must_use]
pub fn perft_parallel(tables: &Tables, board: &Board, depth: u32) -> u64 {
    match depth {
        0 | 1 => perft(tables, &mut board.clone(), depth),
        _ => divide(tables, board, depth).iter().map(|(_, nodes)| nodes).sum(),
    }
}
