"""Which pages of a corpus are written, by their language, type, length and content.

What tells these is imported when it is asked: a run without a filter needs none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crfclean.types import CrfcleanError, Document
from crfclean.types.choices import PAGE_TYPES


@dataclass(frozen=True, slots=True)
class PageFilter:
    """The pages to be written; () and 0 leave none out.

    `languages` are those of BCP 47 tags ("cs", also "cs-CZ"), `page_types` of `PAGE_TYPES`; a text
    has `min_words` words, of which a character is one in scripts without spaces. With
    `requires_content` pages are left out whose content is not in the HTML: bot checks, consent
    walls, error pages, pages that need scripts. With `library` py3langid reads the language. Raises
    `CrfcleanError` for what is no language or type.
    """

    languages: tuple[str, ...] = ()
    page_types: tuple[str, ...] = ()
    min_words: int = 0
    requires_content: bool = False
    library: bool = False

    def __post_init__(self) -> None:
        if self.languages:
            from crfclean.metadata.language import tag_of
        for name in self.languages:
            if not tag_of(name):
                raise CrfcleanError(f"no language {name!r}: expected a tag such as cs or pt-BR")
        for name in self.page_types:
            if name not in PAGE_TYPES:
                raise CrfcleanError(f"no type of pages {name!r}; there are {', '.join(PAGE_TYPES)}")

    @property
    def options(self) -> dict[str, Any]:
        """What the choice of pages depends on, as JSON has it; empty where it leaves none out."""
        values = {"languages": self.languages, "page_types": self.page_types}
        chosen = {name: list(names) for name, names in values.items() if names}
        others = {"min_words": self.min_words, "requires_content": self.requires_content}
        return chosen | {name: value for name, value in others.items() if value}

    def refusal(self, document: Document) -> str:
        """Why a page with text is left out, "" if it is written."""
        checks = self._absent, self._short, self._other_type, self._foreign
        return next(filter(None, (check(document) for check in checks)), "")

    def _absent(self, document: Document) -> str:
        if not (self.requires_content and document.lacks_content and document.presence):
            return ""
        return f"its content is not in the HTML ({document.presence.reason})"

    def _short(self, document: Document) -> str:
        if not self.min_words:
            return ""
        from crfclean.gold.align import tokens

        count = len(tokens(document.text))
        return f"{count} words, fewer than {self.min_words}" if count < self.min_words else ""

    def _other_type(self, document: Document) -> str:
        if not self.page_types:
            return ""
        from crfclean.pagetype.model import page_type

        has = page_type(document)
        return "" if has and has.name in self.page_types else f"its type is {has and has.name}"

    def _foreign(self, document: Document) -> str:
        if not self.languages:
            return ""
        from crfclean.metadata.language import language, language_of, tag_of

        has = language(document, library=self.library)
        if has is None:
            return "its language is not known"
        chosen = {language_of(tag_of(name)) for name in self.languages}
        return "" if language_of(has.text) in chosen else f"its language is {has.text}"
