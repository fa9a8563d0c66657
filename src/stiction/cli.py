"""The command line. Everything heavy is imported inside the commands, so that `--help` answers at once."""

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import stiction
from stiction.errors import unknown
from stiction.extras import needed

try:
    cyclopts = needed("cyclopts", "commands")
except stiction.StictionError as error:
    sys.exit(f"error: {error}")
app = cyclopts.App(
    name="stiction", help="The robot-dynamics simulator that gets friction right.", version=stiction.__version__
)


@app.command
def demo(*, out: Path = Path("stiction-demo.png")) -> None:
    """An industrial arm with friction in all joints and a digital servo welds a straight line: path errors and motor
    currents.

    Parameters
    ----------
    out
        The figure to write.
    """
    import time

    from stiction.reproduce.arm import draw_weld, weld
    from stiction.show.figure import check, save, style

    check(out)
    made = weld()
    with _bar("compiling and simulating") as tell:
        made.run(duration=1e-3)  # compiles
        began = time.perf_counter()
        record = made.run(progress=tell)
    seconds, away = time.perf_counter() - began, made.deviation(record)
    turn = made.reversal(1)
    at, moving = abs(record.time - turn) < 0.3, (record.time > 1.3) & (record.time < 12.7)
    across = 1e6 * away.across
    _table(
        "A Stäubli RX90B (representative numbers) welds 1.2 m at 100 mm/s",
        [
            ("simulated", f"{record.time[-1]:g} s at 0.25 ms, loops at 1 and 4 kHz, in {seconds:.2f} s once compiled"),
            ("friction", "LuGre at 7 places, 1 to 33 N·m, stiff within tenths of a microradian"),
            (
                "tool",
                f"within {across.max():.0f} µm of its path, mostly {sorted(across[moving])[sum(moving) // 2]:.0f} µm",
            ),
            ("reversal", f"joints 2 and 3 turn round at {turn:.2f} s: {across[at].max():.0f} µm"),
            ("currents", f"up to {abs(record.stack('motor_current.')).max():.2f} A"),
        ],
    )
    with style():
        save(draw_weld(made, record), out)
    print(f"\nfigure: {out}")


@app.command
def run(
    scene: Path,
    *,
    set_: Annotated[list[str] | None, cyclopts.Parameter(name="--set", negative="")] = None,
    out: Path | None = None,
    plot: bool = False,
    figure: Path | None = None,
) -> None:
    """Simulate a scene file, once or for several values of its parameters.

    Parameters
    ----------
    scene
        The scene, a TOML file; examples/ has some.
    set_
        NAME=VALUE replaces a parameter or first value (friction.joint1.level=0.4, q.joint1=0.1; `friction.*.level=0.4`
        sets all that fit) or a setting (step, duration, record, method, energy). Repeat it for more names. Several
        values of a parameter (NAME=0.2,0.4,0.8) make a sweep: all runs in one batch and a table of how they ended;
        several such names give the product of their values, at most 1000 runs.
    out
        Where to write the run: .h5 or .hdf5 (HDF5), or .csv; a sweep: HDF5.
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
    from stiction.sweep import sweep_of

    sweep = sweep_of(stiction.read_scene(scene), set_ or [])
    if sweep.varied and out and out.suffix == ".csv":
        raise stiction.StictionError(f"the runs of a sweep do not fit '{out.name}'; save them as .h5")
    began = time.perf_counter()
    with warnings.catch_warnings(), _bar("simulating") as tell:
        warnings.simplefilter("ignore", stiction.StictionWarning)  # the notes of the run say the same
        try:
            record = stiction.run_file(sweep.file, progress=tell, parameters=sweep.parameters)
        except stiction.StictionError as error:
            if error.run is None:
                raise
            record = error.run
    _tell_run(sweep, record, time.perf_counter() - began)
    if out:
        record.save(out)
        print(f"\nrun: {out}")
    if picture and (not record.diverged.all() or not record.diverged.ndim):
        _draw(record, (), scene.stem, picture)
    if record.status == "interrupted":
        raise KeyboardInterrupt
    if record.status != "completed":
        raise stiction.StictionError(record.message)


def _tell_run(sweep: Any, record: Any, seconds: float) -> None:
    """What was simulated and how it ended: a line for each joint, or for each run of a sweep."""
    from stiction.methods import method_for
    from stiction.sweep import JOINTS, positions_of, table

    scene, settings = sweep.file.scene, sweep.file.settings
    what = [f"{r.name} ({r.nv} velocities)" for r in scene.all_robots.values()] + list(scene.parts)
    fixed = [f"{name} = {x:g}" for name, x in sweep.values.items() if name not in sweep.varied]
    runs = f"{record.diverged.size} runs of " if sweep.varied else ""
    rows = [
        ("scene", f"{', '.join(what)}; friction at {', '.join(scene.sites) or 'no joint'}{_kept(scene)}"),
        ("method", f"{method_for(scene.network, settings.get('method'))[0].title}, step {settings['step']:g} s"),
        *([("set", ", ".join(fixed))] if fixed else []),
        ("simulated", f"{runs}{record.time[-1]:g} s in {seconds:.2f} s, {record.status}"),
    ]
    _table(sweep.file.path, rows if sweep.varied else [*rows, *_ends(scene, record)])
    if sweep.varied:
        print()
        _columns(table(sweep, record))
        differ, alike = positions_of(record)
        for names, how in ((alike, "the same in all runs"), (differ[JOINTS:], "also different")):
            if names:
                print(f"  {how}: {', '.join(names)}")
    for note in record.notes:
        print(f"  note: {note}")


def _kept(scene: Any) -> str:
    """The constraints of a scene, in words."""
    return f"; constraints: {', '.join(scene.all_constraints)}" if scene.all_constraints else ""


def _ends(scene: Any, record: Any) -> list[tuple[str, str]]:
    """Where each joint of a single run ends, and how far its energy balance is open."""
    rows = []
    for name in [*scene.joints][:20]:
        if {f"q.{name}", f"v.{name}"} <= record.signals.keys():
            end, speed = record[f"q.{name}"][-1], record[f"v.{name}"][-1]
            units = record.units[f"q.{name}"], record.units[f"v.{name}"]
            rows.append((name, f"ends at {end:.6g} {units[0]}, moves at {speed:.3g} {units[1]}{_mode(record, name)}"))
    if "energy.residue" in record.signals:
        residue, most = abs(record["energy.residue"]).max(), record["energy.kinetic"].max()
        rows.append(("energy", f"residue {residue:.1e} J of {most:.3g} J of kinetic energy at most"))
    return rows


def _check_figure(path: Path) -> None:
    """Refuse a figure that could not be drawn, before anything is computed for it; plotting is imported only then."""
    from stiction.show.figure import check

    check(path)


def _draw(record: Any, signals: Sequence[str], title: str, path: Path) -> None:
    record.plot(*signals, path=path, title=title)
    print(f"figure: {path}")


def _check_out(out: Path) -> None:
    from stiction.files.hdf5 import check_target

    check_target(out)


def _mode(record: Any, name: str) -> str:
    if f"mode.{name}" not in record.signals:
        return ""
    from stiction.show.motion import MODES

    return ", " + list(MODES)[int(record[f"mode.{name}"][-1])]


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
def plot(
    run: Path,
    *,
    signals: Annotated[list[str] | None, cyclopts.Parameter(negative="")] = None,
    out: Path | None = None,
) -> None:
    """Draw a run, or the runs of a sweep, that was saved as HDF5.

    Parameters
    ----------
    run
        The file, as `stiction run --out run.h5` writes it.
    signals
        What to draw: names, beginnings of names, or patterns such as `q.*`; repeat it for more. By default motion,
        friction, what drives it, and energies.
    out
        The figure to write; beside the run by default.
    """
    target = out or run.with_suffix(".png")
    _check_figure(target)
    _draw(stiction.Trajectory.load(run), signals or (), run.stem, target)


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

    from stiction.reproduce import ALIASES, CASES
    from stiction.show.figure import save, style

    if not case:
        _table("experiments", [(name, f"{one.title} ({one.source})") for name, one in CASES.items()])
        return
    case = ALIASES.get(case, case)
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
            with style():
                save(draw(), out / f"{name}.png")
            print(f"figure: {out / f'{name}.png'}", file=sys.stderr if json else sys.stdout)
    sys.exit(0 if all(claim.holds is not False for claims, _ in found.values() for claim in claims) else 1)


@app.command
def lessons(name: str = "", *, port: int = 0, browser: bool = True) -> None:
    """Open the lessons on robot dynamics in a browser; all of it runs on this machine. Ctrl-C ends it.

    Parameters
    ----------
    name
        One lesson, such as "lagrange"; nothing opens the list of all.
    port
        Where to serve them; a free one by default.
    browser
        Open a browser; without it the address is printed alone.
    """
    from stiction.lessons.serve import serve

    serve(name, port, browser)


@app.command
def docs(*, out: Path | None = None, browser: bool = True) -> None:
    """Build the documentation and open it in a browser, without a network.

    Parameters
    ----------
    out
        Folder for the pages; one among the user's cached files by default.
    browser
        Open a browser; without it the place of the first page is printed alone.
    """
    import webbrowser

    from stiction.site.build import build, usual_folder

    with _waiting("building the pages"):
        first = build(out or usual_folder())
    print(first)
    if browser:
        webbrowser.open(first.resolve().as_uri())


@contextmanager
def _waiting(what: str) -> Iterator[None]:
    """Say what takes some seconds, where someone looks."""
    if sys.stderr.isatty():
        print(f"{what} ...", file=sys.stderr)
    yield


def _verdicts(title: str, claims: list[Any]) -> None:
    rows = [
        ("", "paper", "ours", "verdict"),
        *(
            (c.what, c.paper, c.ours, "reported" if c.holds is None else "holds" if c.holds else "FAILS")
            for c in claims
        ),
    ]
    print(title)
    _columns(rows)


def _columns(rows: Sequence[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _table(title: str, rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    print(title)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")


def main() -> None:
    """Run the command line: errors of ours in one line, `--debug` for the traceback; exit status 1 on error, 130 on
    Ctrl-C, 141 where nobody reads on.
    """
    os.environ["MPLBACKEND"] = "Agg"  # figures go to files, never to windows
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # terminals without our letters
    words = sys.argv[1:]
    debug = "--debug" in words
    try:
        app([word for word in words if word != "--debug"])
        sys.stdout.flush()
    except BrokenPipeError:  # as `stiction reproduce | head` makes it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
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
