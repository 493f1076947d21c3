//! Generated objects: any number of pseudo-random bytes that every party can compute for itself.
//!
//! The content is one endless byte stream, the same for every object; an object of `n` bytes is its
//! first `n` bytes. Bytes `8i .. 8i+8` are the little-endian bytes of `mix((i + 1) *
//! 0x9e3779b97f4a7c15 mod 2^64)`, where `mix` is the output function of SplitMix64 (Steele, Lea,
//! Flood 2014): the stream of that generator with seed 0. Any part can be computed alone, and it
//! does not compress.

use crate::splitmix;

/// Largest object that is generated, in bytes (1 TB).
pub const MAX_SIZE: u64 = 1_000_000_000_000;

/// The `index`-th 64-bit word of the stream.
fn word(index: u64) -> u64 {
    splitmix::output(0, index)
}

/// Fills `out` with the bytes of the stream from `offset` on.
pub fn fill(offset: u64, out: &mut [u8]) {
    let skip = (offset % 8) as usize;
    let mut index = offset / 8;
    let mut rest = out;
    if skip != 0 {
        let n = rest.len().min(8 - skip);
        let (head, tail) = rest.split_at_mut(n);
        head.copy_from_slice(&word(index).to_le_bytes()[skip..skip + n]);
        rest = tail;
        index += 1;
    }
    for chunk in rest.chunks_mut(8) {
        chunk.copy_from_slice(&word(index).to_le_bytes()[..chunk.len()]);
        index += 1;
    }
}

/// The size that a path such as `/1000000` asks for; `None` if the path is not a plain decimal
/// number up to [`MAX_SIZE`].
pub fn size_of_path(path: &str) -> Option<u64> {
    let digits = path.strip_prefix('/')?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|size| *size <= MAX_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64_with_seed_zero() {
        // The first outputs of the reference generator for seed 0.
        assert_eq!(word(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(word(1), 0x6e78_9e6a_a1b9_65f4);
        assert_eq!(word(2), 0x06c4_5d18_8009_454f);
    }

    #[test]
    fn any_part_equals_the_same_part_of_the_whole() {
        let mut whole = vec![0; 100];
        fill(0, &mut whole);
        for start in 0..40 {
            for len in 0..40 {
                let mut part = vec![0; len];
                fill(start as u64, &mut part);
                assert_eq!(
                    part,
                    whole[start..start + len],
                    "start {start}, length {len}"
                );
            }
        }
    }

    #[test]
    fn only_plain_numbers_within_the_bound_name_an_object() {
        assert_eq!(size_of_path("/0"), Some(0));
        assert_eq!(size_of_path("/1000000"), Some(1_000_000));
        assert_eq!(size_of_path("/1000000000000"), Some(MAX_SIZE));
        for path in [
            "/",
            "/1000000000001",
            "/99999999999999999999999",
            "/-1",
            "/+1",
            "/1.5",
            "/1/",
            "12",
            "/１",
        ] {
            assert_eq!(size_of_path(path), None, "{path}");
        }
    }
}
