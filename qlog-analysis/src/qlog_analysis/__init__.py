"""Reads, checks and draws the qlog traces that quiche writes.

The rooms: `read` (JSON-SEQ records) -> `wire` (typed events) -> `model` (a trace: packets, feedback, metrics,
controller `events`) -> `measure` (what packets and ACKs say) -> one package per controller with its law and its checker
-> `check` (the verdict); `metrics` -> `plots`, `report`, `qvis`.
"""

__version__ = "0.1.0"
