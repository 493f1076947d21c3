use super::*;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

impl UdpEndpoint {
    /// As if the kernel had had no room for a datagram.
    pub fn block(&mut self) {
        self.unsent.push_back(Kept {
            data: vec![0],
            segment: 1,
            from: self.local,
            to: self.local,
            ecn: None,
        });
    }

    /// How much waits for the kernel.
    pub fn kept(&self) -> usize {
        self.unsent.len()
    }
}

struct Arrived {
    data: Vec<u8>,
    from: SocketAddr,
    to: SocketAddr,
    ecn: Option<EcnCodepoint>,
    received_at: Option<Duration>,
}

fn receive_all(socket: &mut UdpEndpoint, count: usize) -> Vec<Arrived> {
    let mut got = Vec::new();
    let end = Instant::now() + Duration::from_secs(5);
    while got.len() < count && Instant::now() < end {
        let interests = [crate::wait::Interest {
            fd: socket.as_fd(),
            writable: false,
        }];
        crate::wait::wait(&interests, Some(end)).unwrap();
        let keep = |datagram: Datagram<'_>| {
            let Datagram {
                data,
                from,
                to,
                ecn,
                received_at,
            } = datagram;
            got.push(Arrived {
                data: data.to_vec(),
                from,
                to,
                ecn,
                received_at,
            });
        };
        socket.receive(keep).unwrap();
    }
    got
}

/// Sends an aggregate of three and a half segments, and returns what arrives.
fn exchange(receiver: &mut UdpEndpoint, to: SocketAddr) -> Vec<Arrived> {
    let mut local = to;
    local.set_port(0);
    let mut sender = UdpEndpoint::bind(local).unwrap();
    let data: Vec<u8> = (0..3500u32).map(|i| i as u8).collect();
    let from = sender.local_addr();
    let ecn = Some(EcnCodepoint::Ect1);
    sender.send(&Outgoing {
        data: &data,
        segment: 1000,
        from,
        to,
        ecn,
    });
    let got = receive_all(receiver, 4);
    assert!(got.iter().all(|arrived| arrived.from == from));
    let joined: Vec<u8> = got
        .iter()
        .flat_map(|arrived| arrived.data.clone())
        .collect();
    assert_eq!(joined, data);
    got
}

#[test]
fn segments_arrive_as_single_datagrams_with_ecn_bits_address_and_time() {
    for (bound, used) in [
        ("127.0.0.1:0", "127.0.0.1"),
        ("[::1]:0", "::1"),
        ("0.0.0.0:0", "127.0.0.1"),
        ("[::]:0", "::1"),
    ] {
        let mut receiver = UdpEndpoint::bind(bound.parse().unwrap()).unwrap();
        let to = SocketAddr::new(used.parse().unwrap(), receiver.local_addr().port());
        let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let got = exchange(&mut receiver, to);
        let lengths: Vec<usize> = got.iter().map(|arrived| arrived.data.len()).collect();
        assert_eq!(lengths, [1000, 1000, 1000, 500], "{bound}");
        for arrived in got {
            assert_eq!(arrived.ecn, Some(EcnCodepoint::Ect1), "{bound}");
            assert_eq!(arrived.to, to, "{bound}");
            let age = arrived.received_at.unwrap().abs_diff(before);
            assert!(age < Duration::from_secs(5), "{bound}: {age:?}");
        }
    }
}
