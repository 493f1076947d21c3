//! Response bodies as quiche buffers that count themselves.
//!
//! quiche keeps body data until it is acknowledged, and it accepts new data whenever the congestion
//! window has room for it, even when as much is already queued behind the pacer. Counting the
//! blocks that are alive tells how much it holds, so that memory stays near the window however
//! large the object is, and so that a shutdown knows when all is delivered.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use bytes::Bytes;

/// Makes quiche take `Bytes` without copying them.
#[derive(Clone, Debug, Default)]
pub struct BytesFactory;

impl quiche::BufFactory for BytesFactory {
    type Buf = Bytes;
    type DgramBuf = Vec<u8>;

    fn buf_from_slice(buf: &[u8]) -> Bytes {
        Bytes::copy_from_slice(buf)
    }

    fn dgram_buf_from_slice(buf: &[u8]) -> Vec<u8> {
        buf.to_vec()
    }
}

/// What a block costs besides its content, in bytes: quiche keeps it, and the header of its frame, in
/// two buffers with their descriptions. A client can ask for blocks of one byte.
pub const COST_PER_BLOCK: usize = 512;

/// Counts the bytes of the blocks that somebody still holds. Clones count the same.
#[derive(Clone, Debug, Default)]
pub struct LiveBytes {
    own: Arc<AtomicUsize>,
    /// Those of others, too.
    all: Arc<AtomicUsize>,
}

impl LiveBytes {
    /// Counts some of those that `all` counts.
    pub fn part_of(all: &Self) -> Self {
        Self {
            own: Arc::default(),
            all: all.own.clone(),
        }
    }

    /// Bytes in blocks that are not yet dropped (unsent, or sent and not acknowledged), with what the
    /// blocks cost.
    pub fn get(&self) -> usize {
        self.own.load(Ordering::Relaxed)
    }

    /// Wraps `data` in a buffer that is counted until its last part is dropped.
    pub fn track(&self, data: Vec<u8>) -> Bytes {
        let live = self.clone();
        let cost = data.len() + COST_PER_BLOCK;
        for count in [&live.own, &live.all] {
            count.fetch_add(cost, Ordering::Relaxed);
        }
        Bytes::from_owner(Block { data, live, cost })
    }
}

struct Block {
    data: Vec<u8>,
    live: LiveBytes,
    cost: usize,
}

impl AsRef<[u8]> for Block {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        for count in [&self.live.own, &self.live.all] {
            count.fetch_sub(self.cost, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_counts_until_its_last_part_is_dropped() {
        let all = LiveBytes::default();
        let (live, other) = (LiveBytes::part_of(&all), LiveBytes::part_of(&all));
        let mut head = live.track(vec![1; 100]);
        let tail = head.split_off(60);
        let cost = 100 + COST_PER_BLOCK;
        assert_eq!([&live, &other, &all].map(LiveBytes::get), [cost, 0, cost]);
        drop(head);
        assert_eq!(live.get(), cost, "the tail keeps the block");
        drop(tail);
        assert_eq!([&live, &other, &all].map(LiveBytes::get), [0, 0, 0]);
    }
}
