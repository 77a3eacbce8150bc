"""Write a document as JSON: its text, and every kept block with its type and its place on the page.

`schemas/document.json` is the schema.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from crfclean.decision.verdict import expected, levels, ruled_words
from crfclean.document.block_types import BlockType, block_types
from crfclean.document.budget import fitted, shown_parts
from crfclean.document.columns import ROW_NAMES
from crfclean.document.content import comments_content, content
from crfclean.document.lines import page_lines, shown_texts
from crfclean.document.parts import DEFAULT_SHOW, Content, Part, Show, iter_parts
from crfclean.document.shown import filter_parts
from crfclean.document.text import plain_text
from crfclean.model.kinds import document_kinds
from crfclean.page.decode import web_name
from crfclean.page.places import Piece, places
from crfclean.types import Blocks, Document, Kind, Label, LikelyKind, Metadata, Value
from crfclean.types.choices import KIND_WORDS

_LABELS = tuple(label.name for label in Label)


def to_dict(document: Document, show: Show = DEFAULT_SHOW) -> dict[str, Any]:
    """Return the values of the columns of a row (see `columns.ROW_COLUMNS`), and what `show` adds.

    `schemas/document.json` describes the keys. Some exist only with their switch: `blocks` (kept
    blocks, and the decisions after the model), `evidence` (each value of the metadata with its
    source, see `metadata.values.metadata_dict`), `levels` (see `decision.choosing`), `left_out`
    (the blocks that are neither text nor comments), `site_places` (see `decision.places`) and
    `parts` (the tree of the content). Tables and headings that are switched off are neither in
    `text` nor in `blocks`.
    """
    tree = _tree(document, show)
    shown = shown_parts(tree, show)
    is_cut = bool(show.budget) and shown != filter_parts(tree, show)
    kept = _still_shown(document.kept, tree, shown)
    fields: dict[str, Any] = dict.fromkeys(ROW_NAMES)
    fields |= _stated(document, show) | _of_page(document)
    fields["text"] = _cut_text(tree, show) if is_cut else _lines(document, kept)
    if document.tags.comments is not None:
        fields["comments"] = _lines(document, _comment_indices(document, show))
    if show.blocks or show.left_out:
        texts = dict(zip(kept, shown_texts(document.blocks, kept), strict=True))
        fields["blocks"] = _blocks(document, texts, tree, spans=not is_cut)
        fields["comment_blocks"] = _comment_blocks(document, show)
        fields |= _decided(document)
    fields |= _switched_on(document, show, kept)
    if show.parts:
        fields["content"] = part_dicts(shown, document.blocks)
        comments = () if document.tags.comments is None else comments_content(document)
        fields["comments_content"] = part_dicts(filter_parts(comments, show), document.blocks)
    return fields


def _of_page(document: Document) -> dict[str, Any]:
    """Return what became of the page."""
    presence = document.presence
    return {
        "score": round(document.score, 4),
        "presence": presence and presence.where,
        "presence_reason": presence and presence.reason,
        "status": document.status,
        "message": document.message,
        "truncated": document.truncated,
        "encoding": document.encoding and web_name(document.encoding),
        "encoding_guessed": document.encoding_guessed,
        "source": document.blocks.source,
    }


def _stated(document: Document, show: Show) -> dict[str, Any]:
    """Return the address of the page and the values of its metadata, without their sources."""
    metadata = document.metadata if show.metadata else Metadata()
    declared = metadata.address.text if metadata.address else None
    url = document.url or declared
    return {
        "url": url,
        "url_from": None if url is None else "input" if document.url else "page",
        "title": title_of(document, metadata) or None,
        "authors": [author.text for author in metadata.authors],
        "tags": [tag.text for tag in metadata.tags],
        "page_type": metadata.page_type and metadata.page_type.name,
        **{name: value and value.text for name, value in _values(metadata).items()},
    }


def _values(metadata: Metadata) -> dict[str, Value | None]:
    """Return the values of the metadata that are columns of the same names."""
    return {
        "published": metadata.published,
        "modified": metadata.modified,
        "language": metadata.language,
        "site": metadata.site,
        "description": metadata.description,
    }


def _lines(document: Document, indices: Sequence[int]) -> str:
    return "\n".join(page_lines(document.blocks, indices))


def _cut_text(tree: Sequence[Part], show: Show) -> str:
    """Return the text that a budget leaves, as plain text has it."""
    return fitted(lambda cut: plain_text(shown_parts(tree, cut)), show).rstrip("\n")


def title_of(document: Document, metadata: Metadata) -> str:
    """Return the title in the metadata; without one, the text of the element `title`."""
    if metadata.title is not None:
        return metadata.title.text
    return document.page_blocks.title


def _switched_on(document: Document, show: Show, kept: Sequence[int]) -> dict[str, Any]:
    """Return the fields that a switch adds to those of all pages."""
    fields: dict[str, Any] = {}
    if show.levels:
        fields["levels"] = _levels(document, show)
    if show.left_out:
        fields["left_out"] = _left_out(document, kept)
    if show.site_places:
        from crfclean.decision.places import site_of, text_places

        site, places = site_of(document.url, document.page_blocks), text_places(document)
        fields["site_places"] = {"site": site, "places": [asdict(place) for place in places]}
    if show.evidence:
        from crfclean.metadata.values import metadata_dict  # word lists load with the first page

        presence = document.presence and document.presence._asdict()
        fields["evidence"] = metadata_dict(document.metadata) | {"presence": presence}
    return fields


def _tree(document: Document, show: Show) -> tuple[Part, ...]:
    """Return the tree of the content, () if no field needs it."""
    has_texts = show.parts or not show.all_text
    is_needed = has_texts or show.blocks or show.left_out
    return content(document, has_texts=has_texts) if is_needed else ()


def _decided(document: Document) -> dict[str, Any]:
    """Return the decisions after the model: rules, thread, and the end of the text."""
    thread, end = document.tags.thread, document.tags.end
    return {
        "thread": None if thread is None else round(thread, 4),
        "end": None if end is None else end._asdict() | {"probability": round(end.probability, 4)},
        "rules": [
            {"rule": rule, "left_out": left_out, "added": added}
            for rule, (left_out, added) in ruled_words(document).items()
        ],
    }


def _levels(document: Document, show: Show) -> dict[str, Any]:
    """Return the text at each level, with its expected precision and recall (0..1)."""
    by_name = levels(document)
    rows = {}
    for name, of_level in by_name.items():
        tree = () if show.all_text else content(of_level)
        kept = _still_shown(of_level.kept, tree, filter_parts(tree, show))
        figures = {key: round(value, 4) for key, value in expected(of_level).items()}
        rows[name] = {"text": "\n".join(page_lines(document.blocks, kept))} | figures
    return rows


def _left_out(document: Document, kept: Sequence[int]) -> list[dict[str, Any]]:
    """Return the blocks outside of text and comments, with the fields that an audit needs."""
    shown, kinds = {*kept, *document.comments}, document_kinds(document)
    others = [index for index in range(len(document.blocks)) if index not in shown]
    rows = zip(block_dicts(document, others), shown_texts(document.blocks, others), strict=True)
    return [
        {name: row[name] for name in ("index", "probability")}
        | {"kind": KIND_WORDS[kinds[row["index"]]], "text": text}
        for row, text in rows
    ]


def _comment_indices(document: Document, show: Show) -> list[int]:
    """Return the blocks of separate comments that are not switched off."""
    if show.all_text:
        return list(document.comments)
    tree = comments_content(document)
    return _still_shown(document.comments, tree, filter_parts(tree, show))


def _comment_blocks(document: Document, show: Show) -> list[dict[str, Any]] | None:
    """Return the blocks of separate comments, None if comments are not separate."""
    if document.tags.comments is None:
        return None
    indices = _comment_indices(document, show)
    texts = dict(zip(indices, shown_texts(document.blocks, indices), strict=True))
    return _blocks(document, texts, comments_content(document), spans=False)


def _still_shown(indices: Sequence[int], tree: Sequence[Part], shown: Sequence[Part]) -> list[int]:
    """Return the blocks that are not in a part that is switched off."""
    hidden = _blocks_of(tree) - _blocks_of(shown) if shown is not tree else set()
    return [index for index in indices if index not in hidden]


def _blocks_of(tree: Sequence[Part]) -> set[int]:
    return {block for top in tree for part in iter_parts(top) for block in part.blocks}


def _blocks(
    document: Document, texts: Mapping[int, str], tree: Sequence[Part], *, spans: bool
) -> list[dict[str, Any]]:
    """Return blocks (index -> text) as dicts; with `spans`, their places in the text."""
    types, block_places = block_types(tree), places(document.blocks, texts)
    kinds = document_kinds(document)
    names, likely = kinds.values, kinds.likely
    rows, start = block_dicts(document, [*texts]), 0
    for row, index, text in zip(rows, texts, texts.values(), strict=True):
        end = start + len(text)
        row.update(text=text, span=[start, end] if spans else None)
        row.update(kind_dict(names[index], likely[index]))
        row.update(block_type_dict(types.get(index), block_places[index]))
        start = end + 1
    return rows


def block_dicts(document: Document, indices: Sequence[int]) -> list[dict[str, Any]]:
    """Return the values of blocks in the JSON formats, kept or not."""
    blocks, tags, nodes = document.blocks, document.tags, document.blocks.node.tolist()
    return [
        {
            "index": index,
            "label": _LABELS[tags.labels[index]],
            "probability": round(float(tags.probabilities[index]), 4),
            "tag": blocks.table.tags[nodes[index]],
            "xpath": blocks.xpath(nodes[index]),
            "text": blocks.texts[index],
        }
        for index in indices
    ]


def kind_dict(kind: Kind, likely: LikelyKind) -> dict[str, Any]:
    """Return the kind of a block by evidence, and its kinds and probabilities by the model."""
    return {
        "kind": KIND_WORDS[kind],
        "kind_probability": round(likely.probability, 4),
        "likely_kind": KIND_WORDS[likely.likeliest],
        "likely_kind_probability": round(likely.likeliest_probability, 4),
    }


def block_type_dict(block_type: BlockType | None, place: Sequence[Piece]) -> dict[str, Any]:
    """Return the type, facts and place of a block; a block that is in no part has no type."""
    return {
        "type": block_type.kind if block_type else None,
        "facts": dict(block_type.facts) if block_type else {},
        "place": [{"path": path, "start": start, "end": end} for path, start, end in place],
    }


def part_dicts(tree: Sequence[Part], blocks: Blocks) -> list[dict[str, Any]]:
    """Return the tree of parts as nested dicts, without recursion."""
    dicts: list[dict[str, Any]] = []
    stack: list[tuple[Content, list[Any]]] = [(part, dicts) for part in reversed(tree)]
    while stack:
        part, siblings = stack.pop()
        if isinstance(part, str):
            siblings.append(part)
            continue
        children: list[Any] = []
        siblings.append(
            {
                "kind": part.kind,
                "facts": dict(part.facts),
                "xpath": blocks.xpath(part.node) if part.node >= 0 else "",
                "blocks": list(part.blocks),
                "children": children,
            }
        )
        stack += [(child, children) for child in reversed(part.children)]
    return dicts


def to_row(document: Document, show: Show = DEFAULT_SHOW, /, **facts: Any) -> bytes:
    """Return a line of a corpus: `to_dict` with facts such as `id`, `crawled` and `model`."""
    return json_row(to_dict(document, show), facts, document.truncated)


def json_row(fields: Mapping[str, Any], facts: Mapping[str, Any], truncated: str) -> bytes:
    """Return a line of JSON: the id, the fields of a page, then the other facts of its record.

    `truncated` has the reasons why the page is cut short. Lone surrogates, which UTF-8 cannot hold,
    become question marks.
    """
    row = {"id": None, **fields, **facts, "truncated": truncated}
    return json_text(row, "jsonl").encode("utf-8", "replace")


def to_json(document: Document, show: Show = DEFAULT_SHOW) -> str:
    """Return one indented JSON object."""
    return json_text(to_dict(document, show), "json")


def to_jsonl(document: Document, show: Show = DEFAULT_SHOW) -> str:
    """Return one JSON object on one line."""
    return json_text(to_dict(document, show), "jsonl")


def json_text(fields: Mapping[str, Any], form: str) -> str:
    """Return fields as JSON: "json" has a line for each field or entry of a list, "jsonl" one."""
    if form == "jsonl":
        return _compact(fields) + "\n"
    # `indent` takes json's encoder in Python: a quarter of the time of a page
    return (
        "{\n" + ",\n".join(f" {_compact(key)}: {_entries(fields[key])}" for key in fields) + "\n}\n"
    )


def _entries(value: Any) -> str:
    """Return a value as JSON, the entries of a list each on a line of its own."""
    if not (isinstance(value, list) and value):
        return _compact(value)
    return "[\n" + ",\n".join(f"  {_compact(entry)}" for entry in value) + "\n ]"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, check_circular=False)
