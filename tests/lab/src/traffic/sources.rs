//! One-way sources of data.

use std::time::Duration;

use quiche_cc_bottleneck::{Stream, Time};

use super::exponential;
use crate::scenario::Traffic;

/// What a source has come up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// So many bytes more.
    Bytes(u64),
    /// From now on as much as can be sent.
    Endless,
    /// From now on nothing, and what was not sent yet is forgotten.
    Silence,
}

/// Comes up with data.
pub trait Source {
    /// When it next does.
    fn next(&self) -> Option<Time>;

    /// What it comes up with at `now`, the application holding `held` bytes that are not yet known to have arrived. Moves
    /// [`next`](Source::next) on.
    fn produce(&mut self, now: Time, held: u64) -> Demand;
}

/// The source for `traffic`, if that is one: it starts at `start` and makes packets with `packet` bytes of data.
pub fn source(traffic: &Traffic, start: Time, packet: u64, rng: Stream) -> Option<Box<dyn Source>> {
    Some(match *traffic {
        Traffic::Unlimited => Box::new(Once(Some((start, Demand::Endless)))),
        Traffic::Transfer { bytes } => Box::new(Once(Some((start, Demand::Bytes(bytes))))),
        Traffic::Bursts {
            packets,
            every,
            buffer,
        } => Box::new(Bursts {
            at: start,
            every,
            packets,
            buffer,
            packet,
        }),
        Traffic::Cbr { rate } => Box::new(Packets {
            at: start,
            gap: rate.time_for(packet),
            random: None,
            packet,
        }),
        Traffic::Poisson { rate } => Box::new(Packets {
            at: start,
            gap: rate.time_for(packet),
            random: Some(rng),
            packet,
        }),
        Traffic::OnOff {
            on,
            off,
            rate,
            fixed,
        } => Box::new(OnOff {
            at: start,
            until: start,
            on: false,
            spans: [on, off],
            gap: rate.map(|rate| rate.time_for(packet)),
            packet,
            rng: (!fixed).then_some(rng),
        }),
        Traffic::Responses { every, ref sizes } => Box::new(Responses {
            at: start,
            every,
            sizes: sizes.clone(),
            next: (0, 0),
        }),
        Traffic::Requests { .. } | Traffic::Media { .. } | Traffic::Encoder(_) => return None,
    })
}

/// One demand, once.
struct Once(Option<(Time, Demand)>);

impl Source for Once {
    fn next(&self) -> Option<Time> {
        self.0.map(|(at, _)| at)
    }

    fn produce(&mut self, _now: Time, _held: u64) -> Demand {
        self.0.take().map_or(Demand::Bytes(0), |(_, demand)| demand)
    }
}

/// Bursts into a buffer of limited size.
struct Bursts {
    at: Time,
    every: Duration,
    packets: u64,
    buffer: u64,
    packet: u64,
}

impl Source for Bursts {
    fn next(&self) -> Option<Time> {
        Some(self.at)
    }

    fn produce(&mut self, _now: Time, held: u64) -> Demand {
        self.at = self.at + self.every;
        let free = self.buffer.saturating_sub(held.div_ceil(self.packet));
        Demand::Bytes(self.packets.min(free) * self.packet)
    }
}

/// Responses of given sizes at regular intervals.
struct Responses {
    at: Time,
    every: Duration,
    /// Bytes, and how often.
    sizes: Vec<(u64, u64)>,
    /// The place of the next one's size, and how many of it there were.
    next: (usize, u64),
}

impl Source for Responses {
    fn next(&self) -> Option<Time> {
        Some(self.at)
    }

    fn produce(&mut self, _now: Time, _held: u64) -> Demand {
        self.at = self.at + self.every;
        let (place, before) = self.next;
        let (bytes, times) = self.sizes[place];
        self.next = match before + 1 < times {
            true => (place, before + 1),
            false => ((place + 1) % self.sizes.len(), 0),
        };
        Demand::Bytes(bytes)
    }
}

/// Packets at regular or random intervals.
struct Packets {
    at: Time,
    gap: Duration,
    random: Option<Stream>,
    packet: u64,
}

impl Source for Packets {
    fn next(&self) -> Option<Time> {
        Some(self.at)
    }

    fn produce(&mut self, _now: Time, _held: u64) -> Demand {
        let gap = match &mut self.random {
            Some(rng) => exponential(rng, self.gap),
            None => self.gap,
        };
        self.at = self.at + gap.max(Duration::from_nanos(1));
        Demand::Bytes(self.packet)
    }
}

/// Alternates between sending and silence.
struct OnOff {
    at: Time,
    /// End of the present span.
    until: Time,
    on: bool,
    spans: [Duration; 2],
    /// Between packets while on; `None` for as much as can be sent.
    gap: Option<Duration>,
    packet: u64,
    rng: Option<Stream>,
}

impl OnOff {
    fn turn(&mut self) {
        self.on = !self.on;
        let mean = self.spans[usize::from(!self.on)];
        let span = match &mut self.rng {
            Some(rng) => exponential(rng, mean),
            None => mean,
        };
        self.until = self.until + span.max(Duration::from_nanos(1));
    }
}

impl Source for OnOff {
    fn next(&self) -> Option<Time> {
        Some(self.at)
    }

    fn produce(&mut self, now: Time, _held: u64) -> Demand {
        if now >= self.until {
            self.turn();
            if !self.on || self.gap.is_none() {
                self.at = self.until;
                return if self.on {
                    Demand::Endless
                } else {
                    Demand::Silence
                };
            }
        }
        self.at = self.until.min(now + self.gap.unwrap_or_default());
        Demand::Bytes(self.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_follow_their_list_of_sizes_and_begin_again() {
        let traffic = Traffic::Responses {
            every: Duration::from_millis(50),
            sizes: vec![(2_500, 3), (1_000_000, 1)],
        };
        let rng = quiche_cc_bottleneck::stream(1, 0);
        let mut responses = source(&traffic, Time::ZERO, 1_200, rng).unwrap();
        for bytes in [2_500, 2_500, 2_500, 1_000_000, 2_500] {
            let at = responses.next().unwrap();
            assert_eq!(responses.produce(at, 0), Demand::Bytes(bytes));
            assert_eq!(responses.next(), Some(at + Duration::from_millis(50)));
        }
    }
}
