"""Parts that cannot be are refused when they are made."""

import pytest

import stiction
from stiction.errors import InputError
from stiction.parts import FreeBody, Mass, RobotBody, Source


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Mass(mass=0), "mass is 0"),
        (lambda: FreeBody(mass=1, inertia=(1, 1)), "inertia is .*3 finite numbers"),
        (lambda: RobotBody(robot=stiction.library.two_link(), q=(1,)), "q has 1 numbers; allowed: 2"),
        (lambda: Source(functions=("3",)), "functions of the time"),
    ],
)
def test_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
