//! Seeded randomness with one independent stream per purpose.

use std::time::Duration;

use rand_chacha::rand_core::{Rng, SeedableRng};
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

/// Another stream, from one number of this one: what is drawn from it later depends on nothing else.
pub(crate) fn fork(rng: &mut Stream) -> Stream {
    Stream::seed_from_u64(rng.next_u64())
}

/// What a link draws random numbers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Marks and drops of the discipline.
    Discipline = 0,
    /// What the wire as a whole draws.
    Wire = 1,
    /// Losses of a [`crate::WireChain`].
    Loss = 2,
    /// Its jitter.
    Jitter = 3,
    /// Its reordering.
    Reorder = 4,
    /// The long waits in which links stop.
    LongWaits = 5,
}

impl Purpose {
    /// Streams set aside for each link.
    const PER_LINK: u64 = 16;

    /// The stream of link number `link` for this purpose. No two links and no two purposes share one.
    pub fn stream(self, seed: u64, link: u64) -> Stream {
        stream(seed, link * Self::PER_LINK + self as u64)
    }
}

/// A number from 0 to less than 1. Takes one number from `rng`.
pub fn uniform(rng: &mut Stream) -> f64 {
    const TWO_TO_53: f64 = 9_007_199_254_740_992.0;
    (rng.next_u64() >> 11) as f64 / TWO_TO_53
}

/// A span from `min` to `max`, uniformly distributed. Takes one number from `rng`.
pub(crate) fn uniform_span(min: Duration, max: Duration, rng: &mut Stream) -> Duration {
    min + max.saturating_sub(min).mul_f64(uniform(rng))
}

/// An exponentially distributed span. Takes one number from `rng`.
pub(crate) fn exponential(mean: Duration, rng: &mut Stream) -> Duration {
    mean.mul_f64(-libm::log(1.0 - uniform(rng)))
}

/// A Poisson distributed number, for means of some tens at most (Knuth 1969, section 3.4.1). Takes one number more than it returns.
pub(crate) fn poisson(mean: f64, rng: &mut Stream) -> u32 {
    let least = libm::exp(-mean);
    let (mut product, mut count) = (uniform(rng), 0);
    while product > least {
        product *= uniform(rng);
        count += 1;
    }
    count
}

/// A number with the standard normal distribution (Box and Muller 1958). Takes two numbers from `rng`.
pub(crate) fn normal(rng: &mut Stream) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - uniform(rng))).sqrt();
    radius * libm::cos(2.0 * std::f64::consts::PI * uniform(rng))
}
