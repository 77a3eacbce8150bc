"""Ask for judgements, a key for each block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from crfclean.page.chars import escaped
from crfclean.products.tools.audited import AuditedBlock
from crfclean.products.tools.judgements import Judgements
from crfclean.types import CrfcleanError

_KEYS: Mapping[str, bool | None] = {"t": True, "o": False, "x": None}
"""Key -> the judgement."""
_HELP = "t belongs to the text   o does not   x no judgement   u back   q leave"
_SHOWN = {True: "TEXT", False: "OTHER", None: "?"}


def ask(
    blocks: Sequence[AuditedBlock],
    judgements: Judgements,
    save: Callable[[Judgements], object],
    press: Callable[[str], str],
) -> Judgements:
    """Ask for each block without a judgement, and save each answer; return all judgements.

    `press` shows a text and returns a key. The decision of the run is not shown. If `save` raises
    `CrfcleanError`, its message is shown, and the block asked for again.
    """
    judged, message, place = dict(judgements), "", 0
    numbers = [number for number in range(len(blocks)) if number not in judgements]
    while place < len(numbers):
        number = numbers[place]
        front = f" {number + 1}/{len(blocks)}  judged {len(judged)}"
        answer = _SHOWN[judged.get(number)]
        key = press(f"{front}\n{_question(blocks[number], answer)}\n\n{message}\n{_HELP}\n")
        if key == "q":
            break
        message, place = "", max(0, place - (key == "u"))
        if key not in _KEYS:
            continue
        changed = {block: value for block, value in judged.items() if block != number}
        changed |= {} if _KEYS[key] is None else {number: bool(_KEYS[key])}
        try:
            save(changed)
            judged, place = changed, place + 1
        except CrfcleanError as error:
            message = str(error)
    return judged


def _question(block: AuditedBlock, answer: str) -> str:
    """A block between its neighbours, below the title and the address of its page."""
    lines = block.title, block.url or block.page, "", block.before, answer, f"> {block.text}"
    return "\n".join(map(escaped, (*lines, "", block.after)))
