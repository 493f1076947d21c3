//! Seeded randomness with one independent stream per purpose.

use rand_chacha::rand_core::SeedableRng;
pub use rand_chacha::ChaCha8Rng as Stream;

/// The random stream number `id` of `seed`.
///
/// Streams are independent, so that what one consumer draws (marks of a queue) does not shift what
/// another one draws (losses of a wire). The values are the same on every machine.
pub fn stream(seed: u64, id: u64) -> Stream {
    let mut rng = Stream::seed_from_u64(seed);
    rng.set_stream(id);
    rng
}
