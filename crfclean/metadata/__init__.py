"""What a document says of itself: title, authors, dates, language, kind of page."""
