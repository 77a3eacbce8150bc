"""Structure, metadata, languages and types of pages."""
