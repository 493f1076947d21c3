//! A link as it is declared.

use std::time::Duration;

use crate::service::Stopping;
use crate::{
    Aggregate, Aggregator, Buffer, Delay, Jitter, Link, Loss, Outages, Purpose, Queue, Rate,
    RateModel, Reorder, Schedule, Service, TraceError, WireChain,
};

/// A link by its models. Each of them is read from text ([`FromStr`](std::str::FromStr)) and written so
/// that the same is read again; the default is a link that changes nothing.
///
/// The wire consists of these parts, in this order, which is that of the fields: a packet is sent into an outage or not,
/// is lost or not, travels, is delayed, waits for its batch, takes a detour.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkConfig {
    /// The rate.
    pub rate: RateModel,
    /// Who is marked or dropped.
    pub queue: Queue,
    /// What the queue may hold.
    pub buffer: Buffer,
    /// Round-trip time of the idle path, for sizes in bandwidth-delay products.
    pub base_rtt: Duration,
    /// When the wire is down.
    pub outages: Option<Outages>,
    /// Random loss.
    pub loss: Loss,
    /// Propagation delay, one way.
    pub delay: Schedule<Duration>,
    /// Delay that varies.
    pub jitter: Option<Jitter>,
    /// Delivery in batches.
    pub aggregate: Option<Aggregate>,
    /// Detours.
    pub reorder: Option<Reorder>,
}

impl Default for LinkConfig {
    fn default() -> Self {
        Self {
            rate: RateModel::Unlimited,
            queue: Queue::DropTail,
            buffer: Buffer::Unlimited,
            base_rtt: Duration::ZERO,
            outages: None,
            loss: Loss::default(),
            delay: Schedule::constant(Duration::ZERO),
            jitter: None,
            aggregate: None,
            reorder: None,
        }
    }
}

impl LinkConfig {
    /// The link, with the random streams number `id` of `seed`: links of one run get different ids.
    ///
    /// # Errors
    /// The rate is a recording that cannot be read.
    pub fn build<P>(&self, seed: u64, id: u64) -> Result<Link<P>, TraceError> {
        let (service, rate) = self.service(seed)?;
        let limit = self.buffer.limit(rate, self.base_rtt);
        let discipline = self.queue.build(limit, rate, self.base_rtt);
        let wire = Box::new(self.wire(seed, id));
        Ok(Link::new(discipline, service, wire, seed, id))
    }

    /// The service with the long waits in which it stops in a run with `seed`, and the nominal rate
    /// ([`RateModel::build`]).
    ///
    /// # Errors
    /// The rate is a recording that cannot be read.
    pub fn service(&self, seed: u64) -> Result<(Box<dyn Service>, Option<Rate>), TraceError> {
        let (service, rate) = self.rate.build()?;
        let Some(spans) = self.jitter.as_ref().and_then(Jitter::stops) else {
            return Ok((service, rate));
        };
        // Of the run and not of the link: one medium serves nobody, in either direction.
        let rng = Purpose::LongWaits.stream(seed, 0);
        Ok((Box::new(Stopping::new(service, spans, rng)), rate))
    }

    fn wire(&self, seed: u64, id: u64) -> WireChain {
        let mut chain = WireChain::new(seed, id);
        if let Some(outages) = &self.outages {
            chain = chain.then(Purpose::Wire, Box::new(outages.clone()));
        }
        if self.loss != Loss::default() {
            chain = chain.then(Purpose::Loss, self.loss.build());
        }
        chain = chain.then(Purpose::Wire, Box::new(Delay::new(self.delay.clone())));
        if let Some(jitter) = &self.jitter {
            chain = chain.then(Purpose::Jitter, jitter.clone().build());
        }
        if let Some(aggregate) = self.aggregate {
            chain = chain.then(Purpose::Wire, Box::new(Aggregator::new(aggregate)));
        }
        if let Some(reorder) = self.reorder {
            chain = chain.then(Purpose::Reorder, Box::new(reorder));
        }
        chain
    }
}
