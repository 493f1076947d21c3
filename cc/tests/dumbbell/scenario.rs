//! Flows on a path as a file declares them: what controllers are measured on.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use quiche_cc_bottleneck::{parse_duration, stream, Aggregate, Buffer, Jitter, LinkConfig, Loss};
use quiche_cc_bottleneck::{ParseError, RateModel};
use rand_chacha::rand_core::Rng;
use serde::{Deserialize, Deserializer, Serialize};

use super::flow::Flow;
use super::Dumbbell;

/// Bytes of every packet.
pub const SIZE: u32 = 1250;

/// Scenarios of one file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    pub scenario: Vec<Scenario>,
}

/// A bottleneck in the words of [`LinkConfig`] and flows that come one after the other.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    pub name: String,
    #[serde(deserialize_with = "text")]
    rate: RateModel,
    /// A multiple of the bandwidth-delay product is one of the rate at the start and the longest round-trip time.
    #[serde(deserialize_with = "text")]
    buffer: Buffer,
    #[serde(default, deserialize_with = "text")]
    loss: Loss,
    #[serde(default, deserialize_with = "some")]
    jitter: Option<Jitter>,
    #[serde(default, deserialize_with = "some")]
    aggregate: Option<Aggregate>,
    /// Round-trip time of each flow on the idle path.
    #[serde(deserialize_with = "durations")]
    pub rtts: Vec<Duration>,
    /// From the start of one flow to that of the next.
    #[serde(default, deserialize_with = "duration")]
    pub gap: Duration,
    /// What happens from here on counts.
    #[serde(deserialize_with = "duration")]
    pub from: Duration,
    /// For so long.
    #[serde(deserialize_with = "duration")]
    pub period: Duration,
}

/// What a scenario asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One flow on a path that only has a rate, a delay and a buffer.
    Alone,
    /// One flow where packets are lost, jittered or batched, or the rate changes.
    Disturbed,
    /// Flows with the same round-trip time.
    Equal,
    /// Flows with different ones.
    Mixed,
}

impl Set {
    /// Reads a file's text.
    ///
    /// # Errors
    /// Says what was wrong, and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        let set: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        set.scenario.iter().try_for_each(Scenario::check)?;
        Ok(set)
    }
}

impl Scenario {
    fn check(&self) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("scenario `{}`: {what}", self.name));
        if self.rtts.is_empty() || self.rtts.iter().any(Duration::is_zero) {
            return wrong("`rtts` must name one time above 0ms per flow");
        }
        if !matches!(self.rate, RateModel::Scheduled(_)) {
            return wrong("`rate` must be a rate such as 10Mbps, or rates with their times");
        }
        if self.period.is_zero() || self.from < self.last_start() {
            return wrong("`period` must be above 0s and `from` after the last flow's start");
        }
        Ok(())
    }

    pub fn kind(&self) -> Kind {
        let changes = matches!(&self.rate, RateModel::Scheduled(rates) if rates.steps().len() > 1);
        let disturbed = changes || self.jitter.is_some() || self.aggregate.is_some();
        match &self.rtts[..] {
            [_] if disturbed || self.loss != Loss::default() => Kind::Disturbed,
            [_] => Kind::Alone,
            [first, others @ ..] if others.iter().all(|rtt| rtt == first) => Kind::Equal,
            _ => Kind::Mixed,
        }
    }

    /// When the last flow starts, up to the shift that a seed gives.
    pub fn last_start(&self) -> Duration {
        self.gap * (self.rtts.len() as u32 - 1)
    }

    pub fn longest_rtt(&self) -> Duration {
        self.rtts.iter().copied().max().unwrap_or_default()
    }

    /// The path with its flows. The seed is that of the link's randomness, and shifts each flow's start by up to its
    /// round-trip time: what only holds at one phase of two flows is not to be found.
    pub fn build(&self, spec: &str, seed: u64) -> Dumbbell {
        let config = LinkConfig {
            rate: self.rate.clone(),
            buffer: self.buffer,
            base_rtt: self.longest_rtt(),
            loss: self.loss,
            jitter: self.jitter.clone(),
            aggregate: self.aggregate,
            ..LinkConfig::default()
        };
        let link = config.build(seed, 0).expect("a schedule reads no file");
        let mut random = stream(seed, STARTS);
        let flows = self.rtts.iter().zip(0..).map(|(rtt, place)| {
            let shift = f64::from(random.next_u32()) / (f64::from(u32::MAX) + 1.0);
            let mut flow = Flow::new(spec, SIZE, *rtt);
            flow.start = self.gap * place + rtt.mul_f64(shift);
            flow
        });
        Dumbbell::new(link, flows.collect())
    }
}

/// Number of the random stream of starts; those of the link are lower.
const STARTS: u64 = 1 << 32;

fn text<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(from: D) -> Result<T, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(serde::de::Error::custom)
}

fn some<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    text(from).map(Some)
}

fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    read(&String::deserialize(from)?)
}

fn durations<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Duration>, D::Error> {
    let texts = Vec::<String>::deserialize(from)?;
    texts.iter().map(|text| read(text)).collect()
}

fn read<E: serde::de::Error>(text: &str) -> Result<Duration, E> {
    parse_duration(text).map_err(|error: ParseError| E::custom(error))
}
