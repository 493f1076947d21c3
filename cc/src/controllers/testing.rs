//! A path for tests of controllers that have epochs: 100 ms of round trip, and always something to
//! send.

use std::time::Duration;

use crate::controller::{Controller, Event, Start, Value};
use crate::estimate::State;
use crate::feedback::{Acked, Feedback, Lost};
use crate::units::{Bytes, Owd, Time};

pub const MILLI: Duration = Duration::from_millis(1);
pub const SIZE: Bytes = Bytes(1250);

pub fn delay(millis: f64) -> Owd {
    Owd::from_nanos((millis * 1e6).round() as i64)
}

pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

pub fn start() -> Start {
    Start {
        initial_window_packets: 10,
        max_datagram_size: SIZE,
        initial_rtt: 333 * MILLI,
    }
}

/// The value of a field in an event.
pub fn field(event: &Event, name: &str) -> Value {
    let found = event.fields.iter().find(|(field, _)| *field == name);
    found.unwrap_or_else(|| panic!("no {name}")).1.clone()
}

/// What may come back: how long after the last feedback, how old, of which size, and how many
/// packets were acknowledged and lost.
pub type Step = (u64, u64, u64, usize, usize);

/// Whatever comes back, window and rate of the decision stay sane.
pub fn stays_sane(mut controller: impl Controller, steps: Vec<Step>) {
    let mut now = Time::default() + 10_000 * MILLI;
    for (wait, age, size, acked, lost) in steps {
        now = now + MILLI * wait as u32;
        let age = MILLI * age as u32;
        let sent = Time::from_origin(Duration::from_nanos(now.as_nanos()).saturating_sub(age));
        let size = Bytes(size);
        let packet = Acked {
            sent,
            size,
            received: None,
        };
        let (acked, lost) = (vec![packet; acked], vec![Lost { sent, size }; lost]);
        controller.on_sent(now, size);
        controller.on_feedback(&Feedback {
            lost: &lost,
            ..Feedback::of(now, &acked, &[])
        });
        let decision = controller.decision();
        assert!(decision.window.0 >= 2 * SIZE.0);
        assert!(decision.window.0.is_multiple_of(SIZE.0));
        assert!(decision.bandwidth.bps() > 0.0 && decision.bandwidth.bps() <= 10e9);
        assert!(decision.pacing.bps() >= decision.bandwidth.bps());
        while controller.next_event().is_some() {}
    }
}

/// What a source is told on the first ACK, after losses, and after three seconds in which nothing
/// came back.
pub fn estimated_states(controller: impl Controller) -> [State; 3] {
    let mut path = Path::with(controller);
    let first = path.controller.estimate(path.now);
    (0..3).for_each(|_| _ = path.epoch(0.0, 1));
    let later = path.controller.estimate(path.now);
    path.black_out();
    let last = path.controller.estimate(path.now);
    [first, later, last].map(|estimate| estimate.state.unwrap())
}

/// A path of 100 ms with a controller on it that always has something to send.
pub struct Path<C> {
    pub controller: C,
    pub now: Time,
    /// Between ACKs.
    pub every: Duration,
    /// What is in flight when they come.
    pub in_flight: Bytes,
}

impl<C: Controller> Path<C> {
    /// After the first ACK.
    pub fn with(controller: C) -> Self {
        let mut path = Self {
            controller,
            now: Time::default() + 1000 * MILLI,
            every: 10 * MILLI,
            in_flight: Bytes(u64::MAX),
        };
        path.ack(0.0, 0);
        path
    }

    /// A full packet comes back that met `queue_ms` of queue, and `lost` others are lost.
    pub fn ack(&mut self, queue_ms: f64, lost: usize) {
        self.batch(1, queue_ms, lost);
    }

    /// The same for some packets that one ACK acknowledges, which was held back until the last of
    /// them came.
    pub fn batch(&mut self, packets: u32, queue_ms: f64, lost: usize) {
        self.now = self.now + self.every * packets;
        let rtt = 100 * MILLI + Duration::from_nanos((queue_ms * 1e6) as u64);
        let sent = |before| {
            let now = Duration::from_nanos(self.now.as_nanos());
            Time::from_origin(now - rtt - self.every * before)
        };
        let acked = |before| Acked {
            sent: sent(before),
            size: SIZE,
            received: None,
        };
        let acked: Vec<Acked> = (0..packets).rev().map(acked).collect();
        let last = Lost {
            sent: sent(0),
            size: SIZE,
        };
        let lost = vec![last; lost];
        self.controller.on_sent(self.now, SIZE * u64::from(packets));
        self.controller.on_feedback(&Feedback {
            lost: &lost,
            in_flight: self.in_flight,
            ..Feedback::of(self.now, &acked, &[])
        });
    }

    /// One epoch of 100 ms with this queue; gives the factor by which R has changed.
    pub fn epoch(&mut self, queue_ms: f64, lost: usize) -> f64 {
        let before = self.rate();
        (0..10).for_each(|i| self.ack(queue_ms, if i == 0 { lost } else { 0 }));
        self.rate() / before
    }

    /// One epoch of 100 ms without a queue, in which each of ten ACKs acknowledges so many packets.
    pub fn full_epoch(&mut self, packets: u32) {
        let every = std::mem::replace(&mut self.every, 10 * MILLI / packets);
        (0..10).for_each(|_| self.batch(packets, 0.0, 0));
        self.every = every;
    }

    /// All that the application sends is lost for three seconds, and then a packet comes back.
    pub fn black_out(&mut self) {
        let lost: Vec<Lost> = (1..30)
            .map(|place| Lost {
                sent: self.now + 100 * place * MILLI,
                size: SIZE,
            })
            .collect();
        let acked = [Acked {
            sent: self.now + 3_100 * MILLI,
            size: SIZE,
            received: None,
        }];
        self.now = self.now + 3_200 * MILLI;
        self.controller.on_feedback(&Feedback {
            lost: &lost,
            in_flight: SIZE,
            ..Feedback::of(self.now, &acked, &[])
        });
    }

    pub fn rate(&self) -> f64 {
        self.controller.decision().bandwidth.bps()
    }
}
