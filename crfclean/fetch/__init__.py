"""Fetch the page of a URL, from public addresses only."""
