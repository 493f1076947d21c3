//! The responses of one connection, until their end.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use quiche::h3::{self, Header};

use super::budget::Budget;
use super::content::{Body, Response};
use super::delivery::{Delivery, Outcome};
use super::framing::{reset, room, Framing};
use super::stalls::Patience;
use crate::body::{LiveBytes, COST_PER_BLOCK};
use crate::connection::{h3_code, Connection};

/// Bytes read or generated at a time, if quiche takes as many; with its cost 32 KiB.
const LARGEST_BLOCK: usize = (32 << 10) - COST_PER_BLOCK;

/// Data that one stream may hold in excess of twice the congestion window, in bytes: a block that
/// is in part acknowledged still counts in full.
const SLACK_PER_STREAM: usize = 64 << 10;

/// What responses may take of the server.
#[derive(Clone)]
pub struct Bounds {
    pub budget: Budget,
    pub patience: Patience,
}

/// Gives every response its turn, as far as quiche takes data.
pub struct Responses {
    bounds: Bounds,
    under_way: HashMap<u64, Outgoing>,
    turns: VecDeque<u64>,
    delivery: Delivery,
    /// What the transport has of bodies.
    live: LiveBytes,
    /// When the client last asked for something or took something.
    active: Option<Instant>,
    ended: Vec<Ended>,
}

/// How a response came to its end on the server's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The client has acknowledged all of it.
    Delivered,
    /// The client wants no more of it.
    Cancelled,
    /// The client took or acknowledged too little of it for too long.
    Stalled,
    /// It could not be read or sent.
    Failed,
}

/// A response of which no more is sent.
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
    /// Bytes of the body that quiche has taken.
    sent: u64,
    /// When the client had last taken enough of it, and how much of it that was.
    progress: Instant,
    taken: u64,
}

/// What became of one turn.
enum Turn {
    Progress,
    Blocked,
    /// quiche has all of it.
    Taken,
    /// Nothing more of it is sent.
    Over(End),
}

impl Responses {
    /// Of a connection that begins, within these bounds.
    pub fn new(bounds: Bounds) -> Self {
        Self {
            live: bounds.budget.open_account(),
            bounds,
            under_way: HashMap::new(),
            turns: VecDeque::new(),
            delivery: Delivery::default(),
            active: None,
            ended: Vec::new(),
        }
    }

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
            sent: 0,
            progress: Instant::now(),
            taken: 0,
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

    /// Bytes that quiche has taken of a response that has not ended.
    pub fn sent(&self, stream: u64) -> u64 {
        let under_way = self.under_way.get(&stream);
        under_way
            .map(|outgoing| outgoing.sent)
            .or_else(|| self.delivery.size(stream))
            .unwrap_or(0)
    }

    fn end(&mut self, stream: u64, end: End) {
        let under_way = self.under_way.remove(&stream);
        let sent = under_way
            .map(|outgoing| outgoing.sent)
            .or_else(|| self.delivery.remove(stream))
            .unwrap_or(0);
        self.ended.push(Ended { stream, end, sent });
    }

    /// quiche has all of it, and keeps it until it is acknowledged.
    fn hand_over(&mut self, conn: &Connection, stream: u64, now: Instant) {
        let outgoing = self.under_way.remove(&stream);
        let size = outgoing.map_or(0, |outgoing| outgoing.sent);
        self.delivery.begin(conn, stream, size, now);
    }

    /// Looks what the client has acknowledged. To be called in every turn.
    pub fn follow(&mut self, conn: &mut Connection, now: Instant) {
        let enough = self.bounds.patience.enough_of_all();
        for (stream, outcome, sent) in self.delivery.follow(conn, enough, now) {
            let end = match outcome {
                Outcome::Delivered => End::Delivered,
                Outcome::Cancelled => End::Cancelled,
            };
            self.ended.push(Ended { stream, end, sent });
        }
    }

    /// Ends the responses of which the client has not taken, or not acknowledged, enough since `since`.
    /// Returns how many.
    pub fn cut_off(&mut self, conn: &mut Connection, since: Instant) -> usize {
        let stalled =
            |(stream, outgoing): (&u64, &Outgoing)| (outgoing.progress <= since).then_some(*stream);
        let under_way = self.under_way.iter().filter_map(stalled);
        let streams: Vec<u64> = under_way.chain(self.delivery.stalled(since)).collect();
        for stream in &streams {
            self.end(*stream, End::Stalled);
            self.turns.retain(|turn| turn != stream);
            reset(conn, *stream, h3_code::REQUEST_CANCELLED);
        }
        streams.len()
    }

    /// When the client was last heard asking, or had taken or acknowledged enough, of the response for
    /// which that is the longest ago; without responses, of all that there were; `None` if there never
    /// were any.
    pub fn least_recent(&self) -> Option<Instant> {
        let under_way = self.under_way.values().map(|outgoing| outgoing.progress);
        let all = under_way.chain(self.delivery.least_recent());
        all.min().or(self.active)
    }

    /// Whether everything was sent and acknowledged, headers included.
    pub fn is_idle(&self) -> bool {
        self.under_way.is_empty() && self.delivery.is_empty()
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
        let enough = self.bounds.patience.enough_of_each(self.turns.len());
        let now = Instant::now();
        let mut blocked = 0;
        while blocked < self.turns.len() {
            let Some(stream) = self.turns.pop_front() else {
                break;
            };
            let Some(outgoing) = self.under_way.get_mut(&stream) else {
                continue;
            };
            let may_read = self.live.get() < limit && self.bounds.budget.permits(&self.live);
            match outgoing.advance(http, conn, stream, &self.live, may_read) {
                Turn::Progress => {
                    blocked = 0;
                    outgoing.look_at_progress(enough, now);
                    self.active = Some(now);
                }
                Turn::Blocked => blocked += 1,
                Turn::Taken => {
                    self.active = Some(now);
                    self.hand_over(conn, stream, now);
                    continue;
                }
                Turn::Over(end) => {
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
    /// Sends the headers or, if that may be read, one block.
    fn advance(
        &mut self,
        http: &mut impl Framing,
        conn: &mut Connection,
        stream: u64,
        live: &LiveBytes,
        may_read: bool,
    ) -> Turn {
        let Some(headers) = &self.headers else {
            return self.send_block(http, conn, stream, live, may_read);
        };
        let fin = self.body.is_none();
        match http.send_head(conn, stream, headers, fin) {
            Ok(()) if fin => Turn::Taken,
            Ok(()) => {
                self.headers = None;
                Turn::Progress
            }
            Err(e) => refused(conn, stream, e),
        }
    }

    /// Reads no more than quiche takes at once: what a client holds up takes no memory.
    fn send_block(
        &mut self,
        http: &mut impl Framing,
        conn: &mut Connection,
        stream: u64,
        live: &LiveBytes,
        may_read: bool,
    ) -> Turn {
        let room = match room(conn, stream) {
            Ok(room) => room,
            Err(e) => {
                http.forget(conn, stream);
                return refused(conn, stream, e.into());
            }
        };
        let Some(body) = self.body.as_mut().filter(|_| may_read && room > 0) else {
            return Turn::Blocked;
        };
        let block = match body.read(room.min(LARGEST_BLOCK)) {
            Ok(block) => live.track(block),
            Err(e) => {
                log::warn!("{} stream {stream} is cut short: {e}", conn.trace_id());
                reset(conn, stream, h3_code::INTERNAL_ERROR);
                return Turn::Over(End::Failed);
            }
        };
        let fin = body.remaining() == block.len() as u64;
        match http.send_body(conn, stream, block, fin) {
            Ok(sent) => self.on_sent(sent),
            Err(e) => refused(conn, stream, e),
        }
    }

    /// To be called when quiche has taken something of it.
    fn look_at_progress(&mut self, enough: u64, now: Instant) {
        let only_headers = self.sent == 0;
        if only_headers || self.sent - self.taken >= enough {
            (self.progress, self.taken) = (now, self.sent);
        }
    }

    fn on_sent(&mut self, count: usize) -> Turn {
        self.sent += count as u64;
        let rest = self.body.as_mut().map_or(0, |body| {
            body.advance(count as u64);
            body.remaining()
        });
        if rest == 0 {
            Turn::Taken
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
            Turn::Over(End::Cancelled)
        }
        other => {
            log::debug!("{} stream {stream} failed: {other}", conn.trace_id());
            reset(conn, stream, h3_code::INTERNAL_ERROR);
            Turn::Over(End::Failed)
        }
    }
}
