//! DualPI2 (RFC 9332 appendix A).

use std::time::Duration;

use crate::queues::{delivered, link, longest_wait, lost, marked, mean_wait, of, run, Source, MS};
use crate::sender::run_senders;
use quiche_cc_bottleneck::{Ecn, LinkConfig, LossCause, Time};

const L4S: u64 = 1;
const CLASSIC: u64 = 2;
const END: Duration = Duration::from_secs(60);
/// By then the controller has settled.
const SETTLED: Duration = Duration::from_secs(30);

fn source(flow: u64, ecn: Ecn, every: Duration) -> Source {
    Source::steady(flow, ecn, every, END)
}

/// Classic sources of so many percent of the link, which do not react: the controller has to drop what is too much.
fn classic(ecn: Ecn, percent: f64) -> Source {
    source(CLASSIC, ecn, MS.mul_f64(100.0 / percent))
}

/// p' of an overload of Classic that is dropped: what is too much is p'^2.
#[test]
fn classic_loses_the_square_and_l4s_is_marked_by_the_coupling_factor() {
    for k in [1.0, 2.0, 3.0] {
        // L4S takes 20 % and never waits for the ramp, Classic 84 %: 5 % of it are too much.
        let sources = [source(L4S, Ecn::Ect1, 5 * MS), classic(Ecn::NotEct, 84.2)];
        let queue = format!("dualpi2:k={k},min_th=10s");
        let exits = run(&link(&queue, "10000p"), &sources);
        let (l4s, classic) = (
            of(&exits, L4S, SETTLED, END),
            of(&exits, CLASSIC, SETTLED, END),
        );
        let dropped = lost(&classic, LossCause::Discipline);
        assert!((dropped - 0.05).abs() < 0.003, "k={k}: {dropped}");
        let expected = k * dropped.sqrt();
        assert!(
            (marked(&l4s) / expected - 1.0).abs() < 0.03,
            "k={k}: {} for {expected}",
            marked(&l4s)
        );
        assert_eq!(lost(&l4s, LossCause::Discipline), 0.0);
        // The integral part holds the delay at the target, whatever the load.
        assert!(
            (mean_wait(&classic) - 15.0).abs() < 1.0,
            "{}",
            mean_wait(&classic)
        );
    }
}

#[test]
fn the_classic_queue_is_brought_to_its_target() {
    for (queue, target) in [("dualpi2", 15.0), ("dualpi2:target=30ms", 30.0)] {
        for ecn in [Ecn::NotEct, Ecn::Ect0] {
            let config = LinkConfig {
                delay: (30 * MS).into(),
                ..link(queue, "250ms")
            };
            let outcome = run_senders(&config, 4, ecn, 60);
            let ratio = outcome.delay / target;
            assert!((0.6..1.4).contains(&ratio), "{queue} {ecn:?}: {outcome:?}");
            assert!(outcome.utilisation > 0.95, "{queue} {ecn:?}: {outcome:?}");
            assert_eq!(outcome.dropped > 0, ecn == Ecn::NotEct, "{outcome:?}");
            assert_eq!(outcome.marked > 0, ecn == Ecn::Ect0, "{outcome:?}");
        }
    }
}

/// Section 4.2: ECT(1) and CE wait in the L4S queue, ECT(0) and Not-ECT in the other.
#[test]
fn the_ecn_field_chooses_the_queue() {
    for (ecn, low) in [
        (Ecn::Ect1, true),
        (Ecn::Ce, true),
        (Ecn::Ect0, false),
        (Ecn::NotEct, false),
    ] {
        let sources = [source(L4S, ecn, 10 * MS), classic(Ecn::NotEct, 120.0)];
        let exits = run(&link("dualpi2", "250ms"), &sources);
        let wait = mean_wait(&of(&exits, L4S, SETTLED, END));
        assert_eq!(wait < 2.0, low, "{ecn:?}: {wait} ms");
        assert_eq!(wait > 10.0, !low, "{ecn:?}: {wait} ms");
    }
}

/// Appendix A.1, `laqm`: none up to `min_th`, all above `min_th` and `range`. L4S alone, and p' of an empty Classic queue is zero
/// while the L4S queue stays below the target.
#[test]
fn the_l4s_queue_has_a_ramp_of_its_own() {
    // Bursts of 1 to 6 packets of 1 ms each: the n-th of them waits n - 1 ms, the last is never marked.
    let burst = |packets: u32| {
        let each = move |number| Source {
            from: MS / 1000 * number,
            ..source(L4S, Ecn::Ect1, 50 * MS)
        };
        (0..packets).map(each).collect::<Vec<_>>()
    };
    let marks = |queue: &str, packets| {
        let exits = run(&link(queue, "250ms"), &burst(packets));
        marked(&of(&exits, L4S, Duration::ZERO, END)) * f64::from(packets)
    };
    // 0, 1 and 2 ms.
    assert!((marks("dualpi2", 2) - 0.0).abs() < 0.01);
    // The second of three waits for nearly a millisecond, half way up the ramp.
    assert!((marks("dualpi2", 3) - 0.5).abs() < 0.02);
    assert!((marks("dualpi2:min_th=3500us,range=0ms", 4) - 0.0).abs() < 0.01);
    assert!((marks("dualpi2:min_th=3500us,range=0ms", 6) - 1.0).abs() < 0.01);
}

/// Section 4.2.2: L4S goes first, but however much there is of it, Classic keeps its share.
#[test]
fn l4s_goes_first_and_does_not_starve_classic() {
    for (weight, share) in [("6.25%", 0.0625), ("20%", 0.2)] {
        // Twice the link of L4S, which ignores its marks; the target is out of reach, so that nobody is dropped by p'.
        let sources = [source(L4S, Ecn::Ect1, MS / 2), classic(Ecn::NotEct, 50.0)];
        let queue = format!("dualpi2:weight={weight},target=1000s");
        let exits = run(&link(&queue, "unlimited"), &sources);
        let settled = Time::from(SETTLED)..Time::from(END);
        let sent = |flow| {
            let of = exits.iter().filter(|exit| exit.packet.flow == flow);
            delivered(
                &of.filter(|exit| settled.contains(&exit.at))
                    .collect::<Vec<_>>(),
            )
        };
        let part = sent(CLASSIC) / (sent(CLASSIC) + sent(L4S));
        // No less than its share, and no more: L4S goes first.
        assert!((part / share - 1.0).abs() < 0.02, "{weight}: {part}");
    }
    let sources = [source(L4S, Ecn::Ect1, 2 * MS), classic(Ecn::NotEct, 200.0)];
    let exits = run(&link("dualpi2", "250ms"), &sources);
    let wait = longest_wait(&of(&exits, L4S, SETTLED, END));
    assert!(wait <= 3.0, "{wait} ms behind a Classic overload");
}

/// Appendix A.2: when marks do not help, both queues drop, at the same probability, and the delay stays bounded.
#[test]
fn in_overload_dropping_replaces_marking() {
    // 150 % of the link, of which a third is too much; more than p_Cmax = 1/4.
    for (l4s, classic_share) in [(100.0, 50.0), (150.0, 0.1), (0.1, 150.0)] {
        let sources = [
            source(L4S, Ecn::Ect1, MS.mul_f64(100.0 / l4s)),
            classic(Ecn::Ect0, classic_share),
        ];
        let exits = run(&link("dualpi2", "10000p"), &sources);
        for flow in [L4S, CLASSIC] {
            let late = of(&exits, flow, SETTLED, END);
            let dropped = lost(&late, LossCause::Discipline);
            assert!(
                (dropped - 1.0 / 3.0).abs() < 0.05,
                "{l4s}: flow {flow} {dropped}"
            );
            assert!(mean_wait(&late) < 25.0, "{l4s}: {} ms", mean_wait(&late));
        }
        let spared = of(&exits, L4S, SETTLED, END);
        let kept = 1.0 - lost(&spared, LossCause::Discipline);
        assert!(
            (marked(&spared) - kept).abs() < 0.02,
            "all that is not dropped is marked"
        );
    }
}

/// Below the overload L4S loses nothing but to a full buffer.
#[test]
fn l4s_is_never_dropped_below_the_overload() {
    let sources = [source(L4S, Ecn::Ect1, 2 * MS), classic(Ecn::NotEct, 55.0)];
    let exits = run(&link("dualpi2", "10000p"), &sources);
    let all = of(&exits, L4S, Duration::ZERO, END);
    assert_eq!(lost(&all, LossCause::Discipline), 0.0);
}

/// After any pause the controller begins anew.
#[test]
fn a_long_pause_takes_no_time_to_compute_and_leaves_nothing() {
    let pause = Duration::from_secs(1_000_000);
    let again = |number| Source {
        from: pause * number,
        until: pause * number + 400 * MS,
        ..source(CLASSIC, Ecn::NotEct, MS / 2)
    };
    let exits = run(&link("dualpi2", "10000p"), &[again(0), again(1), again(2)]);
    let dropped = |number| {
        let span = of(&exits, CLASSIC, pause * number, pause * number + END);
        lost(&span, LossCause::Discipline)
    };
    assert!(dropped(0) > 0.0);
    assert!((dropped(1) - dropped(0)).abs() < 0.01);
    assert_eq!(dropped(1), dropped(2));
}
