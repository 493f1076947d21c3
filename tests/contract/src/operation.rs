//! Everything that can happen to a controller, as data.

use std::time::Duration;

use arbitrary::{Arbitrary, Unstructured};
use proptest::prelude::*;
use quiche_cc::feedback::Space;

/// A span of time, from a microsecond to 71 minutes in steps of an eighth of an octave; 0 is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub struct Span(pub u8);

impl Span {
    /// The span.
    pub fn duration(self) -> Duration {
        match self.0 {
            0 => Duration::ZERO,
            step => Duration::from_micros(2.0_f64.powf(f64::from(step) / 8.0) as u64),
        }
    }
}

/// A packet number space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum In {
    /// 0-RTT and 1-RTT.
    Application,
    /// Initial.
    Initial,
    /// Handshake.
    Handshake,
}

impl From<In> for Space {
    fn from(space: In) -> Self {
        match space {
            In::Application => Space::Application,
            In::Initial => Space::Initial,
            In::Handshake => Space::Handshake,
        }
    }
}

/// What a receiver says about when packets came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Times {
    /// Nothing.
    None,
    /// The truth, by its clock.
    True,
    /// The truth about every other packet.
    Some,
    /// Always the start of its clock.
    Zero,
    /// The end of all clocks.
    Last,
    /// The time of sending: no delay at all.
    Undelayed,
    /// This many nanoseconds.
    Claimed(u64),
}

/// One ACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub struct AckOf {
    /// Its packet number space.
    pub space: In,
    /// So many of the newest packets are not in it.
    pub behind: u8,
    /// So many packets, down from there, are.
    pub packets: u8,
    /// Only every other of them.
    pub sparse: bool,
    /// What is older is declared lost.
    pub losing: bool,
    /// It comes when the path's RTT is over, or else at once.
    pub on_time: bool,
    /// What it says about receive timestamps.
    pub times: Times,
    /// The ACK delay that it reports.
    pub delay: Span,
    /// Increase of the CE count, where packets are marked.
    pub marks: u8,
}

/// Something that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Operation {
    /// Time passes.
    Wait(Span),
    /// Packets leave, as far as the window has room.
    Send {
        /// Where.
        space: In,
        /// How many.
        packets: u8,
        /// Their size, in 255ths of the maximum; zero is not ack-eliciting.
        size: u8,
    },
    /// A probe leaves, whether the window has room or not.
    Probe,
    /// An ACK comes.
    Ack(AckOf),
    /// The loss timer declares the oldest packets lost.
    LossTimer {
        /// How many.
        packets: u8,
    },
    /// All that is in flight is lost, as after an outage.
    LoseAll,
    /// A loss timer that finds nothing.
    Nothing,
    /// The application has no more.
    AppLimited,
    /// The maximum datagram size becomes 1200 bytes and this.
    MaxDatagramSize(u16),
    /// The path's delays change.
    Delay {
        /// To the receiver.
        forward: Span,
        /// Back.
        back: Span,
    },
    /// The receiver's clock is set forward by so many milliseconds.
    ClockStep(i32),
    /// The receiver's clock is faster by so many millionths.
    ClockDrift(i16),
    /// Windows are sent and acknowledged packet by packet, with a queue that grows to this.
    Rounds {
        /// How many windows.
        count: u8,
        /// The longest queue.
        queue: Span,
    },
}

/// What a controller starts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub struct Opening {
    /// The initial window; quiche takes any number.
    pub window_packets: u8,
    /// The RTT to assume.
    pub rtt: Span,
    /// The peer's maximum ACK delay; zero while unknown.
    pub max_ack_delay: Span,
}

/// Everything about one run, out of a fuzzer's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Arbitrary)]
pub struct Input {
    /// Whose turn it is, modulo their number.
    pub subject: u8,
    /// Whether a trace is written.
    pub traced: bool,
    /// How it starts.
    pub opening: Opening,
    /// What happens, to the end of the bytes.
    #[arbitrary(with = all_operations)]
    pub operations: Vec<Operation>,
}

fn all_operations(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Vec<Operation>> {
    let mut operations = Vec::new();
    while !bytes.is_empty() {
        operations.push(bytes.arbitrary()?);
    }
    Ok(operations)
}

fn span() -> impl Strategy<Value = Span> {
    // 10 us to 10 s are what paths are made of.
    prop_oneof![1 => any::<u8>(), 6 => 27_u8..187].prop_map(Span)
}

fn space() -> impl Strategy<Value = In> {
    prop_oneof![12 => Just(In::Application), 1 => Just(In::Initial), 1 => Just(In::Handshake)]
}

fn times() -> impl Strategy<Value = Times> {
    prop_oneof![
        3 => Just(Times::None),
        9 => Just(Times::True),
        2 => Just(Times::Some),
        1 => Just(Times::Zero),
        1 => Just(Times::Last),
        1 => Just(Times::Undelayed),
        2 => any::<u64>().prop_map(Times::Claimed),
    ]
}

fn ack() -> impl Strategy<Value = AckOf> {
    let packets = prop_oneof![1 => 0_u8..4, 3 => any::<u8>()];
    let which = (
        space(),
        prop_oneof![6 => Just(0), 1 => any::<u8>()],
        packets,
    );
    let flags = (
        prop::bool::weighted(0.1),
        prop::bool::weighted(0.4),
        prop::bool::weighted(0.8),
    );
    let marks = prop_oneof![4 => Just(0), 1 => any::<u8>()];
    (which, flags, times(), span(), marks).prop_map(
        |((space, behind, packets), (sparse, losing, on_time), times, delay, marks)| AckOf {
            space,
            behind,
            packets,
            sparse,
            losing,
            on_time,
            times,
            delay,
            marks,
        },
    )
}

/// Any operation, the everyday ones more often.
pub fn operation() -> impl Strategy<Value = Operation> {
    let size = prop_oneof![1 => any::<u8>(), 3 => Just(255)];
    let rounds = (1_u8..20, span());
    prop_oneof![
        4 => span().prop_map(Operation::Wait),
        8 => (space(), 1_u8..40, size).prop_map(|(space, packets, size)| Operation::Send { space, packets, size }),
        1 => Just(Operation::Probe),
        10 => ack().prop_map(Operation::Ack),
        1 => any::<u8>().prop_map(|packets| Operation::LossTimer { packets }),
        1 => Just(Operation::LoseAll),
        1 => Just(Operation::Nothing),
        1 => Just(Operation::AppLimited),
        1 => (0_u16..8000).prop_map(Operation::MaxDatagramSize),
        1 => (span(), span()).prop_map(|(forward, back)| Operation::Delay { forward, back }),
        1 => any::<i32>().prop_map(Operation::ClockStep),
        1 => any::<i16>().prop_map(Operation::ClockDrift),
        3 => rounds.prop_map(|(count, queue)| Operation::Rounds { count, queue }),
    ]
}

/// Any start.
pub fn opening() -> impl Strategy<Value = Opening> {
    let window = prop_oneof![3 => Just(10), 1 => any::<u8>()];
    (window, span(), span()).prop_map(|(window_packets, rtt, max_ack_delay)| Opening {
        window_packets,
        rtt,
        max_ack_delay,
    })
}
