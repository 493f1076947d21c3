use std::path::Path;

use quiche_cc_lab::{scenario, simulation};

fn main() {
    quiche_cc::register();
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("scenario");
    let cc = args.next().expect("cc");
    let seed: u64 = args.next().map_or(1, |s| s.parse().unwrap());
    let scenario = scenario::load(Path::new(&path), &Default::default()).unwrap_or_else(|e| {
        eprintln!("{e}");
        std::process::exit(2);
    });
    let start = std::time::Instant::now();
    let record = simulation::run(
        &scenario,
        &mut simulation::RunConfig {
            cc: &cc,
            seed,
            qlog: std::env::var("QLOGDIR").ok().as_deref().map(Path::new),
            progress: &mut |_| {},
        },
    )
    .unwrap();
    let took = start.elapsed();
    let from = 5_000_000_000u64;
    for (decl, flow) in scenario.flows.iter().zip(&record.flows) {
        let bytes: u64 = flow
            .deliveries
            .iter()
            .filter(|d| d.at.as_nanos() > from)
            .map(|d| u64::from(d.size))
            .sum();
        let span = scenario.duration.as_secs_f64() - 5.0;
        let mut q: Vec<f64> = flow
            .deliveries
            .iter()
            .filter(|d| d.at.as_nanos() > from)
            .map(|d| d.queueing.as_secs_f64() * 1e3)
            .collect();
        q.sort_by(f64::total_cmp);
        let pick = |p: f64| {
            q.get(((q.len() as f64 - 1.0) * p) as usize)
                .copied()
                .unwrap_or(f64::NAN)
        };
        let mean = q.iter().sum::<f64>() / q.len() as f64;
        println!("{}: {:.4} Mbit/s queue mean {mean:.2} p50 {:.2} p95 {:.2} max {:.2} ms, sent {}, lost {}, est {:?} end {:?}", decl.name, bytes as f64 * 8.0 / span / 1e6, pick(0.5), pick(0.95), pick(1.0), flow.sent.len(), flow.losses.len(), flow.established, flow.ended);
    }
    println!(
        "{} packets in {took:?}: {:.0}/s",
        record.simulated_packets,
        record.simulated_packets as f64 / took.as_secs_f64()
    );
    let mut hash = 0u64;
    for flow in &record.flows {
        for d in &flow.deliveries {
            hash = hash.wrapping_mul(0x100000001b3) ^ d.at.as_nanos();
        }
    }
    println!("{hash:x}");
}
