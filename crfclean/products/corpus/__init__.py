"""Many pages: reading, cleaning in worker processes, writing, and going on after a stop."""
