//! How many connections one client, and one network, may have. Only validated addresses count: with
//! others anybody could use up somebody else's share.

use std::collections::HashMap;
use std::net::IpAddr;

use ipnet::IpNet;

/// Prefix lengths, IPv4 and IPv6, of what one client has, and of what one organisation has: a
/// customer gets a /64 of IPv6 at least, and a site usually a /48 (RFC 6177).
const ADDRESS: (u8, u8) = (32, 64);
const NETWORK: (u8, u8) = (24, 48);

/// Connections by where they come from.
pub struct Crowds {
    most_per_address: usize,
    most_per_network: usize,
    counts: HashMap<IpNet, usize>,
}

impl Crowds {
    pub fn new(most_per_address: u32, most_per_network: u32) -> Self {
        Self {
            most_per_address: most_per_address as usize,
            most_per_network: most_per_network as usize,
            counts: HashMap::new(),
        }
    }

    /// Whether one more is within the limits.
    pub fn has_room_for(&self, client: IpAddr) -> bool {
        let count = |lengths| self.counts.get(&prefix(client, lengths)).copied();
        count(ADDRESS).unwrap_or(0) < self.most_per_address
            && count(NETWORK).unwrap_or(0) < self.most_per_network
    }

    /// Counts a connection.
    pub fn enter(&mut self, client: IpAddr) {
        for lengths in [ADDRESS, NETWORK] {
            *self.counts.entry(prefix(client, lengths)).or_default() += 1;
        }
    }

    /// Counts it no more.
    pub fn leave(&mut self, client: IpAddr) {
        for lengths in [ADDRESS, NETWORK] {
            let prefix = prefix(client, lengths);
            if let Some(count) = self.counts.get_mut(&prefix) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&prefix);
                }
            }
        }
    }
}

fn prefix(client: IpAddr, (v4, v6): (u8, u8)) -> IpNet {
    let length = if client.is_ipv4() { v4 } else { v6 };
    IpNet::new_assert(client, length).trunc()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> IpAddr {
        address.parse().unwrap()
    }

    #[test]
    fn an_address_and_a_network_have_their_limits_and_others_do_not_suffer() {
        let mut crowds = Crowds::new(2, 3);
        for _ in 0..2 {
            assert!(crowds.has_room_for(at("192.0.2.1")));
            crowds.enter(at("192.0.2.1"));
        }
        assert!(!crowds.has_room_for(at("192.0.2.1")), "the address is full");
        assert!(crowds.has_room_for(at("192.0.2.2")));
        crowds.enter(at("192.0.2.2"));
        assert!(!crowds.has_room_for(at("192.0.2.3")), "the network is full");
        assert!(crowds.has_room_for(at("192.0.3.1")));
    }

    #[test]
    fn a_customer_of_ipv6_is_one_whatever_addresses_he_takes() {
        let mut crowds = Crowds::new(1, 2);
        crowds.enter(at("2001:db8:0:1::1"));
        assert!(!crowds.has_room_for(at("2001:db8:0:1:ffff::2")));
        assert!(crowds.has_room_for(at("2001:db8:0:2::1")));
        crowds.enter(at("2001:db8:0:2::1"));
        assert!(!crowds.has_room_for(at("2001:db8:0:3::1")));
        assert!(crowds.has_room_for(at("2001:db8:1::1")));
    }

    #[test]
    fn what_left_takes_no_room_and_no_memory() {
        let mut crowds = Crowds::new(1, 1);
        crowds.enter(at("192.0.2.1"));
        crowds.leave(at("192.0.2.1"));
        assert!(crowds.has_room_for(at("192.0.2.1")));
        assert!(crowds.counts.is_empty());
    }
}
