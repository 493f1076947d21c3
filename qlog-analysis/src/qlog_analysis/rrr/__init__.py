"""The rrr controller: its law, written from docs/papers/rrr.md and not from the Rust, and its checker."""
