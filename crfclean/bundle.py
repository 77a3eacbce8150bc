"""Model folders <-> `Bundle`: a manifest and the weights, checked before anybody opens them.

A folder holds `manifest.json` and the weights in their engine's own format. CRFsuite crashes on
files cut short and says nothing of attributes it never saw, so the manifest carries the
weights' length and SHA-256, and a fingerprint of every feature.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from crfclean._version import __version__
from crfclean.blocks import split
from crfclean.encode import Encoder
from crfclean.evidence import check_names, join
from crfclean.features import FEATURES, matrix
from crfclean.features.texttractor import TEXTTRACTOR
from crfclean.firstpass import PLACES, frame
from crfclean.measures import Measures
from crfclean.nn.files import labels_from_bytes, labels_to_bytes
from crfclean.nn.mlp import Network
from crfclean.types import Floats, Label, ModelError, Page

FORMAT = 2
MANIFEST = "manifest.json"
NETWORK = "network.npz"
_PLACES = (Path(__file__).parent / "models", Path(__file__).parent.parent / "models")
"""Where shipped models lie: inside the installed package, or beside it in a checkout."""

PROBE = """<!DOCTYPE html><html><head><title>Ice on the upper lake - The Probe</title> <meta
name="description" content="The ferry stays in its harbour, since ice covers the upper lake.">
<meta property="og:type" content="article"><script type="application/ld+json">
{"@type": "NewsArticle", "headline": "Ice on the upper lake",
"articleBody": "On Monday morning the ferry stayed in its harbour, since ice covers it."}
</script></head><body class="article post"><form>Search: <b>now</b><input name="q">
<button>Go!</button></form><header class="masthead"><nav class="menu"><ul><li><a
href="/a">Home</a></li><li> <a href="/b">News 24</a></li></ul></nav></header><ol
class="breadcrumbs" itemprop="breadcrumb"><li><a href="/">Home</a></li><li> <a
href="/tag/lake">Lake</a></li></ol><div><h1>A heading, of sorts</h1>12. 3. 2024, 10:45 <hr> <p>It
was <i>late</i>. "Who is it?" she asked <a href="/c">them</a>.</p><p>&bull; 3,5 % of 1000 m2 \u2013
see www.example.org</p><br><br>loose text<br><br>more: <img src="i.png"></div><div>
<h2><span>Next</span><div>part</div></h2>
<ol><li><p>one</p></li></ol><table><tr><td>2024-03-12</td> <td><p>On <u>12 March 2024</u> we
met</p></td><td>5</td></tr></table><blockquote>Quoted.</blockquote></div>
<main class="main"><article class="story hentry"><section class="content"><div
class="headline"><h1>Ice on the upper lake</h1></div><p class="lead" itemprop="description">The
ferry stays in its harbour, since ice covers the upper lake.</p> <p class="byline"
itemprop="author">By Anna Probe</p><p class="date"><time>12 March 2024</time></p> <div
class="articlebody" itemprop="articleBody"><div class="prose"> <p>On Monday morning the ferry
stayed in its harbour for the first time since 1987, because ice covers the whole upper lake.
Nobody on the shore, the harbour master says, remembers such a frost so late in the year.</p>
<p>The mail comes by sledge, as it did when the oldest houses of the village were built; children
walk to school over the bay, in single file, behind their teacher \u2026</p></div> <figure
class="media"><img src="ice.jpg"><figcaption class="caption">Ice. Photo: B.
Probe</figcaption></figure> <pre class="code"><code>ice = 40 * cm</code></pre><h4>Comments on
this</h4> <p>Will it last? "Until April," says the miller, who has measured the ice every winter
since he was a boy, and who has never yet been wrong by more than a week.</p> <div
class="ad">Advertisement</div></div></section> <div class="tags">Tags: <a
href="/tag/ice">ice</a></div></article> <div class="share tool">Share this: <a
href="https://example.org/share?u=1">Post</a></div></main> <section class="comments"
id="comments"><h3>Comments (2)</h3> <div class="comment user" itemprop="comment"><b
class="author">Karl</b><p>We crossed it on foot in 1963, my father and I, with two cows and a
sewing machine, and nobody thought it strange.</p><a href="#reply">Reply</a></div> <div
class="comment user"><b class="author">Olga</b><p>Lovely!</p><a href="#reply">Reply</a></div> <div
class="comment user"><b class="author">Jan</b><p>[deleted]</p><a
href="#reply">Reply</a></div></section> <aside class="sidebar"><h3>Related articles</h3><div
class="related"><div class="card list"><a href="/1"> <p>Snow on the pass</p></a><i>1 h
ago</i></div><div class="card list"><a href="/2"><p>Who owns the pier?</p></a><i>2 h
ago</i></div><div class="card list"><a href="/3"><p>Fish and chips</p></a><i>3 h
ago</i></div></div><h3>Newsletter</h3><p class="form">Sign up <a
href="/login?next=1">here</a></p></aside> <div class="product" itemprop="offers">Skates <span
class="price">49.90 EUR</span></div> <div class="pagination"><a
href="javascript:go(2)">next</a></div><details class="faq"><summary>Is it safe?</summary>It is.
</details><div class="overlay" role="dialog">We use cookies.</div><p class="hero">Our
services</p><p class="event">Opening hours: 9-17</p><p class="quote">Well done!</p><p
class="meta">1,204 views</p><p class="hidden">Skip to content</p> <h3>Share</h3><p>Follow
us</p><h3>Tags</h3><p>ice</p><div><p>\u4e2d\u6587\u3002\u518d\u89c1\uff01</p> <p>ABC Def</p><p>ABC
Def</p></div><footer class="footer"><p>\u00a9 2024 Probe. All rights reserved.</p><a
href="/legal">Privacy policy</a></footer></body></html>"""

_MARKS = "<p>Maps | <img src='m.png'> &lt;North&gt; | ICE AND SNOW</p>"  # for the perceptron's


@dataclass(frozen=True)
class Bundle:
    """All that a model folder says.

    `network` is that of the first pass, if there is one; `parameters` are those of training, `cut`
    the tagger's own; `sets` name the training data with pages and licence; `scores` are those on
    held-out sites.
    """

    kind: str
    encoder: Encoder
    weights: bytes
    network: Network | None = None
    elements: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    cut: Mapping[str, Any] = field(default_factory=dict)
    sets: Sequence[Mapping[str, Any]] = ()
    scores: Mapping[str, Any] = field(default_factory=dict)


def fingerprints(names: Sequence[str]) -> dict[str, str]:
    """Feature -> digest of its values on a built-in page: it changes when the feature does.

    Raises `ModelError` for a feature that this version does not have.
    """
    check_names(names)
    page, marked = (Measures(split(Page(html))) for html in (PROBE, PROBE + _MARKS))
    steps = np.arange(len(page)) * 5 % 7 / 7.0  # what a first pass might say of the probe
    given = np.column_stack([steps / 4, steps / 2, 1 - steps * 3 / 4])
    ours = [name for name in names if name not in TEXTTRACTOR]
    known = [name for name in ours if name in FEATURES]
    told = join(matrix(page, known), known, frame(page), ours, given)
    columns = dict(zip(ours, told.T, strict=True))
    others = [name for name in names if name in TEXTTRACTOR]
    columns |= dict(zip(others, matrix(marked, others).T, strict=True))
    return {name: _digest(columns[name]) for name in names}


def _digest(column: Floats) -> str:
    """Twelve hex digits for a column's values."""
    line = " ".join(f"{value:.6f}" for value in column)
    return hashlib.sha256(line.encode()).hexdigest()[:12]


def save(bundle: Bundle, folder: Path) -> None:
    """Write a model folder; equal bundles give equal bytes. Raises `ModelError`."""
    files = {f"weights.{bundle.kind}": bundle.weights}
    if bundle.network is not None:
        files[NETWORK] = labels_to_bytes(bundle.network)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_atomically(folder / name, data)
        manifest = json.dumps(_manifest(bundle, files), indent=1, ensure_ascii=False)
        write_atomically(folder / MANIFEST, (manifest + "\n").encode())
        if bundle.network is None:
            (folder / NETWORK).unlink(missing_ok=True)  # of the model that was here
    except OSError as error:
        raise ModelError(f"{folder}: cannot write the model: {error.strerror}") from error


def _manifest(bundle: Bundle, files: Mapping[str, bytes]) -> dict[str, Any]:
    first = () if bundle.network is None else bundle.network.names
    return {
        "format": FORMAT,
        "kind": bundle.kind,
        "version": __version__,
        "labels": list(Label.__members__),
        "elements": list(bundle.elements),
        "cut": dict(bundle.cut),
        "parameters": dict(bundle.parameters),
        "sets": [dict(one) for one in bundle.sets],
        "scores": dict(bundle.scores),
        "files": [_told(name, data) for name, data in files.items()],
        "features": fingerprints(_joined(bundle.encoder.names, first)),
        "network": list(first),
        "encoder": asdict(bundle.encoder),
    }


def _told(name: str, data: bytes) -> dict[str, Any]:
    return {"file": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def load(folder: Path) -> Bundle:
    """Read and check a model folder; raises `ModelError` naming what is wrong."""
    manifest = _read_manifest(folder)
    try:
        if manifest["format"] != FORMAT:
            raise ModelError(f"{folder}: model format {manifest['format']}, expected {FORMAT}")
        if manifest["labels"] != list(Label.__members__):
            raise ModelError(f"{folder}: labels {manifest['labels']} are not ours")
        files = [_read_weights(folder, told) for told in manifest["files"]]
        _check_features(folder, manifest["features"])
        first, encoder = tuple(manifest["network"]), _encoder(manifest["encoder"])
        _check_names(encoder.names, first, tuple(manifest["features"]))
        return Bundle(
            kind=str(manifest["kind"]),
            encoder=encoder,
            weights=files[0],
            network=_network(folder, files[1], first) if first else None,
            elements=tuple(manifest["elements"]),
            parameters=manifest["parameters"],
            cut=manifest["cut"],
            sets=manifest["sets"],
            scores=manifest["scores"],
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ModelError(f"{folder / MANIFEST}: malformed manifest: {error!r}") from error


def _read_manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    except OSError as error:
        raise ModelError(f"{folder / MANIFEST}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{folder / MANIFEST}: no JSON: {error}") from error
    if not isinstance(manifest, dict):
        raise ModelError(f"{folder / MANIFEST}: no JSON object")
    return manifest


def _read_weights(folder: Path, told: Mapping[str, Any]) -> bytes:
    path = folder / Path(told["file"]).name
    try:
        weights = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from error
    if len(weights) != told["bytes"]:
        raise ModelError(f"{path}: {len(weights)} bytes, the manifest says {told['bytes']}")
    if hashlib.sha256(weights).hexdigest() != told["sha256"]:
        raise ModelError(f"{path}: SHA-256 differs from the manifest's: the file was changed")
    return weights


def _check_features(folder: Path, told: Mapping[str, str]) -> None:
    try:
        ours = fingerprints(tuple(told))
    except ModelError as error:
        raise ModelError(f"{folder}: {error}") from error
    changed = [name for name, digest in told.items() if ours[name] != digest]
    if changed:
        names = ", ".join(changed[:5])
        raise ModelError(f"{folder}: made for other features ({names} changed): train it again")


def _network(folder: Path, data: bytes, names: tuple[str, ...]) -> Network:
    try:
        return labels_from_bytes(data, names)
    except ModelError as error:
        raise ModelError(f"{folder}: {error}") from error


def _check_names(names: Sequence[str], first: Sequence[str], told: Sequence[str]) -> None:
    """Raise `ValueError` where the columns of encoder and network are not those `told`."""
    if _joined(names, first) != tuple(told):
        raise ValueError("encoder and network are not of the features")
    if not FEATURES.keys() >= set(first) or not (first or PLACES.keys().isdisjoint(names)):
        raise ValueError("a first pass without its network, or a network over a first pass")


def _joined(names: Sequence[str], first: Sequence[str]) -> tuple[str, ...]:
    """Names of the encoder's columns, then of the network's others."""
    return tuple(dict.fromkeys([*names, *first]))


def _encoder(parts: Mapping[str, Any]) -> Encoder:
    """Raises `ValueError` where a part has another length."""
    encoder = Encoder(
        names=tuple(parts["names"]),
        edges=tuple(tuple(float(edge) for edge in edges) for edges in parts["edges"]),
        common=tuple(int(place) for place in parts["common"]),
        windows=tuple(tuple(int(step) for step in window) for window in parts["windows"]),
    )
    sizes = {len(encoder.edges), len(encoder.common), len(encoder.windows)}
    if sizes != {len(encoder.names)}:
        raise ValueError("the encoder's parts differ in length")
    return encoder


def digest(*parts: bytes | str) -> str:
    """16 hexadecimal digits that tell what is made of such parts from what is not.

    >>> digest("a", b"b") == digest("ab"), digest("a") == digest("b")
    (False, False)
    """
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "replace") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8, "big") + data)
    return found.hexdigest()[:16]


def find_model(name: str | Path) -> Path:
    """A model's folder: a path, or the name of a shipped model. Raises `ModelError`."""
    path = Path(name)
    if (path / MANIFEST).is_file():
        return path
    for place in _PLACES:
        if path.name == str(name) and (place / path / MANIFEST).is_file():
            return place / path
    raise ModelError(f"{name}: no model folder, and no shipped model of this name")


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file under a temporary name beside it, then rename; raises `OSError`."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:30]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
