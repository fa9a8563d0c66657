"""What decides: controllers that tick on their own clocks."""

import sys

from stiction.control.callback import Callback
from stiction.control.pid import PID
from stiction.control.registry import CONTROLLERS
from stiction.parts.kinds import Clock
from stiction.registry import open_room

open_room(sys.modules[__name__])

__all__ = ["CONTROLLERS", "PID", "Callback", "Clock"]
