//! Certificates as files.

use std::path::{Path, PathBuf};

use rcgen::{CertificateParams, KeyPair, SignatureAlgorithm};

/// A certificate for `localhost` with its key, in PEM.
pub struct Made {
    pub cert: PathBuf,
    pub key: PathBuf,
}

/// Makes them as `name.pem` and `name.key`, or replaces them.
pub fn make(
    directory: &Path,
    name: &str,
    algorithm: &'static SignatureAlgorithm,
    change: impl FnOnce(&mut CertificateParams),
) -> Made {
    let key = KeyPair::generate_for(algorithm).unwrap();
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    change(&mut params);
    let cert = params.self_signed(&key).unwrap();
    let made = Made {
        cert: directory.join(format!("{name}.pem")),
        key: directory.join(format!("{name}.key")),
    };
    std::fs::write(&made.cert, cert.pem()).unwrap();
    std::fs::write(&made.key, key.serialize_pem()).unwrap();
    made
}

/// One that everybody can use.
pub fn usual(directory: &Path, name: &str) -> Made {
    make(directory, name, &rcgen::PKCS_ECDSA_P256_SHA256, |_| ())
}
