//! Parameters of `hybrid`, with their profiles.

use std::time::Duration;

use super::parameters::{PARAMETERS, PROFILES};
use super::thresholds::Thresholds;
use crate::spec::{parse_options, Given, SpecError};
use crate::units::{Bytes, Owd, Rate};

/// Which samples count after a decrease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum React {
    /// All: the paper's equations, literally.
    EveryEpoch,
    /// DEVIATION: only those of packets sent after it.
    Once,
}

/// What stands for the delays of an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// Their mean, as in the paper.
    Mean,
    /// DEVIATION: the smallest, which jitter and batches do not raise.
    Least,
}

/// The paper's parameters and ours. [`Params::paper`] is section III of the paper; [`Default`]
/// is the deployable profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Increase at d1; `None` scales with the path.
    pub amin: Option<Rate>,
    /// Increase at d0; `None` scales with the path.
    pub amax: Option<Rate>,
    /// Decrease at d1.
    pub bmin: f64,
    /// Decrease at d2.
    pub bmid: f64,
    /// Decrease at d3 and above.
    pub bmax: f64,
    /// Queueing delay up to which the increase is amax.
    pub d0: Option<Duration>,
    /// Queueing delay up to which the rate increases; `None` is `queue` packets. The others follow it if they are `None`.
    pub d1: Option<Duration>,
    /// Queueing delay that should not be exceeded.
    pub d2: Option<Duration>,
    /// Queueing delay at which the decrease is largest.
    pub d3: Option<Duration>,
    /// Pacing factor: 1 paces fully, 0 leaves it to the window.
    pub gamma: f64,
    /// Queueing delay that the window allows for beyond R L; `None` is d3.
    pub wextra: Option<Duration>,
    /// Share of lost packets beyond which the rate decreases whatever the delay; 1 is never.
    pub losscap: f64,
    /// Bytes that one acknowledged byte adds to R L in start-up, plus one; 1 is no start-up.
    pub startup: f64,
    /// DEVIATION: share of what the slowest link carries, as far as packet dispersion shows it, that ends start-up; 0 is never.
    pub capacity: f64,
    /// Which samples count after a decrease.
    pub react: React,
    /// Whether the trend of one-way delays is tested.
    pub trend: bool,
    /// DEVIATION: so much of the time that a packet takes on the slowest link is no queueing; 0 is none.
    pub packet: f64,
    /// Window of the sliding minima.
    pub owdwin: Duration,
    /// DEVIATION: whether the minima by receive times follow the skew of the peer's clock.
    pub skew: bool,
    /// Initial rate; `None` is the initial window per RTT.
    pub r0: Option<Rate>,
    /// DEVIATION: queueing delay, in L, that does not end start-up while others use most of the path; 0 is none.
    pub insist: f64,
    /// DEVIATION: d1 in packets at the flow's own rate, where it is not given.
    pub queue: f64,
    /// DEVIATION: epochs in which a decrease drains the queue; 0 leaves the decrease to the paper's equations.
    pub drain: f64,
    /// DEVIATION: growth of the increase per `period` without a decrease; 1 is none.
    pub grow: f64,
    /// Its period, where L is not longer than this, and L or the spacing of packets at R is 2.5 ms or more.
    pub period: Duration,
    /// DEVIATION: what of an epoch's delays counts.
    pub delay: Statistic,
    /// DEVIATION: share of the longest queue of late from which on losses count although the delay is below d1; 0 is never.
    pub full: f64,
    /// DEVIATION: how long a queue has to stand until the flow stops giving way to it; 0 is for ever.
    pub compete: Duration,
    /// DEVIATION: of the largest rate of arrival of late, the share that the path is taken to carry at least; 0 is none.
    pub dip: f64,
    /// DEVIATION: times the share of the slowest link that the flow does not use, what its increase is multiplied by if that is
    /// more than 1; 0 is never.
    pub catchup: f64,
}

const MILLI: Duration = Duration::from_millis(1);
/// Increase at d1 in packets per L, per epoch, where it scales with the path: the paper's.
const AUTO_AMIN: f64 = 0.01;
/// Increase at d0 likewise; less than the paper's 0.5, because it grows.
const AUTO_AMAX: f64 = 0.02;
/// With a shorter L a path is short: what delays and spaces packets there is hosts as much as links.
pub const SHORT_PATH: Duration = Duration::from_micros(2_500);

impl Params {
    /// The paper's set (section III), tuned for 1 Mbit/s and 100 ms.
    pub fn paper() -> Self {
        Self {
            amin: Some(Rate::from_bps(800.0)),
            amax: Some(Rate::from_bps(40e3)),
            bmin: 0.25,
            bmid: 0.33,
            d0: Some(Duration::ZERO),
            d1: Some(12 * MILLI),
            d2: Some(24 * MILLI),
            d3: Some(48 * MILLI),
            trend: true,
            insist: 0.0,
            drain: 0.0,
            grow: 1.0,
            full: 0.0,
            compete: Duration::ZERO,
            dip: 0.0,
            catchup: 0.0,
            delay: Statistic::Mean,
            wextra: Some(Duration::ZERO),
            losscap: 1.0,
            startup: 1.0,
            capacity: 0.0,
            react: React::EveryEpoch,
            packet: 0.0,
            skew: false,
            ..Self::default()
        }
    }

    /// `amin` and `amax` on a path with packets of `size` and epochs of `length`.
    ///
    /// The paper's 800 bit/s and 40 kbit/s are 0.01 and 0.5 of its 1000-byte packets per epoch of
    /// 100 ms, added to the rate every epoch; in such units they scale with the path.
    pub fn increase(&self, size: Bytes, length: Duration) -> (Rate, Rate) {
        let packet = size.per(length);
        (
            self.amin.unwrap_or(packet * AUTO_AMIN),
            self.amax.unwrap_or(packet * AUTO_AMAX),
        )
    }

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

    /// Queueing delay that the window allows for beyond R L.
    pub fn window_extra(&self, thresholds: &Thresholds) -> Owd {
        self.wextra.map_or(thresholds.d3, Owd::from)
    }

    /// Reads what follows `hybrid:`.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let options = parse_options("hybrid", text, &PROFILES, &PARAMETERS)?;
        let mut params = match options.profile {
            Some("paper") => Self::paper(),
            _ => Self::default(),
        };
        for (name, value) in &options.values {
            params.set(name, *value);
        }
        params.check()?;
        Ok(params)
    }

    fn set(&mut self, name: &str, value: Given) {
        match (name, value) {
            ("amin", Given::Rate(rate)) => self.amin = rate,
            ("amax", Given::Rate(rate)) => self.amax = rate,
            ("r0", Given::Rate(rate)) => self.r0 = rate,
            ("bmin", Given::Number(number)) => self.bmin = number,
            ("bmid", Given::Number(number)) => self.bmid = number,
            ("bmax", Given::Number(number)) => self.bmax = number,
            ("gamma", Given::Number(number)) => self.gamma = number,
            ("startup", Given::Number(number)) => self.startup = number,
            ("capacity", Given::Number(number)) => self.capacity = number,
            ("losscap", Given::Number(number)) => self.losscap = number,
            ("packet", Given::Number(number)) => self.packet = number,
            ("insist", Given::Number(number)) => self.insist = number,
            ("queue", Given::Number(number)) => self.queue = number,
            ("drain", Given::Number(number)) => self.drain = number,
            ("grow", Given::Number(number)) => self.grow = number,
            ("dip", Given::Number(number)) => self.dip = number,
            ("catchup", Given::Number(number)) => self.catchup = number,
            ("full", Given::Number(number)) => self.full = number,
            ("d0", given) => self.d0 = given.time(),
            ("d1", given) => self.d1 = given.time(),
            ("d2", given) => self.d2 = given.time(),
            ("d3", given) => self.d3 = given.time(),
            ("wextra", given) => self.wextra = given.time(),
            ("period", Given::Time(time)) => self.period = time,
            ("compete", Given::Time(time)) => self.compete = time,
            ("owdwin", Given::Time(time)) => self.owdwin = time,
            ("react", Given::Word(place)) => self.react = [React::EveryEpoch, React::Once][place],
            ("delay", Given::Word(place)) => {
                self.delay = [Statistic::Mean, Statistic::Least][place];
            }
            ("trend", Given::Word(place)) => self.trend = place == 1,
            ("skew", Given::Word(place)) => self.skew = place == 1,
            _ => debug_assert!(false, "{name} stands in PARAMETERS but cannot be set"),
        }
    }

    /// What holds between parameters.
    fn check(&self) -> Result<(), SpecError> {
        let refuse = |order: &str, got: String| {
            Err(SpecError::new(format!(
                "hybrid: {got} is not allowed; it must hold that {order}"
            )))
        };
        if self.d1.is_none() && [self.d0, self.d2, self.d3].iter().any(Option::is_some) {
            let got = "d1=auto with d0, d2 or d3 given".to_owned();
            return refuse("d0, d2 and d3 follow d1 if it is auto", got);
        }
        let Thresholds { d0, d1, d2, d3, .. } =
            Thresholds::new(self, Rate::from_bps(1e6), Bytes(1250), None);
        let [d0, d1, d2, d3] = [d0, d1, d2, d3].map(Owd::to_duration);
        if !(d0 < d1 && d1 < d2 && d2 < d3) {
            return refuse(
                "d0 < d1 < d2 < d3",
                format!("d0={d0:?}, d1={d1:?}, d2={d2:?}, d3={d3:?}"),
            );
        }
        let Self {
            bmin, bmid, bmax, ..
        } = self;
        if !(bmin <= bmid && bmid <= bmax) {
            return refuse(
                "bmin <= bmid <= bmax",
                format!("bmin={bmin}, bmid={bmid}, bmax={bmax}"),
            );
        }
        match (self.amin, self.amax) {
            (Some(amin), Some(amax)) if amin > amax => {
                refuse("amin <= amax", format!("amin={amin}, amax={amax}"))
            }
            (Some(_), None) | (None, Some(_)) => refuse(
                "amin and amax are both rates or both auto",
                format!("amin={}, amax={}", text_of(self.amin), text_of(self.amax)),
            ),
            _ => Ok(()),
        }
    }
}

fn text_of(rate: Option<Rate>) -> String {
    rate.map_or_else(|| "auto".to_owned(), |rate| rate.to_string())
}

impl Default for Params {
    fn default() -> Self {
        Self {
            amin: None,
            amax: None,
            bmin: 0.01,
            bmid: 0.25,
            bmax: 0.5,
            d0: None,
            d1: None,
            d2: None,
            d3: None,
            gamma: 1.0,
            wextra: None,
            losscap: 0.1,
            startup: 2.2,
            capacity: 1.0,
            react: React::Once,
            trend: false,
            packet: 0.0,
            owdwin: 10_000 * MILLI,
            skew: true,
            r0: None,
            insist: 0.2,
            queue: 2.0,
            drain: 3.0,
            grow: 1.5,
            period: 40 * MILLI,
            full: 0.75,
            compete: 1_500 * MILLI,
            dip: 0.7,
            catchup: 4.0,
            delay: Statistic::Least,
        }
    }
}
