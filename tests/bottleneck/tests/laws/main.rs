//! What every link obeys, on random traffic.

mod drop_tail;
mod extensions;
mod text;
mod traffic;
