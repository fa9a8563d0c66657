"""What a reproduced experiment is: claims, each with what was published, what we got and whether it holds; and a
figure.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from stiction.simulation.simulate import simulate
from stiction.simulation.trajectory import Trajectory


@dataclass(frozen=True)
class Claim:
    """One published result beside ours.

    Attributes:
        what: the quantity.
        paper: what was published, or follows in closed form.
        ours: what we got.
        holds: whether they agree within the stated tolerance; None where nothing was published to compare with.
        timing: whether it is a time or a ratio of times, which a busy machine can spoil.
    """

    what: str
    paper: str
    ours: str
    holds: bool | None
    timing: bool = False


def complete(*args: Any, **options: Any) -> Trajectory:
    """`simulate`, but Ctrl-C ends the experiment, not only the run."""
    run = simulate(*args, **options)
    if run.status == "interrupted":
        raise KeyboardInterrupt
    return run


def agrees(what: str, paper: float, ours: float, tolerance: float, unit: str = "", digits: int = 6) -> Claim:
    """A claim that a number is the published one, within a tolerance."""
    return Claim(
        what,
        f"{paper:.{digits}g} ± {tolerance:g} {unit}".rstrip(),
        f"{ours:.{digits + 2}g} {unit}".rstrip(),
        abs(ours - paper) <= tolerance,
    )


def below(what: str, ours: float, bound: float, unit: str = "") -> Claim:
    """A claim that a number stays below a bound."""
    return Claim(what, f"below {bound:g} {unit}".rstrip(), f"{ours:.5g} {unit}".rstrip(), ours < bound)


Tell = Callable[[float], None]
Result = tuple[list[Claim], Callable[[], Any]]


@dataclass(frozen=True)
class Case:
    """An experiment that can be run again.

    Attributes:
        title: what it shows.
        source: where it was published.
        run: takes whether to be quick, and whom to tell the part that is done; gives the claims and a function that
            draws the figure.
    """

    title: str
    source: str
    run: Callable[[bool, Tell], Result]


def shares(tell: Tell, count: int) -> Iterator[Tell]:
    """Parts of the progress, for so many pieces of work in turn."""
    for k in range(count):
        yield lambda part, k=k: tell((k + part) / count)  # type: ignore[misc]
