//! The columns of the file, and rows as columns.

use parquet::data_type::ByteArray;

use crate::{Names, Row};

/// The columns in their order, as docs/run-record.md lists them.
pub const SCHEMA: &str = "message packets {
    required int64 packet;
    required int32 hop;
    required binary link (STRING);
    required binary flow (STRING);
    required binary to (STRING);
    required int32 size;
    required int32 payload;
    required int64 arrived_ns;
    required int64 queued_bytes;
    optional int64 started_ns;
    optional int64 left_ns;
    required int32 ecn_in;
    required int32 ecn_out;
    required binary fate (STRING);
}";

/// Columns of numbers that hardly change from row to row, which deltas make small.
pub const DELTAS: [&str; 5] = [
    "packet",
    "arrived_ns",
    "queued_bytes",
    "started_ns",
    "left_ns",
];

/// The values of a column.
pub enum Column {
    /// 64-bit numbers.
    Long(Vec<i64>),
    /// The same, some of which are missing: the values that are there, and for each row whether it has one.
    Maybe(Vec<i64>, Vec<i16>),
    /// 32-bit numbers.
    Short(Vec<i32>),
    /// Words.
    Text(Vec<ByteArray>),
}

/// The columns of these rows, in the order of [`SCHEMA`].
pub fn columns(rows: &[Row], names: &mut Names) -> Vec<Column> {
    let long =
        |value: &dyn Fn(&Row) -> u64| Column::Long(rows.iter().map(|r| signed(value(r))).collect());
    let short =
        |value: &dyn Fn(&Row) -> u32| Column::Short(rows.iter().map(|r| value(r) as i32).collect());
    let word = |value: &dyn Fn(&Row) -> &'static str| {
        Column::Text(rows.iter().map(|r| ByteArray::from(value(r))).collect())
    };
    let maybe = |value: &dyn Fn(&Row) -> Option<u64>| {
        let all: Vec<_> = rows.iter().map(value).collect();
        let there = all.iter().map(|value| value.is_some().into()).collect();
        Column::Maybe(all.into_iter().flatten().map(signed).collect(), there)
    };
    vec![
        long(&|r| r.packet),
        short(&|r| r.hop as u32),
        Column::Text(rows.iter().map(|r| names.link(r.link)).collect()),
        Column::Text(rows.iter().map(|r| names.flow(r.flow)).collect()),
        word(&|r| r.to.name()),
        short(&|r| r.size),
        short(&|r| r.payload),
        long(&|r| r.arrived.as_nanos()),
        long(&|r| r.queued_bytes),
        maybe(&|r| r.started().map(|at| at.as_nanos())),
        maybe(&|r| r.left.map(|left| left.at.as_nanos())),
        short(&|r| r.ecn.bits().into()),
        short(&|r| r.left.map_or(r.ecn, |left| left.ecn).bits().into()),
        word(&Row::fate),
    ]
}

/// Parquet's numbers have a sign; centuries of nanoseconds fit nevertheless.
fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
