//! What a source of data may count on: a rate for its encoder, and how far that is known.
//!
//! `docs/estimate.md` says what each controller knows of it, and how far it was off where it was
//! measured.

use std::time::Duration;

use crate::units::Rate;

/// A change of the target by a larger share than this is worth telling.
const WORTH_TELLING: f64 = 0.05;

/// What a flow does, as far as it matters to its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The path has not shown yet what it carries.
    Startup,
    /// It has, and the rate follows it.
    Steady,
    /// Competing flows keep a queue; a share is held beside them.
    Contended,
    /// The path carried nothing for a while, and nothing is known of it since.
    Interrupted,
}

impl State {
    /// The name in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Startup => "startup",
            State::Steady => "steady",
            State::Contended => "contended",
            State::Interrupted => "interrupted",
        }
    }
}

/// An estimate. Rates are those of whole QUIC packets, so headers, acknowledgements and repairs
/// have to fit in as well; what nobody knows is none. Where they are known,
/// `least <= target <= most`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Estimate {
    /// What the source may send now without a queue of its own.
    pub target: Option<Rate>,
    /// What has arrived recently, at most the target: the lower end of the interval.
    pub least: Option<Rate>,
    /// What the path does not carry more than, as far as evidence goes: its upper end.
    pub most: Option<Rate>,
    /// Time that a packet waits in the queue of the slowest link.
    pub queueing_delay: Option<Duration>,
    /// What the flow does.
    pub state: Option<State>,
    /// How long ago it ended that the rate was really tried.
    pub evidence_age: Option<Duration>,
}

impl Estimate {
    /// Whether it differs so much from one that was told that it is worth telling: another state,
    /// or a target that has come, gone, or moved by more than a twentieth.
    pub fn is_news_after(&self, told: &Estimate) -> bool {
        let moved = match (self.target, told.target) {
            (Some(now), Some(then)) => (now.bps() - then.bps()).abs() > WORTH_TELLING * then.bps(),
            (now, then) => now.is_some() != then.is_some(),
        };
        moved || self.state != told.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(target: Option<f64>, state: State) -> Estimate {
        Estimate {
            target: target.map(Rate::from_bps),
            state: Some(state),
            ..Estimate::default()
        }
    }

    #[test]
    fn news_are_another_state_and_a_target_that_has_moved_by_a_twentieth() {
        let told = of(Some(1e6), State::Steady);
        assert!(!told.is_news_after(&told));
        assert!(!of(Some(1.05e6), State::Steady).is_news_after(&told));
        assert!(of(Some(1.06e6), State::Steady).is_news_after(&told));
        assert!(of(Some(0.94e6), State::Steady).is_news_after(&told));
        assert!(of(None, State::Steady).is_news_after(&told));
        assert!(of(Some(1e6), State::Contended).is_news_after(&told));
        assert!(told.is_news_after(&Estimate::default()));
        let aged = Estimate {
            evidence_age: Some(Duration::from_secs(1)),
            ..told
        };
        assert!(!aged.is_news_after(&told));
    }

    #[test]
    fn states_have_the_names_that_readers_of_traces_know() {
        let all = [
            State::Startup,
            State::Steady,
            State::Contended,
            State::Interrupted,
        ];
        // docs/qlog.md, `cc:estimate_updated`.
        let named = ["startup", "steady", "contended", "interrupted"];
        assert_eq!(all.map(State::as_str), named);
    }
}
