//! One viewer's connection on the server's side.

use std::time::{Duration, Instant};

use quiche::h3::{self, Header, NameValue};
use quiche_cc_bottleneck::Time;
use quiche_cc_endpoint::connection::{h3_code, reason_of_end, Connection};
use quiche_cc_endpoint::pacing::{Sender, Stopped};
use quiche_cc_endpoint::report::{ConnectionReport, RttMeter};
use quiche_cc_endpoint::socket::UdpEndpoint;
use quiche_cc_media::target;
use serde::Serialize;

use crate::cli::ServeArgs;
use crate::clock;
use crate::film::Film;
use crate::groups::{Counts, Groups};
use crate::priority::Priority;
use crate::source::{Source, Told};
use crate::wire::Track;

/// A connection, with an encoder of its own.
pub struct Session {
    pub conn: Connection,
    http: Option<h3::Connection>,
    groups: Groups,
    /// The film, until the encoder begins.
    film: Film,
    source: Option<Source>,
    share: f64,
    hold: Duration,
    patience: Duration,
    started: Instant,
    rtt: RttMeter,
}

/// What is told of a viewer that has left.
#[derive(Serialize)]
pub struct Summary {
    event: &'static str,
    reason: String,
    #[serde(flatten)]
    counts: Counts,
    rung_changes: u64,
    #[serde(flatten)]
    connection: ConnectionReport,
}

impl Session {
    /// A connection that has just been accepted.
    pub fn new(conn: Connection, args: &ServeArgs, film: &Film) -> Self {
        Self {
            conn,
            http: None,
            groups: Groups::default(),
            film: film.clone(),
            source: None,
            share: args.share,
            hold: Duration::from_millis(args.hold),
            patience: Duration::from_millis(args.patience),
            started: Instant::now(),
            rtt: RttMeter::default(),
        }
    }

    /// Does what can be done now, and sends. Returns when there is something to do again, whatever comes.
    pub fn drive(&mut self, sender: &mut Sender, socket: &mut UdpEndpoint) -> Option<Instant> {
        let now = Instant::now();
        if self.conn.timeout_instant().is_some_and(|at| at <= now) {
            self.conn.on_timeout();
        }
        if self.http.is_none() && self.conn.is_established() {
            let config = h3::Config::new();
            let http =
                config.and_then(|config| h3::Connection::with_transport(&mut self.conn, &config));
            self.http = http.ok();
        }
        if let Some(mut http) = self.http.take() {
            self.listen(&mut http);
            self.encode(clock::now());
            self.groups.write(&mut http, &mut self.conn);
            self.http = Some(http);
        }
        self.rtt.observe(&self.conn, now);
        let release = match sender.flush(&mut self.conn, socket) {
            Stopped::Until(release) => Some(release),
            Stopped::Done | Stopped::SocketFull => None,
        };
        let frame = self
            .source
            .as_ref()
            .map(|source| clock::instant(source.due()));
        [release, frame, self.conn.timeout_instant()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Takes requests, and changes of their priorities.
    fn listen(&mut self, http: &mut h3::Connection) {
        loop {
            match http.poll(&mut self.conn) {
                Ok((stream, h3::Event::Headers { list, .. })) => {
                    self.on_request(http, stream, &list)
                }
                Ok((stream, h3::Event::PriorityUpdate)) => {
                    if let Ok(field) = http.take_last_priority_update(stream) {
                        self.groups
                            .prioritise(&mut self.conn, stream, Priority::parse(&field));
                    }
                }
                Ok(_) => {}
                // Also if the viewer breaks the protocol: then quiche has closed the connection.
                Err(_) => return,
            }
        }
    }

    fn on_request(&mut self, http: &mut h3::Connection, stream: u64, headers: &[Header]) {
        let value = |name: &[u8]| {
            let found = headers.iter().find(|header| header.name() == name);
            found.map(|header| header.value())
        };
        let path = value(b":path").and_then(|path| std::str::from_utf8(path).ok());
        let place = path
            .filter(|_| value(b":method") == Some(b"GET"))
            .and_then(Track::of_path);
        let priority = value(b"priority").map_or(Priority::default(), Priority::parse);
        if !place.is_some_and(|place| self.groups.ask(place, stream, priority)) {
            let head = [Header::new(b":status", b"404")];
            // If even that finds no room, the request ends without an answer.
            if http
                .send_response(&mut self.conn, stream, &head, true)
                .is_err()
            {
                let (conn, code) = (&mut self.conn, h3_code::REQUEST_REJECTED);
                let _ = conn.stream_shutdown(stream, quiche::Shutdown::Write, code);
            }
        }
    }

    /// Makes the frames that are due, once there is a viewer for them.
    fn encode(&mut self, now: Time) {
        if self.source.is_none() && self.groups.is_wanted() {
            let film = self.film.clone();
            self.source = Some(Source::new(film, self.share, self.hold, now));
        }
        let Some(source) = &mut self.source else {
            return;
        };
        if self.groups.reset_late(&mut self.conn, now, self.patience) {
            source.begin_anew();
        }
        if source.due() > now {
            return;
        }
        let asked = Instant::now();
        let told = Told {
            target: target(&self.conn, asked),
            queueing: quiche_cc::estimate(&self.conn, asked).queueing_delay,
        };
        for made in source.make(now, told) {
            self.groups.add(&made);
        }
    }

    /// Ends the connection.
    pub fn close(&mut self) {
        self.conn.close(true, h3_code::NO_ERROR, b"").ok();
    }

    /// What is worth telling of it.
    pub fn summary(&self, cc: &str) -> Summary {
        Summary {
            event: "viewer_left",
            reason: reason_of_end(&self.conn),
            counts: self.groups.counts,
            rung_changes: self.source.as_ref().map_or(0, |source| source.rung_changes),
            connection: ConnectionReport::new(&self.conn, cc, self.started.elapsed(), &self.rtt),
        }
    }
}

#[cfg(test)]
mod tests;
