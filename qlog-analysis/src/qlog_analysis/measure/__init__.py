"""What packets and ACKs say, recomputed for the checkers of all controllers, from docs/papers alone."""
