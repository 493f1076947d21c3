//! What can be measured in a run, by name, with its unit.

use serde::{Deserialize, Serialize};

use super::value::Unit;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Quantity {
    /// Bit/s that applications read.
    Goodput,
    /// Bit/s of UDP payload that arrived, or that left a link.
    Throughput,
    /// Bit/s of UDP payload that servers sent.
    SendingRate,
    /// Time in queues, of packets that arrived.
    QueueingDelay,
    /// From server to client, of packets that arrived.
    OneWayDelay,
    /// From the request of a page to its end.
    CompletionTime,
    /// The same of units of audio beside live video.
    AudioDelay,
    /// Share of the time in which live video was frozen.
    FrozenShare,
    /// Mean rate of the rungs of live video.
    EncodedRate,
    /// The sender's smoothed round-trip time.
    Rtt,
    /// The sender's congestion window.
    Window,
    /// The same in full packets.
    WindowPackets,
    /// The sender's congestion window over its smoothed round-trip time, in bit/s.
    WindowRate,
    /// Lost packets as a share of all.
    Loss,
    /// Lost packets.
    Losses,
    /// Packets marked congestion experienced, as a share of those that arrived.
    Marks,
    /// The longest time in which nothing arrived.
    Silence,
    /// Jain's index of the flows' throughput.
    Jain,
    /// The smallest throughput of a flow over the mean of all.
    SmallestShare,
    /// The largest throughput of a flow over the mean of all.
    LargestShare,
    /// The largest throughput of a flow over the smallest.
    ShareRatio,
    /// From the beginning of the window until shares are equal and stay so.
    ConvergenceTime,
    /// From the beginning of the window until the rate stays near what it is at the end.
    SettlingTime,
    /// Share of the time in which a link sends.
    Utilisation,
    /// Packets that wait at a link, over time.
    Queue,
}

/// To whom a quantity belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// To flows.
    Flows,
    /// To a link.
    Link,
    /// To both, by which is named.
    Either,
}

/// Whether a quantity is one number or many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One number per window.
    Number,
    /// Many samples: a reduction has to say what of them.
    Samples,
    /// One number per window, or with a reduction one per bin of it.
    Bins,
}

/// What is said about many samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Reduction {
    /// Arithmetic mean.
    Mean,
    /// Standard deviation.
    Sd,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// This percentile.
    Percentile(f64),
}

use Quantity as Q;

/// Name, quantity, whose it is, its unit, its shape.
const QUANTITIES: [(&str, Quantity, Subject, Unit, Shape); 25] = [
    (
        "goodput",
        Q::Goodput,
        Subject::Flows,
        Unit::Rate,
        Shape::Bins,
    ),
    (
        "throughput",
        Q::Throughput,
        Subject::Either,
        Unit::Rate,
        Shape::Bins,
    ),
    (
        "sending_rate",
        Q::SendingRate,
        Subject::Flows,
        Unit::Rate,
        Shape::Bins,
    ),
    (
        "queueing_delay",
        Q::QueueingDelay,
        Subject::Flows,
        Unit::Time,
        Shape::Samples,
    ),
    (
        "one_way_delay",
        Q::OneWayDelay,
        Subject::Flows,
        Unit::Time,
        Shape::Samples,
    ),
    (
        "completion_time",
        Q::CompletionTime,
        Subject::Flows,
        Unit::Time,
        Shape::Samples,
    ),
    (
        "audio_delay",
        Q::AudioDelay,
        Subject::Flows,
        Unit::Time,
        Shape::Samples,
    ),
    (
        "frozen_share",
        Q::FrozenShare,
        Subject::Flows,
        Unit::Share,
        Shape::Number,
    ),
    (
        "encoded_rate",
        Q::EncodedRate,
        Subject::Flows,
        Unit::Rate,
        Shape::Number,
    ),
    ("rtt", Q::Rtt, Subject::Flows, Unit::Time, Shape::Samples),
    (
        "window",
        Q::Window,
        Subject::Flows,
        Unit::Bytes,
        Shape::Samples,
    ),
    (
        "window_packets",
        Q::WindowPackets,
        Subject::Flows,
        Unit::Packets,
        Shape::Samples,
    ),
    (
        "window_rate",
        Q::WindowRate,
        Subject::Flows,
        Unit::Rate,
        Shape::Samples,
    ),
    ("loss", Q::Loss, Subject::Either, Unit::Share, Shape::Number),
    (
        "losses",
        Q::Losses,
        Subject::Either,
        Unit::Packets,
        Shape::Number,
    ),
    (
        "marks",
        Q::Marks,
        Subject::Either,
        Unit::Share,
        Shape::Number,
    ),
    (
        "silence",
        Q::Silence,
        Subject::Flows,
        Unit::Time,
        Shape::Number,
    ),
    ("jain", Q::Jain, Subject::Flows, Unit::Number, Shape::Bins),
    (
        "smallest_share",
        Q::SmallestShare,
        Subject::Flows,
        Unit::Number,
        Shape::Bins,
    ),
    (
        "largest_share",
        Q::LargestShare,
        Subject::Flows,
        Unit::Number,
        Shape::Bins,
    ),
    (
        "share_ratio",
        Q::ShareRatio,
        Subject::Flows,
        Unit::Number,
        Shape::Bins,
    ),
    (
        "convergence_time",
        Q::ConvergenceTime,
        Subject::Flows,
        Unit::Time,
        Shape::Number,
    ),
    (
        "settling_time",
        Q::SettlingTime,
        Subject::Flows,
        Unit::Time,
        Shape::Number,
    ),
    (
        "utilisation",
        Q::Utilisation,
        Subject::Link,
        Unit::Share,
        Shape::Number,
    ),
    (
        "queue",
        Q::Queue,
        Subject::Link,
        Unit::Packets,
        Shape::Samples,
    ),
];

/// What reductions may look like.
pub const REDUCTIONS: &str = "mean, sd, min, max and percentiles p1 to p99";

impl Quantity {
    /// By its name.
    ///
    /// # Errors
    /// What is allowed.
    pub fn parse(name: &str) -> Result<Self, String> {
        let found = QUANTITIES.iter().find(|(known, ..)| *known == name);
        found.map(|(_, quantity, ..)| *quantity).ok_or_else(|| {
            let names: Vec<_> = QUANTITIES.iter().map(|(name, ..)| *name).collect();
            format!(
                "`{name}` is nothing that is measured; there are {}",
                names.join(", ")
            )
        })
    }

    fn row(self) -> (Subject, Unit, Shape) {
        let row = QUANTITIES
            .iter()
            .find(|(_, quantity, ..)| *quantity == self);
        let (_, _, subject, unit, shape) = row.expect("every quantity has its row");
        (*subject, *unit, *shape)
    }

    /// Whose it is.
    pub fn subject(self) -> Subject {
        self.row().0
    }

    /// Its unit.
    pub fn unit(self) -> Unit {
        self.row().1
    }

    /// Whether it says how throughput is shared.
    pub fn is_of_shares(self) -> bool {
        matches!(
            self,
            Self::Jain | Self::SmallestShare | Self::LargestShare | Self::ShareRatio
        )
    }

    /// What it means if there is no number.
    pub fn absent(self) -> &'static str {
        match self {
            Self::ConvergenceTime | Self::SettlingTime => "never",
            _ => "nothing to measure",
        }
    }

    /// See [`Shape`].
    pub fn shape(self) -> Shape {
        self.row().2
    }
}

impl Reduction {
    /// `mean`, `sd`, `min`, `max` or `p95`.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "mean" => Self::Mean,
            "sd" => Self::Sd,
            "min" => Self::Min,
            "max" => Self::Max,
            _ => {
                let percent: u8 = name.strip_prefix('p')?.parse().ok()?;
                (1..=99)
                    .contains(&percent)
                    .then_some(Self::Percentile(percent.into()))?
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_rows_agree() {
        for (name, quantity, subject, unit, shape) in QUANTITIES {
            assert_eq!(Quantity::parse(name), Ok(quantity));
            assert_eq!(quantity.row(), (subject, unit, shape), "{name}");
        }
        let error = Quantity::parse("speed").unwrap_err();
        assert!(
            error.contains("`speed`") && error.contains("queueing_delay"),
            "{error}"
        );
    }

    #[test]
    fn percentiles_are_whole_and_between_the_ends() {
        assert_eq!(Reduction::parse("p95"), Some(Reduction::Percentile(95.0)));
        for wrong in ["p0", "p100", "p", "p9.5", "median", ""] {
            assert_eq!(Reduction::parse(wrong), None, "{wrong}");
        }
    }
}
