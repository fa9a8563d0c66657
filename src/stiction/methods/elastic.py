"""Whether a step can follow what is elastic: one check for springs, bristles, gears, stops and grounds, under every
method, on the linear motion of all of them together.

What acts all the time is judged together. Contacts come and go: each is judged with what acts all the time, and refused
only then; that all of them touch at once is noted where it would be too much.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from stiction.friction.curve import Curve
from stiction.friction.dry import Stribeck
from stiction.friction.viscous import Viscous
from stiction.methods.bristles import bristle_sites, dry_sites
from stiction.methods.schemes import Scheme, euler
from stiction.methods.stability import SHORTEST, bristle_growth, midpoint_growth, refuse_growth
from stiction.network.network import Network
from stiction.network.start import StartTerms
from stiction.parts.contact import contact_name
from stiction.parts.friction import Friction
from stiction.parts.ground import Ground
from stiction.parts.kinds import Impedance

LIMIT = 1 + 1e-9  # factor per step by which something may grow
HOLDS = 4.0  # K h²/J up to which implicit bristles of dry friction hold


class Elastic(NamedTuple):
    """Directions in which something is elastic: compliance (runs, m, m), stiffness and damping (runs, m), which are
    bristles, and whose bristles reckon with the stage of a scheme, (m,).
    """

    A: np.ndarray
    K: np.ndarray
    B: np.ndarray
    bristle: np.ndarray
    staged: np.ndarray

    def only(self, kept: np.ndarray) -> "Elastic":
        """Some of the directions."""
        A = self.A[:, kept][:, :, kept]
        return Elastic(A, self.K[:, kept], self.B[:, kept], self.bristle[kept], self.staged[kept])


Judge = Callable[[Elastic, float], np.ndarray]  # growth per step of this length, (runs,)


def judge_of(scheme: Scheme) -> Judge:
    """How an explicit scheme follows what is elastic."""
    return lambda e, h: bristle_growth(scheme, e.A, e.K, e.B, h, e.staged.astype(float))


def midpoint_judge(e: Elastic, h: float) -> np.ndarray:
    """How the midpoint does: springs are taken in the middle of the step; bristles are implicit, but those of dry
    friction, which do not know at the beginning of a step that they stick, hold only up to K h²/J = 4 (measured).
    """
    springs, dry = e.only(~e.bristle), e.only(e.staged)
    growth = midpoint_growth(springs.A, springs.K, springs.B, h) if springs.K.size else np.zeros(len(e.K))
    if not dry.K.size:
        return growth
    return np.maximum(growth, np.abs(np.linalg.eigvals(dry.A * dry.K[:, None, :])).max(axis=1) * h * h / HOLDS)


class ElasticParts:
    """What is elastic in a network at the start, and what can be said of it."""

    def __init__(self, network: Network, start: StartTerms, judge: Judge, title: str, step: float) -> None:
        self.network, self.start, self.judge, self.title, self.step = network, start, judge, title, step
        self.lasting: list[str] = []
        self.passing: list[str] = []
        for name, part in network.parts.items():
            felt = name in start.rows and (start.stiffness[name].any() or start.damping[name].any())
            if isinstance(part, Impedance) and felt:
                (self.lasting if part.lasting else self.passing).append(name)

    def of(self, names: Sequence[str]) -> Elastic:
        """The directions of some parts together."""
        start = self.start
        K, B = (np.concatenate([x[name] for name in names], axis=1) for x in (start.stiffness, start.damping))
        bristle, staged = (np.concatenate([x[name] for name in names]) for x in (start.bristle, start.staged))
        found = Elastic(start.compliance(names), K, B, bristle, staged)
        return found.only((K != 0).any(axis=0) | (B != 0).any(axis=0))

    def refuse(self) -> None:
        """Refuse what the step cannot follow."""
        sites = [name for name in bristle_sites(self.network) if name in self.lasting]
        if sites:
            none = "or none (stiffness and damping are then chosen), " if dry_sites(self.network) else ""
            self.refuse_these(sites, "friction bristles are", f"softer bristles, {none}or method 'moreau'")
        for name in self.lasting:
            if name not in sites:
                self.refuse_these([name], *self._words(name))
        for name in self.passing:
            self.refuse_these([name], *self._words(name))
        if len(self.lasting) > 1:
            softer = f"what is softer{self._stiff_method}"
            self.refuse_these(self.lasting, f"{_listed(self.lasting)} together are", softer)
        for name in self.passing if self.lasting else ():
            self.refuse_these([name, *self.lasting], f"'{name}', with {_listed(self.lasting)}, is", "what is softer")

    def notes(self) -> list[str]:
        """What would be too much if all contacts touched at once."""
        if len(self.passing) < 2:
            return []
        together = self.of([*self.lasting, *self.passing])
        if (self.judge(together, self.step) < LIMIT).all():
            return []
        return [
            f"{_listed(self.passing)} are too stiff for '{self.title}' at {self.step:g} s where all of them touch at "
            "once: they then chatter; take a smaller step, or less stiffness and damping"
        ]

    def _words(self, name: str) -> tuple[str, str]:
        part = self.network.parts[name]
        if isinstance(part, Friction) and isinstance(part.law, Viscous):
            return f"the viscous friction of '{name}' is", "a smaller coefficient, or method 'moreau'"
        if isinstance(part, (Friction, Ground)):
            return f"the bristles of '{name}' are", "softer bristles"
        e = self.of([name])
        swings = np.sqrt(np.abs(np.linalg.eigvals(e.A * e.K[:, None, :])).max(axis=1)).max()
        softer = f"a softer spring with less damping (it swings at {swings:.3g} rad/s){self._stiff_method}"
        return f"the spring of '{name}' is", softer

    @property
    def _stiff_method(self) -> str:
        """Another method that would serve, if it takes such scenes."""
        return "" if self.network.constraints or contact_name(self.network) else ", or method 'rosenbrock'"

    def refuse_these(self, names: Sequence[str], what: str, instead: str) -> None:
        """Refuse these, with the step that suits all that acts with them."""
        if (self.judge(self.of(names), self.step) < LIMIT).all():
            return
        elastic = self.of([*names, *(name for name in self.lasting if name not in names)])

        def message(stable: float, _: int) -> str:
            best = f"the largest stable step is {stable:.3g} s. Take it, or"
            best = best if stable >= SHORTEST else "no step is short enough. Take"
            return f"{what} too stiff for '{self.title}' at {self.step:g} s; {best} {instead}"

        refuse_growth(lambda h: self.judge(elastic, h), self.step, LIMIT, message)


def _listed(names: Sequence[str]) -> str:
    """Names for an error."""
    few = [f"'{name}'" for name in names[:4]]
    return ", ".join(few) + (f" and {len(names) - 4} others" if len(names) > 4 else "")


def refuse_searching_bristles(network: Network, start: StartTerms, title: str, step: float) -> None:
    """Refuse bristles in space that the midpoint takes as they are at the beginning of a step, since their slip is
    found in a loop.
    """
    parts = ElasticParts(network, start, judge_of(euler), title, step)
    for name in parts.lasting:
        part = network.parts[name]
        if isinstance(part, Friction) and part.dimension > 1 and isinstance(part.law, (Stribeck, Curve)):
            parts.refuse_these([name], f"the bristles of '{name}' are", "softer bristles")
