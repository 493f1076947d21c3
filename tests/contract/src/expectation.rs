//! What is expected of whom. Everybody is held to every law; where an entry differs, it stands here with
//! the reason, and nowhere else.

use std::fmt;
use std::time::Duration;

use crate::{subjects, Subject};

/// A promise that every controller makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    /// The window is at least two packets.
    WindowFloor,
    /// The window is no larger than what was earned or a path can carry.
    WindowCeiling,
    /// Rates are finite numbers above zero, and never so low that nothing is heard any more.
    Rates,
    /// Little leaves unpaced.
    Bursts,
    /// A decision changes only where the trait says so.
    Stability,
    /// There is a state; events end, and a trace can hold them.
    Events,
    /// On any path it gets on at least as well as the initial window would, or fills it.
    Progress,
    /// The mean queue stays below what [`mean_queue`] says.
    Queue,
    /// Two flows of one controller share, whoever came first.
    Sharing,
    /// After idle there is no burst, and the rate comes back.
    Idle,
    /// Packets that overtake each other do not stop it.
    Reordering,
    /// Nor does a receiver's clock that is set,
    ClockStep,
    /// even while nothing is sent,
    ClockStepInIdle,
    /// or that drifts.
    ClockDrift,
    /// The offset of the receiver's clock means nothing at all.
    ClockOffset,
    /// Little is sent into an outage, and afterwards the rate comes back.
    Outage,
    /// The same for ACKs only.
    ReturnOutage,
    /// ACKs in bunches do not stop it.
    Aggregation,
    /// Lies about receive timestamps gain nothing, and starve nobody.
    LiesAboutTimes,
    /// Nor do they take from an honest flow beside.
    LiesBeside,
    /// Lies about marks starve nobody.
    LiesAboutMarks,
    /// A window that is not used does not grow without bound, and the rate is usable afterwards.
    AppLimited,
    /// A new path is as good as a first one.
    Migration,
    /// Another packet size changes little.
    PacketSize,
    /// A path that is slower by a factor all over is shared alike, only slower.
    Scaling,
}

/// An entry that does not keep a law.
#[derive(Debug, Clone, Copy)]
pub struct Exception {
    /// The entry's name.
    pub name: &'static str,
    /// Its profile; `None` for all.
    pub profile: Option<&'static str>,
    /// What it does not keep.
    pub law: Law,
    /// Whether it is meant to be so, or to be repaired.
    pub why: Why,
}

/// Why an entry does not keep a law.
#[derive(Debug, Clone, Copy)]
pub enum Why {
    /// By its design, for this reason.
    Design(&'static str),
    /// It is a fault, which is known.
    Pending(&'static str),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Design(reason) => write!(f, "by design: {reason}"),
            Why::Pending(reason) => write!(f, "pending: {reason}"),
        }
    }
}

/// Every exception there is.
pub const EXCEPTIONS: &[Exception] = &[
    Exception {
        name: "hybrid",
        profile: Some("paper"),
        law: Law::LiesBeside,
        why: Why::Pending(
            "once found out the liar is measured by ACK arrivals, and a flow so measured takes two thirds of the path \
             beside one that is measured by receive timestamps",
        ),
    },
    Exception {
        name: "hybrid",
        profile: None,
        law: Law::Scaling,
        why: Why::Design("the delay thresholds d0 to d3 are times"),
    },
    Exception {
        name: "vegas",
        profile: Some("paper"),
        law: Law::Idle,
        why: Why::Design("the paper does not space packets; a window after idle is a burst"),
    },
    Exception {
        name: "smallq",
        profile: Some("paper"),
        law: Law::Idle,
        why: Why::Design("the paper does not space packets; a window after idle is a burst"),
    },
    Exception {
        name: "vegas",
        profile: Some("paper"),
        law: Law::Aggregation,
        why: Why::Design("windows that are not spaced leave and return with the bunches, whose wait is in every RTT"),
    },
    Exception {
        name: "rrr",
        profile: Some("paper"),
        law: Law::Progress,
        why: Why::Design("the paper has no start-up: from 1.6 Mbit/s the rate grows by XT^2 / X per round trip"),
    },
    Exception {
        name: "rrr",
        profile: Some("paper"),
        law: Law::LiesBeside,
        why: Why::Design(
            "the paper's XT is for 10 Mbit/s; below it any flow may lose half of its packets, and shares are whatever they \
             were, with honest receivers as well",
        ),
    },
    Exception {
        name: "rrr",
        profile: Some("paper"),
        law: Law::Scaling,
        why: Why::Design("XT and the initial rate are rates, qmax is a time"),
    },
    Exception {
        name: "rrr",
        profile: Some("paper"),
        law: Law::Sharing,
        why: Why::Design("the paper's XT is for 10 Mbit/s; on 1 Mbit/s pT is at its bound for all, whatever their shares"),
    },
    Exception {
        name: "rrr",
        profile: None,
        law: Law::LiesBeside,
        why: Why::Pending("shares are unequal beside an honest flow as well, see Sharing"),
    },
    Exception {
        name: "raimd",
        profile: Some("paper"),
        law: Law::Outage,
        why: Why::Design("the paper has no start-up: from what an outage leaves the rate grows by 2 packets/s per round trip"),
    },
    Exception {
        name: "raimd",
        profile: Some("paper"),
        law: Law::Scaling,
        why: Why::Design("the increase is a number of packets per second"),
    },
    Exception {
        name: "raimd",
        profile: Some("default"),
        law: Law::Scaling,
        why: Why::Pending("a fifth more queue on a path that is twice as slow, for a reason that is not known"),
    },
];

/// Whether `spec` is excused from `law`, and why.
pub fn excuse(spec: &str, law: Law) -> Option<Why> {
    let (name, profile) = spec.split_once(':').unwrap_or((spec, ""));
    EXCEPTIONS
        .iter()
        .find(|exception| {
            exception.name == name
                && exception.law == law
                && exception.profile.is_none_or(|p| p == profile)
        })
        .map(|exception| exception.why)
}

/// Mean queueing delays that entries promise on a path of [`crate::path`] where they are alone. Who is not in it may fill
/// the buffer.
const MEAN_QUEUES: &[(&str, Duration)] = &[
    // Below d2, where zone 3 begins.
    ("hybrid", Duration::from_millis(24)),
];

/// The mean queueing delay that `name` promises, if any.
pub fn mean_queue(name: &str) -> Option<Duration> {
    let promise = MEAN_QUEUES.iter().find(|(entry, _)| *entry == name);
    promise.map(|(_, delay)| *delay)
}

/// Holds everybody to `law`, who is not excused, and reports all who break it.
///
/// # Panics
///
/// If somebody does.
pub fn everybody(law: Law, check: impl Fn(&Subject) -> Result<(), String>) {
    let mut broken = Vec::new();
    for subject in subjects() {
        match (check(&subject), excuse(&subject.spec, law)) {
            (Ok(()), None) => {}
            (Ok(()), Some(why)) => println!("{subject:?} keeps {law:?} although excused ({why})"),
            (Err(how), Some(why)) => println!("{subject:?} breaks {law:?}: {how}; {why}"),
            (Err(how), None) => broken.push(format!("{subject:?}: {how}")),
        }
    }
    assert!(
        broken.is_empty(),
        "{law:?} is broken:\n{}",
        broken.join("\n")
    );
}

/// `Err` with `how` unless it `holds`.
///
/// # Errors
///
/// As said.
pub fn ensure(holds: bool, how: impl FnOnce() -> String) -> Result<(), String> {
    if holds {
        Ok(())
    } else {
        Err(how())
    }
}
