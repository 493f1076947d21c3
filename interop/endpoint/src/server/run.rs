//! The server's loop.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use super::access::AccessLog;
use super::cli::ServerArgs;
use super::crowds::Crowds;
use super::metrics::Metrics;
use super::peer::Peer;
use super::peers::Peers;
use super::route::{Answer, Router};
use super::services::Services;
use super::site::Site;
use super::supervisor::Supervisor;
use crate::output::{Output, Patience};
use crate::pacing::{Sender, Stopped};
use crate::signals::Signals;
use crate::socket::{Outgoing, UdpEndpoint};
use crate::text::json_line;
use crate::timers::Timers;
use crate::wait::{self, Interest};

/// How long the last packets of a stopping server may take to leave.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// System calls that take datagrams from one socket before its connections get their turn.
const RECEIVES_PER_TURN: usize = 64;

/// What readers of the last lines get.
const READING_TIME: Patience = Patience {
    with_none: Duration::from_millis(500),
    in_all: Duration::from_millis(500),
};

/// The server: its sockets and all its connections, served by one thread.
pub struct Server {
    sockets: Vec<UdpEndpoint>,
    stop: Signals,
    reload: Signals,
    phase: Phase,
    peers: Peers,
    timers: Timers,
    sender: Sender,
    site: Site,
    supervisor: Supervisor,
    events: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Serving,
    /// Running responses are finished, until then at the latest.
    Draining(Instant),
    /// Every connection is closed; the last packets leave.
    Closing(Instant),
}

impl Server {
    /// Binds the sockets and loads all that is needed. Until then a signal ends the process.
    pub fn start(args: &ServerArgs) -> io::Result<Self> {
        let events = Output::stdout(lines_missing)?;
        let site = Site::new(args, &events)?;
        let sockets = args.listen.iter().map(|address| {
            UdpEndpoint::bind(*address)
                .map_err(|e| io::Error::new(e.kind(), format!("cannot listen on {address}: {e}")))
        });
        let crowds = Crowds::new(args.max_per_address, args.max_per_network);
        Ok(Self {
            sockets: sockets.collect::<io::Result<_>>()?,
            stop: Signals::to_stop()?,
            reload: Signals::to_reload()?,
            phase: Phase::Serving,
            peers: Peers::new(crowds),
            timers: Timers::default(),
            sender: Sender::default(),
            site,
            supervisor: Supervisor::from_environment(),
            events,
        })
    }

    /// Serves until a signal arrives and all is wound up.
    pub fn run(mut self) -> io::Result<()> {
        wait::make_timers_precise();
        self.announce();
        self.supervisor.ready(&self.site.describe());
        while !self.is_over() {
            let end = match self.phase {
                Phase::Serving => None,
                Phase::Draining(end) | Phase::Closing(end) => Some(end),
            };
            let beat = self.site.metrics.as_ref().map(Metrics::due);
            let others = [beat, self.supervisor.due()];
            let due = [self.timers.next(), self.site.strangers.due(), end];
            let due = due.into_iter().chain(others);
            self.turn(due.flatten().min())?;
        }
        self.wind_up();
        Ok(())
    }

    /// Tells the rest, and lets go of all records, so that these are complete.
    fn wind_up(self) {
        let Self {
            mut peers,
            mut site,
            events,
            ..
        } = self;
        for peer in peers.iter_mut() {
            tell_end(peer, &mut site, &events);
        }
        drop(peers);
        site.strangers.tell();
        if let Some(Err(e)) = site.key_output().map(|keys| keys.finish(READING_TIME)) {
            log::warn!("key log: {e}");
        }
        if let Some(Err(e)) = site.access_log.map(|log| log.finish(READING_TIME)) {
            log::warn!("access log: {e}");
        }
        if let Err(e) = events.finish(READING_TIME) {
            log::warn!("standard output: {e}");
        }
    }

    fn announce(&self) {
        let addresses: Vec<String> = self
            .sockets
            .iter()
            .map(|socket| socket.local_addr().to_string())
            .collect();
        let ready = serde_json::json!({
            "event": "ready",
            "addresses": addresses,
            "cc": self.site.chooser.default(),
            "pid": std::process::id(),
            "metrics": self.site.metrics.as_ref().map(|metrics| metrics.address().to_string()),
        });
        self.events.line(json_line(&ready));
        let what = self.site.describe();
        log::info!("serving on {} with {what}", addresses.join(", "));
    }

    /// One round: sleep, receive, then serve every connection for which something happened.
    fn turn(&mut self, deadline: Option<Instant>) -> io::Result<()> {
        let signals = [&self.stop, &self.reload].map(|signals| Interest {
            fd: signals.as_fd(),
            writable: false,
        });
        let sockets = self.sockets.iter().map(|socket| Interest {
            fd: socket.as_fd(),
            writable: socket.is_blocked(),
        });
        let interests: Vec<Interest<'_>> = signals.into_iter().chain(sockets).collect();
        let ready = wait::wait(&interests, deadline)?;
        if ready[0].readable {
            self.on_stop();
        }
        if ready[1].readable {
            self.on_reload();
        }
        for (index, ready) in ready[2..].iter().enumerate() {
            if ready.writable {
                self.sockets[index].send_unsent();
                self.peers.mark_where(|peer| peer.socket == index);
            }
            if ready.readable {
                self.receive_all(index);
            }
        }
        let now = Instant::now();
        while let Some(key) = self.timers.pop_due(now) {
            self.peers.mark(key);
        }
        self.site.strangers.tell_if_due(now);
        self.advance_phase(now);
        if let Some(metrics) = &self.site.metrics {
            metrics.on_turn(now, self.phase != Phase::Serving, &self.peers);
        }
        self.supervisor.on_turn(now);
        for key in self.peers.take_marked() {
            self.drive(key);
        }
        Ok(())
    }

    /// Empties the socket before anything is sent for what came: ACKs that wait in it look like delay
    /// on the path, and those for which it has no room are lost.
    fn receive_all(&mut self, index: usize) {
        for _ in 0..RECEIVES_PER_TURN {
            if !self.receive(index) {
                return;
            }
        }
    }

    /// Returns whether there may be more.
    fn receive(&mut self, index: usize) -> bool {
        let Self {
            sockets,
            site,
            peers,
            phase,
            ..
        } = self;
        let mut answers = Vec::new();
        let accepting = *phase == Phase::Serving;
        let received = sockets[index].receive(|datagram| {
            let mut router = Router {
                site,
                peers,
                index,
                accepting,
            };
            answers.extend(router.route(datagram));
        });
        for answer in answers {
            self.answer(index, &answer);
        }
        received.unwrap_or_else(|e| {
            log::debug!("receiving failed: {e}");
            false
        })
    }

    /// Sends a stateless answer. It is as good as lost if the kernel has no room: whoever waits for
    /// it asks again, and anybody can make answers faster than they leave.
    fn answer(&mut self, index: usize, (data, from, to): &Answer) {
        if self.sockets[index].is_blocked() {
            return;
        }
        self.sockets[index].send(&Outgoing {
            data,
            segment: data.len(),
            from: *from,
            to: *to,
            ecn: None,
        });
    }

    fn drive(&mut self, key: usize) {
        let stopping = self.phase != Phase::Serving;
        let Some(peer) = self.peers.get_mut(key) else {
            return;
        };
        peer.dirty = false;
        let services = Services {
            content: &self.site.content,
            h3_config: &self.site.h3_config,
            chooser: &self.site.chooser,
            families: self.site.families(),
            access_log: self.site.access_log.as_ref(),
            stopping,
        };
        let socket = &mut self.sockets[peer.socket];
        let stopped = peer.drive(&services, &mut self.sender, socket);
        if stopping && peer.is_finished() && peer.conn.local_error().is_none() {
            peer.close();
            self.sender.flush(&mut peer.conn, socket);
        }
        if peer.is_over(stopping) {
            return self.remove(key);
        }
        self.peers.update_ids(key, &mut self.site.resets);
        self.set_timer(key, stopped);
    }

    fn set_timer(&mut self, key: usize, stopped: Stopped) {
        let Some(peer) = self.peers.get_mut(key) else {
            return;
        };
        let timeout = peer.due();
        let deadline = match stopped {
            Stopped::Until(release) => Some(timeout.map_or(release, |at| at.min(release))),
            Stopped::Done | Stopped::SocketFull => timeout,
        };
        self.timers.set(key, deadline);
    }

    fn remove(&mut self, key: usize) {
        self.timers.set(key, None);
        let mut peer = self.peers.remove(key);
        tell_end(&mut peer, &mut self.site, &self.events);
    }

    fn on_stop(&mut self) {
        let now = Instant::now();
        for _ in 0..self.stop.take() {
            self.phase = match self.phase {
                Phase::Serving => {
                    log::info!("stopping; a second signal stops at once");
                    self.supervisor.stopping();
                    Phase::Draining(now + self.site.drain_time)
                }
                Phase::Draining(_) => Phase::Draining(now),
                closing => closing,
            };
        }
        self.peers.mark_where(|_| true);
    }

    fn on_reload(&mut self) {
        self.reload.take();
        self.supervisor.reloading();
        // Whatever becomes of the rest: rotation must not wait for a certificate.
        if let Some(Err(e)) = self.site.access_log.as_ref().map(AccessLog::reopen) {
            log::error!("{e}; its lines go where they went before");
        }
        match self.site.reload() {
            Ok(()) => log::info!("reloaded: {}", self.site.describe()),
            Err(e) => log::error!(
                "not reloaded: {e}; still {}, as before",
                self.site.describe()
            ),
        }
        self.supervisor.ready(&self.site.describe());
    }

    fn advance_phase(&mut self, now: Instant) {
        if let Phase::Draining(end) = self.phase {
            if now >= end {
                let count = self.peers.len();
                log::info!("closing {count} connections that are not finished");
                self.peers.iter_mut().for_each(Peer::close);
                self.peers.mark_where(|_| true);
                self.phase = Phase::Closing(now + CLOSING_TIME);
            }
        }
    }

    fn is_over(&self) -> bool {
        let empty = self.peers.is_empty() && !self.sockets.iter().any(UdpEndpoint::is_blocked);
        match self.phase {
            Phase::Serving => false,
            Phase::Draining(_) => empty,
            Phase::Closing(end) => empty || Instant::now() >= end,
        }
    }
}

/// Tells what became of a connection; of one whose client may not exist only that there was one.
fn tell_end(peer: &mut Peer, site: &mut Site, events: &Output) {
    if peer.is_half_open() {
        site.strangers.on_abandoned();
    } else {
        events.line(json_line(
            &peer.finish(site.families(), site.access_log.as_ref()),
        ));
    }
}

fn lines_missing(count: u64) -> String {
    json_line(&serde_json::json!({ "event": "lines_missing", "count": count }))
}
