//! The server: one viewer after the other.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use quiche::{ConnectionId, Header, Type};
use quiche_cc_endpoint::connection::{random_connection_id, receive, CONNECTION_ID_LENGTH};
use quiche_cc_endpoint::pacing::Sender;
use quiche_cc_endpoint::qlog::QlogDirectory;
use quiche_cc_endpoint::signals::Signals;
use quiche_cc_endpoint::socket::{Datagram, UdpEndpoint};
use quiche_cc_endpoint::tls::Credentials;
use quiche_cc_endpoint::wait::{self, Interest};
use serde::Serialize;
use serde_json::json;

use crate::cli::ServeArgs;
use crate::film::Film;
use crate::session::Session;

/// Smallest datagram that may start a connection (RFC 9000, section 14.1).
const MIN_INITIAL: usize = 1200;
/// System calls that take datagrams before anything is sent for them.
const RECEIVES_PER_TURN: usize = 64;
/// How long the packet that closes the last connection may take to leave.
const CLOSING_TIME: Duration = Duration::from_millis(200);

/// The server's parts.
struct Server<'a> {
    args: &'a ServeArgs,
    film: Film,
    config: quiche::Config,
    qlog: Option<QlogDirectory>,
    /// Who watches, and the connection id that the viewer chose first.
    viewer: Option<(Session, ConnectionId<'static>)>,
}

/// Serves until SIGINT or SIGTERM.
pub fn serve(args: &ServeArgs, film: Film) -> io::Result<()> {
    let credentials = Credentials::self_signed()?;
    let mut config = credentials.config(|_| {}).map_err(io::Error::other)?;
    let protocols = quiche::h3::APPLICATION_PROTOCOL;
    args.transport
        .configure(&mut config, protocols)
        .map_err(io::Error::other)?;
    let signals = Signals::to_stop()?;
    let mut socket = UdpEndpoint::bind(args.listen)
        .map_err(|e| io::Error::new(e.kind(), format!("{} cannot be used: {e}", args.listen)))?;
    let qlog = args
        .qlog
        .as_deref()
        .map(QlogDirectory::create)
        .transpose()?;
    // A server that cannot start leaves the certificate of the one that holds the address.
    if let Some(path) = &args.save_cert {
        credentials.save(path)?;
    }
    let rates: Vec<f64> = film
        .rates()
        .iter()
        .map(|rate| rate.bits_per_sec() as f64)
        .collect();
    say(&json!({
        "event": "ready", "listen": socket.local_addr().to_string(), "cc": args.transport.cc.as_str(),
        "rungs_bits_per_second": rates, "pid": std::process::id(),
    }));
    let mut server = Server {
        args,
        film,
        config,
        qlog,
        viewer: None,
    };
    wait::make_timers_precise();
    server.run(&mut socket, &signals)
}

impl Server<'_> {
    fn run(&mut self, socket: &mut UdpEndpoint, signals: &Signals) -> io::Result<()> {
        let mut sender = Sender::default();
        loop {
            let mut due = None;
            if let Some((session, _)) = &mut self.viewer {
                due = session.drive(&mut sender, socket);
                if session.conn.is_closed() {
                    self.end();
                }
            }
            if turn(socket, signals, due, |datagram| self.take(datagram))? {
                break;
            }
        }
        if let Some((session, _)) = &mut self.viewer {
            session.close();
            session.drive(&mut sender, socket);
            let end = Instant::now() + CLOSING_TIME;
            while socket.is_blocked() && Instant::now() < end {
                turn(socket, signals, Some(end), |_| {})?;
            }
        }
        self.end();
        Ok(())
    }

    /// The viewer has left.
    fn end(&mut self) {
        if let Some((session, _)) = self.viewer.take() {
            say(&session.summary(self.args.transport.cc.as_str()));
        }
    }

    /// Gives a datagram to the connection that it is for, or to a new one if nobody watches.
    fn take(&mut self, datagram: Datagram<'_>) {
        let Ok(header) = Header::from_slice(datagram.data, CONNECTION_ID_LENGTH) else {
            return;
        };
        if self.viewer.is_none() {
            self.accept(&header, &datagram);
        }
        let Some((session, first)) = &mut self.viewer else {
            return;
        };
        // Until the viewer learns our id it uses the one that it made up.
        let ours = header.dcid == *first || session.conn.source_ids().any(|id| *id == header.dcid);
        if ours {
            if let Err(e) = receive(&mut session.conn, datagram) {
                log::debug!("a packet is not acceptable: {e}");
            }
        }
    }

    fn accept(&mut self, header: &Header<'_>, datagram: &Datagram<'_>) {
        let begins = header.ty == Type::Initial && datagram.data.len() >= MIN_INITIAL;
        if !begins || !quiche::version_is_supported(header.version) || header.dcid.len() < 8 {
            return;
        }
        let id = random_connection_id();
        let (to, from): (SocketAddr, SocketAddr) = (datagram.to, datagram.from);
        let accepted = quiche::accept_with_buf_factory(&id, None, to, from, &mut self.config);
        let Ok(mut conn) = accepted else {
            return;
        };
        if let Some(qlog) = &self.qlog {
            let cc = self.args.transport.cc.as_str();
            if let Err(e) = qlog.attach(&mut conn, &header.dcid, cc) {
                log::warn!("no trace: {e}");
            }
        }
        let session = Session::new(conn, self.args, &self.film);
        self.viewer = Some((session, header.dcid.clone().into_owned()));
    }
}

/// Sleeps and receives. Whether somebody wants the program to end.
pub fn turn(
    socket: &mut UdpEndpoint,
    signals: &Signals,
    due: Option<Instant>,
    mut take: impl FnMut(Datagram<'_>),
) -> io::Result<bool> {
    let interests = [
        Interest {
            fd: signals.as_fd(),
            writable: false,
        },
        Interest {
            fd: socket.as_fd(),
            writable: socket.is_blocked(),
        },
    ];
    let ready = wait::wait(&interests, due)?;
    if ready[1].writable {
        socket.send_unsent();
    }
    if ready[1].readable {
        for _ in 0..RECEIVES_PER_TURN {
            if !socket.receive(&mut take)? {
                break;
            }
        }
    }
    Ok(ready[0].readable && signals.take() > 0)
}

/// A line for whoever reads standard output. If nobody does, nobody misses it.
fn say(line: &impl Serialize) {
    let text = serde_json::to_string(line).expect("it has names for keys");
    let mut out = io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}
