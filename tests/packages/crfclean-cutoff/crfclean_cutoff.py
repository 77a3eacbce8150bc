"""A kind of model: keep the blocks with at least as many words as the model says."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crfclean.model.columns import matrix
from crfclean.model.encoder import Encoder
from crfclean.model.folder import Bundle, save_bundle
from crfclean.types import Blocks, Label, Tags

FEATURES = Encoder(("words",), edges=((),), common=(0,), windows=((0,),))


@dataclass(frozen=True)
class Cutoff:
    """The tagger of a model; `words` is its only weight."""

    words: int
    name: str = "cutoff"

    def tag(self, blocks: Blocks) -> Tags:
        """Label the blocks of a page."""
        (words,) = matrix(blocks, FEATURES.names).T
        labels = np.where(words >= self.words, Label.TEXT, Label.OTHER).astype(np.int32)
        return Tags(labels, np.eye(len(Label))[labels], score=0.5)


def from_bundle(folder: Path, bundle: Bundle) -> Cutoff:
    """Return the tagger of a model folder."""
    return Cutoff(int(bundle.weights))


def save(words: int, folder: Path) -> None:
    """Write a model folder."""
    save_bundle(Bundle("cutoff", FEATURES, str(words).encode()), folder)
