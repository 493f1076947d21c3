//! One line for every request, as JSON, when its response was delivered or has ended otherwise.

mod asked;
mod line;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::responses::Ended;
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
}

impl Accesses {
    /// A request is answered with this status.
    pub fn begin(&mut self, stream: u64, asked: Asked, status: u16) {
        let access = Access {
            asked,
            status,
            time: Timestamp::now(),
            began: Instant::now(),
        };
        self.0.insert(stream, access);
    }

    /// These responses have ended.
    pub fn tell(&mut self, ended: &[Ended], log: &AccessLog, about: &About) {
        for &Ended { stream, end, sent } in ended {
            self.tell_one(stream, Fate::of(end), sent, log, about);
        }
    }

    /// The connection is over. `sent` tells the bytes that the transport took of what was under way.
    pub fn finish(&mut self, log: &AccessLog, about: &About, sent: impl Fn(u64) -> u64) {
        let mut left: Vec<u64> = self.0.keys().copied().collect();
        left.sort_unstable();
        for stream in left {
            self.tell_one(stream, Fate::Closed, sent(stream), log, about);
        }
    }

    fn tell_one(&mut self, stream: u64, fate: Fate, bytes: u64, log: &AccessLog, about: &About) {
        if let Some(access) = self.0.remove(&stream) {
            let line = Line::new(about, &access, bytes, fate);
            log.output.line(json_line(&line));
        }
    }
}

fn milliseconds(duration: Duration) -> f64 {
    // Microseconds are enough, and short.
    duration.as_micros() as f64 / 1e3
}
