"""A tagger with a picture: the words of each block."""

from crfclean_long import LongBlocks

from crfclean import Document, Page


class Counted(LongBlocks):
    """The tagger `long`, whose answers also have the words of blocks."""

    name = "counted"
    picture = "words"


def words(tagger: Counted, page: Page, document: Document, shown: int) -> dict[str, object]:
    """Return the number of words of the first `shown` blocks."""
    return {"words": [len(text.split()) for text in document.blocks.texts[:shown]]}
