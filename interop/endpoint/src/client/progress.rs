//! Progress bars, on terminals only.

use std::io::IsTerminal;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// All bars of the client.
pub struct Progress {
    bars: MultiProgress,
}

impl Progress {
    /// Shows bars on standard error if that is a terminal and `wanted`.
    pub fn new(wanted: bool) -> Self {
        let target = if wanted && std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        Self {
            bars: MultiProgress::with_draw_target(target),
        }
    }

    /// A bar for one download.
    pub fn bar(&self, name: &str) -> Bar {
        let template = "{msg:20!} {bar:30} {bytes:>10}/{total_bytes:10} {bytes_per_sec} {eta}";
        let style = ProgressStyle::with_template(template).expect("the template is well-formed");
        let bar = self.bars.add(ProgressBar::no_length().with_style(style));
        bar.set_message(name.to_owned());
        Bar(bar)
    }
}

/// The bar of one download.
pub struct Bar(ProgressBar);

impl Bar {
    /// One that nobody sees.
    #[cfg(test)]
    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    pub fn set_length(&self, bytes: u64) {
        self.0.set_length(bytes);
    }

    pub fn advance(&self, bytes: u64) {
        self.0.inc(bytes);
    }

    pub fn finish(&self) {
        self.0.abandon();
    }
}
