"""The paper's controller, `hybrid:paper`: its law, written from docs/papers/hybrid-paper.md and not from the Rust, and
its checker.

`epochs` measures what the packets say, `compare` holds it against the law and the report, `check` walks
through a trace.
"""
