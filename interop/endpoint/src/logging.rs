//! Log lines on standard error.

use log::LevelFilter;

/// Starts logging. `RUST_LOG` overrides the level, in the syntax of the crate env_logger.
pub fn start(level: LevelFilter) {
    let mut builder = env_logger::Builder::new();
    // quiche reports every packet from `debug` on, and refused handshakes of others at `error`.
    builder
        .filter_level(LevelFilter::Warn)
        .filter_module("quiche_cc_endpoint", level);
    if let Ok(filters) = std::env::var("RUST_LOG") {
        builder.parse_filters(&filters);
    }
    builder
        .format_timestamp_millis()
        .format_target(false)
        .init();
}
