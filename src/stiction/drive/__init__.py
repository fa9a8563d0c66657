"""What pushes: motors, gears, and both together on a joint."""

import sys

from stiction.drive.drive import Drive
from stiction.drive.gear import Gear
from stiction.drive.motor import MOTORS, CurrentMotor, DCMotor, DriveError, Motor, ServoMotor, TorqueMotor
from stiction.registry import open_room

open_room(sys.modules[__name__])

__all__ = ["MOTORS", "CurrentMotor", "DCMotor", "Drive", "DriveError", "Gear", "Motor", "ServoMotor", "TorqueMotor"]
