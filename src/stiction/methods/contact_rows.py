"""Contacts as rows: what they see of a step, the impulses that they take, and what is kept of them.

Unknown are the impulses p of all contacts, each with a normal and tangents; their velocities at the end of the step are
v = A p + c. Gaps, anchors and rows are those of the middle of the step, from where positions move on with half the
velocity at its end. So c of a normal is the velocity without impulses, and

    gap/h            where there is a gap: an approach is caught before it penetrates, and rests after two steps;
    0.1 gap/h        where bodies overlap, but no more than the push-out speed;
    −e · approach    in the step after a catch, where it bounces.

c of a tangent has 0.1 d/h where it was stuck, with the way d from its anchor, so that what rests does not creep. Of
overlaps and ways only what agrees counts: two anchors that draw at each other would only strain their body. The
coefficient of friction is the static one if a contact rested at the beginning of the step, else the kinetic one.

Where more contacts and stuck joints hold a body than it takes, who carries how much is open. Each row gives a little,
by how much its impulse is another than in the last step: forces then stay what they are as long as nothing else
changes, and go slowly to an even share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from stiction.contact.geometry import tangent
from stiction.contact.slots import Slots
from stiction.friction.law import CREEP
from stiction.methods.carried_points import CarriedPoints
from stiction.methods.moved_points import Frame, places, segments
from stiction.network.network import States, advanced_positions
from stiction.parts.contact import FREE, MARKS, OPEN, SLIDING, STUCK
from stiction.parts.kinds import NOWHERE
from stiction.rows.cones import solve
from stiction.rows.coupled_rows import Blocks, CoupledRows, size
from stiction.spatial import Vector
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, absolute, loop, maximum, minimum, most, where
from stiction.trace.grid import Grid, column, each, factor
from stiction.trace.grid import solve as spread
from stiction.trace.parameters import absent
from stiction.trace.precision import tolerance

if TYPE_CHECKING:
    from stiction.methods.smooth_part import FlowPart

SOFT = 1e-8  # of the mean compliance, by which each row gives: who of several carries a load is then known
LEAK = 0.01  # of an impulse that is forgotten in a step, where it is open who carries how much
JUMP = 0.2  # of a normal force, by which it changes in a step only through impacts
SLOP = 1e-8  # m of a gap, of an overlap, or of a way from an anchor, that is none
CLOSE = 1e-6  # m: of what has touched, a smaller gap closes as far as others agree
AGREED = 1e-4  # of the mean compliance: what is stiffer than that is no way back for overlaps and anchors
BACK = 0.1  # of an overlap, or of the way from an anchor, that is made good in a step
TOLERANCE = 1e-9  # of the largest velocity, or of what gravity gives in a step
GRAVITY = 9.81  # m/s²
NEAR = 1e-9  # part of the cone that may be missing where a contact slides
SLIP = 1e-5  # of what gravity gives in a step: a slower contact rests, though its share of a load be too much
TOUCHING = 1e-12  # m of an approach that is none
UNROLLED = 24  # velocities up to which sums over them are written out
TOLD = {"contact_residual": "m/s", "contacts_wanted": "1"}  # what is kept of all steps, the worst of each
KEPT = ("state", "approach", *(f"{word}.{c}" for word in ("anchor", "push") for c in "xyz"))


class ContactRows:
    """The contacts of one step.

    Args:
        smooth: the step without them.
        name: of the part.
        h: step [s].
    """

    def __init__(self, smooth: FlowPart, name: str, h: Scalar) -> None:
        network, now = smooth.network, smooth.terms.now
        part: Any = network.parts[name]
        self.network, self.name, self.h, self.part = network, name, h, part
        self.v = smooth.terms.velocities
        self.like = [0 * self.v[0]]
        self.n, self.most = len(self.v), self.part.most
        self.tangents = self.part.tangents
        self.width, self.lead = 1 + self.tangents, smooth.lead(h)
        self.before = column(list(now.own[name]), self.like)
        self.slots: Slots = self.part.detected(network.inputs(name, now.signals), h, self.like)
        self.active = most(self.slots.count, self.most)
        self.carried = self._carried(now.own) if self.slots.moving else None
        self.drift = Array(self.width * self.most, self.like)  # of velocities until the end of the step [m/s]
        self.kept = self._matched()
        self.J, self.offset = Grid(self.width * self.most, self.n, self.like), Array(self.width * self.most, self.like)
        self.friction, self.rested = (Array(self.most, self.like) for _ in range(2))
        self.p, self.last, self.wish, self.held = (Array(self.width * self.most, self.like) for _ in range(4))
        self.own, self.column_v = now.own, column(self.v, self.like)
        self.back = Array(self.width * self.most, self.like)  # velocity to the anchor that a stuck row is given [m/s]
        self.residual = Array(1, self.like)  # of the last search [m/s]
        self.jumps = Array(1, self.like)  # how many contacts changed their modes, or their forces by much
        self.scale = Array(1, self.like)  # mean compliance of the rows [1/kg]
        self._fill()

    # What contacts see.

    def each(self, visit: Callable[[Any], None]) -> None:
        """Visit the slots that are taken."""
        each(self.active, visit, self.like)

    def rows(self, visit: Callable[[Any], None]) -> None:
        """Visit their rows."""
        each(self.active * self.width, visit, self.like)

    def _matched(self) -> Array:
        """What was kept of the candidates that are in the slots now."""
        kept, width, slots = Array(self.most * len(KEPT), self.like, blank=True), len(MARKS), self.slots
        at = [MARKS.index(mark) for mark in KEPT]

        def old(taken: Any, carry: list) -> list:
            return [carry[0] + where(self.before[taken * width] >= 0, 1, 0)]

        count = most(loop(self.most, old, [self.like[0]])[0], self.most)

        def one(j: Any) -> None:
            candidate = slots.number(j, "candidate")

            def look(l: Any, carry: list) -> list:
                same = self.before[l * width] == candidate
                return [where(same, self.before[l * width + k], x) for k, x in zip(at, carry, strict=True)]

            for k, x in enumerate(loop(count, look, [0 * candidate] * len(KEPT))):
                kept[j * len(KEPT) + k] = x

        self.each(one)
        return kept

    def mark(self, j: Any, name: str) -> Scalar:
        """What was kept of a contact."""
        return self.kept[j * len(KEPT) + KEPT.index(name)]

    def vector(self, j: Any, name: str) -> Vector:
        """A vector that was kept of it."""
        return Vector(*(self.mark(j, f"{name}.{c}") for c in "xyz"))

    def frame(self, j: Any) -> Frame:
        """Where a contact is, in the world."""
        point, normal = self.slots.vector(j, "point"), self.slots.vector(j, "normal")
        if self.tangents == 1:
            return Frame(point, [normal, Vector(*self.part.axis).cross(normal)])
        side = self.slots.vector(j, "side") if self.slots.moving else tangent(normal)
        return Frame(point, [normal, side, normal.cross(side)])

    def local_frame(self, j: Any) -> Frame:
        """The same in the frame of the target."""
        if not self.slots.moving:
            return self.frame(j)
        normal = self.slots.vector(j, "facing")
        side = tangent(normal)
        return Frame(self.slots.vector(j, "place"), [normal, side, normal.cross(side)])

    def way(self, j: Any, local: Frame) -> list[Scalar]:
        """How far a contact is from its anchor, along its tangents; on what rolls that is kept itself."""
        anchor, rolls = self.vector(j, "anchor"), self.part.rolls(self.slots.number(j, "candidate"))
        apart = local.point - anchor
        d = Vector(*(where(rolls > 0, a, b) for a, b in zip(anchor, apart, strict=True)))
        return [t.dot(d) for t in local.axes[1:]]

    def _fill(self) -> None:
        """Rows, offsets, coefficients and first impulses."""
        bodies_of = segments(self.network, self.own)
        table = self.part.places_of(places(self.network))
        v = self.column_v

        def one(j: Any) -> None:
            candidate, frame = self.slots.number(j, "candidate"), self.frame(j)
            taken = candidate >= 0
            bodies = [where(taken, self.part.lookup(numbers, candidate), NOWHERE) for numbers in table]
            for segment in bodies_of:
                segment.fill(self.J, j * self.width, frame, bodies, self.like)
            self._turn(j, candidate, frame)
            self._conditions(j, candidate, [self.along(j * self.width + k, v) for k in range(self.width)])

        self.each(one)

    def _carried(self, own: States) -> CarriedPoints:
        """Points of bodies until the end of the step, as far as it can be foreseen."""
        ahead = advanced_positions(self.network, own, self.h / 2 + self.lead)
        now, later = (self.network.inputs(self.name, self.network.motions(x)) for x in (own, ahead))
        return CarriedPoints(now, later, self.part.movers, self.like)

    def _turn(self, j: Any, candidate: Scalar, frame: Frame) -> None:
        """Note how the velocities of a contact change until the end of the step, as it turns with what carries it."""
        if self.carried is None:
            return
        first, second = self.part.bodies(candidate)
        change = self.carried.change(first, second, frame.point)
        counts = (candidate >= 0) & (self.part.rolls(candidate) < 1)
        for k, axis in enumerate(frame.axes):
            self.drift[j * self.width + k] = where(counts, axis.dot(change), 0)

    def along(self, row: Any, v: Any) -> Scalar:
        """Velocity of a row, with velocities by index."""
        if self.n <= UNROLLED:
            return sum((self.J[row, k] * v[k] for k in range(self.n)), start=0)
        return loop(self.n, lambda k, carry: [carry[0] + self.J[row, k] * v[k]], [self.like[0]])[0]

    def _conditions(self, j: Any, candidate: Scalar, speeds: Sequence[Scalar]) -> None:
        """What a contact asks for, how rough it is, and the impulse of the last step."""
        h, i = self.h, j * self.width
        static, kinetic, bounce = self.part.surface(maximum(0, candidate))
        mode, approach = self.mark(j, "state"), self.mark(j, "approach")
        drift = [self.drift[i + k] for k in range(self.width)]
        bent = (h / 2 - self.lead) / 2  # what touches turned along; where contacts are found it went straight on
        gap = self.slots.number(j, "gap") + self.lead * speeds[0] - where(mode > OPEN, bent * drift[0], 0)
        rested = (mode == STUCK) | ((mode == OPEN) & (size(speeds[1:]) <= CREEP))
        self.rested[j], self.friction[j] = where(rested, 1, 0), where(rested, static, kinetic)
        touching = ((gap <= 0) | ((mode > OPEN) & (gap < CLOSE))) & (candidate >= 0)
        slop = tolerance(SLOP)
        beyond = maximum(0, gap - slop)
        deep = maximum(BACK * minimum(0, gap + slop) + beyond, -self.part.push_out * h) / h
        apart = where(touching, 0, beyond / h)
        if self.part.bounces:
            leaves = approach > 0
            apart, deep = where(leaves, -bounce * approach, apart), where(leaves, 0, deep)
        self.offset[i], self.wish[i] = apart + where(touching, drift[0], 0), where(touching, deep, 0)
        straight = self.way(j, self.local_frame(j))
        ways = [d + self.lead * s - bent * x for d, s, x in zip(straight, speeds[1:], drift[1:], strict=True)]
        push = self.vector(j, "push")
        back = BACK * maximum(0, 1 - slop / maximum(size(ways), slop)) / h
        for k, d in enumerate(ways, 1):
            self.wish[i + k] = where((mode == STUCK) & touching, back * d, 0)
            self.offset[i + k] = drift[k]
        for k in range(self.width):
            self.last[i + k] = self.p[i + k] = h * push[k]
            self.held[i + k] = where(touching & ((mode == STUCK) | (k == 0)), 1, 0)

    # The problem.

    def coupled(self, respond: Callable[[list[Scalar]], Sequence[Scalar]], free: Sequence[Scalar]) -> Problem:
        """Rows under velocities without impulses, where equations with a symmetric matrix of masses can be solved."""
        rows, n = self.width * self.most, self.n
        X, A, c, given = (
            Grid(rows, n, self.like, blank=True),
            Grid(rows, rows, self.like, blank=True),
            Array(rows, self.like, blank=True),
            column(free, self.like),
        )

        def one(r: Any) -> None:
            for k, x in enumerate(respond([self.J[r, k] for k in range(n)])):
                X[r, k] = x
            c[r] = self.along(r, given)

        def row(r: Any) -> None:
            mine = [self.J[r, k] for k in range(n)]

            def entry(s: Any) -> None:
                A[r, s] = A[s, r] = sum((x * X[s, k] for k, x in enumerate(mine)), start=0)

            each(r + 1, entry, self.like)

        self.rows(one)
        self.rows(row)
        self.measure(lambda r: A[r, r])
        return Problem(A, c, X)

    def work(self, middle: Sequence[Scalar]) -> Scalar:
        """What the impulses do at velocities in the mean [J]."""
        v = column(list(middle), self.like)
        return loop(
            self.active * self.width, lambda r, total: [total[0] + self.p[r] * self.along(r, v)], [self.like[0]]
        )[0]

    def solve(self, A: Grid, c: Any, here: Scalar = True) -> None:
        """Find the impulses under a matrix, which gets the softness that tells who carries what; lanes that are not
        `here` keep theirs.
        """
        fastest, give, taken = Array(1, self.like), tolerance(SOFT) * self.scale[0], self.slots.count
        self._agree(A, here)

        def lean(r: Any) -> None:
            fastest[0] = maximum(fastest[0], absolute(c[r] + self.offset[r]))
            c[r] = c[r] + self.offset[r] + self.back[r] - give * (1 - LEAK) * self.last[r]

        self.rows(lean)

        def soften(j: Any) -> None:
            for k in range(self.width):
                r = j * self.width + k
                A[r, r] = A[r, r] + where(j < taken, give, 0)

        self.each(soften)
        blocks = Blocks(None, None, self.friction, 0, self.most, self.tangents, self.active)
        enough = tolerance(TOLERANCE) * maximum(fastest[0], GRAVITY * self.h)
        self.residual[0] = solve(CoupledRows(A, c, blocks, self.like), self.p, enough, here).residual

    def _agree(self, A: Grid, here: Scalar) -> None:
        """Find, in the lanes that are `here`, the velocities at which overlaps and ways from anchors are made good, as
        far as they agree: what would only strain a body between its contacts, or against joints that hold, is left out:
        w − λ (A + λ)⁻¹ w.
        """
        n, rows = self.active * self.width, self.width * self.most
        soft = AGREED * self.scale[0]

        def count(r: Any, total: list) -> list:
            return [total[0] + absolute(self.wish[r])]

        def note(r: Any, x: Scalar) -> None:
            self.back[r] = x if here is True else where(here, x, self.back[r])

        each(n, lambda r: note(r, 0), self.like)
        wanted = loop(n, count, [self.like[0]])[0]

        def find(_: Any, carry: list) -> list:
            B, w = Grid(rows, rows, self.like, blank=True), Array(rows, self.like, blank=True)

            def row(r: Any) -> None:
                w[r] = self.wish[r]

                def entry(s: Any) -> None:
                    even = (A[r, s] + A[s, r]) / 2  # where joints hold, A is so but for rounding
                    B[r, s] = even * self.held[r] * self.held[s] + where(r == s, soft + 1 - self.held[r], 0)

                self.rows(entry)

            self.rows(row)
            x = spread(factor(B, n), w)

            def take(r: Any) -> None:
                note(r, self.wish[r] - soft * x[r] * self.held[r])

            self.rows(take)
            return [0 * carry[0]]

        loop(1, find, [wanted], until_zero=0, skip=True)

    def measure(self, compliance: Callable[[Any], Scalar]) -> None:
        """Note the mean compliance of the rows with nothing held, by which softness is measured."""
        rows = self.active * self.width
        total = loop(rows, lambda r, sum_: [sum_[0] + compliance(r)], [self.like[0]])[0]
        self.scale[0] = total / maximum(1, self.slots.count * self.width)

    def push(self, k: Any) -> Scalar:
        """The impulses of all contacts along a velocity."""
        rows = self.active * self.width
        return loop(rows, lambda r, total: [total[0] + self.J[r, k] * self.p[r]], [self.like[0]])[0]

    def pushed(self, X: Grid, free: Sequence[Scalar]) -> list[Scalar]:
        """Velocities of all bodies with the impulses."""
        if self.n > UNROLLED:
            return self._pushed_in_memory(X, free)

        def add(r: Any, v: list) -> list:
            return [x + X[r, k] * self.p[r] for k, x in enumerate(v)]

        return loop(self.active * self.width, add, list(free))

    def _pushed_in_memory(self, X: Grid, free: Sequence[Scalar]) -> list[Scalar]:
        v = Array.of(list(free), self.like)

        def add(r: Any) -> None:
            def one(k: Any) -> None:
                v[k] = v[k] + X[r, k] * self.p[r]

            each(self.n, one, self.like)

        self.rows(add)
        return list(v)

    # What is kept.

    def told(self, before: Mapping[str, Scalar]) -> dict[str, Scalar]:
        """The worst of all steps so far."""
        now = {"contact_residual": self.residual[0], "contacts_wanted": self.slots.wanted}
        return {name: maximum(before[name], x) for name, x in now.items()}

    def ended(self, after: Sequence[Scalar]) -> list[Scalar]:
        """The marks after a step."""
        made, width, h, v = Array(self.most * len(MARKS), self.like), len(MARKS), self.h, column(list(after), self.like)
        each(self.most, lambda j: made.__setitem__(j * width, FREE), self.like)

        def one(j: Any) -> None:
            candidate, frame, local = self.slots.number(j, "candidate"), self.frame(j), self.local_frame(j)
            p = [self.p[j * self.width + k] for k in range(self.width)]
            speeds = [self.along(j * self.width + k, v) for k in range(self.width)]
            i = j * self.width
            slip = [s + self.offset[i + k] + self.back[i + k] for k, s in enumerate(speeds)]
            mode = self._mode(j, p, slip)
            last = self.last[j * self.width]
            jumped = (mode != self.mark(j, "state")) | (absolute(p[0] - last) > JUMP * (p[0] + absolute(last)))
            self.jumps[0] = self.jumps[0] + where(jumped, 1, 0)
            push = [*(x / h for x in p), 0][:3]
            numbers = {
                "candidate": candidate,
                "state": mode,
                "gap": self.slots.number(j, "gap"),
                "approach": self._caught(j, p[0]),
                **_named("anchor", self._anchor(j, local, mode, speeds)),
                **_named("push", Vector(*push)),
                **_named("force", _sum(frame.axes, push[: self.width])),
                **_named("point", frame.point),
                **_named("normal", frame.axes[0]),
            }
            taken = candidate >= 0
            for k, mark in enumerate(MARKS):
                made[j * width + k] = where(taken, numbers[mark], FREE if mark == "candidate" else 0)

        self.each(one)
        return list(made)

    def _mode(self, j: Any, p: Sequence[Scalar], slip: Sequence[Scalar]) -> Scalar:
        """Open, stuck or sliding: what slides has all the friction that it can have, and moves, not just back to its
        anchor.
        """
        at_limit = size(p[1:]) >= (1 - tolerance(NEAR)) * self.friction[j] * p[0]
        slides = at_limit & (size(slip[1:]) > SLIP * GRAVITY * self.h)
        return where(p[0] > 0, where(slides, SLIDING, STUCK), OPEN)

    def _anchor(self, j: Any, local: Frame, mode: Scalar, speeds: Sequence[Scalar]) -> Vector:
        """Where what is stuck holds on: where it was, if it rested; else where it is at the end of the step. Of what
        rolls, the slip so far.
        """
        before, keeps = self.vector(j, "anchor"), (mode == STUCK) & (self.mark(j, "state") == STUCK)
        here = local.point + _sum(local.axes, [self.h / 2 * s for s in speeds])
        if not absent(self.lead):
            until = [self.lead * self.along(j * self.width + k, self.column_v) for k in range(self.width)]
            here = here + _sum(local.axes, until)
        slipped = before + _sum(local.axes[1:], [self.h * s for s in speeds[1:]])
        rolls = self.part.rolls(self.slots.number(j, "candidate")) > 0
        chosen = []
        for a, b, c in zip(before, here, slipped, strict=True):
            chosen.append(where(rolls, where(keeps, c, 0), where(keeps, a, b)))
        return Vector(*chosen)

    def _caught(self, j: Any, normal: Scalar) -> Scalar:
        """The speed at which a contact was caught in this step; 0 where it was not, or has just bounced."""
        if not self.part.bounces:
            return 0
        came = -self.along(j * self.width, self.column_v)
        fresh = (normal > 0) & (self.mark(j, "approach") <= 0) & (came * self.h > tolerance(TOUCHING))
        return where(fresh & (self.slots.number(j, "gap") - self.lead * came > 0), came, 0)


class Problem(NamedTuple):
    """Contacts as one problem: v = A p + c.

    Attributes:
        A: velocities of rows under unit impulses.
        c: velocities without impulses.
        X: velocities of all bodies under unit impulses, row by row.
    """

    A: Grid
    c: Array
    X: Grid


def _sum(axes: Sequence[Vector], numbers: Sequence[Scalar]) -> Vector:
    total = Vector(0, 0, 0)
    for axis, x in zip(axes, numbers, strict=True):
        total = total + axis * x
    return total


def _named(word: str, x: Vector) -> dict[str, Scalar]:
    return {f"{word}.{c}": y for c, y in zip("xyz", x, strict=True)}
