//! Mechanisms that an option string may leave out, so that their worth can be measured one by one.

/// A part of the controller that it also works without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    /// Minima by receive timestamps follow the skew of the peer's clock.
    ClockSkew,
    /// Start-up ends at the rate of the slowest link.
    LinkRate,
    /// Start-up goes on over a short queue where competing flows use the link.
    Insist,
    /// Who uses less of the link increases faster.
    CatchUp,
    /// Losses at a full buffer count although the delay is short.
    FullBuffer,
    /// Short dips of the delivery rate are not taken for the path's rate.
    Dips,
    /// Longer paths and competing flows who keep a queue are recognised.
    Contention,
    /// Excessive losses count whatever the delay.
    ExcessiveLoss,
}

impl Mechanism {
    /// Their names in option strings and traces, in this order.
    pub const NAMES: [&'static str; 8] = [
        "clock_skew",
        "link_rate",
        "insist",
        "catch_up",
        "full_buffer",
        "dips",
        "contention",
        "excessive_loss",
    ];
}

/// Those that are left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Without(u32);

impl Without {
    /// Those in these places of [`Mechanism::NAMES`], a bit each.
    pub fn places(bits: u32) -> Self {
        Self(bits)
    }

    /// Whether this one is left out.
    pub fn contains(self, mechanism: Mechanism) -> bool {
        self.0 & (1 << mechanism as u32) != 0
    }

    /// As in option strings.
    pub fn text(self) -> String {
        let left_out = |(place, _): &(usize, &&'static str)| self.0 & (1 << *place) != 0;
        let names = Mechanism::NAMES.iter().enumerate().filter(left_out);
        let names: Vec<_> = names.map(|(_, name)| *name).collect();
        match names.is_empty() {
            true => "none".to_owned(),
            false => names.join("+"),
        }
    }
}
