//! Certificates and keys.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use boring::asn1::Asn1Time;
use boring::error::ErrorStack;
use boring::pkey::{PKey, Private};
use boring::ssl::{SslContextBuilder, SslMethod};
use boring::x509::X509;

use crate::files;

/// Names for which the self-signed certificate is valid.
pub const LOOPBACK_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Trusts the certificates of a PEM file.
pub fn trust(config: &mut quiche::Config, ca: &Path) -> io::Result<()> {
    let unusable = |why: &str| unusable("certificate", ca, why);
    let path = ca
        .to_str()
        .ok_or_else(|| unusable("its name is not UTF-8"))?;
    // Asked first, because quiche does not say what is wrong.
    chain(ca, &read("certificate", ca)?)?;
    config
        .load_verify_locations_from_file(path)
        .map_err(|_| unusable("not in PEM format"))
}

/// A server's certificate chain with its private key.
pub struct Credentials {
    chain: Vec<X509>,
    key: PKey<Private>,
    /// The files that they are from.
    files: Option<(PathBuf, PathBuf)>,
}

impl Credentials {
    /// Loads them from PEM files. Fails if these do not belong together or are not valid today.
    pub fn load(cert: &Path, key: &Path) -> io::Result<Self> {
        let pem = read("certificate chain", cert)?;
        let loaded = Self {
            chain: chain(cert, &pem)?,
            key: private_key(key, &read("private key", key)?)?,
            files: Some((cert.to_owned(), key.to_owned())),
        };
        loaded.check_dates(cert)?;
        let public = loaded.chain[0].public_key();
        if !public.is_ok_and(|public| public.public_eq(&loaded.key)) {
            let why = format!(
                "it does not belong to the first certificate in {}; allowed: the key of that one",
                cert.display()
            );
            return Err(unusable("private key", key, &why));
        }
        Ok(loaded)
    }

    /// Makes fresh ones for [`LOOPBACK_NAMES`].
    pub fn self_signed() -> io::Result<Self> {
        let names: Vec<String> = LOOPBACK_NAMES.map(str::to_owned).to_vec();
        let made = rcgen::generate_simple_self_signed(names).map_err(io::Error::other)?;
        let cert = made.cert.pem();
        let key = made.signing_key.serialize_pem();
        Ok(Self {
            chain: X509::stack_from_pem(cert.as_bytes())?,
            key: PKey::private_key_from_pem(key.as_bytes())?,
            files: None,
        })
    }

    /// Writes the certificates (not the key) to a file, so that a client can be told to trust them.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut pem = Vec::new();
        for certificate in &self.chain {
            pem.extend(certificate.to_pem()?);
        }
        std::fs::write(path, pem).map_err(|e| {
            let path = path.display();
            io::Error::new(e.kind(), format!("{path} cannot be written: {e}"))
        })
    }

    /// Reads the files again; what was made is kept.
    pub fn reload(self: &Arc<Self>) -> io::Result<Arc<Self>> {
        match &self.files {
            Some((cert, key)) => Ok(Self::load(cert, key)?.into()),
            None => Ok(self.clone()),
        }
    }

    /// A configuration that shows them, after `prepare` has done what else there is to do with TLS.
    pub fn config(
        &self,
        prepare: impl FnOnce(&mut SslContextBuilder),
    ) -> Result<quiche::Config, String> {
        let tls = self.context().map(|mut tls| {
            prepare(&mut tls);
            tls
        });
        let tls = tls.map_err(|e| e.to_string())?;
        quiche::Config::with_boring_ssl_ctx_builder(quiche::PROTOCOL_VERSION, tls)
            .map_err(|e| e.to_string())
    }

    fn context(&self) -> Result<SslContextBuilder, ErrorStack> {
        let mut tls = SslContextBuilder::new(SslMethod::tls())?;
        tls.set_certificate(&self.chain[0])?;
        for issuer in &self.chain[1..] {
            tls.add_extra_chain_cert(issuer.clone())?;
        }
        tls.set_private_key(&self.key)?;
        Ok(tls)
    }

    /// Where they are from, for people.
    pub fn describe(&self) -> String {
        match &self.files {
            Some((cert, key)) => {
                format!(
                    "certificate chain {} with private key {}",
                    cert.display(),
                    key.display()
                )
            }
            None => "self-signed certificate".to_owned(),
        }
    }

    fn check_dates(&self, cert: &Path) -> io::Result<()> {
        let now = Asn1Time::days_from_now(0)?;
        let count = self.chain.len();
        for (index, certificate) in self.chain.iter().enumerate() {
            let (first, last) = (certificate.not_before(), certificate.not_after());
            if last < &*now || first > &*now {
                let number = index + 1;
                let why = format!(
                    "certificate {number} of {count} in it is valid from {first} to {last}; \
                     allowed: certificates that are valid now"
                );
                return Err(unusable("certificate chain", cert, &why));
            }
        }
        Ok(())
    }
}

fn chain(path: &Path, pem: &[u8]) -> io::Result<Vec<X509>> {
    let found = X509::stack_from_pem(pem).unwrap_or_default();
    if found.is_empty() {
        let why = "no certificate in it; allowed: PEM, one certificate or more";
        return Err(unusable("certificate chain", path, why));
    }
    Ok(found)
}

fn private_key(path: &Path, pem: &[u8]) -> io::Result<PKey<Private>> {
    PKey::private_key_from_pem(pem).map_err(|_| {
        let why =
            "no private key in it that can be read; allowed: PEM, one RSA or ECDSA key without a \
                   password";
        unusable("private key", path, why)
    })
}

fn read(what: &str, path: &Path) -> io::Result<Vec<u8>> {
    files::read(path).map_err(|e| unusable(what, path, &e.to_string()))
}

fn unusable(what: &str, path: &Path, why: &str) -> io::Error {
    let path = path.display();
    io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("{what} {path} cannot be used: {why}"),
    )
}
