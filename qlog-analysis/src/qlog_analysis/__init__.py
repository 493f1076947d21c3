"""Reads, checks and draws qlog traces of QUIC connections.

The packages: `read` (records of a file) -> `dialect` (what a writer calls its events) -> `wire` (typed events) ->
`builder` -> `model` (a trace: packets, feedback, metrics, controller `events`) -> `measure` (what packets and ACKs say)
-> one package per controller with its law and its checker -> `check` (the verdict); `metrics` -> `plots`, `report`,
`qvis`; `fleet` (many traces). `output` is how every file is written; `cli` is the program, `commands` what it does.
"""

__version__ = "0.1.0"
