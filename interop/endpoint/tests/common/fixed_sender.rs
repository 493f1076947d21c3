//! A congestion controller that does not react.

use std::time::Instant;

use quiche::congestion_control::{
    Bandwidth, BurstAllowance, CongestionControl, CongestionControlFactory, CongestionEvent,
    InitialState, RecoveryStats, RttStats,
};
use quiche::EcnCodepoint;

const DATAGRAM: usize = 1250;

/// Window, rate, bursts and marking stay as they are.
#[derive(Clone, Debug)]
pub struct FixedSender {
    /// Congestion window in bytes.
    pub window: usize,
    pub rate: Bandwidth,
    pub burst: BurstAllowance,
    pub ecn: EcnCodepoint,
}

impl CongestionControlFactory for FixedSender {
    fn build(&self, _initial: &InitialState) -> Box<dyn CongestionControl> {
        Box::new(self.clone())
    }
}

impl CongestionControl for FixedSender {
    fn state_str(&self) -> &'static str {
        "fixed"
    }

    fn get_congestion_window(&self) -> usize {
        self.window
    }

    fn get_congestion_window_in_packets(&self) -> usize {
        self.window / DATAGRAM
    }

    fn can_send(&self, bytes_in_flight: usize) -> bool {
        bytes_in_flight < self.window
    }

    fn on_packet_sent(&mut self, _: Instant, _: usize, _: u64, _: usize, _: bool) {}

    fn on_congestion_event(&mut self, _: &CongestionEvent<'_>, _: &mut RecoveryStats) {}

    fn on_retransmission_timeout(&mut self, _: bool) {}

    fn on_connection_migration(&mut self) {}

    fn is_in_recovery(&self) -> bool {
        false
    }

    fn is_cwnd_limited(&self, _: usize) -> bool {
        false
    }

    fn pacing_rate(&self, _: usize, _: &RttStats) -> Bandwidth {
        self.rate
    }

    fn bandwidth_estimate(&self, _: &RttStats) -> Bandwidth {
        self.rate
    }

    fn max_bandwidth(&self) -> Bandwidth {
        self.rate
    }

    fn update_mss(&mut self, _: usize) {}

    fn burst_allowance(&self) -> BurstAllowance {
        self.burst
    }

    fn ecn_codepoint(&self) -> EcnCodepoint {
        self.ecn
    }
}
