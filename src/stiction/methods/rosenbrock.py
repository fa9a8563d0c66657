"""A stiff method with its own steps: Rodas3 (Sandu and others 1997), order 3, L-stable, for bristles of any stiffness.

Steps are chosen so that the estimated error stays below the tolerance; each run of a batch chooses its own, without
branches, so it runs in lanes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stiction.drive.motor import DCMotor
from stiction.fields import number
from stiction.friction.curve import Curve
from stiction.friction.dry import Dry, Stribeck
from stiction.methods import rodas
from stiction.methods.bristles import chosen_bristles, with_bristles
from stiction.methods.constraints import refuse_constraints
from stiction.methods.explicit import refuse_pushing, refuse_rows
from stiction.methods.method import Choice, Mark, Method
from stiction.methods.rodas_in_memory import step_in_memory
from stiction.methods.stop_springs import chosen_springs, with_stop_springs
from stiction.network.layout import Block
from stiction.network.network import Network
from stiction.network.start import StartTerms
from stiction.network.wires import NetworkError
from stiction.parts.contact import contact_name
from stiction.parts.friction import Friction
from stiction.parts.ground import Ground
from stiction.parts.penalty_joint import PenaltyJoint
from stiction.trace.functions import Scalar, absolute, clip, floor, logical_not, loop, maximum, minimum, where
from stiction.trace.grid import reduced
from stiction.trace.parameters import Key
from stiction.trace.precision import tolerance

SLIVER = 1e-9  # part of the longest step that is none
ATTEMPTS = 16  # per call of the program
GROWS, SHRINKS, CAREFUL = 5, 1 / 5, 0.9


@dataclass(frozen=True, kw_only=True)
class Rosenbrock(Method):
    """Rodas3 with its own steps, for bristles and springs of any stiffness; the step that is given is the longest.
    Order 3.

    Attributes:
        tolerance: largest estimated error of a step, relative to each state + 1 rad, m, rad/s or m/s, of a bristle
            relative to its bending at break-away.

    Example:
        >>> import stiction
        >>> law = stiction.LuGre(level=0.5, static=0.6, velocity=0.1, stiffness=1e5, damping=300.0)
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": law}, q=[0.5])
        >>> run = stiction.simulate(scene, duration=1.0, step=0.01, method=stiction.Rosenbrock(tolerance=1e-8))
        >>> bool(run["steps"][-1] > 100)
        True
    """

    name = "rosenbrock"
    own_steps = True
    instead = "use method 'rk4' with a smaller step, or 'gears_semi_implicit'"

    tolerance: float = number(1e-6, least=1e-13, below=1)

    def prepare(self, network: Network, step: float) -> Network:
        """Dry friction with bristles; refuses what it cannot differentiate."""
        network.must_be_mechanical(f"method '{self.name}'", "use method 'rk4'")
        refuse_rows(network, self)
        refuse_constraints(network, self.name)
        if contact_name(network):
            raise NetworkError(f"contacts come and go, which '{self.name}' cannot follow; use method 'moreau' or 'rk4'")
        for name, part in network.parts.items():
            if isinstance(part, DCMotor) and part.inductance and isinstance(part.torque_limit, tuple):
                raise NetworkError(
                    f"{name}: its torque_limit falls with the speed, and its current is a state, which would chatter "
                    f"at it under '{self.name}'; take a number as the limit, or method 'moreau'"
                )
        made = with_stop_springs(with_bristles(network))
        for name, part in made.parts.items():
            law = part.law if isinstance(part, (Friction, PenaltyJoint)) else None
            if isinstance(law, (Stribeck, Curve)):
                raise NetworkError(
                    f"{name}: {type(law).__name__} finds its speed of sliding step by step, and "
                    f"'{self.name}' needs a formula; "
                    "take LuGre or ElastoPlastic with the same numbers, or method 'moreau'"
                )
            bristle: Any = law if isinstance(law, Dry) else part if isinstance(part, Ground) else None
            if bristle is not None and not bristle.damping:
                raise NetworkError(
                    f"{name}: its bristle has no damping, and '{self.name}' needs some: without it the force jumps; "
                    "give a damping above 0"
                )
        return made

    def slots(self, network: Network, step: float) -> Mapping[str, tuple[float, str]]:
        """Time come since the span began and next step [s], steps taken, steps rejected."""
        return {"come": (0.0, "s"), "next": (step / 100, "s"), "steps": (0.0, "1"), "rejected": (0.0, "1")}

    def signals(self, network: Network) -> Mapping[str, str]:
        """How many steps there were."""
        return {"steps": "steps", "rejected": "rejected"}

    def choose(self, network: Network, start: StartTerms, step: float, given: Mapping[Key, Any]) -> Choice:
        """The bristles and the springs of end stops that nobody gave."""
        bristles = chosen_bristles(network, start, None, step, given)
        return Choice(bristles | chosen_springs(network, start, step, given), {})

    def check(self, network: Network, start: StartTerms, step: float) -> None:
        """Refuse friction that pushes."""
        refuse_pushing(network, start)

    def arrived(self, kept: Mapping[str, np.ndarray], span: float) -> np.ndarray:
        """Which runs have come to the end of a span."""
        return kept["come"] >= span

    def restarted(self) -> Mapping[str, float]:
        """Time is counted from the beginning of a span."""
        return {"come": 0.0}

    def _worse(self, worst: Scalar, x: Scalar, z: Scalar, error: Scalar, small: Scalar) -> Scalar:
        """The larger of two errors, over what is allowed."""
        return maximum(worst, absolute(error) / (self.tolerance * (small + maximum(absolute(x), absolute(z)))))

    def span(self, network: Network, block: Block, t: Scalar, span: Scalar, h: Scalar, mark: Mark) -> Block:
        """Some attempts at steps towards the end of a span of time."""
        order = rodas.Order(network, block)
        names = list(block.works)
        sites = list(block.marks)
        n, m = len(order.places), len(names)
        scales = order.scales()

        def packed(y: list, works: Sequence, marks: Mapping, pace: Sequence) -> list:
            return [*y, *works, *(x for site in sites for x in marks[site]), *pace]

        def unpacked(carry: list) -> tuple[list, list, dict, list]:
            left = iter(carry[n + m : -4])
            marks = {site: [next(left) for _ in block.marks[site]] for site in sites}
            return carry[:n], carry[n : n + m], marks, carry[-4:]

        def whole(y: list, works: Sequence, marks: Mapping) -> Block:
            return block._replace(own=order.states(y), works=dict(zip(names, works, strict=True)), marks=marks)

        def attempt(_: Scalar, carry: list[Scalar]) -> list[Scalar]:
            y, works, marks, (come, wish, steps, rejected) = unpacked(carry)
            done = come >= span
            # no step crosses a multiple of the longest: knots of tables may lie there
            until = minimum(span, (floor(come / h + tolerance(1e-9)) + 1) * h)
            for jump in network.breaks:  # nor one at which something jumps
                ahead = jump - (t + come)
                until = where((ahead > tolerance(SLIVER) * h) & (come + ahead < until), come + ahead, until)
            left = until - come
            taken = where(done, h, minimum(wish, left))
            step = step_in_memory if order.many else rodas.step
            after, worked, errors = step(order, whole(y, works, marks), y, t + come, taken)
            after = order.sorted(network.settled(order.states(after), t + come + taken, 0))
            worst = reduced(self._worse, 0, y, after, errors, scales)
            good = worst <= 1
            growth = clip(CAREFUL / _cube_root(maximum(worst, 1e-9)), SHRINKS, GROWS)
            growth = where(worst == worst, growth, SHRINKS)  # an error that is no number
            longer = where(good & (wish > left), maximum(wish, taken * growth), taken * growth)
            following = minimum(h, longer)
            following = where(
                following < tolerance(1e-12) * h, 0 * following / (0 * following), following
            )  # no step is short enough
            keep = good & logical_not(done)
            came = where(taken >= left, until, come + taken)
            marked = mark(whole(y, works, marks), whole(after, worked, marks), t + come + taken, 0)
            fresh = packed(after, worked, marked.marks, [came, following, steps + 1, rejected])
            old = packed(y, works, marks, [come, where(done, wish, following), steps, rejected + where(done, 0, 1)])
            return [where(keep, a, b) for a, b in zip(fresh, old, strict=True)]

        pace = [block.method[name] for name in ("come", "next", "steps", "rejected")]
        carry = loop(ATTEMPTS, attempt, packed(order.sorted(block.own), list(block.works.values()), block.marks, pace))
        y, works, marks, pace = unpacked(carry)
        method = dict(zip(("come", "next", "steps", "rejected"), pace, strict=True))
        return whole(y, works, marks)._replace(method=method)


def _cube_root(x: Scalar) -> Scalar:
    return x ** (1 / 3)
