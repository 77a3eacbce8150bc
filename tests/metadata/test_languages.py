"""What the documentation says of languages: bylines, dates and main text, a page in each.

`languages.txt` has a line for each byline: language, byline, author, date.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import crfclean
from crfclean.lexicon.tables import CODES, LANGUAGES

ROWS = [
    tuple(line.split("|"))
    for line in Path(__file__).with_name("languages.txt").read_text("utf-8").splitlines()
]
WORDS = {language.code: language.function_words.split() for language in LANGUAGES} | {
    "el": "και το να του η της με που την από για είναι στο ότι θα".split(),
    "ja": "これは 川の 近くの 古い 橋が 開いた 日の 町の 人々と 市長の 話で ある".split(),
    "ko": "강이 이틀 동안 마을의 오래된 다리를 막았고 시장은 모두에게 감사했다고 말했다".split(),
    "th": "แม่น้ำ เอ่อ ล้น ตลาด เก่า และ ชาวบ้าน ไม่ สามารถ ออก จาก บ้าน ได้ เป็น เวลา สอง วัน".split(),
    "zh": "河水 昨天 上涨 两米 老桥 附近 居民 搬运 沙袋 市长 感谢 大家".split(),
}
DOCS = Path(__file__).parents[2] / "docs" / "metadata.md"


def sentences(code: str, number: int) -> str:
    """A paragraph of the commonest words of a language."""
    words = WORDS[code]
    turned = words[number:] + words[:number]
    end, between = ("。", "") if code in ("zh", "ja") else (".", " ")
    return between.join(between.join(turned[at:] + turned[:at]) + end for at in (0, 3, 5))


def page(code: str, byline: str) -> str:
    paragraphs = "".join(f"<p>{sentences(code, number)}</p>" for number in range(3))
    menu = "".join(f"<li><a href=/{at}>{word}</a></li>" for at, word in enumerate(WORDS[code][:6]))
    title = sentences(code, 4)[:40]
    return (
        f"<html lang={code}><title>{title}</title><body><nav><ul>{menu}</ul></nav>"
        f"<article><h1>{title}</h1>{byline}{paragraphs}</article>"
        f"<footer><p><a href=/x>{WORDS[code][0]}</a> © 2026</p></footer></body></html>"
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1])
def test_bylines_and_dates(row: tuple[str, str, str, str]) -> None:
    code, byline, author, date = row
    document = crfclean.clean(page(code, f"<p>{byline}</p>"))
    assert (document.authors, document.date) == ([author], date)


@pytest.mark.parametrize("code", CODES)
def test_main_text(code: str) -> None:
    lines = crfclean.extract(page(code, "")).splitlines()
    assert lines[-3:] == [sentences(code, number) for number in range(3)]
    assert len(lines) <= 4


def test_the_documentation_has_the_same_table() -> None:
    table = DOCS.read_text("utf-8").partition("## Bylines by language")[2]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    bylines = {row[0]: row for row in reversed(ROWS)}
    wanted = [bylines[code] for code in sorted(bylines)]
    assert lines == [
        f"| `{code}` | {byline} | {author} | {day} |" for code, byline, author, day in wanted
    ]


THREAD = """<html lang=de><title>Brücke im Tal</title><body><h2><a href=t1>Brücke im Tal</a></h2>
<dl><dt><a href=u1>Heinz</a></dt><dd>{joined}</dd></dl><p class=author>{byline}</p>
<p>Der Fluss stieg um zwei Meter, und die alte Brücke bei der Mühle war eine Woche lang zu.</p>
<p>Am Sonntag trugen alle Sand, und der Bürgermeister dankte ihnen am Abend im Rathaus.</p>
</html>"""


@pytest.mark.parametrize(
    ("byline", "joined", "authors", "date"),
    [
        ("von Heinz » Mo 4. Mär 2024, 10:22", "Registriert: So 7. Mai 2017", "Heinz", "2024-03-04"),
        ("by Heinz » Mon Mar 4, 2024", "Joined: Sun May 7, 2017", "Heinz", "2024-03-04"),
        ("Heinz", "Registriert: So 7. Mai 2017, 12:01", "Heinz", ""),
        ("Heinz", "Inscrit: <time datetime=2017-05-07>7 mai 2017</time>", "Heinz", ""),
    ],
)
def test_forums(byline: str, joined: str, authors: str, date: str) -> None:
    document = crfclean.clean(THREAD.format(byline=byline, joined=joined))
    assert (document.date[:10], " ".join(document.authors)) == (date, authors)


ARTICLE = """<html lang=en><title>The bridge</title><body><main>{above}<h1>The bridge</h1>{below}
<p>The river rose by two metres, and the old bridge near the mill was closed for a whole week.</p>
<p>On Sunday everyone carried sand, and the mayor thanked them in the evening in the town hall.</p>
<div class=more><a href=/x>Another story</a> <time datetime=2026-06-09>Jun 9, 2026</time></div>
</main></html>"""


@pytest.mark.parametrize(
    ("above", "below", "date", "authors"),
    [
        ("<div class=post-date>Mar 3, 2026</div>", "", "2026-03-03", []),
        ("<p>March 3, 2026</p>", "", "2026-03-03", []),
        ("", "<p>By Ann Lee, Bob Roe and Cy Poe</p><p>March 3, 2026</p>", "2026-03-03", "ABC"),
        (
            "",
            """<p>By <a rel=author href=/a>Ann Lee</a>, <a rel=author href=/b>Bob Roe</a> and
            <a rel=author href=/c>Cy Poe</a></p><p>March 3, 2026</p>""",
            "2026-03-03",
            "ABC",
        ),
    ],
)
def test_dates_of_suggested_posts(above: str, below: str, date: str, authors: object) -> None:
    document = crfclean.clean(ARTICLE.format(above=above, below=below))
    assert document.date == date
    assert document.authors == (["Ann Lee", "Bob Roe", "Cy Poe"] if authors == "ABC" else [])


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("12 نيسان 2022", "2022-04-12"),
        ("١٢ أبريل ٢٠٢٢", "2022-04-12"),
        ("۳ مه ۲۰۲۳", "2023-05-03"),
        ("३ मई २०२३", "2023-05-03"),
        ("2023 ж. 3 мамыр", "2023-05-03"),
        ("3 d’abril de 2023", "2023-04-03"),
        ("2023년 5월 3일", "2023-05-03"),
        ("5. listopadu 2023", "2023-11-05"),
    ],
)
def test_further_dates(text: str, iso: str) -> None:
    from crfclean.metadata.dates import find_date

    span = find_date(text)
    assert span is not None
    assert (span.iso, span.start) == (iso, 0)
