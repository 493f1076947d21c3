"""Reads, checks and draws the qlog traces that quiche writes.

The rooms: `read` (JSON-SEQ records) -> `wire` (typed events) -> `model` (a trace: packets, feedback, metrics,
controller events) -> `zones` (the checker of the hybrid controller) and `metrics` -> `plots`, `report`, `qvis`.
`hybrid` holds the controller's law as pure functions.
"""

__version__ = "0.1.0"
