//! What every link obeys, on random traffic.

mod aqm;
mod drop_tail;
mod dualpi2;
mod extensions;
mod fq_codel;
mod long_waits;
mod marking;
mod models;
mod policer;
mod queues;
mod rates;
mod sender;
mod text;
mod traffic;
mod wires;
