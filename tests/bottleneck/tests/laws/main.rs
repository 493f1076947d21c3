//! What every link obeys, on random traffic.

mod aqm;
mod drop_tail;
mod extensions;
mod marking;
mod models;
mod policer;
mod rates;
mod sender;
mod text;
mod traffic;
mod wires;
