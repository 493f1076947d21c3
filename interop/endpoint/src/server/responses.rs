//! The responses of one connection that are under way.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use bytes::Bytes;
use quiche::h3::{self, Header};

use super::content::{Body, Response};
use crate::body::LiveBytes;
use crate::connection::{h3_code, Connection};

/// Data that one stream may hold in excess of twice the congestion window, in bytes: a block that
/// is in part acknowledged still counts in full.
const SLACK_PER_STREAM: usize = 64 << 10;

/// How a protocol puts responses on streams.
pub trait Framing {
    /// Sends the header section, and with `fin` the end of the stream.
    fn send_head(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        headers: &[Header],
        fin: bool,
    ) -> Result<(), h3::Error>;

    /// Sends as much of `body` as quiche takes, and with `fin` the end of the stream after the last
    /// of it. Returns how much that was. If it is not all, `body` then holds the rest.
    fn send_body(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        body: &mut Bytes,
        fin: bool,
    ) -> Result<usize, h3::Error>;
}

impl Framing for h3::Connection {
    fn send_head(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        headers: &[Header],
        fin: bool,
    ) -> Result<(), h3::Error> {
        self.send_response(conn, stream, headers, fin)
    }

    fn send_body(
        &mut self,
        conn: &mut Connection,
        stream: u64,
        body: &mut Bytes,
        fin: bool,
    ) -> Result<usize, h3::Error> {
        self.send_body_zc(conn, stream, body, fin)
    }
}

/// Gives every response its turn, as far as quiche takes data.
#[derive(Default)]
pub struct Responses {
    under_way: HashMap<u64, Outgoing>,
    turns: VecDeque<u64>,
    live: LiveBytes,
    /// When the client last asked for something or took something.
    active: Option<Instant>,
    ended: Vec<Ended>,
}

/// How a response came to its end on the server's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The transport has all of it, and delivers it.
    Sent,
    /// The client wants no more of it.
    Cancelled,
    /// The client took nothing of it for too long.
    Stalled,
    /// It could not be read or sent.
    Failed,
}

/// A response that is not under way any more.
pub struct Ended {
    pub stream: u64,
    pub end: End,
    /// Bytes of the body that the transport took.
    pub sent: u64,
}

/// A response that quiche has not taken completely.
struct Outgoing {
    /// The header section, until it is sent.
    headers: Option<Vec<Header>>,
    body: Option<Body>,
    /// The part of the last block that quiche has not taken.
    pending: Bytes,
    /// Bytes of the body that quiche has taken.
    sent: u64,
    /// When the client last took something of it.
    progress: Instant,
}

/// What became of one turn.
enum Turn {
    Progress,
    Blocked,
    Finished(End),
}

impl Responses {
    /// Starts a response.
    pub fn start(&mut self, stream: u64, response: Response) {
        let mut headers = vec![
            Header::new(b":status", response.status.to_string().as_bytes()),
            Header::new(
                b"server",
                concat!("quiche-cc/", env!("CARGO_PKG_VERSION")).as_bytes(),
            ),
        ];
        headers.extend(
            response
                .headers
                .iter()
                .map(|(name, value)| Header::new(name.as_bytes(), value.as_bytes())),
        );
        let body = response.body.filter(|body| body.remaining() > 0);
        let outgoing = Outgoing {
            headers: Some(headers),
            body,
            pending: Bytes::new(),
            sent: 0,
            progress: Instant::now(),
        };
        self.active = Some(outgoing.progress);
        self.under_way.insert(stream, outgoing);
        self.turns.push_back(stream);
    }

    /// A request gets no response but a reset.
    pub fn refuse(&mut self, stream: u64) {
        self.end(stream, End::Failed);
    }

    /// Forgets a response that the client does not want any more.
    pub fn cancel(&mut self, stream: u64) {
        self.end(stream, End::Cancelled);
        self.turns.retain(|turn| *turn != stream);
    }

    /// Those that ended since the last call.
    pub fn take_ended(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.ended)
    }

    /// Bytes that quiche has taken of a response that is under way.
    pub fn sent(&self, stream: u64) -> u64 {
        self.under_way
            .get(&stream)
            .map_or(0, |outgoing| outgoing.sent)
    }

    fn end(&mut self, stream: u64, end: End) {
        let outgoing = self.under_way.remove(&stream);
        let sent = outgoing.map_or(0, |outgoing| outgoing.sent);
        self.ended.push(Ended { stream, end, sent });
    }

    /// Whether everything was sent and acknowledged.
    pub fn all_delivered(&self) -> bool {
        self.under_way.is_empty() && self.live.get() == 0
    }

    /// Ends the responses of which the client has taken nothing since `since`. Returns how many.
    pub fn cut_off(&mut self, conn: &mut Connection, since: Instant) -> usize {
        let stalled =
            |(stream, outgoing): (&u64, &Outgoing)| (outgoing.progress <= since).then_some(*stream);
        let streams: Vec<u64> = self.under_way.iter().filter_map(stalled).collect();
        for stream in &streams {
            self.end(*stream, End::Stalled);
            self.turns.retain(|turn| turn != stream);
            reset(conn, *stream, h3_code::REQUEST_CANCELLED);
        }
        streams.len()
    }

    /// When the client was last heard asking or seen taking, of the response for which that is the
    /// longest ago; without responses, of all that there were; `None` if there never were any.
    pub fn least_recent(&self) -> Option<Instant> {
        let under_way = self.under_way.values().map(|outgoing| outgoing.progress);
        under_way.min().or(self.active)
    }

    /// Whether no response is under way.
    pub fn is_idle(&self) -> bool {
        self.under_way.is_empty()
    }

    /// Offers data to quiche until it takes no more. To be called whenever packets have arrived or
    /// timers have fired, before sending.
    pub fn fill(&mut self, http: &mut impl Framing, conn: &mut Connection) {
        let cwnd = conn
            .path_stats()
            .find(|path| path.active)
            .map_or(0, |path| path.cwnd);
        // The flow must not look limited by the application, so there is always a window's worth
        // behind the one in flight.
        let limit = 2 * cwnd + SLACK_PER_STREAM * (self.turns.len() + 1);
        let now = Instant::now();
        let mut blocked = 0;
        while blocked < self.turns.len() {
            let Some(stream) = self.turns.pop_front() else {
                break;
            };
            let Some(outgoing) = self.under_way.get_mut(&stream) else {
                continue;
            };
            match outgoing.advance(http, conn, stream, &self.live, limit) {
                Turn::Progress => {
                    blocked = 0;
                    outgoing.progress = now;
                    self.active = Some(now);
                }
                Turn::Blocked => blocked += 1,
                Turn::Finished(end) => {
                    self.active = Some(now);
                    self.end(stream, end);
                    continue;
                }
            }
            self.turns.push_back(stream);
        }
    }
}

impl Outgoing {
    /// Sends the headers or one block.
    fn advance(
        &mut self,
        http: &mut impl Framing,
        conn: &mut Connection,
        stream: u64,
        live: &LiveBytes,
        limit: usize,
    ) -> Turn {
        if let Some(headers) = &self.headers {
            let fin = self.body.is_none();
            return match http.send_head(conn, stream, headers, fin) {
                Ok(()) if fin => Turn::Finished(End::Sent),
                Ok(()) => {
                    self.headers = None;
                    Turn::Progress
                }
                Err(e) => refused(conn, stream, e),
            };
        }
        if self.pending.is_empty() {
            if live.get() >= limit {
                return Turn::Blocked;
            }
            if let Err(e) = self.load(live) {
                log::warn!("{} stream {stream} is cut short: {e}", conn.trace_id());
                reset(conn, stream, h3_code::INTERNAL_ERROR);
                return Turn::Finished(End::Failed);
            }
        }
        self.send_pending(http, conn, stream)
    }

    /// Reads the next block of the body.
    fn load(&mut self, live: &LiveBytes) -> std::io::Result<()> {
        if let Some(body) = &mut self.body {
            self.pending = live.track(body.next_block()?);
        }
        Ok(())
    }

    fn send_pending(
        &mut self,
        http: &mut impl Framing,
        conn: &mut Connection,
        stream: u64,
    ) -> Turn {
        let fin = self.body.as_ref().is_none_or(|body| body.remaining() == 0);
        let offered = self.pending.len();
        // Afterwards `pending` holds what is left; but if nothing is left, what was sent.
        let sent = match http.send_body(conn, stream, &mut self.pending, fin) {
            Ok(sent) => sent,
            Err(e) => return refused(conn, stream, e),
        };
        self.sent += sent as u64;
        if sent < offered {
            return Turn::Progress;
        }
        self.pending = Bytes::new();
        if fin {
            Turn::Finished(End::Sent)
        } else {
            Turn::Progress
        }
    }
}

/// What to do when quiche does not take data.
fn refused(conn: &mut Connection, stream: u64, error: h3::Error) -> Turn {
    use h3::Error::{Done, StreamBlocked, TransportError};
    match error {
        Done | StreamBlocked => Turn::Blocked,
        TransportError(quiche::Error::StreamStopped(_)) => {
            reset(conn, stream, h3_code::REQUEST_CANCELLED);
            Turn::Finished(End::Cancelled)
        }
        other => {
            log::debug!("{} stream {stream} failed: {other}", conn.trace_id());
            reset(conn, stream, h3_code::INTERNAL_ERROR);
            Turn::Finished(End::Failed)
        }
    }
}

/// Ends a stream in both directions.
pub fn reset(conn: &mut Connection, stream: u64, code: u64) {
    conn.stream_shutdown(stream, quiche::Shutdown::Write, code)
        .ok();
    conn.stream_shutdown(stream, quiche::Shutdown::Read, code)
        .ok();
}
