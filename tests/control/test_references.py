"""Profiles, references and paths of a tool."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import stiction
from stiction import Arc, Chain, Line, PathError, PointToPoint, SCurve, Spline, ToolPath, Trapezoid
from stiction.control.reference import Given
from stiction.trace import sin, where

PUMA = stiction.library.puma560()
size = st.floats(0.01, 100)


def at(x, y, z):
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


START = PUMA.inverse_kinematics(at(0.5, -0.3, 0.7), "link6")


def path(*segments, **options):
    speed = options.pop("profile", Trapezoid(speed=0.2, acceleration=1.0))
    return ToolPath(q=START, segments=segments, profile=speed, frame="link6", **options)


@settings(max_examples=60, deadline=None)
@given(size, size, size, size)
def test_rides_keep_their_limits_and_arrive(way, speed, acceleration, jerk):
    for profile in (
        Trapezoid(speed=speed, acceleration=acceleration),
        SCurve(speed=speed, acceleration=acceleration, jerk=jerk),
    ):
        ride = profile.ride(way)
        T = ride.duration
        assert ride.at(T + 1) == (pytest.approx(way, rel=1e-12), 0, 0)
        for part in np.linspace(0, 1, 23):
            s, v, a = ride.at(part * T)
            assert -1e-12 * way <= s <= way * (1 + 1e-12)
            assert v <= speed * (1 + 1e-9) and abs(a) <= acceleration * (1 + 1e-9)
            back, _, _ = ride.at((1 - part) * T)
            assert s + back == pytest.approx(way, rel=1e-9)  # it slows down as it sped up


def test_the_quickest_ride_is_a_closed_form():
    assert Trapezoid(speed=1, acceleration=2).ride(3.0).duration == pytest.approx(3.5)  # s/v + v/a
    assert Trapezoid(speed=10, acceleration=2).ride(2.0).duration == pytest.approx(2.0)  # 2 √(s/a)
    assert SCurve(speed=1, acceleration=2, jerk=4).ride(3.0).duration == pytest.approx(4.0)  # s/v + v/a + a/j
    assert SCurve(speed=9, acceleration=9, jerk=4).ride(1.0).duration == pytest.approx(2.0)  # 4 (s/2j)^(1/3)


MOTIONS = {
    "trapezoid": PointToPoint(start=[0, 0.5, 1], stop=[1, -0.5, 1], velocity=[1, 2, 1], acceleration=3.0, begin=0.2),
    "s-curve": PointToPoint(start=[0, 0.5], stop=[1, -0.5], velocity=[1, 2], acceleration=3.0, jerk=[20, 50]),
    "spline": Spline(time=[0, 0.5, 2, 2.3], value=[[0, 1], [1, 1], [2, 0], [1, -0.5]]),
    "formula": Given(lambda t: t * sin(3 * t)),
    "path": path(
        Line(to=(0.5, 0.3, 0.7)), Line(to=(0.4, 0.3, 0.8)), Arc(via=(0.35, 0.2, 0.8), to=(0.4, 0.1, 0.8)), pause=0.1
    ).on(PUMA),
    "soft path": path(Line(to=(0.5, 0.3, 0.7)), profile=SCurve(speed=0.5, acceleration=2, jerk=10)).on(PUMA),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_set_points_are_derivatives_of_each_other(name):
    motion = MOTIONS[name]
    t, d = np.linspace(0.01, 6, 997), 1e-5
    before, here, after = (motion.sample(t + shift) for shift in (-d, 0, d))
    smooth = np.abs(after.a - before.a).max(axis=1) < 1e-2  # not across a jump of the acceleration
    np.testing.assert_allclose(((after.q - before.q) / (2 * d))[smooth], here.v[smooth], atol=1e-8)
    np.testing.assert_allclose(((after.v - before.v) / (2 * d))[smooth], here.a[smooth], atol=1e-6)


def test_joints_start_and_stop_together_within_their_limits():
    motion = MOTIONS["trapezoid"]
    t = np.linspace(0, motion.duration + 0.1, 2001)
    q, v, a = motion.sample(t)
    moved = (q[:, 0] - 0) / 1, (q[:, 1] - 0.5) / -1
    np.testing.assert_allclose(*moved, atol=1e-12)
    assert (np.abs(v).max(axis=0) <= np.array([1, 2, 1]) * (1 + 1e-12)).all()
    assert np.abs(v[:, 0]).max() == pytest.approx(1.0)  # the slowest goes as fast as it may
    assert (np.abs(a).max(axis=0) <= 3 * (1 + 1e-12)).all()
    assert (q[-1] == motion.stop).all() and (q[:, 2] == 1).all()


def test_splines_are_those_of_scipy():
    motion = MOTIONS["spline"]
    t = np.linspace(0, 2.3, 301)
    reference = CubicSpline(motion.time, motion.value, bc_type="clamped")
    q, v, a = motion.sample(t)
    np.testing.assert_allclose(q, reference(t), atol=1e-12)
    np.testing.assert_allclose(v, reference(t, 1), atol=1e-12)
    np.testing.assert_allclose(a, reference(t, 2), atol=1e-11)
    np.testing.assert_allclose(motion.sample(9.0).q, [1, -0.5], atol=1e-14)
    assert (motion.sample(9.0).v == 0).all()


def test_the_tool_stays_on_its_path_and_keeps_its_orientation():
    motion = MOTIONS["path"]
    t = np.linspace(0, motion.duration, 2003)
    poses = PUMA.pose(motion.sample(t).q, "link6")
    np.testing.assert_allclose(poses[:, :3, 3], motion.tool(t), atol=2e-9)
    np.testing.assert_allclose(poses[:, :3, :3], np.broadcast_to(poses[0, :3, :3], (2003, 3, 3)), atol=1e-8)
    np.testing.assert_allclose(poses[-1, :3, 3], [0.4, 0.1, 0.8], atol=1e-9)


def test_path_speed_is_that_of_the_profile_and_accelerations_bend_with_the_arc():
    motion = path(Arc(via=(0.4, 0.0, 0.8), to=(0.5, 0.3, 0.7))).on(PUMA)
    t = np.array([motion.duration / 2])
    q, v, a = motion.sample(t)
    twist = PUMA.twist(q, v, "link6")[0]
    np.testing.assert_allclose(twist[:3], 0, atol=1e-7)
    assert np.linalg.norm(twist[3:]) == pytest.approx(0.2, rel=1e-7)
    speeding = PUMA.jacobian(q, "link6")[0] @ a[0] + PUMA.jacobian_rate(q, v, "link6")[0] @ v[0]
    radius = motion.curves[0].radius
    assert np.linalg.norm(speeding[3:]) == pytest.approx(0.2**2 / radius, rel=1e-3)  # q'' of a cubic is of second order


def test_deviations_along_and_across():
    motion = path(Line(to=(0.5, 0.3, 0.7))).on(PUMA)  # along y
    t = np.linspace(0.5, 2.5, 7)
    q = motion.sample(t).q
    target = PUMA.pose(q, "link6")
    target[:, :3, 3] += [1e-3, 2e-3, -3e-3]
    moved = np.array([PUMA.inverse_kinematics(x, "link6", q=y) for x, y in zip(target, q, strict=True)])
    found = motion.deviation(t, moved)
    np.testing.assert_allclose(found.along, 2e-3, atol=1e-8)
    np.testing.assert_allclose(found.horizontal, -1e-3, atol=1e-8)  # left of the path is −x
    np.testing.assert_allclose(found.vertical, -3e-3, atol=1e-8)
    np.testing.assert_allclose(found.across, np.hypot(1e-3, 3e-3), atol=1e-8)
    batch = motion.deviation(t, np.stack([q, moved], axis=1))
    np.testing.assert_allclose(batch.vertical[:, 1], -3e-3, atol=1e-8)


def test_deviations_from_an_arc_are_radial():
    motion = path(Arc(via=(0.4, 0.0, 0.7), to=(0.5, 0.3, 0.7))).on(PUMA)
    curve, t = motion.curves[0], np.array([1.0])
    s = motion.way(1.0)[0]
    lag = curve.point(s - 0.05)
    out = lag + 0.001 * (lag - curve.center) / curve.radius
    target = PUMA.pose(motion.sample(1.0).q, "link6")
    target[:3, 3] = out
    q = PUMA.inverse_kinematics(target, "link6", q=motion.sample(1.0).q)
    found = motion.deviation(t, q[None])
    assert found.along[0] == pytest.approx(-0.05, abs=1e-9) and found.across[0] == pytest.approx(0.001, abs=1e-9)


def test_seven_joints_follow_a_path():
    arm = stiction.library.chain(7, length=0.25)
    q = [0.3, 0.4, 0.5, -0.4, 0.6, 0.3, -0.5]
    here = arm.pose(q, "link7")[:3, 3]
    motion = ToolPath(
        q=q, segments=[Line(to=here - 0.2)], profile=Trapezoid(speed=0.3, acceleration=2), frame="link7"
    ).on(arm)
    t = np.linspace(0, motion.duration, 501)
    poses = arm.pose(motion.sample(t).q, "link7")
    np.testing.assert_allclose(poses[:, :3, 3], motion.tool(t), atol=2e-9)
    np.testing.assert_allclose(poses[:, :3, :3], np.broadcast_to(poses[0, :3, :3], (501, 3, 3)), atol=1e-8)


def test_jumps_are_known():
    assert Given(lambda t: where(t > 1, 1.0, 0.0)).leaps() == [(1.0, 0, 1.0)]
    assert not Given(lambda t: where(t > 1, t - 1, 0.0)).leaps()
    go = PointToPoint(start=0.0, stop=1.0, velocity=1.0, acceleration=2.0)
    assert not Chain(motions=[go, PointToPoint(start=1.0, stop=0.0, velocity=1.0, acceleration=2.0)]).leaps()
    (leap,) = Chain(motions=[go, go], pause=0.5).leaps()
    assert leap.time == pytest.approx(2.0) and leap.way == -1


BAD = [
    (lambda: path(Line(to=(1.5, 0.3, 0.7))).on(PUMA), r"singularity of 'puma560' at 0\.\d+ m along it"),
    (lambda: path(Line(to=(0.5, 0.3, 3.0))).on(PUMA), r"at \d\.\d+ m along it"),
    (lambda: path(Line(to=(0.0, 0.3, 0.7))).on(PUMA), r"singularity"),
    (lambda: path(Line(to=(0.5, -0.3, 0.7))).on(PUMA), "where it starts"),
    (lambda: path(Arc(via=(0.5, 0.0, 0.7), to=(0.5, 0.3, 0.7))).on(PUMA), "on a line"),
    (lambda: path(), "segments is empty"),
    (lambda: path(Line(to=(0.5, 0.3, 0.7))).sample(0.0), "belongs to a robot"),
    (lambda: path(Line(to=(0.5, 0.3, 0.7))).on(stiction.library.chain(7)), "q has 6 numbers; allowed: 7"),
]


@pytest.mark.parametrize(("make", "words"), BAD)
def test_paths_that_cannot_be_gone_are_refused(make, words):
    with pytest.raises(PathError, match=words):
        make()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: PointToPoint(start=[0, 0], stop=[1], velocity=1.0, acceleration=1.0),
            "start has 2 numbers and stop 1",
        ),
        (lambda: PointToPoint(start=0, stop=1, velocity=0, acceleration=1), "velocity is"),
        (lambda: Spline(time=[0, 0], value=[0, 1]), "rising"),
        (lambda: Spline(time=[0, 1], value=[[0], [1, 2]]), "value is"),
        (lambda: Chain(motions=[]), "motions is empty"),
        (lambda: Chain(motions=[Given(lambda t: t), Given(0.0)]), "nobody knows when it ends"),
        (lambda: Trapezoid(speed=0, acceleration=1), "speed is 0"),
    ],
)
def test_impossible_references_are_refused(make, words):
    with pytest.raises(stiction.StictionError, match=words):
        make()


def test_jumps_are_told_in_the_run():
    from tests.scenes import flywheel

    pid = stiction.PID(clock=stiction.Clock(period=1e-2), proportional=1.0, derivative=0.1)
    step = stiction.Scene(
        robot=flywheel(0.1), control={"axle": pid}, reference={"axle": lambda t: where(t < 1, 0.0, 0.5)}
    )
    assert "jumps by 0.5 rad or m at 1 s" in stiction.simulate(step, duration=0.1, step=1e-2).notes[0]
    move = PointToPoint(start=0.2, stop=1.0, velocity=1.0, acceleration=2.0)
    there = stiction.Scene(robot=flywheel(0.1), control={"axle": pid}, reference={"axle": move})
    assert there.q == (0.2,) and not stiction.simulate(there, duration=0.1, step=1e-2).notes
    far = stiction.Scene(robot=flywheel(0.1), control={"axle": pid}, reference={"axle": move}, q=[0.0])
    assert "begins at 0.2 rad or m, and the joint at 0" in stiction.simulate(far, duration=0.1, step=1e-2).notes[0]
    plain = stiction.Scene(robot=flywheel(0.1), control={"axle": pid}, reference={"axle": 0.5})
    assert plain.q == (0.0,) and not stiction.simulate(plain, duration=0.1, step=1e-2).notes
