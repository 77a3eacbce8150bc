"""Words of one language -> `Language`, the value that each file of this package declares.

Every field may stay empty: readers then find nothing in that language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Words = str
"""Words parted by white space."""
Phrases = str
"""Phrases parted by "|"."""
Patterns = str
"""Regular expressions parted by "|", upper and lower case alike unless the field says otherwise."""

Groups = Mapping[str, str]


@dataclass(frozen=True)
class DateWords:
    """Words of dates and times, and words that say what a date is the date of."""

    months: tuple[Words, ...] = ()
    """January to December: names and abbreviations of each month, in all their cases."""
    month_stems: Words = ""
    """What months begin with in dates of forums, where any letters may follow."""
    weekdays: Words = ""
    """In full; dates of forums know them by three letters."""
    ordinals: Patterns = ""
    """Suffixes of a day's number: "st" as in "1st"."""
    month_first: bool = False
    """Whether 3/4/2024 is the fourth of March."""
    before_date: Patterns = ""
    """What stands before a date and ends a name: "on"."""
    before_month: Patterns = ""
    """What stands between day and month: "of"."""
    before_year: Patterns = ""
    """What stands between month and year: "de" in Spanish."""
    before_clock: Patterns = ""
    """What stands between date and time, white space behind it included: "at "."""
    after_clock: Patterns = ""
    """What stands behind a time of day: "Uhr" in German."""
    published: Patterns = ""
    """Words that say that a date is that of publication."""
    modified: Patterns = ""
    """Words that say that a date is that of a change."""
    units: Patterns = ""
    """What units of time begin with: "hour" as in "two hours ago"."""
    one: Patterns = ""
    """The number one before a unit: "an" as in "an hour ago"."""
    ago: Patterns = ""
    """What stands behind number and unit: "ago"."""
    before_units: Patterns = ""
    """What stands before number and unit: "vor" in German."""
    days: Patterns = ""
    """Days and times counted from today: "yesterday"."""


@dataclass(frozen=True)
class BylineWords:
    """Words around names of authors."""

    by: Patterns = ""
    """What stands before names: "by", "written by", "author"."""
    nouns: Patterns = ""
    """Those of `by` that name an author only before a colon: "text"."""
    editors: Patterns = ""
    """More words before names, for languages without white space between words."""
    sure: Patterns = ""
    """What a line begins with that is a byline wherever it stands."""
    author: Patterns = ""
    """Labels, before a colon or at the end of a line: "Autor" in German."""
    inside: Patterns = ""
    """What stands before a name inside a line, upper and lower case as in the pattern."""
    paragraph: Patterns = ""
    """What a paragraph with a byline begins with, upper and lower case as in the pattern."""
    labels: Phrases = ""
    """Bylines without a name, as elements of their own."""
    card_labels: Phrases = ""
    """Labels of the author on Twitter's cards."""
    end_words: Patterns = ""
    """Whole words that end a byline: "published"."""
    end: Patterns = ""
    """What else ends a byline."""
    joins: Patterns = ""
    """What stands between names: "and"."""
    joins_capitals: Patterns = ""
    """What stands between names but counts only before capital letters: "y" in Spanish."""
    before_last: Patterns = ""
    """What remains before the last name of a list with commas: "and"."""
    roles: Patterns = ""
    """What people are: "editor". A part of a byline that has one is no name."""
    titles: Words = ""
    """Titles before names, without their point: "dr"."""
    others: Patterns = ""
    """Bylines of people who are no authors: "photo by"."""
    nobody: Words = ""
    """What stands where a name should and names nobody: "admin"."""
    no_part: Words = ""
    """Words that no name has: "login"."""
    paths: Patterns = ""
    """Steps of addresses of authors' pages: "people"."""
    site_ends: Patterns = ""
    """What a site adds to its owner's name: "blog" as in "Ann Lee's blog"."""


@dataclass(frozen=True)
class PageTypeWords:
    """Words that speak for a type of page, by group."""

    paths: Groups = field(default_factory=dict)
    """Words of addresses, the letters a to z alone; see `groups.PATH_GROUPS`."""
    hosts: Groups = field(default_factory=dict)
    """Words of hosts' names; see `groups.HOST_GROUPS`."""
    titles: Groups = field(default_factory=dict)
    """Words of pages' titles; see `groups.TITLE_GROUPS`."""
    texts: Groups = field(default_factory=dict)
    """Words of pages' texts; see `groups.TEXT_GROUPS`."""


@dataclass(frozen=True)
class ForumWords:
    """Words beside the posts of forums."""

    fields: Groups = field(default_factory=dict)
    """What the texts beside a post have in them; see `groups.FIELD_GROUPS`."""
    byline: Patterns = ""
    """What stands before an author's name."""
    edited: Patterns = ""
    """What stands before a date of editing, not of the post: "edited"."""
    before_edited: Patterns = ""
    """What stands before that: "last"."""
    profiles: Patterns = ""
    """What addresses of members' pages have in them."""
    dateparser: bool = False
    """Whether dateparser is asked to read dates of this language."""


@dataclass(frozen=True)
class Language:
    """The words of a language; `code` is that of ISO 639-1."""

    code: str
    names: Words = ""
    """What pages call the language instead of its code."""
    spaced: bool = True
    """Whether white space parts words; otherwise they are looked for inside others."""
    function_words: Words = ""
    """The commonest words, by which the language of a text is known."""
    comments: Words = ""
    """Words for readers' comments, in all the cases that headings have."""
    counted_comments: Patterns = ""
    """Other headings of comments: "3 thoughts on ..."."""
    phrases: Mapping[str, Patterns] = field(default_factory=dict)
    """What short blocks and headings begin with, in lower case; see `groups.PHRASE_GROUPS`."""
    dates: DateWords = DateWords()
    bylines: BylineWords = BylineWords()
    page_types: PageTypeWords = PageTypeWords()
    forum: ForumWords = ForumWords()
