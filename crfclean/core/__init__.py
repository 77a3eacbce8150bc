"""The compiled core, or its absence: see docs/native.md."""
