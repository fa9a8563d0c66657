"""Where a run comes from: what was simulated, how, with which versions, on which processor."""

from collections.abc import Iterator, Mapping
from typing import Any

import llvmlite
import numpy as np

import stiction
from stiction.files.scene_file import scene_text
from stiction.scene.friction_site import SceneError
from stiction.scene.scene import Scene
from stiction.trace import processor


class Origin(Mapping[str, str]):
    """Texts by name, written when they are first asked for.

    The scene is that of a file: `read_scene` reads it again, unless it holds Python functions (which are readable
    traces in it).
    """

    def __init__(self, scene: Scene, settings: Mapping[str, Any]) -> None:
        self._what = scene, settings
        self._texts: dict[str, str] | None = None

    def __getitem__(self, name: str) -> str:
        return self._written()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._written())

    def __len__(self) -> int:
        return len(self._written())

    def __repr__(self) -> str:
        return repr(self._written())

    def __reduce__(self) -> tuple:
        """A copy has the texts alone: functions in a scene cannot be copied."""
        return dict, (self._written(),)

    def _written(self) -> dict[str, str]:
        if self._texts is None:
            scene, settings = self._what
            try:
                text = scene_text(scene, settings, traced=True)
            except SceneError:  # parts, laws or methods of the user's own
                text = repr(scene)
            versions = f"stiction {stiction.__version__}, numpy {np.__version__}, llvmlite {llvmlite.__version__}"
            self._texts = {
                "scene": text,
                "settings": ", ".join(f"{key} = {x!r}" for key, x in settings.items() if x is not None),
                "seed": "none: nothing is random",
                "versions": versions,
                "processor": processor.signature(),
            }
        return self._texts
