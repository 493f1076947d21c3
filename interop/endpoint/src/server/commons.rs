//! What all workers share: counts, records, and what was read from files.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::access::AccessLog;
use super::budget::Budget;
use super::census::{Census, Limits};
use super::cli::ServerArgs;
use super::crowds::Crowds;
use super::metrics::{Families, Metrics, Pulses};
use super::rules::Rules;
use super::secret::Secret;
use super::spent::Spent;
use crate::connection::fill_random;
use crate::keylog::KeyLog;
use crate::output::{Output, Patience};
use crate::qlog::QlogDirectory;
use crate::steering::Steering;
use crate::text::json_line;
use crate::tls::Credentials;

/// What readers of the last lines get.
const READING_TIME: Patience = Patience {
    with_none: Duration::from_millis(500),
    in_all: Duration::from_millis(500),
};

/// Bytes of the key that session tickets are encrypted with.
const TICKET_KEY: usize = 48;

/// Clones share all of it.
#[derive(Clone)]
pub struct Commons {
    /// Standard output.
    pub events: Output,
    /// Where requests are told, if anywhere.
    pub access_log: Option<AccessLog>,
    /// Figures, if anybody may ask for them.
    pub metrics: Option<Arc<Metrics>>,
    /// Signs of life of the workers.
    pub pulses: Pulses,
    pub census: Census,
    /// Memory for bodies of responses.
    pub budget: Budget,
    /// Divides datagrams, if there are several workers.
    pub steering: Option<Steering>,
    pub secret: Secret,
    /// Tokens of clients that came back.
    pub spent: Spent,
    pub qlog: Option<QlogDirectory>,
    pub keylog: Option<KeyLog>,
    loaded: Arc<Mutex<Arc<Loaded>>>,
}

/// What is read again by a reload.
pub struct Loaded {
    pub credentials: Arc<Credentials>,
    pub rules: Arc<Rules>,
    /// For tickets that any worker can open. One worker has keys of BoringSSL's own.
    pub ticket_key: Option<[u8; TICKET_KEY]>,
}

impl Commons {
    /// Loads all that the options name.
    pub fn new(args: &ServerArgs) -> io::Result<Self> {
        let rules = args.rules().map_err(io::Error::other)?;
        let credentials = match (&args.cert, &args.key) {
            (Some(cert), Some(key)) => Credentials::load(cert, key)?,
            _ => Credentials::self_signed()?,
        };
        let steering = (args.workers > 1).then(|| Steering::new(args.workers));
        let loaded = Loaded::new(credentials.into(), rules, steering.is_some());
        let events = Output::stdout(lines_missing)?;
        let open = |target: &PathBuf| AccessLog::open(target, &events);
        let access_log = args.access_log.as_ref().map(open).transpose()?;
        let keylog = KeyLog::from_environment()?;
        let secret = args.secret.as_deref().map(Secret::load).transpose()?;
        let pulses = Pulses::new(args.workers as usize);
        let tell = |address| Metrics::new(address, pulses.clone()).map(Arc::new);
        let limits = Limits {
            connections: args.max_connections as usize,
            half_open: args.half_open_limit(),
        };
        let crowds = Crowds::new(args.max_per_address, args.max_per_network);
        Ok(Self {
            metrics: args.metrics.map(tell).transpose()?,
            census: Census::new(limits, crowds),
            budget: Budget::new((args.response_memory << 20) as usize, limits.connections),
            loaded: Arc::new(Mutex::new(loaded.into())),
            secret: secret.unwrap_or_else(Secret::random),
            spent: Spent::default(),
            qlog: args.qlog_directory()?,
            events,
            access_log,
            pulses,
            steering,
            keylog,
        })
    }

    /// What is counted, if anybody may ask for it.
    pub fn families(&self) -> Option<&Families> {
        self.metrics.as_ref().map(|metrics| &metrics.families)
    }

    /// What was read last.
    pub fn loaded(&self) -> Arc<Loaded> {
        let loaded = self.loaded.lock();
        loaded.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads it again. It has to be tried before it is for all.
    pub fn read_again(&self, args: &ServerArgs) -> io::Result<Arc<Loaded>> {
        let credentials = self.loaded().credentials.reload()?;
        let rules = args.rules().map_err(io::Error::other)?;
        Ok(Loaded::new(credentials, rules, self.steering.is_some()).into())
    }

    /// From now on all workers go by this.
    pub fn set_loaded(&self, loaded: Arc<Loaded>) {
        let current = self.loaded.lock();
        *current.unwrap_or_else(PoisonError::into_inner) = loaded;
    }

    /// Waits for those who read records, but not for ever.
    pub fn finish(&self) {
        let keys = self.keylog.as_ref().map(KeyLog::output);
        let access = self.access_log.as_ref().map(AccessLog::output);
        for (name, output) in [
            ("key log", keys),
            ("access log", access),
            ("standard output", Some(&self.events)),
        ] {
            if let Some(Err(e)) = output.map(|output| output.finish(READING_TIME)) {
                log::warn!("{name}: {e}");
            }
        }
    }
}

impl Loaded {
    fn new(credentials: Arc<Credentials>, rules: Rules, shared: bool) -> Self {
        let ticket_key = shared.then(|| {
            let mut key = [0; TICKET_KEY];
            fill_random(&mut key);
            key
        });
        Self {
            credentials,
            rules: rules.into(),
            ticket_key,
        }
    }
}

fn lines_missing(count: u64) -> String {
    json_line(&serde_json::json!({ "event": "lines_missing", "count": count }))
}
