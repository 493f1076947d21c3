//! The live view: lines on a terminal that change four times per second, or else a line per second.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use quiche_cc_bottleneck::Time;

use crate::seen::{Delay, Part, Seen};

/// Bars of a curve, and what one stands for on a terminal and elsewhere.
const BARS: usize = 48;
const ON_TERMINAL: Duration = Duration::from_millis(250);
const IN_LINES: Duration = Duration::from_secs(1);
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// What is shown while the video comes.
pub struct View {
    shown: Form,
    every: Duration,
    due: Option<Time>,
}

enum Form {
    /// Nothing: the summary is all that is wanted.
    Nothing,
    Lines,
    Terminal(Box<Curves>),
}

struct Curves {
    lines: Vec<ProgressBar>,
    values: [VecDeque<Option<f64>>; 5],
}

impl View {
    /// On standard output.
    pub fn new(quiet: bool) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let shown = match () {
            () if quiet => Form::Nothing,
            () if is_terminal => Form::Terminal(Box::new(Curves::new())),
            () => Form::Lines,
        };
        let every = if is_terminal { ON_TERMINAL } else { IN_LINES };
        Self {
            shown,
            every,
            due: None,
        }
    }

    /// When it is to be drawn next.
    pub fn due(&self) -> Option<Time> {
        self.due
    }

    /// Draws what has come, if it is time.
    pub fn show(&mut self, seen: &Seen, now: Time) {
        let Some(start) = seen.start() else {
            return;
        };
        let due = *self.due.get_or_insert(start + self.every);
        if now < due {
            return;
        }
        self.due = Some(now + self.every);
        let part = seen.part(due - self.every, now);
        let freezes = seen.frozen(seen.every(), now).len();
        let over = seen.groups_reset + seen.groups_cancelled;
        match &mut self.shown {
            Form::Nothing => {}
            // Whoever does not read them any more has seen enough.
            Form::Lines => drop(writeln!(io::stdout(), "{}", line(&part, freezes, over))),
            Form::Terminal(curves) => curves.show(&part, freezes, over),
        }
    }

    /// Leaves the last picture where it is.
    pub fn finish(&self) {
        if let Form::Terminal(curves) = &self.shown {
            curves.lines.iter().for_each(ProgressBar::abandon);
        }
    }
}

fn line(part: &Part, freezes: usize, over: u64) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
    let delay =
        |delay: Option<Delay>| delay.map_or("-".into(), |d| format!("{:.0}/{:.0}", d.p50, d.p95));
    format!(
        "{:4.0} s  target {:>5} Mbit/s  rung {:>3}  video {:>4.1} Mbit/s  queue {:>5} ms  frame {:>7} ms  audio {:>7} ms  \
         freezes {freezes}  given up {over}",
        part.time_s,
        number(part.target_bps.map(|bps| bps / 1e6)),
        number(part.rung),
        part.video_bps / 1e6,
        number(part.queueing_ms),
        delay(part.frame_ms),
        delay(part.audio_ms),
    )
}

impl Curves {
    fn new() -> Self {
        let all = MultiProgress::with_draw_target(ProgressDrawTarget::stdout());
        let style = ProgressStyle::with_template("{msg}").expect("the template is well-formed");
        let line = |_| all.add(ProgressBar::no_length().with_style(style.clone()));
        Self {
            lines: (0..6).map(line).collect(),
            values: Default::default(),
        }
    }

    fn show(&mut self, part: &Part, freezes: usize, over: u64) {
        let of = |delay: Option<Delay>| delay.map(|delay| delay.p95);
        let mbps = |bps: f64| bps / 1e6;
        let rows = [
            ("target", part.target_bps.map(mbps), "Mbit/s"),
            ("video", Some(mbps(part.video_bps)), "Mbit/s"),
            ("queue", part.queueing_ms, "ms"),
            ("frame", of(part.frame_ms), "ms"),
            ("audio", of(part.audio_ms), "ms"),
        ];
        for ((values, (name, value, unit)), line) in
            self.values.iter_mut().zip(rows).zip(&self.lines)
        {
            values.push_back(value);
            if values.len() > BARS {
                values.pop_front();
            }
            let most = values
                .iter()
                .flatten()
                .fold(0.0_f64, |most, value| most.max(*value));
            let now = value.map_or("-".to_owned(), |value| format!("{value:.1}"));
            let curve = curve(values, most);
            line.set_message(format!(
                "{name:6} {now:>6} {unit:6} {curve:BARS$} up to {most:.0}"
            ));
        }
        let rung = part
            .rung
            .map_or("-".to_owned(), |rung| format!("{rung:.0}"));
        let last = format!(
            "{:.0} s  rung {rung}  freezes {freezes}  given up {over}",
            part.time_s
        );
        self.lines[5].set_message(last);
    }
}

/// A bar per value, by its share of the most.
fn curve(values: &VecDeque<Option<f64>>, most: f64) -> String {
    let bar = |value: &Option<f64>| match value {
        Some(value) if most > 0.0 => LEVELS[((value / most * 7.0).round() as usize).min(7)],
        Some(_) => LEVELS[0],
        None => ' ',
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_a_bar_per_value_and_a_gap_where_there_is_none() {
        let values = VecDeque::from([Some(0.0), Some(5.0), None, Some(10.0)]);
        assert_eq!(curve(&values, 10.0), "▁▅ █");
        assert_eq!(curve(&VecDeque::from([Some(0.0)]), 0.0), "▁");
    }

    #[test]
    fn a_line_says_what_is_unknown() {
        let part = Part {
            time_s: 3.0,
            video_bps: 1.25e6,
            rung: Some(2.5),
            target_bps: None,
            queueing_ms: None,
            frame_ms: None,
            audio_ms: None,
        };
        let line = line(&part, 1, 2);
        assert!(
            line.contains("rung 2.5") && line.contains("target     - Mbit/s"),
            "{line}"
        );
        assert!(line.ends_with("freezes 1  given up 2"), "{line}");
    }
}
