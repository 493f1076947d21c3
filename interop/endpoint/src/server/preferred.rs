//! The address that clients are asked to move to after the handshake (RFC 9000, section 9.6).

use std::net::{SocketAddr, SocketAddrV4, SocketAddrV6};

use quiche::ConnectionId;

use super::resets::Resets;
use crate::connection::Connection;
use crate::steering::Ids;

/// One of each family at most, or none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Preferred {
    ipv4: Option<SocketAddrV4>,
    ipv6: Option<SocketAddrV6>,
}

impl Preferred {
    /// These. The error says what is wrong and what is allowed.
    pub fn new(addresses: &[SocketAddr]) -> Result<Self, String> {
        let mut preferred = Self::default();
        for address in addresses {
            let ip = address.ip();
            let sendable = !ip.is_unspecified() && !ip.is_multicast() && address.port() != 0;
            let second = match address {
                SocketAddr::V4(ipv4) => preferred.ipv4.replace(*ipv4).is_some(),
                SocketAddr::V6(ipv6) => preferred.ipv6.replace(*ipv6).is_some(),
            };
            if second || !sendable {
                return Err(format!(
                    "{address} cannot be used; allowed: one IPv4 and one IPv6 address at which \
                     clients reach a socket of --listen, with its port"
                ));
            }
        }
        Ok(preferred)
    }

    /// Offers them on a connection that came to the address `at`. Returns the connection id that
    /// goes with them.
    pub fn offer(
        &self,
        conn: &mut Connection,
        at: SocketAddr,
        ids: &Ids,
        resets: &Resets,
    ) -> Option<ConnectionId<'static>> {
        let (ipv4, ipv6) = (self.ipv4.map(SocketAddr::V4), self.ipv6.map(SocketAddr::V6));
        if (ipv4.is_none() && ipv6.is_none()) || [ipv4, ipv6].contains(&Some(at)) {
            return None;
        }
        let id = ids.fresh();
        let token = u128::from_be_bytes(resets.token(&id));
        match conn.set_preferred_address(self.ipv4, self.ipv6, &id, token) {
            Ok(()) => Some(id),
            Err(e) => {
                log::warn!("the preferred address cannot be offered: {e}");
                None
            }
        }
    }
}
