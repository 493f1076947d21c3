//! SIGINT and SIGTERM as something to wait for.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;

use signal_hook::consts::{SIGINT, SIGTERM};

/// A stream that gets a byte with every SIGINT or SIGTERM, instead of the process being killed.
pub fn stop_requests() -> io::Result<UnixStream> {
    let (ours, written_by_handler) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    for signal in [SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(signal, written_by_handler.try_clone()?)?;
    }
    Ok(ours)
}

/// Takes the requests that have arrived and says how many they were.
pub fn take(mut stream: &UnixStream) -> usize {
    let mut bytes = [0; 16];
    stream.read(&mut bytes).unwrap_or(0)
}
