//! What is on a stream: frame after frame, each with a header of 24 bytes (big-endian) and then zeros up to its size.
//!
//! ```text
//! size u32 | number u32 | made, ns u64 | kind u8 | rung u8 | queueing delay, 0.1 ms u16 | target, kbit/s u32
//! ```

use std::time::Duration;

use quiche_cc_bottleneck::Time;

/// Bytes of the header, and so the least that a frame has.
pub const HEADER: usize = 24;
/// The most that a frame may have, in bytes.
pub const MOST: u32 = 4_000_000;
const UNKNOWN: u16 = u16::MAX;

/// What is sent on streams of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Track {
    Audio,
    Video,
}

impl Track {
    /// The first part of the paths of its groups.
    pub fn name(self) -> &'static str {
        match self {
            Track::Audio => "audio",
            Track::Video => "video",
        }
    }

    /// Track and group, from 1, that a path such as `/video/7` names.
    pub fn of_path(path: &str) -> Option<(Self, u64)> {
        let (name, group) = path.strip_prefix('/')?.split_once('/')?;
        let all = [Track::Audio, Track::Video];
        let track = all.into_iter().find(|track| track.name() == name)?;
        let group = group.parse().ok().filter(|group| *group > 0)?;
        Some((track, group))
    }
}

/// What a frame says of itself, and of the sender when it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Its size with this header, in bytes.
    pub size: u32,
    /// Counted from 0 in its group.
    pub number: u32,
    /// When it was made.
    pub made: Time,
    pub kind: Kind,
    /// By which rung, from 0.
    pub rung: u8,
    /// The sender's queueing delay, if it was known.
    pub queueing: Option<Duration>,
    /// The rate that the encoder went by, if one was known, in kbit/s.
    pub target_kbps: u32,
}

/// A unit of audio, a picture that needs no other, or one that needs those of its group before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Audio = 0,
    Intra = 1,
    Predicted = 2,
}

impl Frame {
    /// The whole frame.
    pub fn bytes(&self) -> Vec<u8> {
        let tenths = |delay: Duration| (delay.as_micros() / 100).min(u128::from(UNKNOWN - 1));
        let queueing = self.queueing.map_or(UNKNOWN, |d| tenths(d) as u16);
        let mut out = Vec::with_capacity(self.size as usize);
        out.extend(self.size.to_be_bytes());
        out.extend(self.number.to_be_bytes());
        out.extend(self.made.as_nanos().to_be_bytes());
        out.extend([self.kind as u8, self.rung]);
        out.extend(queueing.to_be_bytes());
        out.extend(self.target_kbps.to_be_bytes());
        out.resize(self.size as usize, 0);
        out
    }

    fn read(header: &[u8; HEADER]) -> Result<Self, String> {
        let u32_at = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().expect("four"));
        let size = u32_at(0);
        if !(HEADER as u32..=MOST).contains(&size) {
            return Err(format!(
                "a frame of {size} bytes; allowed: {HEADER} to {MOST}"
            ));
        }
        let made = u64::from_be_bytes(header[8..16].try_into().expect("eight"));
        let kind = match header[16] {
            0 => Kind::Audio,
            1 => Kind::Intra,
            2 => Kind::Predicted,
            other => return Err(format!("a frame of kind {other}; allowed: 0, 1, 2")),
        };
        let queueing = u16::from_be_bytes([header[18], header[19]]);
        let known = (queueing != UNKNOWN).then(|| Duration::from_micros(u64::from(queueing) * 100));
        Ok(Self {
            size,
            number: u32_at(4),
            made: Time::from_nanos(made),
            kind,
            rung: header[17],
            queueing: known,
            target_kbps: u32_at(20),
        })
    }
}

/// Finds the frames in what arrives of a stream.
#[derive(Debug, Default)]
pub struct Reader {
    header: Vec<u8>,
    /// The frame whose bytes arrive, and how many are missing.
    open: Option<(Frame, usize)>,
}

impl Reader {
    /// The frames that are complete with these bytes.
    pub fn push(&mut self, mut bytes: &[u8]) -> Result<Vec<Frame>, String> {
        let mut complete = Vec::new();
        loop {
            if let Some((frame, missing)) = &mut self.open {
                let taken = bytes.len().min(*missing);
                bytes = &bytes[taken..];
                *missing -= taken;
                if *missing > 0 {
                    return Ok(complete);
                }
                complete.push(*frame);
                self.open = None;
            }
            let taken = bytes.len().min(HEADER - self.header.len());
            self.header.extend(&bytes[..taken]);
            bytes = &bytes[taken..];
            let Ok(header) = <&[u8; HEADER]>::try_from(self.header.as_slice()) else {
                return Ok(complete);
            };
            let frame = Frame::read(header)?;
            self.open = Some((frame, frame.size as usize - HEADER));
            self.header.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(size: u32, number: u32) -> Frame {
        Frame {
            size,
            number,
            made: Time::from_nanos(123_456_789_012),
            kind: Kind::Predicted,
            rung: 5,
            queueing: Some(Duration::from_micros(12_300)),
            target_kbps: 9876,
        }
    }

    #[test]
    fn frames_are_found_however_the_bytes_come() {
        let unknown = Frame {
            queueing: None,
            ..frame(24, 1)
        };
        let sent = [frame(1000, 0), unknown, frame(25, 2)];
        let bytes: Vec<u8> = sent.iter().flat_map(Frame::bytes).collect();
        assert_eq!(bytes.len(), 1049);
        for step in [1, 7, 24, 1000, 1049] {
            let mut reader = Reader::default();
            let found: Vec<Frame> = bytes
                .chunks(step)
                .flat_map(|part| reader.push(part).unwrap())
                .collect();
            assert_eq!(found, sent, "{step}");
        }
    }

    #[test]
    fn what_is_no_frame_is_an_error() {
        for (at, value, part) in [(3, 23, "23 bytes"), (0, 255, "bytes"), (16, 3, "kind 3")] {
            let mut bytes = frame(24, 0).bytes();
            bytes[at] = value;
            let wrong = Reader::default().push(&bytes).unwrap_err();
            assert!(wrong.contains(part) && wrong.contains("allowed"), "{wrong}");
        }
    }

    #[test]
    fn paths_name_a_track_and_a_group_from_1() {
        assert_eq!(Track::of_path("/video/7"), Some((Track::Video, 7)));
        assert_eq!(Track::of_path("/audio/1"), Some((Track::Audio, 1)));
        for path in [
            "/video/0",
            "/video/",
            "/video/-1",
            "/text/1",
            "video/1",
            "/",
        ] {
            assert_eq!(Track::of_path(path), None, "{path}");
        }
    }
}
