"""Read annotated forum pages, and train a forum model on them.

Run `python -m eval.forums.training DIR MODEL`; `crfclean forum --model MODEL` then uses the model.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pycrfsuite
from lxml import etree
from rapidfuzz import fuzz

from crfclean.model.layers import softmax
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.effects import BLOCK_LEVEL
from crfclean.page.page_names import is_page
from crfclean.products.forum.body_features import (
    BODY_FEATURES,
    LOWERING,
    RAISING,
    BodyGroup,
    body_groups,
    feature_rows,
)
from crfclean.products.forum.choose import MAX_TRAINED, label_group
from crfclean.products.forum.evidence import EVIDENCE, evidence
from crfclean.products.forum.fields import (
    COMM,
    DATES,
    FIELD_LABELS,
    NICK,
    NORM,
    ForumFields,
    fields,
)
from crfclean.products.forum.model import ForumModel, Linear, save_forum_model
from crfclean.products.forum.outline import Outline, folded_words, letters, outline
from crfclean.products.forum.records import records
from crfclean.products.teach.gold import JSONL_SUFFIXES, numbered_lines, read_gold_bytes, read_text
from crfclean.products.teach.train import fold_of
from crfclean.systems.crfsuite_file import read_crfsuite
from crfclean.types import CrfcleanError, Floats, GoldError, Ints, NoGoldError, Page

# pairing of annotated posts with the texts and fields of a page
#
# A field is paired with an annotation if it has the same letters once a few are removed (Sido
# 2017, section 6.3): `Posted: 5 May` with `5 May`.

SIMILAR = 0.9  # least similarity of two texts of one post
ALIKE = 0.75  # least similarity of a body and the post that labels its fields
MAX_REMOVED = 0.3  # share of a field's letters that may be removed, by the paper's experiment
UNKNOWN = -1
MAX_PAIRS = 250_000  # of texts compared on a page


@dataclass(frozen=True, slots=True)
class GoldPost:
    """An annotated post; missing values are ""."""

    text: str
    author: str = ""
    date: str = ""


def matches(texts: Sequence[str], targets: Sequence[str], least: float = SIMILAR) -> dict[int, int]:
    """Match folded texts to folded targets, one to one, the most similar first; return places."""
    exact: dict[str, list[int]] = {}
    for place, text in enumerate(targets):
        exact.setdefault(text, []).append(place)
    pairs, open_targets = dict[int, int](), set(range(len(targets)))
    for place, text in enumerate(texts):
        if exact.get(text):
            pairs[place] = exact[text].pop(0)
            open_targets.discard(pairs[place])
    open_texts = [place for place in range(len(texts)) if place not in pairs]
    if len(open_texts) * len(open_targets) > MAX_PAIRS:
        return pairs
    scored = [
        (fuzz.ratio(texts[index], targets[target], score_cutoff=100 * least) / 100, index, target)
        for index in open_texts
        for target in open_targets
    ]
    for score, index, target in sorted(scored, key=lambda row: (-row[0], row[1], row[2])):
        if score >= least and index not in pairs and target in open_targets:
            pairs[index] = target
            open_targets.discard(target)
    return pairs


def fit_of(texts: Sequence[str], posts: Sequence[GoldPost]) -> float:
    """F1 of texts against the annotated posts of a page; empty texts are ignored."""
    found_texts = [text for text in map(folded_words, texts) if text]
    gold_texts = [text for text in (folded_words(post.text) for post in posts) if text]
    if not found_texts or not gold_texts:
        return 0.0
    return 2 * len(matches(found_texts, gold_texts)) / (len(found_texts) + len(gold_texts))


def is_paired(text: str, annotated: str) -> bool:
    """Return whether a field's text is an annotated text with few letters added.

    >>> is_paired("On: 5 May 2020", "5 May 2020")
    True
    """
    field_letters, gold_letters = letters(text), letters(annotated)
    return (
        bool(gold_letters)
        and gold_letters in field_letters
        and len(gold_letters) >= (1 - MAX_REMOVED) * len(field_letters)
    )


def is_part_of_date(text: str, annotated: str) -> bool:
    """Return whether a field is the day or the time of an annotated date."""
    field_letters, gold_letters = letters(text), letters(annotated)
    digits = sum(char.isdigit() for char in field_letters)
    return (
        digits >= 2
        and len(field_letters) >= max(4, 0.3 * len(gold_letters))
        and field_letters in gold_letters
    )


def field_labels(page_fields: ForumFields, posts: Sequence[GoldPost]) -> Ints:
    """Label every field, shape (n,); `UNKNOWN` in records that match no annotated post."""
    records = page_fields.records
    page = records.page
    texts = [folded_words(page.text(int(node))) for node in records.bodies]
    pairs = matches(texts, [folded_words(post.text) for post in posts], ALIKE)
    inside = page.inside(page.first[records.bodies], page.last[records.bodies])
    labels = np.full(len(page_fields), NORM)
    positions = dict[int, int]()
    for field, run in enumerate(page_fields.runs.tolist()):
        record = int(records.record[run])
        if record not in pairs:
            labels[field] = UNKNOWN
            continue
        post, text = posts[pairs[record]], page.page.table.run_texts[run]
        place = -1
        if inside[run]:
            place = letters(post.text).find(letters(text), positions.get(record, 0))
        if place >= 0:
            positions[record] = place + len(letters(text))
            labels[field] = COMM
        elif is_paired(text, post.author):
            labels[field] = NICK
        elif is_paired(text, post.date) or is_part_of_date(text, post.date):
            labels[field] = DATES
    return labels


# annotated forum pages, read from directories or JSONL files
#
# In a directory, every sub-directory with a file `posts.xpath` is a site, its pages beside that
# file (Sido 2017, section 5.3):
#
#     comments=//li[@class="received"]
#     text=.//div[@class="post"]
#     author=.//h5/a
#     date=.//li[@class="date"]
#
# `comments` selects the posts, the other paths start from each post. Every line of a JSONL file
# has `html` and `posts` (or `extra.posts`), a list of objects with `text`, `author` and `date`.

RULES_FILE = "posts.xpath"
_KEYS = ("comments", "text", "author", "date")
_ALL_TEXT = "/allText()"  # an extension of Xsoup, used in the paper's files: the element's text


@dataclass(frozen=True)
class ForumPage:
    """A page, its site, and its posts in page order."""

    id: str
    page: Page
    site: str
    posts: tuple[GoldPost, ...]


def read_posts(path: Path) -> Iterator[ForumPage]:
    """Read the annotated pages of a directory or a JSONL file, in order of names.

    Raises `NoGoldError` if there are none, `GoldError` with file and line if one is malformed.
    """
    empty = True
    for page in _read_directory(path) if path.is_dir() else _read_jsonl(path):
        empty = False
        yield page
    if empty:
        raise NoGoldError(
            f"{path}: no annotated pages: expected sites with a {RULES_FILE}, or JSONL"
        )


def _read_directory(path: Path) -> Iterator[ForumPage]:
    for rules_file in sorted(path.rglob(RULES_FILE)):
        rules = read_rules(rules_file)
        for file in sorted(rules_file.parent.iterdir()):
            if is_page(file.name):
                page = decode(read_gold_bytes(file))
                name = file.relative_to(path).as_posix()
                posts = tuple(select(page.html, rules))
                yield ForumPage(name, page, rules_file.parent.name, posts)
    for file in sorted(jsonl for jsonl in path.rglob("*") if jsonl.name.endswith(JSONL_SUFFIXES)):
        yield from _read_jsonl(file)


def read_rules(file: Path) -> dict[str, etree.XPath]:
    """Read the XPaths of a site; raises `GoldError` with the line that is malformed."""
    rules: dict[str, etree.XPath] = {}
    for number, line in enumerate(read_text(file).splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, equals, text = line.partition("=")
        if not equals or key.strip() not in _KEYS:
            raise GoldError(f"{file}:{number}: expected KEY=XPATH with {', '.join(_KEYS)}")
        try:
            rules[key.strip()] = etree.XPath(_relative(key.strip(), text.strip()))
        except etree.XPathError as error:
            raise GoldError(f"{file}:{number}: no XPath: {error}") from error
    if not {"comments", "text"} <= rules.keys():
        raise GoldError(f"{file}: needs comments= and text=")
    return rules


def _relative(key: str, xpath: str) -> str:
    """Rewrite an XPath for lxml; those of fields start from their post."""
    for ending in ("/" + _ALL_TEXT, _ALL_TEXT):
        xpath = xpath.removesuffix(ending)
    return "." + xpath if key != "comments" and xpath.startswith("/") else xpath


def select(html: str, rules: Mapping[str, etree.XPath]) -> Iterator[GoldPost]:
    """Select the posts of a page by a site's rules; posts without text are left out."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True)
    root = etree.fromstring(html.encode("utf-8", "replace") or b"<html/>", parser)
    if root is None:
        return
    for post in _selected(rules["comments"], root):
        texts = {
            key: "\n".join(filter(None, map(node_text, _selected(rules[key], post))))
            for key in _KEYS[1:]
            if key in rules
        }
        if texts["text"]:
            yield GoldPost(texts["text"], texts.get("author", ""), texts.get("date", ""))


def _selected(xpath: etree.XPath, node: Any) -> list[Any]:
    """Nodes that an XPath selects; a text or number becomes a list of one."""
    selected = xpath(node)
    return list(selected) if isinstance(selected, list) else [selected]


def node_text(selected: Any) -> str:
    """Return the text of an element, one line per block, or of an attribute or text node."""
    if not isinstance(selected, etree._Element):  # noqa: SLF001
        return " ".join(str(selected).split())
    parts = []
    for event, node in etree.iterwalk(selected, events=("start", "end")):
        if node.tag in BLOCK_LEVEL and node is not selected:
            parts.append("\n")
        text = node.text if event == "start" else "" if node is selected else node.tail
        parts.append(text or "")
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _read_jsonl(file: Path) -> Iterator[ForumPage]:
    return (_read_line(line, place) for place, line in numbered_lines(file))


def _read_line(line: str, place: str) -> ForumPage:
    try:
        row = json.loads(line)
        extra = row.get("extra") or {}
        post_rows = row["posts"] if "posts" in row else extra["posts"]
        url = row.get("url")
        site = extra.get("site") or urlsplit(url or "").hostname or place
        posts = tuple(_post(post_row) for post_row in post_rows)
        return ForumPage(str(row.get("id", place)), decode(row["html"], url), site, posts)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise GoldError(f"{place}: expected 'html' and 'posts' ({error!r})") from error


def _post(row: Mapping[str, Any]) -> GoldPost:
    author = row.get("author_name") if "author_name" in row else row.get("author")
    return GoldPost(str(row.get("text") or ""), str(author or ""), str(row.get("date") or ""))


# training of a forum model on annotated pages
#
# CRFsuite fits the weights of the fields: chains of length one are a maximum-entropy classifier
# (Berger et al. 1996). The two rankings maximise the likelihood of the best groups of each page
# (listwise softmax: Cao et al. 2007).


@dataclass(frozen=True, slots=True)
class ForumParams:
    """Parameters for training a model of forums.

    `l1` and `l2` regularise the weights of fields, `decay` (L2) those of the rankings. An attribute
    counts if it occurs `threshold` times. The ranking of groups learns from the fields of `inner`
    folds, by site.
    """

    l1: float = 0.1
    l2: float = 0.3
    threshold: int = 3
    iterations: int = 80
    decay: float = 0.003
    inner: int = 4


@dataclass(frozen=True)
class ForumExample:
    """A page to train on: its groups with their fit, and the labelled fields of the best group."""

    site: str
    page: Outline
    groups: tuple[BodyGroup, ...]
    fits: Floats
    fields: ForumFields
    labels: Ints


def forum_example(site: str, outline: Outline, posts: Sequence[GoldPost]) -> ForumExample | None:
    """Prepare an annotated page; None if none of its groups holds a post."""
    groups = body_groups(outline)
    limit = 4 * len(posts) + 4
    fits = np.array(
        [
            fit_of([outline.text(node) for node in group.nodes], posts)
            if len(group.nodes) <= limit
            else 0.0
            for group in groups
        ]
    )
    if not len(fits) or not fits.max() > 0:
        return None
    best = groups[int(fits.argmax())]
    page_fields = fields(records(outline, np.array(best.nodes)))
    return ForumExample(
        site, outline, tuple(groups), fits, page_fields, field_labels(page_fields, posts)
    )


def learn(examples: Sequence[ForumExample], params: ForumParams = ForumParams()) -> ForumModel:
    """Train on prepared pages, deterministically; raises `CrfcleanError` if there are none."""
    if not examples:
        raise CrfcleanError("no page with posts to learn from")
    bodies = fit_ranking(
        [feature_rows(example.groups) for example in examples],
        [example.fits for example in examples],
        params.decay,
        signs=np.array(
            [float(name in RAISING) - float(name in LOWERING) for name in BODY_FEATURES]
        ),
    )
    groups = _group_ranking(examples, bodies, params)
    return ForumModel(bodies, groups, fit_fields(examples, params))


def _group_ranking(examples: Sequence[ForumExample], bodies: Linear, params: ForumParams) -> Linear:
    """Fit the weights of `EVIDENCE` on out-of-fold labels: folds are by site."""
    values, offsets, fits = [], [], []
    for fold in range(params.inner):
        others = [example for example in examples if fold_of(example.site, params.inner) != fold]
        held = [example for example in examples if fold_of(example.site, params.inner) == fold]
        if not others or not held:
            continue
        blank = Linear(np.zeros(7), np.ones(7), np.zeros(7))
        model = ForumModel(bodies, blank, fit_fields(others, params))
        for example in held:
            scores = bodies.scores(feature_rows(example.groups))
            best = np.argsort(-scores, kind="stable")[:MAX_TRAINED]
            rows = [
                evidence(*label_group(example.page, example.groups[place], model)) for place in best
            ]
            values.append(np.array(rows))
            offsets.append(scores[best])
            fits.append(example.fits[best])
    if not values:
        return Linear(np.zeros(len(EVIDENCE)), np.ones(len(EVIDENCE)), np.zeros(len(EVIDENCE)))
    return fit_ranking(values, fits, params.decay, offsets)


_SHARPNESS, _STEPS, _RATE = 30.0, 600, 0.05


def fit_ranking(
    values: Sequence[Floats],
    fits: Sequence[Floats],
    decay: float,
    offsets: Sequence[Floats] | None = None,
    signs: Floats | None = None,
) -> Linear:
    """Fit weights that give each page's best-fitting row (n, k) the highest score.

    `offsets` are added to the scores; `signs` (k,) are 1 for weights that must not be negative, -1
    for those that must not be positive, else 0. Gradient descent by Adam (Kingma, Ba 2015).
    """
    all_rows = np.concatenate(values)
    mean, scale = all_rows.mean(0), all_rows.std(0) + 1e-3
    pages = [np.clip((page - mean) / scale, -4.0, 4.0) for page in values]
    targets = [softmax(_SHARPNESS * fit) for fit in fits]
    row_offsets = offsets or [np.zeros(len(page)) for page in pages]
    weights: Floats = np.zeros(len(mean))
    first: Floats = np.zeros(len(mean))
    second: Floats = np.zeros(len(mean))
    for step in range(1, _STEPS + 1):
        slope = decay * weights
        for page, target, offset in zip(pages, targets, row_offsets, strict=True):
            slope = slope + page.T @ (softmax(page @ weights + offset) - target) / len(pages)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        rate = _RATE * (1.0 - step / (_STEPS + 1))
        weights = weights - rate * (first / (1 - 0.9**step)) / (
            np.sqrt(second / (1 - 0.999**step)) + 1e-8
        )
        if signs is not None:
            weights = np.where(weights * signs < 0, 0.0, weights)
    return Linear(mean, scale, weights)


def _shared(examples: Sequence[ForumExample]) -> set[str]:
    """Attributes that two or more sites have; others are mostly names of one site's users."""
    sites: dict[str, set[str]] = {}
    for example in examples:
        for name in set(chain.from_iterable(example.fields.attributes)):
            sites.setdefault(name, set()).add(example.site)
    least = min(2, len({example.site for example in examples}))
    return {name for name, names_sites in sites.items() if len(names_sites) >= least}


def fit_fields(
    examples: Sequence[ForumExample], params: ForumParams
) -> dict[str, tuple[float, ...]]:
    """Fit the maximum-entropy classifier of fields; return each attribute's weights by label."""
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.select("lbfgs")
    trainer.set_params(
        {
            "c1": params.l1,
            "c2": params.l2,
            "feature.minfreq": params.threshold,
            "max_iterations": params.iterations,
        }
    )
    shared = _shared(examples)
    for example in examples:
        for attributes, label in zip(
            example.fields.attributes, example.labels.tolist(), strict=True
        ):
            if label != UNKNOWN:
                kept = [name for name in attributes if name in shared]
                trainer.append(pycrfsuite.ItemSequence([kept]), [FIELD_LABELS[label]])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "weights")
        try:
            trainer.train(str(path))
            weights = read_crfsuite(path.read_bytes())
        except (TypeError, RuntimeError, OSError) as error:  # its own class is broken
            raise CrfcleanError(f"CRFsuite failed to train: {error}") from error
    order = [weights.labels.index(name) if name in weights.labels else -1 for name in FIELD_LABELS]
    return {
        name: tuple(float(row[place]) if place >= 0 else 0.0 for place in order)
        for name, row in weights.state.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path, help="sites with posts.xpath, or JSONL files")
    parser.add_argument("model", type=Path, help="folder of the new model")
    args = parser.parse_args()
    pages = read_posts(args.directory)
    made = (forum_example(page.site, outline(split(page.page)), page.posts) for page in pages)
    save_forum_model(learn([example for example in made if example is not None]), args.model)


if __name__ == "__main__":
    main()
