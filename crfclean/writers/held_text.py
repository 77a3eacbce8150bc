"""Keep texts out of the sanitiser, which takes a time quadratic in runs of `&` and of hard spaces.

A sanitiser that meets 800,000 of them in one text is busy for ten seconds, and no signal ends it.
Text that is escaped is safe as it stands: a mark takes its place in the markup, and the sanitised
markup gets the text back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape

MAX_ATTRIBUTE = (
    8_192  # characters of an attribute that the sanitiser reads: more than of an address
)
_OPEN, _CLOSE = "\x01", "\x02"  # no page's text has them: see `page.chars`
_MARKS = str.maketrans("", "", _OPEN + _CLOSE)
_MARK = re.compile(f"{_OPEN}([0-9]+){_CLOSE}")


@dataclass(slots=True)
class HeldText:
    """The texts that were taken out of a page's markup."""

    texts: list[str] = field(default_factory=list)

    def text(self, text: str) -> str:
        """The markup of a text: escaped, or a mark where it has `&` or hard spaces."""
        text = text.translate(_MARKS)
        if "&" in text or "\xa0" in text:
            return self._hold(escape(text, quote=False))
        return escape(text, quote=False)

    def attribute(self, text: str) -> str:
        """The markup of an attribute's value, with a mark for what is beyond `MAX_ATTRIBUTE`."""
        text = text.translate(_MARKS)
        head, tail = escape(text[:MAX_ATTRIBUTE]), text[MAX_ATTRIBUTE:]
        return head + self._hold(escape(tail)) if tail else head

    def _hold(self, markup: str) -> str:
        """Keep markup, spelled as the sanitiser would spell it, and return its mark."""
        markup = markup.replace("\r\n", "\n").replace("\r", "\n")
        self.texts.append(markup.replace("\xa0", "&nbsp;").replace("&#x27;", "'"))
        return f"{_OPEN}{len(self.texts) - 1}{_CLOSE}"

    def restored(self, markup: str) -> str:
        """Sanitised markup with its texts."""
        return _MARK.sub(lambda mark: self.texts[int(mark[1])], markup)
