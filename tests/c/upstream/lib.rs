//! Nothing: cargo builds quiche's C library along with it.
