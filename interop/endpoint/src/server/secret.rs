//! The secret from which all keys of stateless packets are derived.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use ring::hmac;

use crate::connection::fill_random;
use crate::files;

/// Fewer bytes are no secret.
const LEAST: usize = 32;

/// Servers with the same secret take each other's tokens and end each other's connections.
#[derive(Clone)]
pub struct Secret(hmac::Key);

impl Secret {
    /// One that lasts as long as the process.
    pub fn random() -> Self {
        let mut bytes = [0; LEAST];
        fill_random(&mut bytes);
        Self::from_bytes(&bytes)
    }

    /// Reads one. Fails if it is too short or if others than the owner may read it.
    pub fn load(path: &Path) -> io::Result<Self> {
        let refused = |why: String| {
            let text = format!("--secret {}: {why}", path.display());
            io::Error::new(io::ErrorKind::InvalidInput, text)
        };
        let mut bytes = Vec::new();
        let file = files::open_regular(path).map_err(|e| refused(e.to_string()))?;
        let mode = file.metadata()?.mode();
        if mode & 0o077 != 0 && !is_credential(path) {
            return Err(refused(format!(
                "others may read it (mode {:o}); allowed: 0600 or 0400",
                mode & 0o777
            )));
        }
        file.take(4096).read_to_end(&mut bytes)?;
        if bytes.len() < LEAST {
            return Err(refused(format!(
                "{} bytes; allowed: {LEAST} to 4096 random ones",
                bytes.len()
            )));
        }
        Ok(Self::from_bytes(&bytes))
    }

    fn from_bytes(bytes: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// The key for one purpose.
    pub fn key(&self, purpose: &[u8]) -> hmac::Key {
        let derived = hmac::sign(&self.0, purpose);
        hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref())
    }
}

/// Whether a service manager made the file for this process alone. It permits the process by an access control list, which looks
/// like permissions of a group.
fn is_credential(path: &Path) -> bool {
    std::env::var_os("CREDENTIALS_DIRECTORY")
        .is_some_and(|directory| !directory.is_empty() && path.starts_with(directory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn saved(bytes: &[u8], mode: u32) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        std::fs::set_permissions(file.path(), PermissionsExt::from_mode(mode)).unwrap();
        file
    }

    fn tag(secret: &Secret, purpose: &[u8]) -> Vec<u8> {
        hmac::sign(&secret.key(purpose), b"x").as_ref().to_vec()
    }

    #[test]
    fn the_same_file_gives_the_same_keys_and_each_purpose_its_own() {
        let file = saved(&[7; 32], 0o600);
        let [a, b] = [(); 2].map(|()| Secret::load(file.path()).unwrap());
        assert_eq!(tag(&a, b"one"), tag(&b, b"one"));
        assert_ne!(tag(&a, b"one"), tag(&a, b"two"));
        assert_ne!(tag(&a, b"one"), tag(&Secret::random(), b"one"));
    }

    #[test]
    fn a_secret_that_is_none_is_refused_with_the_reason() {
        let refused = |bytes: &[u8], mode| {
            let file = saved(bytes, mode);
            Secret::load(file.path()).err().unwrap().to_string()
        };
        assert!(refused(&[7; 31], 0o600).contains("31 bytes"));
        assert!(refused(&[7; 32], 0o640).contains("mode 640"));
        assert!(Secret::load(Path::new("/nowhere")).is_err());
    }
}
