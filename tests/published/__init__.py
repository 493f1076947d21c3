"""Every published number, and the one command that makes all of them again: docs/guides/publish.md."""
