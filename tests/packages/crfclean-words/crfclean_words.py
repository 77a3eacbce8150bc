"""An output format: the words of a text, each on a line."""

from crfclean import Document


def to_words(document: Document, show: object) -> str:
    """Return the words of the kept blocks, in lower case."""
    return "".join(f"{word.lower()}\n" for word in document.text.split())
