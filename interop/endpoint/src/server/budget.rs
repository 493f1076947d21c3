//! Memory for the bodies of responses, of all connections of all workers together: bounded, and nobody
//! who is being served has none.

use crate::body::LiveBytes;

/// The share that every connection can count on, at least, in bytes: two blocks.
const LEAST_SHARE: usize = 64 << 10;

/// What bodies may take. Clones share it.
///
/// One half of it is shared out among as many connections as there may be. So a connection can always
/// go on, if only with its share on the way. The other half is for whoever needs more, and as long as
/// any of it is left, new responses begin.
#[derive(Clone)]
pub struct Budget {
    held: LiveBytes,
    /// The half that is not shared out, in bytes.
    common: usize,
    /// The part of one connection in the other half, without the block by which it may exceed it.
    share: usize,
}

impl Budget {
    /// Of so many bytes, or of 64 KiB for each connection if that is more.
    pub fn new(most: usize, connections: usize) -> Self {
        let most = most.max(LEAST_SHARE * connections);
        Self {
            held: LiveBytes::default(),
            common: most / 2,
            share: (most / 2 / connections).saturating_sub(LEAST_SHARE / 2),
        }
    }

    /// Counts what a new connection holds.
    pub fn open_account(&self) -> LiveBytes {
        LiveBytes::part_of(&self.held)
    }

    /// Whether another response may begin.
    pub fn has_room(&self) -> bool {
        self.held() < self.common
    }

    /// Whether the connection with this account may hold another block.
    pub fn permits(&self, account: &LiveBytes) -> bool {
        account.get() <= self.share || self.has_room()
    }

    /// Bytes that bodies take now.
    pub fn held(&self) -> usize {
        self.held.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::COST_PER_BLOCK;

    const BLOCK: usize = 32 << 10;

    /// Takes all that it may.
    fn fill(budget: &Budget, account: &LiveBytes) -> Vec<bytes::Bytes> {
        let mut blocks = Vec::new();
        while budget.permits(account) {
            blocks.push(account.track(vec![0; BLOCK - COST_PER_BLOCK]));
        }
        blocks
    }

    #[test]
    fn one_that_takes_all_it_can_leaves_the_others_their_share() {
        let (most, connections) = (4 << 20, 8);
        let budget = Budget::new(most, connections);
        let accounts: Vec<_> = (0..connections).map(|_| budget.open_account()).collect();
        let mut blocks = fill(&budget, &accounts[0]);
        assert!(!budget.has_room(), "no response begins any more");
        for account in &accounts[1..] {
            blocks.extend(fill(&budget, account));
            let share = most / 2 / connections;
            assert!((share - BLOCK..=share).contains(&account.get()));
        }
        let held = budget.held();
        assert!((most * 3 / 4..=most).contains(&held), "{held}");
        blocks.clear();
        assert!(budget.has_room());
    }

    #[test]
    fn a_connection_always_has_a_block() {
        let budget = Budget::new(1, 100);
        let accounts: Vec<_> = (0..100).map(|_| budget.open_account()).collect();
        let blocks: Vec<_> = accounts.iter().map(|one| fill(&budget, one)).collect();
        assert!(blocks.iter().all(|blocks| !blocks.is_empty()));
        assert!(budget.held() <= 100 * LEAST_SHARE);
    }
}
