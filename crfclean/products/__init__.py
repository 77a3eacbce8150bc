"""The products around the core; none of them is needed to clean a page."""
