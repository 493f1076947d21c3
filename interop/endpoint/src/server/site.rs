//! What all connections of a worker share.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use super::chooser::Chooser;
use super::cli::ServerArgs;
use super::commons::{Commons, Loaded};
use super::content::Content;
use super::metrics::Families;
use super::preferred::Preferred;
use super::records::Records;
use super::rehearsal::rehearse;
use super::resets::Resets;
use super::responses::Bounds;
use super::stalls::Patience;
use super::strangers::Strangers;
use super::token::TokenMint;
use crate::connection::{random_number, Connection};
use crate::held::Held;
use crate::qlog::QlogDirectory;
use crate::steering::Ids;
use crate::tls::Credentials;

/// Configuration and content of one worker, and what it shares with the others.
pub struct Site {
    pub config: quiche::Config,
    pub h3_config: quiche::h3::Config,
    pub content: Content,
    /// Makes and checks the tokens by which clients prove their address.
    pub tokens: TokenMint,
    /// Where clients are asked to move to.
    pub preferred: Preferred,
    /// Chooses congestion controllers.
    pub chooser: Chooser,
    /// What responses may take.
    pub bounds: Bounds,
    /// Ends connections that are unknown.
    pub resets: Resets,
    pub drain_time: Duration,
    pub strangers: Strangers,
    /// Makes connection ids that lead to this worker.
    pub ids: Ids,
    /// Its number, from 0.
    pub worker: usize,
    pub commons: Commons,
    args: ServerArgs,
    credentials: Arc<Credentials>,
}

impl Site {
    /// The part of this worker in what the options name.
    pub fn new(args: &ServerArgs, commons: Commons, worker: usize) -> io::Result<Self> {
        let loaded = commons.loaded();
        let chooser = Chooser::new(loaded.rules.clone());
        let families = commons.families().cloned().unwrap_or_default();
        let stall_time = Duration::from_secs(args.stall_timeout);
        let bounds = Bounds {
            budget: commons.budget.clone(),
            patience: Patience::new(stall_time, args.min_rate),
        };
        Ok(Self {
            config: configure(args, &chooser, &loaded, commons.keylog.is_some())?,
            h3_config: configure_http().map_err(io::Error::other)?,
            content: Content::new(args.root.as_deref(), bounds.budget.clone(), &families)?,
            resets: Resets::new(&commons.secret, args.workers),
            tokens: TokenMint::new(commons.secret.clone(), commons.spent.clone()),
            preferred: args.preferred().map_err(io::Error::other)?,
            chooser,
            bounds,
            drain_time: Duration::from_secs(args.drain_timeout),
            strangers: Strangers::new(families),
            ids: Ids::new(commons.steering, worker),
            worker,
            commons,
            args: args.clone(),
            credentials: loaded.credentials.clone(),
        })
    }

    /// What is counted, if anybody may ask for it.
    pub fn families(&self) -> Option<&Families> {
        self.commons.families()
    }

    /// A datagram belongs to another worker.
    pub fn on_misdirected(&self) {
        if let Some(families) = self.families() {
            families.misdirected.inc();
        }
    }

    /// Reads certificate, key and rules again, for the connections to come, those of other workers,
    /// too. If any of them cannot be used, all stay as they are.
    pub fn reload(&mut self) -> io::Result<()> {
        let loaded = self.commons.read_again(&self.args)?;
        self.adopt(&loaded)?;
        self.commons.set_loaded(loaded);
        Ok(())
    }

    /// Goes by what another worker has read.
    pub fn follow(&mut self) -> io::Result<()> {
        let loaded = self.commons.loaded();
        self.adopt(&loaded)
    }

    fn adopt(&mut self, loaded: &Loaded) -> io::Result<()> {
        let chooser = self.chooser.with_rules(loaded.rules.clone());
        let log_keys = self.commons.keylog.is_some();
        self.config = configure(&self.args, &chooser, loaded, log_keys)?;
        (self.chooser, self.credentials) = (chooser, loaded.credentials.clone());
        Ok(())
    }

    /// What connections are made with, for people.
    pub fn describe(&self) -> String {
        let (cc, credentials) = (self.chooser.describe(), self.credentials.describe());
        format!("{cc}, {credentials}")
    }

    /// Starts trace and key log of a connection.
    pub fn observe(&self, conn: &mut Connection, original_id: &[u8]) -> Records {
        let traced = |qlog: &&QlogDirectory| {
            self.args.qlog_share.contains(random_number(), 0) && qlog.has_room()
        };
        let trace = self
            .commons
            .qlog
            .as_ref()
            .filter(traced)
            .map(|qlog| qlog.hold(conn, original_id, &self.chooser.describe()));
        let secrets = self
            .commons
            .keylog
            .clone()
            .map(|keylog| (Held::default(), keylog));
        if let Some((held, _)) = &secrets {
            conn.set_keylog(Box::new(held.clone()));
        }
        Records { trace, secrets }
    }
}

/// Fields of a request, in bytes. Those of all requests that a client leaves incomplete are kept.
const LARGEST_FIELDS: u64 = 16 << 10;

/// A configuration with which a handshake has succeeded.
fn configure(
    args: &ServerArgs,
    chooser: &Chooser,
    loaded: &Loaded,
    log_keys: bool,
) -> io::Result<quiche::Config> {
    let credentials = &loaded.credentials;
    let unusable = |why: String| {
        let what = credentials.describe();
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{what} cannot be used: {why}"),
        )
    };
    let protocols = args.protocols();
    let mut config = credentials
        .config(|tls| chooser.watch(tls))
        .map_err(unusable)?;
    args.transport
        .configure(&mut config, &protocols)
        .and_then(|()| chooser.prepare(&mut config))
        .map_err(io::Error::other)?;
    // Otherwise they grow while a client sends, and so does what it can make the server keep.
    config.set_max_stream_window(args.transport.stream_window);
    config.set_max_connection_window(2 * args.transport.stream_window);
    if let Some(key) = &loaded.ticket_key {
        config.set_ticket_key(key).map_err(io::Error::other)?;
    }
    if args.early_data {
        config.enable_early_data();
    }
    if log_keys {
        config.log_keys();
    }
    rehearse(&mut config, &protocols).map_err(|why| {
        unusable(format!(
            "a handshake with a usual client fails ({why}); allowed: keys for RSA, or for ECDSA on \
             P-256 or P-384"
        ))
    })?;
    chooser.forget();
    Ok(config)
}

fn configure_http() -> quiche::h3::Result<quiche::h3::Config> {
    let mut config = quiche::h3::Config::new()?;
    config.set_max_field_section_size(LARGEST_FIELDS);
    Ok(config)
}
