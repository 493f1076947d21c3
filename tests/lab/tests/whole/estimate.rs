//! How far what a source is told is from what the path carries.
//!
//! The figures of `docs/estimate.md` are from here; with `-- estimate --nocapture` the tests print them.

use std::fmt;
use std::time::Duration;

use quiche_cc::estimate::Estimate;
use quiche_cc::units::Rate;
use quiche_cc_bottleneck::Time;
use quiche_cc_lab::stats::Samples;

use super::{plan, run};

/// What the link carries, in Mbit/s.
const LINK: f64 = 10.0;

/// A source on a path of 40 ms.
#[derive(Debug, Clone, Copy)]
struct Source {
    /// Of the link, a schedule.
    rate: &'static str,
    /// In kbit/s of data; none is as much as can be sent.
    kbps: Option<u32>,
    timestamps: bool,
    jitter: bool,
}

impl Source {
    /// What it is told, with its time in seconds, ten times in a second.
    fn estimates(&self, seed: u64) -> Vec<(f64, Estimate)> {
        let Self {
            rate, timestamps, ..
        } = self;
        let traffic = match self.kbps {
            Some(kbps) => format!(r#"{{ kind = "cbr", rate = "{kbps}kbps" }}"#),
            None => r#"{ kind = "unlimited" }"#.to_owned(),
        };
        let jitter = match self.jitter {
            true => r#"jitter = "uniform:min=0ms,max=1ms,order=keep""#,
            false => "",
        };
        let text = format!(
            r#"
            title = "a source"
            duration = "40s"
            interval = "100ms"
            [[link]]
            name = "bottleneck"
            rate = "{rate}"
            delay = "20ms"
            buffer = "200ms"
            {jitter}
            [[flow]]
            name = "main"
            path = ["bottleneck"]
            rtt = "40ms"
            traffic = {traffic}
            timestamps = {timestamps}
            "#
        );
        let record = run(&plan(&text, "hybrid", seed));
        let since_start = |at: Time| at.since(Time::from(Duration::ZERO)).as_secs_f64();
        let samples = record.flows[0].samples.iter();
        samples
            .map(|sample| (since_start(sample.at), sample.estimate))
            .collect()
    }

    /// Of all seeds; without jitter one is like the other.
    fn told(&self) -> Told {
        let seeds = if self.jitter { 1..=5 } else { 1..=1 };
        Told(seeds.flat_map(|seed| self.estimates(seed)).collect())
    }
}

/// What a source is told, with its times in seconds.
struct Told(Vec<(f64, Estimate)>);

impl Told {
    /// Between these seconds.
    fn between(&self, from: f64, to: f64) -> Vec<Estimate> {
        let within = self.0.iter().filter(|(at, _)| (from..to).contains(at));
        within.map(|(_, estimate)| *estimate).collect()
    }

    /// The spread of the rates in them: least, target and most.
    fn spreads(&self, from: f64, to: f64) -> [Spread; 3] {
        let told = self.between(from, to);
        [
            Spread::of(&told, |told| told.least),
            Spread::of(&told, |told| told.target),
            Spread::of(&told, |told| told.most),
        ]
    }
}

/// In Mbit/s: the 5th, 50th and 95th percentile, of those that are known, and the share that is.
#[derive(Debug, Clone, Copy)]
struct Spread {
    low: f64,
    middle: f64,
    high: f64,
    known: f64,
}

impl Spread {
    fn of(estimates: &[Estimate], rate: fn(&Estimate) -> Option<Rate>) -> Self {
        let mbps = |rate: Rate| rate.bps() / 1e6;
        let rates: Vec<f64> = estimates.iter().filter_map(rate).map(mbps).collect();
        let known = rates.len() as f64 / estimates.len() as f64;
        let rates = Samples::of(rates);
        let at = |percent| {
            rates
                .as_ref()
                .map_or(f64::NAN, |rates| rates.percentile(percent))
        };
        Self {
            low: at(5.0),
            middle: at(50.0),
            high: at(95.0),
            known,
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            low,
            middle,
            high,
            known,
        } = self;
        write!(f, "{middle:.1} ({low:.1} to {high:.1}), known {known:.2}")
    }
}

const PATHS: [(bool, bool); 4] = [(true, false), (true, true), (false, false), (false, true)];

#[test]
fn a_limited_source_is_told_what_arrives_and_no_more_than_twice_that_or_what_was_tried() {
    for (timestamps, jitter) in PATHS {
        for share in [20, 40, 60, 80, 95] {
            let source = Source {
                rate: "10Mbps",
                kbps: Some(share * 100),
                timestamps,
                jitter,
            };
            let [least, target, most] = source.told().spreads(10.0, 40.0);
            println!(
                "{share} %, timestamps {timestamps}, jitter {jitter}: {least} | {target} | {most}"
            );
            let sent = LINK * f64::from(share) / 100.0;
            assert!(least.low >= sent && least.high <= sent * 1.06, "{least}");
            assert!(target.low >= (1.9 * sent).min(0.85 * LINK), "{target}");
            assert!(target.high <= 1.4 * LINK, "{target}");
            assert_eq!(most.known > 0.5, timestamps, "{most}");
            // Of a few packets, jitter makes the link look slower than it is.
            let least_bound = if jitter && share == 20 { 0.7 } else { 0.99 };
            assert!(!timestamps || most.low >= least_bound * LINK, "{most}");
            assert!(
                !timestamps || jitter || target.high <= 1.02 * LINK,
                "{target}"
            );
        }
    }
}

#[test]
fn a_change_of_capacity_is_followed_where_the_source_uses_it() {
    for (rate, after) in [("5Mbps@0s,10Mbps@20s", 10.0), ("10Mbps@0s,5Mbps@20s", 5.0)] {
        for kbps in [None, Some(4000)] {
            for (timestamps, jitter) in PATHS {
                let source = Source {
                    rate,
                    kbps,
                    timestamps,
                    jitter,
                };
                let told = source.told();
                let [_, before, _] = told.spreads(15.0, 20.0);
                let [_, soon, _] = told.spreads(20.9, 22.0);
                let [least, target, most] = told.spreads(22.0, 40.0);
                println!("{rate}, {kbps:?}, timestamps {timestamps}, jitter {jitter}: before {before} | after 1 to 2 s {soon} | later {least} | {target} | {most}");
                if kbps.is_none() {
                    assert!(
                        (0.85 * after..1.25 * after).contains(&soon.middle),
                        "{soon}"
                    );
                    assert!(
                        (0.9 * after..1.15 * after).contains(&target.middle),
                        "{target}"
                    );
                    assert!(least.high <= 1.2 * after, "{least}");
                }
            }
        }
    }
}

/// How a change of capacity reaches a source: the share of looks within a tenth of what the link carries after it, and the spread.
fn after_change(rate: &'static str, after: f64, share: u32, timestamps: bool) -> (f64, Spread) {
    let source = Source {
        rate,
        kbps: Some(share * 100),
        timestamps,
        jitter: false,
    };
    let told = source.told();
    let [_, target, _] = told.spreads(22.0, 40.0);
    let looks = told.between(22.0, 40.0);
    let targets = looks.iter().filter_map(|told| told.target);
    let near = targets.filter(|target| (target.bps() / 1e6 / after - 1.0).abs() <= 0.1);
    (near.count() as f64 / looks.len() as f64, target)
}

#[test]
fn a_limited_source_is_not_told_of_more_and_of_less_only_where_it_meets_it() {
    for share in [10, 25, 50, 75] {
        for timestamps in [true, false] {
            let (near, up) = after_change("10Mbps@0s,20Mbps@20s", 20.0, share, timestamps);
            let (kept, down) = after_change("10Mbps@0s,5Mbps@20s", 5.0, share, timestamps);
            println!("{share} %, timestamps {timestamps}: doubled {up}, within a tenth {near:.2} | halved {down}, {kept:.2}");
            // What docs/estimate.md says of it: the target stays, as nothing tells.
            let sent = LINK * f64::from(share) / 100.0;
            assert!(near == 0.0 && up.middle <= 1.05 * LINK, "{up}");
            assert!(up.middle >= (1.9 * sent).min(0.9 * LINK), "{up}");
            // Where data and headers are more than what is left, the queue tells.
            if sent >= 5.0 {
                assert!((0.9 * 5.0..1.25 * 5.0).contains(&down.middle), "{down}");
            } else {
                assert!(down.middle <= 1.05 * LINK, "{down}");
            }
        }
    }
}
