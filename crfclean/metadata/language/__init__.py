"""The language of a document, by its words and by the page's claims."""
