"""Tests of `eval/lib/mutate.py` and `eval/lib/mutations.py`: which changes, what notices them."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.lib import mutate
from eval.lib.mutations import Mutation, mutations
from eval.lib.reach import Reach

ROOT = Path(__file__).parent.parent


def changes(source: str) -> dict[str, list[str]]:
    """Kind -> what the expressions become."""
    kinds: dict[str, list[str]] = {}
    for mutation in mutations(source):
        kinds.setdefault(mutation.kind, []).append(mutation.after)
    return kinds


@pytest.mark.parametrize(
    ("source", "kind", "after"),
    [
        ("x = a < b", "comparison", ["(a <= b)"]),
        ("x = a not in b", "comparison", ["(a in b)"]),
        ("x = a is None", "comparison", ["(a is not None)"]),
        ("x = a and b or c", "logic", ["((a and b) and c)", "(a or b)"]),
        ("x = not a", "not", ["(a)"]),
        ("x = 3", "number", ["(4)"]),
        ("x = 0.5", "number", ["(1.0)"]),
        ("x = 0.0", "number", ["(1.0)"]),
        ("x = True", "number", ["(False)"]),
        ("x = 'é'", "text", ["('éx')"]),
        ("f(a, b, c)", "arguments", ["(f(b, a, c))"]),
        ("x = a - b", "operator", ["(a + b)"]),
        ("x = a | b", "operator", ["(a & b)"]),
        ("x = a if b else c", "choice", ["(c if b else a)"]),
        ("def f(a):\n    if a:\n        return b", "branch", ["(False)"]),
    ],
)
def test_kinds_of_changes(source: str, kind: str, after: list[str]) -> None:
    assert changes(source)[kind] == after


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring."""',
        'def f():\n    """A docstring."""',
        "def f(a: 'text') -> 'text': ...",
        "@cache(1)\ndef f(): ...",
        "raise ValueError('text', 1 < a)",
        "x = f'{a + 1}'",
        "from a import b",
        "f(a, a)",
        "f(*a, b)",
        "x = a < b < c",
        "x = a @ b",
        "if a:\n    b()",
    ],
)
def test_what_is_left_alone(source: str) -> None:
    assert changes(source) == {}


def test_a_change_is_made_at_its_place_alone() -> None:
    source = "é = 'é'; x = (1 +\n    1)  # 1\ny = 1\n"
    third = [mutation for mutation in mutations(source) if mutation.kind == "number"][1]
    assert third.line == 2
    assert third.applied(source) == "é = 'é'; x = (1 +\n    (2))  # 1\ny = 1\n"


# a small checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A package of one room with tests that notice one of two changes."""
    files = {
        "crfclean/__init__.py": "",
        "crfclean/a/__init__.py": "",
        "crfclean/a/b.py": "def f(n):\n    return n + 1\n\n\ndef g(n):\n    return n > 1\n",
        "tests/a/test_b.py": "from crfclean.a.b import f\n\ndef test_f():\n    assert f(1) == 2\n",
        "tests/a/test_c.py": "def test_c():\n    pass\n",
        "tests/test_pipeline.py": "def test_d():\n    pass\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --import-mode=importlib\npythonpath = .\n", "utf-8"
    )
    return tmp_path


def change(before: str, after: str, root: Path) -> mutate.Change:
    """A change of the one module."""
    start = (root / "crfclean/a/b.py").read_text("utf-8").index(before)
    mutation = Mutation("x", 1, start, start + len(before), before, after)
    return mutate.Change("crfclean/a/b.py", mutation)


@pytest.fixture
def reach(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Reach:
    """What the tests of the small checkout reach."""
    return Reach(checkout, tmp_path_factory.mktemp("reach"))


def test_files_that_name_the_module_run_whole_others_if_they_reach_a_line(
    checkout: Path, reach: Reach
) -> None:
    text = (
        "import crfclean.a\n\n\ndef test_c():\n    crfclean.a.b.g(2)\n\n\ndef test_d():\n    pass\n"
    )
    (checkout / "tests/a/test_c.py").write_text(text, "utf-8")
    assert reach.tests("crfclean/a/b.py", 2, 2) == ["tests/a/test_b.py"]
    assert reach.tests("crfclean/a/b.py", 5, 6) == [
        "tests/a/test_b.py",
        "tests/a/test_c.py::test_c",
    ]
    assert reach.seconds("crfclean/a/b.py") > 0
    assert reach.tests("crfclean/a/z.py", 1, 1) == [
        "tests/a/test_b.py",
        "tests/a/test_c.py",
        "tests/test_pipeline.py",
    ]


def test_a_change_is_noticed_or_not(checkout: Path, reach: Reach) -> None:
    source = (checkout / "crfclean/a/b.py").read_text("utf-8")
    for before, after, expected in (
        ("n + 1", "n - 1", "failed"),
        ("n > 1", "n >= 1", "passed"),
        ("n > 1", "n >", "failed"),
    ):
        assert mutate.outcome(checkout, change(before, after, checkout), reach) == expected
        assert (checkout / "crfclean/a/b.py").read_text("utf-8") == source


def test_a_run_goes_on_from_its_state(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutate, "ROOT", checkout)
    monkeypatch.setattr(mutate, "COPIED", "crfclean tests pytest.ini")
    state = tmp_path_factory.mktemp("state") / "state.jsonl"
    changes = [change("n + 1", "n - 1", checkout), change("n > 1", "n >= 1", checkout)]
    first = list(mutate.run(changes[:1], state, jobs=1))
    assert first == ["failed  crfclean/a/b.py:1 x n + 1 -> n - 1"]
    assert list(mutate.run(changes, state, jobs=2)) == [
        "passed  crfclean/a/b.py:1 x n > 1 -> n >= 1"
    ]
    assert list(mutate.run(changes, state, jobs=2)) == []
    assert len(mutate.read_state(state)) == 2


def test_the_summary_has_survivors_with_their_answers() -> None:
    tried = {
        "crfclean/nn/a.py:1 x b": {"outcome": "failed", "after": ""},
        "crfclean/nn/a.py:2 x b": {"outcome": "passed", "after": "c"},
        "crfclean/page/a.py:2 x b": {"outcome": "timeout", "after": ""},
        "crfclean/page/a.py:3 x b": {"outcome": "passed", "after": "d"},
    }
    assert mutate.summary(tried, {"crfclean/nn/a.py:2 x b": "speed alone"}) == {
        "changes": 4,
        "noticed": 2,
        "share": 0.5,
        "rooms": {"nn": "1/2", "page": "1/2"},
        "survivors": {
            "crfclean/nn/a.py:2 x b": {"after": "c", "answer": "speed alone"},
            "crfclean/page/a.py:3 x b": {"after": "d", "answer": ""},
        },
    }
    assert mutate.summary({}, {})["share"] == 1.0
