import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Lesson 5: Forward dynamics")


@app.cell
def imports():
    import warnings
    from functools import partial
    from time import perf_counter

    import marimo as mo
    import numpy as np

    import stiction
    from stiction.lessons.question import Question
    from stiction.show.figure import COLORS, style, subplots
    from stiction.show.moving import moving_picture

    return COLORS, Question, mo, moving_picture, np, partial, perf_counter, stiction, style, subplots, warnings


@app.cell
def opening(mo):
    mo.md(r"""
    # 5 · Forward dynamics and simulation

    **Forward dynamics** asks: how does the robot accelerate under these torques? It is what a simulator computes at every
    step. The equation of motion is linear in the accelerations,

    $$M(q)\, \ddot q = \tau - h(q, \dot q) - J^T F_\text{tip}$$

    with the bias $h = c(q, \dot q) + g(q)$, and the inverse dynamics of lesson 4 computes
    $\tau = M \ddot q + h + J^T F_\text{tip}$ for any $\ddot q$ that we like. So it already knows everything:

    - with $\ddot q = 0$ it returns the bias $h$ (and the effect of the tip wrench);
    - with $\dot q = 0$, without gravity and tip wrench, and with the unit acceleration $\ddot q = e_j$ it returns $M e_j$,
      column $j$ of the mass matrix.

    That makes $n + 1$ calls; then a linear system is to be solved.
    """)
    return


@app.cell
def heading_1(mo):
    mo.md(r"""
    ## From n + 1 calls of inverse dynamics
    """)
    return


@app.cell
def calls(mo, np):
    def by_calls(robot, q, v, torque, gravity):
        n, rest = robot.nv, np.zeros(robot.nv)
        bias = robot.inverse_dynamics(q, v, rest, gravity=gravity)
        columns = [robot.inverse_dynamics(q, rest, unit, gravity=(0, 0, 0)) for unit in np.eye(n)]
        return np.linalg.solve(np.column_stack(columns), torque - bias)

    mo.show_code()
    return (by_calls,)


@app.cell
def exercise_1(articulated, by_calls, mo, np, stiction):
    _arm, _rest = stiction.library.two_link(lengths=(0.5, 0.4), masses=(2.0, 1.5)), np.zeros(2)
    _snake, _down = stiction.library.chain(6), (0.0, -9.81, 0.0)
    _q, _v, _torque = np.random.default_rng(5).normal(size=(3, 6))

    def _ways(robot, q, v, torque):
        methods = ("composite", "articulated", "columns")
        found = [robot.forward_dynamics(q, v, torque, gravity=_down, method=method) for method in methods]
        by_hand = [by_calls(robot, q, v, torque, _down), articulated(robot, q, v, torque, _down)[0]]
        names = ["$n + 1$ calls, as above", "articulated bodies, as below"]
        named = [f'`method="{method}"`' for method in methods]
        return dict(zip([*names, *named], [*by_hand, *found], strict=True))

    falling_by_hand = np.array([-9.81 / 0.5, 9.81 / 0.5])
    falling = _ways(_arm, _rest, _rest, _rest)
    _on_snake = _ways(_snake, _q, _v, _torque)
    _reference = _on_snake['`method="composite"`']
    differences = {name: float(np.abs(x - _reference).max()) for name, x in _on_snake.items()}
    _rows = "\n".join(
        f"    | {name} | {x[0]:.4f} | {x[1]:.4f} | {differences[name]:.1g} |" for name, x in falling.items()
    )
    mo.md(rf"""
    ## Exercise: a stretched arm is let go

    A 2R arm with point masses is held out horizontally, $q = (0, 0)$, and let go: $\tau = 0$. How does it accelerate?

    *By hand.* Can both masses fall freely at the first moment? Rods at rest and horizontal do not hinder them:
    $L_1 \ddot q_1 = -g$, and $L_1 \ddot q_1 + L_2 (\ddot q_1 + \ddot q_2) = -g$. So $\ddot q = (-g/L_1,\; g/L_1)$, whatever the
    masses: the forearm begins to fall without turning. With $L_1 = 0.5$ m that is ±19.62 rad/s².

    `robot.forward_dynamics` knows three methods. The last column is a check on six joints: a chain in a state chosen at
    random, and the largest difference of its accelerations from those by composite bodies, in rad/s².

    | | $\ddot q_1$ [rad/s²] | $\ddot q_2$ [rad/s²] | six joints |
    |:---|---:|---:|---:|
    | by hand | {falling_by_hand[0]:.4f} | {falling_by_hand[1]:.4f} | |
{_rows}
    """)
    return differences, falling, falling_by_hand


@app.cell
def ask_1(Question):
    question_1 = Question(
        r"Which call of inverse dynamics returns column $j$ of the mass matrix?",
        "q̈ = e_j, q̇ = 0, no gravity",
        {
            "q̈ = e_j, with the true q̇ and gravity": r"That returns $M e_j + h$. It can be used, too, but the bias must be "
            "subtracted first.",
            "q̇ = e_j, q̈ = 0, no gravity": r"That returns velocity terms, $c(q, e_j)$: the centripetal terms of joint $j$.",
            "q̈ = e_j, q̇ = 0, no gravity": r"Then $h = 0$, and what is left of $\tau = M \ddot q + h$ is $M e_j$.",
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
def machine(np, stiction):
    double = stiction.library.pendulum(2, length=0.5)

    def corners(q):
        """Where base, elbow and tip are, (..., 3, 2) [m]."""
        elbow = double.pose(q, "link2")
        place, along = elbow[..., [0, 2], 3], -elbow[..., [0, 2], 2]
        return np.stack([0 * place, place, place + 0.5 * along], axis=-2)

    return corners, double


@app.cell
def bend_knob(mo):
    bend = mo.ui.slider(0.0, 3.1, step=0.1, value=1.2, label=r"angle of the elbow $q_2$ [rad]", show_value=True)
    mo.vstack(
        [
            mo.md(r"""
            ## Articulated bodies

            $M$ has $n^2$ entries, and to solve for $\ddot q$ takes some $n^3/6$ multiplications. Featherstone's
            **articulated-body algorithm** never forms it. Its idea: all that hangs on joint $i$ acts on link $i$ like *one*
            body with an inertia $\hat G_i$ of its own. That body is not rigid: its joints are free, and what a joint yields
            to is taken away:

            $$\hat G_{i-1} = G_{i-1} + \mathrm{Ad}^T \left( \hat G_i - \frac{U_i U_i^T}{D_i} \right) \mathrm{Ad}$$

            $$U_i = \hat G_i A_i, \qquad D_i = A_i^T \hat G_i A_i$$

            $D_i$ is the inertia that joint $i$ feels when all joints beyond it are free. Turn the shoulder of a double pendulum
            (rods of 0.5 m, masses of 1 kg):
            """),
            bend,
        ]
    )
    return (bend,)


@app.cell
def felt(COLORS, articulated, bend, double, mo, np, style, subplots):
    _bends, _rest = np.append(np.linspace(0.0, np.pi, 64), bend.value), np.zeros(2)
    locked = double.mass_matrix(np.stack([0 * _bends, _bends], axis=1))[:, 0, 0]
    free = np.array([articulated(double, [0.0, x], _rest, _rest, (0, 0, 0))[1][0] for x in _bends])
    felt_now = float(locked[-1]), float(free[-1])
    with style():
        _figure, _axes = subplots(1, 2.8, 6.5)
        for _k, (_name, _curve) in enumerate({"elbow locked, $M_{11}$": locked, "elbow free, $D_1$": free}.items()):
            _axes.plot(_bends[:-1], _curve[:-1], color=COLORS[_k], label=_name)
            _axes.plot([bend.value], [felt_now[_k]], "o", color=COLORS[_k])
        _axes.set(xlabel="angle of the elbow [rad]", ylabel="inertia felt [kg m²]", ylim=(0, None))
        _axes.legend()
    mo.vstack(
        [
            _figure,
            mo.md(rf"""
            At this angle the shoulder feels {felt_now[0]:.4f} kg m² with the elbow locked and {felt_now[1]:.4f} kg m² with
            the elbow free. By hand: $M_{{11}} = m L^2 (3 + 2 \cos q_2)$ and
            $D_1 = M_{{11}} - M_{{12}}^2/M_{{22}} = m L^2 (1 + \sin^2 q_2)$. Straight or folded, the free outer mass stays
            behind when the shoulder jerks, and only the inner one is felt; at a right angle the outer rod is pulled along,
            and both count.

            The whole algorithm, three walks along a chain:
            """),
        ]
    )
    return felt_now, free, locked


@app.cell
def bodies(mo, np, stiction):
    def articulated(robot, q, v, torque, gravity):
        """Accelerations of a chain of revolute joints, and the inertia that each joint feels."""
        n, V, G, Ad = robot.nv, np.zeros(6), [], []
        A = [np.array([*joint.axis, 0, 0, 0]) for joint in robot.joints]
        carried, p, U, D, u, a = ([None] * n for _ in range(6))
        for i, (joint, link) in enumerate(zip(robot.joints, robot.links[1:], strict=True)):
            turn = stiction.ad(A[i])
            back = np.eye(6) - np.sin(q[i]) * turn + (1 - np.cos(q[i])) * turn @ turn
            Ad.append(back @ stiction.adjoint(np.linalg.inv(joint.origin.matrix)))
            solid = stiction.MassProperties(link.mass, np.array(link.center_of_mass), np.array(link.inertia))
            G.append(solid.spatial(at_center=False))
        for i in range(n):  # outward: what speeds do
            V = Ad[i] @ V + A[i] * v[i]
            carried[i] = stiction.ad(V) @ A[i] * v[i]
            p[i] = -stiction.ad(V).T @ G[i] @ V
        for i in reversed(range(n)):  # inward: all that hangs on joint i, as one body that yields
            U[i] = G[i] @ A[i]
            D[i] = A[i] @ U[i]
            u[i] = torque[i] - A[i] @ p[i]
            if i > 0:
                yielding = G[i] - np.outer(U[i], U[i]) / D[i]
                G[i - 1] = G[i - 1] + Ad[i].T @ yielding @ Ad[i]
                p[i - 1] = p[i - 1] + Ad[i].T @ (p[i] + yielding @ carried[i] + U[i] * u[i] / D[i])
        rise = np.array([0, 0, 0, *(-np.array(gravity))])  # of the base: gravity, once more
        for i in range(n):  # outward: accelerations
            rise = Ad[i] @ rise + carried[i]
            a[i] = (u[i] - U[i] @ rise) / D[i]
            rise = rise + A[i] * a[i]
        return np.array(a), np.array(D)

    mo.show_code()
    return (articulated,)


@app.cell
def ask_2(Question):
    question_2 = Question(
        "The elbow of an arm is bent by 60° and limp: its motor delivers no torque. Which inertia does the motor of the shoulder feel "
        "when it jerks?",
        "less than with the elbow locked",
        {
            "as much as with the elbow locked": r"That would be $M_{11}$, the inertia of all that hangs on the shoulder as one "
            "rigid body. A limp elbow yields.",
            "less than with the elbow locked": r"$D_1 = M_{11} - M_{12}^2/M_{22}$: what the elbow yields to is taken away (nothing, only where $M_{12} = 0$), and "
            "that is never negative.",
            "that of the upper arm alone": "Then the forearm would have to stay behind without any force. A bent elbow still "
            "carries forces, all but the torque about its axis. Only stretched or folded, and with a point mass, is it so.",
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
def cost(mo, np, partial, perf_counter, stiction, style, subplots):
    _sizes = np.array([4, 12, 36])

    def _seconds(ask):
        found = []
        for _ in range(5):  # the first one compiles
            began = perf_counter()
            ask()
            found.append(perf_counter() - began)
        return min(found)

    cost_ratios = {"columns": [], "composite": [], "articulated": []}
    for _n in _sizes:
        _robot = stiction.library.chain(int(_n))
        _q, _v, _a = np.random.default_rng(0).normal(size=(3, 24000 // _n, _n))
        _once = _seconds(partial(_robot.inverse_dynamics, _q, _v, _a))
        for _method, _found in cost_ratios.items():
            _found.append(_seconds(partial(_robot.forward_dynamics, _q, _v, _a, method=_method)) / _once)
    with style():
        _figure, _axes = subplots(1, 3.2, 6.5)
        _axes.loglog(_sizes, _sizes + 1, color="#999999", linestyle=":", label="n + 1")
        for _method, _found in cost_ratios.items():
            _axes.loglog(_sizes, _found, marker="o", label=f'method="{_method}"')
        _axes.set_xticks(_sizes, [str(x) for x in _sizes])
        _axes.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
        _axes.minorticks_off()
        _axes.set(xlabel="joints", ylabel="time / time of one\ninverse dynamics")
        _axes.legend()
    mo.vstack(
        [
            mo.md(r"""
            ### What it costs

            Inverse dynamics costs a constant times $n$. Forward dynamics costs

            | way | find | solve |
            |:---|:---|:---|
            | $n + 1$ calls (`columns`) | $h \propto n$, $M \propto n^2$ | $\approx n^3/6$ |
            | composite bodies (`composite`) | the same, $M$ with a smaller factor | $\approx n^3/6$ |
            | articulated bodies (`articulated`) | three walks, $\propto n$ | – |

            Measured just now, on this machine, for chains of $n$ joints, as multiples of one inverse dynamics of the same
            chain:
            """),
            _figure,
            mo.md(
                "Articulated bodies stay at a few times the cost of one inverse dynamics, however long the chain; the others "
                "grow with it. For arms of usual size composite bodies take fewer operations, which is why "
                "`robot.forward_dynamics` takes them up to 12 velocities and articulated bodies above."
            ),
        ]
    )
    return (cost_ratios,)


@app.cell
def heading_2(mo):
    mo.md(r"""
    ## A simulation loop by hand

    With $\ddot q = f(q, \dot q, \tau)$ at hand, simulation is a loop: from the state now to the state after a step $h$. Three
    ways to take the step:
    """)
    return


@app.cell
def loops(mo, np):
    def euler(q, v, h, rise):
        return q + h * v, v + h * rise(q, v)

    def semi_implicit(q, v, h, rise):
        v = v + h * rise(q, v)
        return q + h * v, v  # with the new speed

    def rk4(q, v, h, rise):
        a1 = rise(q, v)
        v2, a2 = v + h / 2 * a1, rise(q + h / 2 * v, v + h / 2 * a1)
        v3, a3 = v + h / 2 * a2, rise(q + h / 2 * v2, v + h / 2 * a2)
        v4, a4 = v + h * a3, rise(q + h * v3, v + h * a3)
        return q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)

    def simulated(robot, q, h, steps, advance):
        """Positions and velocities of a robot that is let go, (steps + 1, n) each."""
        torque, found = np.zeros(robot.nv), [(np.array(q), np.zeros(robot.nv))]
        for _ in range(steps):
            found.append(advance(*found[-1], h, lambda q, v: robot.forward_dynamics(q, v, torque)))
        return np.array([q for q, _ in found]), np.array([v for _, v in found])

    mo.show_code()
    return euler, rk4, semi_implicit, simulated


@app.cell
def knobs(mo):
    step = mo.ui.slider(steps=[0.001, 0.002, 0.005, 0.01, 0.02], value=0.01, label="step $h$ [s]", show_value=True)
    angle = mo.ui.slider(0.2, 3.0, step=0.1, value=0.6, label="angle at the start [rad]", show_value=True)
    mo.vstack(
        [
            mo.md(
                "The double pendulum is let go, straight, at this angle from hanging. Nothing drives and nothing brakes it: "
                "**its energy must stay the same**. No solution need be known for this check."
            ),
            step,
            angle,
        ]
    )
    return angle, step


@app.cell
def hand_made(angle, double, euler, np, rk4, semi_implicit, simulated, step, stiction, warnings):
    _start, _steps = [angle.value, 0.0], round(4.0 / step.value)
    times = np.linspace(0.0, 4.0, _steps + 1)
    by_hand = {
        "RK4": simulated(double, _start, step.value, _steps, rk4),
        "Euler": simulated(double, _start, step.value, _steps, euler),
        "semi-implicit Euler": simulated(double, _start, step.value, _steps, semi_implicit),
    }
    _scene = stiction.Scene(robot=double, q=_start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stiction.StictionWarning)  # shown below, as notes
        default_run = stiction.simulate(_scene, duration=4.0, step=step.value)
        _by_rk4 = stiction.simulate(_scene, duration=4.0, step=step.value, method="rk4")

    def _both(run):
        return tuple(np.stack([run[f"{x}.joint1"], run[f"{x}.joint2"]], axis=1) for x in "qv")

    def _drift(q, v):
        energy = double.kinetic_energy(q, v) + double.potential_energy(q)
        return np.abs(energy - energy[0])

    _runs = {"stiction.simulate": _both(default_run), 'stiction.simulate, method="rk4"': _both(_by_rk4)}
    drifts = {name: _drift(*motion) for name, motion in (by_hand | _runs).items()}
    same_as_simulate = float(np.abs(by_hand["RK4"][0] - _both(_by_rk4)[0]).max())
    return by_hand, default_run, drifts, same_as_simulate, times


@app.cell
def energy(
    COLORS, by_hand, corners, default_run, drifts, mo, moving_picture, same_as_simulate, step, style, subplots, times
):
    _shown = {name: corners(by_hand[name][0]) for name in ("RK4", "Euler")}
    with style():
        _figure, _axes = subplots(1, 3.6, 6.5)
        for _k, _name in enumerate(("RK4", "Euler", "semi-implicit Euler", "stiction.simulate")):
            _axes.semilogy(times[1:], drifts[_name][1:] + 1e-15, color=COLORS[_k], label=_name)
        _axes.set(xlabel="time [s]", ylabel="$|E(t) - E(0)|$ [J]")
        _figure.legend(ncols=2, loc="outside upper center")
    _rows = "\n".join(f"            | {name} | {x.max():.2e} |" for name, x in drifts.items())
    _notes = "".join(f" This run has a note: *{note}*." for note in default_run.notes)
    mo.vstack(
        [
            mo.Html(moving_picture(times, _shown)),
            mo.md(
                "Blue: RK4. Orange: Euler, with the same step. Euler's pendulum gains energy from nothing, and swings higher "
                "and higher."
            ),
            _figure,
            mo.md(rf"""
            | with steps of {step.value:g} s | largest error of energy in 4 s [J] |
            |:---|---:|
{_rows}

            Euler's error grows and grows. The semi-implicit method, which differs by *one line*, errs to and fro and does not
            run away, as long as the angles are small. At large ones its error grows, too: only where $M$ is constant is
            this method *symplectic*, and such methods do not run away. The RK4 above and that of
            `stiction.simulate` are the same formulas: their angles differ by {same_as_simulate:.0e} rad. The default method of
            `simulate` has one evaluation per step and order 2; it is made for friction that sticks.{_notes}

            For scenes with springs, friction and motors, `simulate(..., energy=True)` keeps the whole balance of energies,
            works and losses, and "energy.residue", what the method itself adds or takes.
            """),
        ]
    )
    return


@app.cell
def step_sizes(angle, double, euler, np, rk4, semi_implicit, simulated, stiction, warnings):
    sizes = np.array([0.02, 0.01, 0.005, 0.002, 0.001])
    _start = [angle.value, 0.0]
    _scene = stiction.Scene(robot=double, q=_start)

    def _end(h, method=None):
        run = stiction.simulate(_scene, duration=1.0, step=h, method=method, record=1.0)
        return np.array([run["q.joint1"][-1], run["q.joint2"][-1]])

    def _by_hand(h, advance):
        return simulated(double, _start, h, round(1.0 / h), advance)[0][-1]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stiction.StictionWarning)
        _true = _end(1e-4, "rk4")
        _ends = {
            "RK4": [_by_hand(h, rk4) for h in sizes],
            "Euler": [_by_hand(h, euler) for h in sizes],
            "semi-implicit Euler": [_by_hand(h, semi_implicit) for h in sizes],
            "stiction.simulate": [_end(h) for h in sizes],
        }
    errors = {name: np.abs(np.array(q) - _true).max(axis=1) for name, q in _ends.items()}
    orders = {name: float(np.log(x[1] / x[3]) / np.log(sizes[1] / sizes[3])) for name, x in errors.items()}
    return errors, orders, sizes


@app.cell
def order(errors, mo, orders, sizes, step, style, subplots):
    with style():
        _figure, _axes = subplots(1, 3.6, 6.5)
        for _name, _found in errors.items():
            _axes.loglog(sizes, _found, marker="o", label=_name)
        _axes.axvline(step.value, color="#999999", linestyle=":")
        _axes.set_xticks(sizes, [f"{x:g}" for x in sizes])
        _axes.minorticks_off()
        _axes.set(xlabel="step [s]", ylabel="error of the angles\nafter 1 s [rad]")
        _figure.legend(ncols=2, loc="outside upper center")
    _rows = "\n".join(f"            | {name} | {x:.2f} |" for name, x in orders.items())
    mo.vstack(
        [
            mo.md(r"""
            ### Half the step, how much better?

            A method of **order** $p$ has an error $\propto h^p$: a line of slope $p$ below. The truth is RK4 with a step of
            0.0001 s.
            """),
            _figure,
            mo.md(rf"""
            | method | slope from 0.01 s to 0.002 s |
            |:---|---:|
{_rows}

            Both Euler methods have order 1, the default of `simulate` order 2, and RK4 order 4: with half the step its
            error falls to a sixteenth. An order shows only once the step is small against what happens within it: at large
            angles, where the pendulum whirls, the lines bend.
            """),
        ]
    )
    return


@app.cell
def ask_3(Question):
    question_3 = Question(
        "A pendulum without friction is simulated by Euler's method with a small, constant step. What does it do after a long "
        "time?",
        "it swings higher and higher",
        {
            "it comes to rest": "Nothing takes energy out of it. Neither does Euler's method: each step goes along a tangent, "
            "which leads outwards, to more energy.",
            "it swings higher and higher": r"For small swings, $\ddot q = -\omega^2 q$, each step multiplies the energy by "
            r"$1 + h^2 \omega^2 > 1$. A smaller step delays it, but does not prevent it.",
            "it goes on with a small error of its amplitude": "That is what the semi-implicit method does, which uses the new "
            "speed for the new angle.",
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
def apart_knobs(mo):
    high = mo.ui.slider(0.2, 3.0, step=0.1, value=2.4, label="angle at the start [rad]", show_value=True)
    exponent = mo.ui.slider(-10, -2, step=1, value=-6, label="difference [rad]: 10 to the power of", show_value=True)
    mo.vstack(
        [
            mo.md(r"""
            ## Two pendulums that differ by next to nothing

            Two double pendulums are let go; the second one starts at an angle that differs a little:
            """),
            high,
            exponent,
        ]
    )
    return exponent, high


@app.cell
def apart(double, exponent, high, np, stiction):
    _scene = stiction.Scene(robot=double, q=[high.value, 0.0])
    _starts = {"q.joint1": [high.value, high.value + 10.0**exponent.value]}
    pair = stiction.simulate(_scene, duration=8.0, step=1e-3, record=0.02, method="rk4", parameters=_starts)
    _finer = stiction.simulate(_scene, duration=8.0, step=5e-4, record=0.02, method="rk4")
    gap = np.abs(pair["q.joint1"][:, 1] - pair["q.joint1"][:, 0])
    step_gap = np.abs(pair["q.joint1"][:, 0] - _finer["q.joint1"])
    _q, _v = (np.stack([pair[f"{x}.joint1"], pair[f"{x}.joint2"]], axis=-1) for x in "qv")
    _energy = double.kinetic_energy(_q, _v) + double.potential_energy(_q)
    pair_drift = float(np.abs(_energy - _energy[0]).max())
    return gap, pair, pair_drift, step_gap


@app.cell
def closing(corners, gap, mo, moving_picture, np, pair, pair_drift, step_gap, style, subplots):
    _first, _second = (np.stack([pair["q.joint1"][:, k], pair["q.joint2"][:, k]], axis=1) for k in (0, 1))
    with style():
        _figure, _axes = subplots(1, 3.4, 6.5)
        _axes.semilogy(pair.time[1:], gap[1:] + 1e-15, label="two starts, one step")
        _axes.semilogy(pair.time[1:], step_gap[1:] + 1e-15, label="one start, steps of 0.001 s and 0.0005 s")
        _axes.set(xlabel="time [s]", ylabel=r"difference of $q_1$ [rad]")
        _figure.legend(ncols=2, loc="outside upper center")
    mo.vstack(
        [
            mo.Html(moving_picture(pair.time, {"first": corners(_first), "second": corners(_second)})),
            _figure,
            mo.md(rf"""
            As long as they agree, the second pendulum (orange) covers the first (blue). At small angles the difference
            stays small. At large ones it grows **exponentially**, along a straight line in this figure, until both
            pendulums have nothing in common: the motion is *chaotic*. Whatever an integrator does wrong is a small
            difference, too, and grows just so (second line): no step is small enough for all times. Yet the energy of both
            pendulums is kept to {pair_drift:.0e} J. A right energy is a **necessary** check, and a good one; it does not
            say that the angles are right.
            """),
        ]
    )
    return


@app.cell
def ask_4(Question):
    question_4 = Question(
        "A simulation of a double pendulum at large angles keeps its energy to 9 digits for a minute. Are the angles at the end "
        "right to about 9 digits?",
        "no, they can be wrong altogether",
        {
            "yes": "One number is conserved, but the state has four. Errors along the surface of constant energy go unnoticed, "
            "and in a chaotic motion they grow exponentially.",
            "no, but to about 4 or 5 digits": "There is no such rule. Errors grow by a factor in every second; after a minute of "
            "chaos no digit need be left.",
            "no, they can be wrong altogether": "The energy only tells of errors across the surface of constant energy. To judge "
            "angles, compare with half the step, and see for how long both agree.",
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
