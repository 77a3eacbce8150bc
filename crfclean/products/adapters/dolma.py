"""Linearize dolma's pages under the name `crfclean` (`pip install 'dolma[warc]'`).

Importing this module registers the name. dolma's own command does not import it, nor do its worker
processes, which import only the main script. So run
`python -P -m crfclean.products.adapters.dolma warc ...` in place of dolma's command.
"""

from __future__ import annotations

from dolma.warc.linearizers import BaseLinearizer, LinearizerRegistry

from crfclean.products.adapters.adapter import Cleaner, text_of


@LinearizerRegistry.add("crfclean")
class CrfcleanLinearizer(BaseLinearizer):
    """A linearizer for dolma, which gives it no parameters."""

    cleaner = Cleaner()

    def linearize(self, content: bytes | str, encoding: str | None = None) -> str:
        """Return the text of one page, "" if it has none.

        dolma 1.2 passes the page as text, later versions as bytes with a detected encoding. That
        encoding is ignored: the page's own bytes and declaration say more.
        """
        del encoding
        return text_of(self.cleaner.clean(content))


if __name__ == "__main__":
    from dolma.cli.main import main

    main()
