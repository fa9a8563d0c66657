"""What elements of a URDF hold: attributes, numbers and origins, with errors that say where."""

import math
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager

from stiction.errors import RobotError
from stiction.robot.origin import Origin


def local(tag: str) -> str:
    """A tag without its namespace."""
    return tag.rsplit("}", 1)[-1].rsplit(":", 1)[-1]


@contextmanager
def within(where: str, separator: str = ": ") -> Iterator[None]:
    """Errors from inside say where, unless they do already."""
    try:
        yield
    except RobotError as error:
        raise (error if str(error).startswith(where) else RobotError(f"{where}{separator}{error}")) from None


def required(element: ET.Element, attribute: str, owner: str) -> str:
    """An attribute that must be there."""
    value = element.get(attribute)
    if not value:
        raise RobotError(f"{owner}: <{local(element.tag)}> lacks the attribute '{attribute}'")
    return value


def float_of(word: str, what: str, owner: str) -> float:
    """A number from its text."""
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise RobotError(f"{owner}: {what} is '{word}'; allowed: a number")
    return value


def number_of(element: ET.Element | None, attribute: str, owner: str, default: float) -> float:
    """An attribute that is a number, or a default."""
    word = element.get(attribute) if element is not None else None
    return default if word is None else float_of(word, attribute, owner)


def vector_of(
    element: ET.Element | None, attribute: str, owner: str, default: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> tuple[float, float, float]:
    """An attribute that is three numbers, or a default."""
    word = element.get(attribute) if element is not None else None
    if word is None:
        return default
    try:
        x, y, z = (float(part) for part in word.split())
    except ValueError:
        raise RobotError(f"{owner}: {attribute} is '{word}'; allowed: three numbers") from None
    return x, y, z


def origin_of(element: ET.Element, owner: str) -> Origin:
    """Where an element stands."""
    origin = element.find("origin")
    with within(owner):
        return Origin(xyz=vector_of(origin, "xyz", owner), rpy=vector_of(origin, "rpy", owner))
