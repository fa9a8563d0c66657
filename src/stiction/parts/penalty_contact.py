"""Contacts as springs and dampers: the microscopic contacts of contact.md, for methods without rows."""

from dataclasses import dataclass
from typing import Any

from stiction.contact.candidates import LINE, Candidate
from stiction.contact.detection import Met
from stiction.contact.geometry import TINY, length
from stiction.fields import number
from stiction.parts.contact import ContactPart, add
from stiction.parts.kinds import Ports, Spring
from stiction.spatial import Matrix, Vector
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, exp, maximum, minimum, sqrt, where
from stiction.trace.parameters import Substitution, absent

JUDGED = 8  # candidates of a pair of bodies whose springs are judged


@dataclass(frozen=True, kw_only=True)
class PenaltyContact(ContactPart):
    """The contacts of a scene as springs and dampers at all candidates that overlap, the microscopic contacts of
    contact.md; ports as those of `ContactPart`. They give way, and their friction fades with the speed of sliding:
    what rests under a load creeps.

    Attributes:
        stiffness: of each contact [N/m].
        damping: of each contact [N·s/m].
        fade: k_ω, by which friction fades with the speed v of sliding, as 1 − exp(−k_ω v) [s/m].
        chosen: which of stiffness and damping nobody gave.
    """

    lasting = False

    stiffness: float = number(above=0)
    damping: float = number(least=0)
    fade: float = number(100.0, above=0)
    chosen: tuple[str, ...] = ()

    def start(self) -> dict[str, float]:
        """It has no states."""
        return {}

    hidden = ()

    def with_parameters(self, substitution: Substitution) -> "PenaltyContact":
        """Its spring, too."""
        twin: Any = super().with_parameters(substitution)
        for what in ("stiffness", "damping", "fade"):
            twin._set(what, substitution(what, getattr(self, what)))
        return twin

    def structure(self) -> tuple:
        """That of contacts."""
        return ("PenaltyContact", super().structure())

    def force(self, motion: Ports, own: list[Scalar], step: Scalar, t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The sum of all that overlaps, on each body."""
        like = [0 * motion[f"{self.movers[0]}.position"][0]]
        detector, sums = self.detector(motion, 0, like), self.sums(like)

        def push(body: Any, met: Met, force: Vector, sign: int) -> None:
            point = met.at.center - met.pair.out(met.seen.normal) * met.radius
            arm = point - detector.poses[body].position
            add(sums, body, sign, (*force, *arm.cross(force)))

        def meet(met: Met) -> None:
            force = met.pair.out(self._pressed(met))
            push(met.body, met, force, 1)
            if not met.pair.fixed:
                push(met.other, met, force, -1)

        detector.visit(meet)
        return self.pushed(sums), []

    def _pressed(self, met: Met) -> Vector:
        """Force on the point, in the frame of the target."""
        n, gap = met.seen.normal, met.seen.gap - met.radius
        v = met.at.velocity - self._spin(met)
        normal = n.dot(v)
        inside = (gap < 0) if met.counts is True else (gap < 0) & met.counts
        pressed = where(inside, maximum(0, -self.stiffness * gap - self.damping * normal), 0)
        slip = v - n * normal
        speed = sqrt(slip.dot(slip))
        kinetic = self.surface(met.number)[1]
        drag = kinetic * pressed * (1 - exp(-self.fade * speed)) / maximum(speed, TINY)
        return n * pressed - slip * drag

    def _spin(self, met: Met) -> Vector:
        """By how much the middle of a ball is faster than the point that touches, in the frame of the target."""
        if absent(met.radius):
            return Vector(0, 0, 0)
        back = (lambda x: x) if met.pair.fixed else (lambda x: met.pair.target.rotation.T @ x)
        relative = met.pair.twist.angular - met.pair.carried.angular
        return back(relative).cross(met.seen.normal) * met.radius

    def springs(self, motion: Ports) -> list[Spring]:
        """The normals of some candidates of each pair of bodies, as if they touched."""
        found, seen = [], dict[tuple[str, str], int]()
        for x in self.candidates.listed:
            pair = (x.body, x.other)
            seen[pair] = seen.get(pair, 0) + 1
            if seen[pair] <= JUDGED:
                found.append(Spring(self._unit(motion, x), self.stiffness, self.damping))
        return found

    def _unit(self, motion: Ports, x: Candidate) -> Ports:
        """The outputs under a unit of force along a normal that a candidate may have."""
        normal = Vector(0, 0, 1)
        if x.kind != LINE:
            normal = Vector(*map(float, self.candidates.faces[x.target][0][:3]))
        outputs: dict[str, list[Scalar]] = {port: [0, 0, 0] for port in self.outputs}
        if x.other in self.movers:
            normal = Matrix.of_numbers(motion[f"{x.other}.rotation"]) @ normal
        if x.body in self.movers:
            arm = Matrix.of_numbers(motion[f"{x.body}.rotation"]) @ Vector(*x.point)
            point = Vector(*motion[f"{x.body}.position"]) + arm
        else:
            point = Vector(*x.point)
        for name, sign in ((x.body, 1), (x.other, -1)):
            if name in self.movers:
                arm = self._on_body(name, point - Vector(*motion[f"{name}.position"]))
                outputs[f"{name}.force"] = [sign * y for y in normal]
                outputs[f"{name}.moment"] = [sign * y for y in arm.cross(normal)]
        return outputs

    def _on_body(self, name: str, arm: Vector) -> Vector:
        """The place of a contact from the origin of a body: not farther from there than its shapes are."""
        ((size,),) = [row for mover, row in zip(self.movers, self.numbers["sizes"], strict=True) if mover == name]
        return arm * minimum(1, size / maximum(length(arm), TINY))

    def stored(self, motion: Ports, own: list[Scalar]) -> Scalar:
        """Elastic energy of all that overlaps [J]."""
        like = [0 * motion[f"{self.movers[0]}.position"][0]]
        total = Array(1, like)

        def meet(met: Met) -> None:
            gap = met.seen.gap - met.radius
            inside = (gap < 0) if met.counts is True else (gap < 0) & met.counts
            total[0] = total[0] + where(inside, self.stiffness * gap * gap / 2, 0)

        self.detector(motion, 0, like).visit(meet)
        return total[0]
