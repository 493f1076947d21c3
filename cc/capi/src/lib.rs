//! libquiche with the controllers inside: quiche's C API, and the functions of `include/quiche_cc.h`.
//!
//! The functions here are those of the header, where they are documented. None lets a panic through to C.

mod controllers;
mod environment;
mod estimate;
mod forced;
mod hold;
mod selection;
mod statistics;
mod text;
mod versioned;
