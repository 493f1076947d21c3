//! A QUIC connection with its application, before, while and after it lives.

use std::fs::File;
use std::io::BufWriter;

use quiche_cc_bottleneck::{Ecn, Stream, Time};

use super::outbox::Outbox;
use super::{RunConfig, RunError, MOST_AT_ONCE, SHORTEST_SLEEP};
use crate::host::{self, Endpoint, EndpointConfig};
use crate::network::{Parcel, Side};
use crate::record::{FlowRecord, SenderSample};
use crate::scenario::{FlowDecl, Quic};
use crate::traffic::{application, Application};
use crate::virtual_time::VirtualTime;

/// Bytes of a full QUIC packet that are not stream data: short header with an 8-byte connection id and a 2-byte number,
/// STREAM frame header, authentication tag (RFC 9000, RFC 9001).
const QUIC_OVERHEAD: u64 = 40;
/// The client's controller: it sends requests and acknowledgements, and these unpaced.
const CLIENT_CC: &str = "cubic";

/// A QUIC flow.
pub struct QuicFlow {
    id: usize,
    decl: FlowDecl,
    quic: Quic,
    app: Box<dyn Application>,
    server: Option<Endpoint>,
    client: Option<Endpoint>,
    configs: [EndpointConfig; 2],
    qlog: Option<BufWriter<File>>,
    title: String,
    about: String,
    /// Stream bytes that the client has read, and of which the server knows.
    read: u64,
    acked: u64,
    stopped: bool,
}

impl QuicFlow {
    /// The flow `id`, not yet begun.
    pub fn new(
        id: usize,
        decl: &FlowDecl,
        quic: &Quic,
        datagram: u16,
        config: &RunConfig<'_>,
        rng: Stream,
    ) -> Result<Self, RunError> {
        let cc = quic.cc.as_deref().unwrap_or(config.cc);
        let end = |side| EndpointConfig {
            side,
            flow: id,
            cc: match side {
                Side::Server => cc.to_owned(),
                Side::Client => CLIENT_CC.to_owned(),
            },
            datagram,
            initial_window: quic.initial_window,
            idle_timeout: quic.idle_timeout,
            timestamps_per_ack: match side {
                Side::Server if quic.timestamps => quic.timestamps_per_ack.into(),
                _ => 0,
            },
            packets_per_ack: match side {
                Side::Server => 1,
                Side::Client => quic.packets_per_ack.into(),
            },
            ecn: quic.ecn,
            clock: match side {
                Side::Server => Default::default(),
                Side::Client => quic.clock.clone(),
            },
        };
        let configs = [end(Side::Server), end(Side::Client)];
        host::check(&configs[0]).map_err(|_| RunError::Controller {
            flow: decl.name.clone(),
            cc: cc.to_owned(),
        })?;
        let packet = u64::from(datagram) - QUIC_OVERHEAD;
        Ok(Self {
            id,
            decl: decl.clone(),
            quic: quic.clone(),
            app: application(&decl.traffic, decl.start, packet, rng),
            server: None,
            client: None,
            configs,
            qlog: open_trace(config, &decl.name)?,
            title: format!("{} with {cc}", decl.name),
            about: about(cc, config),
            read: 0,
            acked: 0,
            stopped: false,
        })
    }

    /// The sender's state, if it lives.
    pub fn sample(&self, time: &VirtualTime, at: Time) -> Option<SenderSample> {
        let end = self.server.as_ref()?;
        let conn = &end.conn;
        end.enter(time, at);
        let path = conn.path_stats().find(|path| path.active)?;
        let stats = conn.stats();
        Some(SenderSample {
            at,
            window: path.cwnd as u64,
            rtt: path.rtt,
            declared_lost: stats.lost as u64,
            spurious: stats.spurious_lost as u64,
            estimate: end.estimate(),
        })
    }

    fn end(&mut self, side: Side) -> Option<&mut Endpoint> {
        match side {
            Side::Server => self.server.as_mut(),
            Side::Client => self.client.as_mut(),
        }
    }

    /// A datagram has come.
    pub fn receive(&mut self, time: &VirtualTime, now: Time, parcel: &mut Parcel, ecn: Ecn) {
        let port = host::port(
            parcel.to.peer(),
            self.rebinds(parcel.sent, parcel.to.peer()),
        );
        if parcel.to == Side::Server {
            self.acked = self.acked.max(parcel.received_in_order);
        }
        if let Some(end) = self.end(parcel.to) {
            end.enter(time, now);
            end.receive(&mut parcel.data, ecn, port);
        }
    }

    /// How often the client's address has changed until `at`.
    fn rebinds(&self, at: Time, side: Side) -> u16 {
        match side {
            Side::Server => 0,
            Side::Client => self.quic.rebind.iter().filter(|t| **t <= at).count() as u16,
        }
    }

    /// Opens the ends when the flow starts. The server's comes to be at once; it waits for the client.
    fn open(&mut self, time: &VirtualTime, now: Time, side: Side) {
        let config = &self.configs[side as usize];
        let mut end = Endpoint::open(config, time, now).expect("the configuration was checked");
        if side == Side::Server {
            if let Some(file) = self.qlog.take() {
                let level = quiche::QlogLevel::Extra;
                let (title, about) = (self.title.clone(), self.about.clone());
                end.conn
                    .set_qlog_with_level(Box::new(file), title, about, level);
            }
            self.server = Some(end);
        } else {
            self.client = Some(end);
        }
    }

    /// Lets one end do what is due. Returns when it is due again.
    pub fn act(
        &mut self,
        time: &VirtualTime,
        now: Time,
        side: Side,
        out: &mut Outbox,
        record: &mut FlowRecord,
    ) -> Option<Time> {
        if self.stopped {
            return None;
        }
        if now >= self.decl.stop {
            self.stop(time, now, record);
            return None;
        }
        if self.end(side).is_none() {
            self.open(time, now, side);
        }
        self.talk(time, now, side, record);
        self.flush(now, side, out);
        self.note(now, side, record);
        self.next_wake(now, side)
    }

    /// Timers first, then the application.
    fn talk(&mut self, time: &VirtualTime, now: Time, side: Side, record: &mut FlowRecord) {
        let acked = self.acked;
        let app = &mut self.app;
        let end = match side {
            Side::Server => self.server.as_mut(),
            Side::Client => self.client.as_mut(),
        };
        let Some(end) = end else { return };
        end.enter(time, now);
        end.fire_timers();
        end.issue_connection_ids();
        match side {
            Side::Server => app.serve(now, &mut end.conn, acked),
            Side::Client => {
                let read = app.consume(now, &mut end.conn);
                if read > 0 {
                    self.read += read;
                    record.reads.push((now, read));
                }
                record.completions.extend(app.take_completions());
            }
        }
    }

    fn flush(&mut self, now: Time, side: Side, out: &mut Outbox) {
        let (id, read) = (self.id, self.read);
        let Some(end) = self.end(side) else { return };
        for _ in 0..MOST_AT_ONCE {
            let Some(departure) = end.depart(out.spare()) else {
                return;
            };
            let parcel = Parcel::new(id, side.peer(), now, read, departure.data);
            out.push(parcel, departure.ecn);
        }
    }

    fn note(&mut self, now: Time, side: Side, record: &mut FlowRecord) {
        let Some(end) = self.end(side) else { return };
        if side == Side::Server && record.established.is_none() && end.conn.is_established() {
            record.established = Some(now);
        }
        if record.ended.is_none() && end.conn.is_closed() {
            record.ended = Some((now, reason(&end.conn)));
        }
    }

    fn note_end(&mut self, now: Time, record: &mut FlowRecord) {
        self.note(now, Side::Server, record);
        self.note(now, Side::Client, record);
    }

    fn next_wake(&mut self, now: Time, side: Side) -> Option<Time> {
        let stop = self.decl.stop;
        let app = match side {
            Side::Server => self.app.next_serve(),
            Side::Client => self.app.next_consume(),
        };
        let end = self.end(side)?;
        let app = app.filter(|_| end.conn.is_established());
        let wake = [app, end.next_wake(now)].into_iter().flatten().min()?;
        Some(wake.max(now + SHORTEST_SLEEP).min(stop))
    }

    /// Both endpoints stop, as if the hosts were switched off.
    pub fn stop(&mut self, time: &VirtualTime, now: Time, record: &mut FlowRecord) {
        self.note_end(now, record);
        if !self.stopped {
            record.media = self.app.take_media();
        }
        self.stopped = true;
        time.set(now);
        self.server = None;
        self.client = None;
    }
}

/// What a trace says of itself. By this its readers know the controller, and the record of its run.
fn about(cc: &str, config: &RunConfig<'_>) -> String {
    let about = format!("cc-lab with congestion controller {cc}");
    match config.recording {
        None => about,
        Some(recording) => format!("{about}, run {}", recording.run()),
    }
}

fn open_trace(config: &RunConfig<'_>, flow: &str) -> Result<Option<BufWriter<File>>, RunError> {
    let Some(directory) = config.qlog else {
        return Ok(None);
    };
    let path = directory.join(format!("{flow}.sqlog"));
    match File::create(&path) {
        Ok(file) => Ok(Some(BufWriter::new(file))),
        Err(error) => Err(RunError::Trace { path, error }),
    }
}

fn reason(conn: &host::Connection) -> String {
    let error = conn.local_error().or_else(|| conn.peer_error());
    match error {
        _ if conn.is_timed_out() => "idle timeout".to_owned(),
        Some(error) => format!(
            "error {:#x}: {}",
            error.error_code,
            String::from_utf8_lossy(&error.reason)
        ),
        None => "closed".to_owned(),
    }
}
