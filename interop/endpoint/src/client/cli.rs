//! The command line of `cc-client`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use url::Url;

use crate::arguments::{address, negative_is_value, whole};
use crate::documents::DocumentArgs;
use crate::http09;
use crate::transport::TransportArgs;

/// HTTP/3 client that downloads URLs and measures rate and delay.
///
/// URLs of the same host and port share one connection; connections are used one after another.
/// Files are named after the last part of the path, and appear only when they are complete.
///
/// Exit codes: 0 all downloads succeeded; 1 a download failed (status other than 2xx, reset, short
/// body, file not written), or nobody read standard output for 5 s; 2 wrong usage; 3 a connection
/// failed or timed out; 130 interrupted. If both a download and a connection failed it is 3.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "cc-client",
    version,
    verbatim_doc_comment,
    mut_args(negative_is_value)
)]
pub struct ClientArgs {
    /// What to download: https://HOST[:PORT]/PATH
    #[arg(value_name = "URL", required_unless_present_any = ["list_cc", "completions", "man"], value_parser = https_url)]
    pub urls: Vec<Url>,

    /// Directory to write files to [default: the current one]
    #[arg(long, value_name = "DIR", conflicts_with = "null")]
    pub out: Option<PathBuf>,

    /// Throw the content away
    #[arg(long)]
    pub null: bool,

    /// Print the SHA-256 of every download
    #[arg(long)]
    pub hash: bool,

    /// Request everything at once instead of one after another
    #[arg(long)]
    pub parallel: bool,

    /// Speak HTTP/0.9 (ALPN hq-interop) instead of HTTP/3, as interoperability tests do
    #[arg(long)]
    pub http09: bool,

    /// Fetch each server's first URL on a connection of its own, and the rest on one that resumes
    /// its TLS session and shows the token that validates its address
    #[arg(long)]
    pub resume: bool,

    /// Send the requests of the resumed connection as early data (0-RTT)
    #[arg(long, requires = "resume")]
    pub early_data: bool,

    /// Update the keys once the handshake is confirmed (RFC 9001, section 6), as interoperability
    /// tests do
    #[arg(long)]
    pub key_update: bool,

    /// Send to this address instead of the one that the host's name resolves to
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    pub connect_to: Option<SocketAddr>,

    /// Trust the certificates in this PEM file [default: those of the system]
    #[arg(long, value_name = "FILE", conflicts_with = "insecure")]
    pub ca: Option<PathBuf>,

    /// Accept any certificate
    #[arg(long)]
    pub insecure: bool,

    /// Directory for qlog traces, one file per connection
    #[arg(long, value_name = "DIR")]
    pub qlog: Option<PathBuf>,

    /// Seconds that a connection may take in all (1 to 86400)
    #[arg(long, value_name = "SECONDS", default_value_t = 300,
          value_parser = whole::<u64>(1..=86_400))]
    pub timeout: u64,

    /// Seconds that the handshake may take (1 to 600)
    #[arg(long, value_name = "SECONDS", default_value_t = 10,
          value_parser = whole::<u64>(1..=600))]
    pub connect_timeout: u64,

    /// Milliseconds between PINGs, which measure the RTT under load and tell the server where the
    /// client is when a NAT has rebound it (0 to 60000; 0 for none)
    #[arg(long, value_name = "MS", default_value_t = 100,
          value_parser = whole::<u64>(0..=60_000))]
    pub ping_interval: u64,

    /// Print the summary as one JSON object
    #[arg(long)]
    pub json: bool,

    /// Show no progress bars
    #[arg(long)]
    pub no_progress: bool,

    #[command(flatten)]
    pub documents: DocumentArgs,

    #[command(flatten)]
    pub transport: TransportArgs,
}

impl ClientArgs {
    /// Time between PINGs.
    pub fn ping_interval(&self) -> Option<Duration> {
        (self.ping_interval > 0).then(|| Duration::from_millis(self.ping_interval))
    }

    /// What is offered by ALPN.
    pub fn protocols(&self) -> &'static [&'static [u8]] {
        if self.http09 {
            &[http09::ALPN]
        } else {
            quiche::h3::APPLICATION_PROTOCOL
        }
    }

    /// Whether the server's certificate is checked.
    pub fn verifies(&self) -> bool {
        !self.insecure
    }
}

fn https_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|e| format!("{e}; allowed: https://HOST[:PORT]/PATH"))?;
    if url.scheme() != "https" {
        let scheme = url.scheme();
        return Err(format!(
            "HTTP/3 has no scheme \"{scheme}\"; allowed: https://HOST[:PORT]/PATH"
        ));
    }
    if url.host().is_none() {
        return Err("no host; allowed: https://HOST[:PORT]/PATH".to_owned());
    }
    Ok(url)
}
