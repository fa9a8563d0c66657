"""What users say about contacts: how many, how rough, and which pairs do not count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stiction.errors import StictionError
from stiction.fields import Validated, count, instance, number
from stiction.trace.parameters import Parametric

MOST = 256  # contacts that may act at once: their matrix takes 4.7 MB for each run


class ContactError(StictionError):
    """Contacts are described in a way that cannot be."""


@dataclass(frozen=True, kw_only=True)
class Surface(Validated, Parametric):
    """How two materials touch. Friction is the same in all directions of the plane.

    Attributes:
        static: coefficient of friction at rest.
        kinetic: coefficient of friction while sliding; the static one if not given.
        restitution: speed after an impact over the speed before it, 0 … 1.

    Example:
        >>> import stiction
        >>> stiction.Surface(static=0.6, kinetic=0.4).restitution
        0.0
    """

    error = ContactError
    fading = ("restitution",)

    static: float = number(0.5, least=0)
    kinetic: float | None = number(None, least=0, optional=True)
    restitution: float = number(0.0, least=0, most=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kinetic is None:
            self._set("kinetic", self.static)


@dataclass(frozen=True, kw_only=True)
class Contacts(Validated):
    """Contacts of a scene: between the shapes of links and bodies that are not neighbours of one another.

    Attributes:
        most: how many may act at once; of more, those that are nearest count, and the run notes it.
        surface: how all pairs touch of which `surfaces` says nothing.
        surfaces: how pairs of materials touch, by their names, "rubber/steel".
        off: pairs of links or bodies that do not touch, as pairs of names or of patterns with *, such as
            ("robot.*", "robot.*").
        push_out: largest speed at which what overlaps is driven apart [m/s].
        stiffness: of a contact under methods that have springs [N/m]; chosen from masses and step if not given.
        damping: likewise [N·s/m].
        overlap: what may overlap at the start, over the size of the smaller body, 0 … 1; what overlaps more is refused.

    Example:
        >>> import stiction
        >>> rubber = stiction.Surface(static=1.0, kinetic=0.8)
        >>> stiction.Contacts(most=4, surfaces={"rubber/steel": rubber}).of("steel", "rubber").static
        1.0
    """

    error = ContactError

    most: int = count(8, least=1, most=MOST)
    surface: Surface = instance(Surface, Surface(), words="a stiction.Surface object")
    surfaces: Mapping[str, Surface] = field(default_factory=dict)
    off: Sequence[tuple[str, str]] = ()
    push_out: float = number(0.1, above=0)
    stiffness: float | None = number(None, above=0, optional=True)
    damping: float | None = number(None, least=0, optional=True)
    overlap: float = number(0.05, least=0, most=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.surfaces, Mapping):
            raise self.refusal(f"surfaces is {self.surfaces!r}; allowed: Surface objects by names, 'rubber/steel'")
        for name, surface in self.surfaces.items():
            if not isinstance(name, str) or len(name.split("/")) != 2 or not all(name.split("/")):
                raise self.refusal(f"surfaces has the key {name!r}; allowed: two materials, such as 'rubber/steel'")
            if not isinstance(surface, Surface):
                raise self.refusal(f"surfaces has {surface!r} for '{name}'; allowed: a stiction.Surface object")
            other = "/".join(reversed(name.split("/")))
            if other != name and other in self.surfaces:
                raise self.refusal(f"surfaces has both '{name}' and '{other}'; give one of them")
        self._set("surfaces", dict(self.surfaces))
        self._set("off", tuple(self._pair(pair) for pair in self._listed()))

    def _listed(self) -> Sequence[Any]:
        if not isinstance(self.off, (list, tuple)):
            raise self.refusal(f"off is {self.off!r}; allowed: a list of pairs of names")
        return self.off

    def _pair(self, given: Any) -> tuple[str, str]:
        pair = isinstance(given, (list, tuple)) and len(given) == 2 and all(isinstance(x, str) for x in given)
        if not pair:
            raise self.refusal(f"off holds {given!r}; allowed: pairs of names, such as ('robot.finger', 'floor')")
        return given[0], given[1]

    def of(self, material: str, other: str) -> Surface:
        """How two materials touch."""
        return self.surfaces.get(f"{material}/{other}") or self.surfaces.get(f"{other}/{material}") or self.surface

    def materials(self) -> set[str]:
        """All that are named."""
        return {material for name in self.surfaces for material in name.split("/")}
