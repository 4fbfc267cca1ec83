use std::ops::RangeInclusive;

use acedrex_engine::rules::Reading;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::io::Read;
use std::sync::Arc;

use super::{DatasetError, Reader};
use crate::selfplay::{Record, Step, below};

/// Which positions to take from games, and how many of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Leave out positions in check.
    pub skip_checks: bool,
    /// Leave out positions in which the move played captures.
    pub skip_captures: bool,
    /// Plies played before; `None` takes all.
    pub plies: Option<RangeInclusive<u16>>,
    /// Scores in centipawns for White; `None` takes all, and those without a score.
    pub scores: Option<RangeInclusive<i16>>,
    /// Of each game at most so many of the positions that the rest of the filter takes, drawn at random.
    pub per_game: Option<u32>,
    /// Seed of that draw. Which positions of a game are drawn depends on it and on the game alone.
    pub seed: u64,
}

impl Filter {
    /// True if the filter takes the position, the draw left aside.
    #[must_use]
    pub fn takes(&self, step: &Step<'_>) -> bool {
        let skipped = self.skip_checks && step.in_check || self.skip_captures && step.capture;
        let in_plies =
            |plies: &RangeInclusive<u16>| u16::try_from(step.ply).is_ok_and(|ply| plies.contains(&ply));
        let in_scores =
            |scores: &RangeInclusive<i16>| step.score_white_cp.is_some_and(|score| scores.contains(&score));
        !skipped && self.plies.as_ref().is_none_or(in_plies) && self.scores.as_ref().is_none_or(in_scores)
    }

    /// Which of `count` positions that the rest takes are drawn.
    fn draw(&self, record: &Record, count: u32) -> Vec<bool> {
        let mut wanted = self.per_game.map_or(count, |most| most.min(count));
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ u64::from_le_bytes(record.final_hash));
        rng.set_stream(record.game);
        // Each in turn with the chance that leaves all equally likely: Knuth, The Art of Computer Programming, vol. 2,
        // 3.4.2, algorithm S.
        let mut choose = |left: u32| {
            let chosen = below(&mut rng, left) < wanted;
            wanted -= u32::from(chosen);
            chosen
        };
        (0..count).map(|at| choose(count - at)).collect()
    }
}

/// Plays all games of a dataset again, and shows `visit` the positions that the filter takes, in order. Returns how many
/// they are and how many there are in all.
///
/// # Errors
/// If the dataset is damaged, was made with other rules or breaks them, or what `visit` says.
pub fn for_each_position<R: Read>(
    mut reader: Reader<R>,
    reading: &Arc<Reading>,
    filter: &Filter,
    mut visit: impl FnMut(&Record, &Step<'_>) -> Result<(), DatasetError>,
) -> Result<(u64, u64), DatasetError> {
    reader.expect_rules(&reading.rules)?;
    let path = reader.path().to_owned();
    let broken = |fault| DatasetError::Game { path: path.clone(), fault };
    let (mut taken, mut all) = (0, 0);
    let mut record = Record::default();
    while reader.read(&mut record)? {
        let mut drawn = None;
        if filter.per_game.is_some() {
            let (mut count, mut replay) = (0, record.replay(reading).map_err(broken)?);
            while let Some(step) = replay.next_step().map_err(broken)? {
                count += u32::from(filter.takes(&step));
            }
            drawn = Some(filter.draw(&record, count).into_iter());
        }
        let mut replay = record.replay(reading).map_err(broken)?;
        while let Some(step) = replay.next_step().map_err(broken)? {
            all += 1;
            if filter.takes(&step) && drawn.as_mut().is_none_or(|drawn| drawn.next() == Some(true)) {
                taken += 1;
                visit(&record, &step)?;
            }
        }
    }
    Ok((taken, all))
}
