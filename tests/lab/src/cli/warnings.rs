//! What libraries warn of: a controller from outside whose decisions can't be followed.

use log::{LevelFilter, Log, Metadata, Record};

struct ToStandardError;

impl Log for ToStandardError {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("quiche_cc")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            eprintln!("cc-lab: {}", record.args());
        }
    }

    fn flush(&self) {}
}

/// From now on.
pub(super) fn show() {
    if log::set_logger(&ToStandardError).is_ok() {
        log::set_max_level(LevelFilter::Warn);
    }
}
