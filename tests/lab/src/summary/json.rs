//! JSON that is the same on every machine.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};

/// Decimal digits of a number in summaries and series.
pub const SIGNIFICANT_DIGITS: usize = 6;

/// `number` with so many significant digits, without an exponent.
pub fn rounded(number: f64) -> String {
    let text = format!("{number:.*e}", SIGNIFICANT_DIGITS - 1);
    let rounded: f64 = text.parse().expect("what was just written is a number");
    // Zero has no sign here.
    format!("{}", rounded + 0.0)
}

/// `value` as JSON, indented, its keys in the order of their declaration, its numbers [`rounded`].
pub fn to_text(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let mut serializer =
        serde_json::Serializer::with_formatter(&mut text, Rounding(PrettyFormatter::new()));
    value
        .serialize(&mut serializer)
        .expect("summaries have text as keys and memory takes everything");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// Writes numbers rounded, and all else as the formatter within does.
struct Rounding(PrettyFormatter<'static>);

impl Formatter for Rounding {
    fn write_f64<W: ?Sized + io::Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        out.write_all(rounded(value).as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_significant_digits_and_no_exponent() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0 / 3.0, "0.333333"),
            (999_999.5, "1000000"),
            (123_456_789.0, "123457000"),
            (0.000_012_345_678, "0.0000123457"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(rounded(number), text);
        }
    }

    #[test]
    fn keys_stay_in_order_and_nothing_stays_null() {
        #[derive(Serialize)]
        struct Value {
            z: f64,
            a: Option<f64>,
            list: Vec<u32>,
        }
        let value = Value {
            z: 0.1 + 0.2,
            a: None,
            list: vec![1],
        };
        let text = "{\n  \"z\": 0.3,\n  \"a\": null,\n  \"list\": [\n    1\n  ]\n}\n";
        assert_eq!(to_text(&value), text);
    }
}
