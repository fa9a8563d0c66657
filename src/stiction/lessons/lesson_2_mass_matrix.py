import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Lesson 2: The mass matrix")


@app.cell
def imports():
    import marimo as mo
    import numpy as np
    import sympy

    import stiction
    from stiction.lessons.question import Question
    from stiction.parts import LagrangianBody
    from stiction.show.figure import COLORS, style, subplots
    from stiction.show.moving import moving_picture

    return COLORS, LagrangianBody, Question, mo, moving_picture, np, stiction, style, subplots, sympy


@app.cell
def opening(mo):
    mo.md(r"""
    # 2 · The mass matrix

    The kinetic energy of a robot is quadratic in its joint velocities, and the matrix of that quadratic form is its **mass matrix**:

    $$K(q, \dot q) = \tfrac12\, \dot q^T M(q)\, \dot q.$$

    At rest and without gravity $\tau = M(q)\, \ddot q$: the mass matrix is to joints what $m$ is to a particle in $f = m\,a$. Like a mass it has to
    be positive, unlike a mass it is a matrix and changes with the pose:

    - $M$ is **symmetric**: $M_{ij} = M_{ji}$. Joint $j$ loads joint $i$ as much as $i$ loads $j$.
    - $M$ is **positive definite**: $\dot q^T M \dot q > 0$ for every $\dot q \ne 0$. Nothing moves without kinetic energy.
    - $M$ **depends on the configuration**: a stretched arm is harder to turn than a folded one.

    And since $M$ is a matrix, $\tau$ does not in general point along $\ddot q$.
    """)
    return


@app.cell
def closed_form(mo, stiction, sympy):
    derived = stiction.library.two_link().symbolic(gravity=(0, -1, 0))
    determinant = sympy.factor(sympy.simplify(derived.mass_matrix.det()))
    _M = derived.mass_matrix
    mo.md(rf"""
    ## The 2R arm

    Two rods in a plane, with point masses $m_1$ at the elbow and $m_2$ at the tip; $q_2$ is the angle of the elbow, 0 where the arm is
    stretched. `robot.symbolic()` gives

    $$M_{{11}} = {derived.latex(_M[0, 0])}$$

    $$M_{{12}} = M_{{21}} = {derived.latex(_M[0, 1])}$$

    $$M_{{22}} = {derived.latex(_M[1, 1])}$$

    $q_1$ does not appear: turning the whole arm changes nothing. And $M$ is positive definite at every elbow angle, because $M_{{22}} > 0$ and

    $$\det M = {derived.latex(determinant)} > 0.$$
    """)
    return derived, determinant


@app.cell
def knobs(mo):
    elbow = mo.ui.slider(10, 170, step=5, value=60, label=r"elbow angle $q_2$ [°]", show_value=True)
    upper = mo.ui.slider(0.3, 0.8, step=0.05, value=0.5, label=r"upper arm $L_1$ [m]", show_value=True)
    fore = mo.ui.slider(0.3, 0.8, step=0.05, value=0.5, label=r"forearm $L_2$ [m]", show_value=True)
    _text = "Both masses are 2 kg. Whatever is shown of this arm from here on follows these sliders:"
    mo.vstack([mo.md(_text), elbow, upper, fore])
    return elbow, fore, upper


@app.cell
def machine(elbow, fore, np, stiction, upper):
    masses = (2.0, 2.0)
    arm = stiction.library.two_link(lengths=(upper.value, fore.value), masses=masses)
    pose = np.array([0.0, np.radians(elbow.value)])
    M = arm.mass_matrix(pose)
    return M, arm, masses, pose


@app.cell
def configuration(COLORS, M, arm, elbow, mo, np, style, subplots):
    _angles = np.linspace(-180, 180, 181)
    _all = arm.mass_matrix(np.stack([0 * _angles, np.radians(_angles)], axis=1))
    with style():
        _figure, _axes = subplots(1, 3.0, 6.4)
        for _color, (_i, _j) in zip(COLORS, [(0, 0), (0, 1), (1, 1)], strict=False):
            _axes.plot(_angles, _all[:, _i, _j], color=_color, label=f"$M_{{{_i + 1}{_j + 1}}}$")
            _axes.plot(elbow.value, M[_i, _j], "o", color=_color)
        _axes.plot(_angles, np.linalg.eigvalsh(_all)[:, 0], "--", color="0.5", label="smallest eigenvalue")
        _axes.axhline(0, color="0.3", linewidth=0.6)
        _axes.set_xticks(range(-180, 181, 60))
        _axes.set_xlabel("elbow angle [°]")
        _axes.set_ylabel("entries of M [kg m²]")
        _axes.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.2))
    mo.vstack(
        [
            mo.md("### What the elbow does to the entries"),
            _figure,
            mo.md(
                r"$M_{11}$ is largest where the arm is stretched. $M_{22}$ knows nothing of the elbow. The coupling $M_{12}$ "
                r"shrinks as the arm folds; with an upper arm longer than the forearm it passes zero at $\cos q_2 = -L_2/L_1$ "
                "and becomes negative. The eigenvalues stay positive all the way round."
            ),
        ]
    )
    return


@app.cell
def exercise_3(M, arm, fore, masses, mo, np, pose, upper):
    _m1, _m2 = masses
    _L1, _L2, _c = upper.value, fore.value, np.cos(pose[1])
    _coupling = _m2 * (_L2**2 + _L1 * _L2 * _c)
    by_hand = np.array(
        [
            [_m1 * _L1**2 + _m2 * (_L1**2 + 2 * _L1 * _L2 * _c + _L2**2), _coupling],
            [_coupling, _m2 * _L2**2],
        ]
    )
    _columns = [arm.inverse_dynamics(pose, [0, 0], unit, gravity=(0, 0, 0)) for unit in ([1, 0], [0, 1])]
    by_torques = np.stack(_columns, axis=1)
    _rows = "\n".join(
        f"    | $M_{{{i + 1}{j + 1}}}$ | {by_hand[i, j]:.6f} | {by_torques[i, j]:.6f} | {M[i, j]:.6f} |"
        for i, j in [(0, 0), (1, 0), (0, 1), (1, 1)]
    )
    mo.md(rf"""
    ### Exercise 3: each entry, by unit accelerations

    Column $j$ of $M$ holds the torques that accelerate joint $j$ alone, by 1 rad/s², from rest. So each entry follows from Newton's law: find the
    acceleration of each point mass, multiply it by the mass, take the moment of that force about the joint.

    Shoulder alone, $\ddot q = (1, 0)$: both masses speed up on circles about the shoulder. $m_2$ is at the distance
    $r = \sqrt{{L_1^2 + 2 L_1 L_2 \cos q_2 + L_2^2}}$ from it, so

    - about the shoulder: $M_{{11}} = m_1 L_1^2 + m_2 r^2$;
    - about the elbow, the force on $m_2$ has the lever arm $(L_2^2 + L_1 L_2 \cos q_2)/r$: $M_{{21}} = m_2 (L_2^2 + L_1 L_2 \cos q_2)$.

    Elbow alone, $\ddot q = (0, 1)$: $m_2$ accelerates by $L_2$ across the forearm, so

    - about the shoulder, with the lever arm $L_2 + L_1 \cos q_2$: $M_{{12}} = m_2 L_2 (L_2 + L_1 \cos q_2)$;
    - about the elbow: $M_{{22}} = m_2 L_2^2$.

    The software does the same with `arm.inverse_dynamics(q, [0, 0], [1, 0], gravity=(0, 0, 0))`, and has `arm.mass_matrix(q)` besides. In kg m², that
    is N·m at 1 rad/s²:

    | entry | by hand | unit accelerations | `mass_matrix` |
    |---|---|---|---|
{_rows}

    To accelerate the shoulder **alone** takes a torque at the elbow, too: without $M_{{21}}$ the forearm would stay behind.
    """)
    return by_hand, by_torques


@app.cell
def ask_1(Question):
    question_1 = Question(
        r"An arm at rest, without gravity, has $M = \begin{bmatrix} 2 & 1 \\ 1 & 1 \end{bmatrix}$ kg m². Joint 1 is to accelerate at 1 rad/s², "
        "joint 2 is not to accelerate. Which torque does joint 2 need?",
        "1 N·m",
        {
            "0 N·m": r"Joint 2 does not accelerate relative to link 1, but its link is swung along, and that takes $M_{21} \ddot q_1$. "
            "With no torque the joint would fold.",
            "1 N·m": r"$\tau = M \ddot q$ with $\ddot q = (1, 0)$ is the first column, $(2, 1)$ N·m: $\tau_2 = M_{21} = 1$ N·m.",
            "2 N·m": r"That is $M_{11}$, the torque of joint 1. Joint 2 needs the other entry of the first column.",
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
def push_text(mo):
    mo.md("""
    ### Push one joint, and both move

    The same coupling seen from the other side: a constant torque at the shoulder, none at the elbow, from rest, without gravity.
    """)
    return


@app.cell
def knobs_push(mo):
    push = mo.ui.slider(0.1, 1.0, step=0.1, value=0.6, label=r"torque at the shoulder $\tau_1$ [N·m]", show_value=True)
    push
    return (push,)


@app.cell
def motion(M, arm, fore, moving_picture, np, pose, push, stiction, upper):
    _scene = stiction.Scene(robot=arm, gravity=(0, 0, 0), torque={"shoulder": push.value}, q=pose.tolist())
    run = stiction.simulate(_scene, duration=1.2, step=1e-3, record=0.01)
    first_acceleration = np.linalg.solve(M, [push.value, 0.0])
    _a, _b = run["q.shoulder"], run["q.shoulder"] + run["q.elbow"]
    _middle = upper.value * np.stack([np.cos(_a), np.sin(_a)], axis=1)
    _tip = _middle + fore.value * np.stack([np.cos(_b), np.sin(_b)], axis=1)
    picture = moving_picture(
        run.time, {"arm": np.stack([0 * _tip, _middle, _tip], axis=1)}, traces={"path of the tip": _tip}
    )
    speeds = np.stack([run["v.shoulder"], run["v.elbow"]], axis=1)
    return first_acceleration, picture, run, speeds


@app.cell
def motion_figure(COLORS, first_acceleration, mo, np, picture, run, speeds, style, subplots):
    with style():
        _figure, _axes = subplots(1, 2.8, 6.4)
        for _color, _joint, _speed, _slope in zip(
            COLORS, ("shoulder", "elbow"), speeds.T, first_acceleration, strict=False
        ):
            _axes.plot(run.time, _speed, color=_color, label=_joint)
            _axes.plot(run.time, _slope * run.time, ":", color=_color)
        _margin = 0.1 * np.ptp(speeds)
        _axes.set_ylim(speeds.min() - _margin, speeds.max() + _margin)
        _axes.set_xlabel("time [s]")
        _axes.set_ylabel("joint velocity [rad/s]")
        _axes.legend(loc="upper left")
    mo.vstack(
        [
            mo.Html(picture),
            _figure,
            mo.md(
                rf"At the start $\ddot q = M^{{-1}} (\tau_1, 0) = ({first_acceleration[0]:.3f}, {first_acceleration[1]:.3f})$ rad/s², "
                r"the slopes of the dotted lines. Where $M_{12} > 0$ the elbow is thrown the other way. The motion leaves the "
                "dotted lines as $M$ changes with the elbow, and the velocity terms of lesson 1 come in."
            ),
        ]
    )
    return


@app.cell
def ellipse_text(mo):
    mo.md(r"""
    ## The ellipse of torques

    All accelerations of length 1, $\ddot q^T \ddot q = 1$, form a circle. The torques $\tau = M \ddot q$ that they take form an **ellipse**: its half
    axes lie along the eigenvectors of $M$ and are as long as the eigenvalues. Conversely, all torques of length 1 give accelerations
    $\ddot q = M^{-1} \tau$: an ellipse with the **same axes and reciprocal lengths**. What takes most torque is accelerated least.
    """)
    return


@app.cell
def knobs_direction(mo):
    direction = mo.ui.slider(0, 355, step=5, value=60, label="direction of the unit vector [°]", show_value=True)
    direction
    return (direction,)


@app.cell
def ellipses(COLORS, M, arm, direction, mo, np, pose, style, subplots):
    ellipse = arm.ellipsoid(pose, "torque")
    inverse_matrix = np.linalg.inv(M)

    _angle = np.linspace(0, 2 * np.pi, 100)
    _circle = np.stack([np.cos(_angle), np.sin(_angle)], axis=1)
    _unit = np.array([np.cos(np.radians(direction.value)), np.sin(np.radians(direction.value))])

    def _drawn(title, points, matrix, radii, names, color):
        with style():
            figure, axes = subplots(1, 4.0, 4.0)
            axes.plot(*_circle.T, "--", color="0.5", linewidth=1)
            axes.fill(*points.T, color=color, alpha=0.15)
            axes.plot(*points.T, color=color)
            for x, y in (ellipse.axes * radii).T:
                axes.plot([-x, x], [-y, y], color=color, linewidth=0.7)
            for end, stroke in ((_unit, "0.4"), (matrix @ _unit, color)):
                axes.annotate("", end, (0, 0), arrowprops={"arrowstyle": "-|>", "color": stroke, "linewidth": 1.8})
            limit = 1.1 * max(1.0, *radii)
            axes.set(
                xlim=(-limit, limit),
                ylim=(-limit, limit),
                aspect="equal",
                title=title,
                xlabel=names[0],
                ylabel=names[1],
            )
        return figure

    _torques = _drawn(
        "torques of unit accelerations",
        ellipse.points(),
        M,
        ellipse.radii,
        (r"$\tau_1$ [N·m]", r"$\tau_2$ [N·m]"),
        COLORS[0],
    )
    _accelerations = _drawn(
        "accelerations by unit torques",
        _circle @ inverse_matrix,
        inverse_matrix,
        1 / ellipse.radii,
        (r"$\ddot{q}_1$ [rad/s²]", r"$\ddot{q}_2$ [rad/s²]"),
        COLORS[1],
    )
    _small, _large = ellipse.radii
    mo.vstack(
        [
            mo.hstack([_torques, _accelerations], wrap=True, justify="start"),
            mo.md(
                "Dashed and grey: the unit circle and a unit vector. In colour: what becomes of them. The half axes are "
                f"{_small:.4f} and {_large:.4f} N·m for the torques, {1 / _small:.3f} and {1 / _large:.3f} rad/s² for the accelerations; "
                f"their ratio is {_large / _small:.1f}. Turn the unit vector: both arrows are aligned only along the thin lines, the "
                "eigenvectors. Stretch the arm, and the ellipses become long and thin; lengthen the forearm, and they turn."
            ),
        ]
    )
    return ellipse, inverse_matrix


@app.cell
def ask_2(Question):
    question_2 = Question(
        "In which direction do torques of length 1 accelerate this arm most?",
        "along the short axis of the torque ellipse",
        {
            "along the long axis of the torque ellipse": r"There a unit acceleration takes the most torque, so a unit torque achieves the least: "
            r"$1/\lambda_{max}$.",
            "along the short axis of the torque ellipse": r"$M$ and $M^{-1}$ have the same eigenvectors and reciprocal eigenvalues: "
            r"$1/\lambda_{min}$ is the largest.",
            "the same in all directions": r"That would need $M$ to be a multiple of the identity: then, and only then, the ellipse is a circle.",
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
def ask_3(Question):
    question_3 = Question(
        r"The 2R arm lies on a table (no gravity). Joint 1 stands still, joint 2 turns at constant speed, and $0 < q_2 < \pi$. "
        "Which joint needs a torque?",
        "joint 1 only",
        {
            "joint 2 only": r"The course page that this lesson follows says so, since joint 2 is the one that moves. But $m_2$ goes round the elbow at "
            "constant speed: the force on it points along the forearm, straight at the elbow, and has no moment about it.",
            "joint 1 only": r"$m_2$ needs the centripetal force $m_2 L_2 \dot q_2^2$ along the forearm. It passes through the elbow, and past the shoulder "
            r"at the distance $L_1 \sin q_2$: $\tau = (-m_2 L_1 L_2 \sin q_2\, \dot q_2^2,\ 0)$. It is there because $M_{12}$ depends on $q_2$.",
            "none: nothing accelerates": r"No joint accelerates, but the mass does: it goes in a circle. Since $M$ depends on $q$, constant joint velocities "
            "are no free motion.",
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
def only_the_elbow(arm, fore, masses, mo, np, pose, upper):
    elbow_moving = np.asarray(arm.inverse_dynamics(pose, [0, 1], [0, 0], gravity=(0, 0, 0)))
    centripetal = np.array([-masses[1] * upper.value * fore.value * np.sin(pose[1]), 0.0])
    _text = rf"""
    At $\dot q = (0, 1)$ rad/s, `arm.inverse_dynamics(q, [0, 1], [0, 0], gravity=(0, 0, 0))` gives for the arm of the sliders

    $$\tau = ({elbow_moving[0]:.6f},\ {elbow_moving[1] + 0.0:.6f})\ \text{{N·m}},$$

    and by hand $-m_2 L_1 L_2 \sin q_2\, \dot q_2^2 = {centripetal[0]:.6f}$ N·m.
    """
    mo.accordion({"The same question in numbers": mo.md(_text)})
    return centripetal, elbow_moving


@app.cell
def exercise_4(LagrangianBody, mo, np, stiction, sympy):
    def energy(q, v, m12, m21):
        return (3 * v[0] * v[0] + (m12 + m21) * v[0] * v[1] + 2 * v[1] * v[1]) / 2

    def refusal(a, b):
        """What the simulator says to this kinetic energy; nothing where it can move."""
        body = LagrangianBody(coordinates=("x", "y"), lagrangian=energy, values={"m12": a, "m21": b})
        try:
            stiction.simulate(stiction.Scene(parts={"body": body}), duration=0.01, step=1e-3)
        except stiction.StictionError as error:
            return str(error)
        return ""

    verdicts = {}
    for _a, _b in [(2.4, 2.4), (-2.4, -2.4), (2.5, 2.5), (1.0, 0.0)]:
        _least = np.linalg.eigvalsh([[3, (_a + _b) / 2], [(_a + _b) / 2, 2]])[0]
        verdicts[_a, _b] = (_a == _b, float(_least), not refusal(_a, _b))
    _words = {True: "yes", False: "no"}
    _rows = "\n".join(
        f"    | {a:g} | {b:g} | {_words[even]} | {least:.4f} | {_words[moves]} | **{_words[even and moves]}** |"
        for (a, b), (even, least, moves) in verdicts.items()
    )
    _a, _b, *_dd = sympy.symbols("a b ddq1 ddq2")
    _pushes = stiction.lagrange_equations(energy, ["q1", "q2"], m12=_a, m21=_b)
    _names = {x: rf"\ddot{{q}}_{k}" for k, x in enumerate(_dd, 1)}
    _shown = [sympy.latex(sympy.collect(sympy.expand(x), _dd, sympy.factor), symbol_names=_names) for x in _pushes]
    mo.md(rf"""
    ## Exercise 4: what a mass matrix can be

    For which $a$ and $b$ is $\begin{{bmatrix}} 3 & a \\ b & 2 \end{{bmatrix}}$ the mass matrix of some robot?

    **By hand.** It must be symmetric: $a = b$. And positive definite: the leading minors $3$ and $6 - a^2$ are positive where
    $|a| < \sqrt 6 \approx 2.449$.

    **With the software.** Write the kinetic energy as a Lagrangian. `stiction.lagrange_equations` shows why $a \ne b$ cannot be: the energy
    knows only the sum, so its mass matrix has $(a + b)/2$ in both places.

    $$\tau_1 = {_shown[0]}$$

    $$\tau_2 = {_shown[1]}$$

    And `stiction.simulate` refuses an energy that is not positive definite:

    | $a$ | $b$ | symmetric | eigenvalue* | runs | valid |
    |---|---|---|---|---|---|
{_rows}

    \* the smaller one of the symmetric part [kg m²]
    """)
    return energy, refusal, verdicts


@app.cell
def knobs_matrix(mo):
    a_entry = mo.ui.slider(-3.0, 3.0, step=0.1, value=1.5, label="$a$ [kg m²]", show_value=True)
    b_entry = mo.ui.slider(-3.0, 3.0, step=0.1, value=1.5, label="$b$ [kg m²]", show_value=True)
    mo.vstack([mo.md("Try it:"), a_entry, b_entry])
    return a_entry, b_entry


@app.cell
def matrix_figure(COLORS, a_entry, b_entry, mo, np, refusal, style, subplots):
    _a, _b = a_entry.value, b_entry.value
    tried = np.array([[3.0, _a], [_b, 2.0]])
    eigenvalues, _axes_of = np.linalg.eigh((tried + tried.T) / 2)
    said = refusal(_a, _b)
    _symmetric = abs(_a - _b) < 1e-9
    _angle = np.linspace(0, 2 * np.pi, 181)
    _circle = np.stack([np.cos(_angle), np.sin(_angle)], axis=1)
    _energy = np.einsum("ni,ij,nj->n", _circle, tried, _circle) / 2
    _torque = _circle @ tried.T
    with style():
        _first, _left = subplots(1, 3.6, 4.0)
        _left.plot(np.degrees(_angle), _energy, color=COLORS[0])
        _left.fill_between(np.degrees(_angle), _energy, 0, where=_energy < 0, color=COLORS[1], alpha=0.4)
        _left.axhline(0, color="0.3", linewidth=0.8)
        _left.set(xticks=range(0, 361, 90), ylim=(-0.6, 3.2), title="energy of unit velocities")
        _left.set(xlabel="direction of the velocity [°]", ylabel="K [J]")
        _second, _right = subplots(1, 3.6, 4.0)
        _right.plot(*_circle.T, "--", color="0.5", linewidth=1)
        _right.fill(*_torque.T, color=COLORS[0], alpha=0.15)
        _right.plot(*_torque.T, color=COLORS[0])
        for _size, (_x, _y) in zip(eigenvalues, _axes_of.T, strict=True):
            if _symmetric:
                _end = _size * np.array([-1, 1])
                _right.plot(_end * _x, _end * _y, color=COLORS[0 if _size > 0 else 1], linewidth=1.5)
        _right.set(xlim=(-6.2, 6.2), ylim=(-6.2, 6.2), aspect="equal", title="torques of unit accelerations")
        _right.set(xticks=range(-6, 7, 2), yticks=range(-6, 7, 2), xlabel=r"$\tau_1$ [N·m]", ylabel=r"$\tau_2$ [N·m]")
    if said:
        _verdict = f"**No mass matrix**: some velocities have negative energy. The simulator says: *{said}*."
    elif not _symmetric:
        _verdict = (
            "**No mass matrix**: it is not symmetric. Its energy is that of the symmetric part, with "
            rf"$(a + b)/2 = {(_a + _b) / 2:g}$ in both places."
        )
    else:
        _verdict = "**A mass matrix**: symmetric, and every velocity has positive energy."
    mo.vstack(
        [
            mo.hstack([_first, _second], wrap=True, justify="start"),
            mo.md(
                f"Eigenvalues of the symmetric part: {eigenvalues[0]:.3f} and {eigenvalues[1]:.3f} kg m². {_verdict} "
                r"With $a = b$ and towards $|a| = \sqrt 6$, the ellipse collapses to a line. Beyond, it opens again, but along one axis "
                "(drawn in the other colour) the torque points against the acceleration: push, and it comes towards you."
            ),
        ]
    )
    return eigenvalues, said, tried


@app.cell
def ask_4(Question):
    question_4 = Question(
        r"Someone identifies $M = \begin{bmatrix} 3 & 2 \\ 2 & 1 \end{bmatrix}$ kg m² from measurements of an arm. Can that be right?",
        "no: there is a motion with negative kinetic energy",
        {
            "yes: it is symmetric and all entries are positive": r"Positive entries are not enough: $\det M = 3 - 4 = -1 < 0$, "
            "so one eigenvalue is negative.",
            "no: there is a motion with negative kinetic energy": r"$\dot q = (1, -2)$ has $K = \tfrac12 (3 - 8 + 4) = -\tfrac12$ J. "
            r"Equivalently $\det M = -1 < 0$.",
            "no: M12 must not be larger than M22": r"It may be: a stretched 2R arm has $M_{12} = m_2 L_2 (L_1 + L_2) > M_{22} = m_2 L_2^2$. The bound is "
            r"$M_{12}^2 < M_{11} M_{22}$.",
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
def exercise_5(mo, np, stiction):
    _arm = stiction.library.rp_arm()
    extensions = (0.5, 1.0, 2.0)
    rp_ellipses = [_arm.ellipsoid([0.0, x], "torque").matrix for x in extensions]
    rp_by_hand = [np.diag([0.1 + 0.1 + 1.0 * 0.5**2 + 1.0 * x**2, 1.0]) for x in extensions]
    _rows = "\n".join(
        f"    | {x:g} | {hand[0, 0]:.4f} | {matrix[0, 0]:.4f} | {hand[1, 1]:.4f} | {matrix[1, 1]:.4f} |"
        for x, matrix, hand in zip(extensions, rp_ellipses, rp_by_hand, strict=True)
    )
    mo.md(rf"""
    ## Exercise 5: the RP arm

    How does the torque ellipse of the RP arm of lesson 1 change as it extends? Its mass matrix is diagonal,
    $M = \mathrm{{diag}}(I_1 + I_2 + m_1 L_1^2 + m_2 q_2^2,\ m_2)$. So the axes of the ellipse lie along those of the joints; the first grows with
    $q_2$, the second stays. With $I_1 = I_2 = 0.1$ kg m², $m_1 = m_2 = 1$ kg, $L_1 = 0.5$ m, `arm.ellipsoid(q, "torque")` gives

    | $q_2$ [m] | joint 1 by hand [N·m] | software | joint 2 by hand [N] | software |
    |---|---|---|---|---|
{_rows}

    and `stiction.plot_ellipses` draws
    """)
    return extensions, rp_by_hand, rp_ellipses


@app.cell
def rp_figure(extensions, stiction):
    _figure = stiction.plot_ellipses(stiction.library.rp_arm(), [[0.0, x] for x in extensions], "torque")
    _figure.set_size_inches(6.4, 2.8)
    _figure
    return


@app.cell
def outlook_text(mo):
    mo.md(r"""
    ## Outlook: the mass that a hand feels

    Take the tip of the 2R arm and move it. What you feel is not $M$ but the mass matrix of the tool, $\Lambda = J^{-T} M J^{-1}$ (lesson 6). Its ellipse
    is drawn at the tool: the forces that accelerate the tip by 1 m/s². Move the elbow slider again:
    """)
    return


@app.cell
def outlook(arm, elbow, masses, mo, np, pose, stiction):
    at_tip = arm.ellipsoid(pose, "mass", "tip", ("x", "y"))
    felt_by_hand = np.array([masses[1], masses[1] + masses[0] / np.sin(pose[1]) ** 2])
    _figure = stiction.plot_ellipses(arm, pose, "mass", "tip")
    _figure.set_size_inches(5.5, 4.2)
    _low, _high = _figure.axes[0].get_ylim()
    _figure.axes[0].set_ylim(min(_low, -0.15), max(_high, 0.6))  # room for a folded arm, too
    mo.vstack(
        [
            elbow,
            _figure,
            mo.md(
                f"At {elbow.value:g}° the tip feels like {at_tip.radii[0]:.3f} kg in one direction and like {at_tip.radii[1]:.3f} kg in the other. "
                rf"By hand: across the forearm only $m_2 = {felt_by_hand[0]:.3f}$ kg has to move; along it the elbow must be moved, too, and that is "
                rf"$m_2 + m_1/\sin^2 q_2 = {felt_by_hand[1]:.3f}$ kg, whatever the lengths. Towards the stretched and the folded arm this grows without bound: the "
                "arm is singular there, and its tip cannot move along the forearm at all."
            ),
        ]
    )
    return at_tip, felt_by_hand


if __name__ == "__main__":
    app.run()
