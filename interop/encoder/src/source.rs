//! The encoder's loop: what is due, and by which rung.

use std::time::Duration;

use quiche_cc_bottleneck::Time;
use quiche_cc_media::{Following, Ladder};

use crate::film::Film;
use crate::wire::{Frame, Kind, Track};

/// Units of audio in a group: about as long as one of pictures.
const AUDIO_GROUP: u32 = 50;
/// Who is later than this, because the machine was, leaves out what was due.
const LATEST: Duration = Duration::from_secs(1);

/// Makes frames at their times. One for each viewer, since each path carries another rate.
pub struct Source {
    film: Film,
    ladder: Ladder,
    /// When the next picture and unit of audio are due.
    picture_due: Time,
    audio_due: Option<Time>,
    /// The next picture's place in the film.
    place: usize,
    /// Groups of each track that were begun.
    video_group: u64,
    audio_group: u64,
    /// The next frame's number in its group.
    picture_number: u32,
    audio_number: u32,
    rung: usize,
    /// How often it changed.
    pub rung_changes: u64,
}

/// What is known of the path when a frame is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Told {
    /// What the encoder goes by, in bit/s.
    pub target: Option<f64>,
    pub queueing: Option<Duration>,
}

/// A frame, and where it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    pub track: Track,
    /// From 1.
    pub group: u64,
    /// Whether the group begins or ends with it.
    pub begins: bool,
    pub ends: bool,
    pub frame: Frame,
}

impl Source {
    /// Begins on the lowest rung, which climbs as the path shows what it carries.
    pub fn new(film: Film, share: f64, hold: Duration, now: Time) -> Self {
        let following = Following {
            rungs: film.rates(),
            share,
            hold,
            // Sizes are only read; an encoder takes a while until a frame obeys.
            delay: Duration::ZERO,
        };
        Self {
            ladder: Ladder::new(following, 0),
            picture_due: now,
            audio_due: film.audio.map(|_| now),
            film,
            place: 0,
            video_group: 0,
            audio_group: 0,
            picture_number: 0,
            audio_number: 0,
            rung: 0,
            rung_changes: 0,
        }
    }

    /// When it is to be called next.
    pub fn due(&self) -> Time {
        let audio = self.audio_due.unwrap_or(self.picture_due);
        audio.min(self.picture_due)
    }

    /// The group is of no use any more: the next picture begins another, as from an encoder that is asked for an I frame.
    pub fn begin_anew(&mut self) {
        let count = self.film.pictures.len();
        let mut places = (self.place..count).chain(0..count);
        let intra = places.find(|place| self.film.pictures[*place].intra);
        self.place = intra.expect("the first picture is one");
    }

    /// All that is due.
    pub fn make(&mut self, now: Time, told: Told) -> Vec<Made> {
        let mut made = Vec::new();
        if now.since(self.due()) > LATEST {
            self.picture_due = now;
            self.audio_due = self.audio_due.map(|_| now);
        }
        while let Some(due) = self.audio_due.filter(|due| *due <= now) {
            made.push(self.audio(due, told));
        }
        while self.picture_due <= now {
            self.ladder.on_target(now, told.target);
            let rung = self.ladder.rung(now);
            self.rung_changes += u64::from(rung != self.rung);
            self.rung = rung;
            made.push(self.picture(self.picture_due, told));
        }
        made
    }

    fn picture(&mut self, due: Time, told: Told) -> Made {
        let picture = &self.film.pictures[self.place];
        let (begins, size) = (picture.intra, picture.bytes[self.rung]);
        self.place = (self.place + 1) % self.film.pictures.len();
        self.picture_due = due + self.film.every;
        if begins {
            self.video_group += 1;
            self.picture_number = 0;
        }
        let kind = if begins { Kind::Intra } else { Kind::Predicted };
        let frame = self.frame((size, self.picture_number), due, kind, told);
        self.picture_number += 1;
        Made {
            track: Track::Video,
            group: self.video_group,
            begins,
            ends: self.film.pictures[self.place].intra,
            frame,
        }
    }

    fn audio(&mut self, due: Time, told: Told) -> Made {
        let audio = self.film.audio.expect("it is due only if there is any");
        self.audio_due = Some(due + audio.every);
        let number = self.audio_number;
        self.audio_number = (number + 1) % AUDIO_GROUP;
        self.audio_group += u64::from(number == 0);
        Made {
            track: Track::Audio,
            group: self.audio_group,
            begins: number == 0,
            ends: self.audio_number == 0,
            frame: self.frame((audio.bytes, number), due, Kind::Audio, told),
        }
    }

    fn frame(&self, (size, number): (u32, u32), made: Time, kind: Kind, told: Told) -> Frame {
        Frame {
            size,
            number,
            made,
            kind,
            rung: self.rung as u8,
            queueing: told.queueing,
            target_kbps: told.target.map_or(0, |bps| (bps / 1e3).round() as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::film::{Audio, Picture};

    const MS: Duration = Duration::from_millis(1);

    fn source() -> Source {
        let picture = |intra, small| Picture {
            intra,
            bytes: vec![small, 2 * small],
        };
        let film = Film {
            every: 40 * MS,
            audio: Some(Audio {
                every: 20 * MS,
                bytes: 100,
            }),
            pictures: vec![
                picture(true, 4000),
                picture(false, 1000),
                picture(false, 1000),
            ],
        };
        Source::new(film, 0.85, 100 * MS, Time::ZERO)
    }

    fn at(ms: u32) -> Time {
        Time::ZERO + MS * ms
    }

    /// At this rate.
    fn told(target: f64) -> Told {
        Told {
            target: Some(target),
            queueing: None,
        }
    }

    fn pictures(made: &[Made]) -> Vec<(u64, u32, u32, bool)> {
        let video = made.iter().filter(|made| made.track == Track::Video);
        let of = |made: &Made| (made.group, made.frame.number, made.frame.size, made.ends);
        video.map(of).collect()
    }

    #[test]
    fn groups_follow_the_film_which_begins_again() {
        let made = source().make(at(160), Told::default());
        let expected = [
            (1, 0, 4000, false),
            (1, 1, 1000, false),
            (1, 2, 1000, true),
            (2, 0, 4000, false),
            (2, 1, 1000, false),
        ];
        assert_eq!(pictures(&made), expected);
        let audio = made.iter().filter(|made| made.track == Track::Audio);
        assert_eq!(audio.count(), 9);
    }

    #[test]
    fn a_rung_is_left_with_the_next_frame_and_climbed_when_there_was_room() {
        let mut source = source();
        let sizes: Vec<u32> = (0..8)
            .map(|n| {
                // The rungs are 400 and 800 kbit/s.
                let target = if n < 6 { 1e6 } else { 0.9e6 };
                let made = source.make(at(n * 40), told(target));
                pictures(&made)[0].2
            })
            .collect();
        assert_eq!(sizes, [4000, 1000, 1000, 8000, 2000, 2000, 4000, 1000]);
        assert_eq!(source.rung_changes, 2);
    }

    #[test]
    fn a_group_that_is_given_up_is_followed_by_another() {
        let mut source = source();
        source.make(at(40), Told::default());
        source.begin_anew();
        let made = source.make(at(120), Told::default());
        assert_eq!(pictures(&made), [(2, 0, 4000, false), (2, 1, 1000, false)]);
    }

    #[test]
    fn what_was_due_while_the_machine_slept_is_left_out() {
        let made = source().make(at(3_600_000), Told::default());
        assert_eq!(made.len(), 2);
        assert!(made.iter().all(|made| made.frame.made == at(3_600_000)));
    }
}
