"""Lemmas about the control step of `hybrid`: what no input makes it do (docs/results/lemmas.md)."""
