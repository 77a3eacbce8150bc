"""Benchmarks: a wing for each room of the package, and what they share in `lib`."""
