"""Where a run comes from: what was simulated, how, with which versions, on which machine."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import stiction
from stiction.simulation.network import Network
from stiction.simulation.scene import Scene
from stiction.trace import machine


def origin(scene: Scene | Network, how: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, str]:
    """Texts by name."""
    return {
        "scene": repr(scene),
        "settings": ", ".join(f"{key} = {x!r}" for key, x in how.items() if x is not None),
        "values": ", ".join(f"{name}: {np.shape(x)}" for name, x in values.items()),
        "seed": "none: nothing is random",
        "versions": f"stiction {stiction.__version__}, numpy {np.__version__}",
        "machine": machine.signature(),
    }
