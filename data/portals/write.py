"""The portal pages beside it, and their texts: `python data/portals/write.py` writes them anew.

Every page has many texts, in the markup of a kind of page: an old portal in tables, front pages with
cards, a blog, a calendar, a digest, results of a search, questions with answers. `NAME.texts.txt` has
the texts that a reader would tell apart, parted by empty lines, a block a line. The words are invented.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
SYLLABLES = "ka lo mir ves ta no ren du sil pa gor en ti ul bra chi dor fe hal jo".split()
HEAD = '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{title}</title></head>\n<body>\n'
Text = list[str]
Page = tuple[str, list[Text]]
"""The HTML of a page's body, and its texts, each a list of lines."""


class Words:
    """Invented words, sentences and addresses; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311

    def count(self, least: int, most: int) -> int:
        """A number in these bounds."""
        return self.random.randint(least, most)

    def word(self) -> str:
        """A word of two to four syllables."""
        return "".join(self.random.choices(SYLLABLES, k=self.count(2, 4)))

    def phrase(self, least: int, most: int) -> str:
        """A phrase of so many words, with a capital."""
        return " ".join(self.word() for _ in range(self.count(least, most))).capitalize()

    def prose(self, least: int, most: int) -> str:
        """So many sentences."""
        return " ".join(self.phrase(6, 16) + "." for _ in range(self.count(least, most)))

    def href(self) -> str:
        """An address on the site."""
        return f"/{self.word()}/{self.count(100, 9999)}.html"

    def link(self, text: str) -> str:
        """A link to some page."""
        return f'<a href="{self.href()}">{text}</a>'

    def links(self, count: int, pattern: str = "<li>{}</li>") -> str:
        """Links of one to three words, as in menus."""
        return "".join(pattern.format(self.link(self.phrase(1, 3))) for _ in range(count))


def frame(words: Words, main: str) -> str:
    """A page's main part between header, side column and footer."""
    return (
        f'<div id="page"><div class="top"><div class="logo">{words.link(words.phrase(1, 2))}</div>'
        f"<ul>{words.links(8)}</ul></div>\n"
        f'<div class="columns"><div class="main"><div class="inner">{main}</div></div>\n'
        f'<div class="side"><div class="box"><h4>{words.phrase(1, 2)}</h4><ul>{words.links(6)}</ul>'
        f'</div><div class="box"><h4>{words.phrase(1, 2)}</h4><ol>{words.links(5)}</ol></div></div>'
        f'</div>\n<div class="foot"><p>{words.links(7, "{} | ")}</p><p>{words.phrase(4, 6)}</p></div>'
        "</div>"
    )


def tables(words: Words) -> Page:
    """Sections in nested tables: a teaser with its summary, then a list of headlines."""
    sections, texts = [], []
    for _ in range(6):
        title, summary = words.phrase(4, 8), words.prose(1, 3)
        headlines = [words.phrase(4, 9) for _ in range(words.count(3, 6))]
        rows = "".join(f"&bull; {words.link(line)}<br>\n" for line in headlines)
        sections.append(
            f'<table width="100%"><tr><td class="bar"><b>{words.link(words.phrase(1, 2))}</b></td>'
            f'</tr><tr><td><table><tr><td valign="top">{words.link("<img src=/i.jpg>")}</td><td><font '
            f'size="2"><b>{words.link(title)}</b><br>{summary}</font></td></tr></table>'
            f'<font size="1">{rows}</font></td></tr></table>\n'
        )
        texts += [[title, summary], *([line] for line in headlines)]
    columns = "".join(f'<td valign="top">{"".join(sections[at : at + 2])}</td>' for at in (0, 2, 4))
    menu = words.links(10, "{}<br>")
    return f'<table width="900"><tr><td width="120">{menu}</td>{columns}</tr></table>', texts


def cards(words: Words) -> Page:
    """A front page: cards with a linked headline, a date and a summary."""
    parts, texts = [], []
    for _ in range(12):
        title, summary, date = (
            words.phrase(4, 9),
            words.prose(1, 2),
            f"{words.count(1, 28)}. 3. 2021",
        )
        parts.append(
            f'<article class="card"><a href="{words.href()}"><img src="/p.jpg" alt=""></a><div '
            f'class="body"><h3>{words.link(title)}</h3><time>{date}</time><p>{summary}</p></div>'
            "</article>\n"
        )
        texts.append([title, date, summary])
    return frame(words, f'<div class="grid">{"".join(parts)}</div>'), texts


def linked_cards(words: Words) -> Page:
    """A front page whose cards are links as a whole, in rows."""
    rows, texts = [], []
    for _ in range(4):
        row = []
        for _ in range(3):
            topic, title, summary = words.phrase(1, 1), words.phrase(4, 9), words.prose(1, 2)
            row.append(
                f'<div class="col"><a href="{words.href()}"><span class="topic">{topic}</span>'
                f"<h2>{title}</h2><p>{summary}</p></a></div>"
            )
            texts.append([topic, title, summary])
        rows.append(f'<div class="row">{"".join(row)}</div>\n')
    return frame(words, f'<section><div class="rows">{"".join(rows)}</div></section>'), texts


def blog(words: Words) -> Page:
    """A blog: whole posts of several paragraphs with links in them, and a line of links below."""
    parts, texts = [], []
    for _ in range(5):
        title, lines = words.phrase(3, 7), [words.prose(2, 5) for _ in range(words.count(2, 5))]
        linked = lines[0].replace(" ", f" {words.link('ferenol')} ", 1)
        texts.append([title, linked_text(linked), *lines[1:]])
        paragraphs = "".join(f"<p>{line}</p>" for line in [linked, *lines[1:]])
        parts.append(
            f'<div class="post"><h2 class="title">{words.link(title)}</h2><div class="entry">'
            f'{paragraphs}</div><div class="meta">{words.links(3, "<span>{}</span> ")}</div></div>\n'
        )
    return frame(words, f'<div id="content">{"".join(parts)}</div>'), texts


def linked_text(html: str) -> str:
    """The text of a line that has one link."""
    before, _, rest = html.partition("<a ")
    return before + rest.partition(">")[2].replace("</a>", "")


def calendar(words: Words) -> Page:
    """Events: a linked name, then time, place and what happens, without further links."""
    parts, texts = [], []
    for _ in range(9):
        name, place = words.phrase(2, 5), f"{words.count(8, 21)}:00, {words.phrase(2, 3)}"
        lines = [words.prose(2, 4) for _ in range(words.count(1, 2))]
        paragraphs = "".join(f"<p>{line}</p>" for line in lines)
        parts.append(
            f'<li class="event"><div class="when">{place}</div><div class="what"><h3>'
            f"{words.link(name)}</h3>{paragraphs}</div></li>\n"
        )
        texts.append([place, name, *lines])
    return frame(words, f'<ul class="events">{"".join(parts)}</ul>'), texts


def digest(words: Words) -> Page:
    """Short news one after the other, each in an element of its own, without any link."""
    parts, texts = [], []
    for _ in range(6):
        title, lines = words.phrase(4, 8), [words.prose(2, 4) for _ in range(words.count(2, 4))]
        paragraphs = "".join(f"<p>{line}</p>" for line in lines)
        parts.append(f'<div class="item"><h2>{title}</h2>{paragraphs}</div>\n')
        texts.append([title, *lines])
    return frame(words, f'<div class="digest">{"".join(parts)}</div>'), texts


def results(words: Words) -> Page:
    """Results of a search: a linked title, an address, an extract, a second link."""
    parts, texts = [], []
    for _ in range(10):
        title, extract, href = words.phrase(3, 8), words.prose(1, 3), words.href()
        cached = words.phrase(1, 1)
        parts.append(
            f'<div class="g"><div class="r"><h3><a href="{href}">{title}</a></h3><cite>{href}</cite>'
            f'</div><div class="s">{extract} {words.link(cached)}</div></div>\n'
        )
        texts.append([title, href, f"{extract} {cached}"])
    return frame(words, f'<div id="results">{"".join(parts)}</div>'), texts


def answers(words: Words) -> Page:
    """A question and its answers, each with a profile and a line of links."""
    parts, texts = [], []
    for _ in range(7):
        lines = [words.prose(1, 4) for _ in range(words.count(1, 3))]
        paragraphs = "".join(f"<p>{line}</p>" for line in lines)
        parts.append(
            f'<div class="answer"><div class="votes">{words.count(0, 40)}</div><div class="cell"><div '
            f'class="text">{paragraphs}</div><div class="tools">{words.links(3, "{} ")}</div><div '
            f'class="user">{words.link(words.phrase(1, 1))}</div></div></div>\n'
        )
        texts.append(lines)
    return frame(words, f'<div class="answers">{"".join(parts)}</div>'), texts


KINDS: dict[str, Callable[[Words], Page]] = {
    "tables": tables,
    "cards": cards,
    "linked-cards": linked_cards,
    "blog": blog,
    "calendar": calendar,
    "digest": digest,
    "results": results,
    "answers": answers,
}


def main(target: Path = HERE) -> None:
    """Write all pages with their texts."""
    for seed, (name, kind) in enumerate(KINDS.items(), start=1):
        words = Words(seed)
        body, texts = kind(words)
        html = HEAD.format(title=words.phrase(1, 3)) + body + "\n</body></html>\n"
        (target / f"{name}.html").write_text(html, "utf-8", newline="\n")
        known = "\n\n".join("\n".join(text) for text in texts) + "\n"
        (target / f"{name}.texts.txt").write_text(known, "utf-8", newline="\n")


if __name__ == "__main__":
    main()
