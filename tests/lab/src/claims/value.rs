//! Numbers with their units, as papers state them.

use quiche_cc_bottleneck::{parse_duration, Probability, Rate};

/// What a number counts. Inside, all are in base units: seconds, bit/s, 1, packets, bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Seconds; shown in milliseconds below one.
    Time,
    /// Bit/s, shown in Mbit/s.
    Rate,
    /// A part of a whole, shown in percent.
    Share,
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
    /// A plain number.
    Number,
}

/// A number with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// In base units.
    pub amount: f64,
    /// Of what.
    pub unit: Unit,
}

/// What texts of values may look like.
pub const ALLOWED: &str =
    "a time (24ms, 40s), a rate (0.9Mbps), a share (0.4%), packets (3.8p), bytes (1250B) or a plain number (0.95)";

impl Value {
    /// Reads `24ms`, `0.9Mbps`, `0.4%`, `3.8p`, `1250B` or `0.95`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let value = |amount, unit| Some(Self { amount, unit });
        if let Ok(amount) = text.parse::<f64>() {
            return amount.is_finite().then_some(Self {
                amount,
                unit: Unit::Number,
            });
        }
        if let Some(packets) = text.strip_suffix('p').and_then(|n| n.trim().parse().ok()) {
            return value(packets, Unit::Packets);
        }
        if let Some(bytes) = text.strip_suffix('B').and_then(|n| n.trim().parse().ok()) {
            return value(bytes, Unit::Bytes);
        }
        if let Ok(share) = text.parse::<Probability>() {
            return value(share.value(), Unit::Share);
        }
        if let Some(percent) = text
            .strip_suffix('%')
            .and_then(|n| n.trim().parse::<f64>().ok())
        {
            return value(percent / 100.0, Unit::Share);
        }
        if let Ok(span) = parse_duration(text) {
            return value(span.as_secs_f64(), Unit::Time);
        }
        let rate: Rate = text.parse().ok()?;
        value(rate.bits_per_sec() as f64, Unit::Rate)
    }

    /// The amount in `unit`, if it can be meant so: plain numbers stand for shares and packets, too, and 0 for anything.
    pub fn amount_in(self, unit: Unit) -> Option<f64> {
        let fits = self.unit == unit
            || self.unit == Unit::Number && self.amount == 0.0
            || self.unit == Unit::Number && matches!(unit, Unit::Share | Unit::Packets)
            || self.unit == Unit::Share && unit == Unit::Number;
        fits.then_some(self.amount)
    }
}

impl Unit {
    /// For people: `24.0 ms`, `0.870 Mbit/s`.
    pub fn show(self, amount: f64) -> String {
        let digits = |x: f64| match x.abs() {
            0.0 => 0,
            x if x < 0.1 => 4,
            x if x < 10.0 => 3,
            x if x < 100.0 => 2,
            x if x < 1000.0 => 1,
            _ => 0,
        };
        let plain = |x: f64| {
            let text = format!("{x:.*}", digits(x));
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => text,
            }
        };
        match self {
            Self::Time if amount.abs() < 1.0 => format!("{} ms", plain(amount * 1e3)),
            Self::Time => format!("{} s", plain(amount)),
            Self::Rate => format!("{} Mbit/s", plain(amount / 1e6)),
            Self::Share => format!("{} %", plain(amount * 100.0)),
            Self::Packets => format!("{} packets", plain(amount)),
            Self::Bytes => format!("{} bytes", plain(amount)),
            Self::Number => plain(amount),
        }
    }

    /// As files state it, rounded to three digits: up or down.
    pub fn write(self, amount: f64, up: bool) -> String {
        let (amount, ending) = match self {
            Self::Rate if amount == 0.0 => (0.0, ""),
            Self::Time if amount.abs() < 1.0 => (amount * 1e3, "ms"),
            Self::Time => (amount, "s"),
            Self::Rate => (amount / 1e6, "Mbps"),
            Self::Share => (amount * 100.0, "%"),
            Self::Packets => (amount, "p"),
            Self::Bytes => (amount, "B"),
            Self::Number => (amount, ""),
        };
        format!("{}{ending}", rounded(amount, up))
    }

    /// The unit of axes, and how many of it make up the base unit.
    pub fn on_axes(self) -> (&'static str, f64) {
        match self {
            Self::Time => ("ms", 1e3),
            Self::Rate => ("Mbit/s", 1e-6),
            Self::Share => ("%", 100.0),
            Self::Packets => ("packets", 1.0),
            Self::Bytes => ("bytes", 1.0),
            Self::Number => ("", 1.0),
        }
    }

    /// The base unit, in which claims.json states amounts.
    pub fn base(self) -> &'static str {
        match self {
            Self::Time => "s",
            Self::Rate => "bit/s",
            Self::Share | Self::Number => "1",
            Self::Packets => "packets",
            Self::Bytes => "bytes",
        }
    }

    /// What it is called in errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "a time, as 24ms",
            Self::Rate => "a rate, as 0.9Mbps",
            Self::Share => "a share, as 0.4%",
            Self::Packets => "packets, as 3.8p",
            Self::Bytes => "bytes, as 1250B",
            Self::Number => "a plain number, as 0.95",
        }
    }
}

/// To three digits, up or down.
fn rounded(x: f64, up: bool) -> String {
    if x == 0.0 {
        return "0".into();
    }
    let last = libm::log10(x.abs()).floor() - 2.0;
    let step = libm::pow(10.0, last);
    // A little less than whole, so that rounding errors do not add a step.
    let steps = match up {
        true => (x / step - 1e-9).ceil(),
        false => (x / step + 1e-9).floor(),
    };
    let text = format!("{:.*}", (-last).max(0.0) as usize, steps * step);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_their_units() {
        for (text, amount, unit) in [
            ("24ms", 0.024, Unit::Time),
            ("40s", 40.0, Unit::Time),
            ("0.9Mbps", 9e5, Unit::Rate),
            ("0.4%", 0.004, Unit::Share),
            ("140%", 1.4, Unit::Share),
            ("3.8p", 3.8, Unit::Packets),
            ("1250B", 1250.0, Unit::Bytes),
            ("-1.5e-3", -0.0015, Unit::Number),
        ] {
            assert_eq!(Value::parse(text), Some(Value { amount, unit }), "{text}");
        }
        for text in ["", "fast", "3 apples", "nan", "inf", "24 msec"] {
            assert_eq!(Value::parse(text), None, "{text}");
        }
    }

    #[test]
    fn plain_numbers_stand_for_shares_and_packets_but_not_for_times_or_rates() {
        let plain = Value::parse("0.5").unwrap();
        assert_eq!(plain.amount_in(Unit::Share), Some(0.5));
        assert_eq!(plain.amount_in(Unit::Packets), Some(0.5));
        assert_eq!(plain.amount_in(Unit::Time), None);
        assert_eq!(plain.amount_in(Unit::Rate), None);
    }

    #[test]
    fn files_state_three_digits_to_the_asked_side_that_are_read_again() {
        for (amount, unit, down, up) in [
            (0.1234567, Unit::Time, "123ms", "124ms"),
            (12.0, Unit::Time, "12s", "12s"),
            (1.2345e8, Unit::Rate, "123Mbps", "124Mbps"),
            (0.00123456, Unit::Share, "0.123%", "0.124%"),
            (1234.5, Unit::Packets, "1230p", "1240p"),
            (-0.98765, Unit::Number, "-0.988", "-0.987"),
            (0.3 - 0.1, Unit::Number, "0.2", "0.2"),
            (0.0, Unit::Rate, "0", "0"),
        ] {
            assert_eq!(
                [unit.write(amount, false), unit.write(amount, true)],
                [down, up]
            );
            let read = Value::parse(up).unwrap().amount_in(unit).unwrap();
            assert!((read - amount).abs() <= 0.01 * amount.abs(), "{up}");
        }
    }

    #[test]
    fn people_read_four_digits_at_most() {
        assert_eq!(Unit::Time.show(0.024), "24 ms");
        assert_eq!(Unit::Time.show(38.1999), "38.2 s");
        assert_eq!(Unit::Rate.show(870_234.0), "0.87 Mbit/s");
        assert_eq!(Unit::Share.show(0.00488), "0.488 %");
        assert_eq!(Unit::Number.show(0.0), "0");
        assert_eq!(Unit::Packets.show(1234.5), "1234 packets");
    }
}
