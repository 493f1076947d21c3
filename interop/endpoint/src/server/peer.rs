//! One client of the server.

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use quiche::h3;

use super::access::{AccessLog, Accesses, Asked};
use super::content::{Request, Response};
use super::framing::reset;
use super::heard::Heard;
use super::http09::Http09;
use super::life::Life;
use super::message;
use super::metrics::Families;
use super::records::Records;
use super::resets::Resets;
use super::responses::{Bounds, Responses};
use super::rules::Choice;
use super::services::Services;
use super::stalls::Stalls;
use crate::connection::{h3_code, issue_connection_ids, no_error_code, random_number, Connection};
use crate::http09;
use crate::pacing::{Sender, Stopped};
use crate::socket::UdpEndpoint;
use crate::steering::Ids;

/// The protocol that a client chose by ALPN.
enum Http {
    Three(Box<h3::Connection>),
    Nine(Http09),
}

/// A connection with the requests on it.
pub struct Peer {
    pub conn: Connection,
    /// Where it began.
    pub client: IpAddr,
    /// Index of the socket of the path in use.
    pub socket: usize,
    /// All connection ids by which datagrams for it are found.
    pub ids: Vec<quiche::ConnectionId<'static>>,
    /// Whether it waits for a turn in the loop.
    pub marked: bool,
    /// Drawn at random, for rules about a share of the connections.
    pub draw: u64,
    /// The congestion controller, and why.
    pub choice: Choice,
    /// What is written down as soon as the client has proved its address.
    held: Option<Records>,
    life: Life,
    http: Option<Http>,
    responses: Responses,
    accesses: Accesses,
    heard: Heard,
    goaway_sent: bool,
    stalls: Stalls,
}

impl Peer {
    /// A half-open connection. Its records are kept when it is confirmed.
    pub fn new(
        conn: Connection,
        client: IpAddr,
        socket: usize,
        original_id: Vec<u8>,
        choice: Choice,
        records: Records,
        bounds: &Bounds,
    ) -> Self {
        Self {
            held: Some(records),
            conn,
            client,
            socket,
            ids: Vec::new(),
            marked: false,
            draw: random_number(),
            choice,
            life: Life::new(original_id),
            http: None,
            responses: Responses::new(bounds.clone()),
            accesses: Accesses::default(),
            heard: Heard::default(),
            goaway_sent: false,
            stalls: Stalls::new(bounds.patience),
        }
    }

    /// Whether the client has not shown yet that it is where it claims to be.
    pub fn is_half_open(&self) -> bool {
        self.held.is_some()
    }

    /// Looks whether the client has just shown it.
    pub fn confirm(&mut self) -> bool {
        let verified = |path: quiche::PathStats| path.verified_peer_address;
        if self.held.is_none() || !self.conn.path_stats().any(verified) {
            return false;
        }
        if let Some(records) = self.held.take() {
            records.keep();
        }
        true
    }

    /// To be called after a datagram has come by this socket, at this address.
    pub fn follow(&mut self, socket: usize, at: SocketAddr) {
        let moved = |path: quiche::PathStats| path.active && path.local_addr == at;
        if self.socket != socket && self.conn.path_stats().any(moved) {
            self.socket = socket;
        }
    }

    /// Does everything that can be done now. Returns when to come again, or what stopped it.
    pub fn drive(
        &mut self,
        services: &Services<'_>,
        sender: &mut Sender,
        sockets: &mut [UdpEndpoint],
    ) -> Stopped {
        let now = Instant::now();
        if self.conn.timeout_instant().is_some_and(|at| at <= now) {
            self.conn.on_timeout();
        }
        while self.conn.path_event_next().is_some() {} // quiche keeps them until they are taken
        self.life
            .observe(services.families, &self.conn, &self.choice, now);
        self.serve(services);
        self.responses.follow(&mut self.conn, now);
        if self.stalls.check(&mut self.conn, &mut self.responses, now) {
            self.end(no_error_code(&self.conn), b"nothing was asked for or taken");
        }
        self.log_requests(services.access_log);
        let stopped = sender.flush_by(&mut self.conn, sockets, self.socket);
        self.life.look_for_end(&self.conn, now);
        stopped
    }

    /// Connection ids issued since the last call, and those that the client has given up.
    pub fn change_ids(
        &mut self,
        ids: &Ids,
        resets: &Resets,
    ) -> (Vec<quiche::ConnectionId<'static>>, Vec<Vec<u8>>) {
        if !self.conn.is_established() || self.conn.is_closed() {
            return (Vec::new(), Vec::new());
        }
        let issued = issue_connection_ids(&mut self.conn, || ids.fresh(), |id| resets.token(id));
        let mut retired = Vec::new();
        while let Some(id) = self.conn.retired_scid_next() {
            self.ids.retain(|known| *known != id);
            retired.push(id.to_vec());
        }
        self.ids.extend(issued.iter().cloned());
        (issued, retired)
    }

    /// Whether nothing is lost if the connection is closed now.
    pub fn is_finished(&self) -> bool {
        !self.conn.is_established() || self.responses.is_idle()
    }

    /// Closes the connection without an error.
    pub fn close(&mut self) {
        self.end(no_error_code(&self.conn), b"server is stopping");
    }

    fn end(&mut self, code: u64, why: &[u8]) {
        self.conn.close(true, code, why).ok();
    }

    /// Turns the client away.
    pub fn refuse(&mut self, why: &[u8]) {
        // RFC 9000, section 20.1: CONNECTION_REFUSED.
        self.conn.close(false, 0x2, why).ok();
    }

    /// When there is something to do on it, whatever comes.
    pub fn due(&self) -> Option<Instant> {
        let due = [self.conn.timeout_instant(), self.stalls.due(&self.conn)];
        due.into_iter().flatten().min()
    }

    /// Whether nothing more will happen on it.
    pub fn is_over(&self, stopping: bool) -> bool {
        // The draining period only serves to absorb late packets; a stopping server need not wait.
        self.conn.is_closed() || (stopping && self.conn.is_draining())
    }

    fn log_requests(&mut self, log: Option<&AccessLog>) {
        let ended = self.responses.take_ended();
        if let Some(log) = log.filter(|_| !ended.is_empty()) {
            let about = self.life.about(&self.conn, &self.choice);
            self.accesses.tell(&ended, log, &about);
        }
    }

    fn serve(&mut self, services: &Services<'_>) {
        let ready = self.conn.is_established() || self.conn.is_in_early_data();
        if !ready || self.conn.is_draining() || self.conn.is_closed() {
            return;
        }
        if self.http.is_none() {
            self.http = self.start_http(services);
        }
        // Taken out for the time in which both it and the rest of the peer are needed.
        let Some(mut http) = self.http.take() else {
            return;
        };
        match &mut http {
            Http::Three(http) => {
                if services.stopping && !self.goaway_sent {
                    self.send_goaway(http);
                }
                self.poll(http, services);
                self.responses.fill(http.as_mut(), &mut self.conn);
            }
            Http::Nine(http) => {
                for (stream, request) in http.poll(&mut self.conn) {
                    self.on_http09(stream, &request, services);
                }
                self.responses.fill(http, &mut self.conn);
            }
        }
        self.http = Some(http);
    }

    fn start_http(&mut self, services: &Services<'_>) -> Option<Http> {
        if http09::is_spoken(&self.conn) {
            return Some(Http::Nine(Http09::default()));
        }
        match h3::Connection::with_transport(&mut self.conn, services.h3_config) {
            Ok(http) => Some(Http::Three(Box::new(http))),
            Err(e) => {
                log::debug!("{} HTTP/3 cannot start: {e}", self.conn.trace_id());
                None
            }
        }
    }

    fn on_http09(&mut self, stream: u64, request: &[u8], services: &Services<'_>) {
        if services.stopping {
            return reset(&mut self.conn, stream, http09::code::CANCELLED);
        }
        let Some(path) = http09::path(request) else {
            return reset(&mut self.conn, stream, http09::code::BAD_REQUEST);
        };
        self.count_request(Some(path), services);
        let response = services.content.respond(&Request {
            method: Some(b"GET".to_vec()),
            path: Some(path.to_vec()),
            range: None,
        });
        services.count_response(&response);
        if services.access_log.is_some() {
            let asked = Asked::by_path(path);
            self.accesses.begin(stream, asked, response.status);
        }
        if response.status == 200 {
            self.responses.start(stream, response);
        } else {
            reset(&mut self.conn, stream, http09::code::NOT_FOUND);
            self.responses.refuse(stream);
        }
    }

    fn poll(&mut self, http: &mut h3::Connection, services: &Services<'_>) {
        loop {
            match http.poll(&mut self.conn) {
                Ok((stream, h3::Event::Headers { list, more_frames })) => {
                    self.on_request(stream, &list, more_frames, services);
                }
                Ok((stream, h3::Event::Reset(_))) => {
                    self.heard.insert(stream);
                    self.responses.cancel(stream);
                    reset(&mut self.conn, stream, h3_code::REQUEST_CANCELLED);
                }
                Ok((stream, h3::Event::Data)) => {
                    // The body of a request is of no interest, but must be taken.
                    let mut sink = [0; 4096];
                    while http.recv_body(&mut self.conn, stream, &mut sink).is_ok() {}
                }
                Ok((stream, h3::Event::Finished)) => {
                    if self.heard.insert(stream) {
                        reset(&mut self.conn, stream, h3_code::REQUEST_INCOMPLETE);
                    }
                }
                Ok((_, h3::Event::PriorityUpdate | h3::Event::GoAway)) => {}
                Err(h3::Error::Done) => break,
                Err(e) => {
                    // quiche has closed the connection with the error's code.
                    log::debug!("{} HTTP/3 error: {e}", self.conn.trace_id());
                    break;
                }
            }
        }
    }

    fn on_request(
        &mut self,
        stream: u64,
        list: &[h3::Header],
        more_frames: bool,
        services: &Services<'_>,
    ) {
        if !self.heard.insert(stream) {
            // The trailers of a request, which are of no interest.
            return;
        }
        if services.stopping {
            return reset(&mut self.conn, stream, h3_code::REQUEST_REJECTED);
        }
        let response = self.respond(list, more_frames, services);
        services.count_response(&response);
        if services.access_log.is_some() {
            let asked = Asked::by_fields(list);
            self.accesses.begin(stream, asked, response.status);
        }
        self.responses.start(stream, response);
        if more_frames {
            // RFC 9114, section 4.1: asks the client to stop sending what is not needed.
            self.conn
                .stream_shutdown(stream, quiche::Shutdown::Read, h3_code::NO_ERROR)
                .ok();
        }
    }

    /// Lets the first request decide about the controller, before anything is sent for it.
    fn count_request(&mut self, path: Option<&[u8]>, services: &Services<'_>) {
        let first = self.life.count_request();
        let path = path.and_then(|path| std::str::from_utf8(path).ok());
        let (true, Some(path)) = (first, path) else {
            return;
        };
        let chosen =
            services
                .chooser
                .on_first_request(&mut self.conn, path, self.draw, &self.choice);
        if let Some(choice) = chosen {
            self.choice = choice;
        }
    }

    fn respond(
        &mut self,
        list: &[h3::Header],
        has_body: bool,
        services: &Services<'_>,
    ) -> Response {
        let request = match message::read(list, has_body) {
            Ok(request) => request,
            Err(why) => {
                self.count_request(None, services);
                log::debug!("{} malformed request: {why}", self.conn.trace_id());
                return Response::status(400);
            }
        };
        self.count_request(request.path.as_deref(), services);
        let early = self.conn.is_in_early_data();
        let response = services.content.respond_when(early, &request);
        log::debug!(
            "{} {} {} -> {}",
            self.conn.trace_id(),
            String::from_utf8_lossy(request.method.as_deref().unwrap_or_default()),
            String::from_utf8_lossy(request.path.as_deref().unwrap_or_default()),
            response.status
        );
        response
    }

    /// Tells the client which requests will not be answered (RFC 9114, section 5.2).
    fn send_goaway(&mut self, http: &mut h3::Connection) {
        match http.send_goaway(&mut self.conn, self.heard.end()) {
            Ok(()) => self.goaway_sent = true,
            Err(h3::Error::StreamBlocked) => {}
            Err(e) => {
                log::debug!("{} GOAWAY failed: {e}", self.conn.trace_id());
                self.goaway_sent = true;
            }
        }
    }

    /// The connection is over: tells of its last requests, logs its figures and returns them as JSON.
    pub fn finish(
        &mut self,
        families: Option<&Families>,
        log: Option<&AccessLog>,
    ) -> serde_json::Value {
        self.responses.follow(&mut self.conn, Instant::now());
        self.log_requests(log);
        if let Some(log) = log {
            let about = self.life.about(&self.conn, &self.choice);
            let sent = |stream| self.responses.sent(stream);
            self.accesses.finish(log, &about, sent);
        }
        self.life.finish(families, &self.conn, &self.choice);
        self.life.summary(&self.conn, &self.choice)
    }
}
