"""A page as a document for viewing, painted by what was kept, with the reasons."""
