//! What the viewer has seen and heard.

use std::time::Duration;

use quiche_cc_bottleneck::Time;
use quiche_cc_endpoint::report::milliseconds;
use quiche_cc_media::frozen;
use serde::Serialize;

use crate::wire::Frame;

/// A frame that was complete, and when.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    pub frame: Frame,
    pub at: Time,
}

impl Shown {
    fn delay_ms(&self) -> f64 {
        milliseconds(self.at.since(self.frame.made))
    }
}

/// All of it, in order of time.
#[derive(Debug, Default)]
pub struct Seen {
    pub pictures: Vec<Shown>,
    pub audio: Vec<Shown>,
    /// Pictures of groups before the one that was shown.
    pub frames_late: u64,
    /// Groups that the server gave up, and that this end wanted no more of.
    pub groups_reset: u64,
    pub groups_cancelled: u64,
}

/// A delay, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Delay {
    pub p50: f64,
    pub p95: f64,
    pub max: f64,
}

/// A second, or less than one for the live view.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Part {
    /// Since the first frame was made, at the end of the part.
    pub time_s: f64,
    /// The rate of the frames that came, in bit/s.
    pub video_bps: f64,
    /// Mean rung, from 1, and what the sender was told when it made the last frame that came.
    pub rung: Option<f64>,
    pub target_bps: Option<f64>,
    pub queueing_ms: Option<f64>,
    pub frame_ms: Option<Delay>,
    pub audio_ms: Option<Delay>,
}

/// What is told at the end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    pub watched_s: f64,
    pub frames: u64,
    pub frames_late: u64,
    pub groups_reset: u64,
    pub groups_cancelled: u64,
    /// Pictures that stayed for more than 150 ms beyond their time, and the share of time in which they did (0 to 1).
    pub freezes: u64,
    pub frozen_share: f64,
    pub video_bps: f64,
    pub frame_ms: Option<Delay>,
    pub audio_ms: Option<Delay>,
    pub seconds: Vec<Part>,
}

impl Seen {
    /// A picture was complete.
    pub fn on_picture(&mut self, frame: Frame, at: Time) {
        self.pictures.push(Shown { frame, at });
    }

    /// So was a unit of audio.
    pub fn on_audio(&mut self, frame: Frame, at: Time) {
        self.audio.push(Shown { frame, at });
    }

    /// When the first frame was made.
    pub fn start(&self) -> Option<Time> {
        let firsts = [self.pictures.first(), self.audio.first()];
        firsts
            .into_iter()
            .flatten()
            .map(|shown| shown.frame.made)
            .min()
    }

    /// What came between two times.
    pub fn part(&self, from: Time, to: Time) -> Part {
        let (pictures, audio) = (cut(&self.pictures, from, to), cut(&self.audio, from, to));
        let last = pictures.last().or(audio.last()).map(|shown| shown.frame);
        let rungs = pictures
            .iter()
            .map(|shown| f64::from(shown.frame.rung) + 1.0);
        let count = pictures.len();
        let target = last.filter(|frame| frame.target_kbps > 0);
        Part {
            time_s: self
                .start()
                .map_or(0.0, |start| to.since(start).as_secs_f64()),
            video_bps: rate(pictures, to.since(from)),
            rung: (count > 0).then(|| rungs.sum::<f64>() / count as f64),
            target_bps: target.map(|frame| f64::from(frame.target_kbps) * 1e3),
            queueing_ms: last.and_then(|frame| frame.queueing).map(milliseconds),
            frame_ms: delay(pictures),
            audio_ms: delay(audio),
        }
    }

    /// Pictures that stayed too long, up to `end`.
    pub fn frozen(&self, every: Duration, end: Time) -> Vec<Duration> {
        let Some(first) = self.pictures.first() else {
            return Vec::new();
        };
        let at = self.pictures.iter().map(|shown| shown.at);
        frozen(at, every, first.at, end)
    }

    /// All of it, at the end.
    pub fn summary(&self, end: Time) -> Summary {
        let start = self.start().unwrap_or(end);
        let watched = end.since(start);
        let frozen = self.frozen(self.every(), end);
        let seconds = (0..watched.as_secs() as u32).map(|second| {
            let from = start + Duration::from_secs(1) * second;
            self.part(from, from + Duration::from_secs(1))
        });
        Summary {
            watched_s: watched.as_secs_f64(),
            frames: self.pictures.len() as u64,
            frames_late: self.frames_late,
            groups_reset: self.groups_reset,
            groups_cancelled: self.groups_cancelled,
            freezes: frozen.len() as u64,
            frozen_share: frozen.iter().sum::<Duration>().as_secs_f64()
                / watched.as_secs_f64().max(1e-9),
            video_bps: rate(&self.pictures, watched),
            frame_ms: delay(&self.pictures),
            audio_ms: delay(&self.audio),
            seconds: seconds.collect(),
        }
    }

    /// Time from a picture to the next, as the first two of a group that came say.
    pub fn every(&self) -> Duration {
        let mut pairs = self.pictures.windows(2);
        let next = pairs.find(|two| two[1].frame.number == two[0].frame.number + 1);
        next.map_or(Duration::ZERO, |two| {
            two[1].frame.made.since(two[0].frame.made)
        })
    }
}

fn cut(all: &[Shown], from: Time, to: Time) -> &[Shown] {
    let place = |time: Time| all.partition_point(|shown| shown.at < time);
    &all[place(from)..place(to)]
}

fn rate(shown: &[Shown], span: Duration) -> f64 {
    let bytes: u64 = shown.iter().map(|shown| u64::from(shown.frame.size)).sum();
    bytes as f64 * 8.0 / span.as_secs_f64().max(1e-9)
}

fn delay(shown: &[Shown]) -> Option<Delay> {
    let mut all: Vec<f64> = shown.iter().map(Shown::delay_ms).collect();
    all.sort_by(f64::total_cmp);
    // The least value that so large a share of them does not exceed.
    let at = |share: f64| all[((share * all.len() as f64).ceil() as usize).saturating_sub(1)];
    (!all.is_empty()).then(|| Delay {
        p50: at(0.5),
        p95: at(0.95),
        max: at(1.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Kind;

    const MS: Duration = Duration::from_millis(1);

    fn at(ms: u32) -> Time {
        Time::ZERO + MS * (1000 + ms)
    }

    fn frame(number: u32, rung: u8) -> Frame {
        Frame {
            size: 1000,
            number,
            made: at(number * 40),
            kind: Kind::Predicted,
            rung,
            queueing: Some(5 * MS),
            target_kbps: 2000,
        }
    }

    #[test]
    fn delays_rates_and_freezes_are_those_of_what_came() {
        let mut seen = Seen::default();
        for number in 0..50 {
            // The second half comes by a higher rung, and 300 ms late.
            let late = u32::from(number >= 25);
            seen.on_picture(frame(number, late as u8), at(number * 40 + 20 + 300 * late));
        }
        seen.on_audio(frame(0, 0), at(7));
        let summary = seen.summary(at(2300));
        assert_eq!((summary.frames, summary.freezes), (50, 1));
        let delay = summary.frame_ms.unwrap();
        assert_eq!((delay.p50, delay.p95, delay.max), (20.0, 320.0, 320.0));
        assert_eq!(summary.audio_ms.unwrap().p50, 7.0);
        assert_eq!(summary.seconds.len(), 2);
        let [first, second] = [summary.seconds[0], summary.seconds[1]];
        assert_eq!((first.rung, second.rung), (Some(1.0), Some(2.0)));
        assert_eq!((first.video_bps, first.target_bps), (200_000.0, Some(2e6)));
        assert_eq!(first.queueing_ms, Some(5.0));
    }

    #[test]
    fn nothing_is_no_error() {
        let summary = Seen::default().summary(at(0));
        assert_eq!(
            (summary.frames, summary.frame_ms, summary.freezes),
            (0, None, 0)
        );
        assert!(summary.seconds.is_empty());
    }
}
