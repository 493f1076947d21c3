use std::io::{pipe, BufRead, BufReader, PipeReader};
use std::os::fd::OwnedFd;

use super::*;

const LONG: Patience = patience(Duration::from_secs(10));
const SHORT: Patience = patience(Duration::from_millis(50));

const fn patience(time: Duration) -> Patience {
    Patience {
        with_none: time,
        in_all: time,
    }
}

fn piped() -> (Output, PipeReader) {
    let (reader, writer) = pipe().unwrap();
    let file = File::from(OwnedFd::from(writer));
    let notice = |count| format!("{count} dropped\n");
    (Output::to(file, notice).unwrap(), reader)
}

fn line(number: usize) -> String {
    format!("{number:099}\n")
}

#[test]
fn what_is_read_is_complete_and_in_order() {
    let (output, reader) = piped();
    let read = std::thread::spawn(move || BufReader::new(reader).lines().take(5000).count());
    for number in 0..5000 {
        output.line(line(number));
    }
    output.finish(LONG).unwrap();
    assert_eq!(read.join().unwrap(), 5000);
}

#[test]
fn what_nobody_reads_is_dropped_and_counted_and_holds_nobody_up() {
    const LINES: usize = 30_000;
    let (output, reader) = piped();
    let started = Instant::now();
    for number in 0..LINES {
        output.line(line(number));
    }
    let refused = output.finish(SHORT).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::TimedOut);
    assert!(started.elapsed() < LONG.in_all);

    // As soon as there is a reader it is told how many lines are missing.
    let last = "the last one";
    let read = std::thread::spawn(move || {
        let mut read = BufReader::new(reader).lines().map(Result::unwrap);
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line| line != last) {
            lines.push(read.next().unwrap());
        }
        lines
    });
    assert!(output.finish(LONG).is_err(), "lines are missing");
    output.line(format!("{last}\n"));
    let lines = read.join().unwrap();
    // The pipe takes lines while others are dropped, so that a reader may be told more than once.
    let told = |line: &String| line.strip_suffix(" dropped")?.parse::<usize>().ok();
    let notices: Vec<usize> = lines.iter().filter_map(told).collect();
    let kept = lines.len() - notices.len() - 1;
    assert!(lines.len() >= 2 && told(&lines[lines.len() - 2]).is_some());
    assert!(notices.iter().all(|dropped| *dropped > 0));
    assert_eq!(kept + notices.iter().sum::<usize>(), LINES);
}

#[test]
fn a_reader_that_went_away_ends_it() {
    let (output, reader) = piped();
    drop(reader);
    output.line(line(0));
    let refused = output.finish(LONG).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn each_line_goes_to_the_file_that_it_was_meant_for() {
    let (output, first) = piped();
    let (reader, writer) = pipe().unwrap();
    output.line("one\n");
    output.redirect(OwnedFd::from(writer).into());
    output.line("two\n");
    output.finish(LONG).unwrap();
    // The end of the first is seen because nobody holds it any more.
    assert_eq!(std::io::read_to_string(first).unwrap(), "one\n");
    let mut second = String::new();
    BufReader::new(reader).read_line(&mut second).unwrap();
    assert_eq!(second, "two\n");
}

#[test]
fn another_file_takes_the_place_of_a_reader_that_went_away() {
    let (output, gone) = piped();
    drop(gone);
    output.line(line(0));
    assert!(output.finish(LONG).is_err());
    let (reader, writer) = pipe().unwrap();
    output.redirect(OwnedFd::from(writer).into());
    output.line("two\n");
    let mut lines = BufReader::new(reader).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "1 dropped");
    assert_eq!(lines.next().unwrap(), "two");
}

#[test]
fn a_line_larger_than_the_room_is_written() {
    let (output, mut reader) = piped();
    let large = vec![b'x'; 2 * MOST_WAITING];
    output.line(large.clone());
    let read = std::thread::spawn(move || {
        let mut all = vec![0; 2 * MOST_WAITING];
        std::io::Read::read_exact(&mut reader, &mut all).unwrap();
        all
    });
    output.finish(LONG).unwrap();
    assert!(read.join().unwrap() == large);
}

#[test]
fn a_reader_who_only_trickles_is_left_in_the_end() {
    let (output, mut reader) = piped();
    output.line(vec![b'x'; MOST_WAITING]);
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let asked = stop.clone();
    let trickle = std::thread::spawn(move || {
        while !asked.load(std::sync::atomic::Ordering::Relaxed) {
            std::io::Read::read_exact(&mut reader, &mut [0; PIECE]).unwrap();
            std::thread::sleep(Duration::from_millis(10));
        }
    });
    let refused = output.finish(Patience {
        with_none: LONG.with_none,
        in_all: Duration::from_millis(200),
    });
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::TimedOut);
    trickle.join().unwrap();
}
