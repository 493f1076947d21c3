"""What happened on one connection, from packets and ACKs alone and from what the controller wrote where it did.

`observed` turns a trace into columns; `limits`, `interruptions`, `losses`, `delay`, `paths`, `phases` and `controller`
each say one thing of it; `findings` ranks what they say; `text` and `page` show it. Every statement carries the times
and figures that it rests on; what the trace does not tell is said to be unknown.
"""
