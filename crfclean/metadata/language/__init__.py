"""The language of a document: what the page claims, and what its words say."""
