//! The file of frame sizes: what an encoder made of the same pictures on every rung of its ladder.
//!
//! A line per picture, in their order, which begin again after the last one: `I` or `P`, and its size in bytes on every
//! rung, lowest first. `frames-per-second COUNT` and `audio INTERVALms BYTES` stand before. `#` begins a comment.

use std::path::Path;
use std::time::Duration;

use quiche_cc_bottleneck::Rate;

use crate::wire::{HEADER, MOST};

const MOST_PICTURES: usize = 100_000;
const MOST_RUNGS: usize = 32;

/// All that the file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Film {
    /// Time from a picture to the next.
    pub every: Duration,
    pub audio: Option<Audio>,
    /// At least one; the first begins a group.
    pub pictures: Vec<Picture>,
}

/// Units of audio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audio {
    pub every: Duration,
    pub bytes: u32,
}

/// One picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Whether it needs no other picture, and so begins a group.
    pub intra: bool,
    /// Its size on each rung, in bytes.
    pub bytes: Vec<u32>,
}

impl Film {
    /// Reads a file. The error names it, and the line that is wrong.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let text = std::fs::read_to_string(path).map_err(|e| format!("{name}: {e}"))?;
        Self::parse(&text).map_err(|(line, wrong)| format!("{name}:{line}: {wrong}"))
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut reading = Reading::default();
        let mut last = 1;
        for (number, line) in (1..).zip(text.lines()) {
            last = number;
            let words = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = words.split_whitespace().collect();
            if !words.is_empty() {
                reading.line(number, &words).map_err(|e| (number, e))?;
            }
        }
        reading.finish(last)
    }

    /// The mean rates of the rungs.
    pub fn rates(&self) -> Vec<Rate> {
        let span = self.every.as_secs_f64() * self.pictures.len() as f64;
        let rungs = 0..self.pictures[0].bytes.len();
        let bytes = |rung: usize| self.pictures.iter().map(move |p| f64::from(p.bytes[rung]));
        let rates = rungs.map(|rung| bytes(rung).sum::<f64>() * 8.0 / span);
        let rates = rates.map(|bps| Rate::from_bits_per_sec(bps.round().max(1.0) as u64));
        rates.map(|rate| rate.expect("above zero")).collect()
    }
}

#[derive(Default)]
struct Reading {
    every: Option<Duration>,
    audio: Option<Audio>,
    pictures: Vec<Picture>,
    first: usize,
}

impl Reading {
    fn line(&mut self, number: usize, words: &[&str]) -> Result<(), String> {
        match (words[0], &words[1..]) {
            ("frames-per-second", [count]) if self.every.is_none() => {
                let count = whole(count, 1, 240)?;
                self.every = Some(Duration::from_secs(1) / count);
            }
            ("audio", [interval, bytes]) if self.audio.is_none() => {
                let ms = interval.strip_suffix("ms").ok_or_else(|| {
                    format!("\"{interval}\" is no interval; allowed: 5ms to 1000ms")
                })?;
                self.audio = Some(Audio {
                    every: Duration::from_millis(whole(ms, 5, 1000)?.into()),
                    bytes: whole(bytes, HEADER as u32, 10_000)?,
                });
            }
            ("I" | "P", sizes) => self.picture(number, words[0] == "I", sizes)?,
            _ => {
                return Err(format!(
                    "\"{}\" is not understood; allowed: `frames-per-second COUNT` and `audio INTERVALms BYTES`, once each, \
                     `I SIZES` and `P SIZES`",
                    words.join(" ")
                ))
            }
        }
        Ok(())
    }

    fn picture(&mut self, number: usize, intra: bool, sizes: &[&str]) -> Result<(), String> {
        let bytes: Result<Vec<u32>, String> = sizes
            .iter()
            .map(|size| whole(size, HEADER as u32, MOST))
            .collect();
        let bytes = bytes?;
        let rungs = self.pictures.first().map(|first| first.bytes.len());
        match rungs {
            None if !intra => return Err("the first picture is a P; allowed: I".into()),
            None if !(1..=MOST_RUNGS).contains(&bytes.len()) => {
                let count = bytes.len();
                return Err(format!(
                    "{count} sizes; allowed: 1 to {MOST_RUNGS}, one for every rung"
                ));
            }
            None => self.first = number,
            Some(rungs) if rungs != bytes.len() => {
                let (count, first) = (bytes.len(), self.first);
                return Err(format!(
                    "{count} sizes; allowed: {rungs}, as in line {first}"
                ));
            }
            Some(_) if self.pictures.len() == MOST_PICTURES => {
                return Err(format!("another picture; allowed: at most {MOST_PICTURES}"));
            }
            Some(_) => {}
        }
        self.pictures.push(Picture { intra, bytes });
        Ok(())
    }

    fn finish(self, last: usize) -> Result<Film, (usize, String)> {
        if self.pictures.is_empty() {
            return Err((
                last,
                "the file ends without a picture; allowed: a line `I SIZES`".into(),
            ));
        }
        let every = self.every.ok_or_else(|| {
            let missing =
                "the file ends without `frames-per-second COUNT`; allowed: a count from 1 to 240";
            (last, missing.to_owned())
        })?;
        let film = Film {
            every,
            audio: self.audio,
            pictures: self.pictures,
        };
        let rates = film.rates();
        match rates.windows(2).position(|two| two[0] >= two[1]) {
            None => Ok(film),
            Some(below) => {
                let place = below + 2;
                let wrong = format!(
                    "the sizes in place {place}, from here on, make {} on average, and those before them {}; \
                     allowed: rungs that ascend",
                    rates[below + 1],
                    rates[below]
                );
                Err((self.first, wrong))
            }
        }
    }
}

fn whole(text: &str, least: u32, most: u32) -> Result<u32, String> {
    let number = text.parse().ok().filter(|n| (least..=most).contains(n));
    number.ok_or_else(|| {
        format!("\"{text}\" is no number that is possible here; allowed: {least} to {most}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "# a film\nframes-per-second 25\naudio 20ms 160\n\nI 4000 8000 # first\nP 1000 2000\n";

    #[test]
    fn a_film_is_read_with_the_rates_of_its_rungs() {
        let film = Film::parse(GOOD).unwrap();
        assert_eq!(film.every, Duration::from_millis(40));
        let audio = film.audio.unwrap();
        assert_eq!((audio.every, audio.bytes), (Duration::from_millis(20), 160));
        let intra: Vec<bool> = film.pictures.iter().map(|p| p.intra).collect();
        assert_eq!(intra, [true, false]);
        let rates: Vec<u64> = film
            .rates()
            .iter()
            .map(|rate| rate.bits_per_sec())
            .collect();
        assert_eq!(rates, [500_000, 1_000_000]);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_what_is_allowed() {
        let cases = [
            ("", 1, "without a picture"),
            ("I 100 200", 1, "frames-per-second"),
            ("frames-per-second 0", 1, "1 to 240"),
            ("frames-per-second 25\nframes-per-second 25", 2, "once each"),
            ("audio 20 160", 1, "5ms to 1000ms"),
            ("audio 20ms 23", 1, "24 to 10000"),
            ("\nP 100", 2, "allowed: I"),
            ("I", 1, "0 sizes"),
            ("I 100 200\nP 100", 2, "as in line 1"),
            ("I 100 x", 1, "\"x\""),
            ("I 100 23", 1, "24 to 4000000"),
            ("I 100\nB 50", 2, "not understood"),
            ("frames-per-second 25\nI 100 200\nP 200 100", 2, "place 2"),
        ];
        for (text, line, part) in cases {
            let (at, wrong) = Film::parse(text).unwrap_err();
            assert_eq!(at, line, "{text:?}: {wrong}");
            assert!(
                wrong.contains(part) && wrong.contains("allowed"),
                "{text:?}: {wrong}"
            );
        }
    }

    #[test]
    fn the_film_of_the_project_is_one() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("frames/ladder.txt");
        let film = Film::read(&path).unwrap();
        let rates = film.rates();
        for two in rates.windows(2) {
            let step = two[1].bits_per_sec() as f64 / two[0].bits_per_sec() as f64;
            assert!(
                step < 2.0,
                "a rung that an untried path never reaches: {step}"
            );
        }
    }
}
