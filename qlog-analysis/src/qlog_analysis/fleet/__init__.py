"""Many traces: one row per connection in Parquet, reports by group, two fleets side by side."""
