//! How far what a source is told is from what the path carries.
//!
//! `docs/estimate.md` has these figures: `cargo test -p quiche-cc-lab --release estimate -- --nocapture` prints them.

use std::time::Duration;

use quiche_cc::estimate::{Estimate, State};
use quiche_cc_bottleneck::Time;

use super::{plan, run};

const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];

/// The estimates of a flow with this traffic, ten in a second.
fn estimates(cc: &str, rate: &str, traffic: &str, timestamps: bool, seed: u64) -> Vec<(Time, Estimate)> {
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
        jitter = "uniform:min=0ms,max=1ms,order=keep"
        [[flow]]
        name = "main"
        path = ["bottleneck"]
        traffic = {traffic}
        timestamps = {timestamps}
        "#
    );
    let record = run(&plan(&text, cc, seed));
    let told = |sample: &quiche_cc_lab::record::SenderSample| (sample.at, sample.estimate);
    record.flows[0].samples.iter().map(told).collect()
}

#[test]
fn explore() {
    for cc in ["hybrid", "cubic", "bbr2_gcongestion", "vegas", "smallq", "rrr", "raimd", "hybrid:paper"] {
    for timestamps in [true, false] {
        if cc != "hybrid" && !timestamps { continue }
        for share in [20, 40, 60, 80, 95, 200] {
          for kind in ["cbr", "frames"] {
            let traffic = if kind == "cbr" { format!("{{ kind = \"cbr\", rate = \"{}kbps\" }}", share * 100) }
            else { format!("{{ kind = \"responses\", every = \"33ms\", sizes = [{{ bytes = {} }}] }}", share * 100 * 1000 * 33 / 8000) };
            for seed in &SEEDS[..2] {
                let all = estimates(cc, "10Mbps", &traffic, timestamps, *seed);
                let after: Vec<_> = all.iter().filter(|(at, _)| *at >= Time::from(Duration::from_secs(5))).map(|x| x.1).collect();
                let p = |f: &dyn Fn(&Estimate) -> Option<f64>| {
                    let mut v: Vec<f64> = after.iter().filter_map(f).collect();
                    v.sort_by(f64::total_cmp);
                    if v.is_empty() { "-".into() } else { format!("{:.2}/{:.2}/{:.2} n={}", v[v.len()/20], v[v.len()/2], v[v.len()*19/20], v.len()*100/after.len()) }
                };
                let states: std::collections::BTreeMap<_, usize> = after.iter().fold(Default::default(), |mut m, e| { *m.entry(format!("{:?}", e.state)).or_default() += 1; m });
                println!("{cc} ts={timestamps} {kind} {share}% seed={seed}: target {} least {} most {} delay {} age {} {states:?}",
                    p(&|e| e.target.map(|r| r.bps() / 1e6)), p(&|e| e.least.map(|r| r.bps() / 1e6)), p(&|e| e.most.map(|r| r.bps() / 1e6)),
                    p(&|e| e.queueing_delay.map(|r| r.as_secs_f64() * 1e3)), p(&|e| e.evidence_age.map(|r| r.as_secs_f64())));
            }
          }
        }
    }
    }
    let _ = State::Steady;
}
