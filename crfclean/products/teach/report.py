"""Tables of page scores as text, and the report of an evaluation as one HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from rapidfuzz.distance import LCSseq

from crfclean.page.chars import plural
from crfclean.products.teach.metrics import BlockKind, label_scores
from crfclean.products.teach.result import (
    BY,
    Difference,
    Evaluation,
    Row,
    exact_ends,
    f1_interval,
    groups,
    means_by_group,
    metric_means,
    paired,
    total_confusion,
    total_counts,
)
from crfclean.products.teach.runner import PageScore, Scored
from crfclean.shell import report_page
from crfclean.types import Label

OURS = "crfclean"
_WORDS = ("pages", "precision", "recall", "F1")
_MAX_CHANGED_PAGES = 10  # pages that `compare_text` lists


def scores_text(pages: Sequence[PageScore], by: str = "source") -> str:
    """The tables of crfclean: words by group, then blocks by kind if the gold has labels."""
    return evaluation_text(Evaluation("", {OURS: pages}, by))


def evaluation_text(evaluation: Evaluation) -> str:
    """Words by group and system, and blocks by kind, as aligned tables."""
    parts = [evaluation.note] if evaluation.note else []
    left = 2 if evaluation.peers else 1
    parts.append(aligned(word_rows(evaluation), left) + _interval_line(evaluation))
    if any(page.blocks is not None for page in evaluation.pages):
        caption = f"Blocks of {next(iter(evaluation.systems))}\n" if evaluation.peers else ""
        parts.append(caption + aligned(kind_rows(evaluation.pages)))
    return "\n".join(parts)


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Rows of cells as text: the first `left` columns flush left, the others flush right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = [
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(padded).rstrip() + "\n")
    return "".join(lines)


def word_rows(evaluation: Evaluation) -> list[list[str]]:
    """Return a row for each group and system: mean scores, and the first system's lead."""
    first, *peers = evaluation.systems
    words = (*_WORDS, *metric_means(evaluation.pages[:1]))
    leads = evaluation.differences(evaluation.by)
    tables = {
        name: means_by_group(pages, BY[evaluation.by]) for name, pages in evaluation.systems.items()
    }
    if not peers:
        return [[evaluation.by, *words], *([row.source, *_cells_of(row)] for row in tables[first])]
    head = interval_head(evaluation)
    rows = [[evaluation.by, "system", *words, f"{first} leads by", head]]
    for place, group in enumerate(groups(evaluation.pages, BY[evaluation.by])):
        for number, (name, group_rows) in enumerate(tables.items()):
            lead = ["", ""] if name not in leads else lead_cells(leads[name][place])
            rows.append(["" if number else group, name, *_cells_of(group_rows[place]), *lead])
    return rows


def _cells_of(row: Row) -> list[str]:
    values = (row.precision, row.recall, row.f1, *row.metrics.values())
    return [str(row.pages), *(f"{value:.3f}" for value in values)]


def interval_head(evaluation: Evaluation) -> str:
    """Return the head of a column of intervals."""
    return "95 % interval" + (", by page" if evaluation.unit == "page" else "")


def lead_cells(row: Difference) -> list[str]:
    """Return the cells of a difference and its interval; a dash for a missing interval."""
    ends = "–" if row.low is None else f"{row.low:+.3f} to {row.high:+.3f}"
    return [f"{row.mean:+.3f}", ends]


def _interval_line(evaluation: Evaluation) -> str:
    """Return a line with the interval of the first system's F1, "" if it has none."""
    ends = f1_interval(evaluation.pages, evaluation.unit)
    if ends is None:
        return ""
    over = plural(len({page.site for page in evaluation.pages}), "site")
    if evaluation.unit == "page":
        over = f"{plural(len(evaluation.pages), 'page')} of {over}"
    system = f" of {next(iter(evaluation.systems))}" if evaluation.peers else ""
    low, high = ends
    return f"\nF1{system} on all pages: 95 % interval {low:.3f} to {high:.3f}, over {over}.\n"


def percent(part: float, total: float) -> str:
    """Return a share as a percentage, a dash if the total is 0."""
    return f"{100 * part / total:.1f} %" if total else "–"


def measures(systems: Mapping[str, Sequence[PageScore]]) -> list[list[str]]:
    """Return a row for each system: word order, distance, blocks, begin and end."""
    order_head = ["precision in order", "recall in order", "F1 in order", "distance", "relative"]
    block_head = ["blocks found", "blocks wrong", "right begin", "right end"]
    rows = [["", *order_head, *block_head]]
    for name, pages in systems.items():
        parts = [(p.alignment.precision, p.alignment.recall, p.alignment.f1) for p in pages]
        order = [sum(column) / len(pages) for column in zip(*parts, strict=True)]
        mean = means_by_group(pages)[-1]
        distance = [f"{mean.distance:.1f}", f"{mean.distance_share:.3f}"]
        correct, wrong, missed = total_counts(pages).sum(axis=0).tolist()
        blocks = [percent(part, correct + missed) for part in (correct, wrong)]
        blocks += [percent(share, 1) for share in exact_ends(pages)]
        rows.append([name, *(f"{value:.3f}" for value in order), *distance, *blocks])
    return rows


def kind_rows(pages: Sequence[PageScore]) -> list[list[str]]:
    """Return a row for each kind of block: counts, two of them also as shares of the gold."""
    rows = [["blocks", "in gold", "kept", "missed", "wrongly kept", "kept %", "wrong %"]]
    counts = total_counts(pages)
    parts = {kind.name.lower().replace("_", " "): counts[kind] for kind in BlockKind}
    shown = {name: part for name, part in parts.items() if part.any()}
    for name, part in (shown | {"all": counts.sum(axis=0)}).items():
        correct, wrong, missed = part.tolist()
        gold = correct + missed
        cells = [str(count) for count in (gold, correct, missed, wrong)]
        rows.append([name, *cells, percent(correct, gold), percent(wrong, gold)])
    return rows


def label_rows(pages: Sequence[PageScore]) -> list[list[str]]:
    """Return a row for each label: precision, recall, F1, and its row of the confusion matrix."""
    matrix = total_confusion(pages)
    rows = [["labels", "precision", "recall", "F1", *(f"as {name}" for name in Label.__members__)]]
    for name, scores in label_scores(matrix).items():
        values = [f"{value:.3f}" for value in (scores.precision, scores.recall, scores.f1)]
        rows.append([name, *values, *(str(count) for count in matrix[Label[name]])])
    return rows


def compare_text(old: Sequence[PageScore], new: Sequence[PageScore], group_by: str = "") -> str:
    """New minus old F1 by source, kind and language, then the pages that changed most.

    Of tables with a single group, only the first is shown. `group_by` is as in `Evaluation`. Raises
    `CrfcleanError` if the pages differ.
    """
    both = Evaluation("", {"new": new, "old": paired(old, new)}, group_by=group_by)
    parts: list[str] = []
    for grouping in BY:
        gains = both.differences(grouping)["old"]
        if parts and len(gains) == 2:
            continue
        rows = [[row.group, str(row.pages), *lead_cells(row)] for row in gains]
        parts.append(aligned([[grouping, "pages", "F1 new - old", interval_head(both)], *rows]))
    return "\n".join([*parts, aligned(_changes(both))])


def _changes(evaluation: Evaluation) -> list[list[str]]:
    pairs = list(zip(evaluation.systems["new"], evaluation.systems["old"], strict=True))
    changed = [pair for pair in pairs if pair[0].words.f1 != pair[1].words.f1]
    changed.sort(key=lambda pair: (-abs(pair[0].words.f1 - pair[1].words.f1), pair[0].id))
    rows = [[f"{plural(len(changed), 'page')} changed", "old F1", "new F1", "change"]]
    for new, old in changed[:_MAX_CHANGED_PAGES]:
        gain = new.words.f1 - old.words.f1
        rows.append([new.id, f"{old.words.f1:.3f}", f"{new.words.f1:.3f}", f"{gain:+.3f}"])
    return rows


# compare a text with its gold as runs of words

_MAX_COMPARED_WORDS = 4_000  # of each text; `word_diff` counts the others
CONTEXT_WORDS = 12  # words shown at both ends of a long run of equal ones
LINE_END = "¶"
SAME_WORDS, MISSING_WORDS, ADDED_WORDS = " ", "-", "+"


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive words, `sign` one of `SAME_WORDS`, `MISSING_WORDS` (in the gold), `ADDED_WORDS`.

    `skipped` is the number of words left out in the middle. `LINE_END` stands for a line end.
    """

    sign: str
    words: tuple[str, ...]
    skipped: int = 0


def word_diff(gold: str, text: str) -> tuple[list[Run], int]:
    """Return runs of words from gold to text, and the number of words that were not compared.

    >>> [(run.sign, " ".join(run.words)) for run in word_diff("it sails again", "it sails")[0]]
    [(' ', 'it sails'), ('-', 'again')]
    """
    gold_words, words = _words(gold), _words(text)
    left_out = sum(max(0, len(part) - _MAX_COMPARED_WORDS) for part in (gold_words, words))
    return list(_runs(gold_words[:_MAX_COMPARED_WORDS], words[:_MAX_COMPARED_WORDS])), left_out


def _words(text: str) -> list[str]:
    lines = [line.split() for line in text.splitlines() if line.strip()]
    return [word for line in lines for word in (*line, LINE_END)][:-1]


def _runs(gold_words: Sequence[str], words: Sequence[str]) -> Iterator[Run]:
    gold_place, place = 0, 0  # up to which both texts are yielded
    for block in LCSseq.editops(gold_words, words).as_matching_blocks():
        if gold_place < block.a:
            yield Run(MISSING_WORDS, tuple(gold_words[gold_place : block.a]))
        if place < block.b:
            yield Run(ADDED_WORDS, tuple(words[place : block.b]))
        gold_place, place = block.a + block.size, block.b + block.size
        if block.size:
            yield _shortened(tuple(gold_words[block.a : gold_place]))


def _shortened(words: tuple[str, ...]) -> Run:
    if len(words) <= 3 * CONTEXT_WORDS:
        return Run(SAME_WORDS, words)
    ends = words[:CONTEXT_WORDS] + words[-CONTEXT_WORDS:]
    return Run(SAME_WORDS, ends, len(words) - 2 * CONTEXT_WORDS)


# write the report: a summary, tables, and the differences on the worst pages
#
# It needs no network and no script.

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
    return escape(" ".join(words)).replace(LINE_END, "<i>¶</i><br>") + " "
