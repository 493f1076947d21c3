//! Packets that overtake, ACKs in bunches, other packet sizes, other paths.

use quiche_cc::units::Bytes;
use quiche_cc_bottleneck::Buffer;
use quiche_cc_contract::expectation::{everybody, Law};
use quiche_cc_contract::path::{AckPolicy, Path, Receiver, Reordering, Sender, Topology, SIZE};

use crate::{at_least, undisturbed, usual, MILLI, SECOND};

/// Within the packet threshold nothing is declared lost, so it matters little. Beyond it every 20th packet is,
/// which a window that answers to loss pays for; but nobody falls below two packets per RTT.
#[test]
fn packets_that_overtake_each_other_do_not_stop_anybody() {
    let topology = usual();
    let packet = topology.serialisation(SIZE);
    everybody(Law::Reordering, |subject| {
        let reference = undisturbed(&topology, subject, 10 * SECOND, 10 * SECOND);
        let run = |by| {
            let reordering = Some(Reordering { every: 20, by });
            let rough = Topology {
                reordering,
                ..topology.clone()
            };
            undisturbed(&rough, subject, 10 * SECOND, 10 * SECOND)
        };
        at_least(0.5, run(packet * 3 / 2), reference, "by two packets")?;
        let least = Bytes(2 * SIZE.0).per(topology.rtt + topology.longest_queue());
        at_least(1.0, run(packet * 10), least, "by ten packets")
    });
}

/// Bunches at RTT / 2 leave half. At a whole RTT the RTT looks twice as long at times, which halves what a window
/// carries, and what is read as a queue may halve it again.
#[test]
fn acks_in_bunches_do_not_stop_anybody() {
    let topology = usual();
    everybody(Law::Aggregation, |subject| {
        let reference = undisturbed(&topology, subject, 10 * SECOND, 10 * SECOND);
        for (period, share) in [(topology.rtt / 2, 0.5), (topology.rtt, 0.25)] {
            let receiver = Receiver::default().acknowledging(AckPolicy::Aggregated(period));
            let mut path = Path::new(topology.clone());
            path.add(Sender::new(subject), receiver);
            path.run_for(10 * SECOND);
            let got = path.run_for(10 * SECOND).rate(0);
            at_least(share, got, reference, &format!("every {period:?}"))?;
        }
        Ok(())
    });
}

#[test]
fn another_packet_size_changes_little() {
    everybody(Law::PacketSize, |subject| {
        let mut path = Path::with_flow(usual(), subject);
        path.run_for(10 * SECOND);
        let before = path.run_for(5 * SECOND).rate(0);
        for size in [Bytes(1450), Bytes(1200)] {
            path.sender(0).set_packet_size(size);
            path.run_for(SECOND);
            let after = path.run_for(5 * SECOND).rate(0);
            at_least(0.75, after, before, &format!("{size:?}"))?;
        }
        Ok(())
    });
}

#[test]
fn a_new_path_is_as_good_as_a_first_one() {
    everybody(Law::Migration, |subject| {
        for (rate, rtt) in [(1_000_000, 100), (20_000_000, 20)] {
            let other = Topology::new(rate, rtt * MILLI, Buffer::Bdp(2.0));
            let mut path = Path::with_flow(usual(), subject);
            path.run_for(10 * SECOND);
            path.migrate(other.clone());
            path.run_for(5 * SECOND);
            let got = path.run_for(10 * SECOND).rate(0);
            let first = undisturbed(&other, subject, 5 * SECOND, 10 * SECOND);
            at_least(0.9, got, first, &format!("to {rate} bit/s, {rtt} ms"))?;
        }
        Ok(())
    });
}
