//! Which losses are congestion.

use super::*;

#[test]
fn loss_that_cannot_be_random_counts_without_delay() {
    let mut path = Path::steady("");
    path.epoch(0.0, 0);
    let burst = path.epoch(0.0, 20);
    assert!(
        close(burst, 1.0),
        "told at once, they may be a burst: {burst}"
    );
    let mut path = Path::steady("");
    path.epoch(0.0, 0);
    (0..10).for_each(|n| path.ack(0.0, usize::from(n < 8)));
    assert!(close(path.rate(), 1e6 * 0.99), "{}", path.rate());
}

#[test]
fn loss_in_the_longest_queue_of_late_is_that_of_a_short_buffer() {
    let lost_at = |queue_ms: f64| {
        let mut path = Path::steady("");
        path.epoch(0.0, 0);
        assert!(path.epoch(8.0, 0) > 1.0, "below d1");
        path.epoch(queue_ms, 1)
    };
    assert!(lost_at(8.0) < 1.0);
    assert!(close(lost_at(4.0), 1.0));
}

#[test]
fn what_is_lost_without_a_queue_has_reached_the_slowest_link() {
    let share_after = |lost| {
        let mut path = Path::steady("without=excessive_loss");
        path.controller.control.carried = Rate::from_bps(9e6);
        (0..20).for_each(|_| {
            path.epoch(0.0, lost);
        });
        path.controller.control.rate = Rate::from_bps(9e6);
        path.controller.decide();
        path.epoch(15.0, 0);
        path.controller
            .control
            .state
            .drain()
            .unwrap()
            .return_rate
            .bps()
    };
    let (without, with) = (share_after(0), share_after(1));
    // A packet of 11 was lost.
    assert!((with / without - 1.1).abs() < 0.02, "{with}, {without}");
}

#[test]
fn an_epoch_that_loses_more_than_usual_does_not_increase() {
    let mut path = Path::steady("");
    assert!(path.epoch(0.0, 0) > 1.0);
    let age = path.controller.control.since_decrease;
    assert!(close(path.epoch(0.0, 1), 1.0));
    assert_eq!(path.controller.control.since_decrease, age);
    assert!(path.epoch(0.0, 0) > 1.0);
}

/// How many of 60 epochs of ten packets decrease that lose a packet each at rates beyond so much
/// of R.
fn decreases_beyond(share: f64) -> usize {
    let mut path = Path::steady("");
    let beyond = path.rate() * share;
    path.controller.control.carried = Rate::from_bps(beyond);
    let lost = |path: &Path| usize::from(path.rate() > beyond);
    let factors = (0..60).map(|_| {
        let lost = lost(&path);
        path.epoch(0.0, lost)
    });
    factors.filter(|factor| *factor < 1.0).count()
}

#[test]
fn losses_that_begin_beyond_the_carried_rate_are_congestion() {
    assert!(decreases_beyond(0.99) > 0);
}

/// What is not known of them yet passes for too much, so that a few epochs decrease.
#[test]
fn random_losses_hardly_ever_are() {
    let mut path = Path::steady("");
    let factors = (0..400).map(|n| path.epoch(0.0, usize::from(n % 2 == 0)));
    let decreases = factors.filter(|factor| *factor < 1.0).count();
    assert!((1..20).contains(&decreases), "{decreases}");
    assert!(path.rate() > 1e6, "{}", path.rate());
}

#[test]
fn the_carried_rate_is_the_last_to_return_to_or_what_else_was_set() {
    let mut path = Path::steady("");
    path.epoch(15.0, 0);
    let control = &path.controller.control;
    let returns = control.state.drain().unwrap().return_rate;
    assert_eq!(control.carried, returns);
    (0..6).for_each(|_| {
        path.epoch(0.0, 0);
    });
    let control = &path.controller.control;
    assert_eq!(control.state, State::Growing);
    assert_eq!(control.carried, returns);
}
