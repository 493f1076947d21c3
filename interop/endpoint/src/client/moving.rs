//! The move to the address at which the server wants to be reached (RFC 9000, section 9.6).

use std::net::{IpAddr, SocketAddr};

use quiche::PathEvent;

use crate::connection::Connection;

/// How far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Move {
    /// The server has not named an address, or may not be asked for it yet.
    #[default]
    Unknown,
    /// It is being validated. Everything else goes to the old address.
    Probing(SocketAddr),
    /// Done, failed or refused.
    Over,
}

impl Move {
    /// Takes the next step. To be called whenever something has come.
    pub fn advance(&mut self, conn: &mut Connection) {
        if *self == Move::Unknown {
            *self = begin(conn);
        }
        while let Some(event) = conn.path_event_next() {
            *self = match (event, *self) {
                (PathEvent::Validated(local, to), Move::Probing(preferred)) if to == preferred => {
                    match conn.migrate(local, to) {
                        Ok(_) => log::debug!("moved to the server's preferred address {to}"),
                        Err(e) => log::debug!("cannot move to {to}: {e}"),
                    }
                    Move::Over
                }
                (PathEvent::FailedValidation(_, to), Move::Probing(preferred))
                    if to == preferred =>
                {
                    log::debug!("the server's preferred address {to} does not answer");
                    Move::Over
                }
                (_, unchanged) => unchanged,
            };
        }
    }
}

fn begin(conn: &mut Connection) -> Move {
    // quiche tells it when the handshake is confirmed, and not before.
    let Some(preferred) = conn.peer_preferred_address() else {
        return Move::Unknown;
    };
    let (ipv4, ipv6) = (preferred.ipv4, preferred.ipv6);
    let Some(path) = conn.path_stats().find(|path| path.active) else {
        return Move::Unknown;
    };
    let (local, current) = (path.local_addr, path.peer_addr);
    // The socket is of one family.
    let preferred = match current {
        SocketAddr::V4(_) => ipv4.map(SocketAddr::V4),
        SocketAddr::V6(_) => ipv6.map(SocketAddr::V6),
    };
    let Some(preferred) = preferred.filter(|preferred| *preferred != current) else {
        return Move::Over;
    };
    if !is_acceptable(preferred.ip(), current.ip()) {
        log::debug!("the server at {current} names {preferred}, which is refused");
        return Move::Over;
    }
    match conn.probe_path(local, preferred) {
        Ok(_) => Move::Probing(preferred),
        Err(e) => {
            log::debug!("cannot probe {preferred}: {e}");
            Move::Over
        }
    }
}

/// A server must not make its clients send to what it cannot reach itself (RFC 9000, section 21.5.6).
fn is_acceptable(preferred: IpAddr, current: IpAddr) -> bool {
    scope(preferred).is_some_and(|wide| Some(wide) >= scope(current))
}

/// How widely a host's address is known: to itself, on its link, in its organisation, everywhere.
fn scope(address: IpAddr) -> Option<u8> {
    let (loopback, link, private, none) = match address.to_canonical() {
        IpAddr::V4(ip) => (
            ip.is_loopback(),
            ip.is_link_local(),
            ip.is_private(),
            ip.is_unspecified() || ip.is_multicast() || ip.is_broadcast(),
        ),
        IpAddr::V6(ip) => (
            ip.is_loopback(),
            ip.is_unicast_link_local(),
            ip.is_unique_local(),
            ip.is_unspecified() || ip.is_multicast(),
        ),
    };
    match (none, loopback, link, private) {
        (true, ..) => None,
        (_, true, ..) => Some(0),
        (_, _, true, _) => Some(1),
        (.., true) => Some(2),
        _ => Some(3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_the_server_may_not_reach_itself_is_refused() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let by_scope = [
            ["127.0.0.1", "::1"],
            ["169.254.1.1", "fe80::1"],
            ["10.1.2.3", "fd00::1"],
            ["192.0.2.1", "2001:db8::1"],
        ];
        for family in [0, 1] {
            for (wide, preferred) in by_scope.iter().enumerate() {
                for (current_wide, current) in by_scope.iter().enumerate() {
                    let (preferred, current) = (ip(preferred[family]), ip(current[family]));
                    let accepted = is_acceptable(preferred, current);
                    assert_eq!(accepted, wide >= current_wide, "{preferred} for {current}");
                }
            }
        }
        for nowhere in ["0.0.0.0", "224.0.0.1", "255.255.255.255"] {
            assert!(!is_acceptable(ip(nowhere), ip("127.0.0.1")), "{nowhere}");
        }
        assert!(!is_acceptable(ip("::ffff:127.0.0.1"), ip("2001:db8::1")));
    }
}
