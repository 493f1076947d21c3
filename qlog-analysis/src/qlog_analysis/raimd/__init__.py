"""The raimd controller: its law, written from docs/papers/raimd.md and not from the Rust, and its checker."""
