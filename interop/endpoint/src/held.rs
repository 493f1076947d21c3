//! Records that are kept back until it is certain that they are wanted.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes that a record may have until then. A handshake has about a tenth of it.
const MOST_HELD: usize = 256 << 10;

type Destination = Box<dyn Write + Send + Sync>;

/// A writer without a destination; clones share it. What is written is kept until one is opened, and
/// is gone if none ever is.
#[derive(Clone)]
pub struct Held(Arc<Mutex<State>>);

enum State {
    Waiting(Vec<u8>),
    Open(Destination),
    /// There is no destination, and nothing is kept any more.
    Closed,
}

impl Default for Held {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State::Waiting(Vec::new()))))
    }
}

impl Held {
    /// Writes what was kept to `destination`, and from now on everything; nothing if that fails.
    pub fn open(&self, mut destination: Destination) -> io::Result<()> {
        let mut state = self.lock();
        let State::Waiting(kept) = &*state else {
            return Ok(());
        };
        let written = destination.write_all(kept);
        *state = match written {
            Ok(()) => State::Open(destination),
            Err(_) => State::Closed,
        };
        written
    }

    /// There will be no destination.
    pub fn close(&self) {
        *self.lock() = State::Closed;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Held {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let mut state = self.lock();
        match &mut *state {
            State::Waiting(kept) if kept.len() + data.len() <= MOST_HELD => {
                kept.extend_from_slice(data);
            }
            State::Waiting(_) => *state = State::Closed,
            State::Open(destination) => return destination.write(data),
            State::Closed => {}
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut *self.lock() {
            State::Open(destination) => destination.flush(),
            State::Waiting(_) | State::Closed => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination() -> (tempfile::NamedTempFile, Destination) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let writer = file.reopen().unwrap();
        (file, Box::new(writer))
    }

    #[test]
    fn nothing_is_missing_of_what_was_wanted_late() {
        let held = Held::default();
        let mut writer = held.clone();
        writer.write_all(b"before ").unwrap();
        let (file, opened) = destination();
        held.open(opened).unwrap();
        writer.write_all(b"after").unwrap();
        writer.flush().unwrap();
        assert_eq!(std::fs::read(file.path()).unwrap(), b"before after");
    }

    #[test]
    fn nothing_is_kept_for_what_cannot_be_opened() {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full");
        let held = Held::default();
        let mut writer = held.clone();
        writer.write_all(b"before").unwrap();
        held.open(Box::new(full.unwrap())).unwrap_err();
        writer.write_all(b"after").unwrap();
        assert!(matches!(*held.lock(), State::Closed));
    }

    #[test]
    fn memory_is_bounded() {
        let held = Held::default();
        let mut writer = held.clone();
        for _ in 0..2 * MOST_HELD / 1024 {
            writer.write_all(&[0; 1024]).unwrap();
        }
        let (file, opened) = destination();
        held.open(opened).unwrap();
        writer.write_all(b"after").unwrap();
        let length = file.path().metadata().unwrap().len();
        assert_eq!(length, 0, "half a record is none");
    }
}
