//! Rate and delay as the receiver sees them.

use std::io;
use std::time::{Duration, Instant};

use quiche_cc_bottleneck::{Buffer, Ecn, Overhead, Rate};

use super::testbed::{receive, Received, Testbed};
use crate::clock::unix_now;
use crate::{Percentiles, Summary};

/// UDP payload of the packets sent: what QUIC sends on most paths.
const PAYLOAD: usize = 1200;

/// A saturated link, from server to client.
#[derive(Debug, Clone)]
pub struct RateReport {
    /// The rate asked for, bit/s.
    pub target: f64,
    /// The rate from the first to the last packet received, bit/s.
    pub measured: f64,
    /// The relay's own report.
    pub summary: Summary,
}

impl RateReport {
    /// Relative error, signed.
    pub fn error(&self) -> f64 {
        self.measured / self.target - 1.0
    }
}

/// Single packets through a link that is otherwise idle, from server to client.
#[derive(Debug, Clone)]
pub struct DelayReport {
    /// Propagation and serialisation of one packet.
    pub target: Duration,
    /// How much longer packets took, milliseconds.
    pub added: Percentiles,
    /// Packets that came, of those sent.
    pub received: (usize, usize),
    /// The relay's own report.
    pub summary: Summary,
}

/// Offers twice what a link of `target` can carry for `time`, and measures what comes out.
///
/// # Errors
/// Those of sockets; `InvalidData` if fewer than two packets came.
pub fn rate(target: Rate, time: Duration) -> io::Result<RateReport> {
    let bed = Testbed::start(|config| {
        config.down.rate = target.into();
        config.down.buffer = Buffer::Unlimited;
    })?;
    let size = u64::from(Overhead::IpUdp.size(PAYLOAD, false));
    let count = usize::try_from(target.bytes_in(time) / size)
        .unwrap_or(usize::MAX)
        .max(2);
    let received = std::thread::scope(|scope| {
        let receiver =
            scope.spawn(|| receive(&bed.client, count, 2 * time + Duration::from_secs(2)));
        let sent = send_paced(&bed, count, target.time_for(size) / 2);
        let received = receiver
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("the receiver panicked")));
        sent.and(received)
    })?;
    let summary = bed.stop()?;
    let (Some(first), Some(last)) = (received.first(), received.last()) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "nothing was received",
        ));
    };
    // By numbers, not by count: what the receiver's socket lost was sent all the same.
    let packets = number(last).saturating_sub(number(first));
    let span = last.at.saturating_sub(first.at).as_secs_f64();
    Ok(RateReport {
        target: target.bits_per_sec() as f64,
        measured: (packets * size * 8) as f64 / span,
        summary,
    })
}

/// Sends `count` single packets through a link of `rate` with a one-way delay of `delay`, and measures
/// how much longer than that they take.
///
/// # Errors
/// Those of sockets.
pub fn delay(rate: Rate, delay: Duration, count: usize) -> io::Result<DelayReport> {
    let bed = Testbed::start(|config| {
        config.down.rate = rate.into();
        config.down.delay = delay.into();
    })?;
    let serialisation = rate.time_for(u64::from(Overhead::IpUdp.size(PAYLOAD, false)));
    let target = delay + serialisation;
    // Far enough apart not to meet in the queue, and out of step with the ticks of the system.
    let pause = 2 * serialisation + Duration::from_micros(3_370);
    let mut sent = Vec::with_capacity(count);
    for number in 0..count {
        std::thread::sleep(pause);
        sent.push(unix_now());
        bed.server
            .send(bed.upstream, Ecn::NotEct, &payload(number))?;
    }
    let received = receive(&bed.client, count, target + Duration::from_secs(1))?;
    let summary = bed.stop()?;
    let added = |packet: &Received| {
        let sent = usize::try_from(number(packet))
            .ok()
            .and_then(|n| sent.get(n))?;
        let took = packet.at.as_secs_f64() - sent.as_secs_f64();
        Some((took - target.as_secs_f64()) * 1e3)
    };
    Ok(DelayReport {
        target,
        added: Percentiles::of(received.iter().filter_map(added).collect()),
        received: (received.len(), count),
        summary,
    })
}

/// Sends numbered packets, one per `pause` on average, in batches of about a millisecond.
fn send_paced(bed: &Testbed, count: usize, pause: Duration) -> io::Result<()> {
    let start = Instant::now();
    let mut next = 0;
    while next < count {
        let elapsed = start.elapsed().as_nanos();
        let due = usize::try_from(elapsed / pause.as_nanos().max(1))
            .unwrap_or(count)
            .min(count);
        let batch: Vec<u8> = (next..due).flat_map(payload).collect();
        bed.server
            .send_segments(bed.upstream, Ecn::NotEct, &batch, PAYLOAD)?;
        next = due;
        std::thread::sleep(Duration::from_millis(1).max(pause / 4));
    }
    Ok(())
}

/// The payload of packet `number`.
fn payload(number: usize) -> [u8; PAYLOAD] {
    let mut payload = [0; PAYLOAD];
    payload[..8].copy_from_slice(&(number as u64).to_be_bytes());
    payload
}

/// The number that a received packet carries.
fn number(packet: &Received) -> u64 {
    packet
        .payload
        .first_chunk()
        .map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
