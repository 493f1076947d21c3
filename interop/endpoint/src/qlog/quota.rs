//! What traces may take of a disk. The oldest finished ones make room for new ones.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::{flock, FlockOperation};

use crate::files;

/// Between two lines of the log.
const PERIOD: Duration = Duration::from_secs(60);

/// The bytes of all traces in a directory.
#[derive(Debug)]
pub struct Quota {
    directory: PathBuf,
    most: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    used: u64,
    /// The oldest first.
    finished: VecDeque<Finished>,
    told: Option<Instant>,
}

/// A trace that nobody writes any more.
#[derive(Debug)]
struct Finished {
    path: PathBuf,
    size: u64,
    /// Whether this process has written it.
    ours: bool,
}

impl Quota {
    /// At most so many bytes, with what is there already.
    pub fn new(directory: &Path, most: u64) -> io::Result<Self> {
        let finished = found_in(directory)?;
        let used = finished.iter().map(|trace| trace.size).sum();
        let state = State {
            used,
            finished,
            told: None,
        };
        Ok(Self {
            directory: directory.to_owned(),
            most,
            state: Mutex::new(state),
        })
    }

    /// Whether another trace may begin. Otherwise all of the quota is taken by those being written.
    pub fn has_room(&self, now: Instant) -> bool {
        let mut state = self.lock();
        let room = state.used < self.most || !state.finished.is_empty();
        if !room {
            self.warn(&mut state, now);
        }
        room
    }

    /// Takes so many bytes, if they are there to be taken or finished traces can be deleted for them.
    fn take(&self, count: u64) -> bool {
        let mut state = self.lock();
        while state.used.saturating_add(count) > self.most {
            let Some(oldest) = state.finished.pop_front() else {
                self.warn(&mut state, Instant::now());
                return false;
            };
            if let Err(e) = oldest.delete() {
                log::warn!("trace {} is not deleted: {e}", oldest.path.display());
                continue;
            }
            state.used -= oldest.size;
        }
        state.used += count;
        true
    }

    fn on_finished(&self, path: PathBuf, size: u64) {
        let ours = true;
        let trace = Finished { path, size, ours };
        self.lock().finished.push_back(trace);
    }

    fn warn(&self, state: &mut State, now: Instant) {
        if state.told.is_some_and(|told| now < told + PERIOD) {
            return;
        }
        state.told = Some(now);
        let (directory, most) = (self.directory.display(), self.most >> 20);
        log::warn!(
            "qlog directory {directory}: traces that are being written have all of its {most} MiB, so \
             no more is traced"
        );
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Finished {
    /// Deletes it, unless it turns out that another process writes it. It may be gone already.
    fn delete(&self) -> io::Result<()> {
        match self.check_lock().and_then(|()| fs::remove_file(&self.path)) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Fails if another process writes it.
    fn check_lock(&self) -> io::Result<()> {
        if !self.ours {
            let file = files::open_regular(&self.path)?;
            flock(&file, FlockOperation::NonBlockingLockExclusive)?;
        }
        Ok(())
    }
}

/// The traces that are there, the oldest first.
fn found_in(directory: &Path) -> io::Result<VecDeque<Finished>> {
    let mut found: Vec<(SystemTime, Finished)> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        let is_trace = path.extension().is_some_and(|e| e == "sqlog");
        // It may be gone by now.
        if let (true, Ok(metadata)) = (is_trace, entry.metadata()) {
            let size = metadata.len();
            let ours = false;
            found.push((metadata.modified()?, Finished { path, size, ours }));
        }
    }
    found.sort_by_key(|(modified, _)| *modified);
    Ok(found.into_iter().map(|(_, trace)| trace).collect())
}

/// A trace that ends where the quota does. Its connection goes on.
pub struct Limited {
    path: PathBuf,
    file: File,
    quota: Arc<Quota>,
    /// Bytes of the quota.
    taken: u64,
    ended: bool,
}

impl Limited {
    pub fn new(path: &Path, file: File, quota: Arc<Quota>) -> Self {
        // It shows other processes that it is being written, until it is closed.
        if let Err(e) = flock(&file, FlockOperation::NonBlockingLockExclusive) {
            log::debug!("trace {} has no lock: {e}", path.display());
        }
        Self {
            path: path.to_owned(),
            file,
            quota,
            taken: 0,
            ended: false,
        }
    }
}

impl Write for Limited {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let count = data.len() as u64;
        self.ended = self.ended || !self.quota.take(count);
        if !self.ended {
            self.taken += count;
            self.file.write_all(data)?;
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Limited {
    fn drop(&mut self) {
        let path = std::mem::take(&mut self.path);
        self.quota.on_finished(path, self.taken);
    }
}

#[cfg(test)]
mod tests;
