//! What a link does comes back out of the file.

use std::fs::File;
use std::path::Path;

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};
use quiche_cc_bottleneck::{Ecn, Fate, LinkConfig, Packet, Time, Transit};
use quiche_cc_record::{
    Clock, Ending, Left, Names, Provenance, Queued, Recorder, Row, Side, Sink, Writer,
};

fn provenance() -> Provenance {
    Provenance::new(Clock::Virtual, "test 1").with("seed", 7)
}

fn reader(path: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(path).unwrap()).unwrap()
}

fn lasted(duration_ns: u64) -> Ending {
    Ending {
        duration_ns,
        ..Ending::default()
    }
}

fn row(packet: u64, left: Option<Left>) -> Row {
    Row {
        packet,
        hop: 0,
        link: 0,
        flow: 0,
        to: Side::Client,
        size: 1250,
        payload: 1222,
        arrived: Time::from_nanos(packet * 1000),
        queued_bytes: 0,
        ecn: Ecn::NotEct,
        left,
    }
}

/// Packets of 1250 bytes at 1 Mbit/s, 10 ms each, with room for two; one per millisecond.
fn through_a_link(path: &Path) {
    let config = LinkConfig {
        rate: "1Mbps".parse().unwrap(),
        buffer: "2p".parse().unwrap(),
        ..LinkConfig::default()
    };
    let mut link = config.build::<u64>(1, 0).unwrap();
    let names = Names::new(["bottleneck"], ["main"]);
    let mut recorder = Recorder::new(Writer::create(path, &provenance(), names).unwrap());
    for packet in 1..=4 {
        let at = Time::from_nanos(packet * 1_000_000);
        link.advance(at);
        recorder.arrives(Row {
            arrived: at,
            queued_bytes: link.backlog().bytes,
            ..row(packet, None)
        });
        let ecn = Ecn::NotEct;
        link.send(
            at,
            Packet {
                size: 1250,
                ecn,
                flow: 0,
                payload: packet,
            },
        );
    }
    while let Some(exit) = link.receive(Time::from_nanos(22_000_000)) {
        recorder.leaves(exit.packet.payload, exit.at, &exit);
    }
    recorder.finish().finish(lasted(22_000_000)).unwrap();
}

#[test]
fn a_row_says_what_the_link_did_with_a_packet() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record.parquet");
    through_a_link(&path);
    let file = reader(&path);
    let rows: Vec<_> = file
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let told: Vec<_> = rows
        .iter()
        .map(|row| {
            let left = match row.get_column_iter().nth(10).unwrap().1 {
                Field::Long(left) => Some(*left),
                _ => None,
            };
            let fate = row.get_string(13).unwrap().as_str();
            (
                row.get_long(0).unwrap(),
                row.get_long(8).unwrap(),
                left,
                fate,
            )
        })
        .collect();
    let expected = [
        (4, 2500, Some(4_000_000), "overflow"),
        (1, 0, Some(11_000_000), "delivered"),
        (2, 0, Some(21_000_000), "delivered"),
        (3, 1250, None, "inside"),
    ];
    assert_eq!(told, expected);
    assert_eq!(rows[0].get_string(2).unwrap(), "bottleneck");
    assert_eq!(rows[0].get_string(3).unwrap(), "main");
    assert_eq!(rows[0].get_string(4).unwrap(), "client");
}

#[test]
fn the_file_says_where_it_comes_from_and_how_it_ended() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record.parquet");
    through_a_link(&path);
    let file = reader(&path);
    let told = file
        .metadata()
        .file_metadata()
        .key_value_metadata()
        .unwrap();
    let told: Vec<_> = told
        .iter()
        .map(|entry| (entry.key.as_str(), entry.value.as_deref().unwrap()))
        .collect();
    let expected = [
        ("format", "quiche-cc run record"),
        ("version", "1"),
        ("program", "test 1"),
        ("clock", "virtual"),
        ("seed", "7"),
        ("duration_ns", "22000000"),
        ("dropped_rows", "0"),
    ];
    for entry in expected {
        assert!(told.contains(&entry), "{entry:?} in {told:?}");
    }
}

#[test]
fn rows_are_written_by_groups_and_take_a_few_bytes_each() {
    const ROWS: u64 = 150_000;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record.parquet");
    let names = Names::new(["bottleneck"], ["main"]);
    let mut writer = Writer::create(&path, &provenance(), names).unwrap();
    for packet in 1..=ROWS {
        let transit = Transit {
            queueing: std::time::Duration::from_micros(packet % 1000),
            serialisation: std::time::Duration::from_micros(10),
            propagation: std::time::Duration::from_millis(5),
        };
        writer.take(row(
            packet,
            Some(Left {
                at: Time::from_nanos(packet * 1000 + 5_010_000 + packet % 1000 * 1000),
                ecn: Ecn::NotEct,
                fate: Fate::Delivered(transit),
            }),
        ));
    }
    let size_before_the_end = std::fs::metadata(&path).unwrap().len();
    assert!(
        size_before_the_end > 0,
        "groups are written while the run goes on"
    );
    writer.finish(lasted(ROWS * 1000)).unwrap();
    let metadata = reader(&path).metadata().clone();
    assert_eq!(metadata.file_metadata().num_rows(), ROWS as i64);
    assert_eq!(metadata.num_row_groups(), 3);
    let size = std::fs::metadata(&path).unwrap().len();
    assert!(size < 20 * ROWS, "{size} bytes");
}

#[test]
fn a_thread_writes_the_same_and_counts_what_it_drops() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("record.parquet");
    let writer = Writer::create(&path, &provenance(), Names::default()).unwrap();
    let mut queued = Queued::start(writer).unwrap();
    const ROWS: u64 = 200_000;
    (1..=ROWS).for_each(|packet| queued.take(row(packet, None)));
    let dropped = queued.finish(lasted(ROWS)).unwrap();
    let metadata = reader(&path).metadata().clone();
    assert_eq!(metadata.file_metadata().num_rows() as u64, ROWS - dropped);
    let told = metadata.file_metadata().key_value_metadata().unwrap();
    let told = told
        .iter()
        .find(|entry| entry.key == "dropped_rows")
        .unwrap();
    assert_eq!(told.value, Some(dropped.to_string()));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let nowhere = Path::new("/no/such/folder/record.parquet");
    let error = Writer::create(nowhere, &provenance(), Names::default())
        .err()
        .unwrap();
    let text = error.to_string();
    assert!(
        text.contains("/no/such/folder/record.parquet cannot be written"),
        "{text}"
    );
}
