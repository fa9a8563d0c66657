"""Runs in HDF5 files, without loss, and in CSV files.

A file is written beside its place and moved there when it is whole: what was there before stays until then, and no half
of a file is ever left. Before an HDF5 file stands a digest of it: what is not as it was written is not opened.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from stiction.errors import InputError
from stiction.extras import needed

FORMAT = "stiction run 4"
SEAL = 512  # bytes before the HDF5 file: format and digest
LARGEST = 2**35  # bytes of a file
ENDINGS = (".h5", ".hdf5", ".csv")


def write_run(path: str | Path, run: Any) -> None:
    """Write a run to a file: HDF5 (.h5 or .hdf5), which `read_run` reads without loss, or CSV (.csv)."""
    path = Path(path)
    check_target(path)
    _replace(path, lambda place: (_write_csv if path.suffix == ".csv" else _write_hdf5)(place, run))


def check_target(path: Path) -> None:
    """Refuse a file that no run could be written to, before there is one."""
    check_ending(path)
    if path.is_dir():
        raise InputError(f"cannot write '{path}': it is a folder; give a file name")
    if path.exists() and not path.is_file():
        raise InputError(f"cannot write '{path}': it is no plain file; give another name")
    if not path.parent.is_dir():
        raise InputError(f"cannot write '{path}': there is no folder '{path.parent}'; make it first")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"cannot write '{path}': the folder '{path.parent}' is not yours to write; give another")


def _replace(path: Path, write: Callable[[Path], None]) -> None:
    """Write a file beside its place, and move it there when it is whole."""
    real = Path(os.path.realpath(path))  # a link stays one
    try:
        handle, name = tempfile.mkstemp(prefix=f".{real.stem}.", suffix=real.suffix, dir=real.parent)
        os.close(handle)
        part = Path(name)
        try:
            write(part)
            with open(part, "rb") as file:
                os.fsync(file.fileno())
            os.chmod(part, real.stat().st_mode & 0o777 if real.exists() else 0o666 & ~_umask())
            os.replace(part, real)
        finally:
            with suppress(OSError):
                part.unlink()
    except OSError as error:
        raise InputError(f"cannot write '{path}': {error}; what was there before is as it was") from None


def _umask() -> int:
    """What new files are not allowed."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_ending(path: Path) -> None:
    """Refuse a file that no run can be written to, by its name."""
    if path.suffix not in ENDINGS:
        raise InputError(f"cannot save a run as '{path.name}'; allowed endings: {', '.join(ENDINGS)}")


def _write_csv(path: Path, run: Any) -> None:
    if run.valid_until is not None:
        raise InputError("a batch of runs does not fit a CSV file; save it as .h5, or one of its runs, run.of(0)")
    names = [f"{name} [{run.units[name]}]" if name in run.units else name for name in run.signals]
    columns = np.column_stack([run.time, *run.signals.values()])
    np.savetxt(path, columns, delimiter=",", header=",".join(["time [s]", *names]), comments="", fmt="%.17g")


def _write_hdf5(path: Path, run: Any) -> None:
    h5py = needed("h5py", "HDF5 files")
    with h5py.File(
        path, "w", track_order=True, userblock_size=SEAL
    ) as file:  # no times of writing: equal runs give equal bytes
        about = {"status": run.status, "message": run.message, "notes": "\n".join(run.notes), "calls": run.calls}
        file.attrs.update(about | {"format": FORMAT})
        file.create_group("origin").attrs.update(dict(run.origin))
        file.create_group("aliases").attrs.update(dict(run.aliases))
        time = file.create_dataset("time", data=run.time)
        time.attrs["units"] = "s"
        time.make_scale("time")
        if run.valid_until is not None:
            file.create_dataset("valid_until", data=run.valid_until).attrs["units"] = "s"
        group = file.create_group("signals", track_order=True)
        for name, x in run.signals.items():
            place = name.replace("/", "|")  # a slash would make a folder
            data = group.create_dataset(f"{place} {len(group)}" if place in group else place, data=x)
            data.attrs["name"] = name
            data.dims[0].attach_scale(time)
            data.attrs["units"] = run.units.get(name, "")
        _write_numbers(file, "parameters", run.parameters)
        if run.state is not None:
            state = file.create_group("state")
            state.attrs.update({"tick": run.state.tick, "step": run.state.step, "seed": run.state.seed})
            state.create_dataset("values", data=run.state.values)
            for what in ("names", "units", "kinds"):
                state.create_dataset(what, data=list(getattr(run.state, what)), dtype=h5py.string_dtype())
            for what in ("parameters", "chosen"):
                _write_numbers(state, what, getattr(run.state, what))
    _sealed(path)


def _sealed(path: Path) -> None:
    """Write the digest of a file into its first block, which HDF5 leaves to its users."""
    with open(path, "r+b") as file:
        file.write(_seal(file).ljust(SEAL, b"\n"))


def _seal(file: Any) -> bytes:
    """What an open file begins with, by all that follows."""
    found = hashlib.sha256()
    file.seek(SEAL)
    while block := file.read(1 << 20):
        found.update(block)
    file.seek(0)
    return f"{FORMAT}\nsha256 {found.hexdigest()}\n".encode()


def _check_seal(path: str | Path) -> None:
    """Refuse what is no run, or not as it was written, before anybody looks inside."""
    with open(path, "rb") as file:
        size, head = os.fstat(file.fileno()).st_size, file.read(SEAL)
        if not head.startswith(FORMAT.encode()):
            known = b"stiction run" in head or head[1:4] == b"HDF"
            what = "an HDF5 file, but no run of this version of stiction" if known else "no run of stiction"
            raise InputError(f"{path} is {what}; a run is written by save('run.h5')")
        if size > LARGEST:
            raise InputError(f"{path} has {size / 2**30:.0f} GiB, which no run has; it is damaged")
        if head.rstrip(b"\n") + b"\n" != _seal(file):
            raise InputError(f"{path} is a damaged run of stiction: it is not as it was written")


def _everything(h5py: Any, group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All groups and datasets; what is not in the file itself, or claims more than the file holds, is refused."""
    yield path, group
    for name in sorted(group):
        link = group.get(name, getlink=True)
        if not isinstance(link, h5py.HardLink):
            raise InputError(f"'{path}/{name}' lies elsewhere; a run holds all that belongs to it")
        thing = group[name]
        if isinstance(thing, h5py.Group):
            yield from _everything(h5py, thing, f"{path}/{name}")
            continue
        if thing.external or thing.is_virtual:
            raise InputError(f"'{path}/{name}' lies elsewhere; a run holds all that belongs to it")
        held = thing.id.get_storage_size()
        if thing.size * thing.dtype.itemsize > max(held, 64):
            raise InputError(f"'{path}/{name}' claims {thing.size} numbers and holds fewer")
        yield f"{path}/{name}", thing


def _write_numbers(place: Any, what: str, values: Mapping[str, np.ndarray]) -> None:
    group = place.create_group(what, track_order=True)
    for k, (name, x) in enumerate(values.items()):
        group.create_dataset(str(k), data=x).attrs["name"] = name


def _numbers(group: Any) -> dict[str, np.ndarray]:
    return {x.attrs["name"]: x[()] for x in group.values()}


def read_run(path: str | Path) -> dict[str, Any]:
    """What was written to an HDF5 file, by the fields of a run; of the state its own fields."""
    h5py = needed("h5py", "HDF5 files")
    try:
        _check_seal(path)
        with h5py.File(path, "r") as file:
            for _ in _everything(h5py, file):
                pass
            return _content(file)
    except FileNotFoundError:
        raise InputError(f"there is no file '{path}'") from None
    except InputError as error:
        raise InputError(f"{path}: {error}" if str(path) not in str(error) else str(error)) from None
    except OSError:
        raise InputError(f"cannot read '{path}', or it is a damaged run of stiction") from None
    except Exception as error:  # what h5py makes of damage is of any kind
        raise InputError(f"{path} is a damaged run of stiction: {error}") from None


def _content(file: Any) -> dict[str, Any]:
    data: dict[str, Any] = {x.attrs["name"]: x for x in file["signals"].values()}
    state = None
    if "state" in file:
        kept = file["state"]
        texts = {what: tuple(kept[what].asstr()[()]) for what in ("names", "units", "kinds")}
        numbers = {"tick": int(kept.attrs["tick"]), "step": float(kept.attrs["step"]), "seed": int(kept.attrs["seed"])}
        tables = {what: _numbers(kept[what]) for what in ("parameters", "chosen")}
        state = {"values": kept["values"][()], **tables, **texts, **numbers}
    return {
        "time": file["time"][()],
        "signals": {name: x[()] for name, x in data.items()},
        "status": file.attrs["status"],
        "message": file.attrs["message"],
        "units": {name: x.attrs["units"] for name, x in data.items() if x.attrs["units"]},
        "origin": dict(file["origin"].attrs),
        "valid_until": file["valid_until"][()] if "valid_until" in file else None,
        "notes": tuple(file.attrs["notes"].split("\n")) if file.attrs["notes"] else (),
        "calls": int(file.attrs["calls"]),
        "aliases": dict(file["aliases"].attrs),
        "parameters": _numbers(file["parameters"]),
        "state": state,
    }
