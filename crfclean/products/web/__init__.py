"""The web page, the JSON API, and the pages of URLs."""
