//! The table, by what is broken.

mod aborts;
mod control_stream;
mod messages;
mod qpack;
mod request_stream;
mod settings;
mod unidirectional;

use crate::Case;

/// Every case.
pub fn cases() -> Vec<Case> {
    [
        request_stream::cases(),
        control_stream::cases(),
        settings::cases(),
        unidirectional::cases(),
        qpack::cases(),
        messages::cases(),
        aborts::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
