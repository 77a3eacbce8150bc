"""Read hidden and structured text of pages, and tell whether a page has its content at all."""
