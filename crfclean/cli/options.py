"""Options that several commands share, and the values made from them."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from crfclean import door
from crfclean.cli.messages import is_quiet
from crfclean.cli.paths import Reads, Writes
from crfclean.document.parts import Show
from crfclean.io import naming_path
from crfclean.systems.load import NAMED, SHIPPED, load
from crfclean.types import Tagger
from crfclean.types.choices import (
    COMMENT_MODES,
    CONVENTIONS,
    FORUM_TAGGER,
    KEEPABLE,
    KIND_WORDS,
)

Command = TypeVar("Command", bound=Callable[..., Any])
_Params = TypeVar("_Params")


def together(*decorators: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Combine decorators into one that adds their options in this order."""

    def decorate(command: Command) -> Command:
        for add in reversed(decorators):
            command = add(command)
        return command

    return decorate


# the model, and what it keeps


class Share(click.FloatRange):
    """A number in a range; NaN, which is in none, is refused."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; raises `BadParameter`."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not in the range {self.min:g} to {self.max:g}", param, ctx)
        return number


if TYPE_CHECKING:
    _Choice = click.Choice[str]
else:
    _Choice = click.Choice  # of click 8.1, which takes no parameter


class Entered(_Choice):
    """A choice of names of a kind, or the name of an entry point; see `door`."""

    def __init__(self, kind: str, names: Sequence[str]) -> None:
        super().__init__(names)
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name; raises `BadParameter`."""
        if value in self.choices or not door.has(self.kind, value):
            return super().convert(value, param, ctx)
        return str(value)


_RULES = [name for name in NAMED if name != FORUM_TAGGER]

DROPPED_KINDS = ("navigation", "teaser", "promo", "notice", "legal")
"""Kinds that `--as everything` drops."""

selector_options = together(
    click.option(
        "--within",
        metavar="CSS",
        help="keep nothing outside the elements that these CSS selectors name, e.g. '.post, h1'",
    ),
    click.option(
        "--drop",
        metavar="CSS",
        help="keep nothing inside the elements that these CSS selectors name, e.g. '.ad'",
    ),
)
CUT_OPTIONS = (
    click.option(
        "--threshold",
        type=Share(0, 1),
        metavar="P",
        help="keep blocks that are text with at least this probability, 0..1",
    ),
    click.option(
        "--precision",
        type=Share(0, 1),
        metavar="P",
        help="target precision, 0..1: drop uncertain blocks until the expected precision reaches P",
    ),
    click.option(
        "--as",
        "convention",
        type=click.Choice(CONVENTIONS),
        help="what belongs to the text. article: title, lead, headings, paragraphs, lists, tables, "
        "code, formulas, quotes, notes; body: article without the title; page: article with "
        "captions and bylines; thread: posts and comments; everything: page with comments, "
        f"drops only {', '.join(DROPPED_KINDS)}; auto (default): article on articles, thread on "
        "threads",
    ),
    click.option(
        "--keep",
        metavar="KINDS",
        help=f"keep only these kinds of blocks, of {', '.join(KEEPABLE)}; body: nothing but body "
        "text",
    ),
    click.option(
        "--also",
        metavar="KINDS",
        help=f"also keep these kinds, e.g. lead,caption; of --keep's kinds from {KIND_WORDS[0]} on",
    ),
    click.option(
        "--without", metavar="KINDS", help="drop these kinds everywhere, e.g. title,byline"
    ),
    selector_options,
)
"""The options that `with_cut` reads."""


CUTS = ("threshold", "precision", "keep", "convention", "also", "without", "within", "drop")
"""The parameters of `CUT_OPTIONS`."""


def with_cut(tagger: Tagger, options: Mapping[str, Any]) -> Tagger:
    """Return the tagger with the decision that the options ask for.

    Raises `CrfcleanError` for options that exclude each other, and for a tagger that decides
    nothing.
    """
    from crfclean.decision.rules import CutChoice
    from crfclean.systems.capabilities import Decides, need, with_choice

    choice = of_options(CutChoice, options)
    for name in choice.asked[:1]:
        need(tagger, Decides, f"--{_SPELLED.get(name, name)}")
    return with_choice(tagger, choice)


model_option = click.option(
    "--model",
    default="default",
    show_default=True,
    type=Reads(readable=False),
    metavar="MODEL",
    help="a shipped model by name, a folder such as ./my-model, or a file of settings by tune",
)
tagger_options = together(
    model_option,
    click.option(
        "--tagger",
        "kind",
        type=Entered("taggers", [*SHIPPED, *NAMED]),
        help="what labels the blocks. crf, mlp: with a trained model (default: crf); "
        f"{', '.join(_RULES)}: rules without a model; forum: posts of forums only",
    ),
    *CUT_OPTIONS,
)
"""The options that `open_tagger` reads."""


def of_options(params: type[_Params], options: Mapping[str, Any]) -> _Params:
    """Make a parameter dataclass from the options that are named like its fields."""
    names = [each.name for each in fields(params) if each.name in options]  # type: ignore[arg-type]
    return params(**{name: options[name] for name in names})


def explicit_options(context: click.Context) -> set[str]:
    """Return the names of the parameters that the command line or the settings file sets."""
    chosen = (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)
    return {name for name in context.params if context.get_parameter_source(name) in chosen}


def refuse_options(names: set[str], reason: str) -> None:
    """Raise `UsageError` if the command line has one of these parameters; `reason` says why."""
    context = click.get_current_context()
    typed = ParameterSource.COMMANDLINE
    wrong = [name for name in names if context.get_parameter_source(name) == typed]
    if wrong:
        options = {option.name: max(option.opts, key=len) for option in context.command.params}
        raise click.UsageError(f"{options[min(wrong)]} has no effect here: {reason}")


def open_tagger(options: Mapping[str, Any]) -> Tagger:
    """Open the tagger that the options name; raises `CrfcleanError`."""
    model, kind = options["model"], options["kind"]
    if kind in NAMED and kind != FORUM_TAGGER:
        refuse_options({"model"}, f"the tagger {kind} has no model")
    return with_cut(load(model, kind), options)


def read_bytes(name: Path | str) -> bytes:
    """Read a file, or standard input if its name is -; raises `CrfcleanError`."""
    with naming_path(name, "cannot be read"):
        return sys.stdin.buffer.read() if str(name) == "-" else Path(name).read_bytes()


def progress_bar(items: Iterable[Any] | None, total: int | None, unit: str) -> Any:
    """Return the items with a progress bar; without one in a pipe or with -q."""
    hidden = is_quiet() or not sys.stderr.isatty()
    if items is not None and hidden:
        return items
    from tqdm import tqdm

    return tqdm(items, total=total, unit=unit, disable=hidden, leave=False)


_HEAD_BYTES = 4096  # of a page of our own, which begins with its policy and its generator


def _html_file(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
    """Check the name of an HTML file to write; raises `BadParameter`."""
    if path is not None and path.suffix.lower() not in (".html", ".htm"):
        raise click.BadParameter(f"{path}: name a file that ends in .html, as in {path}.html")
    if path is not None and path.is_file() and not _is_own(path):  # `--html *.html`
        raise click.BadParameter(f"{path}: is a file that crfclean did not write: name another")
    return path


def _is_own(path: Path) -> bool:
    """Return whether a file is empty or a page of `shell.file_page`; raises `CrfcleanError`."""
    with naming_path(path, "cannot be read"), path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return not head or b'<meta name="generator" content="crfclean ' in head


def html_option(text: str) -> Callable[[Command], Command]:
    """Make the option `--html FILE`, with its help."""
    return click.option(
        "--html",
        metavar="FILE",
        type=Writes(path_type=Path, dir_okay=False),
        callback=_html_file,
        help=text,
    )


def output_option(default: str, metavar: str, text: str) -> Callable[[Command], Command]:
    """Make the option `--output` of a command that writes one file or folder."""
    path = Writes(path_type=Path)
    names = "-o", "--output"
    return click.option(
        *names, type=path, default=default, show_default=True, metavar=metavar, help=text
    )


workers_option = click.option(
    "-j",
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="number of processes",
)
"""The option of commands that use one process by default."""


_SPELLED = {
    "elements": "blocks",
    "base": "from",
    "convention": "as",
    "features": "add-features",
}
"""Name of a parameter -> the different name of its option."""


_PATHS = {"base": Reads(readable=False)}
"""Name of a parameter that is a path -> its type."""


def options_of(params: type[Any], without: tuple[str, ...] = ()) -> Callable[[Command], Command]:
    """Add an option for every field of a params dataclass, except those in `without`."""

    def decorate(command: Command) -> Command:
        declared = [each for each in fields(params) if each.metadata and each.name not in without]
        for each in reversed(declared):
            kind: Any = _PATHS.get(each.name, type(each.default))
            name = _SPELLED.get(each.name, each.name.replace("_", "-"))
            name = f"--{name}/--no-{name}" if kind is bool else f"--{name}"
            if choices := each.metadata["choices"]:
                kind = click.Choice(choices)
            default = ",".join(each.default) if kind is tuple else each.default
            if choices and not default:
                default = None  # a choice of nothing is no choice
            command = click.option(
                name,
                each.name,
                type={tuple: str, bool: None}.get(kind, kind),
                default=default,
                show_default=kind is not bool and (bool(default) or default == 0),
                help=each.metadata["help"] + (" (default)" if default is True else ""),
            )(command)
        return command

    return decorate


# the texts of pages, for the commands that write or score them

INCLUDABLE = ("levels", "left_out", "site_places", "parts", "front_matter")
"""Fields of `Show` that `clean --include` names."""
OTHER_SWITCHES = (*INCLUDABLE, "metadata", "blocks", "evidence", "passage_words")
"""Fields of `Show` that add something to the text."""
TEXT_SWITCHES = tuple(
    each.name for each in fields(Show) if each.metadata and each.name not in OTHER_SWITCHES
)
"""Fields of `Show` that change the text."""

text_options = together(
    tagger_options,
    click.option(
        "--min-score",
        type=Share(0, 1),
        metavar="F1",
        default=0.0,
        help="skip pages with a lower score (expected F1, 0..1)",
    ),
    click.option(
        "--comments",
        type=click.Choice(COMMENT_MODES),
        help="keep readers' comments in the text, write them separately, or drop them; default: "
        "keep on threads, drop on articles",
    ),
    options_of(Show, without=OTHER_SWITCHES),
)
"""The options of the tagger, of score and comments, and what texts include."""


@dataclass(frozen=True, slots=True)
class TextParams:
    """The parameters of texts, without those of the tagger."""

    min_score: float = 0.0
    comments: str = ""
    show: Show = field(default_factory=Show)

    @property
    def changes(self) -> dict[str, Any]:
        """The parameters that differ from their defaults, by name."""
        values = {"min_score": self.min_score, "comments": self.comments}
        shown = {name: getattr(self.show, name) for name in TEXT_SWITCHES}
        changed = {name: on for name, on in shown.items() if on != getattr(Show(), name)}
        return {name: value for name, value in values.items() if value} | changed


def text_params(options: Mapping[str, Any]) -> TextParams:
    """Return the parameters of texts that the options set."""
    return TextParams(options["min_score"], options["comments"] or "", of_options(Show, options))
