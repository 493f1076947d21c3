//! The table of what an option string may set.

use crate::spec::{Kind, Parameter};

const SHARE: Kind = Kind::Number(0.0, 0.9);

/// Every parameter that an option string may set.
pub const PARAMETERS: [Parameter; 18] = [
    Parameter {
        name: "bmin",
        kind: SHARE,
        help: "least decrease",
    },
    Parameter {
        name: "bmax",
        kind: SHARE,
        help: "largest decrease",
    },
    Parameter {
        name: "d1",
        kind: Kind::MillisOrAuto(0.05, 10_000.0),
        help: "queueing delay up to which the rate increases",
    },
    Parameter {
        name: "losscap",
        kind: Kind::Number(0.0, 1.0),
        help: "share of lost packets beyond which the rate decreases whatever the delay",
    },
    Parameter {
        name: "startup",
        kind: Kind::Number(1.1, 4.0),
        help: "until queueing shows the rate grows by so much less one per byte acknowledged, in bytes per L",
    },
    Parameter {
        name: "capacity",
        kind: Kind::NumberOrOff(0.0, 2.0),
        help: "share of what the slowest link carries, by packet dispersion, at which start-up ends",
    },
    Parameter {
        name: "insist",
        kind: Kind::NumberOrOff(0.0, 1.0),
        help: "queueing delay in L that does not end start-up while most of the path is used by others",
    },
    Parameter {
        name: "queue",
        kind: Kind::Number(0.5, 100.0),
        help: "d1 in packets at the flow's own rate, if it is auto",
    },
    Parameter {
        name: "drain",
        kind: Kind::Number(0.5, 100.0),
        help: "decrease from the rate at which packets arrived so that a queue drains in so many epochs, then return to it less bmin",
    },
    Parameter {
        name: "grow",
        kind: Kind::Number(1.0, 4.0),
        help: "growth of the increase per period without a decrease",
    },
    Parameter {
        name: "period",
        kind: Kind::Millis(1.0, 10_000.0),
        help: "period of that growth, where L is not longer; shorter in proportion where L and the spacing of packets are less than 2.5 ms",
    },
    Parameter {
        name: "full",
        kind: Kind::NumberOrOff(0.0, 1.0),
        help: "share of the longest queue of late at which losses count below d1",
    },
    Parameter {
        name: "compete",
        kind: Kind::MillisOrOff(100.0, 60_000.0),
        help: "how long a queue stands that a decrease does not drain until others are known to fill it",
    },
    Parameter {
        name: "dip",
        kind: Kind::NumberOrOff(0.0, 1.0),
        help: "share of the largest rate of arrival of late that the path is taken to carry although less arrives",
    },
    Parameter {
        name: "catchup",
        kind: Kind::NumberOrOff(0.0, 100.0),
        help: "times the part of the slowest link that the flow does not use, what its increase is multiplied by, if more than 1",
    },
    Parameter {
        name: "owdwin",
        kind: Kind::Millis(1_000.0, 600_000.0),
        help: "window of the sliding minima of delay",
    },
    Parameter {
        name: "skew",
        kind: Kind::Word(&["off", "on"]),
        help: "let the minima by receive times follow the skew of the peer's clock",
    },
    Parameter {
        name: "r0",
        kind: Kind::RateOrAuto(1_000.0, 1e10),
        help: "initial rate",
    },
];
