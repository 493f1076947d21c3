//! What one of the workers does for all of them.

use std::time::Instant;

use super::access::AccessLog;
use super::site::Site;
use super::supervisor::Supervisor;
use crate::signals::Bell;
use crate::text::json_line;

/// The duties of the first worker.
pub struct Lead {
    supervisor: Supervisor,
    /// One for each of the other workers.
    others: Vec<Bell>,
}

impl Lead {
    /// Before the others, whom it can wake.
    pub fn new(others: Vec<Bell>) -> Self {
        Self {
            supervisor: Supervisor::from_environment(),
            others,
        }
    }

    /// Tells where the server serves.
    pub fn announce(&mut self, site: &Site, addresses: &[String]) {
        let metrics = site.commons.metrics.as_ref();
        let ready = serde_json::json!({
            "event": "ready",
            "addresses": addresses,
            "cc": site.chooser.default(),
            "pid": std::process::id(),
            "workers": self.others.len() + 1,
            "metrics": metrics.map(|metrics| metrics.address().to_string()),
        });
        site.commons.events.line(json_line(&ready));
        let what = site.describe();
        log::info!("serving on {} with {what}", addresses.join(", "));
        self.supervisor.ready(&what);
    }

    /// When the service manager has to be told something.
    pub fn due(&self) -> Option<Instant> {
        self.supervisor.due()
    }

    /// To be called in every turn of the loop. Who waits for signs of life gets them as long as all
    /// workers give theirs.
    pub fn on_turn(&mut self, site: &Site, now: Instant) {
        if self.others.is_empty() || site.commons.pulses.all_live(now) {
            self.supervisor.on_turn(now);
        }
    }

    /// The server takes nothing new.
    pub fn on_stop(&self) {
        log::info!("stopping; a second signal stops at once");
        self.supervisor.stopping();
    }

    /// Reads files again, for all workers.
    pub fn reload(&mut self, site: &mut Site) {
        self.supervisor.reloading();
        // Whatever becomes of the rest: rotation must not wait for a certificate.
        let access_log = site.commons.access_log.as_ref();
        if let Some(Err(e)) = access_log.map(AccessLog::reopen) {
            log::error!("{e}; its lines go where they went before");
        }
        match site.reload() {
            Ok(()) => {
                self.others.iter().for_each(Bell::ring);
                log::info!("reloaded: {}", site.describe());
            }
            Err(e) => log::error!("not reloaded: {e}; still {}, as before", site.describe()),
        }
        self.supervisor.ready(&site.describe());
    }
}
