//! The viewer.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use quiche::h3;
use quiche_cc_endpoint::connection::{
    close_reason, h3_code, random_connection_id, receive as receive_datagram, Connection,
};
use quiche_cc_endpoint::pacing::{Sender, Stopped};
use quiche_cc_endpoint::signals::Signals;
use quiche_cc_endpoint::socket::{local_for, Datagram, UdpEndpoint};
use quiche_cc_endpoint::{tls, wait};

use crate::asked::Requests;
use crate::cli::ReceiveArgs;
use crate::clock;
use crate::seen::{Delay, Seen, Summary};
use crate::serve::turn;
use crate::view::View;

/// How long the handshake may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How long the packet that closes the connection may take to leave.
const CLOSING_TIME: Duration = Duration::from_millis(200);

/// A viewer while it watches.
struct Viewer<'a> {
    args: &'a ReceiveArgs,
    conn: Connection,
    http: Option<h3::Connection>,
    requests: Requests,
    seen: Seen,
    view: View,
}

/// Watches until the time is over or SIGINT or SIGTERM comes. The error says why it ended before.
pub fn receive(args: &ReceiveArgs) -> io::Result<()> {
    let signals = Signals::to_stop()?;
    let mut socket = UdpEndpoint::bind(local_for(args.server)?)?;
    let mut viewer = Viewer {
        conn: connect(args, &socket)?,
        args,
        http: None,
        requests: Requests::new(args),
        seen: Seen::default(),
        view: View::new(args.json),
    };
    wait::make_timers_precise();
    let mut sender = Sender::default();
    let end = viewer.watch(&mut sender, &mut socket, &signals)?;
    viewer.conn.close(true, h3_code::NO_ERROR, b"").ok();
    sender.flush(&mut viewer.conn, &mut socket);
    let closed = Instant::now() + CLOSING_TIME;
    while socket.is_blocked() && Instant::now() < closed {
        turn(&mut socket, &signals, Some(closed), |_| {})?;
    }
    viewer.view.finish();
    viewer.tell();
    end.map_err(io::Error::other)
}

fn connect(args: &ReceiveArgs, socket: &UdpEndpoint) -> io::Result<Connection> {
    let mut config = args
        .transport
        .config(h3::APPLICATION_PROTOCOL)
        .map_err(io::Error::other)?;
    config.verify_peer(!args.insecure);
    if let Some(ca) = &args.ca {
        tls::trust(&mut config, ca)?;
    }
    let (id, local) = (random_connection_id(), socket.local_addr());
    quiche::connect_with_buffer_factory(Some("localhost"), &id, local, args.server, &mut config)
        .map_err(io::Error::other)
}

impl Viewer<'_> {
    /// Runs the connection. `Err` within says why it failed.
    fn watch(
        &mut self,
        sender: &mut Sender,
        socket: &mut UdpEndpoint,
        signals: &Signals,
    ) -> io::Result<Result<(), String>> {
        let began = Instant::now();
        let end = began + Duration::from_secs(self.args.duration);
        loop {
            if let Err(wrong) = self.work() {
                return Ok(Err(wrong));
            }
            let stopped = sender.flush(&mut self.conn, socket);
            if let Some(wrong) = self.failure(began.elapsed()) {
                return Ok(Err(wrong));
            }
            if Instant::now() >= end {
                let answered = self.conn.is_established();
                return Ok(answered.then_some(()).ok_or_else(|| self.unanswered()));
            }
            let due = self.due(stopped, began, end);
            let conn = &mut self.conn;
            let take = |datagram: Datagram<'_>| {
                if let Err(e) = receive_datagram(conn, datagram) {
                    log::debug!("a packet is not acceptable: {e}");
                }
            };
            if turn(socket, signals, Some(due), take)? {
                return Ok(Ok(()));
            }
        }
    }

    /// When there is something to do again, whatever comes.
    fn due(&self, stopped: Stopped, began: Instant, end: Instant) -> Instant {
        let release = match stopped {
            Stopped::Until(release) => Some(release),
            Stopped::Done | Stopped::SocketFull => None,
        };
        let view = self.view.due().map(clock::instant);
        let connect = (!self.conn.is_established()).then_some(began + CONNECT_TIME);
        let due = [release, view, connect, self.conn.timeout_instant()];
        due.into_iter().flatten().fold(end, Instant::min)
    }

    fn work(&mut self) -> Result<(), String> {
        if self
            .conn
            .timeout_instant()
            .is_some_and(|at| at <= Instant::now())
        {
            self.conn.on_timeout();
        }
        if self.http.is_none() && self.conn.is_established() {
            let config = h3::Config::new().map_err(|e| e.to_string())?;
            let http = h3::Connection::with_transport(&mut self.conn, &config);
            self.http = Some(http.map_err(|e| format!("HTTP/3 cannot start: {e}"))?);
        }
        let now = clock::now();
        if let Some(http) = &mut self.http {
            self.requests
                .advance(http, &mut self.conn, now, &mut self.seen)?;
        }
        self.view.show(&self.seen, now);
        Ok(())
    }

    /// Why the connection is of no more use, if so.
    fn failure(&self, elapsed: Duration) -> Option<String> {
        if let Some(error) = self.conn.peer_error() {
            return Some(format!("closed by the server: {}", close_reason(error)));
        }
        if let Some(error) = self.conn.local_error() {
            return Some(close_reason(error));
        }
        if !self.conn.is_established() && elapsed >= CONNECT_TIME {
            return Some(self.unanswered());
        }
        let over = self.conn.is_closed() || self.conn.is_draining();
        over.then(|| "the server sends nothing any more".to_owned())
    }

    fn unanswered(&self) -> String {
        let server = self.args.server;
        format!("no connection to {server}: nobody answers, or somebody else watches")
    }

    /// Prints the summary. Who does not read it has seen enough.
    fn tell(&self) {
        let summary = self.seen.summary(clock::now());
        let text = if self.args.json {
            let line = serde_json::to_string(&summary).expect("it has names for keys");
            format!("{line}\n")
        } else {
            text(&summary)
        };
        let _ = write!(io::stdout(), "{text}");
    }
}

fn text(summary: &Summary) -> String {
    let ms = |delay: Option<Delay>| {
        delay.map_or("-".to_owned(), |d| {
            format!(
                "{:.0} ms median, {:.0} ms p95, {:.0} ms at most",
                d.p50, d.p95, d.max
            )
        })
    };
    format!(
        "{:.1} s, {} frames, {:.2} Mbit/s of video\nframe {}\naudio {}\nfreezes {}, {:.1} % of the time; \
         groups given up {} by the server, {} by the viewer\n",
        summary.watched_s,
        summary.frames,
        summary.video_bps / 1e6,
        ms(summary.frame_ms),
        ms(summary.audio_ms),
        summary.freezes,
        100.0 * summary.frozen_share,
        summary.groups_reset,
        summary.groups_cancelled,
    )
}
