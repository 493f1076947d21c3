//! A writer on a thread of its own, for those who may not wait for a disk.

use std::io;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender, TrySendError};
use std::thread::{self, JoinHandle};

use crate::{Ending, Error, Row, Sink, Writer};

/// Rows that may wait for the disk.
const CAPACITY: usize = 1 << 16;

/// Hands rows over without waiting. Rows that come while too many wait are dropped and counted.
pub struct Queued {
    rows: SyncSender<Row>,
    writer: JoinHandle<Writer>,
    dropped: u64,
}

impl Queued {
    /// Begins to write with `writer`.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(writer: Writer) -> io::Result<Self> {
        let (rows, waiting) = sync_channel(CAPACITY);
        let writer = thread::Builder::new()
            .name("record".to_owned())
            .spawn(move || write(writer, &waiting))?;
        Ok(Self {
            rows,
            writer,
            dropped: 0,
        })
    }

    /// Waits until all is written, and ends the file; rows that were dropped are added to those that `ending` knows of.
    /// Says how many they are.
    ///
    /// # Errors
    /// Those of writing.
    ///
    /// # Panics
    /// The thread did.
    pub fn finish(self, mut ending: Ending) -> Result<u64, Error> {
        drop(self.rows);
        let writer = self.writer.join().expect("the writer does not panic");
        ending.dropped_rows += self.dropped;
        let dropped = ending.dropped_rows;
        writer.finish(ending).map(|()| dropped)
    }
}

impl Sink for Queued {
    fn take(&mut self, row: Row) {
        if let Err(TrySendError::Full(_)) = self.rows.try_send(row) {
            self.dropped += 1;
        }
    }
}

fn write(mut writer: Writer, rows: &Receiver<Row>) -> Writer {
    for row in rows {
        writer.take(row);
    }
    writer
}
