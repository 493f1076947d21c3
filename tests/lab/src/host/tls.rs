//! TLS contexts whose handshakes have the same size every time.
//!
//! ECDSA signatures vary in length, and that would move every packet after them by microseconds. Ed25519's do not, and a fixed
//! key and serial number make the certificate the same in every process. It protects nothing.

use std::sync::OnceLock;

use boring::pkey::{PKey, Private};
use boring::ssl::{SslContextBuilder, SslMethod, SslSignatureAlgorithm};
use boring::x509::X509;
use rcgen::{CertificateParams, KeyPair, SerialNumber, PKCS_ED25519};

/// An Ed25519 private key in PKCS #8 (RFC 8410, section 7): this header, then 32 bytes, here all alike.
const PKCS8_HEADER: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];
const SECRET: [u8; 32] = [7; 32];

struct Identity {
    certificate: X509,
    key: PKey<Private>,
}

fn identity() -> &'static Identity {
    static IDENTITY: OnceLock<Identity> = OnceLock::new();
    IDENTITY.get_or_init(|| {
        let der = [PKCS8_HEADER.as_slice(), &SECRET].concat();
        let key = KeyPair::from_pkcs8_der_and_sign_algo(&der.as_slice().into(), &PKCS_ED25519)
            .expect("the key is well formed");
        let mut params = CertificateParams::new(vec!["lab.invalid".to_owned()])
            .expect("the name is well formed");
        params.serial_number = Some(SerialNumber::from(1));
        let certificate = params.self_signed(&key).expect("an Ed25519 key signs");
        Identity {
            certificate: X509::from_der(certificate.der()).expect("a certificate is one"),
            key: PKey::private_key_from_der(&der).expect("a key is one"),
        }
    })
}

/// A quiche configuration for a server that has the lab's certificate.
pub fn server() -> quiche::Result<quiche::Config> {
    let identity = identity();
    let mut context = context();
    context
        .set_certificate(&identity.certificate)
        .and_then(|()| context.set_private_key(&identity.key))
        .map_err(|_| quiche::Error::TlsFail)?;
    quiche::Config::with_boring_ssl_ctx_builder(quiche::PROTOCOL_VERSION, context)
}

/// A quiche configuration for a client that trusts anybody.
pub fn client() -> quiche::Result<quiche::Config> {
    let mut config =
        quiche::Config::with_boring_ssl_ctx_builder(quiche::PROTOCOL_VERSION, context())?;
    config.verify_peer(false);
    Ok(config)
}

fn context() -> SslContextBuilder {
    let mut context = SslContextBuilder::new(SslMethod::tls()).expect("BoringSSL has TLS");
    context
        .set_verify_algorithm_prefs(&[SslSignatureAlgorithm::ED25519])
        .expect("BoringSSL has Ed25519");
    context
}
