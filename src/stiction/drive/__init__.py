"""What pushes: motors, gears, and both together on a joint."""

from stiction.drive.drive import Drive
from stiction.drive.gear import Gear
from stiction.drive.motor import CurrentMotor, DCMotor, DriveError, Motor, TorqueMotor

__all__ = ["CurrentMotor", "DCMotor", "Drive", "DriveError", "Gear", "Motor", "TorqueMotor"]
