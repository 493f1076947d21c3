//! The server's loop.

use std::collections::HashMap;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use slab::Slab;

use super::cli::ServerArgs;
use super::peer::{Peer, Services};
use super::route::{mark, Router};
use super::site::Site;
use crate::pacing::{Sender, Stopped};
use crate::signals;
use crate::socket::{Outgoing, UdpEndpoint};
use crate::timers::Timers;
use crate::wait::{self, Interest};

/// How long the last packets of a stopping server may take to leave.
const CLOSING_TIME: Duration = Duration::from_secs(1);

/// The server: its sockets and all its connections, served by one thread.
pub struct Server {
    sockets: Vec<UdpEndpoint>,
    signals: UnixStream,
    phase: Phase,
    peers: Slab<Peer>,
    /// Connection ids in use, with the peer they lead to.
    routes: HashMap<Vec<u8>, usize>,
    timers: Timers,
    dirty: Vec<usize>,
    sender: Sender,
    site: Site,
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
    /// Binds the sockets and loads all that is needed.
    pub fn start(args: &ServerArgs) -> io::Result<Self> {
        let sockets = args.listen.iter().map(|address| {
            UdpEndpoint::bind(*address)
                .map_err(|e| io::Error::new(e.kind(), format!("cannot listen on {address}: {e}")))
        });
        Ok(Self {
            sockets: sockets.collect::<io::Result<_>>()?,
            signals: signals::stop_requests()?,
            phase: Phase::Serving,
            peers: Slab::new(),
            routes: HashMap::new(),
            timers: Timers::default(),
            dirty: Vec::new(),
            sender: Sender::default(),
            site: Site::new(args)?,
        })
    }

    /// Serves until a signal arrives and all is wound up.
    pub fn run(mut self) -> io::Result<()> {
        wait::make_timers_precise();
        self.announce()?;
        while !self.is_over() {
            let deadline = match (self.timers.next(), self.phase) {
                (next, Phase::Serving) => next,
                (next, Phase::Draining(end) | Phase::Closing(end)) => {
                    Some(next.map_or(end, |next| next.min(end)))
                }
            };
            self.turn(deadline)?;
        }
        for (_, peer) in self.peers.iter() {
            print_line(&peer.summary());
        }
        Ok(())
    }

    fn announce(&self) -> io::Result<()> {
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
        });
        writeln!(io::stdout(), "{ready}")?;
        let cc = self.site.chooser.describe();
        log::info!("serving on {} with {cc}", addresses.join(", "));
        Ok(())
    }

    /// One round: sleep, receive, then serve every connection for which something happened.
    fn turn(&mut self, deadline: Option<Instant>) -> io::Result<()> {
        let mut interests = vec![Interest {
            fd: self.signals.as_fd(),
            writable: false,
        }];
        interests.extend(self.sockets.iter().map(|socket| Interest {
            fd: socket.as_fd(),
            writable: socket.is_blocked(),
        }));
        let ready = wait::wait(&interests, deadline)?;
        if ready[0].readable {
            self.on_signal();
        }
        for (index, ready) in ready[1..].iter().enumerate() {
            if ready.writable {
                self.sockets[index].send_unsent();
                self.mark_all_of(index);
            }
            if ready.readable {
                self.receive(index);
            }
        }
        let now = Instant::now();
        while let Some(key) = self.timers.pop_due(now) {
            self.mark(key);
        }
        self.advance_phase(now);
        for key in std::mem::take(&mut self.dirty) {
            self.drive(key);
        }
        Ok(())
    }

    fn receive(&mut self, index: usize) {
        let Self {
            sockets,
            site,
            peers,
            routes,
            dirty,
            phase,
            ..
        } = self;
        let mut answers = Vec::new();
        let accepting = *phase == Phase::Serving;
        let received = sockets[index].receive(|datagram| {
            let mut router = Router {
                site,
                peers,
                routes,
                dirty,
                index,
                accepting,
            };
            if let Some(answer) = router.route(datagram) {
                answers.push(answer);
            }
        });
        if let Err(e) = received {
            log::debug!("receiving failed: {e}");
        }
        for (data, from, to) in answers {
            let segment = data.len();
            sockets[index].send(&Outgoing {
                data: &data,
                segment,
                from,
                to,
                ecn: None,
            });
        }
    }

    fn mark(&mut self, key: usize) {
        mark(&mut self.peers, &mut self.dirty, key);
    }

    /// Gives all peers of a socket a turn that may have been stopped by it.
    fn mark_all_of(&mut self, socket: usize) {
        let keys: Vec<usize> = self
            .peers
            .iter()
            .filter(|(_, p)| p.socket == socket)
            .map(|(key, _)| key)
            .collect();
        keys.into_iter().for_each(|key| self.mark(key));
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
            stopping,
        };
        let socket = &mut self.sockets[peer.socket];
        let stopped = peer.drive(&services, &mut self.sender, socket);
        let (issued, retired) = peer.change_ids();
        for id in issued {
            self.routes.insert(id.to_vec(), key);
        }
        for id in retired {
            self.routes.remove(&id);
        }
        if stopping && peer.is_finished() && peer.conn.local_error().is_none() {
            peer.close();
            self.sender.flush(&mut peer.conn, socket);
        }
        if peer.is_over(stopping) {
            return self.remove(key);
        }
        let timeout = peer.conn.timeout_instant();
        let deadline = match stopped {
            Stopped::Until(release) => Some(timeout.map_or(release, |at| at.min(release))),
            Stopped::Done | Stopped::SocketFull => timeout,
        };
        self.timers.set(key, deadline);
    }

    fn remove(&mut self, key: usize) {
        self.timers.set(key, None);
        let peer = self.peers.remove(key);
        for id in &peer.ids {
            self.routes.remove(id.as_ref() as &[u8]);
        }
        print_line(&peer.summary());
    }

    fn on_signal(&mut self) {
        let now = Instant::now();
        let asked = signals::take(&self.signals);
        for _ in 0..asked {
            self.phase = match self.phase {
                Phase::Serving => {
                    log::info!("stopping; a second signal stops at once");
                    Phase::Draining(now + self.site.drain_time)
                }
                Phase::Draining(_) => Phase::Draining(now),
                closing => closing,
            };
        }
        let keys: Vec<usize> = self.peers.iter().map(|(key, _)| key).collect();
        keys.into_iter().for_each(|key| self.mark(key));
    }

    fn advance_phase(&mut self, now: Instant) {
        if let Phase::Draining(end) = self.phase {
            if now >= end {
                log::info!(
                    "closing {} connections that are not finished",
                    self.peers.len()
                );
                let keys: Vec<usize> = self.peers.iter().map(|(key, _)| key).collect();
                for key in keys {
                    self.peers[key].close();
                    self.mark(key);
                }
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

/// Writes a JSON line. A reader that went away is no reason to stop serving.
fn print_line(json: &serde_json::Value) {
    let _ = writeln!(io::stdout(), "{json}");
}
