//! The loop of one worker.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use super::lead::Lead;
use super::peer::Peer;
use super::peers::Peers;
use super::route::{Answer, Router};
use super::services::Services;
use super::site::Site;
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

/// A loop: its sockets and all its connections, served by one thread.
pub struct Worker {
    sockets: Vec<UdpEndpoint>,
    stop: Signals,
    reload: Signals,
    phase: Phase,
    peers: Peers,
    timers: Timers,
    sender: Sender,
    site: Site,
    /// What it does for the others, if it is the first.
    lead: Option<Lead>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Serving,
    /// Running responses are finished, until then at the latest.
    Draining(Instant),
    /// Every connection is closed; the last packets leave.
    Closing(Instant),
}

impl Worker {
    /// Serves what comes in by these sockets, and reloads at these signals.
    pub fn new(
        (site, sockets): (Site, Vec<UdpEndpoint>),
        reload: Signals,
        lead: Option<Lead>,
    ) -> io::Result<Self> {
        Ok(Self {
            sockets,
            stop: Signals::to_stop()?,
            reload,
            phase: Phase::Serving,
            peers: Peers::new(site.commons.census.clone()),
            timers: Timers::default(),
            sender: Sender::default(),
            site,
            lead,
        })
    }

    /// Which it is, from 0.
    pub fn number(&self) -> usize {
        self.site.worker
    }

    /// Serves until a signal arrives and all is wound up. Returns the sockets, still open.
    pub fn run(mut self) -> io::Result<Vec<UdpEndpoint>> {
        wait::make_timers_precise();
        if let Some(lead) = &mut self.lead {
            let addresses = self.sockets.iter().map(|socket| socket.local_addr());
            let addresses: Vec<String> = addresses.map(|address| address.to_string()).collect();
            lead.announce(&self.site, &addresses);
        }
        while !self.is_over() {
            let end = match self.phase {
                Phase::Serving => None,
                Phase::Draining(end) | Phase::Closing(end) => Some(end),
            };
            let others = [self.beat_due(), self.lead.as_ref().and_then(Lead::due)];
            let due = [self.timers.next(), self.site.strangers.due(), end];
            let due = due.into_iter().chain(others);
            self.turn(due.flatten().min())?;
        }
        Ok(self.wind_up())
    }

    /// Tells the rest, and lets go of all records, so that these are complete.
    fn wind_up(self) -> Vec<UdpEndpoint> {
        let Self {
            mut peers,
            mut site,
            sockets,
            ..
        } = self;
        for peer in peers.iter_mut() {
            tell_end(peer, &mut site);
        }
        drop(peers);
        site.strangers.tell();
        site.commons.pulses.end(site.worker);
        sockets
    }

    /// When others want a sign of life, if they do.
    fn beat_due(&self) -> Option<Instant> {
        let commons = &self.site.commons;
        let wanted = commons.metrics.is_some() || commons.steering.is_some();
        wanted.then(|| commons.pulses.due(self.site.worker))
    }

    fn beat(&mut self, now: Instant) {
        let commons = &self.site.commons;
        let draining = self.phase != Phase::Serving;
        if commons.pulses.beat(self.site.worker, now, draining) {
            if let Some(metrics) = &commons.metrics {
                metrics.on_second(commons.census.half_open(), commons.budget.held());
            }
        }
        if let Some(lead) = &mut self.lead {
            lead.on_turn(&self.site, now);
        }
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
        self.beat(now);
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
        peer.marked = false;
        let services = Services {
            content: &self.site.content,
            h3_config: &self.site.h3_config,
            chooser: &self.site.chooser,
            families: self.site.families(),
            access_log: self.site.commons.access_log.as_ref(),
            stopping,
        };
        let stopped = peer.drive(&services, &mut self.sender, &mut self.sockets);
        if stopping && peer.is_finished() && peer.conn.local_error().is_none() {
            peer.close();
            self.sender
                .flush_by(&mut peer.conn, &mut self.sockets, peer.socket);
        }
        if peer.is_over(stopping) {
            return self.remove(key);
        }
        self.peers
            .update_ids(key, &self.site.ids, &mut self.site.resets);
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
        tell_end(&mut peer, &mut self.site);
    }

    fn on_stop(&mut self) {
        let now = Instant::now();
        for _ in 0..self.stop.take() {
            self.phase = match self.phase {
                Phase::Serving => {
                    if let Some(lead) = &self.lead {
                        lead.on_stop();
                    }
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
        if let Some(lead) = &mut self.lead {
            lead.reload(&mut self.site);
        } else if let Err(e) = self.site.follow() {
            let worker = self.site.worker;
            log::error!("worker {worker} has not reloaded: {e}");
        }
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
fn tell_end(peer: &mut Peer, site: &mut Site) {
    if peer.is_half_open() {
        return site.strangers.on_abandoned();
    }
    let commons = &site.commons;
    let mut summary = peer.finish(commons.families(), commons.access_log.as_ref());
    summary["worker"] = site.worker.into();
    commons.events.line(json_line(&summary));
}
