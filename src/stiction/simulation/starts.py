"""Places where runs may begin, ready on the device: whoever is over begins anew without a word to the processor."""

from typing import Any

import numpy as np

from stiction.network.programs import shared_program
from stiction.simulation.core import Core, most_counted
from stiction.trace.functions import floor, lookup, uniform, where
from stiction.trace.program import Port, Program


class Starts:
    """States and varying parameters that runs begin with; `Simulator.starts` makes them, `Simulator.restart` takes from
    them.

    Each episode draws one of them, by the seed and its number (Philox), so that episodes reproduce.
    """

    def __init__(self, core: Core, state: np.ndarray, varying: np.ndarray, seed: int) -> None:
        self.core, device = core, core.device
        slots, columns = state.shape[1], varying.shape[1]
        program = shared_program(
            ("starts", slots, columns, device.dtype.name), lambda: _program(slots, columns, device.dtype.name)
        )
        self.begins = device.array(np.zeros(len(core.state)))  # which runs do, (runs,)
        shared = [device.uniform(float(x)) for x in (seed, len(state), len(core.state))]
        moving = [core.numbers, core.ticks, core.alive, core.state, *([core.varying] if columns else [])]
        pool = device.table(np.concatenate([state, varying], axis=1))
        self._arrays = [pool, *shared, self.begins, *moving]  # kept, as what is bound to them does not
        self.call = device.bind(program, self._arrays, moving, core.threads)


def _program(slots: int, columns: int, dtype: str) -> Program:
    """New numbers, ticks, states and parameters of runs that begin; those of others stay."""
    most = most_counted(np.dtype(dtype))

    def function(pool: Any, seed: Any, count: Any, runs: Any, begins: Any, *now: Any) -> tuple:
        number, tick, alive, state, *varying = now
        later = number + where(begins > 0, runs, 0)  # a number of its own for every episode, as far as it is counted
        following = where(later < most, later, later - most)
        first = lookup(pool, floor(count * uniform(seed, following, 0, 0, 0)))
        both = [where(begins > 0, x, y) for x, y in zip(first, [*state, *(varying[0] if columns else [])], strict=True)]
        after = (following, where(begins > 0, 0, tick), where(begins > 0, 1, alive), both[:slots])
        return (*after, both[slots:]) if columns else after

    uniforms = [Port(name, (), "1", "uniform") for name in ("seed", "count", "runs")]
    moving = [Port("number"), Port("tick"), Port("alive"), Port("state", (slots,), "SI")]
    moving += [Port("varying", (columns,), "SI")] if columns else []
    inputs = [Port("pool", (slots + columns,), "SI", "lookup"), *uniforms, Port("begins"), *moving]
    return Program("starts", function, inputs, moving, ("starts", slots, columns), dtype)
