//! What libraries warn of: a controller from outside whose decisions can't be followed.

use std::io::Write;

use log::LevelFilter;

/// From now on, on standard error.
pub(super) fn show() {
    // In a program with a logger of its own it stays that.
    let _ = env_logger::Builder::new()
        .filter_module("quiche_cc", LevelFilter::Warn)
        .format(|line, record| writeln!(line, "cc-lab: {}", record.args()))
        .try_init();
}
