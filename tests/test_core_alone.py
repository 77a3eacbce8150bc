"""The files of the core, alone in a folder: `clean`, `extract`, all writers, and the commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import crfclean
from crfclean import door

PACKAGE = Path(crfclean.__file__).parent
MODELS = ("default", "kinds", "pagetype")
ALONE = """
import sys
places = {each: getattr(each, "__module__", "") for each in sys.meta_path}
sys.meta_path[:] = [each for each, place in places.items() if "editable" not in place]
"""
"""What Python runs at its start: no finder of a checkout gives it the products."""

WRITE = """
import json, sys
from pathlib import Path
import crfclean
from crfclean import door
texts = {}
for path in sys.argv[1:]:
    data = Path(path).read_bytes()
    texts[path] = {name: crfclean.extract(data, format=name) for name in door.names("formats")}
    assert crfclean.clean(data).text == texts[path]["txt"]
assert not any(name.startswith("crfclean.products") for name in sys.modules)
print(json.dumps(texts))
"""


@pytest.fixture(scope="module")
def alone(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package, but for its products, and the models that a page needs."""
    folder = tmp_path_factory.mktemp("alone")
    ignore = shutil.ignore_patterns("products", "__pycache__")
    shutil.copytree(PACKAGE, folder / "crfclean", ignore=ignore)
    (folder / "sitecustomize.py").write_text(ALONE, "utf-8")
    for name in MODELS:
        shutil.copytree(root / "models" / name, folder / "models" / name)
    return folder


def run(alone: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(alone), "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        check=False,
        text=True,
        encoding="utf-8",
        env=environment,
        cwd=alone,
    )


def test_every_format_is_written_as_with_the_products(alone: Path, demo: Path) -> None:
    pages = sorted(demo.rglob("*.html"))[::4]
    done = run(alone, "-c", WRITE, *pages)
    assert done.stderr == ""
    texts = json.loads(done.stdout)
    for page in pages:
        data = page.read_bytes()
        ours = {name: crfclean.extract(data, format=name) for name in door.names("formats")}  # type: ignore[arg-type]
        assert texts[str(page)] == ours


def test_the_commands_of_the_core(alone: Path, demo: Path) -> None:
    page = demo / "severnik" / "hokej-derby-finale.html"
    cleaned = run(alone, "-m", "crfclean", "clean", page)
    assert cleaned.stdout == crfclean.write(crfclean.clean(page.read_bytes()), "txt")
    assert cleaned.stderr == "1 page: 1 cleaned, 0 without text, 0 failed\n"
    explained = run(alone, "-m", "crfclean", "explain", page)
    assert (explained.returncode, explained.stdout.count(" /html[1]/body[1]/") > 5) == (0, True)
    checked = run(alone, "-m", "crfclean", "doctor")
    assert "core             works" in checked.stdout
    assert "model default    works" in checked.stdout
    listed = run(alone, "-m", "crfclean", "--help").stdout
    assert "clean" in listed
    assert "train" not in listed


def test_a_directory_of_pages_becomes_a_directory_of_texts(
    alone: Path, demo: Path, tmp_path: Path
) -> None:
    done = run(alone, "-m", "crfclean", "clean", demo, tmp_path / "out", "--format", "md")
    pages = sorted(demo.rglob("*.html"))
    assert "files left out: no pages by name\n" in done.stderr
    assert f"\n{len(pages)} pages: {len(pages)} cleaned," in done.stderr
    for page in pages:
        text = (tmp_path / "out" / page.relative_to(demo)).with_suffix(".md").read_text("utf-8")
        assert text == crfclean.extract(page.read_bytes(), format="md")


def test_what_a_product_has_is_named_where_it_is_missing(alone: Path, demo: Path) -> None:
    done = run(alone, "-c", "import crfclean; crfclean.run_many")
    assert done.stderr.splitlines()[-1].startswith("ModuleNotFoundError: No module named 'crfclean")
    page = next(demo.rglob("*.html"))
    done = run(alone, "-m", "crfclean", "clean", page, "--tagger", "expert")
    assert (done.returncode, "'expert' is not 'crf'" in done.stderr) == (2, True)
    done = run(alone, "-m", "crfclean", "clean", demo)
    assert (done.returncode, "name an output directory" in done.stderr) == (2, True)


def test_no_text_replaces_another_and_no_pipe_blocks(alone: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text("<p>Rain in the north.")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.html")
    done = run(alone, "-m", "crfclean", "clean", folder, tmp_path / "out")
    assert (done.returncode, (tmp_path / "out" / "a.txt").is_file()) == (0, True)
    (folder / "a.htm").write_text("<p>Snow in the south.")
    done = run(alone, "-m", "crfclean", "clean", folder, tmp_path / "out")
    assert done.returncode == 2
    assert "would write the same" in done.stderr
