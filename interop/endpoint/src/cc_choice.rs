//! The congestion controller that the command line asks for.

use std::fmt;
use std::str::FromStr;

use boring::ssl::SslRef;

use crate::connection::Connection;

/// Makes quiche-cc's controllers known to quiche. To be called before anything else.
pub fn register() {
    quiche_cc::register();
}

/// A controller that quiche knows, with its options: one of quiche-cc's or one of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CcChoice(String);

impl CcChoice {
    /// Makes every connection of `config` use this controller.
    pub fn apply(&self, config: &mut quiche::Config) -> quiche::Result<()> {
        config.set_cc_algorithm_name(&self.0)
    }

    /// Makes the connection whose ClientHello is being read use this controller.
    pub fn apply_in_handshake(&self, ssl: &mut SslRef) -> quiche::Result<()> {
        Connection::set_cc_algorithm_name_in_handshake(ssl, &self.0)
    }

    /// Makes a running connection use this controller.
    pub fn replace(&self, conn: &mut Connection) -> quiche::Result<()> {
        conn.set_cc_algorithm_name(&self.0)
    }

    /// Whether it can take over on a running connection, and be replaced there. quiche's Reno and
    /// CUBIC are part of a loss recovery of their own.
    pub fn is_replaceable(&self) -> bool {
        !["reno", "cubic"].contains(&self.0.as_str())
    }

    /// Whether it is one of quiche-cc's, which write events into traces.
    pub fn is_ours(&self) -> bool {
        !quiche_cc::catalogue::BUILT_IN.contains(&self.0.as_str())
    }

    /// The name with its options, as given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CcChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for CcChoice {
    type Err = quiche_cc::SpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        quiche_cc::parse(text).map(|algorithm| Self(algorithm.to_string()))
    }
}
