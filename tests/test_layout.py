"""Tests of the shape of the package: rooms, imports, one library a file, the guide."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import TypeGuard

import pytest

import crfclean
from crfclean.cli.main import commands, load_command

ROOT = Path(crfclean.__file__).parent.parent
PACKAGE = ROOT / "crfclean"
GUIDE = (ROOT / "docs" / "architecture.md").read_text("utf-8")

ROOMS = """
    moved _version types door rules parallel io shell core lexicon page model decision
    systems pipeline metadata document citations cli
""".split()
"""The rooms of the core from the ground up: a room imports only those before it."""

PRODUCTS: dict[str, set[str]] = {
    "corpus": set(),
    "papers": {"corpus"},
    "forum": {"corpus"},
    "web": {"corpus", "papers"},
    "teach": {"corpus", "web"},
    "tools": {"corpus", "teach"},
    "adapters": {"corpus", "papers", "teach"},
}
"""Product -> the other products that it may import.

Commands on many pages run through `corpus`. `web` shows the steps of the perceptron, and serves the
page of labels; audits take the versions of `eval`, and the adapters train and read gold.
"""

FACADE = {"products.corpus.many": "run_many", "products.papers.coherent": "segments"}
"""The public names of products that `crfclean/__init__.py` gives by name, like all others."""

HOMES = {
    "click": {
        *(f"products.corpus.{name}" for name in ("filter_options", "run", "run_options")),
        "products.teach.evaluating",
        "products.teach.training",
    },
    "cssselect": {"page.selectors"},
    "lxml": {"page.libxml2", "page.sources", "page.walk", "products.teach.peers"},
    "pycrfsuite": {"products.teach.train"},
    "bs4": {"page.decode", "page.sources"},
    "prompt_toolkit": {"products.teach.terminal"},
    "threadpoolctl": {"products.teach.fit"},
    "tqdm": {"cli.messages", "cli.options"},
    "fastapi": {"products.teach.annotate_web", "products.web.app"},
    "pydantic": {"products.web.requests"},
    "starlette": {
        *(f"products.web.{name}" for name in ("app", "body_limits", "guard", "server")),
    },
    "anyio": {"products.web.body_limits", "products.web.service", "products.tools.mcp"},
    "uvicorn": {"products.web.server"},
    "urllib3": {"products.corpus.fetch"},
    "fastwarc": {"products.corpus.warc"},
    "pyarrow": {
        *(f"products.{name}" for name in ("corpus.parquet", "corpus.parquet_input", "adapters.ray"))
    },
    "rensa": {"products.corpus.duplicates"},
    "zstandard": {"products.corpus.unpacked"},
    "trafilatura": {"products.teach.peers"},
    "resiliparse": {"products.teach.peers"},
    "justext": {"products.teach.peers"},
    "readability": {"products.teach.peers"},
    "rapidfuzz": {
        *(
            "citations.cite",
            "page.align",
            "products.teach.metrics",
            "products.teach.word_runs",
        ),
    },
    "datatrove": {"products.adapters.datatrove"},
    "dolma": {"products.adapters.dolma"},
    "nemo_curator": {"products.adapters.nemo"},
    "mcp": {"products.tools.mcp"},
    "langchain_core": {"products.adapters.langchain"},
    "sklearn": {"products.adapters.sklearn"},
    "spacy": {"products.adapters.spacy"},
    "scrapy": {"products.adapters.scrapy"},
    "itemadapter": {"products.adapters.scrapy"},
    "ray": {"products.adapters.ray", "products.adapters.ray_jobs"},
    "regex": {
        "document.vert",  # the tokens of a vertical
        "citations.page_words",
        "page.align",
    },
}
"""Foreign library -> the modules that import it; numpy is everywhere, click where commands are."""


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if len(parts) > 1 and parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text("utf-8")) for name, path in PATHS.items()}
MODULES = sorted(set(PATHS) - {"__init__", "__main__"})


def imported(tree: ast.Module) -> Iterator[str]:
    """Full names of all modules that are imported, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            yield from (target(node.module or "", alias.name) for alias in node.names)


def target(module: str, name: str) -> str:
    """`from module import name` -> the module that it needs."""
    inner = f"{module}.{name}".removeprefix("crfclean.")
    return f"{module}.{name}" if inner in PATHS else module


def own_imports(name: str) -> set[str]:
    """The modules of crfclean that a module imports, without the way to them."""
    modules = imported(TREES[name])
    inner = {module.removeprefix("crfclean.") for module in modules if is_own(module)}
    return inner - {name}


def is_own(module: str) -> bool:
    return module == "crfclean" or module.startswith("crfclean.")


def room(name: str) -> str:
    return name.partition(".")[0]


def product(name: str) -> str:
    """The product of a module, "" for one of the core."""
    return name.split(".")[1] if name.startswith("products.") else ""


# the fence


CORE = [name for name in MODULES if room(name) != "products"]


def test_every_module_stands_in_a_room_or_a_product() -> None:
    assert sorted(ROOMS) == sorted({room(name) for name in CORE})
    others = {product(name) for name in MODULES if product(name)}
    assert sorted(PRODUCTS) == sorted(others)


def test_a_room_imports_those_before_it_and_no_product() -> None:
    for name in CORE:
        before = {"__init__", *ROOMS[: ROOMS.index(room(name)) + 1]}
        wrong = {module for module in own_imports(name) if room(module) not in before}
        wrong -= {"core.table"} if name == "types.page" else set()  # for type checkers alone
        assert not wrong, f"{name} imports from a room that stands after its own, or a product"


def test_the_door_alone_knows_where_products_are() -> None:
    """Names in texts count, too: a module that is imported by name is an arrow that no one sees."""
    named = {
        name for name in CORE if re.search(r"crfclean\.products\b", PATHS[name].read_text("utf-8"))
    }
    assert named == {"door", "moved"}
    facade = {module for module in own_imports("__init__") if product(module)}
    assert facade == set(FACADE)


def test_a_product_imports_the_core_and_what_is_written_down() -> None:
    borrowed: dict[str, set[str]] = {name: set() for name in PRODUCTS}
    for name in MODULES:
        if product(name):
            borrowed[product(name)] |= {product(module) for module in own_imports(name)}
    assert {name: others - {"", name} for name, others in borrowed.items()} == PRODUCTS


@pytest.mark.parametrize("name", [*ROOMS, *map("products.{}".format, PRODUCTS)])
def test_no_cycle_inside_a_room(name: str) -> None:
    inside = [module for module in MODULES if module == name or module.startswith(f"{name}.")]
    graph = {module: own_imports(module) & set(inside) for module in inside}
    assert list(TopologicalSorter(graph).static_order())


def test_foreign_libraries_stay_at_home() -> None:
    """Each library is imported by its own modules, and by no other."""
    users: dict[str, set[str]] = {}
    for name, tree in TREES.items():
        roots = {module.partition(".")[0] for module in imported(tree)}
        for library in roots - set(sys.stdlib_module_names) - {"crfclean", "numpy"}:
            if library != "click" or not (room(name) == "cli" or "command" in name):
                users.setdefault(library, set()).add(name)
    assert users == HOMES


def test_no_module_pickles_evaluates_or_reaches_the_network() -> None:
    for name, tree in TREES.items():
        modules = {module.partition(".")[0] for module in imported(tree)}
        network = set() if name == "products.corpus.fetch" else {"socket", "urllib3"}
        bad = {"pickle", "marshal", "shelve", "joblib", "subprocess"}
        assert not modules & (bad | network), name


# the guide


def test_the_guide_lists_the_rooms_in_their_order() -> None:
    listed = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", GUIDE, re.MULTILINE)
    assert listed == ROOMS
    assert re.findall(r"^\| `products/(\w+)/` \|", GUIDE, re.MULTILINE) == list(PRODUCTS)


def test_what_the_guide_points_at_is_there() -> None:
    places = re.findall(r"^\| .* \| `([\w/.]+)`: `([\w.]+)` \|$", GUIDE, re.MULTILINE)
    assert len(places) >= 20
    for path, name in places:
        text = (ROOT / path).read_text("utf-8")
        if path.endswith(".c"):
            assert re.search(rf"^\w.*\b{name}\(", text, re.MULTILINE), name
            continue
        if path.endswith(".pyx"):
            assert re.search(rf"^cdef class {name}:", text, re.MULTILINE), name
            continue
        tree: ast.AST = ast.parse(text)
        for part in name.split("."):
            tree = definition(tree, part)


_ALL = (*ROOMS, *PRODUCTS, "products")
_POINTER = re.compile(rf"([\w/]*\w\.pyx?)\b|`({'|'.join(_ALL)})\.(\w+)[.\w]*`")


def test_what_comments_point_at_is_there() -> None:
    """Files by the end of their path, such as `pool.py`; modules and names as `corpus.pool`."""
    sources = [path for path in PACKAGE.rglob("*") if path.suffix in {".py", ".pyx"}]
    sources += [path for path in (ROOT / "native").iterdir() if path.is_file()]
    folders = (PACKAGE, *(ROOT / name for name in ("tests", "eval", "packaging")))
    paths = [path.as_posix() for folder in folders for path in folder.rglob("*.py*")]
    for source in sources:
        for file, room, name in _POINTER.findall(explanation(source)):
            if file:
                is_there = any(path.endswith(f"/{file}") for path in paths)
                assert is_there or file == "lxml.py", (source, file)  # as a user may name a file
            else:
                modules = [*PACKAGE.rglob(f"{room}/{name}"), *PACKAGE.rglob(f"{room}/{name}.py*")]
                homes = [*PACKAGE.glob(f"{room}.py"), *PACKAGE.glob(f"{room}/__init__.py")]
                is_there = bool(modules) or any(name in home.read_text("utf-8") for home in homes)
                assert is_there, (source, room, name)


def explanation(source: Path) -> str:
    """The comments and docstrings of a Python module; the whole text of other files."""
    text = source.read_text("utf-8")
    if source.suffix != ".py":
        return text
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "\n".join(t.string for t in tokens if t.type in (tokenize.COMMENT, tokenize.STRING))


def definition(tree: ast.AST, name: str) -> ast.AST:
    """The statement of a body that defines a name."""
    body: list[ast.AST] = getattr(tree, "body", [])
    for node in body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        names = {getattr(node, "name", ""), *(getattr(target, "id", "") for target in targets)}
        if name in names:
            return node
    raise AssertionError(f"no {name} there")


# names


TWICE = {
    "main": "what `python -m crfclean` calls, and the command line itself",
    "clean_command": "the command `clean` of the core, and that of products, which also runs it",
    "find": "documented in docs/api.md: a quote in a page, and what the door has by a name",
    "from_bundle": "each kind of model has one, by which the door opens it",
    "TYPE_CHECKING": "stands for that of `typing`, which takes time to import",
}
"""Public names that several modules define, and why."""


def test_a_public_name_means_one_thing() -> None:
    homes: dict[str, set[str]] = {}
    for module, tree in TREES.items():
        for name in defined(tree):
            homes.setdefault(name, set()).add(module)
    several = {name: modules for name, modules in homes.items() if len(modules) > 1}
    assert several.keys() == TWICE.keys(), several


def defined(tree: ast.Module) -> Iterator[str]:
    """The public names that a module defines: functions, classes, constants, types."""
    for node in tree.body:
        named = [getattr(node, "name", "")]
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            inner = [each for place in targets for each in ast.walk(place)]
            named = [each.id for each in inner if is_stored(each)]
        yield from (name for name in named if name and not name.startswith("_"))


def is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


# the public surface


def test_public_names() -> None:
    assert len([name for name in crfclean.__all__ if not name.startswith("_")]) <= 13
    assert list(crfclean.__all__) == sorted(crfclean.__all__)
    assert all(hasattr(crfclean, name) for name in crfclean.__all__)


def test_documented_names_are_public() -> None:
    manual = (ROOT / "docs" / "api.md").read_text("utf-8")
    documented = set(re.findall(r":: (crfclean[\w.]*)\.(\w+)$", manual, re.MULTILINE))
    for module, name in re.findall(r"^from (crfclean[\w.]*) import (.+)$", manual, re.MULTILINE):
        documented |= {(module, each) for each in name.split(", ")}
    assert len(documented) > 50
    for module, name in documented:
        assert name in import_module(module).__all__, f"{module}.{name}"


def test_the_reference_names_all_once_and_members_that_are_there() -> None:
    manual = (ROOT / "docs" / "api.md").read_text("utf-8")
    places = re.findall(r"^\.\. auto\w+:: (\S+)(?:\n   :members: (.+))?", manual, re.MULTILINE)
    assert len({place for place, _ in places}) == len(places) > 50
    for place, members in places:
        described = resolve_name(place)
        for member in filter(None, members.split(", ")):
            fields = getattr(described, "__dataclass_fields__", ())
            assert hasattr(described, member) or member in fields, f"{place}.{member}"


@pytest.mark.parametrize("name", commands.commands)
def test_commands_are_explained(name: str) -> None:
    callback = load_command(name).callback
    assert callback is not None
    assert callback.__doc__
    assert re.search(rf"\bcrfclean {name}\b", (ROOT / "README.md").read_text("utf-8"))


# tests


@pytest.mark.parametrize("name", [name for name in ROOMS if (ROOT / "tests" / name).is_dir()])
def test_the_tests_of_a_room_name_no_product(name: str) -> None:
    """They run alone; `conftest.py` trains the small models that some of them need."""
    for path in (ROOT / "tests" / name).rglob("test_*.py"):
        assert "crfclean.products" not in path.read_text("utf-8"), path


def test_tests_stand_in_the_room_of_what_they_test() -> None:
    for path in (ROOT / "tests").glob("*/**/test_*.py"):
        assert (PACKAGE / path.parent.relative_to(ROOT / "tests")).is_dir(), path
