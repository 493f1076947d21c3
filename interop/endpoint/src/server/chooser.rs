//! Lets the rules decide while a ClientHello is read, and once more at the first request.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use boring::ssl::{ClientHello, NameType, SslContextBuilder};
use qlog::events::{EventImportance, JsonEvent};

use super::rules::{Choice, Facts, Rules};
use crate::connection::Connection;

/// Chooses the controllers of connections.
///
/// quiche takes another controller from BoringSSL's callback only, which runs while `recv` reads
/// the datagram that completes the ClientHello, before anything in flight is sent. The callback does
/// not know the connection: who is read from is put down before ([`Chooser::expect`]), and what was
/// chosen is asked for afterwards ([`Chooser::take`]).
pub struct Chooser {
    rules: Arc<Rules>,
    turn: Arc<Mutex<Turn>>,
}

/// The connection whose datagram is being read.
struct Turn {
    client: IpAddr,
    draw: u64,
    chosen: Option<Choice>,
}

impl Chooser {
    pub fn new(rules: Arc<Rules>) -> Self {
        let turn = Turn {
            client: Ipv4Addr::UNSPECIFIED.into(),
            draw: 0,
            chosen: None,
        };
        Self {
            rules,
            turn: Arc::new(Mutex::new(turn)),
        }
    }

    /// The same with other rules, for new connections. Those whose ClientHello is not complete yet
    /// stay with the old ones, and are told in the same way what these chose.
    pub fn with_rules(&self, rules: Arc<Rules>) -> Self {
        Self {
            rules,
            turn: self.turn.clone(),
        }
    }

    /// Shows the connections made with `tls` to the rules.
    pub fn watch(&self, tls: &mut SslContextBuilder) {
        if self.rules.is_empty() {
            return;
        }
        let (rules, turn) = (self.rules.clone(), self.turn.clone());
        tls.set_select_certificate_callback(move |hello| {
            let mut turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            turn.chosen = choose(&rules, &turn, hello);
            Ok(())
        });
    }

    /// Sets what connections start with until their ClientHello is complete. A trace names the
    /// events of controllers in its header, before one is chosen; so it is one that has events, if
    /// there is any.
    pub fn prepare(&self, config: &mut quiche::Config) -> quiche::Result<()> {
        match self.rules.controllers().find(|cc| cc.is_ours()) {
            Some(cc) => cc.apply(config),
            None => Ok(()),
        }
    }

    /// Says whose datagram is read next, and what was drawn for that connection.
    pub fn expect(&self, client: IpAddr, draw: u64) {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        *turn = Turn {
            client,
            draw,
            chosen: None,
        };
    }

    /// Drops what was chosen for a connection that nobody has.
    pub fn forget(&self) {
        self.expect(Ipv4Addr::UNSPECIFIED.into(), 0);
    }

    /// What was chosen while it was read; nothing if its ClientHello was not completed by it.
    pub fn take(&self) -> Option<Choice> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        turn.chosen.take()
    }

    /// Lets the path of a connection's first request decide. Returns the choice if it is another
    /// one than `now`, which it replaced.
    pub fn on_first_request(
        &self,
        conn: &mut Connection,
        path: &str,
        draw: u64,
        now: &Choice,
    ) -> Option<Choice> {
        if !self.rules.have_paths() {
            return None;
        }
        let host = conn.server_name().map(str::to_owned);
        let client = conn.path_stats().find(|path| path.active)?.peer_addr.ip();
        let choice = self.rules.choose(&Facts {
            client,
            host: host.as_deref(),
            path: Some(path),
            draw,
        });
        if choice == *now {
            return None;
        }
        if choice.cc != now.cc {
            if let Err(e) = choice.cc.replace(conn) {
                log::warn!("{} cannot replace {}: {e}", choice.cc, now.cc);
                return None;
            }
        }
        choice.record(conn);
        Some(choice)
    }

    /// What a connection without rules has.
    pub fn fallback(&self) -> Choice {
        self.rules.fallback()
    }

    /// The controller that is used unless a rule matches.
    pub fn default(&self) -> String {
        self.fallback().cc.to_string()
    }

    /// Default and number of rules, for people.
    pub fn describe(&self) -> String {
        match self.rules.len() {
            0 => self.default(),
            count => format!(
                "{}, unless one of {count} rules chooses another",
                self.default()
            ),
        }
    }
}

fn choose(rules: &Rules, turn: &Turn, mut hello: ClientHello<'_>) -> Option<Choice> {
    let host = hello.servername(NameType::HOST_NAME).map(str::to_owned);
    let choice = rules.choose(&Facts {
        client: turn.client,
        host: host.as_deref(),
        path: None,
        draw: turn.draw,
    });
    match choice.cc.apply_in_handshake(hello.ssl_mut()) {
        Ok(()) => Some(choice),
        Err(e) => {
            log::warn!("{} cannot be used: {e}", choice.cc);
            None
        }
    }
}

impl Choice {
    /// Writes the choice to the trace of the connection.
    pub fn record(&self, conn: &mut Connection) {
        let rule = self.rule.as_deref().unwrap_or("default");
        log::debug!("{} has {} by rule {rule}", conn.trace_id(), self.cc);
        let host = conn.server_name().map(str::to_owned);
        let Some(trace) = conn.qlog_streamer() else {
            return;
        };
        let event = JsonEvent {
            time: 0.0,
            importance: EventImportance::Core,
            name: "cc:controller_chosen".to_owned(),
            data: serde_json::json!({
                "spec": self.cc.as_str(),
                "rule": self.rule,
                "server_name": host,
            }),
        };
        trace.add_event_with_instant(event, Instant::now()).ok();
    }
}
