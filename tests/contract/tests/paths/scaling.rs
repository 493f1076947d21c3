//! A path that is slower by a factor all over.

use quiche_cc_bottleneck::Buffer;
use quiche_cc_contract::expectation::{ensure, everybody, Law};
use quiche_cc_contract::path::{AckPolicy, Path, Receiver, Sender, Stage, Topology};
use quiche_cc_contract::Subject;

use crate::{MILLI, SECOND};

/// With ACKs of every packet nothing in sender and receiver has a time of its own, but the RTT to assume before the first sample.
fn run(subject: &Subject, factor: u32) -> Stage {
    let rate = 20_000_000 / u64::from(factor);
    let rtt = 20 * MILLI * factor;
    let receiver = Receiver::default().acknowledging(AckPolicy::Every(1));
    let mut path = Path::new(Topology::new(rate, rtt, Buffer::Bdp(1.0)));
    path.add(Sender::new(subject), receiver);
    path.run_for(20 * SECOND * factor);
    path.run_for(20 * SECOND * factor)
}

#[test]
fn a_path_that_is_slower_all_over_is_used_alike_only_slower() {
    everybody(Law::Scaling, |subject| {
        let reference = run(subject, 1);
        for factor in [2, 4] {
            let got = run(subject, factor);
            let share = got.rate(0).bps() * f64::from(factor) / reference.rate(0).bps();
            let queue = got.mean_queue().as_secs_f64()
                / (reference.mean_queue() * factor).as_secs_f64().max(1e-6);
            ensure(
                (0.95..1.05).contains(&share) && (0.8..1.25).contains(&queue),
                || format!("by {factor}: {share:.3} of the rate, {queue:.3} of the queue"),
            )?;
        }
        Ok(())
    });
}
