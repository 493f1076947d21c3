//! What all controllers write into a trace alike. `docs/qlog.md` defines the fields.

use std::time::Duration;

use crate::controller::{Event, Start, Value};
use crate::units::{Bytes, Rate};

/// The values that `cc:parameters_set` tells besides the parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathLimits {
    /// Full size of a packet.
    pub max_datagram_size: Bytes,
    /// The initial window, in packets.
    pub initial_window_packets: u64,
    /// Cap on the reported ACK delay; nobody knows one before the first feedback.
    pub max_ack_delay: Option<Duration>,
}

impl PathLimits {
    /// Before the handshake has told more.
    pub fn new(start: Start) -> Self {
        Self {
            max_datagram_size: start.max_datagram_size,
            initial_window_packets: start.initial_window_packets,
            max_ack_delay: None,
        }
    }
}

/// A duration in ms.
pub fn millis(duration: Duration) -> Value {
    Value::Number(duration.as_secs_f64() * 1e3)
}

/// A duration in ms, if it is not derived from the path.
pub fn millis_or_auto(duration: Option<Duration>) -> Value {
    duration.map_or_else(|| word("auto"), millis)
}

/// A word.
pub fn word(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// A rate in bit/s.
pub fn rate_or_auto(rate: Option<Rate>) -> Value {
    rate.map_or_else(|| word("auto"), |rate| Value::Number(rate.bps()))
}

/// A quantity, if there is one.
pub fn number_or_null(number: Option<f64>) -> Value {
    number.map_or(Value::Null, Value::Number)
}

/// `cc:parameters_set`
pub fn parameters_set(
    controller: &str,
    spec: &str,
    limits: PathLimits,
    parameters: Vec<(&'static str, Value)>,
) -> Event {
    Event {
        name: "parameters_set",
        fields: vec![
            ("controller", word(controller)),
            ("spec", word(spec)),
            (
                "max_datagram_size",
                Value::Count(limits.max_datagram_size.0),
            ),
            (
                "initial_window",
                Value::Count(limits.initial_window_packets),
            ),
            (
                "max_ack_delay",
                millis(limits.max_ack_delay.unwrap_or_default()),
            ),
            ("parameters", Value::Map(parameters)),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> PathLimits {
        PathLimits::new(Start {
            initial_window_packets: 32,
            max_datagram_size: Bytes(1250),
            initial_rtt: Duration::from_millis(333),
        })
    }

    #[test]
    fn the_parameters_tell_the_initial_window_that_was_configured() {
        let event = parameters_set("hybrid", "hybrid", limits(), Vec::new());
        assert!(event.fields.contains(&("initial_window", Value::Count(32))));
    }
}
