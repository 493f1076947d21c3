//! A source that stops and goes on.

use super::*;

#[test]
fn a_pause_raises_the_rate_as_one_round_trip_does() {
    // A source of 100 packets/s, with a target far above, has grown; then it has nothing for 16
    // round trips.
    let mut walk = Walk::new("target=100Mbps", 20, 10);
    walk.until(400, &[300]);
    let before = walk.until(600, &[]);
    let grown = walk.until(640, &[]) - before;
    let before = walk.raimd.rate.per_sec();
    let acked = [Acked {
        sent: at(walk.now + 320),
        size: SIZE,
        received: None,
    }];
    walk.feedback(at(walk.now + 340), &acked, &[], Bytes(u64::MAX));
    let raised = walk.raimd.rate.per_sec() - before;
    assert!(
        raised > 0.0 && raised < 1.5 * grown,
        "{raised}, {grown} before"
    );
}
