"""The kept blocks as a tree of parts: headings, lists, tables, code, links."""
