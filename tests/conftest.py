"""What tests share: the demo pages, one small model a session, and the command line."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from checkout import LIB, ROOT
from skips import checked_report
from threadpoolctl import threadpool_limits

from crfclean import CrfcleanError
from crfclean.model.folder import Bundle, find_model
from crfclean.systems.crf import CrfTagger
from crfclean.systems.load import load

TYPE_CHECKING = False
if TYPE_CHECKING:  # a room's tests run alone: the products are imported by the fixtures of models
    from crfclean.products.forum.model import ForumModel
    from crfclean.products.teach.gold import GoldPage
    from crfclean.products.teach.train import TrainParams

pytest.register_assert_rewrite("parttrees")
collect_ignore = ["lib"]
threadpool_limits(1, "blas")  # more would wait for each other, a test a core
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(LIB), os.environ.get("PYTHONPATH")]))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """See `skips`: a module that is skipped."""
    return (yield from checked_report())


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """See `skips`: a test that is skipped."""
    return (yield from checked_report())


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> str:
        """What it printed to standard error, beside where it wrote."""
        lines = self.err.splitlines(keepends=True)
        return "".join(line for line in lines if not line.startswith("Wrote "))


@pytest.fixture(scope="session")
def root() -> Path:
    """The directory of the project."""
    return ROOT


@pytest.fixture(scope="session")
def demo() -> Path:
    """The directory of the demo pages."""
    return ROOT / "data" / "demo"


@pytest.fixture(scope="session")
def demo_gold(demo: Path) -> list[GoldPage]:
    """The 24 annotated demo pages."""
    from crfclean.products.teach.gold import read_gold

    return list(read_gold(demo))


@pytest.fixture
def gold(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with six demo pages of three sites in `gold`."""
    monkeypatch.chdir(tmp_path)
    for site in ("moorland-gazette", "podhorsky-denik", "severnik"):
        (tmp_path / "gold" / site).mkdir(parents=True)
        for page in sorted((demo / site).glob("*.html"))[:2]:
            shutil.copy(page, tmp_path / "gold" / site)
            shutil.copy(page.with_suffix(".txt"), tmp_path / "gold" / site)
    return tmp_path / "gold"


def saved(bundle: Bundle, folder: Path) -> Path:
    """Save a model, and return its folder."""
    from crfclean.model.folder import save_bundle

    save_bundle(bundle, folder)
    return folder


@pytest.fixture(scope="session")
def fast() -> TrainParams:
    """Parameters of a training that ends soon, unsure enough for the rules to differ."""
    from crfclean.products.teach.train import TrainParams

    return TrainParams(l2=30.0, iterations=30)


@pytest.fixture(scope="session")
def bundle(demo_gold: list[GoldPage], fast: TrainParams) -> Bundle:
    """A small model, trained on every second demo page."""
    from crfclean.products.teach.train import train

    return train(demo_gold[::2], fast)


@pytest.fixture(scope="session")
def model(bundle: Bundle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small model; tests that change it work on a copy."""
    return saved(bundle, tmp_path_factory.mktemp("models") / "small")


@pytest.fixture(scope="session")
def networked(
    demo_gold: list[GoldPage], fast: TrainParams, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The folder of a small model whose CRF sees what two networks say."""
    from crfclean.products.teach.network_params import NetworkParams
    from crfclean.products.teach.train import train

    tiny = NetworkParams(first_units=8, second_units=6, epochs=6, learning_rate=0.02)
    trained = train(demo_gold[::3], replace(fast, networks=2), network=tiny)
    return saved(trained, tmp_path_factory.mktemp("models") / "networked")


@pytest.fixture(scope="session")
def based(
    demo_gold: list[GoldPage],
    fast: TrainParams,
    networked: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """The folder of a small model that has its networks from another one."""
    from crfclean.products.teach.train import train

    trained = train(demo_gold[1::3], replace(fast, base=str(networked)))
    return saved(trained, tmp_path_factory.mktemp("models") / "based")


@pytest.fixture(scope="session")
def perceptron(demo_gold: list[GoldPage], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small perceptron."""
    from crfclean.products.teach.network_params import RECIPES
    from crfclean.products.teach.train import CUT, Learner

    learner = Learner(cut=CUT, recipe=replace(RECIPES["tuned"], epochs=30))
    return saved(learner.train(demo_gold[::2]), tmp_path_factory.mktemp("models") / "perceptron")


@pytest.fixture
def model_copy(model: Path, tmp_path: Path) -> Path:
    """A copy of the small model's folder, to be damaged."""
    return Path(shutil.copytree(model, tmp_path / "copied-model"))


@pytest.fixture(scope="session")
def tagger(model: Path) -> CrfTagger:
    """The tagger of the small model."""
    opened = load(model)
    assert isinstance(opened, CrfTagger)
    return opened


@pytest.fixture(scope="session")
def default_model() -> Path:
    """The folder of the shipped model."""
    try:
        return find_model("default")
    except CrfcleanError as error:
        pytest.fail(f"the shipped model models/default is missing: {error}")


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Matrix products in two threads, as most users have more than one; other tests have one."""
    with threadpool_limits(2, "blas"):
        yield


@pytest.fixture
def low_recursion() -> Iterator[None]:
    """A limit of recursion that nothing over a page's depth gets along with."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(220)
    yield
    sys.setrecursionlimit(before)


@pytest.fixture
def crfclean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Run the command line in this process: arguments (and standard input) -> `Outcome`."""

    from crfclean.cli.main import main

    def run(*arguments: object, stdin: bytes = b"") -> Outcome:
        monkeypatch.setattr(sys, "argv", ["crfclean", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return Outcome(int(end.value.code or 0), printed.out, printed.err)

    return run


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A headless Chromium; the module skips its tests where there is none."""
    from browser import started

    browser = started(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()


@pytest.fixture
def crfclean_process() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Run `python -m crfclean` in a process of its own."""

    def run(
        *arguments: object, stdin: bytes = b"", **environment: str
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "crfclean", *map(str, arguments)],
            input=stdin,
            capture_output=True,
            check=False,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        )

    return run


@pytest.fixture(scope="session")
def forum_model() -> ForumModel:
    """The shipped model of forums."""
    from crfclean.products.forum.model import load_forum_model

    return load_forum_model()


@pytest.fixture(scope="session")
def forum_folder() -> Path:
    """The folder of that model."""
    return find_model("forum")
