"""Controllers of what a tool does: operational space, and motion and force at once under a constraint.

Both reckon with the mass matrix: forces at the tool are what accelerations there take (course, section 6), and what a
constraint holds is told apart from what it leaves free (course, section 7).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from stiction.constraint.constraint import ENDS, WORLD, Constraint
from stiction.constraint.rows import present_motion, unit_motions
from stiction.control.registry import CONTROLLERS
from stiction.control.whole_arm import PER_JOINT, TRACKING, ArmController, tracking_errors, turn_between
from stiction.fields import number, text, texts
from stiction.parts.kinds import Ports
from stiction.parts.robot_body import RobotBody
from stiction.robot.task_space import arms_length
from stiction.rows.ranked import arranged, eliminated_ranks, ranked, solved_ranked
from stiction.spatial import Vector
from stiction.trace.derivative import directional
from stiction.trace.functions import Scalar, clip, constant, maximum, minimum, where
from stiction.trace.grid import factor, solve

DIRECTIONS = ("wx", "wy", "wz", "x", "y", "z")
TINY = 1e-30  # of compliances, that is none
REACTION = "reaction"  # port by which the multipliers of a constraint are read
PUSH = "push"  # what it is pushed with
Matrix = list[list[Scalar]]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return sum((x * y for x, y in zip(a, b, strict=True)), start=0)


@CONTROLLERS.add
@dataclass(frozen=True, kw_only=True)
class OperationalSpace(ArmController):
    """τ = Jᵀ Λ (ẍ_ref + stiffness · ε + damping · ε̇ − J̇ q̇) + h + Nᵀ M q̈_posture: the tool follows the reference along
    some directions as if it were free of all else, and what is left of the arm keeps the posture of the reference.

    Near a singularity Λ is damped, so that torques stay finite while the tool lags; a run notes it. The signal
    "control.ROBOT.openness" tells: det A over the power of its mean entry, for A = J M⁻¹ Jᵀ with angles at arm's
    length, times that entry over the largest of any direction: 1 where all is moved alike, 0 at a singularity.

    Attributes:
        frame: the tool: a frame or link of the robot.
        directions: some of "wx", "wy", "wz" (turns about the world's axes) and "x", "y", "z" (ways along them).
        stiffness: gain of the error [1/s²].
        damping: gain of its rate [1/s].
        posture_stiffness: gain of the error of joints, as far as that does not move the tool [1/s²].
        posture_damping: gain of its rate [1/s].
        damped: openness below which Λ is damped; above it, it is exact.

    Example:
        >>> import stiction
        >>> gains = {"stiffness": 400.0, "damping": 40.0, "posture_damping": 5.0}
        >>> brain = stiction.OperationalSpace(
        ...     clock=stiction.Clock(period=1e-3), frame="tip", directions=("x", "y"), **gains
        ... )
        >>> move = stiction.PointToPoint(start=[0.5, 1.0], stop=[0.8, 0.6], velocity=1.0, acceleration=5.0)
        >>> scene = stiction.Scene(robot=stiction.library.two_link(), control={"robot": brain}, reference=move)
        >>> run = stiction.simulate(scene, duration=2.0, step=1e-3)
        >>> bool(abs(run["q.elbow"][-1] - 0.6) < 1e-6)
        True
    """

    reads = (*TRACKING, "target_acceleration")

    frame: str = text()
    directions: Sequence[str] = texts(("x", "y", "z"))
    stiffness: float = number(least=0)
    damping: float = number(least=0)
    posture_stiffness: float = number(0.0, least=0)
    posture_damping: float = number(0.0, least=0)
    damped: float = number(1e-3, above=0, most=1)

    def conflicts(self) -> Sequence:
        """Directions that there are, each once."""
        known = bool(self.directions) and len(set(self.directions)) == len(self.directions) <= 6
        good = known and all(x in DIRECTIONS for x in self.directions)
        return [(not good, f"directions is {self.directions!r}; allowed: some of {', '.join(DIRECTIONS)}")]

    @property
    def tool(self) -> str:
        """Its frame."""
        return self.frame

    def on(self, body: RobotBody, *more: Any, **options: Any) -> "OperationalSpace":
        """The same for a robot, which has at least as many joints as there are directions."""
        if len(self.directions) > body.robot.nv:
            raise self.refusal(
                f"directions are {len(self.directions)}, and robot '{body.robot.name}' has {body.robot.nv} velocities; "
                "choose fewer"
            )
        made: Any = super().on(body, *more, **options)
        return made

    def memory(self) -> Mapping[str, float]:
        """The errors, and how open the arm is."""
        return {**super().memory(), "openness": 1.0}

    def decide(self, inputs: Ports, memory: list[Scalar], t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torques at a tick, and how open the arm is."""
        outputs, errors = super().decide(inputs, memory, t)
        return outputs, [*errors, self._felt(list(inputs["position"]))[2]]

    def _along(self, motion: Ports) -> list[Scalar]:
        """The velocities along the directions."""
        both = [*motion[f"{self.frame}.angular"], *motion[f"{self.frame}.velocity"]]
        return [both[DIRECTIONS.index(x)] for x in self.directions]

    def _rows(self, q: list[Scalar], directions: Sequence[str]) -> Matrix:
        """J, a row for each direction."""
        n = self.model.body.robot.nv
        moving = [self.model.motion(q, [int(j == k) for j in range(n)]) for k in range(n)]
        columns = [[*motion[f"{self.frame}.angular"], *motion[f"{self.frame}.velocity"]] for motion in moving]
        return [[column[DIRECTIONS.index(x)] for column in columns] for x in directions]

    def _jacobian(self, q: list[Scalar]) -> Matrix:
        """J along its directions."""
        return self._rows(q, self.directions)

    def _turning(self, q: list[Scalar], v: list[Scalar]) -> list[Scalar]:
        """J̇ v: accelerations along the directions, where joints do not accelerate."""
        here, held = [constant(x) for x in q], [constant(x) for x in v]
        moving = present_motion(self.model.body, [*here, *held])
        return directional(self._along(self.model.motion(here, held)), moving)

    def _felt(self, q: list[Scalar]) -> tuple[Matrix, Any, Scalar]:
        """J, equations with J M⁻¹ Jᵀ (damped), and how open the arm is."""
        J = self._jacobian(q)
        respond = partial(solve, factor(self.model.mass_matrix(q)))
        back = [respond(list(row)) for row in J]
        A = [[_dot(a, b) for b in back] for a in J]
        scale = [self._length if x.startswith("w") else 1.0 for x in self.directions]
        scaled = [[x * a * b for x, b in zip(row, scale, strict=True)] for row, a in zip(A, scale, strict=True)]
        openness, largest = self._openness(q, scaled, respond)
        short = maximum(0, 1 - openness / self.damped)
        added = self.damped * largest * short * short
        stiff = [
            [x + added / a**2 if i == j else x for j, x in enumerate(row)]
            for i, (row, a) in enumerate(zip(A, scale, strict=True))
        ]
        return J, partial(solve, factor(stiff)), openness

    @property
    def _length(self) -> float:
        """By which angles count as ways [m]."""
        return arms_length(self.model.body.robot)

    def _openness(self, q: list[Scalar], A: Matrix, respond: Any) -> tuple[Scalar, Scalar]:
        """Det A over the power of its mean entry, times that over the largest of any direction; and the largest."""
        k, mean = len(A), sum((row[i] for i, row in enumerate(A)), start=0) / len(A)
        largest: Scalar = TINY
        for row, size in zip(self._rows(q, DIRECTIONS), [self._length] * 3 + [1.0] * 3, strict=True):
            largest = maximum(largest, size * size * _dot(row, respond(list(row))))
        pivots = eliminated_ranks(A, lambda i, pivot: pivot > TINY * A[i][i])
        shape: Scalar = 1
        for i in range(k):
            shape = shape * maximum(0, pivots.factors[i][i]) / maximum(mean, TINY * largest)
        return minimum(1, shape) * minimum(1, mean / largest), largest

    def wish(self, q: list[Scalar], v: list[Scalar], inputs: Ports) -> Sequence[Scalar]:
        """Forces at the tool, carried to the joints; what rest and motion take; and the posture."""
        goal, speeds, rates = (list(inputs[x]) for x in ("target", "target_velocity", "target_acceleration"))
        here, there = self.model.motion(q, v), self.model.motion(goal, speeds)
        turn = list(turn_between(here[f"{self.frame}.rotation"], there[f"{self.frame}.rotation"]))
        way = list(Vector(*there[f"{self.frame}.position"]) - Vector(*here[f"{self.frame}.position"]))
        away = [[*turn, *way][DIRECTIONS.index(x)] for x in self.directions]
        reached = [_dot(row, rates) for row in self._jacobian(goal)]
        wanted = [
            a + b + self.stiffness * e + self.damping * (w - u)
            for a, b, e, w, u in zip(
                reached, self._turning(goal, speeds), away, self._along(there), self._along(here), strict=True
            )
        ]
        J, felt, _ = self._felt(q)
        force = felt([a - b for a, b in zip(wanted, self._turning(q, v), strict=True)])
        taken = self.model.torque(q, v, [0] * len(q))
        both = zip(goal, q, speeds, v, strict=True)
        posture = [self.posture_stiffness * (a - b) + self.posture_damping * (c - d) for a, b, c, d in both]
        moved = felt([_dot(row, posture) for row in J])  # what of it the tool would feel
        M = self.model.mass_matrix(q)
        bent = [_dot(row, posture) for row in M]
        pushed = [_dot(column, [a - b for a, b in zip(force, moved, strict=True)]) for column in zip(*J, strict=True)]
        return [a + b + c for a, b, c in zip(taken, pushed, bent, strict=True)]


@CONTROLLERS.add
@dataclass(frozen=True, kw_only=True)
class HybridControl(ArmController):
    """τ = M a + h + Aᵀ λ: motion along what a constraint leaves free, and force against what it holds.

    a is the acceleration nearest to that of a computed torque, q̈_ref + stiffness · ε + damping · ε̇, which the
    constraint allows; λ = force + gain · error + integral gain · ∫ error, with the error between the force and the
    measured multipliers.

    Attributes:
        constraint: name of a constraint of the scene, between this robot and the world or between its joints.
        force: wanted multipliers [N, N·m or as the constraint has them], one or one for each row.
        stiffness: gain of the error of the motion [1/s²], (n,) or one for all.
        damping: gain of its rate [1/s], likewise.
        force_gain: of the error of the force.
        force_integral: of its integral [1/s].
        force_limit: largest sum of the integral [as the force].

    Example:
        >>> import stiction
        >>> brain = stiction.HybridControl(
        ...     clock=stiction.Clock(period=1e-3), constraint="table", force=10.0, stiffness=100.0, damping=20.0
        ... )
        >>> brain.force
        (10.0,)
    """

    reads = (*TRACKING, "target_acceleration")
    per_joint = (*PER_JOINT, "stiffness", "damping")
    described = ("constraint",)
    kept: ClassVar[Constraint]  # as soon as it is on a robot
    inner: ClassVar[tuple[str, ...]]  # the robot's own names of the joints that it reads

    constraint: str = text()
    force: float | Sequence[float] = 0.0
    stiffness: float | Sequence[float] = 0.0
    damping: float | Sequence[float] = 0.0
    force_gain: float = number(0.0, least=0)
    force_integral: float = number(0.0, least=0)
    force_limit: float = number(1e12, above=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.force
        try:
            several = hasattr(given, "__len__") and not isinstance(given, str)
            self._set("force", tuple(map(float, given)) if several else (float(given),))
        except (TypeError, ValueError):
            self._set("force", (math.nan,))
        if not all(map(math.isfinite, self.force)):  # type: ignore[arg-type]
            raise self.refusal(f"force is {given!r}; allowed: a finite number, or one for each row")

    def under(self, kept: Constraint, robot: str, joints: Mapping[str, str]) -> "HybridControl":
        """The same for a constraint of the scene; `joints` are those of the robot: their own names, by those in the
        scene.
        """
        for joint in kept.joints:
            if joint not in joints:
                raise self.refusal(
                    f"constraint '{self.constraint}' holds joint '{joint}', which is none of '{robot}'; allowed: "
                    f"{', '.join(joints)}"
                )
        for end in kept.frames:
            if end != WORLD and not end.startswith(f"{robot}."):
                raise self.refusal(
                    f"constraint '{self.constraint}' holds '{end}', which is no frame of '{robot}'; allowed: frames of "
                    f"the robot, and '{WORLD}'"
                )
        force: Any = self.force
        rows = len(kept.multipliers)
        if len(force) not in (1, rows):
            raise self.refusal(f"force has {len(force)} numbers; constraint '{self.constraint}' has {rows} rows")
        made = replace(self, force=force * rows if len(force) == 1 else force)
        made._set("kept", kept)
        made._set("inner", tuple(joints[x] for x in kept.joints))
        return made

    def on(self, body: RobotBody, *more: Any, **options: Any) -> "HybridControl":
        """The same for a robot: with the frames that the constraint holds, and a port for what it takes."""
        made: Any = super().on(body, *more, **options)
        frames = {end.partition(".")[2] for end in self.kept.frames if end != WORLD} | set(made.model.body.frames)
        made._set("model", replace(made.model, body=replace(made.model.body, frames=tuple(sorted(frames)))))
        made._set("kept", self.kept)
        made._set("inner", self.inner)
        made._set("inputs", {**made.inputs, REACTION: len(self.kept.multipliers)})
        return made

    def with_parameters(self, substitution: Any) -> "HybridControl":
        """Its own numbers, and those of the constraint as it knows it."""
        twin: Any = super().with_parameters(substitution)
        twin._set("kept", self.kept.with_parameters(substitution.inside("kept")))
        return twin

    def memory(self) -> Mapping[str, float]:
        """The errors of the motion, and the sums of those of the force."""
        return {**super().memory(), **{f"force_sum.{k}": 0.0 for k in range(len(self.kept.multipliers))}}

    def _missing(self, inputs: Ports, t: Scalar) -> list[Scalar]:
        """From the measured multipliers to the wanted ones; before the first step nothing is measured."""
        wanted: Any = self.force
        return [where(t > 0, a - b, 0) for a, b in zip(wanted, inputs[REACTION], strict=True)]

    def decide(self, inputs: Ports, memory: list[Scalar], t: Scalar) -> tuple[Ports, list[Scalar]]:
        """The torques at a tick, with the sums so far, which then go on."""
        rows = len(self.kept.multipliers)
        missing = self._missing(inputs, t)
        sums = [
            clip(s + self.force_integral * self.clock.period * e, -self.force_limit, self.force_limit)
            for s, e in zip(memory[-rows:], missing, strict=True)
        ]
        push = [f + self.force_gain * e + s for f, e, s in zip(self.force, missing, sums, strict=True)]  # type: ignore[arg-type]
        outputs, errors = super().decide({**inputs, PUSH: push}, memory[:-rows], t)
        return outputs, [*errors, *sums]

    def _seen(self, q: list[Scalar], v: list[Scalar]) -> dict[str, list[Scalar]]:
        """What the constraint reads, by the model."""
        robot, motion = self.model.body.robot, self.model.motion(q, v)
        seen = {
            port: [x[names.index(joint)] for joint in self.inner]
            for port, x, names in (("q", q, robot.position_names), ("v", v, robot.velocity_names))
        }
        for word, end in zip(ENDS, self.kept.frames, strict=False):
            frame = end.partition(".")[2]
            for port in ("position", "rotation", "velocity", "angular") if end != WORLD else ():
                seen[f"{word}_{port}"] = motion[f"{frame}.{port}"]
        return {port: seen[port] for port in self.kept.inputs}

    def rows(self, q: list[Scalar], v: list[Scalar]) -> tuple[Matrix, list[Scalar]]:
        """A, and Ȧ v, at positions by which slopes can be taken."""
        body, n = self.model.body, len(v)
        gaps = list(self.kept.gaps(self._seen(q, v)))
        columns = [directional(gaps, seeds) for seeds in unit_motions(body, [*q, *v])]
        if self.kept.keeps_velocities:
            units = [self._seen(q, [int(j == k) for j in range(n)]) for k in range(n)]
            columns = [[*a, *self.kept.velocities(seen)] for a, seen in zip(columns, units, strict=True)]
        A = [list(row) for row in zip(*columns, strict=True)]
        return A, directional([_dot(row, v) for row in A], present_motion(body, [*q, *v]))

    def _groups(self) -> list[Any]:
        """Which rows have one unit."""
        names = self.kept.multipliers
        return [name.partition(".")[0] if self.kept.alike else k for k, name in enumerate(names)]

    def wish(self, q: list[Scalar], v: list[Scalar], inputs: Ports) -> Sequence[Scalar]:
        """Inverse dynamics of what is free, and the force against what is not."""
        q, v = [constant(x) for x in q], [constant(x) for x in v]
        pulls = tracking_errors(inputs, self.stiffness, self.damping)
        wanted = [a + x for a, x in zip(inputs["target_acceleration"], pulls, strict=True)]
        A, rate = self.rows(q, v)
        respond = partial(solve, factor(self.model.mass_matrix(q)))
        ordered = arranged(A, rate, self._groups())
        back = [respond(list(row)) for row in ordered.rows]
        held = ranked(ordered.rows, back, ordered.firm)
        over = solved_ranked(held, [_dot(row, wanted) + r for row, r in zip(ordered.rows, ordered.gaps, strict=True)])
        allowed = [a - sum((b[k] * x for b, x in zip(back, over, strict=True)), start=0) for k, a in enumerate(wanted)]
        pushed = [_dot(column, inputs[PUSH]) for column in zip(*A, strict=True)]
        return [a + b for a, b in zip(self.model.torque(q, v, allowed), pushed, strict=True)]
