//! Marks, and what receivers and paths make of them.

use quiche_cc::units::Bytes;
use quiche_cc_bottleneck::Queue;
use quiche_cc_contract::expectation::{ensure, everybody, Law};
use quiche_cc_contract::path::{CeReport, Path, Receiver, Sender, Stage, Topology, SIZE};
use quiche_cc_contract::Subject;

use crate::{at_least, usual, MILLI, SECOND};

/// A path that marks beyond 5 ms of queue.
fn marking() -> Topology {
    Topology {
        queue: Queue::Step(5 * MILLI),
        ..usual()
    }
}

fn run(subject: &Subject, ce: CeReport) -> Stage {
    let receiver = Receiver::default().counting(ce);
    let mut path = Path::new(marking());
    path.add(Sender::new(subject), receiver);
    path.run_for(20 * SECOND);
    path.run_for(20 * SECOND)
}

/// Who is told that everything is marked slows down, but not below two packets per RTT. Who is told that nothing is, has
/// the buffer as its limit.
#[test]
fn lies_about_marks_starve_nobody_and_fill_no_more_than_the_buffer() {
    let topology = marking();
    everybody(Law::LiesAboutMarks, |subject| {
        let fair = run(subject, CeReport::Honest);
        let always = run(subject, CeReport::Always);
        let least = Bytes(2 * SIZE.0).per(topology.rtt + topology.longest_queue());
        at_least(0.5, always.rate(0), least, "everything marked")?;
        for ce in [CeReport::Never, CeReport::Bleached] {
            let got = run(subject, ce);
            at_least(0.9, got.rate(0), fair.rate(0), &format!("{ce:?}"))?;
            let lost = got.flows[0].lost * 10 <= got.flows[0].sent_packets;
            ensure(lost, || {
                format!(
                    "{ce:?}: lost {} of {}",
                    got.flows[0].lost, got.flows[0].sent_packets
                )
            })?;
        }
        Ok(())
    });
}
