//! The window in quiche's units.

use crate::units::Bytes;

/// The window, as quiche asks for it several times per packet.
#[derive(Debug)]
pub(super) struct Window {
    pub bytes: usize,
    pub packets: usize,
}

impl Window {
    /// Up to a limit that quiche has been given.
    pub fn of(window: Bytes, limit: usize, packet: Bytes) -> Self {
        let bytes = usize::try_from(window.0).unwrap_or(usize::MAX).min(limit);
        let packets = bytes / packet.0.max(1) as usize;
        Self { bytes, packets }
    }
}
