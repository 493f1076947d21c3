//! Whether marks can be expected on this path.

use crate::feedback::{Feedback, Space};
use crate::measure::round::Round;

/// Packets acknowledged without any count that show that there will be none. quiche marks ten
/// before it waits for the first counts (RFC 9000, appendix A.4), so as many without an answer are
/// all that it has tried with.
const EVIDENCE: u64 = 10;

/// What is known of ECN on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcnState {
    /// Nothing yet.
    Testing,
    /// Counts come back.
    Capable,
    /// Packets are acknowledged without them: the path bleaches, or the peer, the application or
    /// the operating system doesn't take part.
    Unavailable,
}

impl EcnState {
    /// The name in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            EcnState::Testing => "testing",
            EcnState::Capable => "capable",
            EcnState::Unavailable => "unavailable",
        }
    }
}

/// Watches whether ECN counts come back.
///
/// Against ECN speak only 1-RTT packets, as there are peers that report none during the handshake,
/// and only those sent after counts last came: before the first counts quiche leaves packets
/// unmarked, and one ACK with counts may be followed by others without, that were reordered. For
/// ECN speak counts at any time, so the verdict is never final.
#[derive(Debug)]
pub struct EcnWatch {
    state: EcnState,
    counted: Round,
    unanswered: u64,
}

impl EcnWatch {
    /// Nothing known.
    pub fn new() -> Self {
        Self {
            state: EcnState::Testing,
            counted: Round::default(),
            unanswered: 0,
        }
    }

    /// What is known.
    pub fn state(&self) -> EcnState {
        self.state
    }

    /// Looks at the counts in `feedback`.
    pub fn record(&mut self, feedback: &Feedback<'_>) {
        if feedback.ecn_ect > 0 || feedback.ecn_ce > 0 {
            self.state = EcnState::Capable;
            self.counted.begin(feedback.now);
            self.unanswered = 0;
        } else if feedback.space == Space::Application {
            let later = feedback.acked.iter();
            let later = later.filter(|packet| self.counted.shows(packet.sent));
            self.unanswered += later.count() as u64;
            if self.unanswered >= EVIDENCE {
                self.state = EcnState::Unavailable;
            }
        }
    }
}
