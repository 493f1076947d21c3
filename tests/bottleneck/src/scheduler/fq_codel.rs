//! FQ-CoDel.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use rand_chacha::rand_core::Rng;

use super::{Header, Queues, Scheduler};
use crate::units::{format_duration, parse_duration, Params};
use crate::{CoDel, Discipline, Limit, ParseError, Stream, Verdict};

/// RFC 8290 section 4.1: at most so many packets go at once when there is no room.
const BATCH: u64 = 64;

/// `target`, `interval`, `quantum` and `flows` of RFC 8290 section 5.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FqCoDelParams {
    /// Delay that may stand in a queue ([`CoDel`]).
    pub target: Duration,
    /// How long it may be exceeded, above zero.
    pub interval: Duration,
    /// Bytes that a queue may send in its turn, at least 1.
    pub quantum: u32,
    /// Number of queues that flows are hashed into, 1 to 65536.
    pub flows: u32,
}

impl Default for FqCoDelParams {
    /// The values of section 5.2.
    fn default() -> Self {
        Self {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            quantum: 1514,
            flows: 1024,
        }
    }
}

impl FqCoDelParams {
    pub(crate) fn read(mut params: Params<'_>) -> Result<Self, ParseError> {
        let whole = |allowed| {
            move |text: &str| {
                text.parse()
                    .map_err(|_| ParseError::new("number", text, allowed))
            }
        };
        let by_default = Self::default();
        let target = params.optional("target", parse_duration)?;
        let interval = params.optional("interval", parse_duration)?;
        let quantum = params.optional("quantum", whole("whole bytes, 1 to 4294967295"))?;
        let flows = params.optional("flows", whole("1 to 65536 queues"))?;
        let read = Self {
            target: target.unwrap_or(by_default.target),
            interval: interval.unwrap_or(by_default.interval),
            quantum: quantum.unwrap_or(by_default.quantum),
            flows: flows.unwrap_or(by_default.flows),
        };
        let valid =
            !read.interval.is_zero() && read.quantum > 0 && (1..=65_536).contains(&read.flows);
        params.finish(read, valid)
    }
}

impl fmt::Display for FqCoDelParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            target,
            interval,
            quantum,
            flows,
        } = self;
        let (target, interval) = (format_duration(*target), format_duration(*interval));
        write!(
            f,
            "target={target},interval={interval},quantum={quantum},flows={flows}"
        )
    }
}

/// On which list of the scheduler a queue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    /// On none: nothing waits, and its turn is over.
    None,
    New,
    Old,
}

/// What the scheduler knows of a queue.
#[derive(Debug, Clone)]
struct Turn {
    list: List,
    /// Bytes that it may still send in this turn; negative if the last packet was larger than what was left.
    credits: i64,
    codel: CoDel,
}

/// Flow queue CoDel (RFC 8290): each flow has a queue of its own with a [`CoDel`] of its own. Queues take turns of `quantum` bytes (deficit
/// round robin), those that have just become busy before all others: a flow that sends less than a quantum per round never waits
/// for those that fill theirs. Without room, the queue with the most bytes loses packets from its head.
///
/// Flows are hashed into `flows` queues, with a random number that is drawn once. "Less than one packet in the queue", which keeps
/// CoDel from dropping, is about the flow's own queue.
#[derive(Debug)]
pub struct FqCoDel {
    params: FqCoDelParams,
    limit: Limit,
    salt: Option<u64>,
    turns: Vec<Turn>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    /// Packets that the queue with the most bytes still has to lose.
    batch: Option<(usize, u64)>,
    /// Bytes of the packet that has arrived last: those that waited before it decide whether it has room.
    arrived: u32,
}

impl FqCoDel {
    /// Queues that together may hold `limit`.
    pub fn new(limit: Limit, params: FqCoDelParams) -> Self {
        Self {
            params,
            limit,
            salt: None,
            turns: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            batch: None,
            arrived: 0,
        }
    }

    fn turn(&mut self, number: usize) -> &mut Turn {
        if self.turns.len() <= number {
            let fresh = Turn {
                list: List::None,
                credits: 0,
                codel: CoDel::new(self.params.target, self.params.interval),
            };
            self.turns.resize(number + 1, fresh);
        }
        &mut self.turns[number]
    }

    /// Moves the queue at the head of one list to the end of the old one.
    fn rotate(&mut self, number: usize) {
        self.leave(number);
        self.turns[number].list = List::Old;
        self.old.push_back(number);
    }

    fn forget_turns(&mut self) {
        for number in self.new.drain(..).chain(self.old.drain(..)) {
            self.turns[number].list = List::None;
        }
    }

    /// Takes the queue off the list whose head it is.
    fn leave(&mut self, number: usize) {
        match self.turns[number].list {
            List::New => self.new.pop_front(),
            List::Old => self.old.pop_front(),
            List::None => None,
        };
        self.turns[number].list = List::None;
    }
}

impl Scheduler for FqCoDel {
    /// Section 4.1: a hash of what identifies the flow, with a random number.
    fn classify(&mut self, packet: &Header, rng: &mut Stream) -> usize {
        let salt = *self.salt.get_or_insert_with(|| rng.next_u64());
        (mixed(packet.flow ^ salt) % u64::from(self.params.flows)) as usize
    }

    /// Section 4.1: a queue that was not busy becomes a new one, with a quantum to send.
    fn on_arrival(
        &mut self,
        queues: &Queues<'_>,
        number: usize,
        packet: &Header,
        rng: &mut Stream,
    ) -> Verdict {
        let quantum = i64::from(self.params.quantum);
        self.arrived = packet.size;
        if queues.all.idle {
            // Until it was idle the link has taken all queues off the lists (section 4.2).
            self.forget_turns();
        }
        let turn = self.turn(number);
        turn.codel
            .on_arrival(&queues.view(number), packet.size, packet.ecn, rng);
        if turn.list == List::None {
            turn.list = List::New;
            turn.credits = quantum;
            self.new.push_back(number);
        }
        Verdict::Pass
    }

    /// Section 4.1: half of the packets of the queue with the most bytes go, at most 64, oldest first.
    fn evict(&mut self, queues: &Queues<'_>) -> Option<usize> {
        if let Some((number, left @ 1..)) = self.batch {
            self.batch = Some((number, left - 1));
            return Some(number);
        }
        let all = &queues.all;
        let others = all.packets.checked_sub(1)?;
        let before = all.bytes.saturating_sub(self.arrived.into());
        if self.limit.admits(others, before, self.arrived, all.rate) {
            return None;
        }
        let (number, fattest) = queues
            .each
            .iter()
            .enumerate()
            .max_by_key(|(_, queue)| queue.bytes)?;
        self.batch = Some((number, (fattest.packets / 2).min(BATCH).saturating_sub(1)));
        Some(number)
    }

    /// Section 4.2, the two lists.
    fn next(&mut self, queues: &Queues<'_>) -> usize {
        let quantum = i64::from(self.params.quantum);
        loop {
            let head = self.new.front().or(self.old.front());
            let Some(&number) = head else {
                // Not reached while a packet waits: every queue that is not empty is on a list.
                return 0;
            };
            if self.turns[number].credits <= 0 {
                self.turns[number].credits += quantum;
                self.rotate(number);
            } else if queues.get(number).packets > 0 {
                return number;
            } else if self.turns[number].list == List::New {
                // Otherwise a flow that becomes busy again at once would keep the old ones waiting.
                self.rotate(number);
            } else {
                self.leave(number);
            }
        }
    }

    fn on_departure(
        &mut self,
        queues: &Queues<'_>,
        number: usize,
        packet: &Header,
        waited: Duration,
        rng: &mut Stream,
    ) -> Verdict {
        let view = queues.view(number);
        let turn = self.turn(number);
        let verdict = turn
            .codel
            .on_departure(&view, packet.size, packet.ecn, waited, rng);
        let sent = verdict == Verdict::Pass || packet.ecn.is_capable();
        if sent {
            turn.credits -= i64::from(packet.size);
        }
        verdict
    }
}

/// A number that has nothing to do with `value` but is always the same (the finaliser of SplitMix64, Steele et al. 2014).
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
