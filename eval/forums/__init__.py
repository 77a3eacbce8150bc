"""Posts of web forums, their authors, dates and fields."""
