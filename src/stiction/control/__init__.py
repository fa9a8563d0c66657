"""What decides: controllers that tick on their own clocks."""

from stiction.control.callback import Callback
from stiction.control.pid import PID
from stiction.part import Clock

__all__ = ["PID", "Callback", "Clock"]
