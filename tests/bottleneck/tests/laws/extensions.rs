//! Disciplines, services and wires from outside the crate: they plug in without a change of the link.

use std::time::Duration;

use crate::traffic::{run, seeded, sleep_until_next_delivery, traffic};
use proptest::prelude::*;
use quiche_cc_bottleneck::{
    Delay, Discipline, Ecn, Fate, Fifo, Link, LossCause, Packet, Probability, QueueView, Rate,
    Service, Stream, Time, Unlimited, Verdict, Wire,
};

const MS: Duration = Duration::from_millis(1);

/// Marks on arrival when more than `mark_above` bytes wait; drops at the head what waited too long.
struct MarkThenDrop {
    mark_above: u64,
    drop_after: Duration,
}

impl Discipline for MarkThenDrop {
    fn on_arrival(&mut self, queue: &QueueView, _: u32, _: Ecn, _: &mut Stream) -> Verdict {
        if queue.bytes > self.mark_above {
            Verdict::Mark
        } else {
            Verdict::Pass
        }
    }

    fn on_departure(
        &mut self,
        _: &QueueView,
        _: u32,
        _: Ecn,
        waited: Duration,
        _: &mut Stream,
    ) -> Verdict {
        if waited > self.drop_after {
            Verdict::Drop
        } else {
            Verdict::Pass
        }
    }
}

/// Slots of 1500 bytes every millisecond; several small packets share one, and what is not used is lost.
struct Slots {
    at: Time,
    left: u32,
}

impl Service for Slots {
    fn finish(&mut self, start: Time, size: u32) -> Time {
        let mut need = size;
        if start > self.at {
            let millis = start.as_nanos().div_ceil(1_000_000);
            (self.at, self.left) = (Time::from_nanos(millis * 1_000_000), 1500);
        }
        while need > self.left {
            need -= self.left;
            (self.at, self.left) = (self.at + MS, 1500);
        }
        self.left -= need;
        self.at
    }

    fn rate(&self, _: Time) -> Option<Rate> {
        "12Mbps".parse().ok()
    }

    fn capacity(&self, from: Time, until: Time) -> Option<u64> {
        let slots = |time: Time| time.as_nanos() / 1_000_000;
        Some(1500 * (slots(until) - slots(from)))
    }
}

/// Every third packet takes 5 ms longer.
struct Reordering {
    count: u32,
}

impl Wire for Reordering {
    fn deliver(&mut self, sent: Time, _: u32, _: &mut Stream) -> Option<Time> {
        self.count += 1;
        let detour = if self.count.is_multiple_of(3) {
            5 * MS
        } else {
            Duration::ZERO
        };
        Some(sent + MS + detour)
    }

    fn min_delay(&self) -> Duration {
        MS
    }
}

fn wire() -> Box<Delay> {
    Box::new(Delay::new(MS))
}

fn packet(size: u32, ecn: Ecn, payload: usize) -> Packet<usize> {
    Packet {
        size,
        ecn,
        flow: 0,
        payload,
    }
}

proptest! {
    #![proptest_config(seeded(200))]

    #[test]
    fn every_packet_still_leaves_once_and_in_time_order(traffic in traffic()) {
        let discipline = MarkThenDrop { mark_above: 5000, drop_after: 20 * MS };
        let service = Slots { at: Time::ZERO, left: 1500 };
        let mut link = Link::new(Box::new(Fifo::new(discipline)), Box::new(service), Box::new(Reordering { count: 0 }), 1, 0);
        let exits = run(&mut link, &traffic, |link| {
            if let (Some(event), Some(delivery)) = (link.next_event(), link.next_delivery()) {
                assert!(event <= delivery);
            }
        });
        prop_assert_eq!(exits.len(), traffic.len());
        prop_assert!(exits.iter().map(|exit| exit.at).is_sorted());
        prop_assert_eq!(link.held(), 0);
        for exit in &exits {
            if let Fate::Delivered(transit) = exit.fate {
                prop_assert!(transit.queueing <= 20 * MS);
            }
        }
    }

    #[test]
    fn waking_up_at_next_delivery_is_never_too_late_although_packets_overtake(traffic in traffic()) {
        let discipline = MarkThenDrop { mark_above: 5000, drop_after: 20 * MS };
        let service = Slots { at: Time::ZERO, left: 1500 };
        let mut link = Link::new(Box::new(Fifo::new(discipline)), Box::new(service), Box::new(Reordering { count: 0 }), 1, 0);
        sleep_until_next_delivery(&mut link, &traffic);
    }
}

#[test]
fn a_mark_becomes_ce_and_a_drop_for_who_is_not_capable() {
    let discipline = MarkThenDrop {
        mark_above: 0,
        drop_after: Duration::MAX,
    };
    let service = quiche_cc_bottleneck::ConstantRate::new("1Mbps".parse::<Rate>().unwrap());
    let mut link = Link::new(
        Box::new(Fifo::new(discipline)),
        Box::new(service),
        wire(),
        1,
        0,
    );
    for number in 0..2 {
        // The first is in service, the second waits.
        link.send(Time::ZERO, packet(1000, Ecn::Ect0, number));
    }
    for (number, ecn) in [
        (2, Ecn::Ect0),
        (3, Ecn::Ect1),
        (4, Ecn::Ce),
        (5, Ecn::NotEct),
    ] {
        link.send(Time::ZERO, packet(1000, ecn, number));
    }
    let end = Time::from_nanos(u64::MAX);
    let mut exits: Vec<_> = std::iter::from_fn(|| link.receive(end)).collect();
    exits.sort_by_key(|exit| exit.packet.payload);
    let ecn: Vec<_> = exits.iter().map(|exit| exit.packet.ecn).collect();
    assert_eq!(
        ecn,
        [Ecn::Ect0, Ecn::Ect0, Ecn::Ce, Ecn::Ce, Ecn::Ce, Ecn::NotEct]
    );
    assert_eq!(exits[5].fate, Fate::Lost(LossCause::Discipline));
    let counters = link.counters();
    assert_eq!(
        (counters.marked.packets, counters.delivered_ce.packets),
        (3, 3)
    );
    assert_eq!(counters.lost_discipline.packets, 1);
}

#[test]
fn packets_overtake_each_other_on_a_reordering_wire() {
    let discipline = MarkThenDrop {
        mark_above: u64::MAX,
        drop_after: Duration::MAX,
    };
    let mut link = Link::new(
        Box::new(Fifo::new(discipline)),
        Box::new(Unlimited),
        Box::new(Reordering { count: 0 }),
        1,
        0,
    );
    for number in 0..5 {
        link.send(
            Time::ZERO + MS * number as u32,
            packet(1000, Ecn::NotEct, number),
        );
    }
    let end = Time::from_nanos(u64::MAX);
    let order: Vec<_> = std::iter::from_fn(|| link.receive(end))
        .map(|exit| exit.packet.payload)
        .collect();
    assert_eq!(order, [0, 1, 3, 4, 2]);
}

#[test]
fn streams_of_one_seed_are_independent_and_stable() {
    let half = Probability::new(0.5).unwrap();
    let draws = |seed, id| {
        let mut rng = quiche_cc_bottleneck::stream(seed, id);
        (0..64).map(|_| half.draw(&mut rng)).collect::<Vec<_>>()
    };
    assert_eq!(draws(1, 0), draws(1, 0));
    assert_ne!(draws(1, 0), draws(1, 1));
    assert_ne!(draws(1, 0), draws(2, 0));
    // A fixed value: results must not change with the machine or the version of a dependency.
    let word = draws(1, 0)
        .into_iter()
        .fold(0u64, |word, bit| word << 1 | u64::from(bit));
    assert_eq!(word, 0xdb2f_1fdc_8a1a_c804);
}
