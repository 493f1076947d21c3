//! The record of a run: what the links did with every packet (docs/run-record.md).

use std::io;
use std::path::Path;
use std::time::Duration;

use quiche_cc_bottleneck::{Ecn, Exit, Time};
use quiche_cc_record::{Clock, Ending, Names, Provenance, Queued, Recorder, Row, Side, Writer};
use serde_json::json;

use crate::direction::{Lane, Parcel};
use crate::{Direction, Start};

/// The record, if one is kept.
pub(crate) struct Recording {
    recorder: Option<Recorder<Queued>>,
    /// Datagrams so far.
    packets: u64,
}

/// A datagram that has come to a link.
pub(crate) struct Came {
    pub at: Time,
    pub direction: Direction,
    pub packet: u64,
    pub flow: usize,
    pub size: u32,
    pub payload: usize,
    pub ecn: Ecn,
    /// Bytes that waited.
    pub waiting: u64,
}

impl Recording {
    /// No record.
    pub(crate) fn none() -> Self {
        Self {
            recorder: None,
            packets: 0,
        }
    }

    /// A record in a new file (an old one is replaced).
    pub(crate) fn begin(path: &Path, start: &Start) -> io::Result<Self> {
        let program = format!("cc-link {}", start.version);
        let provenance = Provenance::new(Clock::Real, &program)
            .with("seed", start.seed)
            .with("start_unix", start.start_unix)
            .with("overhead", &start.overhead)
            .with("links", json!({ "down": start.down, "up": start.up }));
        let names = Names::new(["down", "up"], []);
        let writer = Writer::create(path, &provenance, names).map_err(io::Error::other)?;
        Ok(Self {
            recorder: Some(Recorder::new(Queued::start(writer)?)),
            packets: 0,
        })
    }

    /// The number of the next datagram.
    pub(crate) fn next(&mut self) -> u64 {
        self.packets += 1;
        self.packets
    }

    /// Bytes that wait in front of a link; only looked up if a record is kept.
    pub(crate) fn waiting(&self, lane: &mut Lane, now: Time) -> u64 {
        match self.recorder {
            Some(_) => lane.waiting(now),
            None => 0,
        }
    }

    pub(crate) fn arrives(&mut self, came: &Came) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let (link, to) = match came.direction {
            Direction::Down => (0, Side::Client),
            Direction::Up => (1, Side::Server),
        };
        recorder.arrives(Row {
            packet: came.packet,
            hop: 0,
            link,
            flow: came.flow,
            to,
            size: came.size,
            payload: came.payload as u32,
            arrived: came.at,
            queued_bytes: came.waiting,
            ecn: came.ecn,
            left: None,
        });
    }

    /// A datagram has left its link, and was sent on so much later.
    pub(crate) fn leaves(&mut self, exit: &Exit<Parcel>, lateness: Duration) {
        if let Some(recorder) = &mut self.recorder {
            recorder.leaves(exit.packet.payload.number, exit.at + lateness, exit);
        }
    }

    /// Ends the record, and says how many rows it lacks because the disk was too slow. `unseen` datagrams never came to
    /// a link.
    pub(crate) fn finish(self, now: Time, unseen: u64) -> io::Result<u64> {
        let Some(recorder) = self.recorder else {
            return Ok(0);
        };
        let ending = Ending {
            duration_ns: now.as_nanos(),
            dropped_rows: 0,
            unseen_packets: unseen,
        };
        recorder.finish().finish(ending).map_err(io::Error::other)
    }
}
