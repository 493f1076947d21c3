//! The log file: one JSON object per line, written by a thread of its own.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender, TryRecvError, TrySendError};
use std::thread::JoinHandle;

use crate::Record;

/// Records that may wait for the disk. The relay never waits for it.
const CAPACITY: usize = 1 << 16;

/// Where the relay's records go.
pub struct Log {
    writer: Option<(SyncSender<Record>, JoinHandle<io::Result<()>>)>,
    lost: u64,
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
        let (sender, receiver) = sync_channel(CAPACITY);
        let writer = std::thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_all(BufWriter::new(file), &receiver))?;
        Ok(Self {
            writer: Some((sender, writer)),
            lost: 0,
        })
    }

    /// Whether records are kept at all.
    pub(crate) fn is_kept(&self) -> bool {
        self.writer.is_some()
    }

    /// Hands over a record without waiting; it is lost (and counted) if the disk is too far behind.
    pub(crate) fn write(&mut self, record: Record) {
        if let Some((sender, _)) = &self.writer {
            if let Err(TrySendError::Full(_)) = sender.try_send(record) {
                self.lost += 1;
            }
        }
    }

    /// Records lost so far.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Writes the last record and waits until everything is in the file.
    ///
    /// # Errors
    /// Those of writing any of the records.
    pub(crate) fn finish(self, last: Record) -> io::Result<()> {
        let Some((sender, writer)) = self.writer else {
            return Ok(());
        };
        // Fails only if the writer is gone, which then says why.
        let _ = sender.send(last);
        drop(sender);
        writer
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the log's thread panicked")))
    }
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
