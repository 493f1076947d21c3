"""The search for the constants of hybrid's default profile: docs/search.md."""
