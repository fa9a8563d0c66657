"""Which signals of a run share a panel: those of one quantity, in one unit, on one side of the gear."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

WORDS = {  # first words of signals, in the order of their panels: whether they are drawn when nothing is asked for
    "q": True,
    "target": False,
    "error": True,
    "v": True,
    "target_velocity": False,
    "target_acceleration": False,
    "measured_position": False,
    "measured_velocity": False,
    "estimated_velocity": False,
    "measured_current": False,
    "friction": True,
    "mode": True,
    "limit": True,
    "lasting_mode": False,
    "direction": False,
    "margin": False,
    "bend": False,
    "way": False,
    "fastest": False,
    "switches": False,
    "torque": True,
    "link_torque": False,
    "gear_joint_torque": False,
    "mesh_friction": False,
    "transmitted_torque": False,
    "command": True,
    "velocity_command": False,
    "current_command": False,
    "control_torque": False,
    "control_command": False,
    "velocity_error": False,
    "current_error": False,
    "control_sum": False,
    "position_sum": False,
    "velocity_sum": False,
    "current_sum": False,
    "ticks": False,
    "position_ticks": False,
    "velocity_ticks": False,
    "current_ticks": False,
    "motor_angle": False,
    "motor_speed": True,
    "motor_current": True,
    "motor_voltage": False,
    "motor_torque": True,
    "gear_motor_torque": False,
    "energy": True,
    "work": True,
    "loss": True,
}
LAST = (
    "mode",
    "lasting_mode",
    "direction",
    "margin",
    "bend",
    "fastest",
    "switches",
)  # of friction that is a part: brake.mode
TITLES = {"q": "position", "limit": "end stop", "v": "velocity", "torque": "applied torque", "loss": "energy lost"}
BY_UNIT = {
    "rad": "angle",
    "m": "position",
    "rad/s": "angular velocity",
    "m/s": "velocity",
    "N·m": "torque",
    "N": "force",
    "J": "energy",
    "A": "current",
    "V": "voltage",
}


class Panel(NamedTuple):
    """Signals that are drawn over each other.

    Attributes:
        title: what they are.
        unit: of all of them; "" where they have none.
        names: of the signals, by the names of their legend.
        modes: whether they are modes of friction.
    """

    title: str
    unit: str
    names: dict[str, str]
    modes: bool


def panels(names: Iterable[str], units: Mapping[str, str]) -> list[Panel]:
    """The panels of a figure, from above.

    Example:
        >>> from stiction.show.panels import panels
        >>> units = {"q.slide": "m", "q.turn": "rad", "q.lift": "m", "friction.turn.motor": "N·m"}
        >>> for panel in panels(units, units):
        ...     print(panel.title, panel.unit, *panel.names)
        position m slide lift
        position rad turn
        motor friction N·m turn
    """
    names = list(names)
    groups: dict[tuple[str, bool, str], dict[str, str]] = {}
    for name in names:
        word, subject = split(name)
        motor = _on_motor(word, subject, names)
        unit = "" if units.get(name, "1") == "1" else units[name]
        short = subject.removesuffix(".motor") if motor else subject
        group = groups.setdefault((word, motor, unit), {})
        group[name if short in group else short] = name
    order = [*WORDS, ""]
    found = sorted(groups.items(), key=lambda group: (group[0][1], order.index(group[0][0])))
    return [Panel(_title(*key), key[2], members, key[0] == "mode") for key, members in found]


def split(name: str) -> tuple[str, str]:
    """The word of a signal that says what it is, and of whom; the word is "" where only the unit tells.

    Example:
        >>> from stiction.show.panels import split
        >>> split("q.left.elbow"), split("brake.mode"), split("ball.position.x")
        (('q', 'left.elbow'), ('mode', 'brake'), ('', 'ball.position.x'))
    """
    first, _, rest = name.partition(".")
    owner, _, last = name.rpartition(".")
    if first in WORDS and rest:
        return first, rest
    return (last, owner) if last in LAST and owner else ("", name)


def _on_motor(word: str, subject: str, names: Collection[str]) -> bool:
    """Whether a signal belongs to the motor's side of a gear; "motor" may also be what a joint is called."""
    if word.startswith(("motor_", "gear_motor_")) or (word == "command" and f"motor_torque.{subject}" in names):
        return True
    return bool(word) and subject.endswith(".motor") and f"q.{subject}" not in names


def _title(word: str, motor: bool, unit: str) -> str:
    title = TITLES.get(word, word.replace("_", " ")) if word else BY_UNIT.get(unit, "")
    title = title.replace("torque", "force") if unit == "N" else title
    return f"motor {title}" if motor and "motor" not in title else title


def usual(names: Iterable[str], units: Mapping[str, str], few: bool = False) -> list[str]:
    """What is drawn when nothing is asked for: motion, friction, what drives it, energies; all, where there is none of
    these. `few` leaves positions and modes of the joints, where there are some.

    Example:
        >>> from stiction.show.panels import usual
        >>> units = {"q.joint1": "rad", "v.joint1": "rad/s", "margin.joint1": "N·m", "mode.joint1": "1"}
        >>> usual(units, units)
        ['q.joint1', 'v.joint1', 'mode.joint1']
        >>> usual(units, units, few=True)
        ['q.joint1', 'mode.joint1']
    """
    names = list(names)
    found = [name for name in names if _is_usual(name, units.get(name, ""))] or names
    joints = [name for name in found if split(name)[0] in ("q", "mode") and not _on_motor(*split(name), names)]
    return joints if few and any(split(name)[0] == "q" for name in joints) else found


def _is_usual(name: str, unit: str) -> bool:
    word, _ = split(name)
    pieces = name.split(".")
    slot = pieces[0] == "contact" and pieces[1:2] and pieces[1].isdigit()  # whose contact it is changes
    aside = slot or any(not WORDS.get(piece, True) for piece in pieces)
    return WORDS[word] if word else "." in name and not aside and unit not in ("", "1")
