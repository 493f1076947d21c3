//! SplitMix64 (Steele, Lea, Flood 2014).

const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output number `index` of the generator with this seed. Any of them can be computed alone.
pub fn output(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
