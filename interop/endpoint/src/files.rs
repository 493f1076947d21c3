//! Opening files that may turn out to be something else.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Flag for `open`: do not wait for the other end of a named pipe. Regular files know no waiting.
pub const WITHOUT_WAITING: i32 = OFlags::NONBLOCK.bits() as i32;

/// Far more than a certificate chain or a list of rules needs.
const MOST_BYTES: u64 = 1 << 20;

/// Opens a regular file for reading. Anything else is refused: the end of a pipe may never come.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(WITHOUT_WAITING)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(invalid("not a regular file; allowed: regular files"));
    }
    Ok(file)
}

/// The content of a small regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let mut content = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 > MOST_BYTES {
        return Err(invalid("too large; allowed: up to 1048576 bytes"));
    }
    Ok(content)
}

/// Opens what lines are appended to: a file, or a pipe that has a reader. A new file is readable by
/// its owner only.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .custom_flags(WITHOUT_WAITING)
        .open(path)?;
    // It was for opening only: a thread of its own writes, and may wait.
    rustix::io::ioctl_fionbio(&file, false)?;
    Ok(file)
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_regular_files_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        std::fs::write(&path, "abc").unwrap();
        assert_eq!(read(&path).unwrap(), b"abc");
        std::fs::write(&path, vec![0; (1 << 20) + 1]).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("1048576"));
        let pipe = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        for other in [&pipe, directory.path()] {
            assert!(read(other).unwrap_err().to_string().contains("regular"));
        }
    }
}
