"""A document in every format: its parts, their writers, and its page in a browser."""
