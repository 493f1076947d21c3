//! The table of `cc-link --self-test`.

use std::io::{self, Write};
use std::time::Duration;

use quiche_cc_bottleneck::Rate;

use super::{delay, rate};
use crate::Percentiles;

const RATES: [&str; 5] = ["1Mbps", "5Mbps", "20Mbps", "100Mbps", "500Mbps"];
const RATE_TIME: Duration = Duration::from_secs(2);
const DELAYS: [(&str, u64); 4] = [("1Mbps", 50), ("5Mbps", 10), ("100Mbps", 5), ("100Mbps", 0)];
const PROBES: usize = 300;

/// Measures a few rates and delays and writes a line for each.
///
/// # Errors
/// Those of the sockets, or of writing.
pub fn print(out: &mut impl Write) -> io::Result<()> {
    let lateness = "release later than due, ms (p50 p95 p99 max)";
    writeln!(
        out,
        "{:>10} {:>14} {:>8}   {lateness}",
        "rate", "measured", "error"
    )?;
    for text in RATES {
        let target = parse(text)?;
        let report = rate(target, RATE_TIME)?;
        writeln!(
            out,
            "{text:>10} {:>9.3} Mbps {:>+7.3}%   {}",
            report.measured / 1e6,
            report.error() * 100.0,
            spread(&report.summary.lateness_ms)
        )?;
        out.flush()?;
    }
    let added = "longer than that, ms (p50 p95 p99 max)";
    writeln!(
        out,
        "\n{:>10} {:>14} {:>8}   {added}",
        "rate", "one-way delay", "packets"
    )?;
    for (text, millis) in DELAYS {
        let report = delay(parse(text)?, Duration::from_millis(millis), PROBES)?;
        writeln!(
            out,
            "{text:>10} {:>11.3} ms {:>4}/{:<3}   {}",
            report.target.as_secs_f64() * 1e3,
            report.received.0,
            report.received.1,
            spread(&report.added)
        )?;
        out.flush()?;
    }
    Ok(())
}

fn parse(text: &str) -> io::Result<Rate> {
    text.parse().map_err(io::Error::other)
}

fn spread(times: &Percentiles) -> String {
    let Percentiles {
        p50, p95, p99, max, ..
    } = times;
    format!("{p50:.3} {p95:.3} {p99:.3} {max:.3}")
}
