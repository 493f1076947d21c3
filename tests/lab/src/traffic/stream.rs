//! A source whose data goes to the client on one stream.

use bytes::Bytes;
use quiche_cc_bottleneck::Time;

use super::{Application, Demand, Source};
use crate::host::Connection;

/// The server's first unidirectional stream (RFC 9000, section 2.1).
const STREAM: u64 = 3;
/// Written at once at most.
const BLOCK: usize = 64 * 1024;
static ZEROS: [u8; BLOCK] = [0; BLOCK];
/// quiche gives room by the byte, and with every packet that it sends walks over the pieces that were written and are not
/// acknowledged. There are to be no more of them than about this.
const MOST_PIECES: u64 = 4096;
/// quiche takes data beyond the window; so much is enough for it to always have some, as long as nothing is lost twice.
const AHEAD: u64 = 256 * 1024;
/// Windows that may be written and not be acknowledged in order. A source with pauses has them at the right time with few. One that
/// goes on needs many: what is lost several times holds up that order for as many round trips, and must not hold up the sender.
const WINDOWS: u64 = 2;
const WINDOWS_OF_ONE_THAT_GOES_ON: u64 = 16;

/// Writes what a [`Source`] comes up with.
pub struct StreamApp {
    source: Box<dyn Source>,
    /// Data in a full packet.
    packet: u64,
    /// Bytes that quiche has not taken yet.
    pending: u64,
    /// Bytes that quiche has taken.
    written: u64,
    next: Option<Time>,
}

impl StreamApp {
    /// For this source, with so many bytes of data in a full packet.
    pub fn new(source: Box<dyn Source>, packet: u64) -> Self {
        let next = source.next();
        Self {
            source,
            packet,
            pending: 0,
            written: 0,
            next,
        }
    }

    fn produce(&mut self, now: Time, acked: u64) {
        while self.next.is_some_and(|at| at <= now) {
            let unacked = self.written.saturating_sub(acked);
            let held = self.pending.saturating_add(unacked);
            match self.source.produce(now, held) {
                Demand::Bytes(more) => self.pending = self.pending.saturating_add(more),
                Demand::Endless => self.pending = u64::MAX,
                Demand::Silence => self.pending = 0,
            }
            self.next = self.source.next();
        }
    }

    /// Offers quiche what is pending, up to a good deal more than its window.
    fn write(&mut self, conn: &mut Connection, acked: u64) {
        let window: usize = conn
            .path_stats()
            .filter(|path| path.active)
            .map(|path| path.cwnd)
            .sum();
        let windows = match self.next {
            Some(_) => WINDOWS,
            None => WINDOWS_OF_ONE_THAT_GOES_ON,
        };
        let most = windows * window as u64 + AHEAD;
        while self.pending > 0 {
            let unacked = self.written.saturating_sub(acked);
            let room = most.saturating_sub(unacked);
            let len = self.pending.min(room).min(BLOCK as u64);
            if len == 0 {
                return;
            }
            // A stream that does not exist yet has room.
            let capacity = conn.stream_capacity(STREAM).unwrap_or(usize::MAX);
            let least = (unacked / MOST_PIECES).min(self.packet);
            if (capacity as u64) < len.min(least) {
                return;
            }
            let block = Bytes::from_static(&ZEROS[..len as usize]);
            let Ok((taken, _)) = conn.stream_send_zc(STREAM, block, false) else {
                return;
            };
            if taken == 0 {
                return;
            }
            self.written += taken as u64;
            if self.pending != u64::MAX {
                self.pending -= taken as u64;
            }
        }
    }
}

impl Application for StreamApp {
    fn serve(&mut self, now: Time, conn: &mut Connection, acked: u64) {
        if !conn.is_established() {
            return;
        }
        self.produce(now, acked);
        self.write(conn, acked);
    }

    fn consume(&mut self, _now: Time, conn: &mut Connection) -> u64 {
        let mut read = 0;
        while let Ok((len, _)) = conn.stream_discard(STREAM, usize::MAX) {
            read += len as u64;
        }
        read
    }

    fn next_serve(&self) -> Option<Time> {
        self.next
    }
}
