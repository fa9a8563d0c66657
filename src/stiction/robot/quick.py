"""The plain call of a computation on one robot, straight to the kernel: most of its time would else be words.

A call with nothing but arrays of the right shape and type, one robot's each, finds its program and its parameters laid
out already; any other call takes the long way, which checks and explains.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from stiction.robot.robot import Robot
    from stiction.trace.launch import Desk
    from stiction.trace.program import Program


class Ready:
    """A program of one robot on which only the signals are missing."""

    def __init__(self, program: Program, parameters: np.ndarray, fixed: Sequence[Any]) -> None:
        self.program, self.parameters, self.fixed = program, parameters, fixed
        self._of_thread = threading.local()

    def _laid_out(self) -> tuple[Desk, list]:
        """This thread's desk, and where its signals go, as memory: that refuses other types and shapes at once."""
        desk = self.program.desk()
        parameters, *signals = desk.inputs
        parameters[...] = self.parameters
        for value in reversed(self.fixed):
            signals.pop()[...] = value
        views: list[Any] = [array.data for array in signals]
        self._of_thread.desk = desk, views
        return desk, views

    def __call__(self, signals: Sequence[Any]) -> np.ndarray | None:
        """The result; None where a signal is no array of the right type and shape."""
        desk, views = getattr(self._of_thread, "desk", None) or self._laid_out()
        try:
            for view, signal in zip(views, signals, strict=True):
                view[:] = signal
        except (TypeError, ValueError):
            return None
        desk.call()
        return desk.results[0].copy()


def quick(options: Callable[[Robot], tuple] = lambda _: (), fixed: Sequence[Any] = ()) -> Callable[[Any], Any]:
    """Answers plain calls of a computation on vectors, with one result, at once.

    Args:
        options: of the computation, where none is given.
        fixed: values of its last inputs, where none are given.
    """

    def decorate(function: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        name = function.__name__

        @wraps(function)
        def answer(robot: Robot, *signals: Any, **more: Any) -> np.ndarray:
            if not more:
                ready = robot.programs.ready.get(name)
                if ready is not None:
                    result = ready(signals)
                    if result is not None:
                        return result
            found = function(robot, *signals, **more)
            known = robot.programs.found.get((name, options(robot), ()))
            if known is not None and name not in robot.programs.ready:
                robot.programs.ready[name] = Ready(*known, fixed)
            return found

        return answer

    return decorate
