"""Contacts by momentum (contact.md): impulses that bring touching points back to their reference points as nearly as a
relaxed least-squares problem has it; and the plastic contacts with which the paper compares.

    ½ ‖A Δf + b + k d‖² + ½ λ ‖Δf‖² → min, normal impulses not below 0                                           (13)

A first solution f̃ tells which points slide: one at rest where ‖f̃_F‖ > μ_s f̃_N (18), one that slides as long as
‖f̃_F‖ > μ_d f̃_N (21). The friction of these is μ_d f_N along f̃_F, times ω = 1 − exp(−k_ω ‖v_F‖) where it slides on
(19), (22); so their f_N is found once more with that friction, and without asking their points to come to rest: the
normal force of f̃ belongs to a friction that is not there. Points that touch are those with an overlap; d is measured
at the beginning of the step, as reference points are, which follow where a point slides (20).

With λ and k next to 0 this is the plastic condition (9), whose solution is not unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stiction.contact.geometry import TINY
from stiction.methods.contact_rows import ContactRows
from stiction.methods.moved_points import Frame
from stiction.parts.contact import OPEN, SLIDING, STUCK
from stiction.rows.coupled_rows import size
from stiction.rows.nonnegative import nonnegative
from stiction.spatial import Vector
from stiction.trace.array import Array
from stiction.trace.functions import Scalar, absolute, clip, exp, loop, maximum, where
from stiction.trace.grid import Grid
from stiction.trace.parameters import absent

PASSES = 4  # in which more points may begin to slide


class MomentumRows(ContactRows):
    """The contacts of one step, relaxed and compensated.

    Args:
        relaxation: λ over the square of the mean compliance.
        compensation: k h, the part of an overlap that is made good in a step.
        fade: k_ω [s/m]; 0 for ω = 1.
        dropping: whether points with negative normal forces are left out for good, as the paper does it.
    """

    def __init__(self, *given: Any, relaxation: Scalar, compensation: Scalar, fade: Scalar, dropping: bool) -> None:
        self.relaxation, self.compensation = relaxation, compensation
        self.fade, self.dropping = fade, dropping
        super().__init__(*given)
        self.slides, self.reach = Array(self.most, self.like), Array(self.most, self.like)
        self.turn = Array(self.width * self.most, self.like)

    def _conditions(self, j: Any, candidate: Scalar, speeds: Sequence[Scalar]) -> None:
        """Where a point touches, and how far it is from its reference."""
        h, gap, first = self.h, self.slots.number(j, "gap"), j * self.width
        touches = (gap <= 0) & (candidate >= 0)
        self.rested[j] = where(touches, where(self.mark(j, "state") == SLIDING, 0, 1), 0)
        self.friction[j] = where(touches, 1, 0)
        for k in range(self.width):
            for i in range(self.n):
                self.J[first + k, i] = where(touches, self.J[first + k, i], 0)
        way = [gap, *self._way(j, speeds)]
        for k, d in enumerate(way):
            self.offset[first + k] = where(touches, self.compensation * d / h, 0)

    def _turn(self, j: Any, candidate: Scalar, frame: Frame) -> None:
        """The paper takes velocities as they are where contacts are found."""

    def _way(self, j: Any, speeds: Sequence[Scalar]) -> list[Scalar]:
        """From the reference point, along the tangents; of a point that has just touched, since it crossed (16)."""
        mode, gap = self.mark(j, "state"), self.slots.number(j, "gap")
        since = clip(gap / where(speeds[0] < 0, speeds[0], -TINY), 0, self.h)
        found = []
        for d, s in zip(self.way(j, self.local_frame(j)), speeds[1:], strict=True):
            found.append(where(mode == OPEN, since * s, where(mode == SLIDING, 0, d)))
        return found

    def solve(self, A: Grid, c: Any, here: Scalar = True) -> None:
        """Impulses in place: those that bring all points back, then those with the friction of what slides. They do not
        depend on those that were there, so lanes that are not `here` find theirs again.
        """
        like = self.like
        self.each(lambda j: self.slides.__setitem__(j, 0))
        self.rows(lambda r: c.__setitem__(r, c[r] + self.offset[r]))
        soft = self.relaxation * self.scale[0] * self.scale[0] + TINY
        self._least(A, c, soft)
        self.each(lambda j: self._decide(j, True))

        def again(_: Any, carry: list) -> list:
            changes = Array(1, like)
            self._least(A, c, soft)

            def judge(j: Any) -> None:
                before = self.slides[j]
                self._decide(j, False)
                changes[0] = changes[0] + absolute(self.slides[j] - before)

            self.each(judge)
            return [where(carry[0] > 0, changes[0], 0)]

        loop(PASSES, again, [0 * like[0] + 1], until_zero=0)

    def _decide(self, j: Any, first: bool) -> None:
        """Whether a point slides, by the impulses that were found, and along which direction."""
        i = j * self.width
        candidate = maximum(0, self.slots.number(j, "candidate"))
        static, kinetic, _ = self.part.surface(candidate)
        normal, across = self.p[i], [self.p[i + k] for k in range(1, self.width)]
        pull = size(across)
        slid = self.rested[j] < 1
        limit = where(slid, kinetic, static) if first else static
        begins = (pull > limit * normal) & (self.friction[j] > 0) & (pull > 0)
        if not first:
            begins = begins & (self.slides[j] < 1)
        for k, x in enumerate(across, 1):
            self.turn[i + k] = where(begins, x / maximum(pull, TINY), self.turn[i + k])
        faded: Scalar = 1
        if not absent(self.fade):
            v = [self.along(i + k, self.column_v) for k in range(1, self.width)]
            faded = where(slid, 1 - exp(-self.fade * size(v)), 1)
        self.reach[j] = where(begins, kinetic * faded, self.reach[j])
        self.slides[j] = where(begins, 1, self.slides[j])

    def _least(self, A: Grid, c: Any, soft: Scalar) -> None:
        """Solve (13), where the friction of points that slide goes with their normal impulses."""
        rows, like, width = self.width * self.most, self.like, self.width
        B, H = Grid(rows, rows, like, blank=True), Grid(rows, rows, like, blank=True)
        g = Array(rows, like, blank=True)
        signed, asked, x = Array(rows, like), Array(rows, like), Array(rows, like)

        def columns(j: Any) -> None:
            i, slides = j * width, self.slides[j]
            signed[i], asked[i] = 1, 1
            for k in range(1, width):
                asked[i + k] = 1 - slides

            def entry(r: Any) -> None:
                along = sum((self.turn[i + k] * A[r, i + k] for k in range(1, width)), start=0)
                B[r, i] = A[r, i] + where(slides > 0, self.reach[j] * along, 0)
                for k in range(1, width):
                    B[r, i + k] = where(slides > 0, 0, A[r, i + k])

            self.rows(entry)

        self.each(columns)

        def normal(r: Any) -> None:
            def entry(s: Any) -> None:
                def product(i: Any, total: list) -> list:
                    return [total[0] + asked[i] * B[i, r] * B[i, s]]

                found = loop(self.active * width, product, [0 * soft])[0]
                H[r, s] = found + where(r == s, soft, 0)

            self.rows(entry)
            g[r] = loop(self.active * width, lambda i, total: [total[0] + asked[i] * B[i, r] * c[i]], [0 * soft])[0]

        self.rows(normal)
        nonnegative(H, g, signed, x, self.active * width, self.dropping)

        def take(j: Any) -> None:
            i, slides = j * width, self.slides[j]
            self.p[i] = x[i]
            for k in range(1, width):
                self.p[i + k] = where(slides > 0, self.reach[j] * x[i] * self.turn[i + k], x[i + k])

        self.each(take)

    def _mode(self, j: Any, p: Sequence[Scalar], slip: Sequence[Scalar]) -> Scalar:
        """At rest or sliding, as it was decided."""
        touches = (self.friction[j] > 0) & (p[0] > 0)
        return where(touches, where(self.slides[j] > 0, SLIDING, STUCK), OPEN)

    def _anchor(self, j: Any, local: Frame, mode: Scalar, speeds: Sequence[Scalar]) -> Vector:
        """The reference point: where it touched first, as long as it rests; of what slides, the point itself (20)."""
        v = [self.along(j * self.width + k, self.column_v) for k in range(self.width)]
        ways = self._way(j, v)
        place = local.point
        for axis, d in zip(local.axes[1:], ways, strict=True):
            place = place - axis * where(mode == STUCK, d, 0)
        return place
