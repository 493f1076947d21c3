//! Clients that may not exist: counted together, since anybody can make as many as he likes.

use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;

use super::metrics::Families;

/// Between two lines of the log.
const PERIOD: Duration = Duration::from_secs(60);

/// What has come of strangers since the log was last told.
pub struct Strangers {
    /// What Prometheus is told, from the start of the server.
    families: Families,
    /// What is ignored at each limit: told as 0 from the start, so that the first rise can be seen.
    ignored_as_full: Counter,
    ignored_as_crowded: Counter,
    since: Counts,
    due: Option<Instant>,
}

#[derive(Default)]
struct Counts {
    /// Connections that ended before their clients' addresses were validated.
    abandoned: u64,
    /// Retry packets sent.
    retries: u64,
    /// Beginnings that were ignored because there were too many connections.
    refused: u64,
    /// The same because there were too many from the same address or network.
    crowded: u64,
}

impl Strangers {
    /// None yet.
    pub fn new(families: Families) -> Self {
        Self {
            ignored_as_full: families.ignored_at("connections"),
            ignored_as_crowded: families.ignored_at("address"),
            families,
            since: Counts::default(),
            due: None,
        }
    }

    pub fn on_abandoned(&mut self) {
        self.since.abandoned += 1;
        self.families.abandoned.inc();
        self.remember();
    }

    pub fn on_retry(&mut self) {
        self.since.retries += 1;
        self.families.retries.inc();
        self.remember();
    }

    /// A client has shown the token of an earlier connection, and is none.
    pub fn on_known(&self) {
        self.families.known_clients.inc();
    }

    pub fn on_refused(&mut self) {
        self.since.refused += 1;
        self.ignored_as_full.inc();
        self.remember();
    }

    pub fn on_crowded(&mut self) {
        self.since.crowded += 1;
        self.ignored_as_crowded.inc();
        self.remember();
    }

    /// When the log has to be told, if there is anything to tell.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Tells the log if that is due at `now`.
    pub fn tell_if_due(&mut self, now: Instant) {
        if self.due.is_some_and(|due| due <= now) {
            self.tell();
        }
    }

    /// Tells the log, if there is anything to tell.
    pub fn tell(&mut self) {
        if self.due.is_some() {
            log::info!("{}", self.describe());
            (self.since, self.due) = (Counts::default(), None);
        }
    }

    fn remember(&mut self) {
        self.due.get_or_insert_with(|| Instant::now() + PERIOD);
    }

    fn describe(&self) -> String {
        format!(
            "clients that never validated their address: {} connections ended; {} Retry packets \
             sent; {} first packets ignored at the limit of connections, {} at that of an address",
            self.since.abandoned, self.since.retries, self.since.refused, self.since.crowded
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_are_told_of_together_and_only_if_there_were_any() {
        let mut strangers = Strangers::new(Families::default());
        assert_eq!(strangers.due(), None);
        strangers.on_abandoned();
        strangers.on_retry();
        strangers.on_retry();
        let due = strangers.due().unwrap();
        let told = strangers.describe();
        assert!(
            told.contains("1 connections") && told.contains("2 Retry"),
            "{told}"
        );
        strangers.tell_if_due(due - Duration::from_millis(1));
        assert_eq!(strangers.due(), Some(due));
        strangers.tell_if_due(due);
        assert_eq!(strangers.due(), None);
    }
}
