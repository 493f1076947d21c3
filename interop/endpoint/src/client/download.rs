//! One download: what arrived of it, and what that says.

use std::time::{Duration, Instant};

use quiche::h3::{self, NameValue};
use serde::Serialize;
use url::Url;

use super::progress::Bar;
use super::sink::Sink;

/// How a download ended.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DownloadReport {
    pub url: String,
    pub status: Option<u16>,
    pub bytes: u64,
    /// From the request to the first byte of the body.
    pub first_byte_ms: Option<f64>,
    /// From the request to the last byte.
    pub seconds: Option<f64>,
    /// Body bits per second over that time.
    pub goodput_bits_per_second: Option<f64>,
    /// Its name, which need not be UTF-8, as well as that can be told.
    pub file: Option<String>,
    pub sha256: Option<String>,
    /// What went wrong; absent if nothing did.
    pub error: Option<String>,
}

/// A download under way.
pub struct Download {
    url: Url,
    requested: Instant,
    /// Whether the response begins with a status (HTTP/3) or is bare content (HTTP/0.9).
    has_status: bool,
    first_byte: Option<Instant>,
    last_byte: Option<Instant>,
    status: Option<u16>,
    length: Option<u64>,
    bytes: u64,
    sink: Sink,
    bar: Bar,
    failed: Option<String>,
}

impl Download {
    pub fn new(url: Url, sink: Sink, bar: Bar, has_status: bool) -> Self {
        Self {
            url,
            has_status,
            requested: Instant::now(),
            first_byte: None,
            last_byte: None,
            status: None,
            length: None,
            bytes: 0,
            sink,
            bar,
            failed: None,
        }
    }

    /// What is asked for: path and query.
    pub fn path(&self) -> String {
        let mut path = self.url.path().to_owned();
        if let Some(query) = self.url.query() {
            path.push('?');
            path.push_str(query);
        }
        path
    }

    /// The header fields of the request.
    pub fn request_headers(&self) -> Vec<h3::Header> {
        let path = self.path();
        let authority = self.url.authority().rsplit('@').next().unwrap_or_default();
        let agent = concat!("quiche-cc/", env!("CARGO_PKG_VERSION"));
        [
            (":method", "GET"),
            (":scheme", "https"),
            (":authority", authority),
            (":path", path.as_str()),
            ("user-agent", agent),
            ("accept", "*/*"),
        ]
        .map(|(name, value)| h3::Header::new(name.as_bytes(), value.as_bytes()))
        .to_vec()
    }

    /// Takes a header section: the response's, an interim one (1xx), or trailers.
    pub fn on_headers(&mut self, list: &[h3::Header]) {
        let text = |name: &[u8]| {
            let found = list.iter().find(|header| header.name() == name)?;
            std::str::from_utf8(found.value()).ok()
        };
        let Some(status) = text(b":status").and_then(|value| value.parse().ok()) else {
            return;
        };
        if (100..200).contains(&status) || self.status.is_some() {
            return;
        }
        self.status = Some(status);
        self.length = text(b"content-length").and_then(|value| value.parse().ok());
        if let Some(length) = self.length {
            self.bar.set_length(length);
        }
    }

    /// Takes body data.
    pub fn on_data(&mut self, data: &[u8], now: Instant) {
        self.first_byte.get_or_insert(now);
        self.last_byte = Some(now);
        self.bytes += data.len() as u64;
        self.bar.advance(data.len() as u64);
        // What comes with an error status is an explanation, not the file.
        if self.failed.is_none() && self.is_success() {
            if let Err(e) = self.sink.write(data) {
                self.failed = Some(e.to_string());
            }
        }
    }

    fn is_success(&self) -> bool {
        match self.status {
            Some(status) => (200..300).contains(&status),
            None => !self.has_status,
        }
    }

    /// Ends the download; `cut` says why it ended early.
    pub fn finish(mut self, cut: Option<String>) -> DownloadReport {
        let end = self.last_byte.unwrap_or_else(Instant::now);
        let error = self.failed.take().or(cut).or_else(|| self.shortcoming());
        let mut report = DownloadReport {
            url: self.url.to_string(),
            status: self.status,
            bytes: self.bytes,
            first_byte_ms: self
                .first_byte
                .map(|at| (at - self.requested).as_secs_f64() * 1e3),
            error,
            ..DownloadReport::default()
        };
        report.set_duration(end - self.requested);
        if report.error.is_none() {
            match self.sink.complete() {
                Ok((file, sha256)) => {
                    report.file = file.map(|file| file.display().to_string());
                    report.sha256 = sha256;
                }
                Err(e) => report.error = Some(e.to_string()),
            }
        }
        self.bar.finish();
        report
    }

    /// What is wrong with a response that ended by itself.
    fn shortcoming(&self) -> Option<String> {
        if !self.is_success() {
            return Some(match self.status {
                Some(status) => format!("status {status}"),
                None => "no response".to_owned(),
            });
        }
        match self.length {
            Some(length) if length != self.bytes => {
                Some(format!("{} bytes instead of {length}", self.bytes))
            }
            _ => None,
        }
    }
}

impl DownloadReport {
    /// A download that was not even requested.
    pub fn not_started(url: &Url, error: &str) -> Self {
        Self {
            url: url.to_string(),
            error: Some(error.to_owned()),
            ..Self::default()
        }
    }

    fn set_duration(&mut self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        self.seconds = Some(seconds);
        if seconds > 0.0 {
            self.goodput_bits_per_second = Some(self.bytes as f64 * 8.0 / seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn download(headers: &[(&str, &str)], body: &[u8]) -> DownloadReport {
        let url = Url::parse("https://host/path").unwrap();
        let sink = Sink::open(None, false).unwrap();
        let mut download = Download::new(url, sink, Bar::hidden(), true);
        let list: Vec<h3::Header> = headers
            .iter()
            .map(|(name, value)| h3::Header::new(name.as_bytes(), value.as_bytes()))
            .collect();
        download.on_headers(&list);
        if !body.is_empty() {
            download.on_data(body, Instant::now());
        }
        download.finish(None)
    }

    #[test]
    fn only_a_whole_body_with_a_good_status_is_a_success() {
        let status = |code| (":status", code);
        assert_eq!(
            download(&[status("200"), ("content-length", "3")], b"abc").error,
            None
        );
        assert_eq!(download(&[status("200")], b"abc").error, None);
        let short = download(&[status("200"), ("content-length", "4")], b"abc")
            .error
            .unwrap();
        assert_eq!(short, "3 bytes instead of 4");
        assert_eq!(download(&[status("404")], b"").error.unwrap(), "status 404");
        assert_eq!(download(&[status("301")], b"").error.unwrap(), "status 301");
        assert_eq!(
            download(&[status("103")], b"").error.unwrap(),
            "no response"
        );
    }
}
