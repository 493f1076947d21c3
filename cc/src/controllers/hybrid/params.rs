//! Parameters of `hybrid`'s default profile.

use std::time::Duration;

use super::parameters::PARAMETERS;
use crate::controllers::hybrid_paper::PROFILES;
use crate::spec::{parse_options, Given, SpecError};
use crate::units::{Bytes, Rate};

/// The parameters of the default profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// The least decrease.
    pub bmin: f64,
    /// The largest decrease.
    pub bmax: f64,
    /// Queueing delay up to which the rate increases; `None` is `queue` packets.
    pub d1: Option<Duration>,
    /// Share of lost packets beyond which the rate decreases whatever the delay; 1 is never.
    pub losscap: f64,
    /// Bytes that one acknowledged byte adds to R L in start-up, plus one.
    pub startup: f64,
    /// Share of what the slowest link carries, as far as packet dispersion shows it, that ends start-up; 0 is never.
    pub capacity: f64,
    /// Window of the sliding minima.
    pub owdwin: Duration,
    /// Whether the minima by receive times follow the skew of the peer's clock.
    pub skew: bool,
    /// Initial rate; `None` is the initial window per RTT.
    pub r0: Option<Rate>,
    /// Queueing delay, in L, that does not end start-up while others use most of the path; 0 is none.
    pub insist: f64,
    /// d1 in packets at the flow's own rate, where it is not given.
    pub queue: f64,
    /// Epochs in which a decrease drains the queue.
    pub drain: f64,
    /// Growth of the increase per `period` without a decrease; 1 is none.
    pub grow: f64,
    /// Its period, where L is not longer than this, and L or the spacing of packets at R is 2.5 ms or more.
    pub period: Duration,
    /// Share of the longest queue of late from which on losses count although the delay is below d1; 0 is never.
    pub full: f64,
    /// How long a queue has to stand until the flow stops giving way to it; 0 is for ever.
    pub compete: Duration,
    /// Of the largest rate of arrival of late, the share that the path is taken to carry at least; 0 is none.
    pub dip: f64,
    /// Times the share of the slowest link that the flow does not use, what its increase is multiplied by if that is more than 1; 0 is
    /// never.
    pub catchup: f64,
}

const MILLI: Duration = Duration::from_millis(1);
/// Increase at d1 in packets per L, per epoch: the paper's.
const AMIN: f64 = 0.01;
/// Increase at d0 likewise; less than the paper's 0.5, because it grows.
const AMAX: f64 = 0.02;
/// With a shorter L a path is short: what delays and spaces packets there is hosts as much as links.
pub const SHORT_PATH: Duration = Duration::from_micros(2_500);

/// The increase at d1 and at d0 on a path with packets of `size` and epochs of `length`.
///
/// The paper's 800 bit/s and 40 kbit/s are 0.01 and 0.5 of its 1000-byte packets per epoch of 100 ms, added to the rate every epoch;
/// in such units they scale with the path.
pub fn increase_ends(size: Bytes, length: Duration) -> (Rate, Rate) {
    let packet = size.per(length);
    (packet * AMIN, packet * AMAX)
}

impl Params {
    /// The period of growth at `rate` on a path with packets of `size` and epochs of `length`, in seconds: whole nanoseconds would
    /// show in powers.
    ///
    /// DEVIATION: what a decrease costs comes back in as many round trips on a short path as on a long one. On loopback, where
    /// the hosts' schedulers look like a queue a hundred times a second, it would hardly come back in 40 ms. Where packets are
    /// further apart than L, they are the round trips that count.
    pub fn growth_period(&self, size: Bytes, rate: Rate, length: Duration) -> f64 {
        let length = length.as_secs_f64();
        let packet = size.0 as f64 * 8.0 / rate.bps().max(1.0);
        let spacing = length.max(packet);
        let share = (spacing / SHORT_PATH.as_secs_f64()).min(1.0);
        (self.period.as_secs_f64() * share).max(length)
    }

    /// Reads what follows `hybrid:`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let options = parse_options("hybrid", text, &PROFILES, &PARAMETERS)?;
        let mut params = Self::default();
        for (name, value) in &options.values {
            params.set(name, *value);
        }
        params.check()?;
        Ok(params)
    }

    fn set(&mut self, name: &str, value: Given) {
        match (name, value) {
            ("r0", Given::Rate(rate)) => self.r0 = rate,
            ("bmin", Given::Number(number)) => self.bmin = number,
            ("bmax", Given::Number(number)) => self.bmax = number,
            ("startup", Given::Number(number)) => self.startup = number,
            ("capacity", Given::Number(number)) => self.capacity = number,
            ("losscap", Given::Number(number)) => self.losscap = number,
            ("insist", Given::Number(number)) => self.insist = number,
            ("queue", Given::Number(number)) => self.queue = number,
            ("drain", Given::Number(number)) => self.drain = number,
            ("grow", Given::Number(number)) => self.grow = number,
            ("dip", Given::Number(number)) => self.dip = number,
            ("catchup", Given::Number(number)) => self.catchup = number,
            ("full", Given::Number(number)) => self.full = number,
            ("d1", given) => self.d1 = given.time(),
            ("period", Given::Time(time)) => self.period = time,
            ("compete", Given::Time(time)) => self.compete = time,
            ("owdwin", Given::Time(time)) => self.owdwin = time,
            ("skew", Given::Word(place)) => self.skew = place == 1,
            _ => debug_assert!(false, "{name} stands in PARAMETERS but cannot be set"),
        }
    }

    /// What holds between parameters.
    fn check(&self) -> Result<(), SpecError> {
        let Self { bmin, bmax, .. } = self;
        if bmin > bmax {
            return Err(SpecError::new(format!(
                "hybrid: bmin={bmin}, bmax={bmax} is not allowed; it must hold that bmin <= bmax"
            )));
        }
        Ok(())
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            bmin: 0.01,
            bmax: 0.5,
            d1: None,
            losscap: 0.1,
            startup: 2.2,
            capacity: 1.0,
            owdwin: 10_000 * MILLI,
            skew: true,
            r0: None,
            insist: 0.2,
            queue: 2.0,
            drain: 3.0,
            grow: 1.5,
            period: 40 * MILLI,
            full: 0.75,
            compete: 1_000 * MILLI,
            dip: 0.7,
            catchup: 4.0,
        }
    }
}
