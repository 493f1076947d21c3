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

/// Counts the bytes of the blocks that somebody still holds.
#[derive(Clone, Debug, Default)]
pub struct LiveBytes(Arc<AtomicUsize>);

impl LiveBytes {
    /// Bytes in blocks that are not yet dropped (unsent, or sent and not acknowledged).
    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Wraps `data` in a buffer that is counted until its last part is dropped.
    pub fn track(&self, data: Vec<u8>) -> Bytes {
        self.0.fetch_add(data.len(), Ordering::Relaxed);
        Bytes::from_owner(Block {
            data,
            live: self.0.clone(),
        })
    }
}

struct Block {
    data: Vec<u8>,
    live: Arc<AtomicUsize>,
}

impl AsRef<[u8]> for Block {
    fn as_ref(&self) -> &[u8] {
        &self.data
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.live.fetch_sub(self.data.len(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_counts_until_its_last_part_is_dropped() {
        let live = LiveBytes::default();
        let mut head = live.track(vec![1; 100]);
        let tail = head.split_off(60);
        assert_eq!(live.get(), 100);
        drop(head);
        assert_eq!(live.get(), 100, "the tail keeps the block");
        drop(tail);
        assert_eq!(live.get(), 0);
    }
}
