"""What all commands share: messages, options with files, help, settings, exit codes."""

from __future__ import annotations

import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

import click

from crfclean.types import CrfcleanError, OldParserWarning

if TYPE_CHECKING:
    from crfclean.products.corpus.plan import PathUse

# the types of options that name files

CONFIG_PATH = "crfclean.config"
"""Key of `Context.meta` for the `ConfigFile` that was read."""


class Reads(click.Path):
    """A file or directory that a command reads.

    Of a directory, all files are inputs, or with `pages` only pages, corpora and gold.
    """

    def __init__(self, *, pages: bool = False, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.pages = pages


class Writes(click.Path):
    """A file or directory that a command writes; `files` gives all files for the one named."""

    def __init__(
        self, files: Callable[[Path], Iterable[Path]] = lambda path: (path,), **keywords: Any
    ) -> None:
        super().__init__(**keywords)
        self.files = files


class Planned(click.Path):
    """An IN or OUT of a command on many pages; `batch.plan_paths` tells which it is."""


def check_files(context: click.Context) -> None:
    """Refuse a command that would overwrite what it reads; name what it cannot read of directories.

    Raises `CrfcleanError`. Commands on many pages do both when they plan their jobs.
    """
    if not any(isinstance(parameter.type, Planned) for parameter in context.command.params):
        from crfclean.products.corpus.listing import is_folder, unreadable
        from crfclean.products.corpus.plan import refuse_overwriting

        read, written = files_of(context)
        refuse_overwriting(read, written)
        for folder in filter(is_folder, (Path(use.path) for use in read)):
            for entry in sorted(unreadable(folder)):
                LOG.warning("left out: %s", entry)


def files_of(context: click.Context) -> tuple[list[PathUse], list[PathUse]]:
    """Return what the options and arguments of a command read, and what they write."""
    from crfclean.products.corpus.plan import INPUT, PathUse

    read, written = list[PathUse](), list[PathUse]()
    for parameter in context.command.params:
        is_option, kind = isinstance(parameter, click.Option), parameter.type
        name = max(parameter.opts, key=len) if is_option else INPUT
        for path in _values(context, parameter):
            if isinstance(kind, Reads):
                read.append(PathUse(str(path), name, kind.pages))
            elif isinstance(kind, Writes):
                written += [PathUse(str(file), name) for file in kind.files(Path(path))]
    return read, written


def _values(context: click.Context, parameter: click.Parameter) -> Iterator[Any]:
    """Yield the paths of a parameter; the file of settings may be the one that is found here."""
    value = context.params.get(parameter.name or "")
    if parameter.name == "config":
        file = context.meta.get(CONFIG_PATH)
        value = file and file.path
    yield from filter(None, value if isinstance(value, tuple) else (value,))


# messages of the command line by levels of `logging`

NOTICE = 25
"""Level of what a run reports at its end: above INFO, below WARNING."""

LOG = logging.getLogger("crfclean")
"""The logger of the commands; it writes messages to standard error without a prefix."""


class _Terminal(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        """Print a message above the progress bar, where there is one."""
        if sys.stderr.isatty():
            from tqdm import tqdm

            tqdm.write(record.getMessage(), file=sys.stderr)
        else:  # tqdm's lock would import multiprocessing
            click.echo(record.getMessage(), err=True)


def start_messages() -> None:
    """Begin to print messages from NOTICE on; standard streams that are closed lead nowhere."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from crfclean.io import open_descriptors

        for number in open_descriptors():
            name, mode = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))[number]
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
    LOG.propagate = False
    LOG.handlers = [_Terminal()]
    LOG.setLevel(NOTICE)
    warnings.showwarning = _show_warning


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning about the parser as a message, also with -q; any other one as Python does."""
    if issubclass(category, OldParserWarning):
        LOG.error("crfclean: warning: %s", message)
    else:
        stream = file or sys.stderr
        stream.write(warnings.formatwarning(message, category, filename, lineno, line))


def _set_level(_context: click.Context, option: click.Parameter, value: int) -> None:
    """Set the level of messages: -q only errors, -v also INFO, -vv also DEBUG."""
    if not value:
        return
    if LOG.level != NOTICE:
        raise click.UsageError("-v and -q exclude each other")
    verbose = logging.INFO if value == 1 else logging.DEBUG
    LOG.setLevel(logging.ERROR if option.name == "quiet" else verbose)


def message_options() -> list[click.Option]:
    """The options of every command that set which messages are printed."""
    common: Any = {"is_eager": True, "expose_value": False, "callback": _set_level}
    more, less = "print more messages; -vv prints most", "print only errors, and no progress bar"
    return [
        click.Option(["-v", "--verbose"], count=True, help=more, **common),
        click.Option(["-q", "--quiet"], is_flag=True, help=less, **common),
    ]


def is_quiet() -> bool:
    """Whether only errors are printed."""
    return not LOG.isEnabledFor(NOTICE)


def notice(message: str) -> None:
    """Print how a run ended, unless -q is set."""
    LOG.log(NOTICE, "%s", message)


def wrote(what: str, place: Path | str | None = None) -> None:
    """Say what was written, and where, with control characters escaped.

    A slash follows the name of a directory.
    """
    from crfclean.page.chars import escaped

    if place is None:
        notice(f"Wrote {escaped(what)}")
        return
    slash = "/" if Path(place).is_dir() and not str(place).endswith("/") else ""
    notice(f"Wrote {what} to {escaped(str(place))}{slash}")


# defaults of options from crfclean.toml

CONFIG_NAME = "crfclean.toml"
"""Name of the settings file in the current directory."""

NEVER_HERE = frozenset(
    ["overwrite", "write", "engine", "web", "host", "port", "allow-fetch", "token"]
)
"""Options that replace files, start programs or open the network. A file in the current directory
may have come with the pages, so it sets none of them, and none that names a file or directory.
"""
_MODELS = ("model", "models", "base")
"""Parameters that name models; a bare name is a shipped one."""


class ConfigFile(NamedTuple):
    """A file of settings: one that the user named, or the one in the current directory."""

    path: Path
    named: bool


Settings = Mapping[str, Mapping[str, Any]]
"""Name of a command -> defaults of its options, by their long names without leading dashes."""


def config_option() -> click.Option:
    """Make the option `--config`, which is read before all others."""
    return click.Option(
        ["--config"],
        metavar="FILE",
        type=Reads(dir_okay=False),
        envvar="CRFCLEAN_CONFIG",
        is_eager=True,
        expose_value=False,
        callback=_set_defaults,
        help=f"read the defaults of options from this file; default: {CONFIG_NAME} here",
    )


def _set_defaults(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    """Use the settings of a command as defaults of its options; raises `CrfcleanError`."""
    file = ConfigFile(Path(name or CONFIG_NAME), named=bool(name))
    if context.resilient_parsing or not (name or file.path.is_file()):
        return
    context.meta[CONFIG_PATH] = file
    command = context.command.name or ""
    if command != "doctor":  # it reports what is wrong with the file
        table = read_config(file.path, context).get(command, {})
        context.default_map = defaults(context, table, file)


def read_config(path: Path, context: click.Context) -> Settings:
    """Read the tables of a settings file, one for each command; raises `CrfcleanError`."""
    import tomllib

    from crfclean.io import read_file

    root = context.find_root().command
    names = root.commands if isinstance(root, click.Group) else {root.name}
    try:
        settings = tomllib.loads(read_file(path).decode("utf-8-sig"))
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # of TOML, or of UTF-8; `a = [[[[…`
        raise CrfcleanError(f"{path}: is not TOML: {error}") from error
    for name, table in settings.items():
        if name not in names:
            raise CrfcleanError(f"{path}: [{name}]: no such command")
        if not isinstance(table, dict):
            raise CrfcleanError(f"{path}: {name}: must be a table, as in [{name}]")
    return settings


def defaults(context: click.Context, table: Mapping[str, Any], file: ConfigFile) -> dict[str, Any]:
    """Return the defaults of parameters in a table; raises `CrfcleanError` for a wrong key."""
    place = f"{file.path}: [{context.command.name}]"
    options = {
        name.removeprefix("--"): option
        for option in context.command.params
        if isinstance(option, click.Option) and option.expose_value
        for name in option.opts
        if name.startswith("--")
    }
    values: dict[str, Any] = {}
    for key, value in table.items():
        option = options.get(key)
        if option is None or option.name is None:
            dashed = key.replace("_", "-")
            hint = f": write {dashed}" if dashed != key and dashed in options else ""
            raise CrfcleanError(f"{place} {key}: no such option{hint}")
        if not (file.named or may_be_set_here(option)):
            raise CrfcleanError(
                f"{place} {key}: cannot be set by a file in the current directory, which may have "
                f"come with the pages; write --{key}, or --config {file.path} to trust the file"
            )
        values[option.name] = _checked(context, option, value, f"{place} {key}")
    return values


def may_be_set_here(option: click.Option) -> bool:
    """Return whether a file in the current directory may set an option."""
    names_file = isinstance(option.type, click.Path) and option.name not in _MODELS
    return not names_file and NEVER_HERE.isdisjoint(name.lstrip("-") for name in option.opts)


def _checked(context: click.Context, option: click.Option, value: object, place: str) -> object:
    """Return the value as the option takes it, a list joined by commas; raises `CrfcleanError`."""
    if option.multiple and not isinstance(value, list):
        value = [value]
    if isinstance(value, list) and not option.multiple and option.nargs == 1:
        value = ",".join(map(str, value))
    if option.is_flag and not isinstance(value, bool):
        raise CrfcleanError(f"{place}: must be true or false")
    try:
        option.type_cast_value(context, value)
    except click.BadParameter as error:
        raise CrfcleanError(f"{place}: {error.message}") from error
    return value


# the help of commands: options in groups, the most needed options, and examples

GROUPS: Mapping[str, str] = {
    "What to keep": "--as --keep --also --without --within --drop --comments --precision "
    "--threshold --min-score --page-type --min-words --require-content "
    "--by-site --deduplicate --deduplicate-limit",
    "Output": "--format --output "
    "--metadata --links --images --tables --formatting --headings --places "
    "--budget --passage-words --include --features --json --html --by "
    "--licence",
    "Model": "--model --tagger --from",
    "Input": "--input-list --fields --texts",
    "Language and dates": "--language --fetched",
    "Run": "--workers --engine --part --resume --overwrite --retry-failed --failures",
    "Limits": "--max-seconds --max-memory --max-bytes --max-blocks --max-mb --waiting",
    "Comparison": "--system --compare --agree --cv --group-by",
    "Training": "--held-out --blocks --iterations --networks --epochs",
    "Labelling": "--no-guess --order",
    "Coherent texts": "--method",
    "Node energy": "--metric --law --dissipation --dictionary",
    "Link rules": "--large-chars --stray-share --frame-texts --summary-chars --structure-links",
    "Audit": "--sample --judgements --write --report",
    "Citations": "--each --url --min-similarity",
    "Threads": "--apart",
    "Server": "--pages --web --host --port --allow-fetch --token",
}
"""Heading -> its options in order."""

MAX_SHORT = 12  # with more options, -h shows only the most needed

Rows = list[tuple[str, str]]


def option_name(option: click.Option) -> str:
    """The name by which help lists an option: the long one."""
    return max(option.opts, key=len)


def grouped_options(command: click.Command) -> dict[str, list[click.Option]]:
    """Return the options of a command by heading, in the order of `GROUPS`.

    Headings without options are left out. Raises `KeyError` for an option without a heading.
    """
    options = {option_name(option): option for option in _options(command)}
    groups: dict[str, list[click.Option]] = {}
    for heading, names in GROUPS.items():
        if group := [options.pop(name) for name in names.split() if name in options]:
            groups[heading] = group
    if options:
        raise KeyError(f"{command.name}: no group in cli.help has {', '.join(options)}")
    return groups


def _options(command: click.Command) -> Iterator[click.Option]:
    for option in command.params:
        if isinstance(option, click.Option) and option.expose_value:
            yield option


def _rows(context: click.Context, options: Iterable[click.Option]) -> Rows:
    return [help_record(context, option) for option in options]


_RANGE = re.compile(r"(?:; |(?<=\[))[\d.]*(?:<=)?x(?:<=|>=)[\d.]+")


def help_record(context: click.Context, option: click.Option) -> tuple[str, str]:
    """The names of an option and its help, without the range of its numbers."""
    names, text = option.get_help_record(context) or ("", "")
    return names, _RANGE.sub("", text).replace("  []", "")


def write_examples(formatter: click.HelpFormatter, examples: Mapping[str, str]) -> None:
    """Write command lines, each with what it does."""
    if examples:
        with formatter.section("Examples"):
            for line, purpose in examples.items():
                formatter.write(f"  {purpose}:\n    {line}\n")


def _show_short_help(context: click.Context, _option: click.Parameter, value: bool) -> None:  # noqa: FBT001
    command = context.command
    if value and not context.resilient_parsing and isinstance(command, GroupedCommand):
        click.echo(command.short_help_text(context))
        context.exit()


class GroupedCommand(click.Command):
    """A command with two helps: `-h` shows its most needed options, `--help` all, in groups."""

    def __init__(
        self,
        *arguments: Any,
        examples: Mapping[str, str],
        first: str = "",
        **keywords: Any,
    ) -> None:
        """Take examples (command line -> what it does) and the names of the most needed options."""
        short = click.Option(
            ["-h"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_short_help,
            help="Show the most needed options.",
        )
        keywords["context_settings"] = {"help_option_names": ["--help"]}
        keywords["params"] = [
            *keywords.pop("params", ()),
            short,
            config_option(),
            *message_options(),
        ]
        super().__init__(*arguments, **keywords)
        self.examples = examples
        self.first = first.split()

    @property
    def is_long(self) -> bool:
        """Whether there are more options than the short help shows."""
        return len(list(_options(self))) > MAX_SHORT

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; first name the file of settings, also with -q.

        An error about a parameter names its option: `max_seconds must be ...` is raised as
        `--max-seconds must be ...`.
        """
        if file := ctx.meta.get(CONFIG_PATH):
            click.echo(f"Read settings from {file.path}", err=True)
        try:
            check_files(ctx)
            return super().invoke(ctx)
        except CrfcleanError as error:
            name, _, rest = str(error).partition(" must be ")
            option = {each.name: option_name(each) for each in _options(self)}.get(name)
            if option is None:
                raise
            raise click.UsageError(f"{option} must be {rest}") from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all options under their headings."""
        for heading, options in grouped_options(self).items():
            with formatter.section(heading):
                formatter.write_dl(_rows(ctx, options))
        with formatter.section("Help and messages"):
            rows = [("-h", "the most needed options"), ("--help", "all options")]
            rows = rows if self.is_long else [("-h, --help", "this page")]
            options = [option for option in self.params if isinstance(option, click.Option)]
            common = (each for each in options if not each.expose_value and each.name != "h")
            formatter.write_dl([*rows, *_rows(ctx, common)])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the examples."""
        write_examples(formatter, self.examples)

    def short_help_text(self, context: click.Context) -> str:
        """The first sentence, the most needed options and the examples; all help if it is short."""
        if not self.is_long:
            return self.get_help(context)
        formatter = context.make_formatter()
        self.format_usage(context, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(self.get_short_help_str(1_000))
        named = {option_name(option): option for option in _options(self)}
        with formatter.section("Most needed options"):
            formatter.write_dl(_rows(context, (named[name] for name in self.first)))
        write_examples(formatter, self.examples)
        formatter.write_paragraph()
        formatter.write(f"All {len(named)} options: {context.command_path} --help\n")
        return formatter.getvalue().rstrip("\n")


# the exit codes of all commands

EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE, EXIT_NOTHING = 0, 1, 2, 3
