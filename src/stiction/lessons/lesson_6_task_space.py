import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Lesson 6: Task space")


@app.cell
def imports():
    import warnings

    import marimo as mo
    import numpy as np

    import stiction
    from stiction import Frame, Joint, Link, Origin, PointMass, Robot
    from stiction.lessons.question import Question
    from stiction.parts import Source
    from stiction.show.figure import COLORS, style, subplots
    from stiction.show.moving import moving_picture

    return (
        COLORS,
        Frame,
        Joint,
        Link,
        Origin,
        PointMass,
        Question,
        Robot,
        Source,
        mo,
        moving_picture,
        np,
        stiction,
        style,
        subplots,
        warnings,
    )


@app.cell
def opening(mo):
    mo.md(r"""
    # 6 · Task space

    Motors push at the joints; the work is done at the tool. So we ask what the arm feels like *there*: how heavy it is, and what it takes to
    move it. Choose as many directions of the tool as there are joints, and let $V = J(q)\,\dot q$ be its velocity along them. The power is the
    same at both ends, $\tau^T \dot q = F^T V$, hence $\tau = J^T F$. Substitute $\dot q = J^{-1} V$ and
    $\ddot q = J^{-1}(\dot V - \dot J \dot q)$ in $\tau = M \ddot q + h + J^T F_\mathrm{tip}$, multiply by $J^{-T}$, and the joints are gone:

    $$F = \Lambda\, \dot V + \eta + F_\mathrm{tip}, \qquad \Lambda = J^{-T} M J^{-1},$$

    $$\eta = J^{-T} h(q, J^{-1} V) - \Lambda\, \dot J J^{-1} V .$$

    $F$ is what the motors do, carried to the tool; $F_\mathrm{tip}$ is the force with which the tool pushes its surroundings; $\Lambda$ is
    the **task-space inertia** and $\eta$ holds velocity terms and gravity.

    **Mind the sizes.** The Jacobian of a twist is $6 \times n$ and a wrench $F_\mathrm{tip}$ is $6 \times 1$; the page on which this course is based
    prints $n \times n$ and $n \times 1$. $J^{-1}$ exists only after $n$ of the six rows have been chosen, and only away from singularities. The form

    $$\Lambda = (J M^{-1} J^T)^{-1}, \qquad \eta = \Lambda\,(J M^{-1} h - \dot J \dot q)$$

    is the same where $J$ is square, and also holds with fewer rows than joints. It is what `robot.task_space(q, v, frame, directions)` computes.
    """)
    return


@app.cell
def knobs(mo):
    elbow = mo.ui.slider(0, 170, step=5, value=60, label="elbow angle $q_2$ [°]", show_value=True)
    hand = mo.ui.slider(0.3, 2.1, step=0.2, value=0.7, label="mass at the hand $m_2$ [kg]", show_value=True)
    aim = mo.ui.slider(-180, 180, step=10, value=40, label="direction of the push [°]", show_value=True)
    mo.vstack(
        [
            mo.md(
                "## What the tool weighs\n\nA 2R arm with links of 0.5 m, 1.5 kg at its elbow and $m_2$ at its hand. The **mass ellipse** at the "
                "hand shows the forces $\\Lambda\\,\\dot V$ that accelerations of 1 m/s² take, in every direction; its half axes are the "
                "eigenvalues of $\\Lambda$. `robot.ellipsoid` gives it. Then push the hand with 1 N and see where it goes."
            ),
            elbow,
            hand,
            aim,
        ]
    )
    return aim, elbow, hand


@app.cell
def weigh(aim, elbow, hand, np, stiction, warnings):
    arm = stiction.library.two_link(lengths=(0.5, 0.5), masses=(1.5, hand.value))
    posture = np.radians([30.0, elbow.value])
    with warnings.catch_warnings(record=True) as told:  # a singular posture is told by a warning, and by `damped`
        warnings.simplefilter("always")
        space = arm.task_space(posture, [0.0, 0.0], "tip", ("x", "y"), gravity=(0, 0, 0))
        ellipse = arm.ellipsoid(posture, "mass", "tip", ("x", "y"))
    push = np.array([np.cos(np.radians(aim.value)), np.sin(np.radians(aim.value))])
    response = space.acceleration(push)
    _sine = np.sin(posture[1])
    heaviest_by_hand = hand.value + 1.5 / _sine**2 if _sine else np.inf
    return arm, ellipse, heaviest_by_hand, posture, push, response, space, told


@app.cell
def weighed(
    COLORS, arm, elbow, ellipse, hand, heaviest_by_hand, mo, np, posture, push, response, space, style, subplots, told
):
    _angles = np.radians(np.arange(2.0, 178.5, 1.0))
    _many = arm.task_space(
        np.stack([0.5 + 0 * _angles, _angles], axis=1), np.zeros((len(_angles), 2)), "tip", ("x", "y")
    )
    _radii = np.linalg.eigvalsh(_many.inertia)
    _places = np.array([[0.0, 0.0], arm.pose(posture, "forearm")[:2, 3], ellipse.center[:2]])
    _size = 0.05  # metres of the drawing for a kilogram
    with style():
        _drawing, _axes = subplots(1, 4.4, 6.5)
        _axes.plot(*_places.T, "-o", color=COLORS[0], linewidth=3, zorder=3)
        _axes.fill(*(ellipse.center[:2] + _size * ellipse.points(200)).T, color=COLORS[1], alpha=0.2)
        _axes.plot(
            *(ellipse.center[:2] + _size * ellipse.points(200)).T,
            color=COLORS[1],
            label="mass ellipse, 0.05 m for 1 kg",
        )
        for _vector, _color, _label in (
            (push, COLORS[2], "push of 1 N"),
            (response, COLORS[3], "acceleration, 0.2 m for 1 m/s²"),
        ):
            _end = ellipse.center[:2] + 0.2 * _vector
            _axes.annotate(
                "",
                _end,
                ellipse.center[:2],
                arrowprops={"arrowstyle": "->", "color": _color, "linewidth": 2},
                annotation_clip=False,
            )
            _axes.plot([], [], color=_color, label=_label)
        _axes.set(xlim=(-0.4, 1.4), ylim=(-0.2, 1.05), xlabel="x [m]", ylabel="y [m]", aspect="equal")
        _axes.legend(loc="lower right")
        _curves, _axes = subplots(1, 2.6, 6.5)
        _axes.semilogy(np.degrees(_angles), _radii[:, 1], color=COLORS[1], label="heaviest direction")
        _axes.semilogy(np.degrees(_angles), _radii[:, 0], color=COLORS[5], label="lightest direction")
        _axes.semilogy(2 * [elbow.value], np.clip(ellipse.radii, 0.1, 1e3), "o", color=COLORS[0])
        _axes.set(xlabel="elbow angle [°]", ylabel="felt mass [kg]", xlim=(-3, 180), ylim=(0.1, 1e3))
        _axes.legend(loc="upper center")
    _heaviest = f"{heaviest_by_hand:.4g}" if np.isfinite(heaviest_by_hand) else r"\infty"
    _cosine = np.clip(push @ response / np.linalg.norm(response), -1, 1)
    mo.vstack(
        [
            _drawing,
            _curves,
            mo.md(rf"""
    The hand weighs {ellipse.radii[0]:.3f} kg in its lightest direction and {ellipse.radii[1]:.4g} kg in its heaviest. By hand: across the
    forearm a push only swings the forearm, whose rod passes nothing on to the elbow, so we feel $m_2 = {hand.value:.1f}$ kg. Along the forearm
    we also drive the elbow mass, which can only move across the upper arm, at an angle: $m_2 + m_1/\sin^2 q_2 = {_heaviest}$ kg.

    The acceleration points {np.degrees(np.arccos(_cosine)):.1f}° away from the push. They are parallel only along the axes of the ellipse.
    """),
            mo.callout(
                mo.md(
                    rf"openness {float(space.openness):.2g}, damped: {'yes' if space.damped else 'no'}. "
                    + (f"*{told[0].message}*." if told else "The Jacobian is invertible here.")
                ),
                kind="warn" if space.damped else "neutral",
            ),
        ]
    )
    return


@app.cell
def singular(mo, np, stiction, warnings):
    _arm = stiction.library.two_link(lengths=(0.5, 0.5), masses=(1.5, 0.7))
    elbows = [90.0, 10.0, 1.0, 0.1, 0.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        near_singular = _arm.task_space([[0.5, np.radians(x)] for x in elbows], np.zeros((5, 2)), "tip", ("x", "y"))
    _heaviest = np.linalg.eigvalsh(near_singular.inertia)[:, -1]
    _rows = "\n".join(
        f"    | {x:g}° | {o:.3g} | {m:.4g} | {'yes' if d else 'no'} |"
        for x, o, m, d in zip(elbows, near_singular.openness, _heaviest, near_singular.damped, strict=True)
    )
    mo.md(rf"""
    ## Singular configurations

    Stretched out, the arm cannot move its hand along itself: $\det J = L_1 L_2 \sin q_2 = 0$, and no finite force accelerates the hand that way.
    A formula with $J^{{-1}}$ breaks down; a controller that uses it asks for infinite torques. `task_space` reports the **openness**, the
    smallest over the largest eigenvalue of $J M^{{-1}} J^T$ (1: equally mobile in all directions; 0: singular). Below $10^{{-6}}$ it adds a little to
    that matrix, so that $\Lambda$ stays finite, sets `damped` and warns. With $m_2 = 0.7$ kg:

    | elbow | openness | heaviest direction [kg] | damped |
    |---|---|---|---|
{_rows}

    In the last row the mass is that of the damping, not of the arm. In the other direction nothing is wrong: `directions=("y",)` alone is
    regular for an arm stretched along $x$.
    """)
    return elbows, near_singular


@app.cell
def ask_1(Question):
    question_1 = Question(
        r"You drop a tool on the hand of an arm that is almost stretched out; it hits *along* the arm. What does the hand feel like?",
        "very heavy",
        {
            "like the mass at the hand alone": r"That is the direction across the forearm, $\lambda_{\min} = m_2$, where the elbow need not move.",
            "very heavy": (
                r"$m_2 + m_1/\sin^2 q_2$ grows without bound as $q_2 \to 0$: the bearings of the base take the blow, not "
                r"the inertia of the arm."
            ),
            "very light": (
                "The ellipse of *velocities* is thin in that direction. The ellipse of masses is its opposite: where the "
                "hand can hardly move, it is heavy."
            ),
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
def ask_2(Question):
    question_2 = Question(
        r"A planar 2R arm touches a wall with its tip. What are the sizes of the Jacobian of the tip's twist, and of the wrench $F_\mathrm{tip}$?",
        "6×2 and 6×1",
        {
            "2×2 and 2×1": r"These are the rows for $x$ and $y$ alone, which we choose in order to invert $J$. Twist and wrench have six components.",
            "6×2 and 6×1": (
                r"A column for each joint, a row for each component of $V = (\omega, v)$. $\tau = J^T F_\mathrm{tip}$ is "
                r"then $2 \times 1$, as it must be."
            ),
            "2×6 and 6×1": r"That is $J^T$, which carries wrenches to torques. $V = J \dot q$ takes two numbers to six.",
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
def spare(Frame, Joint, Link, Origin, Robot, np):
    def _bar(name, length, mass):
        _turns = mass * length**2 / 12
        return Link(name=name, mass=mass, center_of_mass=(length / 2, 0, 0), inertia=np.diag([1e-6, _turns, _turns]))

    def _hinge(name, parent, x):
        return Joint(name=name, kind="continuous", parent=parent, child=name, origin=Origin(xyz=(x, 0, 0)))

    three = Robot(
        name="3R",
        links=[Link(name="base"), _bar("upper", 0.4, 1.6), _bar("fore", 0.35, 1.2), _bar("hand", 0.25, 0.7)],
        joints=[_hinge("upper", "base", 0.0), _hinge("fore", "upper", 0.4), _hinge("hand", "fore", 0.35)],
        frames=[Frame(name="tip", link="hand", origin=Origin(xyz=(0.25, 0, 0)))],
    )
    place = np.array([0.45, 0.2])  # where the tool stays [m]

    def reach(angle, near):
        """Joint angles with the tool at its place and the hand at an angle [rad]."""
        _pose = np.eye(4)
        _pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        _pose[:2, 3] = place
        return three.inverse_kinematics(_pose, "tip", q=near)

    first = reach(np.radians(-140.0), [0.7, -0.5, -2.7])
    return first, place, reach, three


@app.cell
def redundant(first, mo, np, three):
    _torque = np.array([1.0, 0.0, 0.0])
    spared = three.task_space(first, np.zeros(3), "tip", ("x", "y"), gravity=(0, 0, 0))
    _J = spared.jacobian
    _torques = {
        r"$\tau_0$ itself": _torque,
        r"$(I - J^T J^{+T})\,\tau_0$": _torque - _J.T @ np.linalg.pinv(_J).T @ _torque,
        r"$N^T \tau_0$": spared.torque([0.0, 0.0], posture=_torque),
    }
    tool_accelerations = {
        _name: _J @ three.forward_dynamics(first, np.zeros(3), _tau, gravity=(0, 0, 0))
        for _name, _tau in _torques.items()
    }
    _rows = "\n".join(
        f"    | {name} | {round(a[0], 9) + 0:.6f} | {round(a[1], 9) + 0:.6f} |"
        for name, a in tool_accelerations.items()
    )
    _null = " \\\\ ".join(" & ".join(f"{x:.3f}" for x in row) for row in spared.null)
    mo.md(rf"""
    ## More joints than directions

    Three joints, a tool that matters in $x$ and $y$ only: one motion of the arm is left that the tool does not see. $J$ is $2 \times 3$ and has many
    right inverses. Dynamics picks one of them, the **dynamically consistent inverse**, and with it the **null-space matrix**:

    $$\bar J = M^{{-1}} J^T \Lambda, \qquad \tau = J^T F + N^T \tau_0,$$

    $$N = I - \bar J J = \begin{{bmatrix}} {_null} \end{{bmatrix}} .$$

    Velocities $N \dot q$ leave the tool at rest, $J N = 0$; so do torques $N^T \tau_0$, as $J M^{{-1}} N^T = 0$. The pseudo-inverse
    $J^+$ satisfies the first but not the second: it knows nothing of masses. Accelerations of the tool under 1 N·m at the shoulder, $\tau_0 = (1, 0, 0)$,
    computed by `robot.forward_dynamics`:

    | torques | x [m/s²] | y [m/s²] |
    |---|---|---|
{_rows}
    """)
    return spared, tool_accelerations


@app.cell
def posture_knobs(mo):
    turn = mo.ui.slider(-110, 0, step=10, value=-10, label="angle of the hand at the end [°]", show_value=True)
    eager = mo.ui.slider(8, 60, step=4, value=28, label="posture stiffness [1/s²]", show_value=True)
    mo.vstack(
        [
            mo.md(
                "**See it move.** `OperationalSpace` holds the tool where it is by $\\Lambda$, and turns the hand from −140° to the angle below by "
                "torques $N^T M \\ddot q_0$, where $\\ddot q_0$ is a spring and a damper on the joints. The same spring and damper as a plain computed "
                "torque, $M \\ddot q_0 + h$, reach the same posture, and lose the tool on the way."
            ),
            turn,
            eager,
        ]
    )
    return eager, turn


@app.cell
def posture_motion(eager, first, moving_picture, np, place, reach, stiction, three, turn):
    _tick = stiction.Clock(period=1e-3)
    _goal = reach(np.radians(turn.value), first)
    _gain = {"stiffness": float(eager.value), "damping": 2 * eager.value**0.5}
    _brains = {
        "null space": stiction.OperationalSpace(
            clock=_tick,
            frame="tip",
            directions=("x", "y"),
            stiffness=400.0,
            damping=40.0,
            posture_stiffness=_gain["stiffness"],
            posture_damping=_gain["damping"],
        ),
        "computed torque": stiction.ComputedTorque(clock=_tick, **_gain),
    }
    _names = ("upper", "fore", "hand")
    bent = {}
    for _name, _brain in _brains.items():
        _scene = stiction.Scene(
            robot=three,
            control={"robot": _brain},
            reference=dict(zip(_names, _goal, strict=True)),
            q=first,
            gravity=(0, -9.81, 0),
        )
        _run = stiction.simulate(_scene, duration=2.0, step=1e-3, record=0.02)
        _q = np.stack([_run[f"q.{x}"] for x in _names], axis=-1)
        bent[_name] = np.stack([three.pose(_q, x)[:, :2, 3] for x in (*_names, "tip")], axis=1)
    bent_time = _run.time
    lost = {name: 1e3 * np.linalg.norm(x[:, -1] - place, axis=1) for name, x in bent.items()}
    posture_picture = moving_picture(bent_time, bent)
    return bent_time, lost, posture_picture


@app.cell
def posture_figure(bent_time, lost, mo, posture_picture, style, subplots):
    with style():
        _figure, _axes = subplots(1, 2.4, 6.5)
        for _name, _way in lost.items():
            _axes.plot(bent_time, _way, label=_name)
        _axes.set(xlabel="time [s]", ylabel="tool off its place [mm]")
        _axes.legend()
    mo.vstack(
        [
            mo.Html(posture_picture),
            _figure,
            mo.md(
                f"Blue: null space, the tool stays within {lost['null space'].max():.2g} mm. Orange: computed torque, it strays by up to "
                f"{lost['computed torque'].max():.3g} mm. What is left of the first comes from torques that are held for 1 ms at a time."
            ),
        ]
    )
    return


@app.cell
def ask_3(Question):
    question_3 = Question(
        r"The 3R arm is to change its posture while the tool presses on a switch and must not move. Which torques, added to those that hold and press, do that?",
        "Nᵀ τ₀ with the dynamically consistent N",
        {
            "(I − Jᵀ J⁺ᵀ) τ₀ with the pseudo-inverse": (
                r"They do no work on motions that $J^+$ produces, but $J M^{-1}(I - J^T J^{+T}) \ne 0$: the tool "
                r"accelerates, as the table shows."
            ),
            "Nᵀ τ₀ with the dynamically consistent N": (
                r"$J M^{-1} N^T = J M^{-1} - J M^{-1} J^T \Lambda J M^{-1} = 0$: no acceleration of the tool, whatever "
                r"$\tau_0$ is."
            ),
            "any torques, if the motion is slow": (
                r"Slow motion makes velocity terms small. The first torque already accelerates the tool by $J M^{-1} "
                r"\tau_0$."
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
def impedance_knobs(mo):
    stiff = mo.ui.slider(100, 1000, step=50, value=250, label="stiffness $k$ [N/m]", show_value=True)
    damp = mo.ui.slider(2, 62, step=4, value=10, label="damping $d$ [N·s/m]", show_value=True)
    mo.vstack(
        [
            mo.md(r"""
    ## What it is good for: impedance control

    Give the tool a spring and a damper of your choice, $F = k\,(x_0 - x) - d\,\dot x$, by $\tau = J^T F + g(q)$. No inverse of $J$ is needed, and no force
    sensor. What we meet at the tool is then the mass–spring–damper

    $$\Lambda\,\ddot x + d\,\dot x + k\,(x - x_0) + \dots = f_\mathrm{push},$$

    in which two numbers are ours and $\Lambda$ is the arm's (the dots are velocity terms). `CartesianImpedance` does it, 1000 times a second. A hand
    pushes the tool to the right with 20 N from 0.2 s to 1.6 s.
    """),
            stiff,
            damp,
        ]
    )
    return damp, stiff


@app.cell
def impedance(Source, damp, moving_picture, np, stiction, stiff):
    _arm = stiction.library.two_link(lengths=(0.5, 0.5), masses=(1.5, 0.7))
    _still = np.array([0.3, 1.3])
    _soft = stiction.CartesianImpedance(
        clock=stiction.Clock(period=1e-3),
        frame="tip",
        stiffness=(stiff.value, stiff.value, 0.0),
        damping=(damp.value, damp.value, 0.0),
    )
    _push = stiction.Table(time=(0.2, 0.201, 1.6, 1.601), value=(0.0, 20.0, 20.0, 0.0))
    _scene = stiction.Scene(
        robot=_arm,
        control={"robot": _soft},
        reference={"shoulder": 0.3, "elbow": 1.3},
        q=_still,
        gravity=(0, -9.81, 0),
        parts={"hand": Source(functions=(_push, 0.0, 0.0))},
        wires=[stiction.Wire("robot.tip.force", ["hand.force"])],
    )
    pushed = stiction.simulate(_scene, duration=3.0, step=1e-3, record=0.02)
    _q = np.stack([pushed["q.shoulder"], pushed["q.elbow"]], axis=-1)
    _points = np.stack([_arm.pose(_q, x)[:, :2, 3] for x in ("upper_arm", "forearm", "tip")], axis=1)
    away = 1e3 * (_points[:, -1] - _arm.pose(_still, "tip")[:2, 3])  # mm
    felt = _arm.ellipsoid(_still, "mass", "tip", ("x", "y")).radii
    impedance_picture = moving_picture(pushed.time, {"arm": _points}, traces={"path of the tool": _points[:, -1]})
    settled = (away[round(1.58 / 0.02), 0], 20e3 / stiff.value)
    return away, felt, impedance_picture, pushed, settled


@app.cell
def impedance_figure(COLORS, away, damp, felt, impedance_picture, mo, pushed, settled, stiff, style, subplots):
    with style():
        _figure, _axes = subplots(1, 2.8, 6.5)
        _axes.plot(pushed.time, away[:, 0], label="along the push")
        _axes.plot(pushed.time, away[:, 1], label="across it")
        _axes.plot([0.2, 1.6], 2 * [settled[1]], "--", color=COLORS[7], label="push / stiffness")
        _axes.set(xlabel="time [s]", ylabel="deflection [mm]")
        _axes.legend()
    _critical = [2 * (stiff.value * x) ** 0.5 for x in felt]
    mo.vstack(
        [
            mo.Html(impedance_picture),
            _figure,
            mo.md(rf"""
    Before the hand lets go the tool is {settled[0]:.2f} mm away; the spring alone says $20\,\mathrm{{N}}/k = {settled[1]:.2f}$ mm. On its way
    it also moves
    *across* the push: the spring is the same in all directions, the mass is not. Here it is between {felt[0]:.2f} and {felt[1]:.2f} kg, and
    critical damping
    $2\sqrt{{k \lambda}}$ between {_critical[0]:.1f} and {_critical[1]:.1f} N·s/m; you chose {damp.value:g}.
    """),
        ]
    )
    return


@app.cell
def ask_4(Question):
    question_4 = Question(
        r"You make the tool four times as stiff. It should still swing as little as before. What about the damping $d$?",
        "twice as much",
        {
            "the same": r"The damping ratio is $d / (2\sqrt{k \lambda})$. With $4k$ and the same $d$ it is halved: the tool swings more.",
            "twice as much": (
                r"$2\sqrt{4 k \lambda} = 2 \cdot 2\sqrt{k \lambda}$. The mass $\lambda$ is the arm's, in the direction of "
                r"the motion; only $\sqrt{k}$ has doubled."
            ),
            "four times as much": r"That would keep the *time constant* $d/k$ of a spring without mass. With mass, the ratio $d/\sqrt{k\lambda}$ counts.",
        },
    )
    answer_4 = question_4.ask()
    answer_4
    return answer_4, question_4


@app.cell
def reply_4(answer_4, question_4):
    question_4.reply(answer_4.value)
    return


@app.cell
def exercise_1(mo, np, stiction):
    _values = {"first_mass": 2.0, "first_length": 0.3, "second_mass": 1.5, "first_inertia": 0.2, "second_inertia": 0.12}
    rp = stiction.library.rp_arm(**_values)
    closed = rp.symbolic(names={"turret.inertia.zz": "I1", "slider.inertia.zz": "I2"}, gravity=(0, -1, 0))
    rp_inertia = closed.task_inertia("slider", [3, 4])
    rp_at_zero = rp_inertia.subs(closed.q[0], 0)
    _k = 0.2 + 0.12 + 2.0 * 0.3**2
    rp_by_hand = np.array([1.5, (_k + 1.5 * 0.8**2) / 0.8**2])
    rp_by_software = rp.task_space([0.0, 0.8], [0.0, 0.0], "slider", ("x", "y")).inertia
    mo.md(rf"""
    ## Exercise 1: the RP arm at $q_1 = 0$

    Its slider moves by $\dot x = \dot q_2$, $\dot y = q_2 \dot q_1$ there. With $M = \mathrm{{diag}}(k + m_2 q_2^2,\; m_2)$ and
    $k = I_1 + I_2 + m_1 L_1^2$, by hand,

    $$\Lambda = \mathrm{{diag}}\left(m_2,\; \frac{{k + m_2 q_2^2}}{{q_2^2}}\right).$$

    `robot.symbolic().task_inertia("slider", [3, 4])` (rows 3 and 4 of $J$: $x$ and $y$), with $q_1 = 0$:

    $$\Lambda = {closed.latex(rp_at_zero)}$$

    With $m_1 = 2$ kg, $L_1 = 0.3$ m, $m_2 = 1.5$ kg, $I_1 = 0.2$ and $I_2 = 0.12$ kg m², $q_2 = 0.8$ m, in kg:

    | | along the arm | across it | coupling |
    |---|---|---|---|
    | by hand | {rp_by_hand[0]:.6f} | {rp_by_hand[1]:.6f} | 0 |
    | `task_space` | {rp_by_software[0, 0]:.6f} | {rp_by_software[1, 1]:.6f} | {rp_by_software[0, 1] + 0:.1g} |

    Far out the arm weighs $m_2$ in all directions; near the axis ($q_2 \to 0$) it becomes infinitely heavy across: the singularity of this arm.
    """)
    return closed, rp, rp_at_zero, rp_by_hand, rp_by_software


@app.cell
def exercise_2(Frame, Joint, Link, Origin, PointMass, Robot, mo):
    _end = Origin(xyz=(2.0, 0, 0))
    pr = Robot(
        name="slide and rod",
        links=[Link(name="base"), Link(name="carriage", mass=1e-9), Link.of("rod", PointMass(mass=2.0, origin=_end))],
        joints=[
            Joint(name="slide", kind="prismatic", parent="base", child="carriage", axis=(1, 0, 0)),
            Joint(name="turn", kind="continuous", parent="carriage", child="rod"),
        ],
        frames=[Frame(name="tip", link="rod", origin=_end)],
    )
    diagonal = pr.task_space([0.0, 0.0], [0.0, 0.0], "tip", ("x", "y"))
    pr_mass = pr.mass_matrix([0.0, 0.0])

    def _matrix(x):
        return (
            r"\begin{bmatrix} "
            + r" \\ ".join(" & ".join(f"{round(v, 6) + 0:g}" for v in row) for row in x)
            + r" \end{bmatrix}"
        )

    mo.md(rf"""
    ## Exercise 2: two matrices

    Given $J = \mathrm{{diag}}(1, 2)$ and $M = \mathrm{{diag}}(2, 8)$. By hand,
    $\Lambda = J^{{-T}} M J^{{-1}} = \mathrm{{diag}}(2/1^2,\; 8/2^2) = \mathrm{{diag}}(2, 2)$.

    There is an arm with these matrices: a slide along $x$ that carries a rod of 2 m with 2 kg at its end, at $q = 0$. Its own numbers:

    $$J = {_matrix(diagonal.jacobian)}, \qquad M = {_matrix(pr_mass)}, \qquad \Lambda = {_matrix(diagonal.inertia)}$$

    No wonder: all of the mass is at the tool, so the tool weighs 2 kg, whichever way it goes. $M$ hides that, as its second coordinate is an angle.
    """)
    return diagonal, pr_mass


@app.cell
def exercise_3(closed, mo, np, rp):
    _q, _v, _a, _down = np.array([0.4, 0.7]), np.array([1.2, -0.5]), np.array([0.3, 0.8]), (0, -9.81, 0)
    _numbers = {**closed.values, closed.g: 9.81} | dict(zip([*closed.q, *closed.v], [*_q, *_v], strict=True))

    def _of(terms):
        return np.array([float(x.subs(_numbers)) for x in terms])

    _push, _weight = rp.mass_matrix(_q) @ _a, _of(closed.gravity_torque)
    _gamma = np.array([[[float(x.subs(_numbers)) for x in row] for row in table] for table in closed.christoffel])
    _space = rp.task_space(_q, _v, "slider", ("x", "y"), gravity=_down)
    _speed_up = _space.jacobian @ _a + rp.jacobian_rate(_q, _v, "slider")[3:5] @ _v
    forms = {
        r"$M \ddot q + h(q, \dot q)$": _push + rp.inverse_dynamics(_q, _v, [0.0, 0.0], gravity=_down),
        r"$M \ddot q + c(q, \dot q) + g(q)$": _push + _of(closed.velocity_vector) + _weight,
        r"$M \ddot q + \dot q^T \Gamma(q)\, \dot q + g(q)$": _push + np.einsum("j,ijk,k->i", _v, _gamma, _v) + _weight,
        r"$M \ddot q + C(q, \dot q)\, \dot q + g(q)$": _push + rp.coriolis_matrix(_q, _v) @ _v + _weight,
        r"$J^T (\Lambda \dot V + \eta)$": _space.torque(_space.force(_speed_up)),
    }
    newton_euler = rp.inverse_dynamics(_q, _v, _a, gravity=_down)
    _rows = "\n".join(f"    | {name} | {x[0]:.9f} | {x[1]:.9f} |" for name, x in forms.items())
    mo.md(rf"""
    ## Exercise 3: the four forms of the equation of motion

    The same torques, written in four ways: with all of $h$ together, split into velocity and gravity terms, with Christoffel symbols, and with
    the Coriolis
    matrix. The fifth row goes through the tool: $\dot V = J \ddot q + \dot J \dot q$, then $F = \Lambda \dot V + \eta$ with $F_\mathrm{{tip}} = 0$, then
    $\tau = J^T F$. The RP arm of exercise 1 at $q = (0.4, 0.7)$, $\dot q = (1.2, -0.5)$, $\ddot q = (0.3, 0.8)$:

    | $\tau =$ | joint 1 [N·m] | joint 2 [N] |
    |---|---|---|
{_rows}
    | Newton–Euler recursion (lesson 4) | {newton_euler[0]:.9f} | {newton_euler[1]:.9f} |

    $C\dot q$ is one vector, but $C$ is not unique; the one by Christoffel symbols makes $\dot M - 2C$ skew-symmetric, which proofs of stability use.
    """)
    return forms, newton_euler


if __name__ == "__main__":
    app.run()
