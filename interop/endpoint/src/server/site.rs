//! What all connections of the server share.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::access::AccessLog;
use super::chooser::Chooser;
use super::cli::ServerArgs;
use super::content::Content;
use super::metrics::{Families, Metrics};
use super::records::Records;
use super::rehearsal::rehearse;
use super::resets::Resets;
use super::secret::Secret;
use super::strangers::Strangers;
use super::token::TokenMint;
use crate::connection::{random_number, Connection};
use crate::held::Held;
use crate::keylog::KeyLog;
use crate::output::Output;
use crate::qlog::QlogDirectory;
use crate::tls::Credentials;

/// Configuration, content, and where records go.
pub struct Site {
    pub config: quiche::Config,
    pub h3_config: quiche::h3::Config,
    pub content: Content,
    /// Makes and checks the tokens by which clients prove their address.
    pub tokens: TokenMint,
    /// Half-open connections from which on clients have to do that.
    pub retry_above: usize,
    /// Chooses congestion controllers.
    pub chooser: Chooser,
    pub max_connections: usize,
    /// How long a client may do nothing.
    pub stall_time: Duration,
    /// Ends connections that are unknown.
    pub resets: Resets,
    pub drain_time: Duration,
    pub strangers: Strangers,
    /// Figures, if anybody may ask for them.
    pub metrics: Option<Metrics>,
    /// Where requests are told, if anywhere.
    pub access_log: Option<AccessLog>,
    args: ServerArgs,
    credentials: Arc<Credentials>,
    qlog: Option<QlogDirectory>,
    keylog: Option<KeyLog>,
}

impl Site {
    /// Loads all that the options name. Standard output carries `events`.
    pub fn new(args: &ServerArgs, events: &Output) -> io::Result<Self> {
        let chooser = Chooser::new(args.rules().map_err(io::Error::other)?);
        let credentials = match (&args.cert, &args.key) {
            (Some(cert), Some(key)) => Credentials::load(cert, key)?,
            _ => Credentials::self_signed(args.save_cert.as_deref())?,
        };
        let keylog = KeyLog::from_environment()?;
        let secret = args.secret.as_deref().map(Secret::load);
        let secret = secret.transpose()?.unwrap_or_else(Secret::random);
        let open = |target: &PathBuf| AccessLog::open(target, events);
        let access_log = args.access_log.as_ref().map(open).transpose()?;
        let metrics = args.metrics.map(Metrics::new).transpose()?;
        let families = metrics.as_ref().map(|metrics| metrics.families.clone());
        Ok(Self {
            config: configure(args, &chooser, &credentials, keylog.is_some())?,
            h3_config: quiche::h3::Config::new().map_err(io::Error::other)?,
            content: Content::new(args.root.as_deref())?,
            resets: Resets::new(&secret),
            tokens: TokenMint::new(secret),
            retry_above: args.half_open_limit(),
            chooser,
            max_connections: args.max_connections as usize,
            stall_time: Duration::from_secs(args.stall_timeout),
            drain_time: Duration::from_secs(args.drain_timeout),
            strangers: Strangers::new(families.unwrap_or_default()),
            metrics,
            access_log,
            args: args.clone(),
            credentials: credentials.into(),
            qlog: args.qlog_directory()?,
            keylog,
        })
    }

    /// What is counted, if anybody may ask for it.
    pub fn families(&self) -> Option<&Families> {
        self.metrics.as_ref().map(|metrics| &metrics.families)
    }

    /// Reads certificate, key and rules again, for the connections to come. If any of them cannot
    /// be used, all stay as they are.
    pub fn reload(&mut self) -> io::Result<()> {
        let credentials = self.credentials.reload()?;
        let rules = self.args.rules().map_err(io::Error::other)?;
        let chooser = self.chooser.with_rules(rules);
        self.config = configure(&self.args, &chooser, &credentials, self.keylog.is_some())?;
        (self.chooser, self.credentials) = (chooser, credentials);
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
            .qlog
            .as_ref()
            .filter(traced)
            .map(|qlog| qlog.hold(conn, original_id, &self.chooser.describe()));
        let secrets = self.keylog.clone().map(|keylog| (Held::default(), keylog));
        if let Some((held, _)) = &secrets {
            conn.set_keylog(Box::new(held.clone()));
        }
        Records { trace, secrets }
    }

    /// The key log, if there is one.
    pub fn key_output(&self) -> Option<&Output> {
        self.keylog.as_ref().map(KeyLog::output)
    }
}

/// A configuration with which a handshake has succeeded.
fn configure(
    args: &ServerArgs,
    chooser: &Chooser,
    credentials: &Credentials,
    log_keys: bool,
) -> io::Result<quiche::Config> {
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
