//! What all connections of the server share.

use std::io;
use std::time::Duration;

use super::chooser::Chooser;
use super::cli::ServerArgs;
use super::content::Content;
use super::token::TokenMint;
use crate::connection::Connection;
use crate::keylog::KeyLog;
use crate::qlog::QlogDirectory;
use crate::tls;

/// Configuration, content, and where records go.
pub struct Site {
    pub config: quiche::Config,
    pub h3_config: quiche::h3::Config,
    pub content: Content,
    /// Present if clients must validate their address with a Retry packet.
    pub tokens: Option<TokenMint>,
    /// Chooses congestion controllers.
    pub chooser: Chooser,
    pub max_connections: usize,
    pub drain_time: Duration,
    qlog: Option<QlogDirectory>,
    keylog: Option<KeyLog>,
}

impl Site {
    /// Loads all that the options name.
    pub fn new(args: &ServerArgs) -> io::Result<Self> {
        let protocols = args.protocols();
        let chooser = Chooser::new(args.rules().map_err(io::Error::other)?);
        let mut config = chooser.config().map_err(io::Error::other)?;
        args.transport
            .configure(&mut config, &protocols)
            .and_then(|()| chooser.prepare(&mut config))
            .map_err(io::Error::other)?;
        if args.early_data {
            config.enable_early_data();
        }
        match (&args.cert, &args.key) {
            (Some(cert), Some(key)) => tls::load(&mut config, cert, key)?,
            _ => tls::self_signed(&mut config, args.save_cert.as_deref())?,
        }
        let keylog = KeyLog::from_environment()?;
        if keylog.is_some() {
            config.log_keys();
        }
        Ok(Self {
            config,
            h3_config: quiche::h3::Config::new().map_err(io::Error::other)?,
            content: Content::new(args.root.as_deref())?,
            tokens: args.retry.then(TokenMint::new),
            chooser,
            max_connections: args.max_connections as usize,
            drain_time: Duration::from_secs(args.drain_timeout),
            qlog: args
                .qlog
                .as_deref()
                .map(QlogDirectory::create)
                .transpose()?,
            keylog,
        })
    }

    /// Starts trace and key log of a connection. Without them it still works.
    pub fn observe(&self, conn: &mut Connection, original_id: &[u8]) {
        if let Some(qlog) = &self.qlog {
            match qlog.attach(conn, original_id, &self.chooser.describe()) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                    log::debug!("no trace: {e}");
                }
                Err(e) => log::warn!("no trace: {e}"),
            }
        }
        match self.keylog.as_ref().map(KeyLog::writer) {
            Some(Ok(writer)) => conn.set_keylog(writer),
            Some(Err(e)) => log::warn!("no key log: {e}"),
            None => {}
        }
    }
}
