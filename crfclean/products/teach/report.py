"""Write the report: a summary, tables, and the differences on the worst pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from crfclean.page.chars import plural
from crfclean.products.teach.means import (
    f1_interval,
    means_by_group,
)
from crfclean.products.teach.result import Evaluation
from crfclean.products.teach.runner import Scored
from crfclean.products.teach.tables import kind_rows, label_rows, measures, word_rows
from crfclean.products.teach.word_runs import ADDED_WORDS, MISSING_WORDS, PILCROW, Run, word_diff
from crfclean.shell import report_page

MAX_WORST_PAGES = 12  # pages shown with their words


def worst_of(pages: Iterable[Scored], scored: Scored) -> list[Scored]:
    """Add a page to the first system's worst pages; keep the worst, from bad to good."""
    by_f1 = sorted([*pages, scored], key=lambda page: (page.scores[0].words.f1, page.scores[0].id))
    return by_f1[:MAX_WORST_PAGES]


def report_html(evaluation: Evaluation) -> str:
    """The report as HTML."""
    sections = {
        "Summary": _summary(evaluation),
        "Scores": _tables(evaluation),
        "Worst pages": "".join(map(_sample, evaluation.worst)),
    }
    body = "".join(
        f"<section><h2>{name}</h2>{text}</section>\n" for name, text in sections.items() if text
    )
    title = f"Evaluation on {evaluation.gold}"
    return report_page(title, _subtitle(evaluation), body, "evaluation.css")


def _subtitle(evaluation: Evaluation) -> str:
    sites = {page.site for page in evaluation.pages}
    parts = [", ".join(evaluation.systems), plural(len(evaluation.pages), "page")]
    parts.append(plural(len(sites), "site"))
    model, training = evaluation.about.get("model"), evaluation.about.get("training")
    if model:
        parts.append(f"model {model['name']} ({model['fingerprint'][:12]})")
    if training:
        parts.append(f"{training['folds']} folds by {training['by']}, each scored by a new model")
    return " · ".join(parts)


def _summary(evaluation: Evaluation) -> str:
    pages = evaluation.pages
    mean = means_by_group(pages)[-1]
    order_f1 = sum(page.alignment.f1 for page in pages) / len(pages)
    cards = {
        "F1 on words": (f"{mean.f1:.3f}", _interval(evaluation)),
        "precision": (f"{mean.precision:.3f}", "of our words"),
        "recall": (f"{mean.recall:.3f}", "of the gold's words"),
        "F1 in order": (f"{order_f1:.3f}", "longest common subsequence"),
        "distance": (f"{mean.distance_share:.3f}", f"{mean.distance:.0f} characters a page"),
    }
    divs = (
        f"<div class='card'><b>{value}</b><span>{escape(name)}</span><small>{escape(note)}</small>"
        "</div>"
        for name, (value, note) in cards.items()
    )
    note = f"<p class='note'>{escape(evaluation.note)}</p>" if evaluation.note else ""
    return f"<div class='cards'>{''.join(divs)}</div>{note}"


def _interval(evaluation: Evaluation) -> str:
    ends = f1_interval(evaluation.pages, evaluation.unit)
    if ends is None:
        return f"no interval: one {evaluation.unit}"
    return f"95 %: {ends[0]:.3f} to {ends[1]:.3f}" + ", by page" * (evaluation.unit == "page")


def _tables(evaluation: Evaluation) -> str:
    named: dict[str, tuple[list[list[str]], int]] = {
        f"By {evaluation.by}": (word_rows(evaluation), 2 if evaluation.peers else 1),
        "Word order, distance, blocks, begin and end": (measures(evaluation.systems), 1),
    }
    if any(page.blocks is not None for page in evaluation.pages):
        whose = f" of {next(iter(evaluation.systems))}" if evaluation.peers else ""
        named[f"Blocks{whose} by kind"] = (kind_rows(evaluation.pages), 1)
        named[f"Blocks{whose} by label"] = (label_rows(evaluation.pages), 1)
    return "".join(_table(name, rows, left) for name, (rows, left) in named.items())


def _table(name: str, rows: Sequence[Sequence[str]], left: int) -> str:
    head, *body = rows
    lines = [_cells("th", head, left), *(_cells("td", row, left) for row in body)]
    return (
        f"<h3>{escape(name)}</h3><div class='scroll' tabindex='0'>"
        f"<table><thead>{lines[0]}</thead><tbody>{''.join(lines[1:])}</tbody></table></div>"
    )


def _cells(tag: str, row: Sequence[str], left: int) -> str:
    classes = ("l" if place < left else "r" for place in range(len(row)))
    cells = zip(classes, row, strict=True)
    marked = (f"<{tag} class={css_class}>{escape(cell)}</{tag}>" for css_class, cell in cells)
    return f"<tr>{''.join(marked)}</tr>"


def _sample(scored: Scored) -> str:
    runs, left_out = word_diff(scored.gold, scored.texts[0])
    note = f"<p class='note'>{left_out} more words are left out.</p>" if left_out else ""
    score, words = scored.scores[0], scored.scores[0].words
    figures = f"F1 {words.f1:.3f}, precision {words.precision:.3f}, recall {words.recall:.3f}"
    status = "" if score.status == "ok" else f" ({score.status})"
    return (
        f"<details><summary><b>{escape(score.id)}</b> {escape(figures + status)}</summary>"
        "<p class='note'><del>− missing: only in the gold</del> "
        "<ins>+ added: only in our text</ins></p>"
        f"<div class='diff' dir='auto'>{''.join(_run(run) for run in runs)}</div>{note}</details>\n"
    )


_TAGS = {MISSING_WORDS: ("<del>− ", "</del>"), ADDED_WORDS: ("<ins>+ ", "</ins>")}


def _run(run: Run) -> str:
    if run.skipped:
        half = len(run.words) // 2
        gap = f"<span class='gap'>… {plural(run.skipped, 'word')} …</span>"
        return f"{_text(run.words[:half])}{gap} {_text(run.words[half:])}"
    begin, end = _TAGS.get(run.sign, ("", ""))
    return f"{begin}{_text(run.words).rstrip()}{end} "


def _text(words: Sequence[str]) -> str:
    return escape(" ".join(words)).replace(PILCROW, "<i>¶</i><br>") + " "
