"""The page of a URL, fetched from public addresses alone."""
