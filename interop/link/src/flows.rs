//! Who talks through the relay: each client address has its own socket towards the server.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use quiche_cc_bottleneck::Time;

use crate::Socket;

/// A client address and its socket towards the server.
#[derive(Debug)]
pub(crate) struct Flow {
    pub client: SocketAddr,
    pub socket: Socket,
    last_active: Time,
}

/// The flows, found by client address or by number. Numbers are never used twice.
#[derive(Debug)]
pub(crate) struct Flows {
    by_client: HashMap<SocketAddr, usize>,
    by_number: HashMap<usize, Flow>,
    next: usize,
    max: usize,
    idle_timeout: Duration,
    checked: Time,
}

impl Flows {
    /// At most `max` flows; the first has the number `first`.
    pub(crate) fn new(first: usize, max: usize, idle_timeout: Duration) -> Self {
        Self {
            by_client: HashMap::new(),
            by_number: HashMap::new(),
            next: first,
            max,
            idle_timeout,
            checked: Time::ZERO,
        }
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Flow> {
        self.by_number.get(&number)
    }

    pub(crate) fn find(&self, client: SocketAddr) -> Option<usize> {
        self.by_client.get(&client).copied()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.by_number.len() >= self.max
    }

    /// Adds a flow for `client`, whose socket is bound to a free port of the server's family and
    /// `watched` under the flow's number.
    pub(crate) fn open(
        &mut self,
        client: SocketAddr,
        server: SocketAddr,
        now: Time,
        watched: impl FnOnce(&Socket, usize) -> io::Result<()>,
    ) -> io::Result<usize> {
        // The server's own loopback address, so that 127.0.0.2 talks to 127.0.0.2.
        let socket = Socket::bind(SocketAddr::new(server.ip(), 0))?;
        let number = self.next;
        watched(&socket, number)?;
        self.next += 1;
        self.by_client.insert(client, number);
        let flow = Flow {
            client,
            socket,
            last_active: now,
        };
        self.by_number.insert(number, flow);
        Ok(number)
    }

    pub(crate) fn touch(&mut self, number: usize, now: Time) {
        if let Some(flow) = self.by_number.get_mut(&number) {
            flow.last_active = flow.last_active.max(now);
        }
    }

    /// How many flows there have been.
    pub(crate) fn opened(&self, first: usize) -> usize {
        self.next - first
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Flow> {
        self.by_number.values()
    }

    /// When the flows are to be looked through for idle ones.
    pub(crate) fn next_check(&self) -> Option<Time> {
        (!self.by_number.is_empty()).then(|| self.checked + self.idle_timeout / 4)
    }

    /// Takes out the flows that have been idle for too long, if it is time to look.
    pub(crate) fn expire(&mut self, now: Time) -> Vec<Flow> {
        if self.next_check().is_none_or(|check| check > now) {
            return Vec::new();
        }
        self.checked = now;
        let idle = |flow: &Flow| now.since(flow.last_active) > self.idle_timeout;
        let expired: Vec<_> = self
            .by_number
            .extract_if(|_, flow| idle(flow))
            .map(|(_, flow)| flow)
            .collect();
        for flow in &expired {
            self.by_client.remove(&flow.client);
        }
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_secs(60);

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    fn open(flows: &mut Flows, client: SocketAddr, now: Time) -> usize {
        flows.open(client, address(9), now, |_, _| Ok(())).unwrap()
    }

    fn after(seconds: u64) -> Time {
        Time::from(Duration::from_secs(seconds))
    }

    #[test]
    fn idle_flows_are_forgotten_and_active_ones_stay() {
        let mut flows = Flows::new(1, 2, TIMEOUT);
        let first = open(&mut flows, address(1), Time::ZERO);
        let second = open(&mut flows, address(2), Time::ZERO);
        assert!(flows.is_full());
        flows.touch(second, after(50));
        assert!(flows.expire(after(60)).is_empty());
        let expired = flows.expire(after(80));
        assert_eq!(expired.len(), 1);
        assert_eq!(expired[0].client, address(1));
        assert!(flows.get(first).is_none() && flows.find(address(1)).is_none());
        assert_eq!(flows.find(address(2)), Some(second));
        assert!(!flows.is_full());
    }

    #[test]
    fn a_number_is_never_used_twice() {
        let mut flows = Flows::new(1, 8, TIMEOUT);
        let first = open(&mut flows, address(1), Time::ZERO);
        assert_eq!(flows.expire(after(100)).len(), 1);
        let again = open(&mut flows, address(1), after(100));
        assert_ne!(first, again);
        assert_eq!(flows.opened(1), 2);
    }
}
