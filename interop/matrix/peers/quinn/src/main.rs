//! HTTP/0.9 (ALPN `hq-interop`) over quinn: as little as the matrix needs.
//!
//! `quinn-hq server ADDRESS:PORT CERTIFICATE KEY FOLDER [--retry]`
//! `quinn-hq client CA FOLDER [--resume | --early-data] [--small-windows] [--chacha20] [--key-update] URL...`
use anyhow::{bail, Context, Result};
use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn::{Connection, Endpoint};
use rustls::pki_types::{pem::PemObject, CertificateDer, PrivateKeyDer};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const ALPN: &[u8] = b"hq-interop";
const LARGEST: usize = 64 << 20;
/// The key update comes when the transfer is under way, and a ticket soon after the handshake.
const SOON: Duration = Duration::from_millis(300);
/// A third of all packets gets lost in some cases.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (flags, words): (Vec<_>, Vec<_>) =
        words.into_iter().partition(|word| word.starts_with("--"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["server", address, certificate, key, folder] => {
            serve(
                address.parse()?,
                certificate,
                key,
                folder.into(),
                flags.contains(&"--retry".into()),
            )
            .await
        }
        ["client", ca, folder, urls @ ..] if !urls.is_empty() => {
            download(ca, folder.into(), urls, &flags).await
        }
        _ => bail!("see the head of main.rs for its usage"),
    }
}

async fn serve(
    address: SocketAddr,
    certificate: &str,
    key: &str,
    folder: PathBuf,
    retry: bool,
) -> Result<()> {
    let chain = CertificateDer::pem_file_iter(certificate)?.collect::<Result<Vec<_>, _>>()?;
    let mut tls = rustls::ServerConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_protocol_versions(&[&rustls::version::TLS13])?
    .with_no_client_auth()
    .with_single_cert(chain, PrivateKeyDer::from_pem_file(key)?)?;
    tls.alpn_protocols = vec![ALPN.to_vec()];
    tls.max_early_data_size = u32::MAX;
    tls.key_log = Arc::new(rustls::KeyLogFile::new());
    let mut config = quinn::ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?));
    config.transport_config(Arc::new(transport(false, false)));
    let endpoint = Endpoint::server(config, address)?;
    while let Some(incoming) = endpoint.accept().await {
        if retry && !incoming.remote_address_validated() {
            let _ = incoming.retry();
            continue;
        }
        let folder = folder.clone();
        tokio::spawn(async move {
            // Early data is accepted: the requests are of 0-RTT packets or not, as the client likes.
            if let Ok(connecting) = incoming.accept() {
                match connecting.into_0rtt() {
                    Ok((connection, _)) => answer_all(connection, folder).await,
                    Err(connecting) => {
                        if let Ok(connection) = connecting.await {
                            answer_all(connection, folder).await;
                        }
                    }
                }
            }
        });
    }
    Ok(())
}

async fn answer_all(connection: Connection, folder: PathBuf) {
    while let Ok((mut send, mut receive)) = connection.accept_bi().await {
        let folder = folder.clone();
        tokio::spawn(async move {
            let request = receive.read_to_end(4096).await?;
            let request = String::from_utf8(request)?;
            let path = request.trim_end().strip_prefix("GET /").context("no GET")?;
            anyhow::ensure!(!path.contains(".."), "path leaves the folder");
            send.write_all(&tokio::fs::read(folder.join(path)).await?)
                .await?;
            send.finish()?;
            send.stopped().await?;
            Ok::<(), anyhow::Error>(())
        });
    }
}

async fn download(ca: &str, folder: PathBuf, urls: &[&str], flags: &[String]) -> Result<()> {
    let has = |flag: &str| flags.iter().any(|word| word == flag);
    let target = urls[0]
        .strip_prefix("https://")
        .and_then(|rest| rest.split('/').next())
        .context("no https://")?;
    let server: SocketAddr = target
        .parse()
        .context("the URL's host has to be an address")?;
    let local = if server.is_ipv6() {
        (Ipv6Addr::UNSPECIFIED, 0).into()
    } else {
        (Ipv4Addr::UNSPECIFIED, 0).into()
    };
    let mut endpoint = Endpoint::client(local)?;
    let mut config = client_config(ca, has("--chacha20"))?;
    config.transport_config(Arc::new(transport(
        has("--small-windows"),
        has("--early-data"),
    )));
    endpoint.set_default_client_config(config);
    let alone = usize::from(has("--resume") || has("--early-data"));
    if alone == 1 {
        let first = endpoint.connect(server, "server4")?.await?;
        fetch_all(&first, &urls[..1], &folder).await?;
        tokio::time::sleep(SOON).await;
        first.close(0u32.into(), b"");
    }
    let connecting = endpoint.connect(server, "server4")?;
    let connection = if has("--early-data") {
        connecting
            .into_0rtt()
            .ok()
            .context("no early data with this session")?
            .0
    } else {
        connecting.await?
    };
    if has("--key-update") {
        let connection = connection.clone();
        tokio::spawn(async move {
            tokio::time::sleep(SOON).await;
            connection.force_key_update();
        });
    }
    fetch_all(&connection, &urls[alone..], &folder).await?;
    connection.close(0u32.into(), b"");
    endpoint.wait_idle().await;
    Ok(())
}

fn client_config(ca: &str, chacha20: bool) -> Result<quinn::ClientConfig> {
    let mut roots = rustls::RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(ca)?)?;
    let mut provider = rustls::crypto::ring::default_provider();
    if chacha20 {
        provider
            .cipher_suites
            .retain(|suite| suite.suite() == rustls::CipherSuite::TLS13_CHACHA20_POLY1305_SHA256);
    }
    // quinn protects Initial packets with this one.
    let initial = rustls::crypto::ring::cipher_suite::TLS13_AES_128_GCM_SHA256;
    let initial = initial
        .tls13()
        .and_then(|suite| suite.quic_suite())
        .context("no suite for Initial packets")?;
    let mut tls = rustls::ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![ALPN.to_vec()];
    tls.enable_early_data = true;
    tls.key_log = Arc::new(rustls::KeyLogFile::new());
    Ok(quinn::ClientConfig::new(Arc::new(
        QuicClientConfig::with_initial(Arc::new(tls), initial)?,
    )))
}

fn transport(small_windows: bool, early_data: bool) -> quinn::TransportConfig {
    let mut transport = quinn::TransportConfig::default();
    transport.max_idle_timeout(PATIENCE.try_into().ok());
    if small_windows {
        transport
            .receive_window((128u32 << 10).into())
            .stream_receive_window((64u32 << 10).into());
    }
    if early_data {
        // Its probes are 1-RTT packets, and the case counts these.
        transport.mtu_discovery_config(None);
    }
    transport
}

async fn fetch_all(connection: &Connection, urls: &[&str], folder: &Path) -> Result<()> {
    let mut running = tokio::task::JoinSet::new();
    for url in urls {
        let name = url.rsplit('/').next().unwrap_or_default().to_owned();
        let (connection, target) = (connection.clone(), folder.join(&name));
        running.spawn(async move {
            let (mut send, mut receive) = connection.open_bi().await?;
            send.write_all(format!("GET /{name}\r\n").as_bytes())
                .await?;
            send.finish()?;
            tokio::fs::write(target, receive.read_to_end(LARGEST).await?).await?;
            Ok::<(), anyhow::Error>(())
        });
    }
    while let Some(done) = running.join_next().await {
        done??;
    }
    Ok(())
}
