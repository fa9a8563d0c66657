"""A scene: a robot, its friction, the torques on it and where it starts. What users describe and simulate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from stiction.errors import StictionError, unknown
from stiction.friction.law import Law
from stiction.robot.motion import GRAVITY
from stiction.robot.robot import Robot
from stiction.simulation.bodies import RobotBody
from stiction.simulation.forces import Drive, Friction
from stiction.simulation.network import Network, Term, Wire
from stiction.trace.functions import Scalar


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


Torque = float | Callable[[Scalar], Scalar]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What is simulated.

    Attributes:
        robot: the robot.
        friction: law at each joint, by the joint's name; or `FrictionSite` objects under names of your choice.
        torque: at each joint [N·m or N], by name: a number, or a formula of the time t [s] (a function that uses `stiction.trace`).
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

    robot: Robot
    friction: Mapping[str, Law | FrictionSite] = field(default_factory=dict)
    torque: Mapping[str, Torque] = field(default_factory=dict)
    gravity: Sequence[float] = GRAVITY
    q: Any = ()
    v: Any = ()

    def __post_init__(self) -> None:
        names = self.robot.velocity_names
        for name in self.torque:
            if name not in names:
                raise SceneError(unknown("joint", name, f"robot '{self.robot.name}'", names) + " (in torque)")
            if not callable(self.torque[name]) and not isinstance(self.torque[name], (int, float)):
                raise SceneError(f"torque of '{name}' is {self.torque[name]!r}; allowed: a number, or a function of the time")
        for name, part in self.friction.items():
            if not isinstance(part, (Law, FrictionSite)):
                raise SceneError(f"friction '{name}' is {part!r}; allowed: a friction law or a FrictionSite")
            for joint in part.joints if isinstance(part, FrictionSite) else (name,):
                if joint not in names:
                    raise SceneError(unknown("joint", joint, f"robot '{self.robot.name}'", names) + f" (in friction '{name}')")
        object.__setattr__(self, "q", self._state("q", self.q, self.robot.position_names, self.robot.neutral))
        object.__setattr__(self, "v", self._state("v", self.v, names, [0.0] * self.robot.nv))
        _ = self.body  # checks the numbers

    def _state(self, what: str, given: Any, names: Sequence[str], usual: Any) -> tuple:
        if not isinstance(given, Mapping):
            return tuple(given) if len(given) else tuple(float(x) for x in usual)
        for name in given:
            if name not in names:
                raise SceneError(unknown("joint", name, f"robot '{self.robot.name}'", names) + f" (in {what})")
        return tuple(given.get(name, x) for name, x in zip(names, usual, strict=True))

    @cached_property
    def body(self) -> RobotBody:
        """The robot as a part."""
        return RobotBody(robot=self.robot, q=self.q, v=self.v, gravity=tuple(self.gravity))  # type: ignore[arg-type]

    @cached_property
    def sites(self) -> dict[str, FrictionSite]:
        """All friction as sites, by name."""
        return {name: part if isinstance(part, FrictionSite) else FrictionSite(law=part, joints={name: 1}) for name, part in self.friction.items()}

    def row(self, site: FrictionSite) -> list[float]:
        """The factors of all velocities at a site, (nv,)."""
        return [float(site.joints.get(name, 0)) for name in self.robot.velocity_names]

    def torques(self, t: Scalar) -> list[Scalar]:
        """Torques of the scene at time t, (nv,)."""
        given = [self.torque.get(name, 0) for name in self.robot.velocity_names]
        return [x(t) if callable(x) else x for x in given]

    @cached_property
    def network(self) -> Network:
        """The scene as a network, for methods that follow flows."""
        n = self.robot.nv
        parts: dict[str, Any] = {"robot": self.body, "torque": Drive(functions=tuple(_at(self, k) for k in range(n)))}
        wires, terms = [], [Term("torque.force")]
        for name, site in self.sites.items():
            key, row = f"friction {name}", self.row(site)
            parts[key] = Friction(law=site.law)
            wires.append(Wire(f"{key}.velocity", [Term("robot.v", [row])]))
            terms.append(Term(f"{key}.torque", [[-x] for x in row]))
        return Network(parts=parts, wires=[*wires, Wire("robot.torque", terms)])


def _at(scene: Scene, k: int) -> Callable[[Scalar], Scalar]:
    return lambda t: scene.torques(t)[k]
