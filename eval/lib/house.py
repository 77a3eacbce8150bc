"""Measure the order of a checkout's code: rooms, imports, cycles, sizes and names.

Run `python -m eval.lib.house [ROOT] [--json]`.

A room is a package or a module at the top level of `crfclean`; an arrow leads from a room to
another one that it imports, anywhere in its code. Only the standard library is used, so that older
states can be measured, too.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PACKAGE = "crfclean"
MAX_LINES = 300
VAGUE = frozenset("found told one known mine given made wanted here more whole own ours".split())
Function = ast.FunctionDef | ast.AsyncFunctionDef
Graph = dict[str, set[str]]
"""Name -> the names that it imports."""


def sources(root: Path) -> dict[str, Path]:
    """Dotted name -> path of every module of the package."""
    return {module_name(path, root): path for path in sorted((root / PACKAGE).rglob("*.py"))}


def module_name(path: Path, root: Path) -> str:
    """The dotted name of a module.

    >>> module_name(Path("/x/crfclean/nn/__init__.py"), Path("/x"))
    'crfclean.nn'
    """
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(
    tree: ast.Module, name: str, *, is_package: bool, modules: Mapping[str, Any]
) -> set[str]:
    """The modules of the package that a module imports, also inside of functions."""
    targets: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = absolute(node, name, is_package=is_package)
            inner = {f"{base}.{alias.name}" for alias in node.names}
            submodules = inner & set(modules)
            targets |= submodules if len(submodules) == len(inner) else submodules | {base}
    return (targets & set(modules)) - {name}


def absolute(node: ast.ImportFrom, name: str, *, is_package: bool) -> str:
    """The module that a `from` statement reads, its leading dots resolved."""
    if not node.level:
        return node.module or ""
    parts = name.split(".") if is_package else name.split(".")[:-1]
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def room_of(module: str) -> str:
    """The room of a module; the package's own `__init__` is a room, too.

    >>> room_of("crfclean.forum.posts"), room_of("crfclean.types"), room_of("crfclean")
    ('forum', 'types', '__init__')
    """
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def of_rooms(graph: Graph) -> Graph:
    """The arrows between rooms."""
    rooms: Graph = {room_of(module): set() for module in graph}
    for module, targets in graph.items():
        rooms[room_of(module)] |= {room_of(target) for target in targets} - {room_of(module)}
    return rooms


def cycles(graph: Graph) -> list[list[str]]:
    """Strongly connected components of more than one member (Tarjan 1972), without recursion."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []
    for start in sorted(graph):
        path = [(start, iter(sorted(graph[start])))] if start not in order else []
        while path:
            node, targets = path[-1]
            if node not in order:
                order[node] = low[node] = len(order)
                stack.append(node)
            target = next((name for name in targets if name not in order), None)
            if target is not None:
                path.append((target, iter(sorted(graph[target]))))
                continue
            path.pop()
            low[node] = min([low[node], *(low[name] for name in graph[node] if name in stack)])
            if low[node] == order[node]:
                cut = stack.index(node)
                components.append(sorted(stack[cut:]))
                del stack[cut:]
    return [component for component in components if len(component) > 1]


def functions(tree: ast.Module) -> list[Function]:
    """All functions and methods of a module, inner ones included."""
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def length(function: Function) -> int:
    """Lines of a function from `def` to its end, docstring and comments included."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def has_vague_local(function: Function) -> bool:
    """Whether a function binds a name that says nothing of what it holds."""
    names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return bool(names & VAGUE)


def public_names(tree: ast.Module) -> set[str]:
    """Functions, classes and constants that a module defines at its top level, without `_`."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, Function | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def repeated_names(trees: Mapping[str, ast.Module]) -> dict[str, list[str]]:
    """Public name -> the modules that define it, of names with two or more."""
    modules: dict[str, list[str]] = defaultdict(list)
    for module, tree in trees.items():
        for name in public_names(tree):
            modules[name].append(module)
    return {name: places for name, places in sorted(modules.items()) if len(places) > 1}


def quantile(values: Sequence[int], share: float) -> int:
    """The value that this share of the values reaches at most; 0 of none."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else 0


def line_count(path: Path) -> int:
    """Lines of a file."""
    return len(path.read_text("utf-8").splitlines())


def lines_in(folder: Path) -> int:
    """Lines of all Python files of a folder."""
    return sum(line_count(path) for path in folder.rglob("*.py"))


def order_of(root: Path) -> dict[str, Any]:
    """The figures of rooms, imports and cycles."""
    paths = sources(root)
    graph = {
        name: imports(parsed(path), name, is_package=path.stem == "__init__", modules=paths)
        for name, path in paths.items()
    }
    rooms = of_rooms(graph)
    return {
        "rooms": len(rooms),
        "files at the top level": len(list((root / PACKAGE).glob("*.py"))),
        "arrows between rooms": sum(map(len, rooms.values())),
        "cycles between rooms": len(cycles(rooms)),
        "rooms in cycles": sum(map(len, cycles(rooms))),
        "arrows between modules": sum(map(len, graph.values())),
        "cycles between modules": len(cycles(graph)),
        "modules in cycles": sum(map(len, cycles(graph))),
    }


def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"), str(path))


def code_of(root: Path) -> dict[str, Any]:
    """The figures of modules, functions and names, of the package."""
    paths = sources(root)
    trees = {name: parsed(path) for name, path in paths.items()}
    lengths = [length(function) for tree in trees.values() for function in functions(tree)]
    repeated = repeated_names(trees)
    return {
        "modules": len(paths),
        f"modules over {MAX_LINES} lines": sum(
            line_count(path) > MAX_LINES for path in paths.values()
        ),
        "functions": len(lengths),
        "lines of a function, p50": quantile(lengths, 0.5),
        "lines of a function, p90": quantile(lengths, 0.9),
        "lines of a function, most": max(lengths, default=0),
        "public names in several modules": len(repeated),
        "share of functions with a vague local, crfclean": vague_share(root / PACKAGE),
        "share of functions with a vague local, eval": vague_share(root / "eval"),
    }


def vague_share(folder: Path) -> float:
    """Share of the functions of a folder that have a vague local (0..1)."""
    hits = Counter(
        has_vague_local(function)
        for path in folder.rglob("*.py")
        for function in functions(parsed(path))
    )
    return round(hits[True] / max(1, hits.total()), 4)


def sizes_of(root: Path) -> dict[str, int]:
    """Lines of code by folder, bytes of results."""
    lines = {f"lines in {name}": lines_in(root / name) for name in (PACKAGE, "eval", "tests")}
    results = (path for path in (root / "eval" / "results").rglob("*") if path.is_file())
    return lines | {"bytes of eval/results": sum(path.stat().st_size for path in results)}


def house(root: Path) -> dict[str, Any]:
    """All figures of a checkout."""
    return {**order_of(root), **code_of(root), **sizes_of(root)}


def details(root: Path) -> Iterator[str]:
    """The cycles and the repeated names themselves, a line each."""
    paths = sources(root)
    trees = {name: parsed(path) for name, path in paths.items()}
    graph = {
        name: imports(tree, name, is_package=paths[name].stem == "__init__", modules=paths)
        for name, tree in trees.items()
    }
    for label, arrows in (("rooms", of_rooms(graph)), ("modules", graph)):
        for component in cycles(arrows):
            yield f"cycle of {label}: {' '.join(component)}"
    for name, modules in repeated_names(trees).items():
        yield f"{name}: {' '.join(modules)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path(), help="of a checkout")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--details", action="store_true", help="also cycles and repeated names")
    args = parser.parse_args()
    figures = house(args.root.resolve())
    if args.json:
        print(json.dumps(figures, indent=1))
        return
    for name, value in figures.items():
        print(f"{name:50} {value:>10}")
    if args.details:
        print(*details(args.root.resolve()), sep="\n")


if __name__ == "__main__":
    main()
