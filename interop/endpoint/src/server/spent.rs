//! Which tokens for later connections were shown already. RFC 9000, section 8.1.4: that of a
//! NEW_TOKEN frame should be good for one connection, or whoever sees it could have the server send
//! more to the client's address than came from there.

use std::collections::HashSet;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// So many of them are remembered at least, and twice as many at most: some megabytes.
const GENERATION: usize = 1 << 16;

/// Clones share it.
#[derive(Clone, Default)]
pub struct Spent(Arc<Mutex<Generations>>);

#[derive(Default)]
struct Generations {
    young: HashSet<Box<[u8]>>,
    old: HashSet<Box<[u8]>>,
}

impl Spent {
    /// Whether a token with this `nonce` is shown for the first time; from now on it is not.
    pub fn is_first(&self, nonce: &[u8]) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.old.contains(nonce) || !all.young.insert(nonce.into()) {
            return false;
        }
        if all.young.len() == GENERATION {
            all.old = mem::take(&mut all.young);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_remembered_and_older_ones_forgotten() {
        let spent = Spent::default();
        let nonce = |number: usize| number.to_be_bytes();
        let last = 2 * GENERATION;
        assert!((0..last).all(|number| spent.is_first(&nonce(number))));
        assert!((last - GENERATION..last).all(|number| !spent.clone().is_first(&nonce(number))));
        assert!(spent.is_first(&nonce(0)));
    }
}
