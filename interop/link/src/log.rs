//! The log file: one JSON object per line, written by a thread of its own.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{
    sync_channel, Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError,
};
use std::time::{Duration, Instant};

use crate::Record;

/// Records that may wait for the disk. The relay never waits for it.
const CAPACITY: usize = 1 << 16;

/// What a disk gets for those that wait at the end. The log may be a pipe that nobody reads.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where the relay's records go.
pub struct Log {
    writer: Option<Writer>,
    lost: u64,
}

/// The thread that writes.
struct Writer {
    records: SyncSender<Record>,
    /// What came of it, at its end.
    result: Receiver<io::Result<()>>,
}

impl Log {
    /// A log that keeps nothing.
    pub fn none() -> Self {
        Self {
            writer: None,
            lost: 0,
        }
    }

    /// A log in a new file (an old one is replaced).
    ///
    /// # Errors
    /// The file cannot be created, or the system gives no thread.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path)?;
        let (records, receiver) = sync_channel(CAPACITY);
        let (done, result) = sync_channel(1);
        std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || done.send(write_all(BufWriter::new(file), &receiver)))?;
        Ok(Self {
            writer: Some(Writer { records, result }),
            lost: 0,
        })
    }

    /// Whether records are kept at all.
    pub(crate) fn is_kept(&self) -> bool {
        self.writer.is_some()
    }

    /// Hands over a record without waiting; it is lost (and counted) if the disk is too far behind.
    pub(crate) fn write(&mut self, record: Record) {
        if let Some(Writer { records, .. }) = &self.writer {
            if let Err(TrySendError::Full(_)) = records.try_send(record) {
                self.lost += 1;
            }
        }
    }

    /// Records lost so far.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Writes the last record and waits until everything is in the file, for as long as [`PATIENCE`].
    ///
    /// # Errors
    /// Those of writing any of the records, and that time was too short for them.
    pub(crate) fn finish(self, mut last: Record) -> io::Result<()> {
        let Some(Writer { records, result }) = self.writer else {
            return Ok(());
        };
        let end = Instant::now() + PATIENCE;
        // Fails otherwise only if the writer is gone, which then says why.
        while let Err(TrySendError::Full(refused)) = records.try_send(last) {
            if Instant::now() >= end {
                return Err(unread());
            }
            last = refused;
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(records);
        let left = end.saturating_duration_since(Instant::now());
        result.recv_timeout(left).unwrap_or_else(|e| {
            Err(match e {
                RecvTimeoutError::Timeout => unread(),
                RecvTimeoutError::Disconnected => io::Error::other("the log's thread panicked"),
            })
        })
    }
}

fn unread() -> io::Error {
    let why = format!(
        "the log took nothing for {} s, so its end is missing",
        PATIENCE.as_secs()
    );
    io::Error::new(io::ErrorKind::TimedOut, why)
}

/// Writes until the relay is done; flushes whenever there is nothing to write, so that the file can
/// be watched.
fn write_all(mut file: BufWriter<File>, records: &Receiver<Record>) -> io::Result<()> {
    loop {
        let record = match records.try_recv() {
            Ok(record) => record,
            Err(TryRecvError::Disconnected) => return file.flush(),
            Err(TryRecvError::Empty) => {
                file.flush()?;
                match records.recv() {
                    Ok(record) => record,
                    Err(_) => return file.flush(),
                }
            }
        };
        serde_json::to_writer(&mut file, &record)?;
        file.write_all(b"\n")?;
    }
}
