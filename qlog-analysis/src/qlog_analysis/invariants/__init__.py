"""What every sender keeps to, whatever its controller: judged by packets, not by a law.

Each file is one invariant. It says what it needs to see, what it tolerates and why; what a trace does not show is not
judged, and never passed. `docs/invariants.md` has them in a table. A controller's own words serve only as a promise
(the window and the rate that it reports) that the packets are held against.
"""
