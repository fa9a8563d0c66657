"""Robots with published data, and the textbook machines: `stiction.library.puma560()` and others."""

from stiction.library.arm import Arm
from stiction.library.machines import chain, pendulum, rp_arm, two_link
from stiction.library.manutec_r3 import manutec_r3
from stiction.library.puma560 import puma560
from stiction.library.rx90b import rx90b

ROBOTS = {f.__name__: f for f in (pendulum, chain, two_link, rp_arm, puma560)}
ARMS = {f.__name__: f for f in (manutec_r3, rx90b)}

__all__ = ["ARMS", "ROBOTS", "Arm", "chain", "manutec_r3", "pendulum", "puma560", "rp_arm", "rx90b", "two_link"]
