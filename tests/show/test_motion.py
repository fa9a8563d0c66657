"""The figure of a run shows what happened: the right signals in the right panels, modes as long as they lasted, bands
that hold the runs.
"""

import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import stiction
from stiction import Coulomb, DCMotor, Drive, Gear, InputError, LuGre, Scene, Trajectory, simulate
from stiction.show.figure import COLORS, leave_open, style
from stiction.show.motion import FEW, MODES, MOST
from stiction.show.moving import moving_picture
from stiction.show.panels import panels
from tests.scenes import driven, everything, on_axle


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def run():
    """A turning and a sliding joint, which stick and slide."""
    scene = Scene(
        robot=stiction.library.rp_arm(),
        friction={
            "turn": LuGre(level=0.2, static=0.3, velocity=0.1, stiffness=100.0, damping=1.0),
            "slide": Coulomb(level=0.5),
        },
        torque={"turn": 1.0},
        q=[0.1, 0.3],
    )
    return simulate(scene, duration=0.5, step=1e-3, record=0.01)


def labels(figure):
    return [" ".join(ax.get_ylabel().split()) for ax in figure.axes]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def area(ax, mode):
    """What is coloured by a mode, in seconds times rows."""
    wanted = matplotlib.colors.to_rgba(MODES[mode])
    total = 0.0
    for patch in ax.collections:
        if tuple(patch.get_facecolor()[0]) == wanted:
            for x, y in (path.vertices.T for path in patch.get_paths()):
                total += abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) / 2
    return total


def test_units_are_not_mixed(run):
    figure = run.plot()
    assert labels(figure) == [
        "position [rad]",
        "position [m]",
        "velocity [rad/s]",
        "velocity [m/s]",
        "friction [N·m]",
        "friction [N]",
        "mode",
        "applied torque [N·m]",
    ]
    for ax, name in zip(figure.axes, ("q.turn", "q.slide", "v.turn", "v.slide", "friction.turn"), strict=False):
        (line,) = ax.lines
        np.testing.assert_array_equal(line.get_data(), (run.time, run[name]))
        assert legend(ax) == [name.partition(".")[2]]
    assert figure.axes[0].lines[0].get_color() == figure.axes[2].lines[0].get_color() == COLORS[0]
    assert figure.axes[1].lines[0].get_color() == figure.axes[3].lines[0].get_color() == COLORS[1]
    assert figure.axes[-1].get_xlabel() == "time [s]"


def test_patterns_choose(run):
    assert labels(run.plot("q.", "margin.*")) == ["position [rad]", "position [m]", "margin [N·m]", "margin [N]"]
    assert labels(run.plot("robot.v.turn")) == ["velocity [rad/s]"]
    with pytest.raises(InputError, match=r"unknown signal 'q\.tunr'; this run has: q\.turn.* and \d+ more"):
        run.plot("q.tunr")


def test_modes_are_as_long_as_they_lasted(run):
    (ax,) = run.plot("mode.*").axes
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["turn", "slide"]
    assert legend(ax) == ["stuck", "pre-sliding", "sliding"]
    lasting = np.diff(run.time)
    for k, mode in enumerate(MODES):
        expected = sum(lasting[run[f"mode.{site}"][:-1] == k].sum() for site in ("turn", "slide"))
        assert area(ax, mode) == pytest.approx(0.8 * expected, abs=1e-9), mode
    assert area(ax, "pre-sliding") > 0 and area(ax, "sliding") > 0


def test_both_sides_of_a_gear_have_panels_of_their_own():
    motor = DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5, rated_voltage=24.0)
    gear = Gear(ratio=50, stiffness=1.0, damping=0.01)
    drive = Drive(
        motor=motor, gear=gear, motor_friction=Coulomb(level=0.01), joint_friction=Coulomb(level=0.5), command=12.0
    )
    run = simulate(driven(0.5, drive), duration=0.2, step=1e-4, method="moreau", record=0.01)
    figure = run.plot()
    shown = dict(zip(labels(figure), figure.axes, strict=True))
    assert list(shown) == [
        *("position [rad]", "velocity [rad/s]", "friction [N·m]", "mode"),
        *("motor friction [N·m]", "motor mode", "motor command [V]", "motor speed [rad/s]"),
        *("motor current [A]", "motor torque [N·m]"),
    ]
    np.testing.assert_array_equal(shown["velocity [rad/s]"].lines[0].get_ydata(), run["v.axle"])
    np.testing.assert_array_equal(shown["motor speed [rad/s]"].lines[0].get_ydata(), run["motor_speed.axle"])
    np.testing.assert_array_equal(shown["motor friction [N·m]"].lines[0].get_ydata(), run["friction.axle.motor"])
    assert all(legend(ax) == ["axle"] for name, ax in shown.items() if "mode" not in name)


def batch(levels):
    scene = on_axle(0.02, Coulomb(level=0.5), 1.0)
    return simulate(
        scene, duration=0.1, step=1e-3, record=0.01, method="moreau", parameters={"friction.axle.level": levels}
    )


def test_many_runs_are_bands():
    runs = batch(np.linspace(0.0, 2.0, 50))
    figure = runs.plot("q.axle", "mode.axle")
    position, mode = figure.axes
    assert "50 runs" in position.get_title("left")
    (line,) = position.lines
    np.testing.assert_array_equal(line.get_ydata(), np.median(runs["q.axle"], axis=1))
    for band, share in zip(position.collections, (0.25, 0.05), strict=True):
        low, high = np.quantile(runs["q.axle"][-1], (share, 1 - share))
        at_end = band.get_paths()[0].vertices
        at_end = at_end[at_end[:, 0] == runs.time[-1], 1]
        assert (at_end.min(), at_end.max()) == pytest.approx((low, high))
    held = (runs["mode.axle"][:-1] == 0).mean(axis=1)
    assert 0.4 < held[-1] < 0.6, "levels above 1 N·m hold"
    assert area(mode, "stuck") == pytest.approx(0.8 * np.sum(held * np.diff(runs.time)))


def test_a_few_runs_have_a_line_each():
    runs = batch(np.array([0.2, 0.4, 1.5]))
    figure = runs.plot()
    assert labels(figure) == ["position axle [rad]", "mode"]
    position, mode = figure.axes
    for k, line in enumerate(position.lines):
        np.testing.assert_array_equal(line.get_ydata(), runs["q.axle"][:, k])
        assert line.get_color() == position.get_legend().get_lines()[k].get_color()
    assert legend(position) == ["0.2", "0.4", "1.5"]
    assert position.get_legend().get_title().get_text() == "friction.axle.level"
    stuck = np.sum((runs["mode.axle"][:-1] == 0) * np.diff(runs.time)[:, None])
    assert area(mode, "stuck") == pytest.approx(0.7 / 3 * stuck)
    (alone,) = runs.plot("mode.axle").axes
    assert "1.5" in alone.get_legend().get_title().get_text()


def test_first_values_name_runs_and_equal_values_are_named_once(tmp_path):
    scene = Scene(robot=stiction.library.two_link(), friction={"shoulder": Coulomb(level=0.1)})
    values = {"q.elbow": [0.1, 0.2], "q.shoulder": [0.1, 0.2], "friction.shoulder.level": [0.2, 0.2], "v.elbow": 0.5}
    simulate(scene, duration=0.1, step=1e-2, parameters=values).save(tmp_path / "runs.h5")
    ax = Trajectory.load(tmp_path / "runs.h5").plot("q.").axes[0]
    assert ax.get_legend().get_title().get_text() == "q.elbow and 1 more\nfriction.shoulder.level"
    assert legend(ax) == ["0.1, 0.2", "0.2, 0.2"]


def test_batches_of_any_shape():
    runs = batch(np.array([[0.2, 0.4, 0.6], [1.2, 1.4, 1.6]]))
    ax = runs.plot("q.axle").axes[0]
    assert legend(ax) == ["0.2", "0.4", "0.6", "1.2", "1.4", "1.6"]
    np.testing.assert_array_equal(ax.lines[4].get_ydata(), runs["q.axle"][:, 1, 1])


@pytest.mark.parametrize("count", [3, FEW + 4])
def test_runs_that_diverged_are_left_out_and_told(count):
    x = np.tile(np.arange(count, dtype=float), (5, 1))
    x[:, 1] = 1e300
    until = np.full(count, 4.0)
    until[1] = 2.0
    runs = Trajectory(np.arange(5.0), {"q.a": x}, "diverged", units={"q.a": "rad"}, valid_until=until)
    (ax,) = runs.plot().axes
    assert f"{count - 1} runs" in ax.get_title("left") and "(1 more diverged)" in ax.get_title("left")
    assert max(line.get_ydata().max() for line in ax.lines) <= count
    none = Trajectory(np.arange(5.0), {"q.a": x}, "diverged", valid_until=np.zeros(count))
    with pytest.raises(InputError, match=f"nothing to draw of this run: all {count} runs diverged"):
        none.plot()


def test_a_run_without_records_is_refused():
    with pytest.raises(InputError, match="no records"):
        Trajectory(np.empty(0), {"q.a": np.empty(0)}).plot()


def test_more_than_a_panel_holds_is_told():
    names = [f"q.joint{k}" for k in range(20)]
    run = Trajectory(np.arange(3.0), {name: np.arange(3.0) for name in names}, units=dict.fromkeys(names, "rad"))
    (ax,) = run.plot().axes
    assert len(ax.lines) == MOST and ax.get_legend().get_title().get_text() == f"{MOST} of 20"
    looks = {(line.get_color(), line.get_linestyle()) for line in ax.lines}
    assert len(looks) == MOST, "no two look alike"


def test_every_signal_of_everything_is_in_one_panel():
    run = simulate(everything(), duration=0.02, step=1e-4, method="moreau", record=0.01)
    shown = panels(run.signals, run.units)
    drawn = [name for panel in shown for name in panel.names.values()]
    assert sorted(drawn) == sorted(run.signals)
    for panel in shown:
        assert len({run.units[name].replace("1", "") for name in panel.names.values()}) == 1, panel
        assert not (panel.modes and {x for name in panel.names.values() for x in run[name]} - {0.0, 1.0, 2.0})
    run.plot("*")


def test_the_settings_of_matplotlib_stay(run, tmp_path):
    before, backend = dict(matplotlib.rcParams), matplotlib.get_backend()
    run.plot(path=tmp_path / "run.png")
    with style():
        assert matplotlib.rcParams["legend.frameon"] is False
    assert dict(matplotlib.rcParams) == before and matplotlib.get_backend() == backend


def test_figures_are_written_or_left_to_be_shown(run, tmp_path, monkeypatch):
    figure = run.plot("q.")
    assert plt.fignum_exists(figure.number)
    written = run.plot("q.", path=tmp_path / "run.svg", title="an arm")
    assert "an arm" in written.axes[0].get_title("left")
    assert "<svg" in (tmp_path / "run.svg").read_text()
    assert plt.get_fignums() == [figure.number], "what is written is closed"
    monkeypatch.setattr(matplotlib, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    leave_open(figure)
    assert not plt.get_fignums(), "a notebook shows what the cell returns"
    with pytest.raises(stiction.StictionError, match="allowed endings"):
        run.plot(path=tmp_path / "run.docx")


def test_moving_pictures_stand_upright():
    """Pixels count from above; what rises in metres goes up in the picture, by the same amount in every direction."""
    points = np.array([[[0.0, 0.0], [0.5, 1.0]], [[0.0, 0.0], [1.0, 0.5]]])
    picture = moving_picture(np.array([0.0, 1.0]), {"rod": points})
    first = re.search(r'<polyline points="([^"]*)"', picture)[1]
    (x, y), (u, v) = (map(float, pair.split(",")) for pair in first.split())
    assert v < y and u > x and y - v == pytest.approx(2 * (u - x), abs=0.2)


def test_ellipses_are_drawn_around_the_tool():
    arm = stiction.library.two_link()
    ax = stiction.plot_ellipses(arm, [0.3, 0.7], "mass", "tip").axes[0]
    drawn = np.array(ax.lines[-1].get_data()).T
    middle = (drawn.min(axis=0) + drawn.max(axis=0)) / 2
    np.testing.assert_allclose(middle, arm.pose([0.3, 0.7], "tip")[:2, 3], atol=1e-2)
