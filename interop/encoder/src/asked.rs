//! The groups that the viewer asks for, and the frames that come of them.

use std::collections::BTreeMap;

use quiche::h3::{self, Header, NameValue};
use quiche_cc_bottleneck::Time;
use quiche_cc_endpoint::connection::{h3_code, Connection};

use crate::cli::ReceiveArgs;
use crate::priority::Priority;
use crate::seen::Seen;
use crate::wire::{Frame, Reader, Track};

/// How many groups of each track are asked for before they begin: enough for a server that begins anew a few times in a
/// round trip.
const AHEAD: usize = 4;

/// A group that was asked for.
struct Asked {
    track: Track,
    group: u64,
    has_begun: bool,
    reader: Reader,
}

/// All that are not over.
pub struct Requests {
    by_stream: BTreeMap<u64, Asked>,
    next_audio: u64,
    next_video: u64,
    audio: Priority,
    video: Priority,
    /// The newest group of pictures of which something has come, and of which a frame was shown.
    newest: u64,
    shown: u64,
    buffer: Vec<u8>,
}

impl Requests {
    /// None yet.
    pub fn new(args: &ReceiveArgs) -> Self {
        let priority = |urgency| Priority {
            urgency,
            incremental: false,
        };
        Self {
            by_stream: BTreeMap::new(),
            next_audio: 1,
            next_video: 1,
            audio: priority(args.audio_urgency),
            video: priority(args.video_urgency),
            newest: 0,
            shown: 0,
            buffer: vec![0; 64 << 10],
        }
    }

    /// Takes what has come, and asks for more. The error says why there is no use in going on.
    pub fn advance(
        &mut self,
        http: &mut h3::Connection,
        conn: &mut Connection,
        now: Time,
        seen: &mut Seen,
    ) -> Result<(), String> {
        loop {
            match http.poll(conn) {
                Ok((stream, h3::Event::Headers { list, .. })) => {
                    self.on_head(http, conn, stream, &list)?
                }
                Ok((stream, h3::Event::Data)) => self.read(http, conn, stream, now, seen)?,
                Ok((stream, h3::Event::Finished)) => drop(self.by_stream.remove(&stream)),
                Ok((stream, h3::Event::Reset(_))) => {
                    let track = self.by_stream.remove(&stream).map(|asked| asked.track);
                    seen.groups_reset += u64::from(track.is_some());
                }
                Ok(_) => {}
                // Also if the server breaks the protocol: then quiche has closed the connection.
                Err(_) => break,
            }
        }
        // The server begins when it is asked for pictures.
        for track in [Track::Audio, Track::Video] {
            self.ask(http, conn, track);
        }
        Ok(())
    }

    fn ask(&mut self, http: &mut h3::Connection, conn: &mut Connection, track: Track) {
        let waits = |asked: &&Asked| asked.track == track && !asked.has_begun;
        let (next, priority) = match track {
            Track::Audio => (&mut self.next_audio, self.audio),
            Track::Video => (&mut self.next_video, self.video),
        };
        for _ in self.by_stream.values().filter(waits).count()..AHEAD {
            let path = format!("/{}/{next}", track.name());
            let head = [
                Header::new(b":method", b"GET"),
                Header::new(b":scheme", b"https"),
                Header::new(b":authority", b"localhost"),
                Header::new(b":path", path.as_bytes()),
                Header::new(b"priority", priority.field().as_bytes()),
            ];
            // Without room for a request it is made later.
            let Ok(stream) = http.send_request(conn, &head, true) else {
                return;
            };
            let asked = Asked {
                track,
                group: *next,
                has_begun: false,
                reader: Reader::default(),
            };
            self.by_stream.insert(stream, asked);
            *next += 1;
        }
    }

    fn on_head(
        &mut self,
        http: &mut h3::Connection,
        conn: &mut Connection,
        stream: u64,
        head: &[Header],
    ) -> Result<(), String> {
        let Some(asked) = self.by_stream.get_mut(&stream) else {
            return Ok(());
        };
        let status = head.iter().find(|header| header.name() == b":status");
        let status = status.map_or(&b"none"[..], |header| header.value());
        match status {
            b"200" => asked.has_begun = true,
            // It began before the request came: the next ones are for what is to come.
            b"404" => drop(self.by_stream.remove(&stream)),
            other => {
                let (track, status) = (asked.track.name(), String::from_utf8_lossy(other));
                return Err(format!("/{track}/{}: status {status}", asked.group));
            }
        }
        self.on_newer(http, conn, stream);
        Ok(())
    }

    /// What is older than a group that has begun is less urgent.
    fn on_newer(&mut self, http: &mut h3::Connection, conn: &mut Connection, stream: u64) {
        let Some(begun) = self.by_stream.get(&stream) else {
            return;
        };
        if begun.track == Track::Audio || begun.group <= self.newest {
            return;
        }
        self.newest = begun.group;
        let less = quiche::h3::Priority::new(self.video.urgency + 1, false);
        for (stream, asked) in &self.by_stream {
            if asked.track == Track::Video && asked.group < self.newest {
                // It is a wish only.
                let _ = http.send_priority_update_for_request(conn, *stream, &less);
            }
        }
    }

    fn read(
        &mut self,
        http: &mut h3::Connection,
        conn: &mut Connection,
        stream: u64,
        now: Time,
        seen: &mut Seen,
    ) -> Result<(), String> {
        while let Ok(read) = http.recv_body(conn, stream, &mut self.buffer) {
            let Some(asked) = self.by_stream.get_mut(&stream) else {
                continue;
            };
            let place = (asked.track, asked.group);
            let frames = asked
                .reader
                .push(&self.buffer[..read])
                .map_err(|e| format!("/{}/{}: {e}", place.0.name(), place.1))?;
            for frame in frames {
                self.on_frame(conn, place, frame, now, seen);
            }
        }
        Ok(())
    }

    /// A frame of a group before the one that is shown comes too late, and so do all others of that group.
    fn on_frame(
        &mut self,
        conn: &mut Connection,
        (track, group): (Track, u64),
        frame: Frame,
        now: Time,
        seen: &mut Seen,
    ) {
        if track == Track::Audio {
            return seen.on_audio(frame, now);
        }
        if group < self.shown {
            seen.frames_late += 1;
            return;
        }
        seen.on_picture(frame, now);
        if group == self.shown {
            return;
        }
        self.shown = group;
        let old = |(stream, asked): (&u64, &Asked)| {
            (asked.track == Track::Video && asked.group < group && asked.has_begun)
                .then_some(*stream)
        };
        let old: Vec<u64> = self.by_stream.iter().filter_map(old).collect();
        for stream in old {
            self.by_stream.remove(&stream);
            let _ =
                conn.stream_shutdown(stream, quiche::Shutdown::Read, h3_code::REQUEST_CANCELLED);
            seen.groups_cancelled += 1;
        }
    }
}
