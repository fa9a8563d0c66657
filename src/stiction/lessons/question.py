"""Questions with immediate feedback: every wrong answer is answered with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stiction.errors import StictionError
from stiction.extras import needed


@dataclass(frozen=True)
class Question:
    """A question with several answers, one of them right.

    Attributes:
        text: the question, in Markdown.
        right: the right answer.
        answers: all answers, in the order in which they are shown, each with what is said to it: why it is wrong, or
            why it is right.

    Example:
        >>> from stiction.lessons.question import Question
        >>> sum_of_two = Question("What is 1 + 1?", "2", {"2": "One and one more.", "3": "That is 1 + 2."})
        >>> sum_of_two.judge("3")
        (False, 'That is 1 + 2.')
    """

    text: str
    right: str
    answers: Mapping[str, str]

    def __post_init__(self) -> None:
        if self.right not in self.answers or len(self.answers) < 2:
            raise StictionError(f"the question '{self.text}' needs two answers or more, the right one among them")
        if any(not reason.strip() for reason in self.answers.values()):
            raise StictionError(f"the question '{self.text}' has an answer without a reason")

    def judge(self, answer: str) -> tuple[bool, str]:
        """Whether an answer is right, and why."""
        return answer == self.right, self.answers[answer]

    def ask(self) -> Any:
        """The question as an element of a notebook; its value is the answer."""
        mo = needed("marimo", "lessons")
        return mo.ui.radio(options=list(self.answers), label=f"**Question.** {self.text}")

    def reply(self, answer: str | None) -> Any:
        """What a notebook shows below the question."""
        mo = needed("marimo", "lessons")
        if answer is None:
            return mo.callout(mo.md("Choose an answer."), kind="neutral")
        right, reason = self.judge(answer)
        return mo.callout(mo.md(f"{'Right.' if right else 'No.'} {reason}"), kind="success" if right else "warn")
