//! The record of a run.

use std::fs::File;

use nix::sys::signal::Signal;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Row, RowAccessor};
use quiche_cc_link::accuracy::receive;

use crate::running::{socket, LoggedPath, Running, PATIENCE};

/// The columns `size`, `started_ns`, `left_ns` and `fate`.
const SIZE: usize = 5;
const STARTED: usize = 9;
const LEFT: usize = 10;
const FATE: usize = 13;

#[test]
fn the_record_has_a_row_for_every_packet() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("record.parquet");
    let client = socket();
    let options = ["--buffer", "10p", "--record", file.to_str().unwrap()];
    let mut path = LoggedPath::start(&[&client], &options);
    path.send(0, 20);
    assert_eq!(receive(&client, 11, PATIENCE).unwrap().len(), 11);
    path.program.signal(Signal::SIGTERM);
    let summary = path.program.line();
    let (code, said) = path.program.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(summary["record_lost"], 0);
    let record = SerializedFileReader::new(File::open(&file).unwrap()).unwrap();
    let rows: Vec<_> = record
        .get_row_iter(None)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let is = |row: &&Row, fate: &str| row.get_string(FATE).unwrap() == fate;
    let of = |fate: &str| rows.iter().filter(|row| is(row, fate)).count();
    let arrived =
        |direction: &str| summary[direction]["arrived_packets"].as_u64().unwrap() as usize;
    assert_eq!(rows.len(), arrived("down") + arrived("up"));
    assert_eq!((of("overflow"), of("delivered")), (9, rows.len() - 9));
    // By the model a packet leaves when the link has been busy with it for 10 ms. It is sent on a little later.
    let full = rows
        .iter()
        .filter(|row| row.get_int(SIZE).unwrap() == 1250 && is(row, "delivered"));
    let took: Vec<_> = full
        .map(|row| row.get_long(LEFT).unwrap() - row.get_long(STARTED).unwrap())
        .collect();
    assert_eq!(took.len(), 11);
    assert!(took.iter().all(|ns| *ns > 10_000_000), "{took:?}");
}

#[test]
fn a_record_that_cannot_be_written_is_named() {
    let options = ["--listen", "127.0.0.1:0", "--to", "127.0.0.1:9"];
    let mut program =
        Running::start(&[&options[..], &["--record", "/no/such/record.parquet"]].concat());
    let (code, said) = program.end();
    assert_eq!(code, Some(1));
    assert!(
        said.contains("/no/such/record.parquet cannot be written"),
        "{said}"
    );
}
