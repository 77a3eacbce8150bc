"""Read the words of all languages, a file for each, and join them in tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from crfclean.io import read_toml
from crfclean.lexicon.groups import (
    FIELD_GROUPS,
    HOST_GROUPS,
    KIND_GROUPS,
    NOTICE_GROUPS,
    PATH_GROUPS,
    PHRASE_GROUPS,
    SCRAP_GROUPS,
    TEXT_GROUPS,
    TITLE_GROUPS,
)
from crfclean.lexicon.language import Groups, Language

# read the words of all languages, a file for each: `cs.toml` and so on
#
# A list in a file stands for alternatives: `["by", "von"]` is the text "by|von". To add a language,
# add a file, and its code in `CODES`.

CODES = (
    "en de cs pl ru fr es it pt nl ca sk sl hr hu ro sv da no fi is et lv lt tr vi id sq eu el uk "
    "be bg sr mk kk ar he fa ur hi mr ne zh ja ko th "
    "af am az bn cy ga gl ky mn ms sw tl uz"
).split()
"""The languages; if two have the same word, the first counts."""


def read_language(path: Path) -> Language:
    """The words in a file; raises `TypeError` for a field that `Language` does not have."""
    language: Language = _filled(Language, read_toml(path))
    return language


def _filled(of_class: type[Any], values: Mapping[str, Any]) -> Any:
    """A named tuple with the values of a TOML table."""
    defaults = of_class._field_defaults
    return of_class(**{name: _value(defaults.get(name), value) for name, value in values.items()})


def _value(default: object, value: object) -> object:
    if isinstance(default, tuple) and isinstance(value, dict):
        return _filled(type(default), value)
    if isinstance(default, tuple) and isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {group: _value(None, text) for group, text in value.items()}
    return "|".join(value) if isinstance(value, list) else value


LANGUAGES: tuple[Language, ...] = tuple(
    read_language(Path(__file__).with_name(f"{code}.toml")) for code in CODES
)


# join the words of all languages in tables and patterns

NOTHING = "(?!)"
"""A pattern that never matches."""

Table = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Lexicon:
    """The words of some languages, joined in the order of the languages."""

    languages: tuple[Language, ...]

    def words(self, field: Callable[[Language], str]) -> tuple[str, ...]:
        """The words of a field in all languages, each once.

        >>> from crfclean.lexicon.tables import LANGUAGES
        >>> Lexicon(LANGUAGES).words(lambda language: language.bylines.titles)[:3]
        ('dr', 'prof', 'mr')
        """
        return _once(field(language).split() for language in self.languages)

    def phrases(self, field: Callable[[Language], str]) -> frozenset[str]:
        """The phrases of a field in all languages."""
        phrases = _once(field(language).split("|") for language in self.languages)
        return frozenset(phrases) - {""}

    def pattern(self, field: Callable[[Language], str]) -> str:
        """All alternatives of a field as one regular expression, without a group around it.

        >>> from crfclean.lexicon.tables import LANGUAGES
        >>> Lexicon(LANGUAGES).pattern(lambda language: language.dates.ordinals)
        'st|nd|rd|th|er'
        """
        return "|".join(filter(None, map(field, self.languages))) or NOTHING

    def groups(self, names: Sequence[str], field: Callable[[Language], Groups]) -> Table:
        """Group -> its words in all languages; raises `KeyError` for a group not in `names`."""
        words: dict[str, list[list[str]]] = {name: [] for name in names}
        for language in self.languages:
            for name, text in field(language).items():
                words[name].append(text.split())
        return {name: _once(lists) for name, lists in words.items()}

    @cached_property
    def spaced(self) -> Lexicon:
        """The languages with spaces between words."""
        return Lexicon(tuple(language for language in self.languages if language.spaced))

    @cached_property
    def unspaced(self) -> Lexicon:
        """The languages without spaces between words, which are searched for as substrings."""
        return Lexicon(tuple(language for language in self.languages if not language.spaced))

    @cached_property
    def month_first(self) -> Lexicon:
        """The languages in which 3/4/2024 is the fourth of March."""
        return Lexicon(tuple(language for language in self.languages if language.dates.month_first))

    @cached_property
    def year_first(self) -> Lexicon:
        """The languages in which 24-05-13 is the 13th of May 2024."""
        return Lexicon(tuple(language for language in self.languages if language.dates.year_first))

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """Codes of the languages, in their order."""
        return tuple(language.code for language in self.languages)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Name of a language -> its code."""
        return {
            name: language.code for language in self.languages for name in language.names.split()
        }

    @cached_property
    def function_words(self) -> Table:
        """Code -> the commonest words of the language, for languages that list them."""
        words = {
            language.code: tuple(language.function_words.split()) for language in self.languages
        }
        return {code: commonest for code, commonest in words.items() if commonest}

    @cached_property
    def comments(self) -> frozenset[str]:
        """Words in headings of readers' comments."""
        return frozenset(self.words(lambda language: language.comments))

    @cached_property
    def block_phrases(self) -> Mapping[str, str]:
        """Group -> pattern of the beginnings of its short blocks and headings, in lower case."""
        return {
            group: self.pattern(lambda language: language.phrases.get(group, ""))  # noqa: B023
            for group in PHRASE_GROUPS
        }

    @cached_property
    def kind_phrases(self) -> Table:
        """Map each group to the beginnings of short blocks outside the content, in lower case."""
        return self._phrases(KIND_GROUPS, lambda language: language.kind_phrases)

    @cached_property
    def notices(self) -> Table:
        """Group -> phrases of notices in place of content, in lower case."""
        return self._phrases(NOTICE_GROUPS, lambda language: language.notices)

    @cached_property
    def scraps(self) -> Table:
        """Group -> phrases of short texts that never are the content, in lower case."""
        return self._phrases(SCRAP_GROUPS, lambda language: language.scraps)

    def _phrases(self, names: Sequence[str], field: Callable[[Language], Groups]) -> Table:
        """Group -> its phrases in all languages."""
        tables = [field(language) for language in self.languages]
        return {
            name: _once(table[name].split("|") for table in tables if table.get(name))
            for name in names
        }

    @cached_property
    def months(self) -> Mapping[str, int]:
        """Name or abbreviation of a month -> its number, 1 to 12; the first language counts."""
        return {
            name: number
            for language in reversed(self.languages)  # "listopad" is October in Croatian
            for number, names in enumerate(language.dates.months, 1)
            for name in names.split()
        }

    @cached_property
    def month_stems(self) -> tuple[str, ...]:
        """Beginnings of names of months in dates of forums, the longest first."""
        return tuple(
            sorted(self.words(lambda language: language.dates.month_stems), key=len, reverse=True)
        )

    @cached_property
    def page_types(self) -> Mapping[str, Table]:
        """Source ("path", "host", "title", "text") -> group -> its words."""
        return {
            "path": self.groups(PATH_GROUPS, lambda language: language.page_types.paths),
            "host": self.groups(HOST_GROUPS, lambda language: language.page_types.hosts),
            "title": self.groups(TITLE_GROUPS, lambda language: language.page_types.titles),
            "text": self.groups(TEXT_GROUPS, lambda language: language.page_types.texts),
        }

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """Map each word in the texts around a forum's posts to its group."""
        table = self.groups(FIELD_GROUPS, lambda language: language.forum.fields)
        return {word: group for group, words in table.items() for word in words}


def _once(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """The words of all lists in their order, each once."""
    return tuple(dict.fromkeys(word for words in lists for word in words))
