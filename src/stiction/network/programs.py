"""Programs that scenes of one structure share, for as long as the process lives."""

from collections import OrderedDict
from collections.abc import Callable, Hashable

from stiction.trace.program import Program

MOST = 128  # programs that are kept; the one that was not used for longest goes first
_programs: OrderedDict[Hashable, Program] = OrderedDict()


def shared_program(key: Hashable, make: Callable[[], Program]) -> Program:
    """The program with this key, made if there is none; without a key it is always made, as only its trace tells what
    it is.
    """
    if key is None:
        return make()
    if key not in _programs:
        _programs[key] = make()
        if len(_programs) > MOST:
            _programs.popitem(last=False)
    _programs.move_to_end(key)
    return _programs[key]
