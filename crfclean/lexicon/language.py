"""The words of one language as a value, `Language`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

Words = str
"""Words separated by white space."""
Phrases = str
"""Phrases separated by "|"."""
Patterns = str
"""Regular expressions separated by "|"; case is ignored unless the field says otherwise."""

Groups = Mapping[str, str]
"""Group -> words separated by white space."""


class DateWords(NamedTuple):
    """Words of dates and times, and words that say what happened on a date."""

    months: tuple[Words, ...] = ()
    """January to December: names and abbreviations of each month, in all grammatical cases."""
    month_stems: Words = ""
    """Beginnings of names of months in dates of forums; any letters may follow."""
    weekdays: Words = ""
    """Full names; dates of forums are matched by the first three letters."""
    ordinals: Patterns = ""
    """Suffixes of a day's number: "st" as in "1st"."""
    month_first: bool = False
    """Whether 3/4/2024 is the fourth of March."""
    year_first: bool = False
    """Whether 24-05-13 is the 13th of May 2024."""
    before_date: Patterns = ""
    """Words before a date, which also end a name: "on"."""
    before_month: Patterns = ""
    """Words between day and month: "of"."""
    before_year: Patterns = ""
    """Words between month and year: "de" in Spanish."""
    after_year: Patterns = ""
    """What follows a year before a month or a day: "gada" in Latvian."""
    eras: Mapping[str, int] = MappingProxyType({})
    """Name of an era -> the year before its first; "" for years of four digits without a name."""
    before_clock: Patterns = ""
    """Words between date and time, with the white space that follows: "at "."""
    after_clock: Patterns = ""
    """Words after a time of day: "Uhr" in German."""
    published: Patterns = ""
    """Words before a date of publication."""
    modified: Patterns = ""
    """Words before a date of change."""
    units: tuple[Patterns, ...] = ()
    """Beginnings of seconds, minutes, hours, days, weeks, months and years."""
    one: Patterns = ""
    """The number one before a unit: "an" as in "an hour ago"."""
    ago: Patterns = ""
    """Words after number and unit: "ago"."""
    before_units: Patterns = ""
    """Words before number and unit: "vor" in German."""
    days: tuple[Patterns, ...] = ()
    """Today, yesterday and the day before."""


class BylineWords(NamedTuple):
    """Words around names of authors."""

    by: Patterns = ""
    """Words before names: "by", "written by", "author"."""
    nouns: Patterns = ""
    """Words of `by` that introduce an author only before a colon: "text"."""
    editors: Patterns = ""
    """Further words before names, in languages without spaces between words."""
    sure: Patterns = ""
    """Beginnings of lines that are bylines anywhere on the page: "written by"."""
    author: Patterns = ""
    """Labels, before a colon or at the end of a line: "Autor" in German."""
    inside: Patterns = ""
    """Words before a name inside a line; case counts."""
    labels: Phrases = ""
    """Labels that fill an element of their own, without the name."""
    card_labels: Phrases = ""
    """Labels of the author on Twitter's cards."""
    end_words: Patterns = ""
    """Words that end a byline: "published"."""
    end: Patterns = ""
    """Other patterns that end a byline."""
    joins: Patterns = ""
    """Words between names: "and"."""
    joins_capitals: Patterns = ""
    """Words between names, only before a capital letter: "y" in Spanish."""
    before_last: Patterns = ""
    """Words before the last name of a list with commas: "and"."""
    roles: Patterns = ""
    """Roles of people: "editor". A part of a byline that has one is no name."""
    titles: Words = ""
    """Titles before names, without the full stop: "dr"."""
    others: Patterns = ""
    """Beginnings of lines that name others than the author: "photo by", "more stories by"."""
    agencies: Patterns = ""
    """News agencies, which may follow a name; case counts."""
    organisations: Words = ""
    """Words in names of companies, papers and offices, which are seldom a person's: "ltd"."""
    nobody: Words = ""
    """Texts in place of a name that name nobody: "admin"."""
    no_part: Words = ""
    """Words that never occur in a name: "login"."""
    paths: Patterns = ""
    """Path segments in addresses of authors' pages: "people"."""


class PageTypeWords(NamedTuple):
    """Words that are evidence of a type of page, by group."""

    paths: Groups = MappingProxyType({})
    """Words in paths of addresses, letters a to z only; see `groups.PATH_GROUPS`."""
    hosts: Groups = MappingProxyType({})
    """Words in names of hosts; see `groups.HOST_GROUPS`."""
    titles: Groups = MappingProxyType({})
    """Words in titles of pages; see `groups.TITLE_GROUPS`."""
    texts: Groups = MappingProxyType({})
    """Words in texts of pages; see `groups.TEXT_GROUPS`."""


class ForumWords(NamedTuple):
    """Words that forums print around posts, such as labels of authors and dates."""

    fields: Groups = MappingProxyType({})
    """Words in the texts beside a post; see `groups.FIELD_GROUPS`."""
    byline: Patterns = ""
    """Words before the name of an author."""
    edited: Patterns = ""
    """Words before the date of an edit: "edited"."""
    before_edited: Patterns = ""
    """Words before `edited`: "last"."""
    profiles: Patterns = ""
    """Words in addresses of members' pages."""
    quote_labels: Patterns = ""
    """Words above a quote, alone or before the name of its author: "quote", "quote from"."""
    said: Patterns = ""
    """Words above a quote behind the name of its author: "wrote"."""


class Language(NamedTuple):
    """The words of a language; `code` is that of ISO 639-1."""

    code: str
    names: Words = ""
    """Names that pages write in place of the code."""
    spaced: bool = True
    """Whether white space separates words; if not, they are searched for as substrings."""
    function_words: Words = ""
    """The commonest words, which identify the language of a text."""
    comments: Words = ""
    """Words for readers' comments, in all grammatical cases that occur in headings."""
    comment_headings: Patterns = ""
    """Other headings of comments: "3 thoughts on ...", "readers' opinions"."""
    phrases: Mapping[str, Patterns] = MappingProxyType({})
    """Beginnings of short blocks and headings, in lower case; see `groups.PHRASE_GROUPS`."""
    kind_phrases: Mapping[str, Phrases] = MappingProxyType({})
    """Beginnings of short blocks beside the content, lower case; see `groups.KIND_GROUPS`."""
    notices: Mapping[str, Phrases] = MappingProxyType({})
    """Phrases of notices in place of a page's content, lower case; see `groups.NOTICE_GROUPS`."""
    scraps: Mapping[str, Phrases] = MappingProxyType({})
    """Phrases of short texts that never are the content, lower case; see `groups.SCRAP_GROUPS`."""
    dates: DateWords = DateWords()
    bylines: BylineWords = BylineWords()
    page_types: PageTypeWords = PageTypeWords()
    forum: ForumWords = ForumWords()
