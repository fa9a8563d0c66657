"""A scene: robots and other parts, their friction, the torques on them and where they start. What users describe and simulate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from stiction.errors import StictionError, unknown
from stiction.friction import Coulomb, Viscous
from stiction.friction.law import Law
from stiction.robot.motion import GRAVITY
from stiction.robot.robot import Robot
from stiction.simulation.bodies import FreeBody, RobotBody
from stiction.simulation.forces import Friction, Source
from stiction.simulation.network import Network, Term, Wire
from stiction.simulation.part import Part, places
from stiction.trace.functions import Scalar

OURS = ("friction ", "torque ")  # first words of the parts that a scene makes


class SceneError(StictionError):
    """A scene names something that is not there, or cannot be simulated as it is."""


@dataclass(frozen=True, kw_only=True)
class FrictionSite:
    """Friction on a combination of joint velocities.

    Attributes:
        law: the friction law.
        joints: factor of each joint's velocity, by the joint's name.

    Example:
        >>> import stiction
        >>> wrist = stiction.FrictionSite(law=stiction.Coulomb(level=2.0), joints={"joint5": 1, "joint6": 1})
    """

    law: Law
    joints: Mapping[str, float]

    def __post_init__(self) -> None:
        if not isinstance(self.law, Law):
            raise SceneError(f"FrictionSite: law is {self.law!r}; allowed: a friction law")
        if not isinstance(self.joints, Mapping) or not self.joints:
            raise SceneError(f"FrictionSite: joints is {self.joints!r}; allowed: a factor for each joint, such as {{'joint5': 1, 'joint6': 1}}")
        object.__setattr__(self, "joints", {name: _number(f"FrictionSite: the factor of joint '{name}'", x) for name, x in self.joints.items()})


def _number(what: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e15:
        raise SceneError(f"{what} is {value!r}; allowed: a finite number")
    return float(value)


Torque = float | Callable[[Scalar], Scalar]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What is simulated.

    Joints are called by their names; with several robots by "robot.joint".

    Attributes:
        robot: the robot, if there is one alone.
        robots: several robots, by name.
        parts: further parts (bodies, springs, grounds, your own), by name.
        wires: what drives the inputs of the parts; a robot's ports are "robot.q", "robot.v" and "robot.torque" ("NAME.q", ... of several).
        friction: law at each joint, by the joint's name; or `FrictionSite` objects under names of your choice. Damping and friction
            in a robot's description count where nothing is given here; None at a joint takes them away.
        torque: at each joint [N·m or N], by name: a number, a `Table`, or a formula of the time t [s] (a function that uses `stiction.trace`).
        gravity: acceleration of free fall [m/s²], 3 numbers.
        q: positions at the start [rad or m], (nq,), or by name; 0 by default.
        v: velocities at the start [rad/s or m/s], (nv,), or by name; 0 by default.

    Example:
        >>> import stiction
        >>> scene = stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": stiction.Coulomb(level=1.0)}, q={"joint1": 0.05})
        >>> run = stiction.simulate(scene, duration=10.0, step=1e-3, method="semi_implicit", record=1.0)
        >>> run["q.joint1"][-1] == 0.05  # 0.49 N·m of gravity, held
        np.True_
    """

    robot: Robot | None = None
    robots: Mapping[str, Robot] = field(default_factory=dict)
    parts: Mapping[str, Part] = field(default_factory=dict)
    wires: Sequence[Wire] = ()
    friction: Mapping[str, Law | FrictionSite | None] = field(default_factory=dict)
    torque: Mapping[str, Torque] = field(default_factory=dict)
    gravity: Sequence[float] = GRAVITY
    q: Any = ()
    v: Any = ()

    def __post_init__(self) -> None:
        self._check_parts()
        for name, torque in self.torque.items():
            self._known(name, self.joints, "torque")
            if not callable(torque):
                _number(f"torque of '{name}'", torque) if not isinstance(torque, str) else _refuse_text(name, torque)
        for name, part in self.friction.items():
            if part is not None and not isinstance(part, (Law, FrictionSite)):
                raise SceneError(f"friction '{name}' is {part!r}; allowed: a friction law, a FrictionSite, or None")
            for joint in part.joints if isinstance(part, FrictionSite) else (name,):
                self._known(joint, self.joints, f"friction '{name}'")
        if not isinstance(self.gravity, (list, tuple)) or len(self.gravity) != 3:
            raise SceneError(f"gravity is {self.gravity!r}; allowed: 3 numbers [m/s²], such as (0, 0, -9.81)")
        object.__setattr__(self, "gravity", tuple(_number("gravity", x) for x in self.gravity))
        for what in ("q", "v"):
            object.__setattr__(self, what, self._state(what, getattr(self, what)))
        _ = self.network  # checks the numbers and the wires

    def _check_parts(self) -> None:
        if self.robot is not None and self.robots:
            raise SceneError("give either robot or robots; one robot alone is robot, several are robots")
        for name, robot in self.machines.items():
            if not isinstance(robot, Robot):
                raise SceneError(f"robot '{name}' is {robot!r}; allowed: Robot objects")
            if "." in name or name in ("q", "v", "friction", "torque", "gravity", "energy", "work", "loss"):
                raise SceneError(f"a robot cannot be called '{name}'; choose a name without dots that is no name of a signal")
        if not self.machines and not self.parts:
            raise SceneError("the scene is empty; give a robot, robots or parts")
        for name, part in self.parts.items():
            if not isinstance(part, Part):
                raise SceneError(f"part '{name}' is {part!r}; allowed: Admittance and Impedance objects")
            if name in self.machines or name.startswith(OURS) or name == "torque" or "." in name:
                raise SceneError(f"a part cannot be called '{name}' in this scene; choose another name, without dots")

    def _known(self, joint: str, joints: Any, where: str) -> None:
        if joint not in joints:
            raise SceneError(unknown("joint", joint, self._owner, joints) + f" (in {where})")

    @property
    def _owner(self) -> str:
        return f"robot '{self.robot.name}'" if self.robot is not None else "this scene"

    def _state(self, what: str, given: Any) -> tuple[float, ...]:
        usual = {
            self._key(name, inner): x
            for name, r in self.machines.items()
            for inner, x in zip(*((r.position_names, r.neutral) if what == "q" else (r.velocity_names, [0.0] * r.nv)), strict=True)
        }
        if isinstance(given, Mapping):
            for name in given:
                self._known(name, usual, what)
            return tuple(_number(f"{what} of '{name}'", given.get(name, float(x))) for name, x in usual.items())
        try:
            values = [_number(what, float(x)) for x in given]
        except (TypeError, ValueError):
            raise SceneError(f"{what} is {given!r}; allowed: {len(usual)} numbers, or numbers by name") from None
        if values and len(values) != len(usual):
            raise SceneError(f"{what} has {len(values)} numbers; allowed: {len(usual)} ({', '.join(usual)}), or numbers by name")
        return tuple(values or (float(x) for x in usual.values()))

    @cached_property
    def machines(self) -> dict[str, Robot]:
        """The robots, by the names of their parts in the network."""
        return {"robot": self.robot} if self.robot is not None else dict(self.robots)

    def _key(self, robot: str, name: str) -> str:
        return name if self.robot is not None else f"{robot}.{name}"

    @cached_property
    def joints(self) -> dict[str, tuple[str, str]]:
        """Robot and inner name of every velocity, by the name it has in the scene."""
        return {self._key(robot, name): (robot, name) for robot, r in self.machines.items() for name in r.velocity_names}

    @cached_property
    def sites(self) -> dict[str, FrictionSite]:
        """All friction as sites, by name: what the robots' descriptions say, and what the scene says instead or in addition."""
        found: dict[str, Law | FrictionSite | None] = {}
        for key, (robot, name) in self.joints.items():
            found[key] = described(self.machines[robot], name)
        found |= self.friction
        made = {name: part if isinstance(part, FrictionSite) else FrictionSite(law=part, joints={name: 1}) for name, part in found.items() if part is not None}
        return {name: made[name] for name in [*self.friction, *made] if name in made}

    @cached_property
    def network(self) -> Network:
        """The scene as a network."""
        parts: dict[str, Part] = {}
        terms: dict[str, list[Term | str]] = {}
        first = {"q": 0, "v": 0}
        for name, robot in self.machines.items():
            states = {what: getattr(self, what)[first[what] : first[what] + size] for what, size in (("q", robot.nq), ("v", robot.nv))}
            first = {what: first[what] + len(states[what]) for what in first}
            parts[name] = RobotBody(robot=robot, gravity=tuple(self.gravity), **states)  # type: ignore[arg-type]
            given = self._torques(name)
            terms[name] = []
            if given:
                parts[f"torque {name}"] = Source(functions=tuple(given.values()), names=tuple(given))
                terms[name].append(Term(f"torque {name}.force", [[float(inner == joint) for joint in given] for inner in robot.velocity_names]))
        wires: list[Wire] = []
        for name, site in self.sites.items():
            self._place(name, site, parts, wires, terms)
        for name, part in self.parts.items():
            parts[name] = replace(part, gravity=self.gravity) if isinstance(part, FreeBody) and part.gravity is None else part  # type: ignore[arg-type]
        return Network(parts=parts, wires=[*wires, *self._joined(terms)])

    def _torques(self, robot: str) -> dict[str, Torque]:
        """The torques on a robot, by the names of its velocities."""
        return {inner: self.torque[key] for key, (owner, inner) in self.joints.items() if owner == robot and key in self.torque}

    def _place(self, name: str, site: FrictionSite, parts: dict[str, Part], wires: list[Wire], terms: dict[str, list[Term | str]]) -> None:
        """Put friction on its joints."""
        part = f"friction {name}"
        parts[part] = Friction(law=site.law)
        seen: list[Term | str] = []
        for robot, r in self.machines.items():
            row = [site.joints.get(self._key(robot, inner), 0.0) for inner in r.velocity_names]
            if any(row):
                seen.append(Term(f"{robot}.v", [row]))
                terms[robot].append(Term(f"{part}.torque", [[-x] for x in row]))
        wires.append(Wire(f"{part}.velocity", seen))

    def _joined(self, terms: dict[str, list[Term | str]]) -> list[Wire]:
        """The wires of the user; what drives a robot joins what the scene puts there."""
        made = []
        for wire in self.wires:
            robot = wire.target.rpartition(".")[0]
            if wire.target == f"{robot}.torque" and robot in terms and not wire.shift:
                terms[robot].extend(wire.terms)
            else:
                made.append(wire)
        return [*made, *(Wire(f"{robot}.torque", given) for robot, given in terms.items() if given)]

    # Names: what the network calls "robot.q.joint1" and "friction joint1.torque" is "q.joint1" and "friction.joint1" to the user.

    def plain(self, name: str) -> str:
        """A number, state or signal of the network under the name that users know."""
        head, _, rest = name.partition(".")
        if head in ("work", "loss", "stored"):
            return f"{head}.{rest.replace('friction ', 'friction.', 1).replace('torque ', 'torque.', 1)}"
        if head.startswith("friction "):
            site = next(site for site in self.sites if name.startswith(f"friction {site}."))
            inner = name.removeprefix(f"friction {site}.")
            return f"friction.{site}.{inner.removeprefix('law.')}" if inner.startswith("law.") else f"{'friction' if inner == 'torque' else inner}.{site}"
        if head.startswith("torque "):
            robot = head.removeprefix("torque ")
            return f"torque.{self._key(robot, self._driven(robot, rest))}"
        if rest.startswith("gravity.") and (head in self.machines or (isinstance(self.parts.get(head), FreeBody) and self.parts[head].gravity is None)):  # type: ignore[attr-defined]
            return rest
        if head in self.machines:
            kind, _, inner = rest.partition(".")
            if kind == "robot":
                return f"{head}.{inner}"
            return f"{kind}.{self._key(head, inner)}"
        return name

    def _driven(self, robot: str, port: str) -> str:
        """The joint that a number or an output of a drive is for."""
        names = list(self._torques(robot))
        if port in names:
            return port
        return names[places(len(names)).index(port.removeprefix("force."))] if port != "force" else names[0]

    def unit(self, name: str) -> str:
        """The unit of a signal of the network, by the name that the network gives it."""
        head, _, rest = name.partition(".")
        if head in ("energy", "work", "loss", "stored"):
            return "J"
        if name == "residual":
            return "N·m or N"
        if head.startswith("torque "):
            return self._unit_of_joint(self.plain(name).removeprefix("torque."), "torque")
        if head.startswith("friction "):
            kind, _, site = self.plain(name).partition(".")
            if kind in ("mode", "switches"):
                return "1"
            return self._unit_of_joint(next(iter(self.sites[site].joints)), {"bend": "q", "fastest": "v"}.get(kind, "torque"))
        return self.network.parts[head].unit(rest) if head in self.network.parts else ""

    def _unit_of_joint(self, joint: str, kind: str) -> str:
        robot, inner = self.joints[joint]
        body = self.network.parts[robot]
        return body.unit(f"{kind}.{inner}")


def described(robot: Robot, velocity: str) -> Law | None:
    """The friction that a robot's own description gives to one of its velocities."""
    joints = {joint.name: joint for joint in robot.joints}
    joint = joints.get(velocity) or joints[velocity.rpartition(".")[0]]
    if any(joint.friction):  # type: ignore[arg-type]
        return Coulomb(level=tuple(joint.friction), viscous=joint.damping)  # type: ignore[arg-type]
    return Viscous(coefficient=joint.damping) if joint.damping else None


def _refuse_text(name: str, text: str) -> None:
    raise SceneError(f"torque of '{name}' is {text!r}; allowed: a number, a Table, or a function of the time (in code a formula is Formula({text!r}))")
