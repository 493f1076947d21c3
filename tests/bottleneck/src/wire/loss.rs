//! Random loss.

use std::fmt;
use std::str::FromStr;

use super::Wire;
use crate::units::Params;
use crate::{ParseError, Probability, Stream, Time};

const ALLOWED: &str =
    "a probability (1%) for independent losses, or ge:p=1%,r=25%,good=0%,bad=100% for bursts \
    (p and r not both 0%)";

/// Loss that has nothing to do with congestion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Loss {
    /// `1%`: each packet independently.
    Independent(Probability),
    /// `ge:p=1%,r=25%,good=0%,bad=100%`: in bursts.
    Bursts(GilbertElliott),
}

/// Gilbert's and Elliott's model of bursty loss (Gilbert 1960, Elliott 1963): a channel that is good or bad, and
/// changes its state before each packet.
///
/// Packets are lost at the rate (p bad + r good) / (p + r) in the long run, and a bad time lasts 1 / r packets on
/// average, which is the mean length of a burst if `bad` is 100 % and `good` is 0 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GilbertElliott {
    /// From good to bad, per packet.
    pub p: Probability,
    /// From bad to good, per packet.
    pub r: Probability,
    /// Loss while good.
    pub good: Probability,
    /// Loss while bad.
    pub bad: Probability,
}

impl Default for Loss {
    fn default() -> Self {
        Self::Independent(Probability::ZERO)
    }
}

impl Loss {
    /// The wire that loses packets so, and delays none.
    pub fn build(self) -> Box<dyn Wire> {
        match self {
            Self::Independent(p) => Box::new(Independent(p)),
            Self::Bursts(model) => Box::new(Channel {
                model,
                is_bad: false,
            }),
        }
    }

    /// The share of packets that is lost in the long run.
    pub fn mean(self) -> Probability {
        match self {
            Self::Independent(p) => p,
            Self::Bursts(GilbertElliott { p, r, good, bad }) => {
                let (p, r) = (p.value(), r.value());
                let mean = (p * bad.value() + r * good.value()) / (p + r);
                Probability::new(mean).unwrap_or(good)
            }
        }
    }
}

/// Loses each packet with the same probability.
struct Independent(Probability);

impl Wire for Independent {
    fn deliver(&mut self, sent: Time, _size: u32, rng: &mut Stream) -> Option<Time> {
        (!self.0.draw(rng)).then_some(sent)
    }
}

/// The channel of Gilbert and Elliott, good at first.
struct Channel {
    model: GilbertElliott,
    is_bad: bool,
}

impl Wire for Channel {
    fn deliver(&mut self, sent: Time, _size: u32, rng: &mut Stream) -> Option<Time> {
        let GilbertElliott { p, r, good, bad } = self.model;
        let changes = if self.is_bad { r } else { p };
        self.is_bad ^= changes.draw(rng);
        let loss = if self.is_bad { bad } else { good };
        (!loss.draw(rng)).then_some(sent)
    }
}

impl FromStr for Loss {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError::new("loss", text, ALLOWED);
        let Some(rest) = text.trim().strip_prefix("ge:") else {
            return text.parse().map(Self::Independent).map_err(|_| wrong());
        };
        let mut params = Params::new(rest, wrong())?;
        let certain = Probability::CERTAIN;
        let model = GilbertElliott {
            p: params.required("p", str::parse)?,
            r: params.required("r", str::parse)?,
            good: params.optional("good", str::parse)?.unwrap_or_default(),
            bad: params.optional("bad", str::parse)?.unwrap_or(certain),
        };
        let moves = model.p.value() + model.r.value() > 0.0;
        params.finish(Self::Bursts(model), moves)
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Independent(p) => p.fmt(f),
            Self::Bursts(GilbertElliott { p, r, good, bad }) => {
                write!(f, "ge:p={p},r={r},good={good},bad={bad}")
            }
        }
    }
}
