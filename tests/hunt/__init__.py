"""A search for the paths on which a controller does worst: docs/results/hunt.md."""
