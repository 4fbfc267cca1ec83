//! Random streams: one ChaCha8 stream per replicate.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// The random stream number `stream` of the master seed `seed`; distinct streams of one seed do not overlap.
#[must_use]
pub fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}
