//! An HTTP/3 server on tokio-quiche, as it is published. Its congestion controller is chosen by
//! `QuicSettings::cc_algorithm`, as with any other; ours become known by one call.

mod body;

use std::net::SocketAddr;

use clap::Parser;
use futures::StreamExt;
use tokio::net::UdpSocket;
use tokio_quiche::http3::driver::{IncomingH3Headers, ServerEventStream, ServerH3Event};
use tokio_quiche::http3::settings::Http3Settings;
use tokio_quiche::metrics::DefaultMetrics;
use tokio_quiche::quiche::h3::NameValue;
use tokio_quiche::settings::{CertificateKind, Hooks, QuicSettings, TlsCertificatePaths};
use tokio_quiche::{listen, ConnectionParams, QuicResult, ServerH3Driver};

/// Serves as many bytes as the path says: /1000000. Writes one JSON line when it is ready.
#[derive(Parser)]
struct Args {
    /// Address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4433")]
    listen: SocketAddr,

    /// Certificate chain in PEM
    #[arg(long, value_name = "FILE")]
    cert: String,

    /// Private key in PEM
    #[arg(long, value_name = "FILE")]
    key: String,

    /// Congestion controller, with options after a colon
    #[arg(long, value_name = "NAME[:OPTIONS]", default_value = "hybrid", value_parser = known)]
    cc_algorithm: String,

    /// Directory for qlog traces, which has to exist
    #[arg(long, value_name = "DIR")]
    qlog_dir: Option<String>,
}

/// `listen` would refuse the same, without saying what is wrong.
fn known(cc_algorithm: &str) -> Result<String, quiche_cc::SpecError> {
    quiche_cc::parse(cc_algorithm).map(|algorithm| algorithm.to_string())
}

#[tokio::main]
async fn main() -> QuicResult<()> {
    quiche_cc::register();

    let args = Args::parse();
    let mut settings = QuicSettings::default();
    settings.cc_algorithm = args.cc_algorithm;
    // Most controllers decide a rate, which is nothing without a pacer.
    settings.enable_pacing = true;
    settings.qlog_dir = args.qlog_dir;

    let socket = UdpSocket::bind(args.listen).await?;
    let address = socket.local_addr()?;
    let certificate = TlsCertificatePaths {
        cert: &args.cert,
        private_key: &args.key,
        kind: CertificateKind::X509,
    };
    let params = ConnectionParams::new_server(settings, certificate, Hooks::default());
    let mut listeners = listen([socket], params, DefaultMetrics)?;
    println!(r#"{{"event":"ready","addresses":["{address}"]}}"#);

    while let Some(accepted) = listeners[0].next().await {
        // A first packet that was none concerns no other connection.
        let Ok(connection) = accepted else { continue };
        let (driver, mut controller) = ServerH3Driver::new(Http3Settings::default());
        connection.start(driver);
        tokio::spawn(async move { serve(controller.event_receiver_mut()).await });
    }
    Ok(())
}

/// Answers the requests of one connection.
async fn serve(events: &mut ServerEventStream) {
    while let Some(event) = events.recv().await {
        if let ServerH3Event::Headers {
            incoming_headers, ..
        } = event
        {
            tokio::spawn(answer(incoming_headers));
        }
    }
}

async fn answer(mut request: IncomingH3Headers) {
    let path = request
        .headers
        .iter()
        .find(|header| header.name() == b":path");
    let size = path
        .and_then(|path| std::str::from_utf8(path.value()).ok())
        .and_then(|path| path.strip_prefix('/')?.parse::<usize>().ok());
    // Whoever does not want the rest has gone away, which is no error of ours.
    let _ = match size {
        Some(size) => body::send(&mut request.send, "200", size).await,
        None => body::send(&mut request.send, "404", 0).await,
    };
}
