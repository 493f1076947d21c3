//! The command line.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand};
use quiche_cc_endpoint::arguments::{negative_is_value, whole};
use quiche_cc_endpoint::transport::TransportArgs;

/// Live video over HTTP/3, as an example of an encoder that follows the estimate of its connection.
///
/// `serve` makes frames of the sizes in a file, and asks before each frame which rung of the ladder
/// the path carries. `receive` asks for the groups of frames, and shows rate and delays as they come.
/// Both use loopback addresses only, and `cc-link` between them makes a path of it.
///
/// Exit codes: 0 ended as it should, also by SIGINT; 1 something failed; 2 wrong usage.
#[derive(Debug, Parser)]
#[command(name = "cc-encoder", version, verbatim_doc_comment)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Send to one viewer after the other, until SIGINT or SIGTERM
    Serve(ServeArgs),
    /// Watch, and show rate and delays
    Receive(ReceiveArgs),
}

#[derive(Args, Debug)]
#[command(mut_args(negative_is_value))]
pub struct ServeArgs {
    /// File of frame sizes (docs/guides/live-encoder.md)
    #[arg(long, value_name = "FILE")]
    pub frames: PathBuf,

    /// Loopback address to serve at; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4433", value_parser = loopback)]
    pub listen: SocketAddr,

    /// Write the self-signed certificate to this file, for `receive --ca`
    #[arg(long, value_name = "FILE")]
    pub save_cert: Option<PathBuf>,

    /// Share of the target that a rung may take (0.1 to 1); the rest is for headers, sound and what is sent again
    #[arg(long, default_value_t = 0.85, value_parser = share)]
    pub share: f64,

    /// For how many milliseconds there has to be room for the next rung (0 to 60000)
    #[arg(long, value_name = "MS", default_value_t = 500, value_parser = whole::<u64>(0..=60_000))]
    pub hold: u64,

    /// A group of pictures is given up when one of them has been on its way for so many milliseconds (50 to 60000)
    #[arg(long, value_name = "MS", default_value_t = 500, value_parser = whole::<u64>(50..=60_000))]
    pub patience: u64,

    /// Directory for qlog traces, one file per connection
    #[arg(long, value_name = "DIR")]
    pub qlog: Option<PathBuf>,

    #[command(flatten)]
    pub transport: TransportArgs,
}

#[derive(Args, Debug)]
#[command(
    mut_args(negative_is_value),
    group(ArgGroup::new("trust").args(["ca", "insecure"]).required(true))
)]
pub struct ReceiveArgs {
    /// Loopback address of the server, or of a `cc-link` in front of it
    #[arg(value_name = "ADDRESS:PORT", value_parser = loopback)]
    pub server: SocketAddr,

    /// Trust the certificates in this PEM file
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,

    /// Accept any certificate
    #[arg(long)]
    pub insecure: bool,

    /// For how many seconds to watch (1 to 3600)
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = whole::<u64>(1..=3600))]
    pub duration: u64,

    /// Urgency of audio (RFC 9218; 0 to 7, less is more urgent)
    #[arg(long, value_name = "URGENCY", default_value_t = 1, value_parser = whole::<u8>(0..=7))]
    pub audio_urgency: u8,

    /// Urgency of the newest group of pictures; older ones get one more
    #[arg(long, value_name = "URGENCY", default_value_t = 3, value_parser = whole::<u8>(0..=7))]
    pub video_urgency: u8,

    /// Print the summary as one JSON object, and nothing meanwhile
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub transport: TransportArgs,
}

fn loopback(text: &str) -> Result<SocketAddr, String> {
    let allowed = "allowed: a loopback address with its port, such as 127.0.0.1:4433 or [::1]:4433";
    let address: SocketAddr = text.parse().map_err(|_| format!("no address; {allowed}"))?;
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err(format!("not on this machine; {allowed}"))
    }
}

fn share(text: &str) -> Result<f64, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.1..=1.0).contains(share));
    share.ok_or_else(|| "no such share; allowed: 0.1 to 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    fn refused(arguments: &[&str]) -> String {
        let all = ["cc-encoder"].iter().chain(arguments);
        let refused = Cli::try_parse_from(all).map(|_| ());
        refused.unwrap_err().to_string()
    }

    #[test]
    fn whoever_says_nothing_of_certificates_hears_of_both_possibilities() {
        let wrong = refused(&["receive", "[::1]:1"]);
        assert!(wrong.contains("<--ca <FILE>|--insecure>"), "{wrong}");
        let wrong = refused(&["receive", "[::1]:1", "--insecure", "--ca", "x"]);
        assert!(wrong.contains("cannot be used with"), "{wrong}");
    }

    #[test]
    fn a_wrong_number_is_refused_with_what_is_allowed() {
        for (arguments, allowed) in [
            (
                &["receive", "[::1]:1", "--insecure", "--duration", "1.5"][..],
                "`1.5` is no whole number; allowed: 1 to 3600",
            ),
            (
                &["serve", "--frames", "x", "--hold", "-5"],
                "`-5` is out of range; allowed: 0 to 60000",
            ),
            (
                &["serve", "--frames", "x", "--initial-window", "0"],
                "`0` is out of range; allowed: 1 to 1000",
            ),
        ] {
            let wrong = refused(arguments);
            assert!(wrong.contains(allowed), "{wrong}");
        }
    }

    #[test]
    fn only_loopback_is_allowed() {
        assert!(loopback("127.0.0.1:1").is_ok() && loopback("[::1]:1").is_ok());
        for text in [
            "0.0.0.0:1",
            "192.0.2.1:1",
            "[::]:1",
            "localhost:1",
            "127.0.0.1",
        ] {
            let wrong = loopback(text).unwrap_err();
            assert!(wrong.contains("allowed"), "{text}: {wrong}");
        }
    }
}
