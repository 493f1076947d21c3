//! The groups of one viewer on the server's side: asked for, begun, delivered or out of date.

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use quiche::h3::{self, Header};
use quiche_cc_bottleneck::Time;
use quiche_cc_endpoint::body::LiveBytes;
use quiche_cc_endpoint::connection::{h3_code, Connection};
use serde::Serialize;

use crate::priority::Priority;
use crate::source::Made;
use crate::wire::Track;

/// How many groups ahead a viewer may ask for.
const AHEAD: u64 = 16;

/// What became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub groups: u64,
    /// Out of date, and reset by this end.
    pub groups_reset: u64,
    /// Of which the viewer wanted no more.
    pub groups_cancelled: u64,
    /// Begun before the viewer asked for them, and so sent to nobody.
    pub groups_unasked: u64,
    pub priority_updates: u64,
}

/// All of them.
#[derive(Default)]
pub struct Groups {
    asked: BTreeMap<(Track, u64), (u64, Priority)>,
    begun: BTreeMap<Track, u64>,
    open: Vec<Group>,
    pub counts: Counts,
}

/// A group that was begun, on its stream.
struct Group {
    track: Track,
    number: u64,
    stream: u64,
    priority: Priority,
    /// Whether the header section is sent.
    has_head: bool,
    /// Frames that quiche has not taken all of.
    unwritten: VecDeque<Bytes>,
    /// Frames of which something is not acknowledged: when made, and how much of it.
    under_way: VecDeque<(Time, LiveBytes)>,
    /// Whether all of its frames were made.
    complete: bool,
}

/// What a turn of a group came to.
#[derive(PartialEq, Eq)]
enum Turn {
    Open,
    /// quiche has all of it.
    Written,
    Cancelled,
}

impl Groups {
    /// The viewer asks for a group that is to come. False if it is none that it may ask for.
    pub fn ask(&mut self, (track, group): (Track, u64), stream: u64, priority: Priority) -> bool {
        let begun = self.begun.get(&track).copied().unwrap_or(0);
        let allowed = group > begun && group <= begun + AHEAD;
        let is_new = allowed && !self.asked.contains_key(&(track, group));
        if is_new {
            self.asked.insert((track, group), (stream, priority));
        }
        is_new
    }

    /// Whether the viewer has asked for pictures. It asks for audio first.
    pub fn is_wanted(&self) -> bool {
        self.asked.keys().any(|(track, _)| *track == Track::Video)
    }

    /// The viewer has changed its mind about a response's priority.
    pub fn prioritise(&mut self, conn: &mut Connection, stream: u64, priority: Priority) {
        self.counts.priority_updates += 1;
        if let Some((_, old)) = self.asked.values_mut().find(|(other, _)| *other == stream) {
            *old = priority;
        }
        if let Some(group) = self.open.iter_mut().find(|group| group.stream == stream) {
            group.priority = priority;
            group.apply_priority(conn);
        }
    }

    /// Takes a frame.
    pub fn add(&mut self, made: &Made) {
        let place = (made.track, made.group);
        if made.begins {
            self.begun.insert(made.track, made.group);
            self.counts.groups += 1;
            match self.asked.remove(&place) {
                Some((stream, priority)) => self.open.push(Group::new(place, stream, priority)),
                None => self.counts.groups_unasked += 1,
            }
        }
        // A group that was given up has no use for its other frames.
        let mut open = self.open.iter_mut();
        if let Some(group) = open.find(|group| (group.track, group.number) == place) {
            let live = LiveBytes::default();
            group.unwritten.push_back(live.track(made.frame.bytes()));
            group.under_way.push_back((made.frame.made, live));
            group.complete = made.ends;
        }
    }

    /// Offers quiche what is made, the most urgent first, and of what is as urgent the newest group: it is nearest to the
    /// picture that is live.
    pub fn write(&mut self, http: &mut h3::Connection, conn: &mut Connection) {
        self.open
            .sort_by_key(|group| (group.priority.urgency, Reverse(group.number)));
        let mut cancelled = 0;
        self.open.retain_mut(|group| {
            let turn = group.write(http, conn);
            cancelled += u64::from(turn == Turn::Cancelled);
            // What quiche has may still be out of date before it arrives.
            turn != Turn::Cancelled && !(turn == Turn::Written && group.is_delivered())
        });
        self.counts.groups_cancelled += cancelled;
    }

    /// Resets the groups that are out of date: something of them should have arrived `patience` ago. Audio goes on as long
    /// as its group is the newest. Whether the newest pictures are among them.
    pub fn reset_late(&mut self, conn: &mut Connection, now: Time, patience: Duration) -> bool {
        let mut begin_anew = false;
        let begun = &self.begun;
        let before = self.open.len();
        self.open.retain_mut(|group| {
            let newest = begun.get(&group.track) == Some(&group.number);
            let late = group
                .waits_since()
                .is_some_and(|made| now.since(made) > patience);
            let over = late && (group.track == Track::Video || !newest);
            if over {
                // A stream that quiche knows nothing of yet cannot be reset, and is not missed.
                let _ = conn.stream_shutdown(
                    group.stream,
                    quiche::Shutdown::Write,
                    h3_code::REQUEST_CANCELLED,
                );
                begin_anew |= newest;
            }
            !over
        });
        self.counts.groups_reset += (before - self.open.len()) as u64;
        begin_anew
    }
}

impl Group {
    fn new((track, number): (Track, u64), stream: u64, priority: Priority) -> Self {
        Self {
            track,
            number,
            stream,
            priority,
            has_head: false,
            unwritten: VecDeque::new(),
            under_way: VecDeque::new(),
            complete: false,
        }
    }

    fn apply_priority(&self, conn: &mut Connection) {
        let urgency = self.priority.of_stream();
        // A stream that is gone has none.
        let _ = conn.stream_priority(self.stream, urgency, self.priority.incremental);
    }

    /// When the oldest frame was made of which something is not acknowledged.
    fn waits_since(&mut self) -> Option<Time> {
        while self
            .under_way
            .front()
            .is_some_and(|(_, live)| live.get() == 0)
        {
            self.under_way.pop_front();
        }
        self.under_way.front().map(|(made, _)| *made)
    }

    fn is_delivered(&mut self) -> bool {
        self.waits_since().is_none()
    }

    fn write(&mut self, http: &mut h3::Connection, conn: &mut Connection) -> Turn {
        if !self.has_head {
            let head = [
                Header::new(b":status", b"200"),
                Header::new(b"content-type", b"application/octet-stream"),
            ];
            match http.send_response(conn, self.stream, &head, false) {
                Ok(()) => self.has_head = true,
                Err(e) => return refused(&e),
            }
            self.apply_priority(conn);
        }
        loop {
            let fin = self.complete && self.unwritten.len() == 1;
            let Some(frame) = self.unwritten.front_mut() else {
                break;
            };
            let offered = frame.len();
            // Afterwards it holds what is left; but if nothing is left, what was sent.
            match http.send_body_zc(conn, self.stream, frame, fin) {
                Ok(sent) if sent < offered => return Turn::Open,
                Ok(_) => drop(self.unwritten.pop_front()),
                Err(e) => return refused(&e),
            }
        }
        if self.complete {
            Turn::Written
        } else {
            Turn::Open
        }
    }
}

/// What it means that quiche takes nothing.
fn refused(error: &h3::Error) -> Turn {
    match error {
        h3::Error::Done | h3::Error::StreamBlocked => Turn::Open,
        _ => Turn::Cancelled,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::wire::{Frame, Kind};

    fn begin(groups: &mut Groups, group: u64) {
        let frame = Frame {
            size: 100,
            number: 0,
            made: Time::ZERO,
            kind: Kind::Intra,
            rung: 0,
            queueing: Some(Duration::ZERO),
            target_kbps: 0,
        };
        groups.add(&Made {
            track: Track::Video,
            group,
            begins: true,
            ends: true,
            frame,
        });
    }

    #[test]
    fn only_groups_to_come_are_promised_and_each_once() {
        let mut groups = Groups::default();
        let mut ask = |group| groups.ask((Track::Video, group), 4 * group, Priority::default());
        assert!(ask(1) && ask(AHEAD));
        assert!(!ask(1) && !ask(AHEAD + 1));
        begin(&mut groups, 1);
        let mut ask = |group| groups.ask((Track::Video, group), 400 + group, Priority::default());
        assert!(ask(AHEAD + 1) && !ask(1));
    }

    #[test]
    fn a_group_that_nobody_asked_for_is_sent_to_nobody() {
        let mut groups = Groups::default();
        assert!(groups.ask((Track::Video, 2), 0, Priority::default()));
        begin(&mut groups, 1);
        assert!(groups.open.is_empty());
        begin(&mut groups, 2);
        assert_eq!(groups.open.len(), 1);
        assert_eq!((groups.counts.groups, groups.counts.groups_unasked), (2, 1));
    }
}
