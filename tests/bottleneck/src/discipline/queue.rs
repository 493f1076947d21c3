//! Disciplines by name.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{CoDel, Discipline, DropTail, Limited, Pie, Policer, Proportional, Ramp};
use crate::units::{format_duration, parse_duration, Params};
use crate::{
    Buffer, DualPi2, DualPi2Params, Ecn, Fifo, FqCoDel, FqCoDelParams, Limit, ParseError, Rate,
    Scheduler,
};

const ALLOWED: &str =
    "droptail, mark:q0=32p (q0 a buffer size above zero; also ect=any, 1 or 0), step:1ms, \
    ramp:min=800us,max=1200us, codel:target=5ms,interval=100ms, \
    pie:target=15ms,update=15ms,burst=150ms (update from 1ms), \
    policer:rate=10Mbps,burst=64kB (burst in bytes or as a time, above zero), \
    fq_codel:target=5ms,interval=100ms,quantum=1514,flows=1024 (interval and quantum above zero, flows 1 to 65536), \
    dualpi2:target=15ms,rtt_max=100ms,k=2,min_th=800us,range=400us,weight=6.25% (target from 100us, rtt_max from 1ms, \
    k above 0 and up to 100, weight above 0% and below 100%)";

const MS: Duration = Duration::from_millis(1);

/// Which codepoints a queue marks. CE is always among them: it is marked already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Capable {
    /// ECT(0) and ECT(1).
    #[default]
    Any,
    /// ECT(0).
    Ect0,
    /// ECT(1).
    Ect1,
}

impl Capable {
    /// Whether `ecn` is among them.
    pub fn includes(self, ecn: Ecn) -> bool {
        match ecn {
            Ecn::NotEct => false,
            Ecn::Ect0 => self != Self::Ect1,
            Ecn::Ect1 => self != Self::Ect0,
            Ecn::Ce => true,
        }
    }
}

/// A discipline or a scheduler with its parameters. All of them also drop what has no room.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Queue {
    /// `droptail`: see [`DropTail`].
    #[default]
    DropTail,
    /// `mark:q0=32p,ect=any`: see [`Proportional`].
    Mark {
        /// The queue at which every second packet is marked.
        q0: Buffer,
        /// Who is marked.
        ect: Capable,
    },
    /// `step:1ms`: marks ECT(1) packets that waited longer; see [`Ramp`].
    Step(Duration),
    /// `ramp:min=800us,max=1200us`, the values of RFC 9332 appendix A.1 by default; see [`Ramp`].
    Ramp {
        /// Up to this no packet is marked.
        min: Duration,
        /// Above this every packet is.
        max: Duration,
    },
    /// `codel:target=5ms,interval=100ms`, the default; see [`CoDel`].
    CoDel {
        /// Delay that may stand.
        target: Duration,
        /// How long it may be exceeded.
        interval: Duration,
    },
    /// `pie:target=15ms,update=15ms,burst=150ms`, the default; see [`Pie`].
    Pie {
        /// Delay to be reached.
        target: Duration,
        /// Time between two adaptations.
        update: Duration,
        /// A burst that is let through after a quiet time.
        burst: Duration,
    },
    /// `policer:rate=10Mbps,burst=64kB`: see [`Policer`].
    Policer {
        /// What is let through.
        rate: Rate,
        /// What a full bucket holds: bytes or a time.
        burst: Buffer,
    },
    /// `fq_codel:target=5ms,interval=100ms,quantum=1514,flows=1024`, the default; see [`FqCoDel`].
    FqCoDel(FqCoDelParams),
    /// `dualpi2:target=15ms,rtt_max=100ms,k=2,min_th=800us,range=400us,weight=6.25%`, the default; see [`DualPi2`].
    DualPi2(DualPi2Params),
}

impl Queue {
    /// What is in front of a link that may hold `limit`, on a link of this `rate` and idle round-trip time (for `q0`
    /// in time or bandwidth-delay products).
    pub fn build(self, limit: Limit, rate: Option<Rate>, base_rtt: Duration) -> Box<dyn Scheduler> {
        match self {
            Self::DropTail => Box::new(Fifo::new(DropTail::new(limit))),
            Self::Mark { q0, ect } => fifo(limit, Proportional::new(q0.limit(rate, base_rtt), ect)),
            Self::Step(threshold) => fifo(limit, Ramp::new(threshold, threshold)),
            Self::Ramp { min, max } => fifo(limit, Ramp::new(min, max)),
            Self::CoDel { target, interval } => fifo(limit, CoDel::new(target, interval)),
            Self::Pie {
                target,
                update,
                burst,
            } => fifo(limit, Pie::new(target, update, burst)),
            Self::Policer { rate, burst } => {
                let burst = burst.limit(Some(rate), base_rtt).bytes;
                // Without bytes it is a burst that `policer` refuses.
                fifo(limit, Policer::new(rate, burst.unwrap_or(0)))
            }
            Self::FqCoDel(params) => Box::new(FqCoDel::new(limit, params)),
            Self::DualPi2(params) => Box::new(DualPi2::new(limit, params)),
        }
    }
}

fn fifo(limit: Limit, discipline: impl Discipline + 'static) -> Box<dyn Scheduler> {
    Box::new(Fifo::new(Limited::new(limit, discipline)))
}

impl FromStr for Queue {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError::new("queue", text, ALLOWED);
        let (name, rest) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        if name == "step" {
            let threshold = if rest.is_empty() {
                MS
            } else {
                parse_duration(rest)?
            };
            return Ok(Self::Step(threshold));
        }
        let params = Params::new(rest, wrong())?;
        match name {
            "droptail" => params.finish(Self::DropTail, true),
            "mark" => mark(params),
            "ramp" => ramp(params),
            "codel" => codel(params),
            "pie" => pie(params),
            "policer" => policer(params),
            "fq_codel" => FqCoDelParams::read(params).map(Self::FqCoDel),
            "dualpi2" => DualPi2Params::read(params).map(Self::DualPi2),
            _ => Err(wrong()),
        }
    }
}

fn mark(mut params: Params<'_>) -> Result<Queue, ParseError> {
    let q0: Buffer = params.required("q0", str::parse)?;
    let ect = params.optional("ect", |ect| match ect {
        "any" => Ok(Capable::Any),
        "0" => Ok(Capable::Ect0),
        "1" => Ok(Capable::Ect1),
        _ => Err(ParseError::new("codepoint", ect, "any, 0 or 1")),
    })?;
    let above_zero = match q0 {
        Buffer::Time(span) => !span.is_zero(),
        Buffer::Packets(size) | Buffer::Bytes(size) => size > 0,
        Buffer::Bdp(multiple) => multiple > 0.0,
        Buffer::Wait(_) | Buffer::Unlimited => false,
    };
    let ect = ect.unwrap_or_default();
    params.finish(Queue::Mark { q0, ect }, above_zero)
}

fn ramp(mut params: Params<'_>) -> Result<Queue, ParseError> {
    let min = params
        .optional("min", parse_duration)?
        .unwrap_or(MS * 8 / 10);
    let max = params
        .optional("max", parse_duration)?
        .unwrap_or(MS * 12 / 10);
    params.finish(Queue::Ramp { min, max }, min <= max)
}

fn codel(mut params: Params<'_>) -> Result<Queue, ParseError> {
    let target = params.optional("target", parse_duration)?.unwrap_or(5 * MS);
    let interval = params
        .optional("interval", parse_duration)?
        .unwrap_or(100 * MS);
    params.finish(Queue::CoDel { target, interval }, !interval.is_zero())
}

fn pie(mut params: Params<'_>) -> Result<Queue, ParseError> {
    let target = params
        .optional("target", parse_duration)?
        .unwrap_or(15 * MS);
    let update = params
        .optional("update", parse_duration)?
        .unwrap_or(15 * MS);
    let burst = params
        .optional("burst", parse_duration)?
        .unwrap_or(150 * MS);
    let model = Queue::Pie {
        target,
        update,
        burst,
    };
    params.finish(model, !target.is_zero() && update >= MS)
}

fn policer(mut params: Params<'_>) -> Result<Queue, ParseError> {
    let rate = params.required("rate", str::parse)?;
    let burst = params.required("burst", str::parse)?;
    let allowed = match burst {
        Buffer::Time(span) => !span.is_zero(),
        Buffer::Bytes(size) => size > 0,
        _ => false,
    };
    params.finish(Queue::Policer { rate, burst }, allowed)
}

impl fmt::Display for Capable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Any => "any",
            Self::Ect0 => "0",
            Self::Ect1 => "1",
        })
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let span = |span: &Duration| format_duration(*span);
        match self {
            Self::DropTail => f.write_str("droptail"),
            Self::Mark { q0, ect } => write!(f, "mark:q0={q0},ect={ect}"),
            Self::Step(threshold) => write!(f, "step:{}", span(threshold)),
            Self::Ramp { min, max } => write!(f, "ramp:min={},max={}", span(min), span(max)),
            Self::CoDel { target, interval } => {
                write!(
                    f,
                    "codel:target={},interval={}",
                    span(target),
                    span(interval)
                )
            }
            Self::Pie {
                target,
                update,
                burst,
            } => write!(
                f,
                "pie:target={},update={},burst={}",
                span(target),
                span(update),
                span(burst)
            ),
            Self::Policer { rate, burst } => write!(f, "policer:rate={rate},burst={burst}"),
            Self::FqCoDel(params) => write!(f, "fq_codel:{params}"),
            Self::DualPi2(params) => write!(f, "dualpi2:{params}"),
        }
    }
}
