//! Tells a service manager what the server does, where one listens (`sd_notify(3)`).

use std::time::{Duration, Instant};

use sd_notify::NotifyState;

/// A service manager, or none.
#[derive(Debug, Default)]
pub struct Supervisor {
    /// Between two signs of life, if it wants them.
    period: Option<Duration>,
    next: Option<Instant>,
}

impl Supervisor {
    /// The one that the environment names.
    pub fn from_environment() -> Self {
        // Half of what it waits, as `sd_watchdog_enabled(3)` says.
        let period = sd_notify::watchdog_enabled().map(|longest| longest / 2);
        Self { period, next: None }
    }

    /// Connections are welcome from now on.
    pub fn ready(&mut self, status: &str) {
        tell(&[NotifyState::Ready, NotifyState::Status(status)]);
        self.next = self.period.map(|period| Instant::now() + period);
    }

    /// Files are read again.
    pub fn reloading(&self) {
        let now = NotifyState::monotonic_usec_now();
        let now = now.map_or(Vec::new(), |now| vec![now]);
        tell(&[vec![NotifyState::Reloading], now].concat());
    }

    /// The server takes nothing new.
    pub fn stopping(&self) {
        tell(&[NotifyState::Stopping]);
    }

    /// When the next sign of life is due.
    pub fn due(&self) -> Option<Instant> {
        self.next
    }

    /// To be called in every turn of the loop.
    pub fn on_turn(&mut self, now: Instant) {
        if self.next.is_some_and(|next| next <= now) {
            tell(&[NotifyState::Watchdog]);
            self.next = self.period.map(|period| now + period);
        }
    }
}

fn tell(states: &[NotifyState<'_>]) {
    if let Err(e) = sd_notify::notify(states) {
        log::warn!("the service manager cannot be told: {e}");
    }
}
