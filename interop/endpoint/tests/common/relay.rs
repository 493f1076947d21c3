//! Network address translation that forgets its bindings.

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Most that one waits for a datagram.
const PATIENCE: Duration = Duration::from_millis(1);

/// Carries datagrams of one client to a server, from another port after so many answers, a few times. It
/// ends when it is dropped, after a minute at the latest.
pub struct Relay {
    pub address: SocketAddr,
    rebindings: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    pub fn start(server: SocketAddr, answers: usize, times: usize) -> Self {
        let inside = socket();
        let address = inside.local_addr().unwrap();
        let rebindings = Arc::<AtomicUsize>::default();
        let over = Arc::<AtomicBool>::default();
        let (count, asked) = (rebindings.clone(), over.clone());
        let thread = thread::spawn(move || {
            let mut buffer = [0; 65_536];
            let (mut outside, mut answered) = (socket(), 0);
            let mut client = None;
            let end = Instant::now() + Duration::from_secs(60);
            while !asked.load(Ordering::Relaxed) && Instant::now() < end {
                if answered >= answers && count.load(Ordering::Relaxed) < times {
                    (outside, answered) = (socket(), 0);
                    count.fetch_add(1, Ordering::Relaxed);
                }
                while let Ok((length, from)) = inside.recv_from(&mut buffer) {
                    client = Some(from);
                    let _ = outside.send_to(&buffer[..length], server);
                }
                while let (Some(client), Ok(length)) = (client, outside.recv(&mut buffer)) {
                    answered += 1;
                    let _ = inside.send_to(&buffer[..length], client);
                }
            }
        });
        Self {
            address,
            rebindings,
            over,
            thread: Some(thread),
        }
    }

    /// How often the port has changed.
    pub fn rebindings(&self) -> usize {
        self.rebindings.load(Ordering::Relaxed)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn socket() -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}
