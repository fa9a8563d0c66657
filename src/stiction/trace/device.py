"""Where numbers are, and what computes there: the processor with NumPy's arrays, or a GPU of NVIDIA with CuPy's.

Arrays of runs are (runs, slots) on both. On the processor a run's numbers lie side by side; on a GPU those of a slot
do, as its kernels want it (`ptx.py`).
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stiction.errors import InputError, StictionError
from stiction.extras import needed
from stiction.trace import launch, ptx
from stiction.trace.program import GpuCode, Port, Program

DEVICES = ("cpu", "cuda")
TYPES = ("float64", "float32")


class Host:
    """The processor.

    Attributes:
        name: what users call it.
        dtype: of all its numbers.
    """

    name = "cpu"

    def __init__(self, dtype: str = "float64") -> None:
        self.dtype = np.dtype(dtype)

    def array(self, x: Any) -> np.ndarray:
        """A copy of numbers, () or (runs,) or (runs, slots), that kernels can work on."""
        return np.array(x, self.dtype)

    def uniform(self, x: Any) -> np.ndarray:
        """Numbers that all runs share, () or (n,)."""
        return np.array(x, self.dtype)

    def table(self, x: Any) -> np.ndarray:
        """Rows that all runs look up."""
        return np.array(x, self.dtype)

    def given(self, x: Any) -> np.ndarray:
        """What a user gives, as an array of this place."""
        return np.asarray(x)

    def fetched(self, x: Any) -> Any:
        """An array of this place as NumPy's; what is none stays what it is."""
        return x

    def holds(self, x: Any) -> bool:
        """Whether this is an array of this place, or may be made one without a word."""
        return True

    def prepare(self, program: Program, batch: bool) -> None:
        """Compile."""
        program.kernel(0 if batch else 1)

    def bind(self, program: Program, arrays: Sequence[Any], results: Sequence[Any], threads: int | None) -> Callable:
        """The program on these arrays, to be called many times."""
        return program.bind(arrays, results, threads)


class Cuda:
    """A GPU: the one that CuPy uses now. Attributes and functions as those of `Host`."""

    name = "cuda"

    def __init__(self, dtype: str = "float64") -> None:
        self.dtype = np.dtype(dtype)
        self.cupy = needed("cupy", "simulations on a GPU")
        try:
            self.capability = int(self.cupy.cuda.Device().compute_capability)
        except Exception as error:  # a driver that is missing or too old, or no GPU: CuPy tells which
            raise StictionError(
                f"there is no GPU of NVIDIA that CuPy can use ({error}); look at nvidia-smi, or take device='cpu'"
            ) from None

    def array(self, x: Any) -> Any:
        """As that of `Host`."""
        return self.cupy.array(np.asarray(x) if not self.holds(x) else x, self.dtype, order="F")

    def uniform(self, x: Any) -> np.ndarray:
        """As that of `Host`: the processor keeps them, and hands them over with each call."""
        return np.array(x, self.dtype)

    def table(self, x: Any) -> Any:
        """As that of `Host`."""
        return self.cupy.asarray(np.array(x, self.dtype))

    def given(self, x: Any) -> Any:
        """As that of `Host`. DLPack also waits for what another library is still computing."""
        if isinstance(x, self.cupy.ndarray):
            return x
        if self.holds(x) and hasattr(x, "__dlpack__") and not self._after(x):
            return self.cupy.from_dlpack(x)
        return self.cupy.asarray(x if self.holds(x) else np.asarray(x))

    def _after(self, x: Any) -> bool:
        """Whether what is done here comes after what made this array anyway: PyTorch's, in the same stream. To ask it
        costs less than to wait.
        """
        torch = sys.modules.get("torch")
        if torch is None or not isinstance(x, torch.Tensor):
            return False
        return torch.cuda.current_stream().cuda_stream == self.cupy.cuda.get_current_stream().ptr

    def fetched(self, x: Any) -> Any:
        """As that of `Host`."""
        return self.cupy.asnumpy(self.given(x)) if self.holds(x) else x

    def holds(self, x: Any) -> bool:
        """As that of `Host`."""
        return hasattr(x, "__cuda_array_interface__")

    def prepare(self, program: Program, batch: bool) -> None:
        """As that of `Host`."""
        self._loaded(program)

    def _loaded(self, program: Program) -> tuple[GpuCode, Any]:
        """The program's code, and its kernel on the GPU that is used now."""
        place = self.cupy.cuda.Device().id
        if place not in program.loaded:
            code, module = program.on_gpu(self.capability), self.cupy.cuda.function.Module()
            module.load(code.ptx)
            program.loaded[place] = code, module.get_function("kernel")
        return program.loaded[place]

    def bind(self, program: Program, arrays: Sequence[Any], results: Sequence[Any], threads: int | None) -> Callable:
        """As that of `Host`."""
        count = next(len(x) for x, port in zip(arrays, program.inputs, strict=True) if port.role == "varying")
        for array, port in zip([*arrays, *results], [*program.inputs, *program.outputs], strict=True):
            _check(array, port, count, program)
        code, kernel = self._loaded(program)
        shared, compute = self._shared(code, program, arrays)
        whole = shared.view(f"V{shared.nbytes}")  # CuPy hands over arrays of size one
        there: Any = whole if code.by_value else self.cupy.asarray(shared)
        given = [x for x, port in zip(arrays, program.inputs, strict=True) if port.role != "uniform"]
        rows = [np.int64(len(x)) for x, port in zip(arrays, program.inputs, strict=True) if port.role == "lookup"]
        arguments = (*given, *rows, *results, there, np.int64(count))
        blocks, block = (-(-count // ptx.THREADS),), (ptx.THREADS,)

        def call() -> None:
            compute()
            if not code.by_value:
                there.set(shared)
            try:
                kernel(blocks, block, arguments)
            except self.cupy.cuda.driver.CUDADriverError as error:
                raise StictionError(
                    f"the GPU could not begin ({error}); where its memory is short, others use it, or this scene takes "
                    "much for each robot: simulate fewer, or take device='cpu'"
                ) from None

        return call

    def _shared(self, code: GpuCode, program: Program, arrays: Sequence[Any]) -> tuple[np.ndarray, Callable]:
        """The numbers that all rows share, and what computes them from uniform inputs and tables."""
        here = [
            np.zeros((1, *port.shape), self.dtype) if port.role == "varying" else self.fetched(x)
            for x, port in zip(arrays, program.inputs, strict=True)
        ]
        shared = np.zeros(max(1, code.count), self.dtype)
        strides = [len(x) if port.role == "lookup" else 0 for x, port in zip(here, program.inputs, strict=True)]
        compute: Any = launch.bound(code.shared, here, strides, [shared], (0, 1))
        compute.works_on = here  # nobody else keeps them
        return shared, compute


def _check(array: Any, port: Port, count: int, program: Program) -> None:
    """Refuse an array that a kernel would read wrongly."""
    lead = (count,) if port.role == "varying" else (len(array),) if port.role == "lookup" else ()
    placed = array.flags.f_contiguous if port.role == "varying" else array.flags.c_contiguous
    if array.shape != (*lead, *port.shape) or array.dtype != program.dtype or not placed:
        raise InputError(
            f"{program.name}: the array of {port.name} must be {program.dtype}, of shape {(*lead, *port.shape)} and "
            "slot by slot"
        )


def device_of(device: Any, dtype: Any) -> Host | Cuda:
    """The device of this name, for numbers of this type.

    Example:
        >>> from stiction.trace.device import device_of
        >>> device_of("cpu", "float64").array([1, 2])
        array([1., 2.])
    """
    if device not in DEVICES:
        raise InputError(f"device is {device!r}; allowed: 'cpu', 'cuda' (a GPU of NVIDIA)")
    if not isinstance(dtype, str) or dtype not in TYPES:
        raise InputError(f"dtype is {dtype!r}; allowed: 'float64', 'float32'")
    return Cuda(dtype) if device == "cuda" else Host(dtype)
