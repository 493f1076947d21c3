//! First packets of clients that go no further.

/// The datagrams with which a client begins. `curves` replaces its key exchange groups.
pub fn first_flight(curves: Option<&str>) -> Vec<Vec<u8>> {
    let mut config = quiche::Config::new(quiche::PROTOCOL_VERSION).unwrap();
    config
        .set_application_protos(quiche::h3::APPLICATION_PROTOCOL)
        .unwrap();
    if let Some(curves) = curves {
        config.set_curves_list(curves).unwrap();
    }
    let id = quiche_cc_endpoint::connection::random_connection_id();
    let local = "127.0.0.1:9".parse().unwrap();
    let peer = "127.0.0.1:10".parse().unwrap();
    let mut conn = quiche::connect(Some("localhost"), &id, local, peer, &mut config).unwrap();
    let mut flight = Vec::new();
    let mut packet = vec![0; 1350];
    while let Ok((length, _)) = conn.send(&mut packet) {
        flight.push(packet[..length].to_vec());
    }
    flight
}

/// The first datagram of a client, with a ClientHello that is complete.
pub fn initial_packet() -> Vec<u8> {
    first_flight(Some("X25519")).remove(0)
}

/// What the log says of strangers, summed over all workers: connections that ended, Retry packets, first
/// packets ignored at the limit of connections, and at that of an address.
pub fn strangers(log: &[String]) -> [u64; 4] {
    let mut sums = [0; 4];
    for line in log {
        let Some((_, counts)) = line.split_once("never validated their address: ") else {
            continue;
        };
        let numbers = counts.split(|c: char| !c.is_ascii_digit());
        let numbers = numbers.filter(|digits| !digits.is_empty());
        for (sum, digits) in sums.iter_mut().zip(numbers) {
            *sum += digits.parse::<u64>().unwrap();
        }
    }
    sums
}
