//! Records made by hand, with numbers computed by hand.

mod fairness;
mod flow;
mod link;

use std::time::Duration;

use quiche_cc_bottleneck::Time;

use super::Window;
use crate::record::{Delivery, FlowRecord};

fn ms(ms: u64) -> Time {
    Time::from_nanos(ms * 1_000_000)
}

fn window(from_ms: u64, to_ms: u64) -> Window {
    Window::new(ms(from_ms), ms(to_ms)).unwrap()
}

fn delivery(at_ms: u64, one_way_ms: u64, queueing_ms: u64) -> Delivery {
    Delivery {
        at: ms(at_ms),
        one_way: Duration::from_millis(one_way_ms),
        queueing: Duration::from_millis(queueing_ms),
        size: 1250,
        ce: false,
    }
}

/// Gets `packets` of 1250 bytes in every 100 ms from `from_ms` to `to_ms`.
fn regular(from_ms: u64, to_ms: u64, packets: usize) -> FlowRecord {
    let instants = (from_ms..to_ms).step_by(100);
    FlowRecord {
        deliveries: instants
            .flat_map(|at| std::iter::repeat_n(delivery(at, 50, 0), packets))
            .collect(),
        ..FlowRecord::default()
    }
}
