//! Quantities with their units, so that no public signature has a bare number.

use std::fmt;
use std::ops::{Add, Div, Mul, Sub};
use std::time::Duration;

/// Nanoseconds in a second.
const NANOS: f64 = 1e9;

/// An instant: nanoseconds since an origin that is fixed for the connection, at most 68 years. What
/// a peer claims is not limited otherwise, and sums and differences of some have to fit into 64
/// bits, with their sign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(u64);

impl Time {
    const LAST_SECOND: u64 = 1 << 31;
    /// Never.
    pub const LAST: Time = Time(u64::MAX);

    /// `since_origin` after the origin, saturating.
    #[inline]
    pub fn from_origin(since_origin: Duration) -> Self {
        let seconds = since_origin.as_secs().min(Self::LAST_SECOND);
        Self(seconds * 1_000_000_000 + u64::from(since_origin.subsec_nanos()))
    }

    /// So many nanoseconds after the origin, saturating.
    #[inline]
    pub fn from_nanos(nanos: u64) -> Self {
        Self(nanos.min(Self::LAST_SECOND * 1_000_000_000))
    }

    /// Nanoseconds since the origin.
    pub fn as_nanos(self) -> u64 {
        self.0
    }

    /// Time since `earlier`, zero if that is later.
    pub fn since(self, earlier: Time) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }

    /// The same as a delay.
    pub fn delay_since(self, earlier: Time) -> Owd {
        Owd::from(self.counted_from(earlier))
    }

    /// This instant on a clock that starts at `origin`; zero if that is later.
    pub fn counted_from(self, origin: Time) -> Time {
        Time(self.0.saturating_sub(origin.0))
    }
}

impl Add<Duration> for Time {
    type Output = Time;

    fn add(self, rhs: Duration) -> Time {
        Time(self.0.saturating_add(Time::from_origin(rhs).0))
    }
}

/// A one-way delay, or a difference of two: signed nanoseconds. The clocks at both ends have
/// unrelated origins, so only differences mean anything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owd(i64);

impl Owd {
    /// No delay.
    pub const ZERO: Owd = Owd(0);
    /// Longer than any other.
    pub const LONGEST: Owd = Owd(i64::MAX);

    /// From nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// The nearest to so many nanoseconds. `f64::round` is a function of the C library on many
    /// processors.
    #[inline]
    fn rounded(nanos: f64) -> Self {
        Self((nanos + 0.5f64.copysign(nanos)) as i64)
    }

    /// In nanoseconds.
    pub const fn as_nanos(self) -> i64 {
        self.0
    }

    /// In seconds.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / NANOS
    }

    /// As a duration, zero if negative.
    pub fn to_duration(self) -> Duration {
        Duration::from_nanos(self.0.max(0) as u64)
    }

    /// In milliseconds.
    pub fn as_millis(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl From<Duration> for Owd {
    fn from(duration: Duration) -> Self {
        Owd::from(Time::from_origin(duration))
    }
}

impl From<Time> for Owd {
    /// The time since the origin.
    fn from(time: Time) -> Self {
        Owd(time.0 as i64)
    }
}

impl Add for Owd {
    type Output = Owd;

    fn add(self, rhs: Owd) -> Owd {
        Owd(self.0.wrapping_add(rhs.0))
    }
}

impl Mul<u32> for Owd {
    type Output = Owd;

    fn mul(self, rhs: u32) -> Owd {
        Owd(self.0.wrapping_mul(i64::from(rhs)))
    }
}

impl Mul<f64> for Owd {
    type Output = Owd;

    /// The nearest; zero if that is not a number.
    #[inline]
    fn mul(self, rhs: f64) -> Owd {
        Owd::rounded(self.0 as f64 * rhs)
    }
}

impl Div<u32> for Owd {
    type Output = Owd;

    /// Rounded towards zero. Dividing by zero is dividing by one.
    #[inline]
    fn div(self, rhs: u32) -> Owd {
        Owd(self.0 / i64::from(rhs.max(1)))
    }
}

impl Sub for Owd {
    type Output = Owd;

    fn sub(self, rhs: Owd) -> Owd {
        Owd(self.0.wrapping_sub(rhs.0))
    }
}

/// A duration in nanoseconds, at most 68 years. Arithmetic with them takes a fraction of that with
/// seconds and nanoseconds.
#[inline]
pub fn nanos(duration: Duration) -> u64 {
    Time::from_origin(duration).as_nanos()
}

/// `duration` times `factor`, to the nanosecond; zero if that is negative or not a number.
#[inline]
pub fn scaled(duration: Duration, factor: f64) -> Duration {
    (Owd::from(duration) * factor).to_duration()
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl Bytes {
    /// The rate that moves this many bytes in `period`; unlimited if that is zero.
    pub fn per(self, period: Duration) -> Rate {
        Rate::from_bps(self.0 as f64 * 8.0 / period.as_secs_f64())
    }
}

impl Add for Bytes {
    type Output = Bytes;

    fn add(self, rhs: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(rhs.0))
    }
}

impl Mul<u64> for Bytes {
    type Output = Bytes;

    fn mul(self, rhs: u64) -> Bytes {
        Bytes(self.0.saturating_mul(rhs))
    }
}

/// A rate in bits per second, never negative and never NaN.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Rate {
    /// No limit.
    pub const INFINITE: Rate = Rate(f64::INFINITY);

    /// From bits per second; zero if that is negative or not a number.
    pub fn from_bps(bps: f64) -> Self {
        Self(if bps > 0.0 { bps } else { 0.0 })
    }

    /// In bits per second.
    pub fn bps(self) -> f64 {
        self.0
    }

    /// In packets of `size`, at least one byte.
    pub fn in_packets(self, size: Bytes) -> PacketRate {
        PacketRate::from_per_sec(self.0 / (size.0.max(1) as f64 * 8.0))
    }

    /// Bytes that this rate moves in `period`.
    pub fn over(self, period: Duration) -> f64 {
        self.0 * period.as_secs_f64() / 8.0
    }

    /// How long so many bytes delay what is behind them, to the nanosecond; below a bit per second
    /// as with that.
    #[inline]
    pub fn delay_of(self, bytes: Bytes) -> Owd {
        Owd::rounded(bytes.0 as f64 * 8.0 * NANOS / self.0.max(1.0))
    }

    /// The lower of the two.
    pub fn min(self, other: Rate) -> Rate {
        Rate(self.0.min(other.0))
    }

    /// The higher of the two.
    pub fn max(self, other: Rate) -> Rate {
        Rate(self.0.max(other.0))
    }

    /// This rate, held between `low` and `high`.
    pub fn clamp(self, low: Rate, high: Rate) -> Rate {
        Rate(self.0.max(low.0).min(high.0))
    }
}

impl Add for Rate {
    type Output = Rate;

    fn add(self, rhs: Rate) -> Rate {
        Rate::from_bps(self.0 + rhs.0)
    }
}

impl Mul<f64> for Rate {
    type Output = Rate;

    fn mul(self, rhs: f64) -> Rate {
        Rate::from_bps(self.0 * rhs)
    }
}

/// A rate in packets per second, never negative and never NaN: for laws that count packets of any
/// size.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct PacketRate(f64);

impl PacketRate {
    /// From packets per second; zero if that is negative or not a number.
    pub fn from_per_sec(packets: f64) -> Self {
        Self(if packets > 0.0 { packets } else { 0.0 })
    }

    /// In packets per second.
    pub fn per_sec(self) -> f64 {
        self.0
    }

    /// The rate of packets of `size`.
    pub fn of(self, size: Bytes) -> Rate {
        Rate::from_bps(self.0 * size.0 as f64 * 8.0)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bps if bps >= 1e9 => write!(f, "{}Gbps", bps / 1e9),
            bps if bps >= 1e6 => write!(f, "{}Mbps", bps / 1e6),
            bps if bps >= 1e3 => write!(f, "{}kbps", bps / 1e3),
            bps => write!(f, "{bps}bps"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_convert_to_bytes_and_back() {
        let rate = Bytes(12_500).per(Duration::from_millis(100));
        assert_eq!(rate.bps(), 1e6);
        assert_eq!(rate.over(Duration::from_millis(100)), 12_500.0);
        assert_eq!(rate.to_string(), "1Mbps");
        let delay = |rate: Rate, bytes| rate.delay_of(Bytes(bytes)).to_duration();
        assert_eq!(delay(rate, 12_500), Duration::from_millis(100));
        assert_eq!(delay(Rate::default(), 1), Duration::from_secs(8));
        assert_eq!(delay(Rate::INFINITE, 1), Duration::ZERO);
    }

    #[test]
    fn delays_scale_to_the_nearest_nanosecond() {
        for (nanos, factor, scaled) in [(5, 0.5, 3), (5, 0.4, 2), (-5, 0.5, -3), (5, -0.4, -2)] {
            let product = Owd::from_nanos(nanos) * factor;
            assert_eq!(product.as_nanos(), scaled, "{nanos} * {factor}");
        }
        assert_eq!(scaled(Duration::from_nanos(5), -1.0), Duration::ZERO);
        assert_eq!(scaled(Duration::MAX, f64::NAN), Duration::ZERO);
        assert!(scaled(Duration::MAX, 1e9) > Duration::from_secs(1 << 32));
    }

    #[test]
    fn packets_of_a_size_make_a_rate() {
        let rate = PacketRate::from_per_sec(100.0).of(Bytes(1250));
        assert_eq!(rate.bps(), 1e6);
        assert_eq!(rate.in_packets(Bytes(1250)).per_sec(), 100.0);
        assert_eq!(PacketRate::from_per_sec(f64::NAN).per_sec(), 0.0);
    }

    #[test]
    fn nonsense_rates_are_zero() {
        for bps in [-1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(Rate::from_bps(bps).bps(), 0.0);
        }
    }

    #[test]
    fn times_of_any_length_can_be_added_and_subtracted() {
        let longest = Owd::from(Duration::MAX);
        assert!(longest + longest > longest);
        assert!(Owd::ZERO - longest - longest < Owd::ZERO - longest);
        let clock = Duration::from_secs(1_800_000_000);
        assert_eq!(Owd::from(clock).to_duration(), clock);
    }

    #[test]
    fn one_way_delays_are_signed() {
        let earlier = Owd::from_nanos(3_000_000);
        let later = Owd::from_nanos(1_000_000);
        assert_eq!((later - earlier).as_millis(), -2.0);
    }
}
