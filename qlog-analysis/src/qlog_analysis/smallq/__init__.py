"""The smallq controller: its law, written from docs/papers/smallq.md and not from the Rust, and its checker."""
