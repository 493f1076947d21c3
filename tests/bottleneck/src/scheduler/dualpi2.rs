//! DualPI2.

use std::fmt;
use std::time::Duration;

use super::pi2::Pi2;
use super::{Header, Queues, Scheduler};
use crate::units::{format_duration, parse_duration, Params};
use crate::{Discipline, DropTail, Ecn, Limit, ParseError, Probability, Ramp, Stream, Verdict};

const CLASSIC: usize = 0;
const L4S: usize = 1;

/// What may be set, by the names of RFC 9332 appendix A.1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DualPi2Params {
    /// Delay of the Classic queue, above zero.
    pub target: Duration,
    /// The worst round trip to expect, from 1 ms: the gains follow from it.
    pub rtt_max: Duration,
    /// Coupling factor, above 0, up to 100.
    pub k: f64,
    /// Up to this no packet of the L4S queue is marked by its own AQM.
    pub min_th: Duration,
    /// So much above `min_th` every one is.
    pub range: Duration,
    /// Share of the link that Classic gets at least while both queues are busy, above 0 and below 1: of a weighted round robin.
    pub weight: Probability,
}

impl Default for DualPi2Params {
    /// The values of appendix A.1, which leaves the weight open.
    fn default() -> Self {
        Self {
            target: Duration::from_millis(15),
            rtt_max: Duration::from_millis(100),
            k: 2.0,
            min_th: Duration::from_micros(800),
            range: Duration::from_micros(400),
            weight: Probability::new(1.0 / 16.0).unwrap_or_default(),
        }
    }
}

impl DualPi2Params {
    pub(crate) fn read(mut params: Params<'_>) -> Result<Self, ParseError> {
        let factor = |text: &str| {
            text.parse().map_err(|_| {
                ParseError::new("number", text, "a coupling factor above 0, up to 100")
            })
        };
        let by_default = Self::default();
        let target = params.optional("target", parse_duration)?;
        let rtt_max = params.optional("rtt_max", parse_duration)?;
        let k = params.optional("k", factor)?;
        let min_th = params.optional("min_th", parse_duration)?;
        let range = params.optional("range", parse_duration)?;
        let weight: Option<Probability> = params.optional("weight", str::parse)?;
        let read = Self {
            target: target.unwrap_or(by_default.target),
            rtt_max: rtt_max.unwrap_or(by_default.rtt_max),
            k: k.unwrap_or(by_default.k),
            min_th: min_th.unwrap_or(by_default.min_th),
            range: range.unwrap_or(by_default.range),
            weight: weight.unwrap_or(by_default.weight),
        };
        let weight = read.weight.value();
        // The probabilities are computed once per target.
        let valid = read.target >= Duration::from_micros(100)
            && read.rtt_max >= Duration::from_millis(1)
            && (read.k > 0.0 && read.k <= 100.0)
            && (weight > 0.0 && weight < 1.0);
        params.finish(read, valid)
    }
}

impl fmt::Display for DualPi2Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            target,
            rtt_max,
            k,
            min_th,
            range,
            weight,
        } = self;
        let [target, rtt_max, min_th, range] =
            [target, rtt_max, min_th, range].map(|span| format_duration(*span));
        write!(
            f,
            "target={target},rtt_max={rtt_max},k={k},min_th={min_th},range={range},weight={weight}"
        )
    }
}

/// Chooses packets evenly at a share (RFC 9332 appendix A.1, `recur`).
#[derive(Debug, Clone, Copy, Default)]
struct Recur(f64);

impl Recur {
    fn strikes(&mut self, likelihood: f64) -> bool {
        self.0 += likelihood.clamp(0.0, 1.0);
        let strikes = self.0 >= 1.0;
        if strikes {
            self.0 -= 1.0;
        }
        strikes
    }
}

/// DualPI2 (RFC 9332 appendix A): ECT(1) and CE wait in a queue of their own, the L4S queue, which is marked early by a [`Ramp`] and
/// besides with the probability p_CL = k p'; all others wait in the Classic queue, of which p_C = p'^2 are marked, or dropped if they are
/// not ECN-capable. p' is what a PI controller needs to keep the Classic queue at its target.
///
/// The L4S queue goes first, but leaves Classic a share of the link (weighted round robin, section 4.2.2 leaves the
/// choice). In overload, when k p' reaches 1 or p'^2 reaches 1 / k^2, dropping replaces marking in either queue (appendix
/// A.2). Each choice has a count of its own, so that a packet that is dropped does not take part in the choice of whom to mark.
#[derive(Debug, Clone)]
pub struct DualPi2 {
    k: f64,
    weight: f64,
    tail: DropTail,
    ramp: Ramp,
    pi2: Pi2,
    /// Who is marked in the L4S queue, who is dropped there in overload, and who is concerned in the Classic queue.
    marked: Recur,
    saturated: Recur,
    squared: Recur,
    /// Bytes that Classic may send before L4S is first again.
    credit: f64,
}

impl DualPi2 {
    /// Two queues that together may hold `limit`.
    pub fn new(limit: Limit, params: DualPi2Params) -> Self {
        let max_th = params.min_th.saturating_add(params.range);
        Self {
            k: params.k,
            weight: params.weight.value(),
            tail: DropTail::new(limit),
            ramp: Ramp::new(params.min_th, max_th),
            pi2: Pi2::new(params.target, params.rtt_max),
            marked: Recur::default(),
            saturated: Recur::default(),
            squared: Recur::default(),
            credit: 0.0,
        }
    }

    /// The Classic queue's probability p_C.
    fn squared(&self) -> f64 {
        self.pi2.base() * self.pi2.base()
    }

    /// The coupled probability p_CL.
    fn coupled(&self) -> f64 {
        self.k * self.pi2.base()
    }

    /// p_L is the larger of the queue's own p'_L and the coupled p_CL (appendix A.1). In overload the queue loses the
    /// share that Classic would, and all others are marked (appendix A.2).
    fn judge_l4s(&mut self, native: f64) -> Verdict {
        let coupled = self.coupled();
        let squared = self.squared();
        if coupled >= 1.0 && self.saturated.strikes(squared) {
            Verdict::Drop
        } else if self.marked.strikes(coupled.max(native)) {
            Verdict::Mark
        } else {
            Verdict::Pass
        }
    }

    fn judge_classic(&mut self) -> Verdict {
        let squared = self.squared();
        let most = (1.0 / (self.k * self.k)).min(1.0);
        match self.squared.strikes(squared) {
            false => Verdict::Pass,
            true if squared >= most => Verdict::Drop,
            true => Verdict::Mark,
        }
    }

    /// While both are busy, what L4S sends earns Classic its share, and what Classic sends is taken off it.
    fn account(&mut self, queues: &Queues<'_>, number: usize, size: u32) {
        let other = queues.get(1 - number).packets;
        if other == 0 {
            self.credit = 0.0;
        } else if number == L4S {
            self.credit += f64::from(size) * self.weight / (1.0 - self.weight);
        } else {
            self.credit -= f64::from(size);
        }
    }
}

impl Scheduler for DualPi2 {
    /// Section 4.2: ECT(1), and CE, which may have been ECT(1).
    fn classify(&mut self, packet: &Header, _: &mut Stream) -> usize {
        match packet.ecn {
            Ecn::Ect1 | Ecn::Ce => L4S,
            Ecn::NotEct | Ecn::Ect0 => CLASSIC,
        }
    }

    fn on_arrival(
        &mut self,
        queues: &Queues<'_>,
        _: usize,
        packet: &Header,
        rng: &mut Stream,
    ) -> Verdict {
        self.pi2.catch_up(queues.all.now, queues.each);
        self.tail
            .on_arrival(&queues.all, packet.size, packet.ecn, rng)
    }

    fn next(&mut self, queues: &Queues<'_>) -> usize {
        self.pi2.catch_up(queues.all.now, queues.each);
        match (queues.get(CLASSIC).packets, queues.get(L4S).packets) {
            (_, 0) => CLASSIC,
            (0, _) => L4S,
            _ if self.credit > 0.0 => CLASSIC,
            _ => L4S,
        }
    }

    fn on_departure(
        &mut self,
        queues: &Queues<'_>,
        number: usize,
        packet: &Header,
        waited: Duration,
        _: &mut Stream,
    ) -> Verdict {
        let verdict = if number == L4S {
            let native = self.ramp.probability(&queues.view(number), waited);
            self.judge_l4s(native.value())
        } else {
            self.judge_classic()
        };
        let sent = match verdict {
            Verdict::Pass => true,
            Verdict::Mark => packet.ecn.is_capable(),
            Verdict::Drop | Verdict::Overflow => false,
        };
        if sent {
            self.account(queues, number, packet.size);
        }
        verdict
    }
}
