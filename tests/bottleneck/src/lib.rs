//! A bottleneck: a queue in front of a serialiser, and the wire behind it.
//!
//! ```text
//!             +------------ queue ------------+   +-- service --+   +----- wire -----+
//!  send() --> | discipline: pass, mark, drop  |-->| one packet  |-->| loss, delay,   |--> receive()
//!             | order, limit                  |   | at the rate |   | jitter, order  |
//!             +-------------------------------+   +-------------+   +----------------+
//!   arrived                               started           finished             delivered
//!             |<---- queueing delay --------->|<-- serialisation -->|<-- propagation -->|
//! ```
//!
//! The model is pure: time is handed in ([`Time`], nanoseconds since the start), randomness comes
//! from a seed, packets carry any payload and are moved, never copied. One model serves a discrete-event
//! simulation (jump to [`Link::next_event`]) and a relay in real time (sleep until
//! [`Link::next_delivery`]). Being late never changes the outcome: every time in the model is the
//! ideal one, so a late caller receives packets late, but not more slowly.
//!
//! # What counts
//!
//! * **Sizes** are what the caller says a packet occupies on the link ([`Packet::size`]);
//!   [`Overhead`] turns a UDP payload into that. Rate, queue limit, statistics and delays
//!   all use this one size.
//! * **The buffer holds waiting packets only.** The packet in service has left the queue, as with
//!   a queueing discipline in front of a device. So with packets of one size, a buffer of 400 ms
//!   gives at most 400 ms of queueing delay; and a buffer of zero is a link that can
//!   only take a packet when it is idle.
//! * **Random loss strikes on the wire**, after the packet has used the link's capacity.
//! * **ECN** bits (RFC 3168) travel with the packet; only a discipline that marks changes them.
//!
//! # Declaring and extending
//!
//! A [`LinkConfig`] declares a link; each of its models is read from a line of text and written back. docs/bottleneck.md
//! lists them with their parameters and sources. Building a link reads the file of a recorded rate, if there is one; nothing
//! else does I/O.
//!
//! [`Scheduler`] (several queues, and whose turn it is), [`Discipline`] (who is marked or dropped in a single queue), [`Service`] (how fast) and
//! [`Wire`] (loss, delay, order) are the places where behaviour is added, one file per model; [`Link`] keeps order, time and accounts for all of them.

mod config;
mod counters;
mod discipline;
mod link;
mod long_waits;
mod occupancy;
mod overhead;
mod packet;
mod random;
mod scheduler;
mod service;
mod time;
pub mod units;
mod wire;

pub use config::LinkConfig;
pub use counters::{Counters, Tally};
pub use discipline::{
    Capable, CoDel, Discipline, DropTail, Limited, Pie, Policer, Proportional, Queue, QueueView,
    Ramp, Verdict,
};
pub use link::{Backlog, Link};
pub use occupancy::{MeanAndSd, Occupancy};
pub use overhead::Overhead;
pub use packet::{Ecn, Exit, Fate, LossCause, Packet, Transit};
pub use random::{stream, uniform, Purpose, Stream};
pub use scheduler::{
    DualPi2, DualPi2Params, Fifo, FqCoDel, FqCoDelParams, Header, Queues, Scheduler, SubQueue,
};
pub use service::{
    ConstantRate, RateModel, ScheduledRate, Service, Trace, TraceError, TraceService, Unlimited,
};
pub use time::Time;
pub use units::{parse_duration, Buffer, Limit, ParseError, Probability, Rate, Schedule};
pub use wire::{
    Aggregate, Aggregator, Delay, GilbertElliott, InLongWaits, Jitter, Loss, Order, Outages,
    Reorder, Retries, Wifi, WifiAccess, Wire, WireChain,
};
