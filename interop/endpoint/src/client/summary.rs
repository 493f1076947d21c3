//! All downloads, and what is told about them at the end.

use std::io;
use std::time::Duration;

use super::cli::ClientArgs;
use super::download::DownloadReport;
use super::exchange::{Client, Exchange};
use super::group::Group;
use crate::output::{Output, Patience};
use crate::text::{json_line, printable};

/// What readers of the summary get.
const READING_TIME: Patience = Patience {
    with_none: Duration::from_secs(5),
    in_all: Duration::from_secs(60),
};

/// The client's verdict, and its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    Success = 0,
    DownloadFailed = 1,
    ConnectionFailed = 3,
    Interrupted = 130,
}

/// Downloads all groups, one connection after another, and prints the summary.
pub fn fetch_all(args: &ClientArgs, groups: &[Group]) -> io::Result<ExitStatus> {
    let client = Client::new(args)?;
    let mut exchanges = Vec::new();
    'all: for group in groups {
        let parts = if args.resume {
            group.split_first()
        } else {
            vec![group.clone()]
        };
        let mut session = None;
        for part in parts {
            let mut exchange = client.fetch(&part, session.as_ref())?;
            session = exchange.session.take();
            let interrupted = exchange.interrupted;
            exchanges.push(exchange);
            if interrupted {
                break 'all;
            }
        }
    }
    let status = judge(&exchanges);
    let text = if args.json {
        json(&exchanges, status)
    } else {
        human(&exchanges)
    };
    client.finish(READING_TIME);
    print(text)?;
    Ok(status)
}

fn judge(exchanges: &[Exchange]) -> ExitStatus {
    let mut downloads = exchanges.iter().flat_map(|exchange| &exchange.downloads);
    if exchanges.iter().any(|exchange| exchange.interrupted) {
        ExitStatus::Interrupted
    } else if exchanges.iter().any(|exchange| exchange.error.is_some()) {
        ExitStatus::ConnectionFailed
    } else if downloads.any(|download| download.error.is_some()) {
        ExitStatus::DownloadFailed
    } else {
        ExitStatus::Success
    }
}

fn print(text: String) -> io::Result<()> {
    let output = Output::stdout(|_| String::new())?;
    output.line(text);
    output
        .finish(READING_TIME)
        .map_err(|e| io::Error::new(e.kind(), format!("standard output: {e}")))
}

fn json(exchanges: &[Exchange], status: ExitStatus) -> String {
    let object = serde_json::json!({ "connections": exchanges, "exit_code": status as u8 });
    json_line(&object)
}

fn human(exchanges: &[Exchange]) -> String {
    let mut text = String::new();
    for exchange in exchanges {
        for download in &exchange.downloads {
            text += &printable(&line(download));
            text.push('\n');
        }
        text += &printable(&total(exchange));
        text.push('\n');
    }
    text
}

fn total(exchange: &Exchange) -> String {
    let mut text = format!("{}: ", exchange.authority);
    if let Some(connection) = &exchange.connection {
        let downloads = exchange.downloads.iter();
        let total: u64 = downloads.map(|download| download.bytes).sum();
        let seconds = connection.duration_ms / 1e3;
        text += &format!(
            "{} from {} in {seconds:.3} s, {}, RTT min/mean/max {}",
            size(total),
            connection.peer,
            rate(total as f64 * 8.0 / seconds.max(1e-9)),
            connection.rtt_text(),
        );
    }
    if let Some(error) = &exchange.error {
        text += &format!(" - connection failed: {error}");
    }
    text
}

fn line(download: &DownloadReport) -> String {
    let mut text = format!("{} {}", download.url, size(download.bytes));
    if let Some(seconds) = download.seconds {
        text += &format!(" in {seconds:.3} s");
    }
    if let Some(goodput) = download
        .goodput_bits_per_second
        .filter(|_| download.bytes > 0)
    {
        text += &format!(", {}", rate(goodput));
    }
    if let Some(file) = &download.file {
        text += &format!(" -> {file}");
    }
    if let Some(hash) = &download.sha256 {
        text += &format!(" sha256 {hash}");
    }
    if let Some(error) = &download.error {
        text += &format!(" - failed: {error}");
    }
    text
}

fn size(bytes: u64) -> String {
    format!("{bytes} B")
}

fn rate(bits_per_second: f64) -> String {
    format!("{:.2} Mbit/s", bits_per_second / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(error: Option<&str>, downloads: &[Option<&str>]) -> Exchange {
        let text = |error: &str| error.to_owned();
        Exchange {
            authority: "host".to_owned(),
            original_id: None,
            connection: None,
            handshake_ms: None,
            error: error.map(text),
            interrupted: false,
            session: None,
            downloads: downloads
                .iter()
                .map(|error| DownloadReport {
                    error: error.map(text),
                    ..Default::default()
                })
                .collect(),
        }
    }

    #[test]
    fn the_exit_code_tells_the_worst_that_happened() {
        let good = exchange(None, &[None, None]);
        let bad = exchange(None, &[None, Some("status 404")]);
        let dead = exchange(Some("no connection"), &[Some("no connection")]);
        assert_eq!(judge(std::slice::from_ref(&good)), ExitStatus::Success);
        assert_eq!(
            judge(&[good.clone(), bad.clone()]),
            ExitStatus::DownloadFailed
        );
        assert_eq!(
            judge(&[dead, bad, good.clone()]),
            ExitStatus::ConnectionFailed
        );
        let stopped = Exchange {
            interrupted: true,
            ..good
        };
        assert_eq!(judge(&[stopped]), ExitStatus::Interrupted);
    }
}
