//! The course of one connection, from its first packet to its end.

use std::time::Instant;

use super::access::About;
use super::metrics::{Families, Meter};
use super::rules::Choice;
use crate::connection::{hex, reason_of_end, Connection};
use crate::report::{peer_address, ConnectionReport, RttMeter};

/// When a connection began and ended, and its figures so far.
pub struct Life {
    original_id: Vec<u8>,
    started: Instant,
    /// When it was closed by either side; quiche keeps it for a while to absorb late packets.
    ended: Option<Instant>,
    rtt: RttMeter,
    meter: Meter,
    requests: u64,
}

impl Life {
    /// Of a connection that begins now, for which the client chose this id.
    pub fn new(original_id: Vec<u8>) -> Self {
        Self {
            original_id,
            started: Instant::now(),
            ended: None,
            rtt: RttMeter::default(),
            meter: Meter::default(),
            requests: 0,
        }
    }

    /// To be called before it is served.
    pub fn observe(
        &mut self,
        families: Option<&Families>,
        conn: &Connection,
        choice: &Choice,
        now: Instant,
    ) {
        self.rtt.observe(conn, now);
        if let Some(families) = families {
            self.meter.observe(families, conn, choice.cc.as_str(), now);
        }
    }

    /// To be called after it was.
    pub fn look_for_end(&mut self, conn: &Connection, now: Instant) {
        if self.ended.is_none() && (conn.is_draining() || conn.is_closed()) {
            self.ended = Some(now);
        }
    }

    /// Counts a request, and tells whether it is the first.
    pub fn count_request(&mut self) -> bool {
        self.requests += 1;
        self.requests == 1
    }

    /// The connection counts as open no more.
    pub fn finish(&mut self, families: Option<&Families>, conn: &Connection, choice: &Choice) {
        if let Some(families) = families {
            self.meter.finish(families, conn, choice.cc.as_str());
        }
    }

    /// What the access log says of the connection in every line.
    pub fn about(&self, conn: &Connection, choice: &Choice) -> About {
        About {
            peer: peer_address(conn),
            original_id: hex(&self.original_id),
            cc: choice.cc.to_string(),
            cc_rule: choice.rule.clone(),
            protocol: String::from_utf8_lossy(conn.application_proto()).into_owned(),
        }
    }

    /// Logs the connection's figures and returns them as JSON.
    pub fn summary(&self, conn: &Connection, choice: &Choice) -> serde_json::Value {
        let end = self.ended.unwrap_or_else(Instant::now);
        let cc = choice.cc.as_str();
        let report = ConnectionReport::new(conn, cc, end.duration_since(self.started), &self.rtt);
        let reason = reason_of_end(conn);
        let id = hex(&self.original_id);
        let rule = choice.rule.as_ref();
        let rule = rule.map_or(String::new(), |name| format!(" rule=\"{name}\""));
        log::info!(
            "{id} {} cc={cc}{rule} requests={} sent={} B in {:.2} s loss={:.2} % rtt={} {reason}",
            report.peer,
            self.requests,
            report.bytes_sent,
            report.duration_ms / 1e3,
            report.loss_percent(),
            report.rtt_text(),
        );
        let mut json = serde_json::to_value(&report).expect("a report is plain data");
        json["event"] = "connection_closed".into();
        json["original_id"] = id.into();
        json["cc_rule"] = choice.rule.clone().into();
        json["requests"] = self.requests.into();
        json["established"] = conn.is_established().into();
        json["reason"] = reason.into();
        json
    }
}
