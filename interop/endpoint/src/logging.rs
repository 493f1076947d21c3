//! Log lines on standard error.

use log::LevelFilter;

/// Where the log lines of this crate come from. quiche has its own, one or more for every packet.
const OURS: &str = "quiche_cc_endpoint";

/// Starts logging. `RUST_LOG` replaces the level, in the syntax of the crate env_logger.
pub fn start(level: LevelFilter) {
    let mut builder = env_logger::Builder::new();
    match std::env::var("RUST_LOG") {
        Ok(filters) => builder.parse_filters(&filters),
        Err(_) => builder
            .filter_level(LevelFilter::Warn)
            .filter_module(OURS, level),
    };
    builder
        .format_timestamp_millis()
        .format_target(false)
        .init();
}
