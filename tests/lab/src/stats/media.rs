//! What a viewer had of live media.

use std::time::Duration;

use quiche_cc_bottleneck::Rate;
use quiche_cc_media::frozen;
use serde::Serialize;

use super::{Distribution, Samples, Window};
use crate::record::{FlowRecord, Frame, MediaRecord};
use crate::scenario::{Encoder, FlowDecl, Traffic};

/// Live media in a window.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MediaStats {
    /// Frames that were due.
    pub frames_due: u64,
    /// Frames that were shown: complete, with all of their group before them.
    pub frames_shown: u64,
    /// Pictures that stayed too long.
    pub freezes: u64,
    /// Time in which the picture was frozen, as a share of all (0 to 1).
    pub frozen_share: f64,
    /// From when a frame is made until it is shown.
    pub frame_ms: Option<Distribution>,
    /// The same of units of audio.
    pub audio_ms: Option<Distribution>,
    /// Mean rate of the rungs by which frames were due, bit/s.
    pub encoded_bps: Option<f64>,
    /// How often the rung changed.
    pub rung_changes: u64,
    /// For each rung the share of frames that were due by it (0 to 1).
    pub rung_shares: Vec<f64>,
}

impl MediaStats {
    /// Of a flow in `window`; none if it is not such media.
    pub fn of_flow(decl: &FlowDecl, flow: &FlowRecord, window: Window) -> Option<Self> {
        let Traffic::Encoder(encoder) = &decl.traffic else {
            return None;
        };
        let media = flow.media.as_ref()?;
        Some(Self::of(encoder, media, window))
    }

    /// Of this media in `window`.
    pub fn of(encoder: &Encoder, media: &MediaRecord, window: Window) -> Self {
        let due = window.cut(&media.due, |frame| frame.made);
        let shown = window.cut(&media.shown, |frame| frame.done);
        let at = shown.iter().map(|frame| frame.done);
        let frozen = frozen(at, encoder.every, window.from(), window.to());
        let span = window.span().as_secs_f64();
        let rungs = &encoder.following.rungs;
        let share = |rung: usize| {
            let those = due.iter().filter(|frame| frame.rung == rung);
            those.count() as f64 / due.len().max(1) as f64
        };
        Self {
            frames_due: due.len() as u64,
            frames_shown: shown.len() as u64,
            freezes: frozen.len() as u64,
            frozen_share: frozen.iter().sum::<Duration>().as_secs_f64() / span,
            frame_ms: distribution(shown),
            audio_ms: distribution(window.cut(&media.heard, |frame| frame.done)),
            encoded_bps: encoded(due, rungs),
            rung_changes: due
                .windows(2)
                .filter(|two| two[0].rung != two[1].rung)
                .count() as u64,
            rung_shares: (0..rungs.len()).map(share).collect(),
        }
    }
}

/// The mean rate of these frames' rungs.
fn encoded(due: &[Frame], rungs: &[Rate]) -> Option<f64> {
    let rates = due
        .iter()
        .map(|frame| rungs[frame.rung].bits_per_sec() as f64);
    Samples::of(rates).map(|rates| rates.mean())
}

fn distribution(frames: &[Frame]) -> Option<Distribution> {
    let latency = |frame: &Frame| frame.done.since(frame.made);
    Samples::of_millis(frames.iter().map(latency)).map(|samples| samples.distribution())
}

#[cfg(test)]
mod tests {
    use quiche_cc_bottleneck::Time;
    use quiche_cc_media::Following;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn at(ms: u32) -> Time {
        Time::ZERO + MS * ms
    }

    fn encoder() -> Encoder {
        let rate = |kbps: u64| Rate::from_bits_per_sec(kbps * 1000).unwrap();
        Encoder {
            following: Following {
                rungs: vec![rate(500), rate(1000)],
                share: 0.85,
                hold: MS,
                delay: MS,
            },
            first: 0,
            every: 40 * MS,
            group: 25,
            key: 4.0,
            look: 100 * MS,
            patience: 1000 * MS,
            audio: None,
        }
    }

    #[test]
    fn a_picture_that_stays_too_long_is_frozen_and_frames_wait_from_when_they_are_made() {
        let frame = |made: u32, done: u32, rung| Frame {
            made: at(made),
            done: at(done),
            rung,
            bytes: 1000,
        };
        let due: Vec<Frame> = (0..25)
            .map(|i| frame(i * 40, i * 40, usize::from(i >= 20)))
            .collect();
        // One comes 190 ms after another, which is not too long yet; none comes from 700 ms on.
        let shown = [10, 50, 90, 280, 320, 360, 400, 440, 480, 500, 600, 700];
        let shown = shown
            .iter()
            .map(|done| frame(done - 10, *done, 0))
            .collect();
        let media = MediaRecord {
            due,
            shown,
            heard: vec![frame(0, 30, 0)],
        };
        let window = Window::new(at(0), at(1000)).unwrap();
        let stats = MediaStats::of(&encoder(), &media, window);
        assert_eq!((stats.frames_due, stats.frames_shown), (25, 12));
        assert_eq!((stats.freezes, stats.frozen_share), (1, 0.3));
        assert_eq!(stats.frame_ms.unwrap().max, 10.0);
        assert_eq!(stats.audio_ms.unwrap().mean, 30.0);
        assert_eq!(
            (stats.encoded_bps, stats.rung_changes),
            (Some(600_000.0), 1)
        );
        assert_eq!(stats.rung_shares, [0.8, 0.2]);
    }
}
