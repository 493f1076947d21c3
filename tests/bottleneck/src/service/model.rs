//! Services by name.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::{ScheduledRate, Service, Trace, TraceError, TraceService, Unlimited};
use crate::{ParseError, Rate, Schedule};

const ALLOWED: &str = "1bps to 1000Gbps, as in 800kbps, 5Mbps, 1.5Gbps (or kbit/s, Mbit/s, Gbit/s), rates and \
    the times from which on they hold, rising and the first 0s (10Mbps@0s,1Mbps@20s), a recording in mahimahi's \
    format (trace:FILE), or unlimited";

/// How fast a link sends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RateModel {
    /// `unlimited`: takes no time.
    #[default]
    Unlimited,
    /// `10Mbps`, or `10Mbps@0s,1Mbps@20s`; see [`ScheduledRate`].
    Scheduled(Schedule<Rate>),
    /// `trace:FILE`; see [`Trace`].
    Trace(PathBuf),
}

impl RateModel {
    /// The service, and its nominal rate, which sizes given in time or bandwidth-delay products refer
    /// to: that at the start of a schedule, the mean of a recording, `None` if unlimited. (A buffer is so many bytes
    /// of memory, which do not change with the rate.)
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn build(&self) -> Result<(Box<dyn Service>, Option<Rate>), TraceError> {
        Ok(match self {
            Self::Unlimited => (Box::new(Unlimited), None),
            Self::Scheduled(rates) => (
                Box::new(ScheduledRate::new(rates.clone())),
                Some(rates.first()),
            ),
            Self::Trace(path) => {
                let trace = Trace::read(path)?;
                let mean = trace.mean_rate();
                (Box::new(TraceService::new(trace)), Some(mean))
            }
        })
    }

    /// The same with the file of a recording looked for in `folder` unless its path is absolute.
    #[must_use]
    pub fn relative_to(self, folder: &Path) -> Self {
        match self {
            Self::Trace(path) => Self::Trace(folder.join(path)),
            other => other,
        }
    }
}

impl From<Rate> for RateModel {
    fn from(rate: Rate) -> Self {
        Self::Scheduled(rate.into())
    }
}

impl FromStr for RateModel {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError::new("rate", text, ALLOWED);
        match text.trim().strip_prefix("trace:") {
            Some("") => Err(wrong()),
            Some(path) => Ok(Self::Trace(path.into())),
            None if text.trim() == "unlimited" => Ok(Self::Unlimited),
            None => text.parse().map(Self::Scheduled).map_err(|_| wrong()),
        }
    }
}

impl fmt::Display for RateModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("unlimited"),
            Self::Scheduled(rates) => rates.fmt(f),
            Self::Trace(path) => write!(f, "trace:{}", path.display()),
        }
    }
}
