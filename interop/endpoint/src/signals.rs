//! Signals as something to wait for.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Signals that are put down instead of ending the process.
pub struct Signals(UnixStream);

impl Signals {
    /// SIGINT and SIGTERM, which ask to stop.
    pub fn to_stop() -> io::Result<Self> {
        Self::register(&[SIGINT, SIGTERM])
    }

    /// SIGHUP, which asks a server to read its files again.
    pub fn to_reload() -> io::Result<Self> {
        Self::register(&[SIGHUP])
    }

    fn register(signals: &[i32]) -> io::Result<Self> {
        let (ours, written_by_handler) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        for signal in signals {
            signal_hook::low_level::pipe::register(*signal, written_by_handler.try_clone()?)?;
        }
        Ok(Self(ours))
    }

    /// Takes those that have arrived and says how many they were.
    pub fn take(&self) -> usize {
        let mut bytes = [0; 16];
        (&self.0).read(&mut bytes).unwrap_or(0)
    }
}

/// Wakes another thread as a signal would.
pub struct Bell(UnixStream);

impl Bell {
    /// One, and what it wakes.
    pub fn new() -> io::Result<(Self, Signals)> {
        let (heard, rung) = UnixStream::pair()?;
        for end in [&heard, &rung] {
            end.set_nonblocking(true)?;
        }
        Ok((Self(rung), Signals(heard)))
    }

    /// Rings. Whoever has not heard it for so long that there is no room will do so once for all.
    pub fn ring(&self) {
        let _ = (&self.0).write(&[0]);
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
