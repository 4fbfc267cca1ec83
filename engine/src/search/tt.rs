use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::types::{MATE_IN_MAX, Move, Score};

/// What a stored score says of the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Bound {
    Upper = 1,
    Lower = 2,
    Exact = 3,
}

impl Bound {
    /// What a search between `alpha` and `beta` that returned `best` says.
    pub(super) fn of(best: Score, alpha: Score, beta: Score) -> Bound {
        if best >= beta {
            Bound::Lower
        } else if best > alpha {
            Bound::Exact
        } else {
            Bound::Upper
        }
    }
}

/// A slot that threads share without locks: the key is stored xor the data, so that halves of two writes do not pass
/// for one entry.
///
/// # Source
/// Robert Hyatt and Timothy Mann, "A lockless transposition-table implementation for parallel search" (ICGA 2002).
#[derive(Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

/// The data of a slot: move, score, evaluation (16 bits each), depth, and age with bound (8 bits each).
#[derive(Clone, Copy)]
struct Entry(u64);

impl Entry {
    #[inline]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "scores lie within ±32000")]
    fn new(hit: &Hit, mv: u16, ply: usize, age: u8) -> Entry {
        let half = |value: Score| u64::from(value as i16 as u16);
        let depth = hit.depth.clamp(0, 255) as u64;
        let age_bound = u64::from(age << 2 | hit.bound as u8);
        let score = half(to_table(hit.score, ply));
        Entry(u64::from(mv) | score << 16 | half(hit.eval) << 32 | depth << 48 | age_bound << 56)
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the low 16 bits are wanted")]
    const fn mv(self) -> u16 {
        self.0 as u16
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the low 16 bits are wanted")]
    fn half(self, shift: u32) -> Score {
        Score::from((self.0 >> shift) as i16)
    }

    #[inline]
    const fn depth(self) -> i32 {
        (self.0 >> 48 & 255) as i32
    }

    #[inline]
    const fn age(self) -> u8 {
        (self.0 >> 58) as u8
    }

    #[inline]
    const fn bound(self) -> u8 {
        (self.0 >> 56 & 3) as u8
    }
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

impl Hit {
    /// True if the score settles a search between `alpha` and `beta`.
    #[inline]
    pub(super) fn proves(&self, alpha: Score, beta: Score) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score >= beta,
            Bound::Upper => self.score <= alpha,
        }
    }
}

const WAYS: usize = 4;

/// The transposition table: buckets of four, the shallowest and oldest entry replaced first. Threads share it.
pub(super) struct Table {
    buckets: Vec<[Slot; WAYS]>,
    age: u8,
}

impl Table {
    /// A table of about `mib` MiB, at least 1; `None` if there is not so much memory.
    pub(super) fn new(mib: usize) -> Option<Table> {
        let count = mib.max(1).checked_mul(1024 * 1024)? / size_of::<[Slot; WAYS]>();
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).ok()?;
        buckets.resize_with(count, Default::default);
        Some(Table { buckets, age: 0 })
    }

    pub(super) fn clear(&mut self) {
        for slot in self.buckets.iter_mut().flatten() {
            *slot = Slot::default();
        }
        self.age = 0;
    }

    pub(super) fn next_search(&mut self) {
        self.age = (self.age + 1) & 63;
    }

    /// How full the table is with entries of the present search, in thousandths, by a sample.
    pub(super) fn permille(&self) -> usize {
        let sample = self.buckets.iter().take(250).flatten();
        let entries = sample.map(|slot| Entry(slot.data.load(Relaxed)));
        entries.filter(|entry| entry.bound() != 0 && entry.age() == self.age).count()
    }

    #[inline]
    fn bucket(&self, key: u64) -> &[Slot; WAYS] {
        // The high half of the product spreads keys over any number of buckets.
        #[expect(clippy::cast_possible_truncation, reason = "below the number of buckets")]
        let index = ((u128::from(key) * self.buckets.len() as u128) >> 64) as usize;
        &self.buckets[index]
    }

    /// Asks for the memory of a position that will be probed soon.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let bucket = std::ptr::from_ref(self.bucket(key)).cast::<i8>();
            // SAFETY: a prefetch reads nothing, whatever the address; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(bucket) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    #[inline]
    pub(super) fn probe(&self, key: u64, ply: usize) -> Option<Hit> {
        for slot in self.bucket(key) {
            let entry = Entry(slot.data.load(Relaxed));
            if slot.check.load(Relaxed) ^ entry.0 == key && entry.bound() != 0 {
                return Some(Hit {
                    mv: Move::from_bits(entry.mv()).unwrap_or(Move::NONE),
                    score: from_table(entry.half(16), ply),
                    eval: entry.half(32),
                    depth: entry.depth(),
                    bound: match entry.bound() {
                        1 => Bound::Upper,
                        2 => Bound::Lower,
                        _ => Bound::Exact,
                    },
                });
            }
        }
        None
    }

    #[inline]
    pub(super) fn store(&self, key: u64, ply: usize, hit: Hit) {
        let mut target = None;
        let mut least = i32::MAX;
        for slot in self.bucket(key) {
            let entry = Entry(slot.data.load(Relaxed));
            let same = slot.check.load(Relaxed) ^ entry.0 == key;
            if same || entry.bound() == 0 {
                target = Some((slot, entry, same && entry.bound() != 0));
                break;
            }
            let worth = entry.depth() - 8 * i32::from(self.age.wrapping_sub(entry.age()) & 63);
            if worth < least {
                least = worth;
                target = Some((slot, entry, false));
            }
        }
        let Some((slot, old, same)) = target else { return };
        if same && hit.bound != Bound::Exact && hit.depth + 3 < old.depth() && old.age() == self.age {
            return;
        }
        let mv = if hit.mv.is_none() && same { old.mv() } else { hit.mv.bits() };
        let entry = Entry::new(&hit, mv, ply, self.age);
        slot.data.store(entry.0, Relaxed);
        slot.check.store(key ^ entry.0, Relaxed);
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
        let mut table = Table::new(1).unwrap();
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
