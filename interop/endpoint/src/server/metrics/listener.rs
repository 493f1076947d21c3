//! Answers HTTP/1.1 requests for figures and health.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use hyper::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::health::Verdict;
use super::Told;

/// Who asks at the same time; others wait.
const MOST_CLIENTS: usize = 16;

/// From connecting to the end of the answer.
const LONGEST_VISIT: Duration = Duration::from_secs(10);

/// From connecting to the end of the request.
const LONGEST_REQUEST: Duration = Duration::from_secs(2);

/// Until the next try after a connection could not be accepted, as where no descriptor is left.
const PAUSE: Duration = Duration::from_millis(100);

/// Bytes of a request.
const LARGEST_REQUEST: usize = 8192;

/// Of the OpenMetrics specification, version 1.0.0.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const PLAIN: &str = "text/plain; charset=utf-8";

/// A thread that answers.
pub struct Listener {
    address: SocketAddr,
}

impl Listener {
    /// Starts it. It ends with the process.
    pub fn start(address: SocketAddr, told: Told) -> io::Result<Self> {
        let fails = |e: io::Error| {
            io::Error::new(e.kind(), format!("cannot tell metrics on {address}: {e}"))
        };
        let socket = std::net::TcpListener::bind(address).map_err(fails)?;
        socket.set_nonblocking(true)?;
        let address = socket.local_addr()?;
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        thread::Builder::new()
            .name("metrics".to_owned())
            .spawn(move || runtime.block_on(serve(socket, told.into())))?;
        Ok(Self { address })
    }

    /// Where it answers.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn serve(socket: std::net::TcpListener, told: Arc<Told>) {
    let listener = match TcpListener::from_std(socket) {
        Ok(listener) => listener,
        Err(e) => return log::error!("no metrics: {e}"),
    };
    let places = Arc::new(Semaphore::new(MOST_CLIENTS));
    while let Ok(place) = places.clone().acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let told = told.clone();
                tokio::spawn(async move {
                    // One who takes too long has had his time.
                    let _ = timeout(LONGEST_VISIT, visit(stream, &told)).await;
                    drop(place);
                });
            }
            Err(e) => {
                log::debug!("no metrics for one who asked: {e}");
                sleep(PAUSE).await;
            }
        }
    }
}

async fn visit(stream: TcpStream, told: &Told) {
    let service = service_fn(|request: Request<Incoming>| async move {
        Ok::<_, Infallible>(answer(told, request.method(), request.uri().path()))
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(LONGEST_REQUEST)
        .keep_alive(false)
        .max_buf_size(LARGEST_REQUEST)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(e) = served {
        log::debug!("metrics: {e}");
    }
}

fn answer(told: &Told, method: &Method, path: &str) -> Response<String> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut refused = text(StatusCode::METHOD_NOT_ALLOWED, "allowed: GET and HEAD\n");
        let allowed = hyper::header::HeaderValue::from_static("GET, HEAD");
        refused.headers_mut().insert(ALLOW, allowed);
        return refused;
    }
    match path {
        "/metrics" => match told.figures() {
            Ok(figures) => response(StatusCode::OK, OPEN_METRICS, figures),
            Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "no figures\n"),
        },
        "/health" => {
            let verdict = told.pulses.verdict(Instant::now());
            let status = match verdict {
                Verdict::Serving => StatusCode::OK,
                Verdict::Draining | Verdict::Stalled => StatusCode::SERVICE_UNAVAILABLE,
            };
            text(status, &format!("{}\n", verdict.name()))
        }
        _ => text(StatusCode::NOT_FOUND, "here are /metrics and /health\n"),
    }
}

fn text(status: StatusCode, text: &str) -> Response<String> {
    response(status, PLAIN, text.to_owned())
}

fn response(status: StatusCode, kind: &'static str, body: String) -> Response<String> {
    let built = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, kind)
        .header(CACHE_CONTROL, "no-store")
        .body(body);
    built.expect("these headers are valid")
}
