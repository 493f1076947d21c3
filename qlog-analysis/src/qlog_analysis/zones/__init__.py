"""The checker of the hybrid controller.

Three sources are held against each other: the paper's rules (`qlog_analysis.hybrid`), what the packets and ACKs of
the trace say (`measure`), and what the controller reported. `check` compares, `verdict` says what came of it.
"""
