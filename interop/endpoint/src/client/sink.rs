//! Where downloaded bytes go.

use std::fs::Permissions;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::connection::hex;

/// A file that takes its name only when it is complete, or nothing; with a hash if wanted.
pub struct Sink {
    file: Option<(NamedTempFile, PathBuf)>,
    hash: Option<Sha256>,
}

impl Sink {
    /// Prepares to write to `target`.
    pub fn open(target: Option<&Path>, hash: bool) -> io::Result<Self> {
        let create = |path: &Path| {
            let directory = match path.parent() {
                Some(parent) if parent != Path::new("") => parent,
                _ => Path::new("."),
            };
            std::fs::create_dir_all(directory)?;
            // In the same directory, since a rename cannot cross file systems.
            let mut builder = tempfile::Builder::new();
            let file = builder
                .prefix(".cc-client-")
                .suffix(".partial")
                // As for any new file, less what the umask takes.
                .permissions(Permissions::from_mode(0o666))
                .tempfile_in(directory)?;
            Ok::<_, io::Error>((file, path.to_owned()))
        };
        let file = target
            .map(|path| create(path).map_err(|e| describe(path, &e)))
            .transpose()?;
        Ok(Self {
            file,
            hash: hash.then(Sha256::new),
        })
    }

    /// Takes the next bytes.
    pub fn write(&mut self, data: &[u8]) -> io::Result<()> {
        if let Some(hash) = &mut self.hash {
            hash.update(data);
        }
        match &mut self.file {
            Some((file, path)) => file.write_all(data).map_err(|e| describe(path, &e)),
            None => Ok(()),
        }
    }

    /// Gives the file its name, and returns it and the SHA-256 in hexadecimal. A sink that is
    /// dropped instead leaves nothing behind.
    pub fn complete(self) -> io::Result<(Option<PathBuf>, Option<String>)> {
        let hash = self.hash.map(|hash| hex(&hash.finalize()));
        let Some((file, path)) = self.file else {
            return Ok((None, hash));
        };
        file.persist(&path).map_err(|e| describe(&path, &e.error))?;
        Ok((Some(path), hash))
    }
}

fn describe(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(
        error.kind(),
        format!("{} cannot be written: {error}", path.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_complete_download_gets_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/file");
        let mut sink = Sink::open(Some(&path), true).unwrap();
        sink.write(b"ab").unwrap();
        sink.write(b"c").unwrap();
        assert!(!path.exists());
        let (file, hash) = sink.complete().unwrap();
        assert_eq!(file.as_deref(), Some(path.as_path()));
        assert_eq!(std::fs::read(&path).unwrap(), b"abc");
        // The SHA-256 of "abc", from FIPS 180-2.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hash.as_deref(), Some(expected));

        let mut broken = Sink::open(Some(&path), false).unwrap();
        broken.write(b"x").unwrap();
        drop(broken);
        assert_eq!(std::fs::read(&path).unwrap(), b"abc", "the old file stays");
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1
        );
    }
}
