//! What traces may take of a disk.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often a directory without room is looked at again: somebody may have removed traces.
const PERIOD: Duration = Duration::from_secs(60);

/// The bytes of all traces in a directory.
#[derive(Debug)]
pub struct Quota {
    directory: PathBuf,
    most: u64,
    used: AtomicU64,
    looked: Mutex<Instant>,
}

impl Quota {
    /// At most so many bytes, with what is there already.
    pub fn new(directory: &Path, most: u64) -> io::Result<Self> {
        Ok(Self {
            directory: directory.to_owned(),
            most,
            used: used_in(directory)?.into(),
            looked: Mutex::new(Instant::now()),
        })
    }

    /// Whether another trace may begin.
    pub fn has_room(&self, now: Instant) -> bool {
        self.used.load(Ordering::Relaxed) < self.most || self.look_again(now)
    }

    fn look_again(&self, now: Instant) -> bool {
        let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if now.duration_since(*looked) < PERIOD {
            return false;
        }
        *looked = now;
        if let Ok(used) = used_in(&self.directory) {
            self.used.store(used, Ordering::Relaxed);
        }
        let room = self.used.load(Ordering::Relaxed) < self.most;
        if !room {
            self.warn();
        }
        room
    }

    fn warn(&self) {
        let (directory, most) = (self.directory.display(), self.most >> 20);
        log::warn!("qlog directory {directory} has {most} MiB, so no more is traced");
    }

    /// Takes so many bytes, if they are there to be taken.
    fn take(&self, count: usize) -> bool {
        let before = self.used.fetch_add(count as u64, Ordering::Relaxed);
        let fits = before.saturating_add(count as u64) <= self.most;
        if !fits && before < self.most {
            self.warn();
        }
        fits
    }
}

fn used_in(directory: &Path) -> io::Result<u64> {
    let mut used = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.path().extension().is_some_and(|e| e == "sqlog") {
            // It may be gone by now.
            used += entry.metadata().map_or(0, |metadata| metadata.len());
        }
    }
    Ok(used)
}

/// A trace that ends where the quota does. Its connection goes on.
pub struct Limited {
    file: File,
    quota: Arc<Quota>,
    ended: bool,
}

impl Limited {
    pub fn new(file: File, quota: Arc<Quota>) -> Self {
        Self {
            file,
            quota,
            ended: false,
        }
    }
}

impl Write for Limited {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.ended = self.ended || !self.quota.take(data.len());
        if !self.ended {
            self.file.write_all(data)?;
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(directory: &Path, name: &str) -> File {
        File::create_new(directory.join(name)).unwrap()
    }

    #[test]
    fn traces_end_where_the_quota_does_and_begin_again_when_there_is_room() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        file(path, "old.sqlog").write_all(&[0; 30]).unwrap();
        file(path, "other.txt").write_all(&[0; 999]).unwrap();
        let quota = Arc::new(Quota::new(path, 100).unwrap());
        let now = Instant::now();
        assert!(quota.has_room(now));
        let mut trace = Limited::new(file(path, "new.sqlog"), quota.clone());
        for _ in 0..3 {
            assert_eq!(trace.write(&[1; 60]).unwrap(), 60);
        }
        assert_eq!(path.join("new.sqlog").metadata().unwrap().len(), 60);
        assert!(!quota.has_room(now));
        fs::remove_file(path.join("old.sqlog")).unwrap();
        assert!(!quota.has_room(now + PERIOD / 2));
        assert!(quota.has_room(now + 2 * PERIOD));
    }
}
