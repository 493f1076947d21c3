//! Certificates.

use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Names for which the self-signed certificate is valid.
pub const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Loads the server's certificate chain and key from PEM files.
pub fn load(config: &mut quiche::Config, cert: &Path, key: &Path) -> io::Result<()> {
    config
        .load_cert_chain_from_pem_file(utf8(cert)?)
        .map_err(|_| unusable("certificate chain", cert))?;
    config
        .load_priv_key_from_pem_file(utf8(key)?)
        .map_err(|_| unusable("private key", key))
}

/// Trusts the certificates of a PEM file.
pub fn trust(config: &mut quiche::Config, ca: &Path) -> io::Result<()> {
    config
        .load_verify_locations_from_file(utf8(ca)?)
        .map_err(|_| unusable("certificate", ca))
}

/// Gives the server a fresh self-signed certificate for [`LOOPBACK_NAMES`]. With `save` the
/// certificate (not the key) is written there, so that a client can be told to trust it.
pub fn self_signed(config: &mut quiche::Config, save: Option<&Path>) -> io::Result<()> {
    let names: Vec<String> = LOOPBACK_NAMES.map(str::to_owned).to_vec();
    let made = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
    let cert = made.cert.pem();
    if let Some(path) = save {
        std::fs::write(path, &cert).map_err(|e| {
            io::Error::new(
                e.kind(),
                format!("{} cannot be written: {e}", path.display()),
            )
        })?;
    }
    // quiche reads PEM from files only. These are readable by the owner alone and vanish at once.
    let cert_file = temporary(&cert)?;
    let key_file = temporary(&made.signing_key.serialize_pem())?;
    load(config, cert_file.path(), key_file.path())
}

fn temporary(text: &str) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    Ok(file)
}

fn utf8(path: &Path) -> io::Result<&str> {
    path.to_str().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{path:?} is not valid UTF-8"),
        )
    })
}

fn unusable(what: &str, path: &Path) -> io::Error {
    let path = path.display();
    let why = match std::fs::metadata(path.to_string()) {
        Err(e) => e.to_string(),
        Ok(_) => "not in PEM format, or it does not fit the rest".to_owned(),
    };
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{what} {path} cannot be used: {why}"),
    )
}
