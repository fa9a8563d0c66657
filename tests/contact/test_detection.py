"""Where bodies touch: gaps and normals of random poses against closed forms and SciPy."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

from stiction import Box, Capsule, Contacts, HalfSpace, Origin, Polyhedron, Scene, Sphere
from stiction.contact.geometry import Pair
from stiction.parts import Fixed, FreeBody
from stiction.spatial import Matrix, Pose, Twist, Vector


def touching(parts, margin=10.0, most=64):
    """Candidates that are near, by number: gap, point and normal; by default all are."""
    scene = Scene(parts=parts, contacts=Contacts(most=most))
    network = scene.network
    part = network.parts["contact"]
    part._set("margin", margin)
    now = network.evaluate(network.start, 0.0, 1e-3)
    slots = part.detected(network.inputs("contact", now.signals), 1e-3, [0.0])
    found = {}
    for j in range(int(slots.count)):
        number = int(slots.number(j, "candidate"))
        found[number] = (
            slots.number(j, "gap"),
            np.array(slots.vector(j, "point")),
            np.array(slots.vector(j, "normal")),
        )
    return scene.candidates, found


def body(solid, position, rotation=None):
    x, y, z, w = (rotation or Rotation.identity()).as_quat()
    return FreeBody.of(solid, position=position, quaternion=(w, x, y, z))


@pytest.mark.parametrize("seed", range(5))
def test_corners_above_a_slope(seed):
    rng = np.random.default_rng(seed)
    turn, place = Rotation.random(random_state=seed), rng.normal(size=3)
    slope = HalfSpace(origin=Origin(xyz=rng.normal(size=3) * 0.1, rpy=rng.normal(size=3)))
    box = body(Box(size=(0.1, 0.2, 0.3), mass=1.0), place, turn)
    candidates, found = touching({"box": box, "slope": Fixed(shapes=(slope,))})
    n, offset = slope.faces_here[0, :3], slope.faces_here[0, 3]
    assert len(found) == 8
    for number, (gap, point, normal) in found.items():
        corner = place + turn.apply(candidates[number].point)
        assert np.isclose(gap, n @ corner - offset) and np.allclose(point, corner) and np.allclose(normal, n)


@pytest.mark.parametrize("seed", range(8))
def test_a_ball_before_a_polyhedron(seed):
    """Its distance from the nearest point of a convex body, by a search of SciPy's."""
    rng = np.random.default_rng(seed)
    solid = Polyhedron.around(rng.normal(size=(12, 3)) * 0.2, mass=1.0)
    turn, place, ball = Rotation.random(random_state=seed), rng.normal(size=3), rng.normal(size=3)
    fixed = Fixed(position=place, quaternion=np.roll(turn.as_quat(), 1), shapes=(solid,))
    _, found = touching({"ball": body(Sphere(radius=0.05, mass=1.0), ball), "stone": fixed})
    ((gap, point, normal),) = found.values()
    corners = place + turn.apply(solid.local_points)
    start = np.full(len(corners), 1 / len(corners))
    best = minimize(
        lambda w: np.sum((w @ corners - ball) ** 2),
        start,
        bounds=[(0, 1)] * len(corners),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    nearest = best.x @ corners
    distance = np.linalg.norm(ball - nearest)
    if distance > 1e-3:  # outside
        assert np.isclose(gap, distance - 0.05, atol=1e-5)
        assert np.allclose(normal, (ball - nearest) / distance, atol=1e-2)
        assert np.allclose(point, ball - 0.05 * normal)


def test_balls_and_capsules():
    capsule = body(Capsule(radius=0.1, length=0.4, mass=1.0), (0, 0, 0))
    for place, gap, normal in (
        ((0.5, 0, 0.1), 0.3, (1, 0, 0)),
        ((0, 0, 0.8), 0.4, (0, 0, 1)),
        ((0.3, 0, 0.6), 0.3, (0.6, 0, 0.8)),
    ):
        _, found = touching({"ball": body(Sphere(radius=0.1, mass=1.0), place), "rod": capsule})
        distances = sorted(found.values(), key=lambda x: x[0])
        assert np.isclose(distances[0][0], gap)
        assert np.allclose(np.abs(distances[0][2] @ normal), 1)


def test_a_box_over_the_edge_of_another_touches_with_what_is_above_it():
    """Two corners of the upper box are above the lower one, and two of the lower one below the upper one."""
    lower, upper = (body(Box(size=(0.2, 0.2, 0.1), mass=1.0), place) for place in ((0, 0, 0), (0.12, 0.06, 0.1 + 1e-4)))
    _, near = touching({"lower": lower, "upper": upper}, margin=1e-3)
    assert len(near) == 2
    assert all(np.isclose(gap, 1e-4) and np.isclose(abs(normal[2]), 1) for gap, _, normal in near.values())
    points = np.array(sorted(tuple(point[:2]) for _, point, _ in near.values()))
    assert np.allclose(points, [[0.02, -0.04], [0.1, 0.1]])


def test_points_of_bodies_that_turn_move_as_they_should():
    """Seen from another body that moves, too: by finite differences of where they are."""
    rng = np.random.default_rng(5)
    (a, b), point, h = rng.normal(size=(2, 4, 3)), Vector(*rng.normal(size=3)), 1e-6

    def pair(t):
        poses = []
        for start, spin, place, way in (a, b):
            turn = Rotation.from_rotvec(spin * t) * Rotation.from_rotvec(start)
            poses.append(Pose(Matrix(turn.as_matrix().tolist()), Vector(*(place + way * t))))
        twists = [Twist(Vector(*x[1]), Vector(*x[3])) for x in (a, b)]
        return Pair(poses[0], twists[0], poses[1], twists[1], False).at(point)

    seen = (np.array(pair(h).place) - np.array(pair(-h).place)) / (2 * h)
    np.testing.assert_allclose(pair(0.0).velocity, seen, atol=1e-8)


def test_the_nearest_take_the_slots():
    box = body(Box(size=(0.1, 0.2, 0.3), mass=1.0), (0, 0, 0.5), Rotation.from_rotvec([0.3, 0.5, 0.1]))
    parts = {"box": box, "floor": Fixed(shapes=(HalfSpace(),))}
    gaps = sorted(gap for gap, _, _ in touching(parts)[1].values())
    few = [gap for gap, _, _ in touching(parts, most=3)[1].values()]
    assert few == gaps[:3] and gaps[3] > gaps[2]
