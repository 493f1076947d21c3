//! Plays a case with h3i.

use std::net::SocketAddr;

use h3i::actions::h3::{Action, StreamEvent, StreamEventType, WaitType};
use h3i::client::connection_summary::ConnectionSummary;
use h3i::client::sync_client;
use h3i::config::Config;
use h3i::frame::H3iFrame;
use h3i::quiche::h3::{NameValue, WireErrorCode};
use h3i::quiche::ConnectionError;

use crate::wire::request;
use crate::{Case, Outcome};

/// The request that the server still has to serve after a case that is none of the connection's business.
const PROBE: u64 = 40;

/// Milliseconds after which a server without reaction is given up.
const PATIENCE: u64 = 2000;

/// Plays `case` on a new connection to `server`, which may have any certificate. `path` names something that it serves.
pub fn drive(case: &Case, server: SocketAddr, path: &'static str) -> Result<Outcome, String> {
    let config = Config {
        // Announces no datagrams, whose SETTINGS would be in order otherwise.
        enable_dgram: false,
        ..Config::new()
            .with_host_port(format!("localhost:{}", server.port()))
            .with_connect_to(server.to_string())
            .with_idle_timeout(PATIENCE)
            .verify_peer(false)
    };
    let mut actions = case.send.clone();
    if case.has_an_end() {
        actions.push(until_finished(0));
    }
    actions.extend([request(PROBE, path), until_finished(PROBE), close()]);
    let summary = sync_client::connect(config, actions, None).map_err(|e| format!("{e:?}"))?;
    Ok(judge(&summary))
}

impl Case {
    /// Whether stream 0 has to end. What was stopped has no end for h3i, which does not read it any more.
    fn has_an_end(&self) -> bool {
        if self
            .send
            .iter()
            .any(|action| matches!(action, Action::StopSending { stream_id: 0, .. }))
        {
            return false;
        }
        let expected = self
            .deviation
            .as_ref()
            .map_or(self.demanded[0], |(observed, _)| *observed);
        matches!(expected, Outcome::Reset(_) | Outcome::Answered(_))
    }
}

fn until_finished(stream_id: u64) -> Action {
    let event_type = StreamEventType::Finished;
    WaitType::StreamEvent(StreamEvent {
        stream_id,
        event_type,
    })
    .into()
}

fn close() -> Action {
    Action::ConnectionClose {
        error: ConnectionError {
            is_app: true,
            error_code: WireErrorCode::NoError as u64,
            reason: Vec::new(),
        },
    }
}

fn judge(summary: &ConnectionSummary) -> Outcome {
    if let Some(error) = summary.conn_close_details.peer_error() {
        return match error.is_app {
            true => Outcome::Closed(error.error_code),
            false => Outcome::ClosedByTransport(error.error_code),
        };
    }
    if status(summary, PROBE) != Some(200) {
        return Outcome::Silent;
    }
    let reset = summary
        .stream_map
        .stream(0)
        .into_iter()
        .find_map(|frame| match frame {
            H3iFrame::ResetStream(reset) => Some(reset.error_code),
            _ => None,
        });
    match (reset, status(summary, 0)) {
        (Some(code), _) => Outcome::Reset(code),
        (None, Some(status)) => Outcome::Answered(status),
        (None, None) => Outcome::Tolerated,
    }
}

fn status(summary: &ConnectionSummary, stream: u64) -> Option<u16> {
    let sections = summary.stream_map.headers_on_stream(stream);
    let field = sections
        .iter()
        .flat_map(|section| section.headers())
        .find(|field| field.name() == b":status")?;
    std::str::from_utf8(field.value()).ok()?.parse().ok()
}
