//! The requests of one connection.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::time::Instant;

use quiche::h3;
use url::Url;

use super::download::{Download, DownloadReport};
use super::http::Http;
use super::progress::Progress;
use super::sink::Sink;
use crate::connection::Connection;

/// Downloads that wait, run, and are done.
pub struct Requests<'a> {
    waiting: VecDeque<(usize, Url, Option<PathBuf>)>,
    running: HashMap<u64, (usize, Download)>,
    done: Vec<Option<DownloadReport>>,
    parallel: bool,
    hash: bool,
    progress: &'a Progress,
    buffer: Vec<u8>,
    going_away: bool,
}

impl<'a> Requests<'a> {
    pub fn new(
        downloads: &[(Url, Option<PathBuf>)],
        parallel: bool,
        hash: bool,
        progress: &'a Progress,
    ) -> Self {
        let numbered = downloads.iter().cloned().enumerate();
        Self {
            waiting: numbered
                .map(|(index, (url, target))| (index, url, target))
                .collect(),
            running: HashMap::new(),
            done: vec![None; downloads.len()],
            parallel,
            hash,
            progress,
            buffer: vec![0; 64 << 10],
            going_away: false,
        }
    }

    /// Whether every download has ended.
    pub fn all_done(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty()
    }

    /// Takes what has arrived, and sends the requests that may be sent now.
    pub fn advance(&mut self, http: &mut Http, conn: &mut Connection) {
        self.poll(http, conn);
        self.send(http, conn);
    }

    /// Ends all that is left, for the given reason, and returns the reports in order.
    pub fn finish(mut self, reason: &str) -> Vec<DownloadReport> {
        for (index, url, _) in self.waiting.drain(..) {
            self.done[index] = Some(DownloadReport::not_started(&url, reason));
        }
        for (_, (index, download)) in self.running.drain() {
            self.done[index] = Some(download.finish(Some(reason.to_owned())));
        }
        self.done.into_iter().flatten().collect()
    }

    fn send(&mut self, http: &mut Http, conn: &mut Connection) {
        while self.parallel || self.running.is_empty() {
            let Some((index, url, target)) = self.waiting.pop_front() else {
                return;
            };
            if self.going_away {
                let report = DownloadReport::not_started(&url, "the server takes no more requests");
                self.done[index] = Some(report);
                continue;
            }
            let sink = match Sink::open(target.as_deref(), self.hash) {
                Ok(sink) => sink,
                Err(e) => {
                    self.done[index] = Some(DownloadReport::not_started(&url, &e.to_string()));
                    continue;
                }
            };
            let bar = self.progress.bar(url.path());
            let download = Download::new(url.clone(), sink, bar, http.has_status());
            match http.send_request(conn, &download) {
                Ok(stream) => {
                    self.running.insert(stream, (index, download));
                }
                Err(h3::Error::StreamBlocked)
                | Err(h3::Error::TransportError(quiche::Error::StreamLimit)) => {
                    self.waiting.push_front((index, url, target));
                    return;
                }
                Err(e) => self.done[index] = Some(download.finish(Some(format!("request: {e}")))),
            }
        }
    }

    fn poll(&mut self, http: &mut Http, conn: &mut Connection) {
        loop {
            match http.poll(conn) {
                Ok((stream, h3::Event::Headers { list, .. })) => {
                    if let Some((_, download)) = self.running.get_mut(&stream) {
                        download.on_headers(&list);
                    }
                }
                Ok((stream, h3::Event::Data)) => self.read(http, conn, stream),
                Ok((stream, h3::Event::Finished)) => self.end(stream, None),
                Ok((stream, h3::Event::Reset(code))) => {
                    self.end(stream, Some(format!("reset by the server, code {code:#x}")));
                }
                Ok((_, h3::Event::GoAway)) => self.going_away = true,
                Ok((_, h3::Event::PriorityUpdate)) => {}
                Err(h3::Error::Done) => return,
                Err(e) => {
                    // quiche closes the connection, which ends the downloads.
                    log::debug!("{} HTTP error: {e}", conn.trace_id());
                    return;
                }
            }
        }
    }

    fn read(&mut self, http: &mut Http, conn: &mut Connection, stream: u64) {
        while let Ok(read) = http.recv_body(conn, stream, &mut self.buffer) {
            if let Some((_, download)) = self.running.get_mut(&stream) {
                download.on_data(&self.buffer[..read], Instant::now());
            }
        }
    }

    fn end(&mut self, stream: u64, cut: Option<String>) {
        if let Some((index, download)) = self.running.remove(&stream) {
            self.done[index] = Some(download.finish(cut));
        }
    }
}
