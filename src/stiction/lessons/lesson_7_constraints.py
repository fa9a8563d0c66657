import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Lesson 7: Constraints")


@app.cell
def imports():
    import marimo as mo
    import numpy as np

    import stiction
    from stiction import Joint, Link, Origin, Robot, Scene, simulate
    from stiction.lessons.question import Question
    from stiction.parts import FreeBody
    from stiction.show.figure import COLORS, style, subplots
    from stiction.show.moving import moving_picture
    from stiction.trace import cos, sin

    return (
        COLORS,
        FreeBody,
        Joint,
        Link,
        Origin,
        Question,
        Robot,
        Scene,
        cos,
        mo,
        moving_picture,
        np,
        simulate,
        sin,
        stiction,
        style,
        subplots,
    )


@app.cell
def opening(mo):
    mo.md(r"""
    # 7 · Constraints

    A loop of links, a wheel that rolls, a tool on a surface: some velocities are impossible, whatever the motors do. With $k$ conditions on $n$ joints,

    $$A(q)\,\dot q = 0, \qquad\text{hence}\qquad A\,\ddot q + \dot A\,\dot q = 0 .$$

    The forces that see to it do no work on any motion that is allowed. Such forces are combinations of the rows of $A$; the coefficients $\lambda$ are the
    **multipliers**:

    $$\tau = M \ddot q + h + A^T \lambda .$$

    Solve for $\ddot q$, require $A \ddot q = -\dot A \dot q$, and find the constrained **forward dynamics**:

    $$\lambda = (A M^{-1} A^T)^{-1} \left( A M^{-1} (\tau - h) + \dot A\,\dot q \right),$$

    $$\ddot q = M^{-1}(\tau - h - A^T \lambda) .$$

    The **projector** removes from torques what goes into the constraints ($P A^T = 0$). What is left moves the robot:

    $$P = I - A^T (A M^{-1} A^T)^{-1} A M^{-1}, \qquad P^2 = P,$$

    $$P \tau = P (M \ddot q + h), \qquad \operatorname{rank} P = n - k .$$

    In the software a scene has `constraints={...}`, and `scene.constrained()` gives $A$, its rank, $P$, $\lambda$ and both kinds of dynamics.

    **Signs.** They are those of the equation above: $A^T\lambda$ stands beside $M \ddot q$, among the things that torques are spent on. So $\lambda$ is
    the force with which the robot pushes *against* the constraint, along the slope of $b$ where $A = \partial b/\partial q$; the constraint
    answers with $-A^T\lambda$.
    Write $-b$ for $b$ and $\lambda$ changes its sign, but $A^T \lambda$ does not.
    """)
    return


@app.cell
def mechanism(Joint, Link, Origin, Robot, Scene, np, stiction):
    base, rocker = 0.6, 0.4  # lengths that stay [m]

    def matrix(x, digits=3):
        """A matrix as LaTeX."""
        _rows = [" & ".join(f"{round(v, digits) + 0:.{digits}f}" for v in row) for row in np.atleast_2d(x)]
        return r"\begin{bmatrix} " + r" \\ ".join(_rows) + r" \end{bmatrix}"

    def _bar(name, length, mass):
        _turns = mass * length**2 / 12
        return Link(name=name, mass=mass, center_of_mass=(length / 2, 0, 0), inertia=np.diag([1e-6, _turns, _turns]))

    def _hinge(name, parent, x):
        return Joint(name=name, kind="continuous", parent=parent, child=name, origin=Origin(xyz=(x, 0, 0)))

    def four_bar(crank, coupler, angle, **more):
        """A four-bar linkage, with its crank at an angle [rad]: a tree of three links, and a pin that closes the loop."""
        _robot = Robot(
            name="four-bar",
            links=[
                Link(name="base"),
                _bar("crank", crank, 0.8),
                _bar("coupler", coupler, 2.0),
                _bar("rocker", rocker, 1.5),
            ],
            joints=[_hinge("crank", "base", 0.0), _hinge("coupler", "crank", crank), _hinge("rocker", "base", base)],
        )
        _pin = stiction.Pin(
            between=("robot.coupler", "robot.rocker"), first_point=(coupler, 0, 0), second_point=(rocker, 0, 0)
        )
        _x, _y = base - crank * np.cos(angle), -crank * np.sin(angle)  # from the crank's end to the rocker's hinge
        _far = np.hypot(_x, _y)
        _up = np.arctan2(_y, _x) + np.arccos((coupler**2 + _far**2 - rocker**2) / (2 * coupler * _far))
        _turn = np.arctan2(coupler * np.sin(_up) - _y, coupler * np.cos(_up) - _x)
        _start = {} if "motion" in more else {"q": {"crank": angle}}
        return Scene(
            robot=_robot,
            constraints={"loop": _pin},
            gravity=(0, -9.81, 0),
            near={"coupler": _up - angle, "rocker": _turn},  # which of the two ways to close the loop
            **_start,
            **more,
        )

    def drawn(run, crank, coupler):
        """Corners of the linkage at each moment, (T, 4, 2)."""
        _a, _b = run["q.crank"], run["q.crank"] + run["q.coupler"]
        _end = crank * np.stack([np.cos(_a), np.sin(_a)], axis=1)
        _pin = _end + coupler * np.stack([np.cos(_b), np.sin(_b)], axis=1)
        return np.stack([0 * _end, _end, _pin, 0 * _end + [base, 0.0]], axis=1)

    return drawn, four_bar, matrix


@app.cell
def loop_knobs(mo):
    crank = mo.ui.slider(0.1, 0.2, step=0.02, value=0.18, label="length of the crank [m]", show_value=True)
    coupler = mo.ui.slider(0.46, 0.7, step=0.04, value=0.5, label="length of the coupler [m]", show_value=True)
    begin = mo.ui.slider(10, 170, step=10, value=60, label="angle of the crank at the start [°]", show_value=True)
    mo.vstack(
        [
            mo.md(
                "## A closed loop\n\nA four-bar linkage: three hinges make a tree, and a `Pin` between coupler and rocker closes it. Let "
                "it fall. The base is 0.6 m "
                "long, the rocker 0.4 m; with the lengths below the shortest and the longest bar together are shorter than the other two "
                "(Grashof's condition), "
                "so the loop can be closed at every angle of the crank. Elsewhere the software refuses a loop that cannot be closed."
            ),
            crank,
            coupler,
            begin,
        ]
    )
    return begin, coupler, crank


@app.cell
def fall(begin, coupler, crank, drawn, four_bar, moving_picture, np, simulate):
    loop = four_bar(crank.value, coupler.value, np.radians(begin.value))
    fallen = simulate(loop, duration=2.5, step=5e-4, record=0.02, energy=True)
    moment = loop.constrained()
    _corners = drawn(fallen, crank.value, coupler.value)
    loop_picture = moving_picture(fallen.time, {"four-bar": _corners}, traces={"path of the pin": _corners[:, 2]})
    return fallen, loop_picture, moment


@app.cell
def fall_figure(COLORS, fallen, loop_picture, matrix, mo, moment, np, style, subplots):
    _force = np.hypot(fallen["constraint.loop.force.x"], fallen["constraint.loop.force.y"])[1:]
    _total = fallen["energy.kinetic"] + fallen["energy.potential"]
    with style():
        _figure, (_pin, _energy) = subplots(2, 4.2, 6.5)
        _pin.plot(fallen.time[1:], _force)
        _pin.set_ylabel("force in the pin [N]")
        _energy.plot(fallen.time, fallen["energy.kinetic"], label="kinetic")
        _energy.plot(fallen.time, fallen["energy.potential"], label="potential")
        _energy.plot(fallen.time, _total, "--", color=COLORS[7], label="sum")
        _energy.set(xlabel="time [s]", ylabel="energy [J]")
        _energy.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.2))
    mo.vstack(
        [
            mo.Html(loop_picture),
            _figure,
            mo.md(rf"""
    The pin carries up to {_force.max():.0f} N, and the energy stays the same: $\lambda^T A\,\dot q = 0$, constraints do no work. The loop is never
    more than {fallen["constraint_gap"][-1]:.0e} m open. At the start, for the joints (crank, coupler, rocker):

    $$A = {matrix(moment.A)}$$

    $$P = {matrix(moment.projector)}$$

    A pin in space has three rows. In a plane the third one says nothing, so the rank of $A$ is {int(moment.rank)} and that of $P$ is
    $3 - {int(moment.rank)} = {np.linalg.matrix_rank(moment.projector, tol=1e-9)}$: one motion is left. `constrained()` and the simulation count
    the rows that matter.
    """),
        ]
    )
    return


@app.cell
def ask_1(Question):
    question_1 = Question(
        r"The four-bar has three joints, and its pin keeps $x$ and $y$ of two points together. What is the rank of $P$?",
        "1",
        {
            "1": r"$n - k = 3 - 2$: one motion is left, so torques have one combination that moves anything.",
            "2": r"That is the rank of $A$, and of $I - P$: the part of the torques that goes into the pin.",
            "3": r"That is its size. $P$ would have full rank without constraints, $P = I$.",
        },
    )
    answer_1 = question_1.ask()
    answer_1
    return answer_1, question_1


@app.cell
def reply_1(answer_1, question_1):
    question_1.reply(answer_1.value)
    return


@app.cell
def exercise_1(Joint, Link, Robot, Scene, matrix, mo, np, stiction):
    _m, _L, _angle, _speed, _g = 2.0, 0.5, 0.7, 1.5, 9.81
    _robot = Robot(
        name="bead",
        links=[Link(name="base"), Link(name="slide", mass=1e-9), Link(name="bead", mass=_m)],
        joints=[
            Joint(name="x", kind="prismatic", parent="base", child="slide", axis=(1, 0, 0)),
            Joint(name="y", kind="prismatic", parent="slide", child="bead", axis=(0, 1, 0)),
        ],
    )
    _ring = stiction.Holonomic(joints=("x", "y"), equations=lambda x, y: x * x + y * y - 0.25)  # b = |p|² − (0.5 m)²
    _out, _along = np.array([np.sin(_angle), -np.cos(_angle)]), np.array([np.cos(_angle), np.sin(_angle)])
    _bead = Scene(robot=_robot, constraints={"ring": _ring}, gravity=(0, -_g, 0), q=_L * _out, v=_speed * _along)
    bead = _bead.constrained()
    bead_by_hand = {
        "projector": np.eye(2) - np.outer(_out, _out),
        "multiplier": _m * (_g * np.cos(_angle) + _speed**2 / _L) / (2 * _L),
        "acceleration": -_g * np.sin(_angle) * _along - _speed**2 / _L * _out,
    }
    bead_by_software = {
        "projector": bead.projector,
        "multiplier": bead.multipliers()[0],
        "acceleration": bead.acceleration(),
    }
    _rows = "\n".join(
        f"    | {name} | {x['multiplier']:.6f} | {x['acceleration'][0]:.6f} | {x['acceleration'][1]:.6f} |"
        for name, x in (("by hand", bead_by_hand), ("`constrained()`", bead_by_software))
    )
    mo.md(rf"""
    ## Exercise 1: a bead on a ring, by hand

    A bead of mass $m$ slides on a ring of radius $L$: $b = x^2 + y^2 - L^2 = 0$, so $A = (2x, 2y) = 2L\,n^T$ with the outward normal $n$, and
    $\dot A \dot q = 2 v^2$. With $M = m I$ the projector is geometry alone, and at the angle $\varphi$ from the lowest point

    $$P = I - n n^T, \qquad \lambda = \frac{{m}}{{2L}}\left(g \cos\varphi + \frac{{v^2}}{{L}}\right) .$$

    The bead pushes the ring outwards with $2 L \lambda$, a force; $\lambda$ itself has the unit that makes $A^T\lambda$ one. Here $m = 2$ kg, $L = 0.5$ m,
    $\varphi = 0.7$ rad, $v = 1.5$ m/s:

    | | λ [N/m] | acceleration in x [m/s²] | in y [m/s²] |
    |---|---|---|---|
{_rows}

    $$P = {matrix(bead_by_hand["projector"], 6)} \text{{ by hand,}}$$

    $$P = {matrix(bead.projector, 6)} \text{{ by software.}}$$
    """)
    return bead_by_hand, bead_by_software


@app.cell
def exercise_2(four_bar, mo, np):
    _scene = four_bar(0.18, 0.5, 1.0, v={"crank": 3.0})  # the other velocities follow
    moving = _scene.constrained()
    _torque = np.array([2.0, 0.0, 0.0])
    _A, _M = moving.A[:2], moving.mass_matrix  # the rows that count
    _back = np.linalg.inv(_M)
    _held = np.linalg.inv(_A @ _back @ _A.T)
    _lambda = _held @ (_A @ _back @ (_torque - moving.bias) + moving.rate[:2])
    forward_by_formula = _back @ (_torque - moving.bias - _A.T @ _lambda)
    forward_by_software = moving.acceleration(_torque)
    P = moving.projector
    checks = {
        r"$P^2 - P$": abs(P @ P - P).max(),
        r"$P A^T$": abs(P @ moving.A.T).max(),
        r"$A\ddot q + \dot A\dot q$": abs(moving.A @ forward_by_software + moving.rate).max(),
        r"$P\tau - P(M\ddot q + h)$": abs(P @ (_torque - _M @ forward_by_software - moving.bias)).max(),
    }
    _rows = "\n".join(f"    | {name} | {x:.1e} |" for name, x in checks.items())
    mo.md(rf"""
    ## Exercise 2: forward dynamics of the four-bar

    The crank is at 1 rad, turns with 3 rad/s and is driven by 2 N·m. Put numbers into the formulas above ($A$: the two rows that count), and
    compare with `constrained().acceleration`:

    | | crank [rad/s²] | coupler [rad/s²] | rocker [rad/s²] |
    |---|---|---|---|
    | formula | {forward_by_formula[0]:.6f} | {forward_by_formula[1]:.6f} | {forward_by_formula[2]:.6f} |
    | software | {forward_by_software[0]:.6f} | {forward_by_software[1]:.6f} | {forward_by_software[2]:.6f} |

    | what must be 0 | largest entry |
    |---|---|
{_rows}

    The rank of $P$ is {np.linalg.matrix_rank(P, tol=1e-9)}. $P$ is not symmetric: it projects orthogonally not in the usual sense but in the
    metric of $M^{{-1}}$.
    """)
    return checks, forward_by_formula, forward_by_software, moving


@app.cell
def exercise_3(mo, moving, np):
    _A, _M = moving.A[:2], moving.mass_matrix
    _shape = np.array([1.0, *np.linalg.solve(_A[:, 1:], -_A[:, 0])])  # velocities for 1 rad/s of the crank
    _more = np.array([0.0, *np.linalg.solve(_A[:, 1:], -moving.rate[:2])])
    wanted = 10.0 * _shape + _more  # the crank accelerates by 10 rad/s²
    _needed = _M @ wanted + moving.bias
    drives = {
        "all three": moving.torque(wanted),
        "crank": np.array([_shape @ _needed, 0.0, 0.0]),
        "rocker": np.array([0.0, 0.0, _shape @ _needed / _shape[2]]),
    }
    reached = {name: (moving.acceleration(x)[0], np.linalg.norm(moving.multipliers(x))) for name, x in drives.items()}
    _rows = "\n".join(
        f"    | {name} | {x[0] + 0:.3f} | {x[1] + 0:.3f} | {x[2] + 0:.3f} | {reached[name][0]:.6f} | {reached[name][1]:.2f} |"
        for name, x in drives.items()
    )
    mo.md(rf"""
    ## Exercise 3: inverse dynamics has many answers

    Which torques accelerate the crank by 10 rad/s²? Only $P\tau = P(M\ddot q + h)$ is required, one equation (the rank of $P$) for three torques. With
    the allowed velocities $\dot q = N \dot s$ ($A N = 0$) it reads $N^T \tau = N^T (M \ddot q + h)$. Three of the answers, the first of them
    $P(M \ddot q + h)$
    from `constrained().torque`:

    | motors | crank [N·m] | coupler | rocker | gives [rad/s²] | pin [N] |
    |---|---|---|---|---|---|
{_rows}

    The motion is the same, the force in the pin is not: torques may differ by any $A^T \mu$. This freedom is what force control uses, below.
    """)
    return drives, reached


@app.cell
def speed_knob(mo):
    rate = mo.ui.slider(2.0, 14.0, step=0.5, value=6.0, label="speed of the crank [rad/s]", show_value=True)
    mo.vstack(
        [
            mo.md(
                "**Driven.** A motor turns the crank (0.18 m, coupler 0.5 m) at constant speed. By itself it would need a torque against "
                "gravity only; here coupler and rocker "
                "accelerate all the time."
            ),
            rate,
        ]
    )
    return (rate,)


@app.cell
def drive(four_bar, np, rate, simulate, stiction):
    _turn = stiction.Table(time=(0.0, 2.0), value=(1.0, 1.0 + 2.0 * rate.value))
    driven = simulate(four_bar(0.18, 0.5, 1.0, motion={"crank": _turn}), duration=2.0, step=1e-3, record=0.01)
    _names = ("crank", "coupler", "rocker")
    _q, _v = (np.stack([driven[f"{x}.{name}"] for name in _names], axis=-1) for x in "qv")
    _all = four_bar(0.18, 0.5, 1.0).constrained(_q, _v)  # a batch: every moment at once
    _A, _rest = _all.A[:, :2], np.zeros((len(_q), 1))
    _N = np.hstack([_rest + 1, np.linalg.solve(_A[:, :, 1:], -_A[:, :, :1])[..., 0]])
    _a = np.hstack([_rest, np.linalg.solve(_A[:, :, 1:], -_all.rate[:, :2, None])[..., 0]])
    drive_by_formula = np.einsum("ti,ti->t", _N, np.einsum("tij,tj->ti", _all.mass_matrix, _a) + _all.bias)
    drive_by_simulation = driven["motion.crank"]
    return drive_by_formula, drive_by_simulation, driven


@app.cell
def drive_figure(COLORS, drive_by_formula, drive_by_simulation, driven, mo, style, subplots):
    with style():
        _figure, _axes = subplots(1, 2.6, 6.5)
        _axes.plot(driven.time[1:], drive_by_simulation[1:], label="simulation, imposed motion")
        _axes.plot(driven.time[::5], drive_by_formula[::5], ".", color=COLORS[1], label=r"$N^T(M\ddot q + h)$")
        _axes.set(xlabel="time [s]", ylabel="torque [N·m]")
        _axes.legend(ncols=2, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    mo.vstack(
        [
            _figure,
            mo.md(
                "At low speed the torque is that of gravity; the rest grows with the square of the speed. The motor also brakes: a "
                "machine with such a crank has a flywheel."
            ),
        ]
    )
    return


@app.cell
def wheel_knobs(mo):
    slope = mo.ui.slider(2, 30, step=2, value=14, label="slope [°]", show_value=True)
    steer = mo.ui.slider(1.2, 5.0, step=0.2, value=2.0, label="rate of turning [rad/s]", show_value=True)
    mo.vstack(
        [
            mo.md(r"""
    ## Rolling: constraints on velocities alone

    An upright wheel of radius $r$ on a plane, at $(x, y)$, heading $\psi$, turned by $\varphi$ about its axle. It rolls without slipping:

    $$\dot x - r \dot\varphi \cos\psi = 0, \qquad \dot y - r \dot\varphi \sin\psi = 0 .$$

    No equations $b(x, y, \psi, \varphi) = 0$ have these as their derivatives: the constraint is **non-holonomic**. Two of four velocities are
    lost, but no position is:
    by rolling and turning the wheel gets to any place, with any heading and any point of its rim on the ground. `Pfaffian` takes the rows of
    $A$ as a function.

    Now put the wheel on a slope and let it turn about the normal of the plane at a constant rate.
    """),
            slope,
            steer,
        ]
    )
    return slope, steer


@app.cell
def wheel(Joint, Link, Robot, Scene, cos, moving_picture, np, simulate, sin, slope, steer, stiction):
    _r, _m, _tiny = 0.25, 2.0, 1e-9
    _disc = np.diag([0.25, 0.5, 0.25]) * _m * _r**2
    _wheel = Robot(
        name="wheel",
        links=[
            Link(name="base"),
            Link(name="along", mass=_tiny),
            Link(name="across", mass=_tiny),
            Link(name="fork", mass=_tiny, inertia=np.diag([0.02, 0.02, 0.03])),
            Link(name="wheel", mass=_m, inertia=_disc),
        ],
        joints=[
            Joint(name="x", kind="prismatic", parent="base", child="along", axis=(1, 0, 0)),
            Joint(name="y", kind="prismatic", parent="along", child="across", axis=(0, 1, 0)),
            Joint(name="heading", kind="continuous", parent="across", child="fork"),
            Joint(name="spin", kind="continuous", parent="fork", child="wheel", axis=(0, 1, 0)),
        ],
    )
    _rolls = stiction.Pfaffian(
        joints=("x", "y", "heading", "spin"),
        coefficients=lambda x, y, psi, phi: [[1, 0, 0, -0.25 * cos(psi)], [0, 1, 0, -0.25 * sin(psi)]],
    )
    _pull = 9.81 * np.sin(np.radians(slope.value))  # along x, which points down the slope
    _scene = Scene(
        robot=_wheel,
        constraints={"rolls": _rolls},
        gravity=(_pull, 0, -9.81 * np.cos(np.radians(slope.value))),
        v={"heading": steer.value},
    )
    rolled = simulate(_scene, duration=4.0, step=1e-3, record=0.02)
    _turned = steer.value * rolled.time
    _size = _pull / (3 * steer.value**2)  # a disc: spinning counts for half a mass more
    cycloid = np.stack([_size * np.sin(_turned) ** 2, _size * (_turned - np.sin(2 * _turned) / 2)], axis=1)
    _place = np.stack([rolled["q.x"], rolled["q.y"]], axis=1)
    _ahead = 0.25 * np.stack([np.cos(rolled["q.heading"]), np.sin(rolled["q.heading"])], axis=1)
    _seen = np.stack([_place - _ahead, _place + _ahead], axis=1)
    wheel_picture = moving_picture(
        rolled.time,
        {"wheel from above": _seen[..., ::-1] * [1, -1]},  # down the slope is down
        traces={"path": _place[:, ::-1] * [1, -1]},
    )
    wheel_error = abs(_place - cycloid).max()
    return cycloid, rolled, wheel_error, wheel_picture


@app.cell
def wheel_figure(mo, rolled, style, subplots, wheel_error, wheel_picture):
    with style():
        _figure, _axes = subplots(1, 2.4, 6.5)
        _axes.plot(rolled.time, rolled["q.x"], label="down the slope")
        _axes.plot(rolled.time, rolled["q.y"], label="across it")
        _axes.set(xlabel="time [s]", ylabel="place [m]")
        _axes.legend()
    mo.vstack(
        [
            mo.Html(wheel_picture),
            _figure,
            mo.md(rf"""
    The picture looks down on the plane, with the slope falling towards the bottom. The wheel does not come down! It runs along a cycloid *across* the slope,

    $$x = \frac{{g \sin\alpha}}{{3\omega^2}} \sin^2 \omega t,$$

    $$y = \frac{{g \sin\alpha}}{{3\omega^2}} \left(\omega t - \tfrac12 \sin 2\omega t\right),$$

    as its heading turns uphill before it has got far. The simulation is within {1e6 * wheel_error:.1g} µm of that, after 4 s at steps of 1 ms.
    """),
        ]
    )
    return


@app.cell
def ball(FreeBody, Scene, mo, np, slope, stiction):
    _m, _r, _angle = 2.0, 0.1, np.radians(slope.value)
    _rolls = stiction.Rolling(between=("ball", "world"), radius=_r)
    _ball = FreeBody(mass=_m, inertia=(0.4 * _m * _r**2,) * 3, position=(0, 0, _r))
    _tilted = (9.81 * np.sin(_angle), 0, -9.81 * np.cos(_angle))
    on_slope = Scene(parts={"ball": _ball}, constraints={"rolls": _rolls}, gravity=_tilted).constrained()
    ball_by_software = (on_slope.acceleration()[0], *on_slope.multipliers()[:2])
    ball_by_hand = (5 / 7 * _tilted[0], _m * _tilted[2], 2 / 7 * _m * _tilted[0])
    mo.md(rf"""
    **A ball** is in the library: `Rolling` keeps it on the plane (one row with a gap) and its lowest point at rest (two rows without). On this
    slope, a ball of 2 kg:

    | | acceleration [m/s²] | λ normal [N] | λ down the slope [N] |
    |---|---|---|---|
    | by hand: $\tfrac57 g \sin\alpha$, $-m g \cos\alpha$, $\tfrac27 m g \sin\alpha$ | {ball_by_hand[0]:.6f} | {ball_by_hand[1]:.6f} | {ball_by_hand[2]:.6f} |
    | `constrained()` | {ball_by_software[0]:.6f} | {ball_by_software[1]:.6f} | {ball_by_software[2]:.6f} |

    Here the signs show: the gap counts upwards, the ball pushes the plane downwards, so its $\lambda$ is negative; and it drags the plane down the slope.
    """)
    return ball_by_hand, ball_by_software


@app.cell
def ask_2(Question):
    question_2 = Question(
        r"The rolling wheel has four coordinates and two constraints. To how many *dimensions* of its positions can it get?",
        "four",
        {
            "two": (
                r"Two *velocities* are free at any moment. Were the constraints holonomic, positions would be confined to a"
                r" surface of that dimension, too."
            ),
            "three": (
                r"Place and heading, as parking a car suggests; but the wheel can also return there with another point of "
                r"its rim on the ground, by rolling round a loop."
            ),
            "four": "Non-holonomic: rolling and turning in turns leads everywhere. Drivers use it when they parallel-park.",
        },
    )
    answer_2 = question_2.ask()
    answer_2
    return answer_2, question_2


@app.cell
def reply_2(answer_2, question_2):
    question_2.reply(answer_2.value)
    return


@app.cell
def tool_knobs(mo):
    press = mo.ui.slider(2, 40, step=2, value=12, label="wanted force on the table [N]", show_value=True)
    believed = mo.ui.slider(
        0.5, 1.1, step=0.05, value=0.9, label="mass at the hand, as the controller believes [kg]", show_value=True
    )
    mo.vstack(
        [
            mo.md(r"""
    ## A tool on a surface: motion and force at once

    A 2R arm wipes a table at the height $y_0$: `OnSurface` with $b = y_0 - y$, so that $\lambda > 0$ is the force that presses down. One motion
    is free, one force is
    ours. **Hybrid motion–force control** uses both sides of the equation:

    $$\tau = M a + h + A^T \lambda_\mathrm{wanted}, \qquad A\,a + \dot A\,\dot q = 0 .$$

    $a$ is what the table allows of $\ddot q_\mathrm{ref}$ + spring + damper, so motion does not disturb the force; and $P A^T = 0$, so force
    does not disturb the motion.
    The hand really has 0.8 kg. With a wrong mass in the model the force is wrong, unless it is measured and fed back.
    """),
            press,
            believed,
        ]
    )
    return believed, press


@app.cell
def wipe(Scene, believed, moving_picture, np, press, simulate, stiction):
    _arm = stiction.library.two_link(lengths=(0.5, 0.4), masses=(1.5, 0.8))
    _height, _times = -0.1, np.linspace(0.0, 2.0, 21)
    _x = 0.45 + 0.15 * (1 - np.cos(np.pi * _times))  # to and fro
    _elbow = -np.arccos((_x**2 + _height**2 - 0.41) / 0.4)
    _shoulder = np.arctan2(_height, _x) - np.arctan2(0.4 * np.sin(_elbow), 0.5 + 0.4 * np.cos(_elbow))
    _path = stiction.Spline(time=_times.tolist(), value=np.stack([_shoulder, _elbow], axis=1).tolist())
    _table = stiction.OnSurface(between=("robot.tip", "world"), surface=lambda x, y, z: -0.1 - y)
    wiped = {}
    for _name, _feedback in (("model alone", {}), ("with feedback", {"force_gain": 0.5, "force_integral": 20.0})):
        _brain = stiction.HybridControl(
            clock=stiction.Clock(period=1e-3),
            constraint="table",
            force=press.value,
            stiffness=400.0,
            damping=40.0,
            **_feedback,
        )
        _scene = Scene(
            robot=_arm, constraints={"table": _table}, control={"robot": _brain}, reference=_path, gravity=(0, -9.81, 0)
        )
        wiped[_name] = simulate(
            _scene,
            duration=2.0,
            step=1e-3,
            record=0.01,
            parameters={"control.robot.model.forearm.mass": believed.value},
        )
    _run = wiped["with feedback"]
    _q = np.stack([_run["q.shoulder"], _run["q.elbow"]], axis=-1)
    _points = np.stack([_arm.pose(_q, x)[:, :2, 3] for x in ("upper_arm", "forearm", "tip")], axis=1)
    wipe_picture = moving_picture(_run.time, {"arm": _points}, traces={"table": np.array([[0.3, -0.1], [0.9, -0.1]])})
    _goal = np.stack([_run["target.shoulder"], _run["target.elbow"]], axis=-1)
    wipe_error = abs(_points[:, -1, 0] - _arm.pose(_goal, "tip")[:, 0, 3]).max()
    return wipe_error, wipe_picture, wiped


@app.cell
def wipe_figure(COLORS, mo, press, style, subplots, wipe_error, wipe_picture, wiped):
    with style():
        _figure, _axes = subplots(1, 2.6, 6.5)
        for _name, _run in wiped.items():
            _axes.plot(_run.time[1:], _run["constraint.table.force"][1:], label=_name)
        _axes.axhline(press.value, linestyle="--", color=COLORS[7], label="wanted")
        _axes.set(xlabel="time [s]", ylabel="force on the table [N]")
        _axes.legend()
    _ends = {name: run["constraint.table.force"][-1] for name, run in wiped.items()}
    mo.vstack(
        [
            mo.Html(wipe_picture),
            _figure,
            mo.md(
                f"At the end the tool presses with {_ends['model alone']:.3f} N by the model alone, with {_ends['with feedback']:.3f} N "
                f"with feedback of $\\lambda$; along "
                f"the table it is never more than {1e3 * wipe_error:.2f} mm off. A constraint holds both ways: asked for a force below 0 the tool would "
                "pull, which no real table allows; surfaces that only push are `Contacts`."
            ),
        ]
    )
    return


@app.cell
def ask_3(Question):
    question_3 = Question(
        r"The tool presses on the table with 10 N: $\lambda = 10$ N for $b = y_0 - y$. A colleague writes $b = y - y_0$ instead. What does she get?",
        "λ = −10 N, and the same joint torques",
        {
            "λ = 10 N, as it is the same table": (
                r"$\lambda$ is counted along the slope of $b$. With $-b$ the rows of $A$ change their sign, and $\lambda$ "
                r"with them."
            ),
            "λ = −10 N, and the same joint torques": (
                r"$A^T\lambda = (-A)^T(-\lambda)$. The multiplier belongs to the way the constraint is written; "
                r"$A^T\lambda$ is physics."
            ),
            "λ = −10 N: her tool pulls": (
                r"The sign says on which side of $b = 0$ the force points, and she has turned the sides round. The tool "
                r"presses as before."
            ),
        },
    )
    answer_3 = question_3.ask()
    answer_3
    return answer_3, question_3


@app.cell
def reply_3(answer_3, question_3):
    question_3.reply(answer_3.value)
    return


@app.cell
def outlook_knob(mo):
    level = mo.ui.slider(0.2, 1.6, step=0.05, value=1.0, label="friction in each joint, up to [N·m]", show_value=True)
    mo.vstack(
        [
            mo.md(
                "## Outlook: friction in a loop. Who holds?\n\nThe four-bar again (crank 0.18 m at 60°, coupler 0.5 m), now with Coulomb "
                "friction in its three joints. With enough of it, it does not fall."
            ),
            level,
        ]
    )
    return (level,)


@app.cell
def outlook(four_bar, level, np, simulate, stiction):
    _names = ("crank", "coupler", "rocker")
    _scene = four_bar(0.18, 0.5, np.radians(60.0), friction=dict.fromkeys(_names, stiction.Coulomb(level=level.value)))
    rubbed = simulate(_scene, duration=6.0, step=1e-3, record=0.02)
    _end = _scene.constrained([rubbed[f"q.{x}"][-1] for x in _names], [0.0, 0.0, 0.0])
    _A = _end.A[:2]
    _N = np.array([1.0, *np.linalg.solve(_A[:, 1:], -_A[:, 0])])
    at_rest = all(rubbed[f"mode.{x}"][-1] == 0 for x in _names)
    held = np.array(
        [rubbed[f"friction.{x}"][-1] for x in _names]
    )  # it has the sign of a velocity: M q̈ + h + Aᵀλ = −held
    load = -_N @ _end.bias  # what all must hold together, at the crank
    _first = _scene.constrained()
    _N0 = np.array([1.0, *np.linalg.solve(_first.A[:2, 1:], -_first.A[:2, 0])])
    needed = abs(_N0 @ _first.bias) / abs(_N0).sum()  # by each joint, where all hold as much as they can
    shares = {}  # torques, what they hold together, and the force in the pin
    _single = {x: load / _N[k] * np.eye(3)[k] for k, x in enumerate(_names)}
    for _name, _torques in ({"simulation": held} | _single).items():
        shares[_name] = (_torques, _N @ _torques, np.linalg.norm(_end.multipliers(-_torques)))
    return at_rest, held, load, needed, rubbed, shares


@app.cell
def outlook_figure(at_rest, level, load, mo, needed, np, rubbed, shares, style, subplots):
    with style():
        _figure, _axes = subplots(1, 2.4, 6.5)
        _axes.plot(rubbed.time, np.degrees(rubbed["q.crank"]))
        _axes.set(xlabel="time [s]", ylabel="crank [°]")
    _rows = "\n".join(
        f"    | {name} | {x[0] + 0:.3f} | {x[1] + 0:.3f} | {x[2] + 0:.3f} | {total:.4f} | {pin:.2f} | {'yes' if abs(x).max() <= level.value + 1e-9 else 'no'} |"
        for name, (x, total, pin) in shares.items()
    )
    _state = "It rests" if at_rest else "It still moves"
    mo.vstack(
        [
            _figure,
            mo.md(rf"""
    {_state} at the end. Rest needs $N^T f = -N^T g$, *one* equation for the three friction torques $f$ (signs are those of the motion that they
    prevent); here $-N^T g = {load:.4f}$ N·m at the crank. Who holds?

    | who | crank [N·m] | coupler | rocker | $N^T f$ | pin [N] | possible |
    |---|---|---|---|---|---|---|
{_rows}

    Every row within ±{level.value:g} N·m is possible, and so is every mixture of such rows: rigid bodies and Coulomb's law do not say more, and
    the force in the pin is as undetermined as the
    shares. The simulation returns one of the possible ones. Only what all hold *together* is exact, and that decides whether the linkage stays:
    from the start it does if each joint can hold $|N^T g| / \sum_i |N_i| = {needed:.4f}$ N·m. In reality the elasticity
    of links and bearings, and the history of the loads, choose. Lesson 8 goes on with friction.
    """),
        ]
    )
    return


@app.cell
def ask_4(Question):
    question_4 = Question(
        r"All three joints of the linkage stick. A sensor in the crank reads 0.2 N·m, the simulation says 0.4 N·m. Is the simulation wrong?",
        "not by this",
        {
            "yes, rest has a unique solution": r"The *motion* is unique, here none. The torques are three unknowns in one equation, $N^T f = -N^T g$.",
            "yes, the crank must hold everything": r"It could. So could coupler and rocker, which turn whenever the crank does, and rub as well.",
            "not by this": r"If the shares of coupler and rocker differ, too, such that $N^T f$ is the same, both are states of rest with the same load.",
        },
    )
    answer_4 = question_4.ask()
    answer_4
    return answer_4, question_4


@app.cell
def reply_4(answer_4, question_4):
    question_4.reply(answer_4.value)
    return


if __name__ == "__main__":
    app.run()
