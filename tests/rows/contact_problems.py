"""One step of rigid scenes in contact, as matrices: v = A p + c, rows normal and two tangents of each contact."""

import numpy as np

STEP, GRAVITY = 1e-3, 9.81


def axes(normal):
    """A normal and two tangents."""
    n = np.asarray(normal, float)
    side = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    side /= np.linalg.norm(side)
    return np.array([n, side, np.cross(n, side)])


class Bodies:
    """Free boxes with centres, masses and sizes; contacts between them, or with the world (−1)."""

    def __init__(self, centers, masses, sizes):
        self.centers, self.count = [np.asarray(x, float) for x in centers], len(masses)
        self.inertia = np.concatenate(
            [
                [m, m, m, *(m / 12 * (sum(s * s for s in size) - np.square(size)))]
                for m, size in zip(masses, sizes, strict=True)
            ]
        )
        self.rows = []

    def touch(self, body, other, point, normal):
        """A contact at a point; the normal points to the body."""
        J, F = np.zeros((3, 6 * self.count)), axes(normal)
        for who, sign in ((body, 1), (other, -1)):
            if who >= 0:
                arm = np.asarray(point) - self.centers[who]
                J[:, 6 * who : 6 * who + 3] += sign * F
                J[:, 6 * who + 3 : 6 * who + 6] += sign * np.cross(arm, F)
        self.rows.append(J)

    def problem(self, velocity, force, friction):
        """A, c and μ; some bodies may be led by infinite masses."""
        J = np.vstack(self.rows)
        A = (J / self.inertia) @ J.T
        c = J @ (velocity + STEP * force / self.inertia)
        return A, c, np.full(len(self.rows), friction)

    @property
    def weight(self):
        """Gravity on all bodies."""
        force = np.zeros(6 * self.count)
        force[2::6] = -GRAVITY * self.inertia[2::6]
        return force


def box(rng, speed):
    """A box on its four lower corners, pushed."""
    bodies = Bodies([(0, 0, 0.05)], [1.0], [(0.2, 0.3, 0.1)])
    for x in (-0.1, 0.1):
        for y in (-0.15, 0.15):
            bodies.touch(0, -1, (x, y, 0), (0, 0, 1))
    v = rng.normal(size=6) * speed * [1, 1, 0.3, 3, 3, 3]
    push = rng.normal(size=6) * 0.1 * speed / STEP * bodies.inertia
    return bodies.problem(v, bodies.weight + push, rng.uniform(0.2, 1.2))


def stack(rng, speed, masses):
    """Boxes on each other, four contacts each."""
    n = len(masses)
    bodies = Bodies([(0, 0, 0.05 + 0.1 * k) for k in range(n)], masses, [(0.2, 0.2, 0.1)] * n)
    for k in range(n):
        for x in (-0.1, 0.1):
            for y in (-0.1, 0.1):
                bodies.touch(k, k - 1, (x, y, 0.1 * k), (0, 0, 1))
    v = rng.normal(size=6 * n) * speed * np.tile([1, 1, 0.1, 1, 1, 1], n)
    return bodies.problem(v, bodies.weight, rng.uniform(0.2, 1.0))


def squeeze(rng, speed):
    """A block of 1 kg between two light fingers on rails that press it."""
    bodies = Bodies([(0, 0, 0), (0.1, 0, 0), (-0.1, 0, 0)], [1.0, 0.05, 0.05], [(0.1, 0.1, 0.1)] * 3)
    bodies.inertia[7:12] = bodies.inertia[13:18] = 1e9
    for side, finger in ((1, 1), (-1, 2)):
        for y in (-0.03, 0.03):
            for z in (-0.03, 0.03):
                bodies.touch(0, finger, (side * 0.05, y, z), (-side, 0, 0))
    v, force = np.zeros(18), np.zeros(18)
    v[:6], v[6], v[12] = rng.normal(size=6) * speed, rng.normal() * speed, rng.normal() * speed
    press = 15 * rng.uniform(0.5, 2)
    force[2], force[6], force[12] = -GRAVITY, -press, press
    return bodies.problem(v, force, rng.uniform(0.3, 1.0))


def chain(rng, speed, links=6):
    """Links with ball joints on the ground, two contacts each."""
    bodies = Bodies([(0.1 * k, 0, 0.02) for k in range(links)], [0.3] * links, [(0.1, 0.04, 0.04)] * links)
    for k in range(links):
        for end in (-1, 1):
            side = 0.02 * (-1) ** (k + (end > 0))
            bodies.touch(k, -1, (0.1 * k + 0.045 * end, side, 0), (0, 0, 1))
    contacts, bodies.rows = np.vstack(bodies.rows), []
    for k in range(links - 1):
        bodies.touch(k + 1, k, (0.1 * k + 0.05, 0, 0.02), (0, 0, 1))
    joints = np.vstack(bodies.rows)
    free = np.linalg.svd(joints)[2][np.linalg.matrix_rank(joints) :].T  # motions that the joints allow
    M = free.T @ (bodies.inertia[:, None] * free)
    J = contacts @ free
    v, force = rng.normal(size=free.shape[1]) * 0.3 * speed, free.T @ bodies.weight
    A = J @ np.linalg.solve(M, J.T)
    return A, J @ (v + STEP * np.linalg.solve(M, force)), np.full(2 * links, rng.uniform(0.3, 1.0))


FAMILIES = {
    "box on 4 corners": box,
    "100 kg on 1 kg": lambda rng, speed: stack(rng, speed, [1.0, 100.0]),
    "two-finger squeeze": squeeze,
    "chain on 12 contacts": chain,
    "stack of 4": lambda rng, speed: stack(rng, speed, [1.0] * 4),
}


def collected(name, count):
    """Problems of a family, from rest to 1 m/s: A, c, μ."""
    rng, speeds = np.random.default_rng(0), [0, 1e-4, 1e-3, 1e-2, 1e-1, 1]
    found = [FAMILIES[name](rng, speeds[k % len(speeds)]) for k in range(count)]
    return tuple(np.array(x) for x in zip(*found, strict=True))


def residual(A, c, friction, p):
    """The natural residual of impulses, over the largest free velocity or that of a step of free fall."""
    v = np.einsum("bij,bj->bi", A, p) + c
    own = np.einsum("bii->bi", A).reshape(len(p), -1, 3)
    p, v = p.reshape(own.shape), v.reshape(own.shape)
    normal, along = own[..., 0], own[..., 1:].mean(axis=-1)
    lifted = np.abs(p[..., 0] - np.maximum(0, p[..., 0] - v[..., 0] / normal)) * normal
    z = p[..., 1:] - v[..., 1:] / along[..., None]
    reach = friction * np.maximum(p[..., 0], 0)
    part = np.minimum(1, reach / np.maximum(np.linalg.norm(z, axis=-1), 1e-300))
    slipped = np.linalg.norm(p[..., 1:] - z * part[..., None], axis=-1) * along
    scale = np.maximum(np.abs(c).max(axis=1), GRAVITY * STEP)
    return np.maximum(lifted, slipped).max(axis=1) / scale
