"""Where a run comes from: what was simulated, how, with which versions, on which machine."""

from collections.abc import Mapping
from typing import Any

import llvmlite
import numpy as np

import stiction
from stiction.simulation.network import Network
from stiction.simulation.scene import Scene, SceneError
from stiction.trace import processor


def origin(scene: Scene | Network, how: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, str]:
    """Texts by name. The scene is that of a file: `read_scene` reads it again, unless it holds Python functions (which are readable traces in it)."""
    from stiction.simulation.files import scene_text  # which simulates, too

    try:
        text = scene_text(scene, how, traced=True) if isinstance(scene, Scene) else repr(scene)
    except SceneError:  # parts or laws of the user's own
        text = repr(scene)
    return {
        "scene": text,
        "settings": ", ".join(f"{key} = {x!r}" for key, x in how.items() if x is not None),
        "values": "; ".join(f"{name}: {np.asarray(x, float).tolist()}" for name, x in values.items()),
        "seed": "none: nothing is random",
        "versions": f"stiction {stiction.__version__}, numpy {np.__version__}, llvmlite {llvmlite.__version__}",
        "machine": processor.signature(),
    }
