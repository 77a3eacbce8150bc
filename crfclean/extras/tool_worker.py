"""Answer questions about pages in a worker process, within limits of time and memory.

Pages are hostile: the process is a worker of `corpus.pool`, as those of `clean` and `serve`. One
that takes too long or too much ends, and the pages that it kept are forgotten; the next question
starts another.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import cast

from crfclean.corpus.pool import Pool
from crfclean.corpus.tasks import Lost, TaskLimits
from crfclean.extras.page_tools import Answer, PageTools, Question, ToolParams, tools
from crfclean.extras.tool_limits import ToolLimits
from crfclean.types import CrfcleanError


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a question has no answer."""

    message: str


class ToolWorker:
    """Answers a question at a time; started with the first."""

    def __init__(self, params: ToolParams, limits: TaskLimits = ToolLimits()) -> None:
        self._pages, self._pool, self._lock = PageTools(params), Pool(1, limits), Lock()

    def ask(self, question: Question) -> Answer:
        """The answer, from any thread; raises `CrfcleanError` for a question that has none."""
        with self._lock:
            answer = self._pool.run(answer_question, question, self._pages)
        if isinstance(answer, Lost | Refusal):
            raise CrfcleanError(answer.message)
        return cast("Answer", answer)

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._pool.stop()
        self._pool.close()


def answer_question(question: Question, pages: PageTools) -> Answer | Refusal:
    """The answer of a tool, in the worker process; an error is one, too, and keeps the pages."""
    try:
        answer: Answer = tools(pages)[question.tool](**question.arguments)
    except CrfcleanError as error:
        return Refusal(str(error))
    return answer
