//! How a relay is stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use polling::Poller;

/// Stops a relay from another thread.
#[derive(Debug, Clone)]
pub struct Stopper {
    pub(crate) poller: Arc<Poller>,
    pub(crate) stop: Arc<AtomicBool>,
}

impl Stopper {
    /// Lets [`crate::Relay::run`] return soon.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        // Fails only if the relay is gone already.
        let _ = self.poller.notify();
    }
}
