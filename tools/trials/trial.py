"""What every trial has: dice, a folder in which it notes what it tries, and an error for what does not hold."""

import random
from collections.abc import Callable
from pathlib import Path

INPUT = "input.txt"  # in the folder of the trials: what is tried now

Trial = Callable[[random.Random, Path], str]  # dice and folder -> what was tried


class BrokenError(Exception):
    """An invariant that does not hold."""


def noted(folder: Path, text: str) -> str:
    """What is tried, kept where it is found if it breaks something."""
    (folder / INPUT).write_text(text, encoding="utf-8", errors="surrogateescape")
    return text
