import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Lesson 1: Lagrange")


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
    from stiction.trace import cos

    return COLORS, LagrangianBody, Question, cos, mo, moving_picture, np, stiction, style, subplots, sympy


@app.cell
def opening(mo):
    mo.md(r"""
    # 1 · Lagrange

    The equations of motion of a robot follow from two functions of its state: the kinetic energy $K(q, \dot q)$ and the
    potential energy $P(q)$. With the **Lagrangian** $L = K - P$,

    $$\tau_i = \frac{d}{dt}\frac{\partial L}{\partial \dot q_i} - \frac{\partial L}{\partial q_i}
    \qquad\Longrightarrow\qquad \tau = M(q)\,\ddot q + c(q, \dot q) + g(q).$$

    `robot.symbolic()` derives all of it in closed form: it runs the formulas of the simulator on symbols instead of numbers.
    Our example is the **RP arm**: it turns about its base ($q_1$) and extends ($q_2$), in a vertical plane.
    """)
    return


@app.cell
def energies(mo, stiction):
    names = {"turret.inertia.zz": "I1", "slider.inertia.zz": "I2"}
    derived = stiction.library.rp_arm().symbolic(names=names, gravity=(0, -1, 0))
    tex = derived.latex
    mo.md(rf"""
    ## Energies

    $$K = {tex(derived.kinetic_energy)}$$

    $$P = {tex(derived.potential_energy)}$$

    $K$ is quadratic in the velocities, $K = \tfrac12 \dot q^T M(q)\, \dot q$; its matrix is the **mass matrix**.
    """)
    return derived, tex


@app.cell
def terms(derived, mo, tex):
    _rows = "\n".join(f"    | {t.joint} | ${tex(t.term)}$ | {t.kind} |" for t in derived.velocity_terms)
    mo.md(rf"""
    ## The three kinds of terms

    $$M = {tex(derived.mass_matrix)}, \qquad c = {tex(derived.velocity_vector)}, \qquad g = {tex(derived.gravity_torque)}$$

    The velocity terms come from the fact that $M$ depends on the configuration. With the **Christoffel symbols**

    $$\Gamma_{{ijk}} = \tfrac12\left(\frac{{\partial M_{{ij}}}}{{\partial q_k}} + \frac{{\partial M_{{ik}}}}{{\partial q_j}} -
    \frac{{\partial M_{{jk}}}}{{\partial q_i}}\right), \qquad c_i = \sum_{{j,k}} \Gamma_{{ijk}}\, \dot q_j \dot q_k .$$

    Terms with $\dot q_j^2$ are *centripetal*, terms with $\dot q_j \dot q_k$, $j \ne k$, are *Coriolis*:

    | joint | term | kind |
    |---|---|---|
{_rows}
    """)
    return


@app.cell
def knobs(mo):
    spin = mo.ui.slider(0.0, 6.0, step=0.25, value=3.0, label=r"speed of turning $\dot q_1$ [rad/s]", show_value=True)
    reach = mo.ui.slider(0.2, 1.0, step=0.05, value=0.5, label=r"extension at the start $q_2$ [m]", show_value=True)
    mo.vstack(
        [
            mo.md(
                "## Watch the terms at work\n\nThe arm is let go on a table (no gravity): it turns, and nothing holds the slider."
            ),
            spin,
            reach,
        ]
    )
    return reach, spin


@app.cell
def motion(moving_picture, np, reach, spin, stiction):
    scene = stiction.Scene(
        robot=stiction.library.rp_arm(), gravity=(0, 0, 0), q=[0.0, reach.value], v=[spin.value, 0.0]
    )
    run = stiction.simulate(scene, duration=1.0, step=1e-3, record=0.01)
    _angle, _out = run["q.turn"], run["q.slide"]
    _tip = np.stack([_out * np.cos(_angle), _out * np.sin(_angle)], axis=1)
    picture = moving_picture(run.time, {"arm": np.stack([0 * _tip, _tip], axis=1)}, traces={"path of the slider": _tip})
    return picture, run


@app.cell
def figure(COLORS, mo, picture, run, style, subplots):
    with style():
        _figure, (_place, _speed) = subplots(2, 4.2)
        _place.plot(run.time, run["q.slide"])
        _place.set_ylabel("extension [m]")
        _speed.plot(run.time, run["v.turn"], color=COLORS[1])
        _speed.set_ylabel("turning [rad/s]")
        _speed.set_xlabel("time [s]")
    mo.vstack(
        [
            mo.Html(picture),
            _figure,
            mo.md(
                r"The centripetal term $-m_2 q_2 \dot q_1^2$ lets the slider fly outwards; the Coriolis term $2 m_2 q_2 \dot q_1 \dot q_2$ then "
                "slows the turning, as it does for a skater who stretches out the arms. The angular momentum "
                r"$M_{11}\,\dot q_1$ stays the same."
            ),
        ]
    )
    return


@app.cell
def ask_1(Question):
    question_1 = Question(
        r"The arm stands still at $q_1 = 90°$, straight up. Its slider must push with $m_2 g$. Which term says so?",
        "g(q)",
        {
            "M(q) q̈": r"Nothing accelerates, so $M \ddot q = 0$.",
            "c(q, q̇)": r"Every term of $c$ has two velocities in it, and nothing moves.",
            "g(q)": r"$g = \partial P/\partial q$: extending the arm lifts $m_2$ by $\sin q_1$ per metre, so $g_2 = m_2 g \sin q_1$.",
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
        r"Only the slider moves ($\dot q_1 = 0$, $\dot q_2 \ne 0$). Which joint needs a torque because of velocity terms?",
        "none",
        {
            "the turning joint": r"Its only velocity term, $2 m_2 q_2 \dot q_1 \dot q_2$, has $\dot q_1$ as a factor, and that is 0.",
            "the sliding joint": r"Its only velocity term, $-m_2 q_2 \dot q_1^2$, has $\dot q_1$ as a factor, and that is 0.",
            "none": r"Both terms contain $\dot q_1$. A body that moves along a line at constant speed needs no force.",
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
def exercise_1(derived, mo, np, stiction):
    _arm, _q, _v, _a = stiction.library.rp_arm(), [0.4, 0.7], [1.2, -0.5], [0.3, 0.8]
    _by_recursion = _arm.inverse_dynamics(_q, _v, _a, gravity=(0, -9.81, 0))
    _numbers = {**derived.values, derived.g: 9.81}
    _numbers |= dict(zip([*derived.q, *derived.v, *derived.a], [*_q, *_v, *_a], strict=True))
    by_formula = np.array([float(x.subs(_numbers)) for x in derived.equations])
    by_recursion = np.asarray(_by_recursion)
    mo.md(f"""
    ## Exercise 1: the RP arm, checked

    Derive $M$, $c$ and $g$ of the RP arm by hand; the result is printed above. The simulator never uses that closed form: it runs a recursion
    over the links (lesson 4). At a state chosen at random both give the same torques:

    | | joint 1 [N·m] | joint 2 [N] |
    |---|---|---|
    | closed form | {by_formula[0]:.9f} | {by_formula[1]:.9f} |
    | recursion | {by_recursion[0]:.9f} | {by_recursion[1]:.9f} |
    """)
    return by_formula, by_recursion


@app.cell
def exercise_2(cos, mo, stiction, sympy):
    _m = sympy.Symbol("m")
    pushes = stiction.lagrange_equations(lambda q, v, m: m * v[0] * v[1] * cos(q[1]), ["q1", "q2"], m=_m)
    _names = {sympy.Symbol(f"{d}q{k}"): rf"\{'d' * len(d)}ot{{q}}_{k}" for d in ("d", "dd") for k in (1, 2)}
    _shown = [sympy.latex(sympy.expand(x), symbol_names=_names) for x in pushes]
    mo.md(rf"""
    ## Exercise 2: one component of a Lagrangian

    A Lagrangian has the component $m\, \dot q_1 \dot q_2 \cos q_2$. What does it contribute to the torques? `stiction.lagrange_equations`
    answers for any Lagrangian:

    $$\tau_1 = {_shown[0]}, \qquad \tau_2 = {_shown[1]}$$

    In $\tau_2$ the velocity terms cancel: $-m \dot q_1 \dot q_2 \sin q_2$ from the time derivative, and the same from $\partial L/\partial q_2$.
    """)
    return (pushes,)


@app.cell
def own(LagrangianBody, cos, stiction):
    def pendulum(q, v, m, l):
        return m * l * l * v[0] * v[0] / 2 + m * 9.81 * l * cos(q[0])

    bob = LagrangianBody(coordinates=("swing",), lagrangian=pendulum, values={"m": 1.0, "l": 0.5}, position=(0.5,))
    swing = stiction.simulate(stiction.Scene(parts={"bob": bob}), duration=3.0, step=1e-3, record=0.01)
    return (swing,)


@app.cell
def closing(mo, style, subplots, swing):
    with style():
        _figure, _axes = subplots(1, 2.4)
        _axes.plot(swing.time, swing["bob.q.swing"])
        _axes.set_ylabel("angle [rad]")
        _axes.set_xlabel("time [s]")
    mo.vstack(
        [
            mo.md(
                "## A Lagrangian of your own, simulated\n\nA function of positions and velocities is all it takes: `LagrangianBody` makes it a part of a "
                "scene, where springs, friction and controllers can act on it. Here a pendulum of 0.5 m."
            ),
            _figure,
        ]
    )
    return


if __name__ == "__main__":
    app.run()
