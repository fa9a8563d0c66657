"""The convex hull of points: its faces, and volume, centre and inertia of what it encloses."""

from functools import cached_property

import numpy as np

ROUNDING = 1e-9  # of its size, by which a point may miss a plane


class Hull:
    """A convex polyhedron.

    Attributes:
        points: its corners [m], (k, 3).
        normals: unit vectors out of its faces, (f, 3).
        offsets: distance of each face from the origin along its normal [m], (f,).
        triangles: corners of triangles that cover it, seen from outside counter-clockwise; empty if nobody made them.
    """

    def __init__(
        self, points: np.ndarray, normals: np.ndarray, offsets: np.ndarray, triangles: np.ndarray | None = None
    ) -> None:
        self.points, self.normals, self.offsets = points, normals, offsets
        self.triangles = np.zeros((0, 3), int) if triangles is None else triangles

    @cached_property
    def moments(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Volume [m³], centre [m] and inertia about it per unit mass [m²], (3, 3): sums over tetrahedra with one corner
        at the origin.
        """
        corners = self.points[self.triangles]  # (t, 3, 3)
        volumes = np.linalg.det(corners) / 6
        volume = float(volumes.sum())
        center = volumes @ corners.sum(axis=1) / 4 / volume
        total = corners.sum(axis=1)
        second = np.einsum("t,tki,tkj->ij", volumes, corners, corners)
        second = (second + np.einsum("t,ti,tj->ij", volumes, total, total)) / 20 / volume
        second -= np.outer(center, center)
        return volume, center, np.trace(second) * np.eye(3) - second


def hull_of(points: np.ndarray) -> Hull:
    """The convex hull of points; raises ValueError if they lie in a plane.

    Points are added one after another: faces that see a new point give way to those between it and their rim.
    """
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    tolerance = ROUNDING * max(size, 1e-300)
    triangles = _first(points, tolerance)
    for k in range(len(points)):
        seen = [t for t in triangles if _height(points, t, points[k]) > tolerance]
        if not seen:
            continue
        edges = {(a, b) for t in seen for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0]))}
        rim = [(a, b) for a, b in edges if (b, a) not in edges]
        kept = [t for t in triangles if not any(t is other for other in seen)]
        fresh = [(a, b, k) for a, b in rim if np.linalg.norm(_area(points, (a, b, k))) > tolerance * size * 1e-3]
        triangles = kept + fresh
    return _merged(points, triangles, tolerance)


def _area(points: np.ndarray, t: tuple[int, int, int]) -> np.ndarray:
    a, b, c = points[list(t)]
    return np.cross(b - a, c - a)


def _height(points: np.ndarray, t: tuple[int, int, int], x: np.ndarray) -> float:
    """How far x is above a triangle."""
    n = _area(points, t)
    return float(n @ (x - points[t[0]]) / max(float(np.linalg.norm(n)), 1e-300))


def _first(points: np.ndarray, tolerance: float) -> list[tuple[int, int, int]]:
    """A tetrahedron of four of the points."""
    if len(points) < 4:
        raise ValueError(f"it has {len(points)} points; a body has at least 4, not all in one plane")
    a = int(points[:, 0].argmin())
    b = int(np.linalg.norm(points - points[a], axis=1).argmax())
    along = points[b] - points[a]
    c = int(np.linalg.norm(np.cross(points - points[a], along), axis=1).argmax())
    normal = np.cross(along, points[c] - points[a])
    heights = (points - points[a]) @ normal / max(float(np.linalg.norm(normal)), 1e-300)
    d = int(np.abs(heights).argmax())
    if not np.linalg.norm(normal) > 0 or abs(heights[d]) <= tolerance:
        raise ValueError("its points lie in one plane; a body needs four that do not")
    if heights[d] > 0:
        b, c = c, b
    return [(a, b, c), (a, d, b), (b, d, c), (c, d, a)]


def _merged(points: np.ndarray, triangles: list[tuple[int, int, int]], tolerance: float) -> Hull:
    """Triangles as faces: those in one plane are one."""
    planes: list[np.ndarray] = []
    for t in triangles:
        n = _area(points, t)
        n = n / np.linalg.norm(n)
        plane = np.append(n, n @ points[t[0]])
        if not any(np.abs(plane[:3] - p[:3]).max() < 1e-6 and abs(plane[3] - p[3]) < 10 * tolerance for p in planes):
            planes.append(plane)
    used = sorted({k for t in triangles for k in t})
    place = {k: j for j, k in enumerate(used)}
    faces = np.array(planes)
    return Hull(points[used], faces[:, :3], faces[:, 3], np.array([[place[k] for k in t] for t in triangles]))
