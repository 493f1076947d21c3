//! Pictures that stay too long.

use std::time::Duration;

use quiche_cc_bottleneck::Time;

/// A picture that stays for longer than a frame's time and this, and than three frames' times, is frozen (W3C, Identifiers for
/// WebRTC's Statistics API, `freezeCount`).
const FREEZE: Duration = Duration::from_millis(150);

/// The times for which pictures stayed too long, of those that were shown `at` these times in this order, where one is due
/// `every` so often. Both ends of the window count as new pictures.
pub fn frozen(
    at: impl IntoIterator<Item = Time>,
    every: Duration,
    from: Time,
    to: Time,
) -> Vec<Duration> {
    let most = (every + FREEZE).max(3 * every);
    let mut all: Vec<Time> = vec![from];
    all.extend(at);
    all.push(to);
    let gaps = all.windows(2).map(|two| two[1].since(two[0]));
    gaps.filter(|gap| *gap > most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn what_is_longer_than_a_frame_and_150_ms_is_frozen_at_both_ends_as_well() {
        let at = |ms: u32| Time::ZERO + MS * ms;
        let shown = [200, 390, 430, 630].map(at);
        let frozen = frozen(shown, 40 * MS, at(0), at(900));
        assert_eq!(frozen, [200 * MS, 200 * MS, 270 * MS]);
    }
}
