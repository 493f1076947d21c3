//! A client that lies about what it has received, in packets that it makes itself (RFC 9001, section 5).

use std::time::Duration;

use ring::aead::quic::{HeaderProtectionKey, AES_128};
use ring::aead::{Aad, LessSafeKey, Nonce, UnboundKey, AES_128_GCM};
use ring::hkdf::{KeyType, Prk, HKDF_SHA256};

use super::Talker;

/// What it says of the packets that the server has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// That far more have come than were sent.
    NeverSent,
    /// That all have come, those included whose numbers the server has left out.
    Skipped,
    /// Nothing: it only sends PINGs.
    Nothing,
    /// That it was years late with its answer.
    Delay,
}

/// After the handshake its packets are its own, and what comes is only counted: quiche would not believe
/// what the server acknowledges.
pub struct Forger {
    talker: Talker,
    /// Packets of 1-RTT that came since.
    pub received: u64,
    /// Those of them that are more than an acknowledgement.
    pub full: u64,
    /// Turns in which nothing came, since something did.
    pub silent: usize,
    seal: LessSafeKey,
    iv: [u8; 12],
    protection: HeaderProtectionKey,
    next: u32,
}

impl Forger {
    /// Goes on for a client whose handshake is complete, and lets the server send without end on the
    /// first stream.
    pub fn new(talker: Talker) -> Self {
        let secret = Prk::new_less_safe(HKDF_SHA256, &secret(&talker.secrets.text()));
        let key = UnboundKey::new(&AES_128_GCM, &expanded::<16>(&secret, b"quic key"));
        let protection = HeaderProtectionKey::new(&AES_128, &expanded::<16>(&secret, b"quic hp"));
        let mut made = Self {
            talker,
            received: 0,
            full: 0,
            silent: 0,
            seal: LessSafeKey::new(key.unwrap()),
            iv: expanded(&secret, b"quic iv"),
            protection: protection.unwrap(),
            // Behind those that quiche has used.
            next: 1000,
        };
        let most = varint(1 << 40);
        made.send(&[&[0x10], &most[..], &[0x11, 0x00], &most[..]].concat());
        made
    }

    /// Tells the lie, and receives a datagram if one comes.
    pub fn tell(&mut self, lie: Lie) {
        // In all spaces quiche counts on from what it has used, so that these are fewer than were sent.
        let known = self.received;
        match lie {
            Lie::NeverSent => self.acknowledge(1 << 30, 0),
            Lie::Skipped => self.acknowledge(known, 0),
            Lie::Nothing => self.send(&[0x01]),
            Lie::Delay => self.acknowledge(known, 1 << 60),
        }
        self.receive();
    }

    /// Sends single bytes of a stream, each in a frame of its own (RFC 9000, section 19.8).
    pub fn send_bytes(&mut self, stream: u64, offsets: impl IntoIterator<Item = u64>) {
        let offsets: Vec<u64> = offsets.into_iter().collect();
        for some in offsets.chunks(40) {
            let frame = |offset: &u64| {
                let numbers = [stream, *offset, 1].map(varint).concat();
                [&[0x0e], &numbers[..], b"x"].concat()
            };
            let frames = some.iter().map(frame).collect::<Vec<_>>().concat();
            self.send(&frames);
        }
    }

    /// Sends a PING, and leaves out a packet number before it.
    pub fn ping_with_gap(&mut self) {
        self.next += 1;
        self.send(&[0x01]);
    }

    fn receive(&mut self) {
        let socket = &self.talker.socket;
        socket
            .set_read_timeout(Some(Duration::from_millis(2)))
            .unwrap();
        match socket.recv(&mut [0; 1500]) {
            Ok(length) => {
                self.received += 1;
                self.full += u64::from(length > 1000);
                self.silent = 0;
            }
            Err(_) => self.silent += 1,
        }
    }

    /// Of all packets up to this one.
    fn acknowledge(&mut self, largest: u64, delay: u64) {
        let numbers = [largest, delay, 0, largest].map(varint).concat();
        self.send(&[&[0x02], &numbers[..]].concat());
    }

    /// Closes the connection as HTTP/3 does when all went well.
    pub fn close(&mut self) {
        self.send(&[&[0x1d], &varint(0x100)[..], &varint(0)].concat());
    }

    /// Sends a packet with these frames.
    fn send(&mut self, frames: &[u8]) {
        let number = self.next.to_be_bytes();
        self.next += 1;
        // The largest packet number length, and key phase 0: there is no key update.
        let mut packet = vec![0x43];
        packet.extend_from_slice(&self.talker.conn.destination_id());
        let at = packet.len();
        packet.extend_from_slice(&number);
        let mut nonce = self.iv;
        (0..4).for_each(|i| nonce[8 + i] ^= number[i]);
        // The sample for header protection wants something to take.
        let mut payload = [frames, &[0; 16]].concat();
        let nonce = Nonce::assume_unique_for_key(nonce);
        self.seal
            .seal_in_place_append_tag(nonce, Aad::from(&packet[..]), &mut payload)
            .unwrap();
        packet.extend_from_slice(&payload);
        let sample = &packet[at + 4..at + 20];
        let mask = self.protection.new_mask(sample).unwrap();
        packet[0] ^= mask[0] & 0x1f;
        (0..4).for_each(|i| packet[at + i] ^= mask[1 + i]);
        let _ = self.talker.socket.send_to(&packet, self.talker.peer);
    }
}

/// Eight bytes of it, whatever it is (RFC 9000, section 16).
fn varint(value: u64) -> Vec<u8> {
    (value | 0b11 << 62).to_be_bytes().to_vec()
}

/// The client's own, out of its key log.
fn secret(log: &str) -> Vec<u8> {
    let mut lines = log.lines();
    let line = lines.find_map(|line| line.strip_prefix("CLIENT_TRAFFIC_SECRET_0 "));
    let digits = line.unwrap().rsplit(' ').next().unwrap().trim();
    assert_eq!(digits.len(), 64, "the cipher is AES-128-GCM");
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..64).step_by(2).map(byte).collect()
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// HKDF-Expand-Label (RFC 8446, section 7.1), without a context.
fn expanded<const N: usize>(secret: &Prk, label: &[u8]) -> [u8; N] {
    let sizes = [0, N as u8, 6 + label.len() as u8];
    let mut out = [0; N];
    secret
        .expand(&[&sizes, b"tls13 ", label, &[0]], Length(N))
        .and_then(|okm| okm.fill(&mut out))
        .unwrap();
    out
}
