use rayon::prelude::*;

use super::MoveGen;
use crate::board::Board;
use crate::rules::Tables;
use crate::types::Move;

/// Number of sequences of `depth` legal moves. No end rule stops a sequence but the lack of a legal move.
#[must_use]
pub fn perft(tables: &Tables, board: &mut Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => MoveGen::new(tables, board).count(),
        _ => {
            let moves = MoveGen::new(tables, board).moves();
            let mut nodes = 0;
            for mv in moves {
                let undo = board.make(tables, mv);
                nodes += perft(tables, board, depth - 1);
                board.unmake(tables, mv, undo);
            }
            nodes
        }
    }
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
        (mv, perft(tables, &mut board, depth.saturating_sub(1)))
    };
    moves.into_par_iter().with_max_len(1).map(count).collect()
}

/// [`perft`] spread over the threads of the current rayon pool.
#[must_use]
pub fn perft_parallel(tables: &Tables, board: &Board, depth: u32) -> u64 {
    match depth {
        0 | 1 => perft(tables, &mut board.clone(), depth),
        _ => divide(tables, board, depth).iter().map(|(_, nodes)| nodes).sum(),
    }
}
