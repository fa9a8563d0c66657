"""How a scene calls what its network calls otherwise: "robot.q.joint1" is "q.joint1" to users, "friction joint1.torque" is "friction.joint1"."""

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from stiction.part import places
from stiction.simulation.bodies import FreeBody
from stiction.simulation.network import Network
from stiction.simulation.scene import DRIVE_SIGNALS, DRIVE_WORDS, OURS, Scene


class BareNames:
    """The names of a bare network: its own."""

    def __init__(self, scene: Network) -> None:
        self.scene = scene

    def plain(self, name: str) -> str:
        """The same."""
        return name

    def inner(self, name: str) -> bool:
        """Whether a number is no business of users: what is on its way in a delay, for example."""
        return " late " in name

    def followers(self, freed: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """First values that follow from freed ones: none."""
        return {}

    def unit(self, name: str) -> str:
        """The unit of a signal."""
        head, _, rest = name.partition(".")
        if head in ("energy", "work", "loss"):
            return "J"
        return self.scene.parts[head].unit(rest) if head in self.scene.parts else {"residual": "N·m or N", "splitting": "N·m or N"}.get(name, "1")


class SceneNames:
    """The names of a scene."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def plain(self, name: str) -> str:
        """A number, state or signal of the network under the name that users know."""
        head, _, rest = name.partition(".")
        if head in ("work", "loss", "stored"):
            return f"{head}.{rest.replace(' ', '.', 1) if rest.startswith(OURS) else rest}"
        if head.startswith("friction "):
            site = max((site for site in [*self.motor_sites, *self.scene.sites] if name.startswith(f"friction {site}.")), key=len)
            inner = name.removeprefix(f"friction {site}.")
            return f"friction.{site}.{inner.removeprefix('law.')}" if inner.startswith("law.") else f"{'friction' if inner == 'torque' else inner}.{site}"
        word, _, joint = name.partition(" ")
        if word in DRIVE_WORDS and joint:
            joint = max((key for key in self.scene.joints if joint.startswith(f"{key}.")), key=len)
            inner = name.removeprefix(f"{word} {joint}.")
            if (word, inner) == ("rotor", "mass"):
                return f"drive.{joint}.rotor_inertia"
            return f"{DRIVE_SIGNALS[word, inner]}.{joint}" if (word, inner) in DRIVE_SIGNALS else f"{DRIVE_WORDS[word]}.{joint}.{inner}"
        if head.startswith("torque "):
            robot = head.removeprefix("torque ")
            return f"torque.{self.scene.key(robot, self._driven(robot, rest))}"
        part = self.scene.parts.get(head)
        if rest.startswith("gravity.") and (head in self.scene.machines or (isinstance(part, FreeBody) and part.gravity is None)):
            return rest
        if head in self.scene.machines:
            kind, _, inner = rest.partition(".")
            if kind == "robot":
                owner, _, field = inner.rpartition(".")
                if field == "rotor_inertia" and self.scene.key(head, owner) in self.scene.drives:
                    return f"drive.{self.scene.key(head, owner)}.rotor_inertia"
                return f"{head}.{inner}"
            return f"{kind}.{self.scene.key(head, inner)}"
        return name

    def inner(self, name: str) -> bool:
        """Whether a number is no business of users: ratios that wires hold too, shares that follow from others, marks."""
        kind, _, rest = name.rpartition(".")
        ratios = {f"{robot}.{inner}.gear_ratio" for key, (robot, inner) in self.scene.joints.items() if key in self.scene.drives}
        drive_own = name.startswith("drive.") and rest in ("driving", "braking", "locked", "reflected_inertia", "slides", "held")
        marks = kind.partition(".")[0] in ("slides", "held") or name.partition(".")[0] in ("slides", "held", "load", "gone")
        return " late " in name or name in ratios or drive_own or marks

    def followers(self, freed: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """First values that follow from freed ones: rotors behind elastic gears start where their joints do."""
        found = {}
        starts = {what: dict(zip(self.scene.names(what), getattr(self.scene, what), strict=True)) for what in ("q", "v")}
        for joint, drive in self.scene.drives.items():
            ratio = freed.get(f"drive.{joint}.ratio", np.asarray(drive.gear.ratio))
            for what, follows in (("q", "motor_angle"), ("v", "motor_speed")):
                changed = {f"{what}.{joint}", f"drive.{joint}.ratio"} & freed.keys()
                if drive.gear.elastic and changed and f"{follows}.{joint}" not in freed:
                    found[f"{follows}.{joint}"] = ratio * freed.get(f"{what}.{joint}", np.asarray(starts[what][joint]))
        return found

    @cached_property
    def motor_sites(self) -> list[str]:
        """Friction sites on motor shafts."""
        return [f"{name}.motor" for name, drive in self.scene.drives.items() if drive.motor_friction is not None]

    def _driven(self, robot: str, port: str) -> str:
        """The joint that a number or an output of a drive is for."""
        names = list(self.scene.torques_on(robot))
        if port in names:
            return port
        return names[places(len(names)).index(port.removeprefix("force."))] if port != "force" else names[0]

    def unit(self, name: str) -> str:
        """The unit of a signal of the network, by the name that the network gives it."""
        head, _, rest = name.partition(".")
        if head in ("energy", "work", "loss", "stored"):
            return "J"
        if name in ("residual", "splitting"):
            return "N·m or N"
        word, _, joint = name.partition(" ")
        if word in DRIVE_WORDS and joint:
            return self._unit_of_drive(word, self.plain(name))
        if head.startswith("torque "):
            return self._unit_of_joint(self.plain(name).removeprefix("torque."), "torque")
        if head.startswith("friction "):
            kind, _, site = self.plain(name).partition(".")
            if kind in ("mode", "switches"):
                return "1"
            if site in self.motor_sites:
                return {"bend": "rad", "gone": "rad", "fastest": "rad/s"}.get(kind, "N·m")
            return self._unit_of_joint(next(iter(self.scene.sites[site].joints)), {"bend": "q", "gone": "q", "fastest": "v"}.get(kind, "torque"))
        return self.scene.network.parts[head].unit(rest) if head in self.scene.network.parts else "1"

    def _unit_of_drive(self, word: str, plain: str) -> str:
        kind, _, joint = plain.partition(".")
        if kind == "command":
            return self.scene.drives[joint].motor.unit_of_command if joint in self.scene.drives else self._unit_of_joint(joint, "torque")
        return {"motor_angle": "rad", "motor_speed": "rad/s", "motor_current": "A", "control_sum": "rad s or m s"}.get(kind, "N·m")

    def _unit_of_joint(self, joint: str, kind: str) -> str:
        robot, inner = self.scene.joints[joint]
        body = self.scene.network.parts[robot]
        return body.unit(f"{kind}.{inner}")


Names = BareNames | SceneNames


def names_of(scene: Scene | Network) -> Names:
    """How a scene or a bare network calls its numbers and signals."""
    return SceneNames(scene) if isinstance(scene, Scene) else BareNames(scene)
