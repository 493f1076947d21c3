"""Suites, targets and claims on the workers of a Dask cluster (docs/cluster.md)."""
