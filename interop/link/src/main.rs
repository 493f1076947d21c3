//! `cc-link`: see the library of this crate, and `cc-link --help`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::FromArgMatches;
use quiche_cc_link::cli::{command, Options};
use quiche_cc_link::{accuracy, DirectionSummary, Log, Record, Relay, Stopper, Summary};
use serde::Serialize;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

fn main() -> ExitCode {
    let options = options();
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("cc-link: {message}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Options {
    let mut command = command();
    let matches = command.get_matches_mut();
    let options = Options::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Some(problem) = options.unusable() {
        command.error(ErrorKind::ValueValidation, problem).exit();
    }
    options
}

fn run(options: &Options) -> Result<(), String> {
    let Some(config) = options.config() else {
        return accuracy::print(&mut io::stdout()).map_err(|error| error.to_string());
    };
    let relay = Relay::bind(config.clone())
        .map_err(|error| format!("cannot relay from {}: {error}", config.listen))?;
    let log = match &options.log {
        None => Log::none(),
        Some(path) => Log::create(path)
            .map_err(|error| format!("cannot write the log {}: {error}", path.display()))?,
    };
    let signals = stop_on_signals(relay.stopper())?;
    let ready = serde_json::json!({
        "event": "ready",
        "listen": relay.local_addr(),
        "to": config.to,
        "pid": std::process::id(),
    });
    say(&ready).map_err(|error| format!("cannot write to standard output: {error}"))?;
    let summary = relay_on_its_own_thread(relay, log)?;
    signals.close();
    say(&Record::Summary(Box::new(summary.clone()))).map_err(|error| error.to_string())?;
    if !options.quiet {
        eprint!("{}", in_words(&summary));
    }
    Ok(())
}

fn stop_on_signals(stopper: Stopper) -> Result<signal_hook::iterator::Handle, String> {
    let mut signals = Signals::new([SIGINT, SIGTERM])
        .map_err(|error| format!("cannot catch signals: {error}"))?;
    let handle = signals.handle();
    std::thread::spawn(move || {
        for _ in signals.forever() {
            stopper.stop();
        }
    });
    Ok(handle)
}

/// Real-time priority is for the relay alone, not for the log and not for `main`.
fn relay_on_its_own_thread(relay: Relay, log: Log) -> Result<Summary, String> {
    let relay = std::thread::Builder::new()
        .name("relay".to_owned())
        .spawn(move || relay.run(log))
        .map_err(|error| format!("cannot start a thread: {error}"))?;
    match relay.join() {
        Ok(result) => result.map_err(|error| format!("the relay failed: {error}")),
        Err(_) => Err("the relay panicked".to_owned()),
    }
}

/// Writes a line for scripts, at once.
fn say(line: &impl Serialize) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, line)?;
    writeln!(out)?;
    out.flush()
}

/// The summary for people, with a warning where the run is not to be trusted.
fn in_words(summary: &Summary) -> String {
    let late = summary.lateness_ms;
    let mut text = format!(
        "{}{}released later than due: p50 {:.3} p95 {:.3} p99 {:.3} max {:.3} ms\n",
        direction_in_words("down", &summary.down),
        direction_in_words("up", &summary.up),
        late.p50,
        late.p95,
        late.p99,
        late.max
    );
    if late.p95 > 1.0 {
        text += "warning: this machine was too busy to release packets on time\n";
    }
    if let Some(dropped @ 1..) = summary.dropped_kernel {
        text +=
            &format!("warning: the kernel dropped {dropped} packets before they could be read\n");
    }
    text
}

fn direction_in_words(name: &str, direction: &DirectionSummary) -> String {
    let rate = |bytes: u64| match direction.active {
        active if active > 0.0 => bytes as f64 * 8e-6 / active,
        _ => 0.0,
    };
    let delay = direction.queue_delay_ms;
    format!(
        "{name:>4}: {} packets, {:.3} Mbit/s, {:.2} % lost, queueing delay mean {:.1} p95 {:.1} max {:.1} ms\n",
        direction.forwarded_packets,
        rate(direction.forwarded_bytes),
        direction.loss * 100.0,
        delay.mean,
        delay.p95,
        delay.max
    )
}
