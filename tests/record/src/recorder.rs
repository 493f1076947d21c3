//! Puts together what is known of a packet when it comes to a link and when it leaves it.

use std::collections::HashMap;

use quiche_cc_bottleneck::{Exit, Time};

use crate::{Left, Row};

/// Where rows go.
pub trait Sink {
    /// Takes a row. What goes wrong is told at the end: a network has nobody to tell.
    fn take(&mut self, row: Row);
}

/// Holds the rows of the packets that are inside a link, and gives them away when they leave it.
#[derive(Debug)]
pub struct Recorder<S> {
    inside: HashMap<u64, Row>,
    sink: S,
}

impl<S: Sink> Recorder<S> {
    /// Gives the rows to `sink`, in the order in which packets leave links.
    pub fn new(sink: S) -> Self {
        Self {
            inside: HashMap::new(),
            sink,
        }
    }

    /// A packet has come to a link. It is in no other one.
    pub fn arrives(&mut self, row: Row) {
        self.inside.insert(row.packet, row);
    }

    /// The packet has left its link, and was delivered or lost at this time: that of its exit, or a little later where
    /// the link has to wait for its turn in real time.
    pub fn leaves<P>(&mut self, packet: u64, at: Time, exit: &Exit<P>) {
        if let Some(mut row) = self.inside.remove(&packet) {
            row.left = Some(Left {
                at,
                ecn: exit.packet.ecn,
                fate: exit.fate,
            });
            self.sink.take(row);
        }
    }

    /// The run is over: the packets that are still inside have no fate.
    pub fn finish(mut self) -> S {
        let mut rest: Vec<_> = self.inside.into_values().collect();
        rest.sort_by_key(|row| row.packet);
        for row in rest {
            self.sink.take(row);
        }
        self.sink
    }
}
