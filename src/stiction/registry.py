"""Registries: the classes of a room by name, from which files, their schema and the docs are made."""

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


class Registry(Mapping[str, type]):
    """Classes of one kind, by name; a class joins by `@REGISTRY.add`.

    Attributes:
        key: by which a table in a file says the name of the class.

    Example:
        >>> from stiction.registry import Registry
        >>> shapes = Registry("shape")
        >>> @shapes.add
        ... class Ring: ...
        >>> list(shapes)
        ['Ring']
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self._classes: dict[str, type] = {}

    def add(self, kind: Any) -> Any:
        """Register a class under its name."""
        self._classes[kind.__name__] = kind
        return kind

    def __getitem__(self, name: str) -> type:
        return self._classes[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __len__(self) -> int:
        return len(self._classes)


def open_room(room: ModuleType, keep: Callable[[str], bool] = lambda _: True) -> None:
    """Import all files of a room, so that what they register is known: a new class is one new file, and no list."""
    for found in sorted(iter_modules(room.__path__), key=lambda m: m.name):
        if keep(found.name):
            import_module(f"{room.__name__}.{found.name}")
