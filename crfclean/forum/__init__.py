"""Pages of a forum -> its posts, each with author, date and text."""
