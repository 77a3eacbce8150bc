"""The help of commands: options in groups, the most needed options, and examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import click

from crfclean.cli.messages import message_options
from crfclean.cli.paths import CONFIG_PATH, check_files
from crfclean.cli.settings import config_option
from crfclean.types import CrfcleanError

OPTION_GROUPS: Mapping[str, str] = {
    "What to keep": "--as --keep --also --without --within --drop --comments --precision "
    "--threshold --min-score --page-type --min-words --require-content "
    "--by-site --deduplicate --deduplicate-limit",
    "Output": "--format --files --output "
    "--metadata --links --images --tables --formatting --headings --blocks --evidence "
    "--budget --passage-words --include --features --print --json --html --by "
    "--licence",
    "Model": "--model --tagger --from",
    "Input": "--input-list --fields --carry --texts",
    "Language and dates": "--language --fetched",
    "Run": "--workers --engine --part --resume --overwrite --retry-failed --failures",
    "Limits": "--max-seconds --max-memory --max-bytes --max-blocks --max-mb --waiting",
    "Comparison": "--system --measure --compare --agree --cv --group-by",
    "Training": "--held-out --blocks --add-features --iterations --networks --epochs",
    "Labelling": "--reader --no-guess --order",
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
    """Return the options of a command by heading, in the order of `OPTION_GROUPS`.

    Headings without options are left out. Raises `KeyError` for an option without a heading.
    """
    options = {option_name(option): option for option in _options(command)}
    groups: dict[str, list[click.Option]] = {}
    for heading, names in OPTION_GROUPS.items():
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
