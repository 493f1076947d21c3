"""The vegas controller: its law, written from docs/papers/vegas.md and not from the Rust, and its checker."""
