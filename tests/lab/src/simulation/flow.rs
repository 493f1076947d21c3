//! A flow in a running simulation.

use quiche_cc_bottleneck::{Ecn, Stream, Time};

use super::outbox::Outbox;
use super::quic::QuicFlow;
use super::udp::UdpFlow;
use super::{RunConfig, RunError};
use crate::network::{Parcel, Side};
use crate::record::{FlowRecord, SenderSample};
use crate::scenario::{FlowDecl, Scenario, Transport};
use crate::virtual_time::VirtualTime;

/// A flow.
pub enum Flow {
    /// A QUIC connection.
    Quic(Box<QuicFlow>),
    /// Datagrams that nobody controls.
    Udp(UdpFlow),
}

impl Flow {
    /// The flow `id` of `scenario`, not yet begun.
    pub fn new(
        id: usize,
        decl: &FlowDecl,
        scenario: &Scenario,
        config: &RunConfig<'_>,
        rng: Stream,
    ) -> Result<Self, RunError> {
        let datagram = scenario.datagram;
        match &decl.transport {
            Transport::Udp => Ok(Self::Udp(UdpFlow::new(id, decl, datagram, rng))),
            Transport::Quic(quic) => {
                let flow = QuicFlow::new(id, decl, quic, datagram, config, rng)?;
                Ok(Self::Quic(Box::new(flow)))
            }
        }
    }

    /// A datagram has come.
    pub fn receive(&mut self, time: &VirtualTime, now: Time, parcel: &mut Parcel, ecn: Ecn) {
        if let Self::Quic(flow) = self {
            flow.receive(time, now, parcel, ecn);
        }
    }

    /// Lets one end do what is due. Returns when it is due again.
    pub fn act(
        &mut self,
        time: &VirtualTime,
        now: Time,
        side: Side,
        out: &mut Outbox,
        record: &mut FlowRecord,
    ) -> Option<Time> {
        match self {
            Self::Quic(flow) => flow.act(time, now, side, out, record),
            Self::Udp(flow) if side == Side::Server => flow.act(now, out),
            Self::Udp(_) => None,
        }
    }

    /// The sender's state, if there is one.
    pub fn sample(&self, time: &VirtualTime, at: Time) -> Option<SenderSample> {
        match self {
            Self::Quic(flow) => flow.sample(time, at),
            Self::Udp(_) => None,
        }
    }

    /// The run is over.
    pub fn finish(&mut self, time: &VirtualTime, now: Time, record: &mut FlowRecord) {
        if let Self::Quic(flow) = self {
            flow.stop(time, now, record);
        }
    }
}
