//! Datagrams that the kernel dropped before the relay could read them: they are no loss of the modelled
//! link, and a run that has any is not to be trusted.

use crate::Socket;

/// Datagrams dropped at these sockets; `None` where the system does not tell.
pub(crate) fn count<'a>(sockets: impl IntoIterator<Item = &'a Socket>) -> Option<u64> {
    let ports: Vec<_> = sockets
        .into_iter()
        .filter_map(|socket| Some(socket.local_addr().ok()?.port()))
        .collect();
    let tables = ["/proc/self/net/udp", "/proc/self/net/udp6"].map(std::fs::read_to_string);
    let known = tables.iter().any(Result::is_ok);
    let total = tables
        .iter()
        .flatten()
        .map(|table| drops(table, &ports))
        .sum();
    known.then_some(total)
}

/// The sum of the last column (`drops`) over the sockets on these local ports, see `proc_net_udp(5)`.
fn drops(table: &str, ports: &[u16]) -> u64 {
    let row = |line: &str| {
        let mut fields = line.split_whitespace();
        let (_, port) = fields.nth(1)?.rsplit_once(':')?;
        let port = u16::from_str_radix(port, 16).ok()?;
        let drops = fields.next_back()?.parse::<u64>().ok()?;
        ports.contains(&port).then_some(drops)
    };
    table.lines().skip(1).filter_map(row).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::SocketAddr;

    #[test]
    fn only_the_sockets_asked_for_are_counted() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n\
            1: 0100007F:1151 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 1 2 0000000000000000 7\n\
            2: 0100007F:1152 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 1 2 0000000000000000 5\n";
        assert_eq!(drops(table, &[4433]), 7);
        assert_eq!(drops(table, &[4433, 4434]), 12);
        assert_eq!(drops(table, &[1]), 0);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_socket_that_nobody_reads_drops() {
        let full = Socket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let to = full.local_addr().unwrap();
        assert_eq!(count([&full]), Some(0));
        let sender = Socket::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        for _ in 0..2000 {
            let _ = sender.send(to, Default::default(), &[0; 60_000]);
        }
        assert!(count([&full]).unwrap() > 0);
    }
}
