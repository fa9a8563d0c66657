"""Closed forms: the same formulas that compute, run on SymPy's symbols. Course section 1 and 2.

Every number of the description that is not 0 becomes a symbol; what is 0, and right angles, vanish as they do in
programs. Numbers that say the same length of one link have one symbol, as a point mass at the end of a rod has.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from stiction.dynamics import kinematics
from stiction.dynamics.composite_body import mass_matrix
from stiction.dynamics.energy import kinetic_energy, potential_energy
from stiction.errors import InputError, unknown
from stiction.extras import needed
from stiction.robot.assembly import Assembly
from stiction.robot.feasibility import refuse_mimics
from stiction.robot.kinematics import frame_index
from stiction.robot.substitution import Substitution
from stiction.spatial import Vector

if TYPE_CHECKING:
    from stiction.robot.robot import Robot

MOST = 4  # joints whose closed forms a page can hold


class VelocityTerm(NamedTuple):
    """A term of the equations of motion that is quadratic in the velocities.

    Attributes:
        joint: in whose equation it stands.
        kind: "centripetal" (the square of one velocity) or "Coriolis" (the product of two).
        velocities: names of the joints whose velocities it holds.
        term: the term itself.
    """

    joint: str
    kind: str
    velocities: tuple[str, str]
    term: Any


class Symbolic:
    """The closed forms of a robot. It is made by `robot.symbolic()`.

    Attributes:
        robot: the robot.
        q: symbols of the positions.
        v: of the velocities.
        a: of the accelerations.
        g: of the acceleration of free fall.
        symbols: of the parameters, by the names that they have in `robot.parameters`.
        turns: symbols of entries of fixed rotations by other angles than 30°, 45° and 60°, by their sizes.

    Example:
        >>> import stiction
        >>> arm = stiction.library.two_link().symbolic(gravity=(0, -1, 0))
        >>> arm.mass_matrix[1, 1]
        L2**2*m2
        >>> arm.gravity_torque[1]
        L2*g*m2*cos(q1 + q2)
    """

    def __init__(self, robot: Robot, names: Mapping[str, Any], gravity: Sequence[float]) -> None:
        self._sp: Any = needed("sympy", "closed forms")
        if robot.nv > MOST or robot.nq != robot.nv:
            raise InputError(
                f"closed forms of robot '{robot.name}' ({robot.nv} velocities) would fill books; allowed: robots of up "
                f"to {MOST} joints of one degree of freedom. Lock some joints (robot.lock), or evaluate in numbers"
            )
        refuse_mimics(robot)
        gravity = _direction(gravity)
        self.robot, sp = robot, self._sp
        self.q, self.v, self.a = (
            [sp.Symbol(f"{letter}{k + 1}", real=True) for k in range(robot.nv)] for letter in ("q", "dq", "ddq")
        )
        self.g = sp.Symbol("g", positive=True)
        self._names = _chosen_names(robot, names, {str(x) for x in (*self.q, *self.v, *self.a, self.g)})
        self.symbols: dict[str, Any] = {}
        self.turns: dict[float, Any] = {}
        self._assembly = Assembly(robot, Substitution(self._symbol))
        size = sum(x * x for x in gravity) ** 0.5
        self._gravity = (
            Vector(*(sp.nsimplify(x / size) * self.g if x else 0 for x in gravity)) if size else Vector(0, 0, 0)
        )

    def _symbol(self, _: int, name: str, value: float) -> Any:
        """What stands for a parameter: its symbol; entries of rotations by angles of the drawing board are numbers,
        others symbols, one for each size.
        """
        sp = self._sp
        if not name:
            plain = next((x for x in self._plain() if abs(float(x) - abs(value)) < 1e-12), None)
            if plain is None:
                key = next((x for x in self.turns if abs(x - abs(value)) < 1e-12), abs(value))
                plain = self.turns.setdefault(key, sp.Symbol(f"r{len(self.turns) + 1}", real=True))
            return plain if value >= 0 else -plain
        word = self._names.get(name)
        if not isinstance(word, str):
            return sp.nsimplify(value if word is None else word)
        self.symbols[name] = sp.Symbol(word, real=True)
        return self.symbols[name]

    @property
    def values(self) -> dict[Any, float]:
        """Values of the symbols of the parameters [SI], and of those for entries of rotations."""
        found = {symbol: self.robot.parameters[name] for name, symbol in self.symbols.items()}
        return found | {symbol: value for value, symbol in self.turns.items()}

    def _plain(self) -> list[Any]:
        """Sines and cosines of angles of the drawing board, and products of two of them."""
        sp = self._sp
        one = [sp.Integer(0), sp.Integer(1), sp.Rational(1, 2), sp.sqrt(2) / 2, sp.sqrt(3) / 2]
        return one + [a * b for a in one[2:] for b in one[2:]]

    # Terms.

    @cached_property
    def mass_matrix(self) -> Any:
        """M(q), (n, n), rotors included."""
        M = mass_matrix(self._assembly.mechanism, list(self.q)).lists
        return self._simple(self._sp.Matrix(M))

    @cached_property
    def kinetic_energy(self) -> Any:
        """K(q, q̇) [J]."""
        return self._simple(kinetic_energy(self._assembly.mechanism, list(self.q), list(self.v)))

    @cached_property
    def potential_energy(self) -> Any:
        """P(q) [J]."""
        return self._simple(potential_energy(self._assembly.mechanism, list(self.q), self._gravity))

    @property
    def lagrangian(self) -> Any:
        """L = K − P [J]."""
        return self.kinetic_energy - self.potential_energy

    @cached_property
    def christoffel(self) -> list[list[list[Any]]]:
        """Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i), by i, j, k."""
        M, q, n = self.mass_matrix, self.q, range(len(self.q))

        def symbol(i: int, j: int, k: int) -> Any:
            return self._simple((M[i, j].diff(q[k]) + M[i, k].diff(q[j]) - M[j, k].diff(q[i])) / 2)

        return [[[symbol(i, j, k) for k in n] for j in n] for i in n]

    @cached_property
    def coriolis_matrix(self) -> Any:
        """C(q, q̇), (n, n), with C_ij = Σ_k Γ_ijk q̇_k."""
        n = range(len(self.q))
        return self._sp.Matrix([[sum(self.christoffel[i][j][k] * self.v[k] for k in n) for j in n] for i in n])

    @property
    def velocity_terms(self) -> list[VelocityTerm]:
        """c(q, q̇) term by term, each told centripetal or Coriolis."""
        names, found = self.robot.velocity_names, []
        for i, joint in enumerate(names):
            for j in range(len(names)):
                for k in range(j, len(names)):
                    factor = self.christoffel[i][j][k] * (1 if j == k else 2)
                    term = self._simple(factor * self.v[j] * self.v[k])
                    if term != 0:
                        kind = "centripetal" if j == k else "Coriolis"
                        found.append(VelocityTerm(joint, kind, (names[j], names[k]), term))
        return found

    @cached_property
    def gravity_torque(self) -> Any:
        """g(q) = ∂P/∂q, (n,)."""
        return self._sp.Matrix([self._simple(self.potential_energy.diff(x)) for x in self.q])

    @cached_property
    def equations(self) -> Any:
        """τ = M q̈ + c(q, q̇) + g(q), (n,): the Euler–Lagrange equations, put together from their terms."""
        return self.mass_matrix * self._sp.Matrix(self.a) + self.velocity_vector + self.gravity_torque

    @property
    def velocity_vector(self) -> Any:
        """c(q, q̇), (n,): all terms that are quadratic in the velocities."""
        zero = self._sp.Integer(0)
        sums = {name: zero for name in self.robot.velocity_names}
        for term in self.velocity_terms:
            sums[term.joint] += term.term
        return self._sp.Matrix(list(sums.values()))

    # Frames.

    def pose(self, frame: str) -> Any:
        """Pose of a frame in the world, (4, 4)."""
        X = kinematics.frame_pose(self._assembly.mechanism, self._frame(frame), list(self.q))
        rows = [[*row, p] for row, p in zip(X.rotation, X.position, strict=True)] + [[0, 0, 0, 1]]
        return self._simple(self._sp.Matrix(rows))

    def jacobian(self, frame: str, *, axes: str = "aligned") -> Any:
        """Jacobian of a frame, (6, n), angular rows first; `axes` as in `robot.jacobian`."""
        if axes not in kinematics.AXES:
            raise InputError(f"axes is {axes!r}; allowed: {', '.join(map(repr, kinematics.AXES))}")
        J = kinematics.jacobian(self._assembly.mechanism, self._frame(frame), list(self.q), axes)
        return self._simple(self._sp.Matrix([list(row) for row in J]))

    def task_inertia(self, frame: str, rows: Sequence[int]) -> Any:
        """Λ = J⁻ᵀ M J⁻¹ for as many rows of the Jacobian as there are joints (0 to 2 angular, 3 to 5 linear)."""
        wrong = InputError(
            f"rows is {list(rows)!r}; allowed: {len(self.q)} rows of 0 to 5 in which the Jacobian of '{frame}' is "
            "invertible"
        )
        if any(row not in range(6) for row in rows) or len(rows) != len(self.q):
            raise wrong
        J = self.jacobian(frame).extract(list(rows), list(range(len(self.q))))
        determinant = self._simple(J.det())
        if determinant == 0:
            raise wrong
        whole = J.adjugate()
        return self._simple(self._simple(whole.T * self.mass_matrix * whole) / determinant**2)

    def _frame(self, frame: str) -> Any:
        frame_index(self.robot, frame)
        return self._assembly.attachments[frame]

    def _simple(self, x: Any) -> Any:
        sp = self._sp
        return x.applyfunc(sp.simplify) if isinstance(x, sp.MatrixBase) else sp.simplify(x)

    # To read.

    def __str__(self) -> str:
        return "\n".join(f"{name} = {x}" for name, x in self._parts())

    def latex(self, term: Any = None) -> str:
        r"""One term as LaTeX, velocities with a dot; by default all of them, in an `align*` environment.

        Example:
            >>> import stiction
            >>> arm = stiction.library.rp_arm().symbolic(gravity=(0, -1, 0))
            >>> arm.latex(arm.velocity_vector[1])
            '- \\dot{q}_{1}^{2} m_{2} q_{2}'
        """
        if term is None:
            lines = [rf"{name} &= {self.latex(x)}" for name, x in self._parts()]
            return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}"
        dotted = {x: rf"\dot{{q}}_{{{k}}}" for k, x in enumerate(self.v, 1)}
        dotted |= {x: rf"\ddot{{q}}_{{{k}}}" for k, x in enumerate(self.a, 1)}
        inertias = {x: f"I_{{{str(x)[1:]}}}" for x in self.symbols.values() if str(x).startswith("I")}
        return self._sp.latex(term, symbol_names=dotted | inertias)

    def _parts(self) -> list[tuple[str, Any]]:
        """What a page shows, by the letters of the course."""
        return [
            ("K", self.kinetic_energy),
            ("P", self.potential_energy),
            ("M", self.mass_matrix),
            ("c", self.velocity_vector),
            ("g", self.gravity_torque),
        ]


def lagrange_equations(
    L: Any, q: Sequence[Any], v: Sequence[Any] | None = None, a: Sequence[Any] | None = None, **values: Any
) -> list[Any]:
    """The forces d/dt ∂L/∂q̇ − ∂L/∂q of a Lagrangian, in closed form.

    Args:
        L: the Lagrangian: an expression of SymPy; or a function of the lists of positions and velocities, and of
            `values`, such as `LagrangianBody` simulates. A symbol "t" in it is the time.
        q: symbols of the positions, or their names.
        v: symbols of the velocities; if not given, those of L that are called "dx" for a position "x".
        a: symbols of the accelerations; "ddx" likewise.
        values: what a function takes besides, numbers or symbols, by name.

    Example:
        >>> import stiction, sympy
        >>> from stiction.trace import cos
        >>> m = sympy.Symbol("m")
        >>> stiction.lagrange_equations(lambda q, v, m: m * v[0] * v[1] * cos(q[1]), ["x", "y"], m=m)
        [m*(ddy*cos(y) - dy**2*sin(y)), ddx*m*cos(y)]
    """
    sp: Any = needed("sympy", "closed forms")
    function = callable(L) and not isinstance(L, sp.Basic)
    within = set() if function else sp.sympify(L).free_symbols
    q = [_symbol_in(within, x, x) if isinstance(x, str) else x for x in q]
    for x in q:
        if not isinstance(x, sp.Symbol):
            raise InputError(
                f"q holds {x}; allowed: symbols or their names (write x and dx, not x(t) and its derivative)"
            )
    for name, given in (("v", v), ("a", a)):
        if given is not None and not isinstance(given, Sequence):
            raise InputError(f"{name} is {given!r}; allowed: symbols, one for each position. Call values otherwise")
    v, a = (given or [_symbol_in(within, f"{d}{x}", x) for x in q] for given, d in ((v, "d"), (a, "dd")))
    if not len(q) == len(v) == len(a):
        raise InputError(
            f"there are {len(q)} positions, {len(v)} velocities and {len(a)} accelerations; allowed: as many of each"
        )
    if function:
        L = L(list(q), list(v), **values)
    if not sp.sympify(L).free_symbols & set(v):
        raise InputError(
            f"the Lagrangian has none of the velocities {', '.join(map(str, v))}; give its own ones by v=[...]"
        )
    time = _symbol_in(sp.sympify(L).free_symbols, "t", "t")
    found = []
    for x, dx in zip(q, v, strict=True):
        push = sp.diff(L, dx)
        rate = sum(sp.diff(push, y) * dy + sp.diff(push, dy) * ddy for y, dy, ddy in zip(q, v, a, strict=True))
        explicit = 0 if time in q else sp.diff(push, time)
        found.append(sp.simplify(rate + explicit - sp.diff(L, x)))
    return found


def _symbol_in(within: set[Any], name: str, like: Any) -> Any:
    """The symbol of this name in an expression; where there is none, one with the same assumptions as another."""
    sp: Any = needed("sympy", "closed forms")
    known = [x for x in within if str(x) == name]
    if len(known) > 1:
        raise InputError(f"the Lagrangian has several symbols '{name}', with other assumptions each; allowed: one")
    return known[0] if known else sp.Symbol(name, **({} if isinstance(like, str) else like.assumptions0))


def symbolic(
    robot: Robot, *, names: Mapping[str, Any] | None = None, gravity: Sequence[float] = (0.0, 0.0, -1.0)
) -> Symbolic:
    """The closed forms of a robot of few joints, by SymPy.

    Args:
        robot: the robot, of up to 4 joints of one degree of freedom. Closed forms of planar arms take seconds, those of
            3 and 4 joints in space some minutes: each term is worked out when it is first asked for.
        names: of the symbols of parameters, by the parameters' names in `robot.parameters`, such as
            {"forearm.mass": "m"}; the same name makes two parameters one; a number puts that number in.
        gravity: direction of free fall, 3 numbers.

    Example:
        >>> import stiction
        >>> for term in stiction.library.rp_arm().symbolic(gravity=(0, -1, 0)).velocity_terms:
        ...     print(term.joint, term.kind, term.term)
        turn Coriolis 2*dq1*dq2*m2*q2
        slide centripetal -dq1**2*m2*q2
    """
    return Symbolic(robot, names or {}, gravity)


def _direction(gravity: Any) -> list[float]:
    """Three finite numbers."""
    try:
        found = [float(x) for x in gravity]
    except (TypeError, ValueError):
        found = []
    if len(found) != 3 or not all(math.isfinite(x) for x in found):
        raise InputError(f"gravity is {gravity!r}; allowed: 3 finite numbers, the direction of free fall")
    return found


def _labels(robot: Robot) -> dict[str, str]:
    """A label for each link: the number of the joint that moves it; what is fixed to such a link has its number and a
    letter, 2b, 2c and so on; what does not move has number 0.
    """
    moved = {joint.child: str(k + 1) for k, joint in enumerate(robot.moving_joints)}
    carrier = {joint.child: joint.parent for joint in robot.joints}
    found: dict[str, str] = {}
    fixed: dict[str, int] = {}
    for link in robot.links:
        top = link.name
        while top not in moved and top in carrier:
            top = carrier[top]
        label = moved.get(top, "0")
        if link.name != top:
            fixed[label] = fixed.get(label, 0) + 1
            label += chr(ord("a") + fixed[label]) if fixed[label] < 26 else f"_{fixed[label]}"
        found[link.name] = label
    return found


def _chosen_names(robot: Robot, given: Mapping[str, Any], reserved: set[str]) -> dict[str, Any]:
    """Names of the symbols, by parameter: a letter with the label of the link. Lengths along one axis of a link that
    are equal are one.
    """
    known = robot.parameters
    for name in given:
        if name not in known:
            raise InputError(unknown("parameter", name, f"robot '{robot.name}'", known))
    number = _labels(robot)
    found: dict[str, Any] = {}
    for link in robot.links:
        k = number[link.name]
        found[f"{link.name}.mass"] = f"m{k}"
        found |= {f"{link.name}.inertia.{c}": f"I{k}{c}" for c in ("xx", "yy", "zz", "xy", "xz", "yz")}
    for n, joint in enumerate(robot.moving_joints, 1):
        if joint.rotor_inertia:
            found |= {f"{joint.name}.rotor_inertia": f"J{n}", f"{joint.name}.gear_ratio": f"n{n}"}
    lengths: dict[tuple[str, str, float], str] = {}
    for k, name in _lengths(robot, number):
        for c in "xyz":
            value = known.get(f"{name}.{c}", 0.0)
            if value:
                usual = itertools.chain((f"L{k}", f"L{k}{c}"), (f"L{k}{c}{j}" for j in itertools.count(2)))
                free = next(x for x in usual if x not in lengths.values())
                found[f"{name}.{c}"] = lengths.setdefault((k, c, value), free)
    chosen = found | dict(given)
    for name, word in given.items():
        _check_word(robot, name, word, chosen, reserved)
    return chosen


def _check_word(robot: Robot, name: str, word: Any, chosen: Mapping[str, Any], reserved: set[str]) -> None:
    """Refuse a name that means something else: two parameters may share one if they are equal, and of a kind."""
    if not isinstance(word, str):
        return
    if word in reserved:
        raise InputError(f"names: '{word}' for '{name}' is a symbol of the motion or of gravity; choose another name")
    known = robot.parameters
    kind = lambda x: next((c for c in ("mass", "inertia", "gear_ratio") if c in x.split(".")), "length")  # noqa: E731
    for other, same in chosen.items():
        if same == word and other in known and (known[other] != known[name] or kind(other) != kind(name)):
            raise InputError(
                f"names: '{word}' for '{name}' ({known[name]:g}) also stands for '{other}' ({known[other]:g}); "
                "allowed: one name for parameters of one kind that are equal; choose another name"
            )


def _lengths(robot: Robot, number: Mapping[str, str]) -> list[tuple[str, str]]:
    """What has a place in a link: the label of the link, and the name of the three parameters."""
    places = [(number[link.name], f"{link.name}.center_of_mass") for link in robot.links]
    places += [(number[joint.parent], f"{joint.name}.origin") for joint in robot.joints]
    return places + [(number[frame.link], f"{frame.name}.frame") for frame in robot.frames]
