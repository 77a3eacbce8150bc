"""Tests of `lexicon/`: files of languages, the tables made of them, a language that is new."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import regex

from crfclean.lexicon import lexicon
from crfclean.lexicon.language import BylineWords, DateWords, ForumWords, Language, PageTypeWords
from crfclean.lexicon.number_dates import CLOCK, DAY_AND_MONTH, YEAR, YEAR_FIRST
from crfclean.lexicon.tables import LANGUAGES, NOTHING, Lexicon, read_language

every_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.code)

TOY = Language(
    code="eo",
    names="esperanto",
    function_words="la kaj estas de en por kun ne",
    comments="komento komentoj",
    phrases={"related": "legu ankaŭ", "tags": "etikedoj"},
    dates=DateWords(
        months=(
            *("januaro", "februaro", "marto", "aprilo", "majo", "junio", "julio"),
            *("aŭgusto aŭg", "septembro", "oktobro", "novembro", "decembro"),
        ),
        month_stems="aŭg",
        ordinals="a",
        before_month="de",
        before_clock="je ",
        published="aperis",
        modified="ŝanĝit",
        units=("", "", "hor", "tag"),
        before_units="antaŭ",
        days=("", "hieraŭ"),
    ),
    bylines=BylineWords(by="verkis", joins="kaj", titles="d-ro", roles="redaktisto"),
    page_types=PageTypeWords(texts={"cart": "korbo"}, paths={"forum": "forumo"}),
    forum=ForumWords(
        fields={"joined": "aliĝis"}, byline="de", edited="redaktita", profiles="uzanto"
    ),
)


# files


@pytest.mark.parametrize("line", ['phrase = "a"', '[dates]\nmonth = ["a"]', "[forum]\nx = 1"])
def test_a_field_that_is_none_is_an_error(line: str, tmp_path: Path) -> None:
    path = tmp_path / "xx.toml"
    path.write_text(f'code = "xx"\n{line}', "utf-8")
    with pytest.raises(TypeError, match="unexpected keyword"):
        read_language(path)


def test_lists_are_alternatives(tmp_path: Path) -> None:
    path = tmp_path / "xx.toml"
    path.write_text('code = "xx"\n[phrases]\nad = ["ad", "sponsor"]\n[dates]\nago = ["d", "h"]')
    language = read_language(path)
    assert (language.phrases, language.dates.ago) == ({"ad": "ad|sponsor"}, "d|h")


@every_language
def test_months_are_twelve_or_none(language: Language) -> None:
    assert len(language.dates.months) in (0, 12)
    for number, names in enumerate(language.dates.months, 1):
        for name in names.split():
            assert name == name.lower()
            assert lexicon().months[name] == number, "the same name has another number elsewhere"


def texts(value: object) -> list[str]:
    """All texts of a tuple and of those inside."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for text in value.values() if isinstance(text, str)]
    return [text for one in value for text in texts(one)] if isinstance(value, tuple) else []


@every_language
def test_fields_are_whole_patterns(language: Language) -> None:
    for text in texts(language):
        regex.compile(text)
        assert not text.startswith("|")
        assert not text.endswith("|")
        assert "||" not in text


# tables


def test_words_come_once_in_the_order_of_languages() -> None:
    two = Lexicon((Language("aa", comments="b a"), Language("bb", comments="c b")))
    assert two.words(lambda language: language.comments) == ("b", "a", "c")
    assert two.comments == {"a", "b", "c"}


def test_patterns_without_words_match_nothing() -> None:
    none = Lexicon((Language("aa"),))
    assert none.pattern(lambda language: language.bylines.by) == NOTHING
    assert not re.search(f"(?:{NOTHING})", "")
    assert re.compile(rf"\b(?:{NOTHING}|a)").search("a")
    assert none.phrases(lambda language: language.bylines.labels) == frozenset()
    assert none.function_words == {}
    assert dict(none.months) == {}


def test_patterns_are_joined() -> None:
    two = Lexicon((Language("aa"), Language("bb", bylines=BylineWords(by="x|y")), TOY))
    assert two.pattern(lambda language: language.bylines.by) == "x|y|verkis"


def test_the_later_group_has_a_word() -> None:
    both = {"action": "last", "edited": "last"}
    assert Lexicon((Language("aa", forum=ForumWords(fields=both)),)).fields == {"last": "edited"}


def test_languages_without_spaces_are_apart() -> None:
    assert set(lexicon().unspaced.codes) == {"zh", "ja", "ko"}
    assert {*lexicon().spaced.codes, *lexicon().unspaced.codes} == set(lexicon().codes)
    assert lexicon().month_first.codes == ("en",)
    assert lexicon().unspaced.comments < lexicon().comments


# numbers of dates


def test_parts_of_patterns() -> None:
    assert re.fullmatch(YEAR, "2024")
    assert not re.fullmatch(YEAR, "2124")
    found = re.fullmatch(DAY_AND_MONTH + YEAR, "3. 4. 2024")
    assert found
    assert found.group("a", "b", "s") == ("3", "4", ".")
    assert not re.fullmatch(DAY_AND_MONTH + YEAR, "3.4/2024")
    assert re.search(YEAR_FIRST, "on 2024-05-07:")
    assert re.fullmatch(CLOCK, "23:59:01")
    assert not re.fullmatch(CLOCK, "23:60")


def test_tables_are_not_built_on_import() -> None:
    show = "print(sorted(n for n in sys.modules if '.lexicon.' in n))"
    code = f"import sys, crfclean.model.columns; {show}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, encoding="utf-8"
    )
    assert "crfclean.lexicon.tables" not in done.stdout
    assert "crfclean.lexicon.markup" in done.stdout
