"""The command line. Everything heavy is imported inside the commands, so that `--help` answers at once."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import stiction
from stiction.errors import unknown
from stiction.extras import needed

try:
    App = needed("cyclopts", "commands").App
except stiction.StictionError as error:
    sys.exit(f"error: {error}")
app = App(name="stiction", help="The robot-dynamics simulator that gets friction right.", version=stiction.__version__)


@app.command
def demo(*, out: Path = Path("stiction-demo.png")) -> None:
    """An arm of two links is pushed, let go and shaken below break-away: friction that sticks beside friction that
    drifts.

    Parameters
    ----------
    out
        The figure to write.
    """
    import time
    import warnings

    from stiction.reproduce.network import stop_and_stay, two_link_runs
    from stiction.show.figure import check, save

    check(out)
    began = time.perf_counter()
    with warnings.catch_warnings(), _bar("simulating") as tell:
        warnings.simplefilter("ignore", stiction.StictionWarning)  # LuGre leaves its passive speeds
        sticks, drifts = two_link_runs(tell)
    seconds = time.perf_counter() - began
    late = sticks.time >= 5
    stays = max(
        float(abs((q := sticks[f"q.{j}"] - sticks[f"bend.{j}"])[late] - q[late][0]).max())
        for j in ("shoulder", "elbow")
    )
    goes = float(drifts["q.shoulder"][-1] - drifts["q.shoulder"][late][0])
    _table(
        "Two links with friction, shaken below break-away",
        [
            ("simulated", f"{sticks.time[-1]:g} s at 0.1 ms and again at 0.02 ms, Runge–Kutta 4, in {seconds:.2f} s"),
            (
                "stops",
                f"at about {float(sticks.time[abs(sticks['v.shoulder']) + abs(sticks['v.elbow']) > 0.05][-1]):.2f} s",
            ),
            ("implicit Coulomb", f"then moves by {stays:.1e} rad in 10 s"),
            ("LuGre", f"then creeps by {goes:.1e} rad in 10 s, and goes on"),
        ],
    )
    save(stop_and_stay(sticks, drifts), out)
    print(f"\nfigure: {out}")


@app.command
def run(scene: Path, *, out: Path | None = None, plot: bool = False, figure: Path | None = None) -> None:
    """Simulate a scene file.

    Parameters
    ----------
    scene
        The scene, a TOML file; examples/ has some.
    out
        Where to write the run: .h5 or .hdf5 (HDF5), or .csv.
    plot
        Draw the run, beside `out` or the scene.
    figure
        Where to draw the run.
    """
    import time
    import warnings

    picture = figure or ((out or scene).with_suffix(".png") if plot else None)
    if picture:
        _check_figure(picture)
    if out:
        _check_out(out)
    from stiction.methods import DEFAULT, as_method

    read = stiction.read_scene(scene)
    began = time.perf_counter()
    with warnings.catch_warnings(), _bar("simulating") as tell:
        warnings.simplefilter("ignore", stiction.StictionWarning)  # the notes of the run say the same
        try:
            record = stiction.run_file(read, progress=tell)
        except stiction.DivergedError as error:
            record = error.run
    what = [f"{r.name} ({r.nv} velocities)" for r in read.scene.all_robots.values()] + list(read.scene.parts)
    method = as_method(read.settings.get("method", DEFAULT))
    rows = [
        ("scene", f"{', '.join(what)}; friction at {', '.join(read.scene.sites) or 'no joint'}"),
        ("method", f"{method.title}, step {read.settings['step']:g} s"),
        ("simulated", f"{record.time[-1]:g} s in {time.perf_counter() - began:.2f} s, {record.status}"),
    ]
    for name in [*read.scene.joints][:20]:
        if {f"q.{name}", f"v.{name}"} <= record.signals.keys():
            end, speed = record[f"q.{name}"][-1], record[f"v.{name}"][-1]
            units = record.units[f"q.{name}"], record.units[f"v.{name}"]
            rows.append((name, f"ends at {end:.6g} {units[0]}, moves at {speed:.3g} {units[1]}{_mode(record, name)}"))
    if "energy.residue" in record.signals:
        rows.append(
            (
                "energy",
                f"residue {abs(record['energy.residue']).max():.1e} J of "
                f"{record['energy.kinetic'].max():.3g} J of kinetic energy at most",
            )
        )
    _table(str(scene), rows)
    for note in record.notes:
        print(f"  note: {note}")
    if out:
        record.save(out)
        print(f"\nrun: {out}")
    if picture:
        _draw(record, scene.stem, picture)
    if record.status == "interrupted":
        raise KeyboardInterrupt
    if record.status != "completed":
        raise stiction.StictionError(record.message)


def _check_figure(path: Path) -> None:
    """Refuse a figure that could not be drawn, before anything is computed for it; plotting is imported only then."""
    from stiction.show.figure import check

    check(path)


def _draw(record: Any, title: str, path: Path) -> None:
    from stiction.show import motion
    from stiction.show.figure import save

    save(motion.figure(record, title), path)
    print(f"figure: {path}")


def _check_out(out: Path) -> None:
    from stiction.files.hdf5 import check_ending

    check_ending(out)
    if out.is_dir():
        raise stiction.StictionError(f"cannot write '{out}': it is a folder; give a file name")
    if not out.parent.is_dir():
        raise stiction.StictionError(f"cannot write '{out}': there is no folder '{out.parent}'; make it first")


def _mode(record: Any, name: str) -> str:
    if f"mode.{name}" not in record.signals:
        return ""
    return ", " + ("stuck", "pre-sliding", "sliding")[int(record[f"mode.{name}"][-1])]


@contextmanager
def _bar(what: str) -> Iterator[Callable[[float], None]]:
    """A bar that shows itself when the work takes more than a second."""
    tqdm = needed("tqdm", "progress bars").tqdm

    with tqdm(
        total=1.0,
        desc=what,
        delay=1.0,
        leave=False,
        disable=None,
        bar_format="{desc} {percentage:3.0f} %|{bar}| {elapsed}, {remaining} to go",
    ) as bar:
        yield lambda part: bar.update(part - bar.n)


@app.command
def schema() -> None:
    """Print the JSON Schema of scene files."""
    import json

    from stiction.files.schema import schema

    print(json.dumps(schema(), indent=1, ensure_ascii=False))


@app.command
def plot(run: Path, *, out: Path | None = None) -> None:
    """Draw a run that was saved as HDF5.

    Parameters
    ----------
    run
        The file, as `stiction run --out run.h5` writes it.
    out
        The figure to write; beside the run by default.
    """
    target = out or run.with_suffix(".png")
    _check_figure(target)
    _draw(stiction.Trajectory.load(run), run.stem, target)


@app.command
def reproduce(case: str = "", *, out: Path | None = None, json: bool = False, quick: bool = False) -> None:
    """List the papers' experiments, or run one and compare: exit status 0 only if every claim holds.

    Parameters
    ----------
    case
        Name of an experiment, or "all"; nothing lists them.
    out
        Folder for the figures.
    json
        Print the claims as JSON.
    quick
        A shorter version of experiments that take over 20 s.
    """
    import warnings
    from json import dumps

    from stiction.reproduce import CASES
    from stiction.show.figure import save

    if not case:
        _table("experiments", [(name, f"{one.title} ({one.source})") for name, one in CASES.items()])
        return
    if case != "all" and case not in CASES:
        raise stiction.StictionError(
            unknown("experiment", case, "reproduce", ["all", *CASES], source="stiction reproduce")
        )
    if out and not out.is_dir():
        raise stiction.StictionError(f"cannot write figures to '{out}': there is no such folder; make it first")
    chosen = list(CASES) if case == "all" else [case]
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stiction.StictionWarning)  # the papers' own parameters
        for name in chosen:
            with _bar(name) as tell:
                found[name] = CASES[name].run(quick, tell)
    if json:
        print(
            dumps(
                {name: [vars(claim) for claim in claims] for name, (claims, _) in found.items()},
                indent=1,
                ensure_ascii=False,
            )
        )
    for name, (claims, draw) in found.items():
        if not json:
            _verdicts(f"{name}: {CASES[name].title}", claims)
        if out:
            save(draw(), out / f"{name}.png")
            print(f"figure: {out / f'{name}.png'}", file=sys.stderr if json else sys.stdout)
    sys.exit(0 if all(claim.holds is not False for claims, _ in found.values() for claim in claims) else 1)


def _verdicts(title: str, claims: list[Any]) -> None:
    rows = [
        ("", "paper", "ours", "verdict"),
        *(
            (c.what, c.paper, c.ours, "reported" if c.holds is None else "holds" if c.holds else "FAILS")
            for c in claims
        ),
    ]
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    print(title)
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _table(title: str, rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    print(title)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")


def main() -> None:
    """Run the command line: errors of ours in one line, `--debug` for the traceback; exit status 1 on error, 130 on
    Ctrl-C.
    """
    words = sys.argv[1:]
    debug = "--debug" in words
    try:
        app([word for word in words if word != "--debug"])
    except stiction.StictionError as error:
        if debug:
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
