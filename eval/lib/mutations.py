"""Small changes of meaning in a module's source, for `eval.lib.mutate`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from itertools import accumulate

Answer = ast.expr | None
COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutation:
    """A change of one expression: what stands at these bytes of the source, and what shall."""

    kind: str
    line: int
    start: int
    end: int
    before: str
    after: str

    @property
    def last_line(self) -> int:
        """The line that the expression ends in."""
        return self.line + self.before.count("\n")

    def applied(self, source: str) -> str:
        """The source with the change."""
        data = source.encode()
        return (data[: self.start] + self.after.encode() + data[self.end :]).decode()


def compared(node: ast.AST) -> Answer:
    """`<` for `<=`, `in` for `not in`, and so on."""
    if not isinstance(node, ast.Compare) or len(node.ops) > 1:
        return None
    return ast.Compare(node.left, [COMPARE[type(node.ops[0])]()], node.comparators)


def other_logic(node: ast.AST) -> Answer:
    """`and` for `or`."""
    if not isinstance(node, ast.BoolOp):
        return None
    return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def without_not(node: ast.AST) -> Answer:
    """A condition in place of its opposite."""
    if not isinstance(node, ast.UnaryOp) or not isinstance(node.op, ast.Not):
        return None
    return node.operand


def other_number(node: ast.AST) -> Answer:
    """One more; twice a fraction; `True` for `False`."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, int | float):
        return None
    if isinstance(node.value, bool):
        return ast.Constant(not node.value)
    return ast.Constant(node.value + 1 if isinstance(node.value, int) else node.value * 2 or 1.0)


def other_text(node: ast.AST) -> Answer:
    """A string, perhaps a regular expression, with a letter more."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return None
    return ast.Constant(node.value + "x")


def swapped(node: ast.AST) -> Answer:
    """The first two arguments in the other order."""
    if not isinstance(node, ast.Call) or len(node.args) < 2:
        return None
    first, second, *rest = node.args
    if isinstance(first, ast.Starred) or ast.dump(first) == ast.dump(second):
        return None
    call = copy(node)
    call.args = [second, first, *rest]
    return call


def other_operator(node: ast.AST) -> Answer:
    """`+` for `-`, `*` for `/`, `&` for `|`."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in OPERATORS:
        return None
    return ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)


def other_choice(node: ast.AST) -> Answer:
    """The two results of `x if a else b` the other way round."""
    if not isinstance(node, ast.IfExp):
        return None
    return ast.IfExp(node.test, node.orelse, node.body)


KINDS: dict[str, Callable[[ast.AST], Answer]] = {
    "comparison": compared,
    "logic": other_logic,
    "not": without_not,
    "number": other_number,
    "text": other_text,
    "arguments": swapped,
    "operator": other_operator,
    "choice": other_choice,
}


def mutations(source: str) -> Iterator[Mutation]:
    r"""All changes of a module's functions, methods and tables, in the order of its lines.

    Left alone are annotations, docstrings, decorators, what is raised, and what is in an f-string.

    >>> [one.after for one in mutations("def f(a, b):\n    return a < b and a + 1")]
    ['(a < b or a + 1)', '(a <= b)', '(a - 1)', '(2)']
    """
    starts = [0, *accumulate(len(line) + 1 for line in source.encode().split(b"\n"))]
    for node, dropped in meant(ast.parse(source)):
        kinds = {"branch": dropped_branch} if dropped else KINDS
        for kind, change in kinds.items():
            answer = change(node)
            if answer is not None and isinstance(node, ast.expr):
                yield _mutation(kind, node, answer, source, starts)


def dropped_branch(node: ast.AST) -> Answer:
    """A condition under which nothing happens any more."""
    return ast.Constant(value=False) if isinstance(node, ast.expr) else None


def meant(node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """The nodes that are changed; once more, with True, the condition of a branch that returns."""
    if isinstance(node, ast.If) and any(isinstance(inner, ast.Return) for inner in node.body):
        yield node.test, True
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not is_left_alone(child):
                yield child, False
                yield from meant(child)


def is_left_alone(node: ast.AST) -> bool:
    """Whether a change in here would not be one of meaning, or could not be placed."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom)


def _mutation(
    kind: str, node: ast.expr, answer: ast.expr, source: str, starts: list[int]
) -> Mutation:
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
    before = source.encode()[start:end].decode()
    return Mutation(kind, node.lineno, start, end, before, f"({ast.unparse(answer)})")
