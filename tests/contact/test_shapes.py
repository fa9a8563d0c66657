"""Shapes: hulls and inertias against SciPy and closed forms; what URDF files say; what is refused."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import stiction
from stiction import (
    Box,
    Capsule,
    Contacts,
    Cylinder,
    HalfSpace,
    Link,
    Mesh,
    Origin,
    Points,
    Polyhedron,
    Robot,
    RobotError,
    Scene,
    Sphere,
    StictionError,
    Surface,
    simulate,
)
from stiction.contact import ContactError
from stiction.parts import Fixed, FreeBody
from stiction.robot.hull import hull_of
from tests.contact.scenes import FLOOR

URDF = """<robot name="arm"><link name="base"><collision><geometry><box size="1 1 0.2"/></geometry></collision></link>
<link name="tip"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
<collision><origin xyz="0 0 0.3" rpy="0 1.5707963267948966 0"/><geometry>{}</geometry></collision></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>"""


@pytest.mark.parametrize("seed", range(6))
def test_hulls_against_scipy(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(4, 60)), 3)) * rng.uniform(0.01, 10, 3)
    ours, theirs = hull_of(points), ConvexHull(points)
    assert np.isclose(ours.moments[0], theirs.volume, rtol=1e-9)
    assert len(ours.points) == len(theirs.vertices)
    assert (points @ ours.normals.T <= ours.offsets + 1e-9 * np.abs(points).max()).all()


def test_a_polyhedron_weighs_as_the_box_that_it_is():
    box = Box(size=(0.3, 0.2, 0.1), mass=2.0, origin=Origin(xyz=(1, 2, 3), rpy=(0.3, 0.2, 0.1)))
    other = Polyhedron(points=box.local_points + np.array([0.5, 0, 0]), mass=2.0, origin=box.origin)
    assert np.allclose(other.inertia, box.inertia, atol=1e-15)
    assert np.allclose(other.center - np.array(box.origin.xyz), box.origin.rotation @ [0.5, 0, 0])
    assert len(other.faces_here) == 6


@pytest.mark.parametrize(
    "made, why",
    [
        (lambda: Polyhedron(points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "lie in one plane"),
        (lambda: Polyhedron(points=[(0, 0, 0), (1, 0, 0)]), "it has 2 points; a body has at least 4"),
        (
            lambda: Polyhedron(points=[*Box(size=(1, 1, 1)).local_points.tolist(), (0, 0, 0)]),
            r"the point \(0.0, 0.0, 0.0\) is no corner, so it is not convex",
        ),
        (lambda: Points(points=[]), "allowed: rows of 3 finite numbers"),
        (lambda: Points(points=[(0, 0)]), "allowed: rows of 3 finite numbers"),
        (lambda: Surface(static=-0.1), "static is -0.1; allowed: a number, 0 or above"),
        (lambda: Surface(restitution=1.2), "restitution is 1.2"),
        (lambda: Contacts(most=0), "most is 0; allowed: a whole number, 1 to 256"),
        (lambda: Contacts(most=100_000), "most is 100000"),
        (lambda: Contacts(surfaces={"rubber": Surface()}), "allowed: two materials, such as 'rubber/steel'"),
        (lambda: Contacts(surfaces={"a/b": Surface(), "b/a": Surface()}), "both 'a/b' and 'b/a'"),
        (lambda: Contacts(surfaces={"a/b": 0.5}), "allowed: a stiction.Surface object"),
        (lambda: Contacts(off=["floor"]), "off holds 'floor'; allowed: pairs of names"),
        (lambda: Mesh(file="nowhere.stl").hull, "there is no file 'nowhere.stl'"),
        (lambda: Link.of("arm", Sphere(radius=1.0)), "give either mass or density"),
        (lambda: FreeBody(mass=1.0, inertia=(1, 1, 1), shapes=("box",)), "shapes is"),
    ],
)
def test_what_cannot_be(made, why):
    with pytest.raises(StictionError, match=why):
        made()


def test_names_that_are_not_there():
    box = FreeBody.of(Box(size=(0.1,) * 3, mass=1.0), position=(0, 0, 0.05))
    with pytest.raises(ContactError, match="unknown body with shapes 'table'; this scene has: box, floor"):
        Scene(parts={"box": box, **FLOOR}, contacts=Contacts(off=[("box", "table")]))
    with pytest.raises(ContactError, match="unknown material 'rubber'; this scene has: default"):
        Scene(parts={"box": box, **FLOOR}, contacts=Contacts(surfaces={"rubber/default": Surface()}))


def test_overlaps_at_the_start_are_refused_or_pushed_out():
    boxes = {f"box{k}": FreeBody.of(Box(size=(0.1,) * 3, mass=1.0), position=(0, 0, 0.05 + 0.09 * k)) for k in range(2)}
    scene = Scene(parts={**boxes, **FLOOR})
    with pytest.raises(stiction.InputError, match=r"overlap by 0.01 m at the start; allowed: 0.005 m"):
        simulate(scene, duration=0.1, step=1e-3)
    scene = Scene(parts={**boxes, **FLOOR}, contacts=Contacts(overlap=1.0))
    run = simulate(scene, duration=2.0, step=1e-3)
    assert np.isclose(run["box1.position.z"][-1], 0.15, atol=1e-6)
    assert run["box1.position.z"].max() < 0.155  # not thrown into the air


@pytest.mark.parametrize(
    "geometry, shape",
    [
        ('<box size="0.1 0.2 0.3"/>', Box(size=(0.1, 0.2, 0.3))),
        ('<sphere radius="0.2"/>', Sphere(radius=0.2)),
        ('<cylinder radius="0.1" length="0.4"/>', Cylinder(radius=0.1, length=0.4)),
        ('<capsule radius="0.1" length="0.4"/>', Capsule(radius=0.1, length=0.4)),
    ],
)
def test_shapes_of_a_urdf(geometry, shape):
    robot = Robot.from_urdf(URDF.format(geometry))
    (found,) = robot.link("tip").shapes
    assert np.allclose(found.local_points, shape.local_points) and found.roundness == shape.roundness
    turned = Origin(xyz=(0, 0, 0.3), rpy=(0, np.pi / 2, 0))
    assert np.allclose(found.points_here, turned.xyz + shape.local_points @ turned.rotation.T)


@pytest.mark.parametrize(
    "geometry, why",
    [
        ("", "needs one shape in <geometry>; it has 0"),
        ("<cone/>", "has the shape <cone>; allowed: box, sphere"),
        ('<sphere radius="big"/>', "radius is 'big'; allowed: a number"),
        ('<box size="1 2"/>', "size is '1 2'; allowed: three numbers"),
        ("<mesh/>", "lacks the attribute 'filename'"),
    ],
)
def test_shapes_of_a_urdf_that_cannot_be(geometry, why):
    with pytest.raises(RobotError, match=why):
        Robot.from_urdf(URDF.format(geometry))


def test_a_mesh_touches_as_its_hull(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box(extents=(100, 200, 300)).export(tmp_path / "box.stl")
    mesh = Mesh(file=str(tmp_path / "box.stl"), scale=(1e-3,) * 3)
    assert np.allclose(np.sort(mesh.points_here, axis=0), np.sort(Box(size=(0.1, 0.2, 0.3)).points_here, axis=0))
    assert len(mesh.faces_here) == 6
    element = '<mesh filename="package://arm/box.stl" scale="0.001 0.001 0.001"/>'
    (tmp_path / "arm.urdf").write_text(URDF.format(element))
    (shape,) = Robot.from_urdf(tmp_path / "arm.urdf").link("tip").shapes
    assert np.isclose(np.ptp(shape.points_here[:, 2]), 0.1)  # turned by a quarter
    (tmp_path / "bad.stl").write_text("no triangles")
    with pytest.raises(RobotError, match=r"bad\.stl"):
        _ = Mesh(file=str(tmp_path / "bad.stl")).hull


def test_neighbours_do_not_touch():
    bar = Box(size=(0.3, 0.04, 0.04), mass=1.0, origin=Origin(xyz=(0.15, 0, 0)))
    links = [Link.of(f"link{k}", bar) for k in range(4)]
    joints = [
        stiction.Joint(
            name=f"joint{k}", kind="fixed" if k == 2 else "continuous", parent=f"link{k - 1}", child=f"link{k}"
        )
        for k in (1, 2, 3)
    ]
    robot = Robot(name="arm", links=links, joints=joints)
    pairs = {frozenset((x.body, x.other)) for x in Scene(robot=robot, contacts=Contacts()).candidates}
    assert pairs == {frozenset(("robot.link0", "robot.link3"))}  # link 2 is fixed to link 1


def test_nothing_touches_unless_it_is_asked_for():
    robot = Robot.from_urdf(URDF.format('<sphere radius="0.2"/>'))
    assert "contact" not in Scene(robot=robot).network.parts
    assert Scene(robot=robot, parts={"floor": Fixed(shapes=(HalfSpace(),))}).candidates


def test_more_contacts_than_slots_are_noted():
    box = FreeBody.of(Box(size=(0.2, 0.2, 0.1), mass=1.0), position=(0, 0, 0.05))
    run = simulate(Scene(parts={"box": box, **FLOOR}, contacts=Contacts(most=3)), duration=0.1, step=1e-3)
    assert any("up to 4 contacts were near at once, and 3 may act" in note for note in run.notes)
    assert any("Contacts(most=4)" in note for note in run.notes)
