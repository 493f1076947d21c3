//! Stateless resets (RFC 9000, section 10.3): the end of connections that this server knows no more,
//! or, after a restart with the same secret, those of the process before.

use std::collections::{HashSet, VecDeque};
use std::time::{Duration, Instant};

use ring::hmac;

use super::secret::Secret;
use crate::connection::fill_random;

const TOKEN_LENGTH: usize = 16;

/// The shortest packet that looks like one with a short header (section 10.3).
const SHORTEST: usize = 5 + TOKEN_LENGTH;

/// Long enough to look like any other packet.
const LONGEST: usize = 42;

/// More in a second serve nobody but an attacker (section 10.3.3 asks for a limit on loops).
const MOST_PER_SECOND: u32 = 100;

/// Retired connection ids that are remembered: what comes late for them is no reason to end a
/// connection that goes on with others.
const MOST_RETIRED: usize = 4096;

/// Makes tokens and resets.
pub struct Resets {
    key: hmac::Key,
    second: Instant,
    sent: u32,
    most_per_second: u32,
    /// The same in the order in which they were given up, and to be found.
    retired: VecDeque<Vec<u8>>,
    known: HashSet<Vec<u8>>,
}

impl Resets {
    /// The part of one of so many workers.
    pub fn new(secret: &Secret, workers: u32) -> Self {
        Self {
            key: secret.key(b"stateless reset"),
            second: Instant::now(),
            sent: 0,
            most_per_second: MOST_PER_SECOND.div_ceil(workers),
            retired: VecDeque::new(),
            known: HashSet::new(),
        }
    }

    /// The token of a connection id.
    pub fn token(&self, id: &[u8]) -> [u8; TOKEN_LENGTH] {
        let tag = hmac::sign(&self.key, id);
        tag.as_ref()[..TOKEN_LENGTH]
            .try_into()
            .expect("a longer tag")
    }

    /// To be called when a client has given up an id.
    pub fn on_retired(&mut self, id: Vec<u8>) {
        if self.retired.len() >= MOST_RETIRED {
            if let Some(oldest) = self.retired.pop_front() {
                self.known.remove(&oldest);
            }
        }
        // An id is given up once, so none is in the list twice.
        if self.known.insert(id.clone()) {
            self.retired.push_back(id);
        }
    }

    /// What to send for a packet of `size` bytes to an unknown `id`, if anything: it is smaller, so
    /// that two endpoints that do so do not go on for ever (section 10.3.3).
    pub fn answer(&mut self, id: &[u8], size: usize, now: Instant) -> Option<Vec<u8>> {
        if now.duration_since(self.second) >= Duration::from_secs(1) {
            (self.second, self.sent) = (now, 0);
        }
        let length = size.saturating_sub(1).min(LONGEST);
        if length < SHORTEST || self.sent >= self.most_per_second || self.known.contains(id) {
            return None;
        }
        self.sent += 1;
        let mut packet = vec![0; length];
        fill_random(&mut packet);
        // A short header's fixed bits (section 17.3.1); the others are unpredictable.
        packet[0] = packet[0] & 0x3f | 0x40;
        packet[length - TOKEN_LENGTH..].copy_from_slice(&self.token(id));
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reset_is_smaller_than_what_draws_it_and_ends_with_the_token() {
        let mut resets = Resets::new(&Secret::random(), 1);
        for size in 0..2000 {
            let now = resets.second + Duration::from_secs(2);
            match resets.answer(b"id", size, now) {
                None => assert!(size <= SHORTEST, "{size}"),
                Some(packet) => {
                    assert!((SHORTEST..size).contains(&packet.len()), "{size}");
                    assert_eq!(packet[0] & 0xc0, 0x40);
                    assert!(packet.ends_with(&resets.token(b"id")));
                }
            }
        }
    }

    #[test]
    fn resets_are_limited_in_number_and_not_for_ids_that_were_given_up() {
        let mut resets = Resets::new(&Secret::random(), 1);
        let now = resets.second;
        resets.on_retired(b"old".to_vec());
        assert_eq!(resets.answer(b"old", 100, now), None);
        // The oldest is forgotten.
        (0..MOST_RETIRED).for_each(|id| resets.on_retired(id.to_be_bytes().to_vec()));
        assert!(resets.answer(b"old", 100, now).is_some());
        assert_eq!(resets.known.len(), MOST_RETIRED);
        let now = now + Duration::from_secs(1);
        let drawn = (0..1000).filter(|_| resets.answer(b"id", 100, now).is_some());
        assert_eq!(drawn.count(), MOST_PER_SECOND as usize);
        assert!(resets
            .answer(b"id", 100, now + Duration::from_secs(1))
            .is_some());
    }
}
