"""Whether a trace obeys the law of its controller.

Three sources are held against each other: the law of `docs/papers`, what the packets and ACKs of the trace say
(`qlog_analysis.measure`), and what the controller reported. One package per controller knows its law and compares;
here is what they share, and `run`, which finds the checker of a trace.
"""
