# Copyright (c) 2026, NVIDIA CORPORATION.  All rights reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

import crfclean

from .base import HTMLExtractorAlgorithm


class CrfcleanExtractor(HTMLExtractorAlgorithm):
    def __init__(self, model: str = "default", as_: str = "auto"):
        """
        Initialize the crfclean text extraction algorithm with specified parameters.

        crfclean cuts a page into blocks, and a conditional random field labels each of them as text or boilerplate.
        It works for any language and needs no stop words; each worker loads the model with its first page.

        Args:
            model: Name or folder of a model.
            as_: What belongs to the text. With "auto" the model decides;
                "article", "body", "page", "thread" and "everything" are conventions.

        """
        self.model = model
        self.as_ = as_

    def extract_text(self, html: str, stop_words: frozenset[str], language: str) -> list[str] | None:  # noqa: ARG002
        text = crfclean.extract(html, model=self.model, as_=self.as_)
        return list(filter(None, text.split("\n"))) or None
