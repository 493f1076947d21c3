//! What applications want to send, and when.

mod encoder;
mod media;
mod pages;
mod sources;
mod stream;

use std::time::Duration;

use quiche_cc_bottleneck::{Stream, Time};

use self::encoder::Encoder;
use self::media::Media;
use self::pages::{PageShape, Pages};
pub use self::sources::{source, Demand, Source};
use self::stream::StreamApp;
use crate::host::Connection;
use crate::record::MediaRecord;
use crate::scenario::Traffic;

/// The application on both ends of a QUIC flow.
pub trait Application {
    /// The server's end may read and write. `acked` says how many bytes of the data stream the client is known to have
    /// received in order.
    fn serve(&mut self, now: Time, conn: &mut Connection, acked: u64);

    /// The client's end may read and write. Returns how many bytes of data it has read.
    fn consume(&mut self, now: Time, conn: &mut Connection) -> u64;

    /// When the server has something to do without having received anything.
    fn next_serve(&self) -> Option<Time>;

    /// When the client has something to do without having received anything.
    fn next_consume(&self) -> Option<Time> {
        None
    }

    /// Completion times of pages since the last call: when each was asked for, and when it was complete.
    fn take_completions(&mut self) -> Vec<(Time, Time)> {
        Vec::new()
    }

    /// All that has been noted about live media, when the flow is over.
    fn take_media(&mut self) -> Option<MediaRecord> {
        None
    }
}

/// The application for `traffic`, which starts at `start` and puts `packet` bytes of data into a full packet.
pub fn application(
    traffic: &Traffic,
    start: Time,
    packet: u64,
    rng: Stream,
) -> Box<dyn Application> {
    if let Traffic::Requests {
        objects,
        parallel,
        size,
        spread,
        think,
        request,
    } = *traffic
    {
        let shape = PageShape {
            objects,
            parallel,
            size,
            spread,
            think,
            request,
        };
        return Box::new(Pages::new(shape, start, rng));
    }
    if let Traffic::Media { tracks } = traffic {
        return Box::new(Media::new(tracks, start));
    }
    if let Traffic::Encoder(shape) = traffic {
        return Box::new(Encoder::new(shape, start));
    }
    let source = source(traffic, start, packet, rng).expect("all other traffic has a source");
    Box::new(StreamApp::new(source, packet))
}

/// A uniform number in (0, 1], the same on every machine.
fn uniform(rng: &mut Stream) -> f64 {
    use rand_chacha::rand_core::Rng;
    ((rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// Exponentially distributed with this mean.
fn exponential(rng: &mut Stream, mean: Duration) -> Duration {
    mean.mul_f64(-libm::log(uniform(rng)))
}

/// Normally distributed with mean 0 and standard deviation 1 (Box and Muller).
fn normal(rng: &mut Stream) -> f64 {
    let (radius, angle) = (uniform(rng), uniform(rng));
    libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(std::f64::consts::TAU * angle)
}
