//! Checks what a scenario file says, and fills in what it leaves open.

use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::time::Duration;

use quiche_cc_bottleneck::{Buffer, LinkConfig, RateModel, Time};
use toml::Spanned;

use super::file::{self, File, Span, Text};
use super::route;
use super::{FlowDecl, HostClock, LinkDecl, Quic, Scenario, Traffic, Transport};

/// Why a file cannot be used, and where.
pub struct Refusal {
    /// Bytes of the file.
    pub span: Range<usize>,
    /// What is wrong, and what is allowed.
    pub message: String,
}

/// A value, or why there is none.
pub type Checked<T> = Result<T, Refusal>;

/// Refuses the file for what stands at `at`.
pub fn refuse<T, V>(at: &Spanned<V>, message: impl Into<String>) -> Checked<T> {
    Err(Refusal {
        span: at.span(),
        message: message.into(),
    })
}

/// Datagrams of QUIC have at least 1200 bytes (RFC 9000, section 14); Ethernet jumbo frames carry 9000.
const DATAGRAMS: RangeInclusive<u16> = 1200..=9000;
const MOST_FLOWS: u32 = 1000;
const MOST_SECONDS: u64 = 1_000_000;

/// The scenario that the file describes. Files that it names are looked for in `directory`.
pub fn resolve(file: File, directory: &Path) -> Checked<Scenario> {
    let duration = duration(&file)?;
    let datagram = *file.datagram.get_ref();
    if !DATAGRAMS.contains(&datagram) {
        return refuse(
            &file.datagram,
            format!("a datagram of {datagram} bytes is not possible; allowed are 1200 to 9000"),
        );
    }
    let mut links = links(&file.link, directory)?;
    let mut flows = Vec::new();
    for flow in &file.flow {
        for number in 0..count(flow)? {
            flows.push(resolve_flow(flow, number, duration, &mut links)?);
        }
    }
    let Some(_) = flows.first() else {
        return Err(Refusal {
            span: 0..0,
            message: "there is no [[flow]]".into(),
        });
    };
    unique(flows.iter().map(|flow| flow.name.as_str()), &file.flow)?;
    route::set_base_rtts(&mut links, &flows);
    Ok(Scenario {
        title: file.title,
        duration,
        warmup: warmup(file.warmup.as_ref(), duration)?,
        datagram,
        interval: interval(file.interval.as_ref(), duration)?,
        links,
        flows,
    })
}

fn duration(file: &File) -> Checked<Duration> {
    let Span(duration) = file.duration.get_ref().0;
    if duration.is_zero() || duration.as_secs() > MOST_SECONDS {
        return refuse(
            &file.duration,
            "a run takes more than 0s and at most 1000000s",
        );
    }
    Ok(duration)
}

fn warmup(given: Option<&Spanned<Text<Span>>>, duration: Duration) -> Checked<Duration> {
    let Some(given) = given else {
        return Ok(Duration::ZERO);
    };
    let Span(warmup) = given.get_ref().0;
    if warmup >= duration {
        return refuse(given, "the warm-up has to end before the run");
    }
    Ok(warmup)
}

/// Five hundred points make a curve.
fn interval(given: Option<&Spanned<Text<Span>>>, duration: Duration) -> Checked<Duration> {
    const SHORTEST: Duration = Duration::from_millis(1);
    let Some(given) = given else {
        return Ok((duration / 500).max(10 * SHORTEST));
    };
    let Span(interval) = given.get_ref().0;
    if interval < SHORTEST || interval > duration {
        return refuse(
            given,
            "the interval of series is at least 1ms and at most the duration",
        );
    }
    Ok(interval)
}

fn links(given: &[Spanned<file::Link>], directory: &Path) -> Checked<Vec<LinkDecl>> {
    let mut links: Vec<LinkDecl> = Vec::new();
    for link in given {
        let link = link.get_ref();
        let name = link.name.get_ref();
        if links.iter().any(|known| known.name == *name) {
            return refuse(&link.name, format!("there are two links `{name}`"));
        }
        check_name(&link.name)?;
        links.push(LinkDecl {
            name: name.clone(),
            config: config(link, directory)?,
            private: false,
        });
    }
    Ok(links)
}

/// The rate, whose recording is read, so that no run stops at one.
fn rate(given: &Spanned<Text<RateModel>>, directory: &Path) -> Checked<RateModel> {
    let rate = given.get_ref().0.clone().relative_to(directory);
    match rate.build() {
        Ok(_) => Ok(rate),
        Err(error) => refuse(given, error.to_string()),
    }
}

fn config(link: &file::Link, directory: &Path) -> Checked<LinkConfig> {
    let default = LinkConfig::default();
    let rate = link.rate.as_ref().map(|given| rate(given, directory));
    Ok(LinkConfig {
        rate: rate.transpose()?.unwrap_or(default.rate),
        queue: link.queue.map_or(default.queue, |queue| queue.0),
        buffer: link.buffer.map_or(Buffer::Bdp(1.0), |buffer| buffer.0),
        base_rtt: Duration::ZERO,
        outages: link.outages.clone().map(|outages| outages.0),
        loss: link.loss.map_or(default.loss, |loss| loss.0),
        delay: link.delay.clone().map_or(default.delay, |delay| delay.0),
        jitter: link.jitter.clone().map(|jitter| jitter.0),
        aggregate: link.aggregate.map(|aggregate| aggregate.0),
        reorder: link.reorder.map(|reorder| reorder.0),
    })
}

/// Names become file names and parts of keys.
fn check_name(name: &Spanned<String>) -> Checked<()> {
    let text = name.get_ref();
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if text.is_empty() || text.len() > 60 || !text.chars().all(allowed) {
        return refuse(
            name,
            format!("`{text}` is no name; allowed are 1 to 60 letters, digits, - and _"),
        );
    }
    Ok(())
}

fn unique<'a>(names: impl Iterator<Item = &'a str>, given: &[Spanned<file::Flow>]) -> Checked<()> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            let span = given.first().map_or(0..0, Spanned::span);
            return Err(Refusal {
                span,
                message: format!("there are two flows `{name}`"),
            });
        }
    }
    Ok(())
}

fn count(flow: &Spanned<file::Flow>) -> Checked<u32> {
    match &flow.get_ref().count {
        None => Ok(1),
        Some(count) if (1..=MOST_FLOWS).contains(count.get_ref()) => Ok(*count.get_ref()),
        Some(count) => refuse(count, format!("the count of flows is 1 to {MOST_FLOWS}")),
    }
}

fn resolve_flow(
    given: &Spanned<file::Flow>,
    number: u32,
    duration: Duration,
    links: &mut Vec<LinkDecl>,
) -> Checked<FlowDecl> {
    let flow = given.get_ref();
    check_name(&flow.name)?;
    let name = match flow.count {
        Some(_) => format!("{}-{}", flow.name.get_ref(), number + 1),
        None => flow.name.get_ref().clone(),
    };
    let (route, base_rtt) = route::lay(given, &name, links)?;
    let gap = flow.every.map_or(Duration::ZERO, |every| every.0 .0);
    let start = flow.start.map_or(Duration::ZERO, |start| start.0 .0) + gap * number;
    let stop = flow
        .stop
        .as_ref()
        .map_or(duration, |stop| stop.get_ref().0 .0);
    if start >= stop.min(duration) {
        return refuse(given, format!("flow `{name}` would start at {start:?}, which is not before its end and that of the run"));
    }
    Ok(FlowDecl {
        name,
        route,
        base_rtt,
        start: Time::from(start),
        stop: Time::from(stop.min(duration)),
        transport: transport(given)?,
        traffic: traffic(flow)?,
    })
}

fn transport(given: &Spanned<file::Flow>) -> Checked<Transport> {
    let flow = given.get_ref();
    if flow.transport == file::Transport::Udp {
        if let Some(cc) = &flow.cc {
            return refuse(cc, "a UDP flow has no congestion controller");
        }
        if let Some(key) = flow.key_of_quic() {
            return refuse(given, format!("`{key}` is for QUIC flows, not for UDP"));
        }
        return Ok(Transport::Udp);
    }
    if let Some(cc) = &flow.cc {
        if let Err(error) = quiche_cc::parse(cc.get_ref()) {
            return refuse(cc, error.to_string());
        }
    }
    let initial_window = between(
        flow.initial_window.as_ref(),
        1..=1000,
        10,
        "the initial window is 1 to 1000 packets",
    )?;
    Ok(Transport::Quic(Quic {
        cc: flow.cc.as_ref().map(|cc| cc.get_ref().clone()),
        timestamps: flow.timestamps.unwrap_or(true),
        timestamps_per_ack: between(
            flow.timestamps_per_ack.as_ref(),
            1..=256,
            64,
            "an ACK reports 1 to 256 receive timestamps",
        )?,
        packets_per_ack: packets_per_ack(flow)?,
        ecn: flow.ecn.unwrap_or(true),
        initial_window,
        idle_timeout: flow
            .idle_timeout
            .map_or(Duration::ZERO, |timeout| timeout.0 .0),
        clock: clock(flow.clock.as_ref())?,
        rebind: flow.rebind.iter().map(|at| Time::from(at.0 .0)).collect(),
    }))
}

/// The number that is given, if it is allowed.
fn between(
    given: Option<&Spanned<u16>>,
    allowed: RangeInclusive<u16>,
    otherwise: u16,
    message: &str,
) -> Checked<u16> {
    match given {
        None => Ok(otherwise),
        Some(number) if allowed.contains(number.get_ref()) => Ok(*number.get_ref()),
        Some(number) => refuse(number, message),
    }
}

/// What a client sends leaves with its ACKs, so a client with requests would hold these back.
fn packets_per_ack(flow: &file::Flow) -> Checked<u16> {
    let given = flow.packets_per_ack.as_ref();
    let asks = matches!(
        flow.traffic.get_ref(),
        file::Traffic::Requests { .. } | file::Traffic::Media { .. }
    );
    match given {
        Some(packets) if asks => refuse(
            packets,
            "`packets_per_ack` is for clients that send nothing but ACKs: not with the traffic `requests` and `media`",
        ),
        _ => between(given, 1..=100, 1, "an ACK is sent for 1 to 100 packets"),
    }
}

fn clock(given: Option<&file::Clock>) -> Checked<HostClock> {
    let Some(given) = given else {
        return Ok(HostClock::default());
    };
    let drift_ppm = match &given.drift_ppm {
        None => 0.0,
        Some(drift) if drift.get_ref().abs() <= 10_000.0 => *drift.get_ref(),
        Some(drift) => return refuse(drift, "a clock drifts by -10000 to 10000 ppm"),
    };
    let mut steps: Vec<_> = given
        .steps
        .iter()
        .map(|step| (Time::from(step.at.0 .0), step.by.0 .0))
        .collect();
    steps.sort();
    Ok(HostClock {
        offset: given.offset.map_or(Duration::ZERO, |offset| offset.0 .0),
        drift_ppm,
        steps,
    })
}

fn traffic(flow: &file::Flow) -> Checked<Traffic> {
    let given = &flow.traffic;
    let controlled = flow.transport == file::Transport::Quic;
    let traffic = given.get_ref().typed();
    let needs_quic = matches!(
        traffic,
        Traffic::Unlimited
            | Traffic::Bursts { .. }
            | Traffic::OnOff { rate: None, .. }
            | Traffic::Responses { .. }
            | Traffic::Requests { .. }
            | Traffic::Media { .. }
            | Traffic::Encoder(_)
    );
    if needs_quic && !controlled {
        return refuse(given, "this traffic needs a transport that controls it; UDP carries transfer, cbr, poisson, and on_off with a rate");
    }
    if let Some(fault) = given.get_ref().fault() {
        return refuse(given, fault);
    }
    Ok(traffic)
}
