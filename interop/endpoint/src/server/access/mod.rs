//! One line for every request, as JSON, when its response was delivered or has ended otherwise.

mod asked;
mod line;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::responses::{End, Ended};
use crate::connection::Connection;
use crate::files;
use crate::output::Output;
use crate::text::json_line;

pub use self::asked::Asked;
pub use self::line::About;

use self::line::{Fate, Line};

/// The name that stands for standard output.
const STDOUT: &str = "-";

/// Where the lines go; clones write to the same.
#[derive(Clone)]
pub struct AccessLog {
    output: Output,
    /// None is standard output.
    file: Option<PathBuf>,
}

impl AccessLog {
    /// Opens `target`: a file, which is made if need be, or `-`, which is `stdout`.
    pub fn open(target: &Path, stdout: &Output) -> io::Result<Self> {
        if target.as_os_str() == STDOUT {
            let output = stdout.clone();
            return Ok(Self { output, file: None });
        }
        let notice = |count| format!("{{\"event\":\"lines_missing\",\"count\":{count}}}\n");
        Ok(Self {
            output: Output::to(open(target)?, notice)?,
            file: Some(target.to_owned()),
        })
    }

    /// Opens the file by its name again, since the one that is open may have been given another.
    pub fn reopen(&self) -> io::Result<()> {
        if let Some(path) = &self.file {
            self.output.redirect(open(path)?);
        }
        Ok(())
    }

    /// Where all of it goes.
    pub fn output(&self) -> &Output {
        &self.output
    }
}

fn open(path: &Path) -> io::Result<File> {
    files::open_to_append(path).map_err(|e| {
        let why = format!(
            "--access-log {} cannot be opened: {e}; allowed: a file, a pipe that has a reader, or - for \
             standard output",
            path.display()
        );
        io::Error::new(e.kind(), why)
    })
}

/// The requests of one connection that have no line yet.
#[derive(Default)]
pub struct Accesses(HashMap<u64, Access>);

struct Access {
    asked: Asked,
    status: u16,
    time: Timestamp,
    began: Instant,
    /// Bytes of the body, from when the transport has all of it.
    sent: Option<u64>,
}

impl Accesses {
    /// A request is answered with this status.
    pub fn begin(&mut self, stream: u64, asked: Asked, status: u16) {
        let access = Access {
            asked,
            status,
            time: Timestamp::now(),
            began: Instant::now(),
            sent: None,
        };
        self.0.insert(stream, access);
    }

    /// To be called in every turn, with the responses that `ended`: tells of those that came to an end
    /// for the client, too.
    pub fn follow(
        &mut self,
        ended: &[Ended],
        conn: &mut Connection,
        log: &AccessLog,
        about: impl Fn(&Connection) -> About,
    ) {
        if self.0.is_empty() {
            return;
        }
        let mut over = Vec::new();
        for &Ended { stream, end, sent } in ended {
            match end {
                End::Sent => self.0.entry(stream).and_modify(|a| a.sent = Some(sent)),
                other => {
                    over.push((stream, Fate::of(other), sent));
                    continue;
                }
            };
        }
        for (stream, access) in &self.0 {
            if let (Some(sent), Some(fate)) = (access.sent, fate_of(*stream, conn)) {
                over.push((*stream, fate, sent));
            }
        }
        if !over.is_empty() {
            let about = about(conn);
            for (stream, fate, sent) in over {
                self.tell(stream, fate, sent, log, &about);
            }
        }
    }

    /// The connection is over. `sent` tells the bytes that the transport took of what was under way.
    pub fn finish(&mut self, log: &AccessLog, about: &About, sent: impl Fn(u64) -> u64) {
        let mut left: Vec<(u64, u64)> = self
            .0
            .iter()
            .map(|(stream, access)| (*stream, access.sent.unwrap_or_else(|| sent(*stream))))
            .collect();
        left.sort_unstable();
        for (stream, sent) in left {
            self.tell(stream, Fate::Closed, sent, log, about);
        }
    }

    fn tell(&mut self, stream: u64, fate: Fate, sent: u64, log: &AccessLog, about: &About) {
        if let Some(access) = self.0.remove(&stream) {
            let bytes = access.sent.unwrap_or(sent);
            let line = Line::new(about, &access, bytes, fate);
            log.output.line(json_line(&line));
        }
    }
}

/// What became of a stream of which the transport had all; nothing while it is being delivered. A
/// stream that is delivered, its end included, is forgotten by quiche.
fn fate_of(stream: u64, conn: &mut Connection) -> Option<Fate> {
    match conn.stream_capacity(stream) {
        Err(quiche::Error::InvalidStreamState(_)) => Some(Fate::Delivered),
        Err(_) => Some(Fate::Cancelled),
        Ok(_) => None,
    }
}

fn milliseconds(duration: Duration) -> f64 {
    // Microseconds are enough, and short.
    duration.as_micros() as f64 / 1e3
}
