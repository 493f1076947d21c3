//! A client that watches live media: groups of units that come about at regular times, on streams with priorities.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use quiche_cc_bottleneck::Time;

use super::Application;
use crate::host::Connection;
use crate::scenario::Track;

const BLOCK: usize = 64 * 1024;
static ZEROS: [u8; BLOCK] = [0; BLOCK];
/// Bytes of a request.
const REQUEST: usize = 100;

/// Client and server of such media. Every pass through a track's sizes is a group, and a stream that the client asks for.
pub struct Media {
    start: Time,
    tracks: Vec<Asking>,
    groups: BTreeMap<u64, Group>,
    next_stream: u64,
    completions: Vec<(Time, Time)>,
}

/// A track, and when the client asks for its next group; `None` until the handshake is complete.
struct Asking {
    track: Track,
    next: Option<Time>,
}

/// A group on its way.
struct Group {
    track: usize,
    /// Sizes of units that the server has not made yet, the last one first.
    sizes: Vec<u64>,
    /// When the client asked for it.
    asked: Time,
    /// When the server makes the next unit; `None` until it was asked.
    due: Option<Time>,
    /// Bytes that are made, and of which quiche has not taken all.
    unwritten: u64,
    /// Units that the client waits for: when it expects them, and how many bytes of the stream there are with them.
    expected: Vec<(Time, u64)>,
    read: u64,
    /// Whether one of the ends has no use for it any more.
    refused: bool,
}

impl Group {
    fn new(place: usize, track: &Track, asked: Time) -> Self {
        let sizes = track.sizes.iter().rev();
        let sizes: Vec<u64> = sizes
            .flat_map(|&(bytes, times)| (0..times).map(move |_| bytes))
            .collect();
        let (mut at, mut bytes) = (asked, 0);
        let mut expect = |size: &u64| {
            bytes += size;
            let unit = (at, bytes);
            at = at + track.every;
            unit
        };
        let mut expected: Vec<_> = sizes.iter().rev().map(&mut expect).collect();
        expected.reverse();
        Self {
            track: place,
            sizes,
            asked,
            due: None,
            unwritten: 0,
            expected,
            read: 0,
            refused: false,
        }
    }

    /// The server makes what is due.
    fn make(&mut self, now: Time, every: Duration) {
        while let Some(due) = self.due.filter(|due| *due <= now) {
            self.unwritten += self.sizes.pop().unwrap_or_default();
            self.due = (!self.sizes.is_empty()).then(|| due + every);
        }
    }

    /// Offers quiche what is made.
    fn write(&mut self, conn: &mut Connection, stream: u64) {
        while self.unwritten > 0 && !self.refused {
            let len = self.unwritten.min(BLOCK as u64);
            let last = self.sizes.is_empty() && len == self.unwritten;
            let block = Bytes::from_static(&ZEROS[..len as usize]);
            match conn.stream_send_zc(stream, block, last) {
                Ok((taken, rest)) => {
                    self.unwritten -= taken as u64;
                    if rest.is_some() {
                        return;
                    }
                }
                Err(quiche::Error::Done) => return,
                Err(_) => self.refused = true,
            }
        }
    }

    /// The units that are complete with what the client has read.
    fn complete(&mut self) -> Option<Time> {
        let (expected, bytes) = *self.expected.last()?;
        (bytes <= self.read).then(|| {
            self.expected.pop();
            expected
        })
    }
}

impl Media {
    /// The client asks for these tracks from `start` on, or as soon as it can.
    pub fn new(tracks: &[Track], start: Time) -> Self {
        let asking = |track: &Track| Asking {
            track: track.clone(),
            next: None,
        };
        Self {
            start,
            tracks: tracks.iter().map(asking).collect(),
            groups: BTreeMap::new(),
            next_stream: 0,
            completions: Vec::new(),
        }
    }

    /// Asks for the groups that begin.
    fn ask(&mut self, now: Time, conn: &mut Connection) {
        for (place, asking) in self.tracks.iter_mut().enumerate() {
            let mut next = asking.next.unwrap_or(now.max(self.start));
            while next <= now {
                let request = Bytes::from_static(&ZEROS[..REQUEST]);
                let Ok((_, None)) = conn.stream_send_zc(self.next_stream, request, true) else {
                    break;
                };
                let group = Group::new(place, &asking.track, next);
                next = next + asking.track.every * group.sizes.len() as u32;
                self.groups.insert(self.next_stream, group);
                self.next_stream += 4;
            }
            asking.next = Some(next);
        }
    }

    /// The server learns what it is asked for.
    fn accept(&mut self, now: Time, conn: &mut Connection) {
        for stream in conn.readable().collect::<Vec<_>>() {
            while let Ok((_, fin)) = conn.stream_discard(stream, usize::MAX) {
                if let Some(group) = self.groups.get_mut(&stream).filter(|_| fin) {
                    group.due = Some(now);
                    let urgency = self.tracks[group.track].track.urgency;
                    // It cannot fail: the stream has just been read from.
                    let _ = conn.stream_priority(stream, urgency, true);
                }
            }
        }
    }
}

impl Application for Media {
    fn serve(&mut self, now: Time, conn: &mut Connection, _acked: u64) {
        self.accept(now, conn);
        // Urgent tracks first: what is written takes room in the window.
        let mut order: Vec<_> = self
            .groups
            .iter()
            .map(|(id, group)| (group.track, *id))
            .collect();
        order.sort_by_key(|&(track, id)| (self.tracks[track].track.urgency, id));
        for (track, stream) in order {
            let every = self.tracks[track].track.every;
            if let Some(group) = self.groups.get_mut(&stream) {
                group.make(now, every);
                group.write(conn, stream);
            }
        }
    }

    fn consume(&mut self, now: Time, conn: &mut Connection) -> u64 {
        let mut total = 0;
        for (&stream, group) in &mut self.groups {
            while let Ok((len, _)) = conn.stream_discard(stream, usize::MAX) {
                group.read += len as u64;
                total += len as u64;
            }
            let track = &self.tracks[group.track].track;
            while let Some(expected) = group.complete() {
                if track.counted {
                    self.completions.push((expected, now));
                }
                if track
                    .patience
                    .is_some_and(|most| now.since(expected) > most)
                {
                    // Refuses a stream that has ended, which changes nothing.
                    let _ = conn.stream_shutdown(stream, quiche::Shutdown::Read, 0);
                    group.expected.clear();
                }
            }
        }
        let gone = |group: &Group| group.expected.is_empty() && group.asked < now;
        self.groups.retain(|_, group| {
            !(gone(group) && (group.refused || group.sizes.is_empty() && group.unwritten == 0))
        });
        if conn.is_established() {
            self.ask(now, conn);
        }
        total
    }

    fn next_serve(&self) -> Option<Time> {
        self.groups.values().filter_map(|group| group.due).min()
    }

    fn next_consume(&self) -> Option<Time> {
        let next = |asking: &Asking| asking.next.unwrap_or(self.start);
        self.tracks.iter().map(next).min()
    }

    fn take_completions(&mut self) -> Vec<(Time, Time)> {
        std::mem::take(&mut self.completions)
    }
}
