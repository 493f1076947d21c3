"""What the network did with every packet, from the record of a run (docs/run-record.md), beside what a trace says."""
