use std::collections::HashSet;

use sha2::{Digest, Sha256};

use crate::selfplay::{Ply, Record};

/// Finds games that are the same as an earlier one of their run, or that began with the same opening. Takes some 50
/// bytes a game.
#[derive(Clone, Debug, Default)]
pub struct Duplicates {
    games: HashSet<u128>,
    openings: HashSet<u128>,
}

/// How a game repeats an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repeat {
    /// Start and opening are the same.
    Opening,
    /// Start and all moves are the same.
    Game,
}

impl Duplicates {
    /// Notes a game: what it repeats, if anything. The opening is [`Record::opening`].
    pub fn add(&mut self, record: &Record) -> Option<Repeat> {
        let new_opening = self.openings.insert(hash(record, record.opening()));
        let new_game = self.games.insert(hash(record, &record.plies));
        match (new_game, new_opening) {
            (false, _) => Some(Repeat::Game),
            (true, false) => Some(Repeat::Opening),
            (true, true) => None,
        }
    }
}

/// Run, start and moves as one number.
fn hash(record: &Record, plies: &[Ply]) -> u128 {
    let mut hash = Sha256::new();
    hash.update(record.stream.to_le_bytes());
    let start = record.start.as_deref().unwrap_or_default();
    hash.update((start.len() as u64).to_le_bytes());
    hash.update(start);
    let mut moves = [0; 512];
    for plies in plies.chunks(moves.len() / 2) {
        for (bytes, ply) in moves.as_chunks_mut().0.iter_mut().zip(plies) {
            *bytes = ply.mv.bits().to_le_bytes();
        }
        hash.update(&moves[..2 * plies.len()]);
    }
    let digest: [u8; 32] = hash.finalize().into();
    u128::from_le_bytes(digest.first_chunk().copied().unwrap_or_default())
}
