"""Linearize dolma's pages under the name `crfclean` (`pip install 'dolma[warc]'`).

Importing this module registers the name. dolma's own command does not know it, nor do the processes
that it starts: they import the main script again, and nothing else. So
`python -m crfclean.extras.dolma warc ...` is dolma's command with the name.
"""

from __future__ import annotations

from dolma.warc.linearizers import BaseLinearizer, LinearizerRegistry

from crfclean.extras.adapter import Cleaner, text_of


@LinearizerRegistry.add("crfclean")
class CrfcleanLinearizer(BaseLinearizer):
    """A linearizer beside dolma's `resiliparse` and `trafilatura`; dolma gives it no parameters."""

    cleaner = Cleaner()

    def linearize(self, content: bytes | str, encoding: str | None = None) -> str:
        """The text of one page, "" if it has none.

        dolma 1.2 gives the page as text, its later sources as bytes, with the encoding that they
        detected; the page's own bytes and declaration tell more, so it is not looked at.
        """
        del encoding
        return text_of(self.cleaner.clean(content))


if __name__ == "__main__":
    from dolma.cli.main import main

    main()
