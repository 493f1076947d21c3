//! The traffic `encoder` in scenario files.

use std::time::Duration;

use quiche_cc_bottleneck::Rate;
use quiche_cc_media::Following;
use serde::Deserialize;

use super::file::{Span, Text};
use super::{Audio, Encoder};

/// Live video whose rate follows what the connection promises.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EncoderFile {
    rungs: Vec<Text<Rate>>,
    first: Option<usize>,
    every: Option<Text<Span>>,
    group: Option<u64>,
    key: Option<f64>,
    look: Option<Text<Span>>,
    share: Option<f64>,
    hold: Option<Text<Span>>,
    delay: Option<Text<Span>>,
    patience: Option<Text<Span>>,
    audio: Option<AudioFile>,
}

/// Audio beside it.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AudioFile {
    every: Text<Span>,
    bytes: u64,
}

/// Thirty frames in a second, and an I frame in each.
const FRAME: Duration = Duration::from_micros(33_333);
const GROUP: u64 = 30;
const KEY: f64 = 4.0;
const LOOK: Duration = Duration::from_millis(100);
const SHARE: f64 = 0.85;
const HOLD: Duration = Duration::from_secs(1);
const DELAY: Duration = Duration::from_millis(200);
const PATIENCE: Duration = Duration::from_secs(1);

impl EncoderFile {
    /// The same with plain values.
    pub fn typed(&self) -> Encoder {
        let span = |given: Option<Text<Span>>, otherwise| given.map_or(otherwise, |text| text.0 .0);
        Encoder {
            following: Following {
                rungs: self.rungs.iter().map(|rung| rung.0).collect(),
                share: self.share.unwrap_or(SHARE),
                hold: span(self.hold, HOLD),
                delay: span(self.delay, DELAY),
            },
            first: self.first.unwrap_or(1).saturating_sub(1),
            every: span(self.every, FRAME),
            group: self.group.unwrap_or(GROUP),
            key: self.key.unwrap_or(KEY),
            look: span(self.look, LOOK),
            patience: span(self.patience, PATIENCE),
            audio: self.audio.map(|audio| Audio {
                every: audio.every.0 .0,
                bytes: audio.bytes,
            }),
        }
    }

    /// What is wrong, and what is allowed.
    pub fn fault(&self) -> Option<String> {
        let Encoder {
            following,
            first,
            every,
            group,
            key,
            look,
            audio,
            ..
        } = self.typed();
        let ascending = following.rungs.is_sorted_by(|a, b| a < b);
        let audio_is_wrong = audio.is_some_and(|audio| audio.every.is_zero() || audio.bytes == 0);
        let fault = match () {
            () if following.rungs.is_empty() || !ascending => {
                "`rungs` are one rate or several that ascend".into()
            }
            () if self.first == Some(0) || first >= following.rungs.len() => format!(
                "`first` is the number of a rung, 1 to {}",
                following.rungs.len()
            ),
            () if every.is_zero() || look.is_zero() || audio_is_wrong => {
                "`every`, `look` and `bytes` have to be more than 0".into()
            }
            () if group == 0 => "a `group` has at least one frame".into(),
            () if !(1.0..=100.0).contains(&key) => "`key` is 1 to 100".into(),
            () if !(following.share > 0.0 && following.share <= 1.0) => {
                "`share` is above 0 and at most 1".into()
            }
            () => return None,
        };
        Some(fault)
    }
}
