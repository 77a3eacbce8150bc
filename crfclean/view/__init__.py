"""A page as a document for viewing: kept and dropped blocks coloured, with the reasons."""
