//! One connection of the client, from the first packet to the last.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use quiche::h3;
use serde::Serialize;

use super::cli::ClientArgs;
use super::download::DownloadReport;
use super::group::Group;
use super::http::Http;
use super::progress::Progress;
use super::requests::Requests;
use super::resumption::Resumption;
use super::upkeep::Upkeep;
use crate::connection::{
    close_reason, h3_code, hex, no_error_code, random_connection_id, receive, Connection,
};
use crate::http09;
use crate::keylog::KeyLog;
use crate::output::Patience;
use crate::pacing::{Sender, Stopped};
use crate::qlog::QlogDirectory;
use crate::report::{milliseconds, ConnectionReport, RttMeter};
use crate::signals::Signals;
use crate::socket::{local_for, UdpEndpoint};
use crate::tls;
use crate::wait::{self, Interest};

/// How long the packet that closes the connection may take to leave.
const CLOSING_TIME: Duration = Duration::from_millis(200);

/// How long a connection whose downloads are complete waits for the session to resume.
const SESSION_TIME: Duration = Duration::from_secs(1);

/// What came of a connection.
#[derive(Clone, Debug, Serialize)]
pub struct Exchange {
    pub authority: String,
    /// The connection id that the client chose first, as in the names of traces and the server's records.
    pub original_id: Option<String>,
    #[serde(flatten)]
    pub connection: Option<ConnectionReport>,
    pub handshake_ms: Option<f64>,
    /// Why the connection failed; absent if it did not.
    pub error: Option<String>,
    pub interrupted: bool,
    /// With which a later connection can be resumed.
    #[serde(skip)]
    pub session: Option<Resumption>,
    pub downloads: Vec<DownloadReport>,
}

/// What all connections of the client share.
pub struct Client<'a> {
    args: &'a ClientArgs,
    h3_config: h3::Config,
    qlog: Option<QlogDirectory>,
    keylog: Option<KeyLog>,
    signals: Signals,
    progress: Progress,
}

/// Why a connection ends.
enum End {
    Complete,
    Failed(String),
    Interrupted,
}

impl<'a> Client<'a> {
    pub fn new(args: &'a ClientArgs) -> io::Result<Self> {
        Ok(Self {
            args,
            h3_config: h3::Config::new().map_err(io::Error::other)?,
            qlog: args
                .qlog
                .as_deref()
                .map(QlogDirectory::create_writable)
                .transpose()?,
            keylog: KeyLog::from_environment()?,
            signals: Signals::to_stop()?,
            progress: Progress::new(!args.json && !args.no_progress),
        })
    }

    /// Waits until the secrets are in their file, unless nobody takes them.
    pub fn finish(&self, patience: Patience) {
        if let Some(keylog) = &self.keylog {
            if let Err(e) = keylog.output().finish(patience) {
                log::warn!("key log: {e}");
            }
        }
    }

    /// Does all downloads of a group, on a connection that resumes `session` if there is one.
    pub fn fetch(&self, group: &Group, session: Option<&Resumption>) -> io::Result<Exchange> {
        let mut config = self.config()?;
        let (parallel, hash) = (self.args.parallel, self.args.hash);
        let requests = Requests::new(&group.downloads, parallel, hash, &self.progress);
        let opened = group.address(self.args.connect_to).and_then(|address| {
            self.open(group, address, session, &mut config)
                .map_err(|e| e.to_string())
        });
        let mut exchange = Exchange {
            authority: group.authority.clone(),
            original_id: None,
            connection: None,
            handshake_ms: None,
            error: None,
            interrupted: false,
            session: None,
            downloads: Vec::new(),
        };
        match opened {
            Ok((conn, socket)) => {
                exchange.original_id = Some(hex(&conn.destination_id()));
                let mut running = Session::new(self, conn, socket, requests);
                running.wants_session = self.args.resume && session.is_none();
                running.run(&mut exchange)?;
            }
            Err(e) => {
                exchange.downloads = requests.finish(&e);
                exchange.error = Some(e);
            }
        }
        Ok(exchange)
    }

    fn config(&self) -> io::Result<quiche::Config> {
        let transport = &self.args.transport;
        let protocols = self.args.protocols();
        let mut config = transport.config(protocols).map_err(io::Error::other)?;
        config.verify_peer(self.args.verifies());
        if self.args.early_data {
            config.enable_early_data();
        }
        if let Some(ca) = &self.args.ca {
            tls::trust(&mut config, ca)?;
        }
        if self.keylog.is_some() {
            config.log_keys();
        }
        Ok(config)
    }

    fn open(
        &self,
        group: &Group,
        address: SocketAddr,
        session: Option<&Resumption>,
        config: &mut quiche::Config,
    ) -> io::Result<(Connection, UdpEndpoint)> {
        let socket = UdpEndpoint::bind(local_for(address)?)?;
        if let Some(session) = session {
            session.prepare(config);
        }
        let mut conn = quiche::connect_with_buffer_factory(
            group.server_name.as_deref(),
            &random_connection_id(),
            socket.local_addr(),
            address,
            config,
        )
        .map_err(io::Error::other)?;
        if let Some(qlog) = &self.qlog {
            let original_id = conn.destination_id().to_vec();
            qlog.attach(&mut conn, &original_id, self.args.transport.cc.as_str())?;
        }
        if let Some(keylog) = &self.keylog {
            conn.set_keylog(keylog.writer());
        }
        if let Some(session) = session {
            session.resume(&mut conn).map_err(io::Error::other)?;
        }
        Ok((conn, socket))
    }
}

/// A connection while it lasts.
struct Session<'a> {
    client: &'a Client<'a>,
    conn: Connection,
    socket: UdpEndpoint,
    sender: Sender,
    http: Option<Http>,
    requests: Requests<'a>,
    rtt: RttMeter,
    started: Instant,
    established: Option<Instant>,
    upkeep: Upkeep,
    wants_session: bool,
    session_limit: Option<Instant>,
}

impl<'a> Session<'a> {
    fn new(
        client: &'a Client<'a>,
        conn: Connection,
        socket: UdpEndpoint,
        requests: Requests<'a>,
    ) -> Self {
        Self {
            client,
            conn,
            socket,
            sender: Sender::default(),
            http: None,
            requests,
            rtt: RttMeter::default(),
            started: Instant::now(),
            established: None,
            upkeep: Upkeep::new(client.args),
            wants_session: false,
            session_limit: None,
        }
    }

    fn run(mut self, exchange: &mut Exchange) -> io::Result<()> {
        wait::make_timers_precise();
        let end = self.transfer()?;
        let duration = self.started.elapsed();
        let code = match end {
            End::Complete => no_error_code(&self.conn),
            _ if http09::is_spoken(&self.conn) => http09::code::CANCELLED,
            _ => h3_code::REQUEST_CANCELLED,
        };
        self.conn.close(true, code, b"").ok();
        self.send_close()?;
        let reason = match &end {
            End::Complete => "",
            End::Interrupted => "interrupted",
            End::Failed(reason) => reason,
        };
        let cc = self.client.args.transport.cc.as_str();
        let report = ConnectionReport::new(&self.conn, cc, duration, &self.rtt);
        exchange.connection = Some(report);
        exchange.handshake_ms = self.established.map(|at| milliseconds(at - self.started));
        exchange.downloads = self.requests.finish(reason);
        exchange.session = Resumption::of(&mut self.conn);
        exchange.interrupted = matches!(end, End::Interrupted);
        if let End::Failed(reason) = end {
            exchange.error = Some(reason);
        }
        Ok(())
    }

    /// Runs the connection until all is done or nothing more can be.
    fn transfer(&mut self) -> io::Result<End> {
        loop {
            let mut stopped = self.work();
            if self.http.is_none() && self.conn.is_in_early_data() {
                // The first packet brought the keys for early data into being.
                stopped = self.work();
            }
            if self.requests.all_done() && self.established.is_some() && self.has_session() {
                return Ok(End::Complete);
            }
            if let Some(failure) = self.failure() {
                return Ok(End::Failed(failure));
            }
            let deadline = self.deadline(stopped);
            if self.wait(Some(deadline))? {
                return Ok(End::Interrupted);
            }
        }
    }

    /// Whether the session to resume has come, or is not wanted, or does not come.
    fn has_session(&mut self) -> bool {
        if !self.wants_session || self.conn.session().is_some() {
            return true;
        }
        let now = Instant::now();
        now >= *self.session_limit.get_or_insert(now + SESSION_TIME)
    }

    /// Does what can be done now: timers, HTTP, sending.
    fn work(&mut self) -> Stopped {
        let now = Instant::now();
        if self.conn.timeout_instant().is_some_and(|at| at <= now) {
            self.conn.on_timeout();
        }
        if self.conn.is_established() {
            self.established.get_or_insert(now);
            self.upkeep.advance(&mut self.conn, now);
        }
        if self.http.is_none() && (self.conn.is_established() || self.conn.is_in_early_data()) {
            match Http::start(&mut self.conn, &self.client.h3_config) {
                Ok(http) => self.http = Some(http),
                Err(e) => log::debug!("HTTP/3 cannot start: {e}"),
            }
        }
        if let Some(mut http) = self.http.take() {
            self.requests.advance(&mut http, &mut self.conn);
            self.http = Some(http);
        }
        self.rtt.observe(&self.conn, now);
        self.sender.flush(&mut self.conn, &mut self.socket)
    }

    /// Why the connection is of no more use, if so.
    fn failure(&self) -> Option<String> {
        let args = self.client.args;
        let elapsed = self.started.elapsed();
        if let Some(error) = self.conn.peer_error() {
            return Some(format!("closed by the server: {}", close_reason(error)));
        }
        if let Some(error) = self.conn.local_error() {
            return Some(close_reason(error));
        }
        if self.conn.is_timed_out() {
            return Some(format!("no packet for {} s", args.transport.idle_timeout));
        }
        if self.conn.is_closed() || self.conn.is_draining() {
            return Some("connection closed".to_owned());
        }
        if self.established.is_none() && elapsed >= Duration::from_secs(args.connect_timeout) {
            return Some(format!("no connection within {} s", args.connect_timeout));
        }
        if elapsed >= Duration::from_secs(args.timeout) {
            return Some(format!("not finished within {} s", args.timeout));
        }
        None
    }

    fn deadline(&self, stopped: Stopped) -> Instant {
        let args = self.client.args;
        let limit = match self.established {
            None => args.connect_timeout.min(args.timeout),
            Some(_) => args.timeout,
        };
        let release = match stopped {
            Stopped::Until(release) => Some(release),
            Stopped::Done | Stopped::SocketFull => None,
        };
        let (timeout, limits) = (
            self.conn.timeout_instant(),
            [self.upkeep.due(), self.session_limit],
        );
        [timeout, release]
            .into_iter()
            .chain(limits)
            .flatten()
            .fold(self.started + Duration::from_secs(limit), Instant::min)
    }

    /// Sleeps and receives. Returns true if the user interrupts.
    fn wait(&mut self, deadline: Option<Instant>) -> io::Result<bool> {
        let interests = [
            Interest {
                fd: self.client.signals.as_fd(),
                writable: false,
            },
            Interest {
                fd: self.socket.as_fd(),
                writable: self.socket.is_blocked(),
            },
        ];
        let ready = wait::wait(&interests, deadline)?;
        if ready[1].writable {
            self.socket.send_unsent();
        }
        if ready[1].readable {
            let Self { socket, conn, .. } = self;
            socket.receive(|datagram| {
                if let Err(e) = receive(conn, datagram) {
                    log::debug!("a packet is not acceptable: {e}");
                }
            })?;
        }
        Ok(ready[0].readable && self.client.signals.take() > 0)
    }

    /// Lets the closing packet out.
    fn send_close(&mut self) -> io::Result<()> {
        let end = Instant::now() + CLOSING_TIME;
        self.sender.flush(&mut self.conn, &mut self.socket);
        while self.socket.is_blocked() && Instant::now() < end {
            self.wait(Some(end))?;
        }
        Ok(())
    }
}
