//! Log lines on standard error.

use std::io::{self, IsTerminal, Write};

use env_logger::fmt::Formatter;
use env_logger::{Target, WriteStyle};
use log::{LevelFilter, Record};

use crate::output::Output;
use crate::text::printable;

/// Where the log lines of this crate come from. quiche has its own, one or more for every packet.
const OURS: &str = "quiche_cc_endpoint";

/// Starts logging. `RUST_LOG` replaces the level, in the syntax of the crate env_logger. Whoever
/// ends the program should wait for what is returned.
pub fn start(level: LevelFilter) -> io::Result<Output> {
    let output = Output::stderr(|count| {
        format!("[WARN] {count} log lines are missing: nobody read standard error\n")
    })?;
    let mut builder = env_logger::Builder::new();
    match std::env::var("RUST_LOG") {
        Ok(filters) => builder.parse_filters(&filters),
        Err(_) => builder
            .filter_level(LevelFilter::Warn)
            .filter_module(OURS, level),
    };
    builder
        .target(Target::Pipe(Box::new(output.clone())))
        .write_style(style())
        .format(write)
        .init();
    Ok(output)
}

/// env_logger sees no terminal behind the thread that writes.
fn style() -> WriteStyle {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if io::stderr().is_terminal() && !plain {
        WriteStyle::Always
    } else {
        WriteStyle::Never
    }
}

/// Much of what is logged comes from the other end of a connection.
fn write(line: &mut Formatter, record: &Record<'_>) -> io::Result<()> {
    let (time, level) = (line.timestamp_millis(), record.level());
    let style = line.default_level_style(level);
    let text = printable(&record.args().to_string());
    writeln!(line, "[{time} {style}{level:<5}{style:#}] {text}")
}
