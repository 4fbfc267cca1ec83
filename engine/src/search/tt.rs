use crate::types::{MATE_IN_MAX, Move, Score};

/// What a stored score says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bound {
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    key: u64,
    mv: u16,
    score: i16,
    eval: i16,
    depth: u8,
    /// Generation in the high six bits, bound in the low two.
    age_bound: u8,
}

/// What the table knows of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) mv: Move,
    pub(super) score: Score,
    pub(super) eval: Score,
    pub(super) depth: i32,
    pub(super) bound: Bound,
}

const WAYS: usize = 4;

/// The transposition table: buckets of four, the shallowest and oldest entry replaced first.
pub(super) struct Table {
    buckets: Vec<[Entry; WAYS]>,
    age: u8,
}

impl Table {
    /// A table of about `mib` MiB, at least 1.
    pub(super) fn new(mib: usize) -> Table {
        let count = mib.max(1) * 1024 * 1024 / size_of::<[Entry; WAYS]>();
        Table { buckets: vec![[Entry::default(); WAYS]; count], age: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.buckets.fill([Entry::default(); WAYS]);
        self.age = 0;
    }

    pub(super) fn next_search(&mut self) {
        self.age = (self.age + 1) & 63;
    }

    #[inline]
    fn bucket(&self, key: u64) -> usize {
        // The high half of the product spreads keys over any number of buckets.
        #[expect(clippy::cast_possible_truncation, reason = "below the number of buckets")]
        let index = ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize;
        index
    }

    #[inline]
    pub(super) fn probe(&self, key: u64, ply: usize) -> Option<Hit> {
        let entry = self.buckets[self.bucket(key)].iter().find(|e| e.key == key && e.age_bound & 3 != 0)?;
        Some(Hit {
            mv: Move::from_bits(entry.mv).unwrap_or(Move::NONE),
            score: from_table(Score::from(entry.score), ply),
            eval: Score::from(entry.eval),
            depth: i32::from(entry.depth),
            bound: match entry.age_bound & 3 {
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
        })
    }

    #[inline]
    pub(super) fn store(&mut self, key: u64, ply: usize, hit: Hit) {
        let (index, age) = (self.bucket(key), self.age);
        let bucket = &mut self.buckets[index];
        let worth = |e: &Entry| i32::from(e.depth) - 8 * i32::from((age.wrapping_sub(e.age_bound >> 2)) & 63);
        let mut slot = 0;
        for (i, entry) in bucket.iter().enumerate() {
            if entry.key == key || entry.age_bound & 3 == 0 {
                slot = i;
                break;
            }
            if worth(entry) < worth(&bucket[slot]) {
                slot = i;
            }
        }
        let old = bucket[slot];
        let same = old.key == key && old.age_bound & 3 != 0;
        if same
            && hit.bound != Bound::Exact
            && hit.depth + 3 < i32::from(old.depth)
            && old.age_bound >> 2 == age
        {
            return;
        }
        let mv = if hit.mv.is_none() && same { old.mv } else { hit.mv.bits() };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "scores lie within ±32000, depths within 0..=255"
        )]
        let entry = Entry {
            key,
            mv,
            score: to_table(hit.score, ply) as i16,
            eval: hit.eval as i16,
            depth: hit.depth.clamp(0, 255) as u8,
            age_bound: age << 2 | hit.bound as u8,
        };
        bucket[slot] = entry;
    }
}

/// Mate scores are stored as seen from the node, not from the root.
fn to_table(score: Score, ply: usize) -> Score {
    let ply = Score::try_from(ply).unwrap_or(0);
    if score >= MATE_IN_MAX {
        score + ply
    } else if score <= -MATE_IN_MAX {
        score - ply
    } else {
        score
    }
}

fn from_table(score: Score, ply: usize) -> Score {
    let ply = Score::try_from(ply).unwrap_or(0);
    if score >= MATE_IN_MAX {
        score - ply
    } else if score <= -MATE_IN_MAX {
        score + ply
    } else {
        score
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MATE, Square};

    #[test]
    fn what_is_stored_is_found_and_mates_count_from_the_node() {
        let mut table = Table::new(1);
        let mv = Move::new(Square::new(1, 2), Square::new(11, 11));
        let hit = Hit { mv, score: MATE - 7, eval: -31, depth: 9, bound: Bound::Lower };
        table.store(42, 4, hit);
        let found = table.probe(42, 2).unwrap();
        assert_eq!((found.mv, found.score, found.eval), (mv, MATE - 5, -31));
        assert_eq!((found.depth, found.bound), (9, Bound::Lower));
        assert!(table.probe(43, 2).is_none());
        table.clear();
        assert!(table.probe(42, 2).is_none());
    }
}
