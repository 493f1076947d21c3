//! Live video whose encoder follows the rate that the connection promises, with audio beside it.
//!
//! The server pushes: a stream for each group of frames, as the frames of a group need those before them, and one for each
//! unit of audio. What is too late is given up by whichever end notices, up to the next group.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use bytes::Bytes;
use quiche_cc_bottleneck::Time;
use quiche_cc_media::{target, Ladder};

use super::Application;
use crate::host::Connection;
use crate::record::{Frame, MediaRecord};
use crate::scenario::Encoder as Shape;

const BLOCK: usize = 64 * 1024;
static ZEROS: [u8; BLOCK] = [0; BLOCK];
/// The server's first unidirectional stream, and the step to the next (RFC 9000, section 2.1).
const FIRST_STREAM: u64 = 3;
const STREAM_STEP: u64 = 4;
/// Urgencies (RFC 9218): audio before video.
const AUDIO: u8 = 1;
const VIDEO: u8 = 2;

/// Both ends of such media.
pub struct Encoder {
    shape: Shape,
    ladder: Ladder,
    start: Time,
    /// When the next frame, unit of audio and look at the rate are due; none until the handshake is complete.
    next: Option<Due>,
    /// Frames of the group that were made or left out.
    position: u64,
    /// The stream of the group, unless it was given up.
    group: Option<u64>,
    streams: BTreeMap<u64, Units>,
    next_stream: u64,
    completions: Vec<(Time, Time)>,
    record: MediaRecord,
}

/// When what comes at regular times comes next.
#[derive(Debug, Clone, Copy)]
struct Due {
    frame: Time,
    audio: Option<Time>,
    look: Time,
}

/// Units on one stream: frames of a group, or one of audio.
struct Units {
    video: bool,
    /// Those that quiche has not taken all of: when made, and bytes that are left.
    unwritten: VecDeque<(Time, u64)>,
    /// Whether there will be more.
    open: bool,
    /// Those that the client waits for, and how many bytes of the stream there are with them.
    expected: VecDeque<(Frame, u64)>,
    made: u64,
    read: u64,
    given_up: bool,
}

impl Units {
    fn new(video: bool) -> Self {
        Self {
            video,
            unwritten: VecDeque::new(),
            open: video,
            expected: VecDeque::new(),
            made: 0,
            read: 0,
            given_up: false,
        }
    }

    fn add(&mut self, frame: Frame) {
        self.made += frame.bytes;
        self.unwritten.push_back((frame.made, frame.bytes));
        self.expected.push_back((frame, self.made));
    }

    /// Offers quiche what is made. Whether it has taken all.
    fn write(&mut self, conn: &mut Connection, stream: u64) {
        while let Some((_, left)) = self.unwritten.front_mut() {
            let len = (*left).min(BLOCK as u64);
            let whole = len == *left;
            let fin = whole && !self.open && self.unwritten.len() == 1;
            let (_, left) = self.unwritten.front_mut().expect("it was there");
            let block = Bytes::from_static(&ZEROS[..len as usize]);
            match conn.stream_send_zc(stream, block, fin) {
                Ok((taken, rest)) => {
                    *left -= taken as u64;
                    if *left == 0 {
                        self.unwritten.pop_front();
                    }
                    if rest.is_some() {
                        return;
                    }
                }
                Err(quiche::Error::Done) => return,
                // The client has refused the rest.
                Err(_) => self.give_up(),
            }
        }
    }

    /// The next unit that is complete with what the client has read.
    fn complete(&mut self) -> Option<Frame> {
        let (frame, bytes) = *self.expected.front()?;
        (bytes <= self.read).then(|| {
            self.expected.pop_front();
            frame
        })
    }

    fn give_up(&mut self) {
        self.given_up = true;
        self.unwritten.clear();
        self.expected.clear();
    }

    /// Whether the server has a unit that has waited for longer than this.
    fn waits(&self, now: Time, patience: Duration) -> bool {
        let first = self.unwritten.front();
        first.is_some_and(|(made, _)| now.since(*made) > patience)
    }

    /// Whether the client has waited for a unit for longer than this.
    fn is_late(&self, now: Time, patience: Duration) -> bool {
        let first = self.expected.front();
        first.is_some_and(|(frame, _)| now.since(frame.made) > patience)
    }
}

impl Encoder {
    /// Makes frames from `start` on, or as soon as it can.
    pub fn new(shape: &Shape, start: Time) -> Self {
        Self {
            ladder: Ladder::new(shape.following.clone(), shape.first),
            shape: shape.clone(),
            start,
            next: None,
            position: 0,
            group: None,
            streams: BTreeMap::new(),
            next_stream: FIRST_STREAM,
            completions: Vec::new(),
            record: MediaRecord::default(),
        }
    }

    /// Asks for the rate.
    #[allow(clippy::disallowed_methods, reason = "the clock is the simulation's")]
    fn look(&mut self, now: Time, conn: &Connection) {
        self.ladder.on_target(now, target(conn, Instant::now()));
    }

    fn open(&mut self, conn: &mut Connection, video: bool) -> u64 {
        let stream = self.next_stream;
        self.next_stream += STREAM_STEP;
        self.streams.insert(stream, Units::new(video));
        let urgency = if video { VIDEO } else { AUDIO };
        // It cannot fail: there are always streams left.
        let _ = conn.stream_priority(stream, urgency, false);
        stream
    }

    fn make_frame(&mut self, now: Time, conn: &mut Connection) {
        let rung = self.ladder.rung(now);
        let position = self.position;
        self.position = (position + 1) % self.shape.group;
        if position == 0 {
            self.group = Some(self.open(conn, true));
        }
        let bytes = self.shape.bytes(rung, position == 0);
        let frame = Frame {
            made: now,
            done: now,
            rung,
            bytes,
        };
        self.record.due.push(frame);
        // Frames of a group that was given up would not help anybody.
        let units = self.group.and_then(|stream| self.streams.get_mut(&stream));
        if let Some(units) = units {
            units.open = self.position != 0;
            units.add(frame);
        }
    }

    fn make_audio(&mut self, now: Time, conn: &mut Connection, bytes: u64) {
        let stream = self.open(conn, false);
        let units = self.streams.get_mut(&stream).expect("it was just opened");
        units.add(Frame {
            made: now,
            done: now,
            rung: 0,
            bytes,
        });
    }

    /// Makes all that is due.
    fn make(&mut self, now: Time, conn: &mut Connection) {
        let begin = now.max(self.start);
        let audio = self.shape.audio;
        let mut due = self.next.unwrap_or(Due {
            frame: begin,
            audio: audio.map(|_| begin),
            look: begin,
        });
        while due.look <= now {
            self.look(now, conn);
            due.look = due.look + self.shape.look;
        }
        while due.frame <= now {
            self.make_frame(due.frame, conn);
            due.frame = due.frame + self.shape.every;
        }
        if let (Some(unit), Some(next)) = (audio, &mut due.audio) {
            while *next <= now {
                self.make_audio(*next, conn, unit.bytes);
                *next = *next + unit.every;
            }
        }
        self.next = Some(due);
    }

    /// Resets the streams of groups that have waited too long for room.
    fn give_up_what_waits(&mut self, now: Time, conn: &mut Connection) {
        for (stream, units) in &mut self.streams {
            if units.video && units.waits(now, self.shape.patience) {
                // A stream of which quiche has taken nothing yet does not exist, and need not be reset.
                let _ = conn.stream_shutdown(*stream, quiche::Shutdown::Write, 0);
                units.give_up();
            }
        }
        self.forget();
    }

    /// Leaves out what is over.
    fn forget(&mut self) {
        let over = |units: &Units| {
            units.given_up || !units.open && units.unwritten.is_empty() && units.expected.is_empty()
        };
        self.streams.retain(|_, units| !over(units));
        let streams = &self.streams;
        self.group = self.group.filter(|stream| streams.contains_key(stream));
    }
}

impl Application for Encoder {
    fn serve(&mut self, now: Time, conn: &mut Connection, _acked: u64) {
        if !conn.is_established() || now < self.start {
            return;
        }
        self.make(now, conn);
        self.give_up_what_waits(now, conn);
        // Audio first: what is written takes room in the window.
        for video in [false, true] {
            let own = self.streams.iter_mut();
            for (stream, units) in own.filter(|(_, units)| units.video == video) {
                units.write(conn, *stream);
            }
        }
        self.forget();
    }

    fn consume(&mut self, now: Time, conn: &mut Connection) -> u64 {
        let mut total = 0;
        let mut groups = self.streams.iter().filter(|(_, units)| units.video);
        let newest = groups.next_back().map(|(stream, _)| *stream);
        for (&stream, units) in &mut self.streams {
            while let Ok((len, _)) = conn.stream_discard(stream, usize::MAX) {
                units.read += len as u64;
                total += len as u64;
            }
            while let Some(frame) = units.complete() {
                let frame = Frame { done: now, ..frame };
                if units.video {
                    self.completions.push((frame.made, now));
                    self.record.shown.push(frame);
                } else {
                    self.record.heard.push(frame);
                }
            }
            let superseded = newest.is_some_and(|newest| stream < newest);
            if units.video && superseded && units.is_late(now, self.shape.patience) {
                // Refuses a stream that has ended, which changes nothing.
                let _ = conn.stream_shutdown(stream, quiche::Shutdown::Read, 0);
                units.give_up();
            }
        }
        self.forget();
        total
    }

    fn next_serve(&self) -> Option<Time> {
        let Some(due) = self.next else {
            return Some(self.start);
        };
        [Some(due.frame), Some(due.look), due.audio]
            .into_iter()
            .flatten()
            .min()
    }

    fn take_completions(&mut self) -> Vec<(Time, Time)> {
        std::mem::take(&mut self.completions)
    }

    fn take_media(&mut self) -> Option<MediaRecord> {
        Some(std::mem::take(&mut self.record))
    }
}
