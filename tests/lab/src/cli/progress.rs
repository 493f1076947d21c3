//! What is seen on standard error while runs are made: bars on a terminal, now and then a line elsewhere.
#![allow(
    clippy::disallowed_methods,
    reason = "how long runs really take is for the eyes only and never part of a result"
)]

use std::fmt;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use quiche_cc_bottleneck::Time;

use crate::sweep::{Failure, Plan};

/// Between two lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(10);
/// Positions are virtual seconds.
const TEMPLATE: &str = "{msg:40!} {bar:30} {pos:>6}/{len} s  {speed:>6}  {eta}";

/// Of all runs.
pub struct Progress<'a> {
    plans: &'a [Plan],
    bars: MultiProgress,
    terminal: bool,
    running: Vec<Option<Running>>,
    over: usize,
    last_line: Instant,
}

struct Running {
    since: Instant,
    bar: ProgressBar,
    reached: Time,
}

impl<'a> Progress<'a> {
    /// Nothing has begun.
    pub fn new(plans: &'a [Plan]) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        Self {
            plans,
            bars: MultiProgress::with_draw_target(target),
            terminal,
            running: plans.iter().map(|_| None).collect(),
            over: 0,
            last_line: Instant::now(),
        }
    }

    /// A run has begun.
    pub fn begun(&mut self, run: usize) {
        let plan = &self.plans[run];
        let style = ProgressStyle::with_template(TEMPLATE)
            .expect("the template is well-formed")
            .with_key(
                "speed",
                |state: &ProgressState, out: &mut dyn fmt::Write| {
                    // Bars write to memory.
                    let _ = write!(out, "{:.0}/s", state.per_sec());
                },
            );
        let bar = ProgressBar::new(plan.scenario.duration.as_secs()).with_style(style);
        let bar = self.bars.add(bar);
        bar.set_message(plan.name.clone());
        self.running[run] = Some(Running {
            since: Instant::now(),
            bar,
            reached: Time::ZERO,
        });
    }

    /// A run has come to this virtual time.
    pub fn reached(&mut self, run: usize, at: Time) {
        if let Some(running) = &mut self.running[run] {
            running.reached = at;
            running.bar.set_position(at.as_secs_f64() as u64);
        }
        if !self.terminal && self.last_line.elapsed() >= PAUSE {
            self.last_line = Instant::now();
            eprintln!("{}", self.state());
        }
    }

    fn state(&self) -> String {
        let running = self.plans.iter().zip(&self.running);
        let running = running.filter_map(|(plan, running)| {
            let (now, end) = (running.as_ref()?.reached, plan.scenario.duration.as_secs());
            Some(format!(
                "{} at {:.0} of {end} s",
                plan.name,
                now.as_secs_f64()
            ))
        });
        let running: Vec<_> = running.collect();
        format!(
            "{} of {} runs done; {}",
            self.over,
            self.plans.len(),
            running.join(", ")
        )
    }

    /// A run is over, in which so many packets crossed a link.
    pub fn over(&mut self, run: usize, packets: u64) {
        let plan = &self.plans[run];
        let Some(took) = self.finish(run) else { return };
        let seconds = took.as_secs_f64().max(1e-6);
        self.say(&format!(
            "{}: {:.0} s in {seconds:.1} s, {:.0} packets/s",
            plan.name,
            plan.scenario.duration.as_secs_f64(),
            packets as f64 / seconds
        ));
    }

    /// A run has failed.
    pub fn failed(&mut self, run: usize, failure: &Failure) {
        self.finish(run);
        let plan = &self.plans[run];
        self.say(&format!("error: run {}: {failure}", plan.name));
    }

    fn finish(&mut self, run: usize) -> Option<Duration> {
        let running = self.running[run].take()?;
        running.bar.finish_and_clear();
        self.over += 1;
        Some(running.since.elapsed())
    }

    fn say(&self, line: &str) {
        self.bars.suspend(|| eprintln!("{line}"));
    }

    /// All runs are over.
    pub fn end(self) {
        if self.terminal {
            let _ = self.bars.clear();
        }
    }
}
