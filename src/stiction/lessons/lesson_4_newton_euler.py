import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Lesson 4: Newton and Euler")


@app.cell
def imports():
    import marimo as mo
    import numpy as np
    import sympy
    from sympy.simplify.fu import TR10i

    import stiction
    from stiction.lessons.question import Question
    from stiction.show.figure import COLORS, style, subplots
    from stiction.show.moving import moving_picture

    return COLORS, Question, TR10i, mo, moving_picture, np, stiction, style, subplots, sympy


@app.cell
def opening(mo):
    mo.md(r"""
    # 4 · Newton and Euler, link by link

    **Inverse dynamics** asks: which torques $\tau$ make the robot move as it should, with these $q$, $\dot q$ and
    $\ddot q$? Lagrange answers with a closed form that fills pages from three joints on. The **recursive Newton–Euler
    algorithm** answers with two walks along the arm and never forms $M$, $c$ or $g$. With twists $V = (\omega, v)$ and
    wrenches $F = (m, f)$, each in the frame of its own link:

    **Outward**, from the base to the tip: how does each link move?

    $$V_i = \mathrm{Ad}_{T_{i,i-1}} V_{i-1} + A_i\, \dot q_i$$

    $$\dot V_i = \mathrm{Ad}_{T_{i,i-1}} \dot V_{i-1} + \mathrm{ad}_{V_i} A_i\, \dot q_i + A_i\, \ddot q_i$$

    **Inward**, from the tip to the base: what does each joint carry?

    $$F_i = \underbrace{G_i \dot V_i - \mathrm{ad}_{V_i}^T G_i V_i}_{\text{load of link } i} + \mathrm{Ad}_{T_{i+1,i}}^T F_{i+1}$$

    $$\tau_i = F_i^T A_i$$

    $A_i$ is the screw axis of joint $i$ in the frame of link $i$, $G_i$ the spatial inertia of the link, and $T_{i,i-1}$ the
    pose of frame $i-1$ seen from frame $i$. The outward walk begins with $V_0 = 0$ and $\dot V_0 = (0, -\mathfrak g)$:
    **gravity $\mathfrak g$ enters as an acceleration of the base, upwards**. The inward walk begins with the wrench
    $F_{n+1} = F_\text{tip}$ that the tip exerts on its surroundings. Each joint is visited twice, so the cost grows in
    proportion to the number of joints.
    """)
    return


@app.cell
def machine(stiction):
    arm = stiction.library.two_link(lengths=(0.5, 0.4), masses=(2.0, 1.5))
    down = (0.0, -9.81, 0.0)
    return arm, down


@app.cell
def knobs(mo):
    angle_1 = mo.ui.slider(-3.0, 3.0, step=0.1, value=0.5, label=r"angle $q_1$ [rad]", show_value=True)
    angle_2 = mo.ui.slider(-3.0, 3.0, step=0.1, value=0.9, label=r"angle $q_2$ [rad]", show_value=True)
    speed_1 = mo.ui.slider(-4.0, 4.0, step=0.25, value=1.0, label=r"speed $\dot q_1$ [rad/s]", show_value=True)
    speed_2 = mo.ui.slider(-4.0, 4.0, step=0.25, value=2.0, label=r"speed $\dot q_2$ [rad/s]", show_value=True)
    rise_1 = mo.ui.slider(-8.0, 8.0, step=0.5, value=-2.0, label=r"acceleration $\ddot q_1$ [rad/s²]", show_value=True)
    rise_2 = mo.ui.slider(-8.0, 8.0, step=0.5, value=3.0, label=r"acceleration $\ddot q_2$ [rad/s²]", show_value=True)
    mo.vstack(
        [
            mo.md(r"""
            ## The two walks, in numbers

            A 2R arm in a vertical plane, $y$ upwards: point masses of 2 kg and 1.5 kg at the ends of rods of 0.5 m and
            0.4 m. `robot.newton_euler(q, v, a)` shows what the recursion does at every link.
            """),
            angle_1,
            angle_2,
            speed_1,
            speed_2,
            rise_1,
            rise_2,
        ]
    )
    return angle_1, angle_2, rise_1, rise_2, speed_1, speed_2


@app.cell
def walks(angle_1, angle_2, arm, down, mo, np, rise_1, rise_2, speed_1, speed_2):
    q, v, a = (
        np.array([x.value, y.value], float) for x, y in ((angle_1, angle_2), (speed_1, speed_2), (rise_1, rise_2))
    )
    steps = arm.newton_euler(q, v, a, gravity=down)
    compiled = arm.inverse_dynamics(q, v, a, gravity=down)

    def _row(what, symbol, six, unit):
        return f"    | {what} | ${symbol}$ | {six[2]:.3f} | {six[3]:.3f} | {six[4]:.3f} | {unit} |"

    _out, _in = [], []
    for _k, _step in enumerate(steps.links, 1):
        _out.append(_row(f"link {_k}", f"V_{_k}", _step.twist + 0.0, "rad/s, m/s"))
        _out.append(_row("", rf"\dot V_{_k}", _step.acceleration + 0.0, "rad/s², m/s²"))
        _in.insert(0, _row("", f"F_{_k}", _step.wrench + 0.0, "N·m, N"))
        _in.insert(0, _row(f"link {_k}", r"\text{load}", _step.load + 0.0, "N·m, N"))
    _out, _in = "\n".join(_out), "\n".join(_in)
    mo.md(rf"""
    | outward | | about $z$ | along $x$ | along $y$ | unit |
    |:---|:---|---:|---:|---:|:---|
{_out}

    | inward | | about $z$ | along $x$ | along $y$ | unit |
    |:---|:---|---:|---:|---:|:---|
{_in}

    The motor delivers what the joint carries **about its axis**, which is the column *about $z$* of $F_i$:
    $\tau_1 = {steps.torque[0]:.4f}$ N·m, $\tau_2 = {steps.torque[1]:.4f}$ N·m. `robot.inverse_dynamics`, the same formulas
    as machine code, gives {compiled[0]:.4f} and {compiled[1]:.4f} N·m.

    Frames here stand at the **joints**, with $x$ along the rod, so $A_i = (0, 0, 1, 0, 0, 0)$. The course puts them at the
    centres of mass; then $G_i$ is diagonal and $A_i$ is not as simple. The torques are the same. Of the six components the
    three that are not shown are 0: the arm is plane.
    """)
    return a, compiled, q, steps, v


@app.cell
def forces(COLORS, arm, mo, np, q, steps, style, subplots):
    _joints = np.array([arm.pose(q, name)[:2, 3] for name in ("upper_arm", "forearm", "tip")])
    _turns = [arm.pose(q, step.link)[:2, :2] for step in steps.links]
    _loads = np.array([turn @ step.load[3:5] for turn, step in zip(_turns, steps.links, strict=True)])
    _carried = np.array([turn @ step.wrench[3:5] for turn, step in zip(_turns, steps.links, strict=True)])
    _scale = max(50.0, np.linalg.norm(np.concatenate([_loads, _carried]), axis=1).max() / 0.8)
    with style():
        _figure, _axes = subplots(1, 4.6, 6.5)
        _axes.plot(*_joints.T, color="#999999", linewidth=4, marker="o", markerfacecolor="white", zorder=1)
        _how = {"angles": "xy", "scale_units": "xy", "scale": _scale, "width": 0.006, "zorder": 2}
        _axes.quiver(*_joints[1:].T, *_loads.T, color=COLORS[0], label="load of the link, at its mass", **_how)
        _axes.quiver(*_joints[:2].T, *_carried.T, color=COLORS[1], label="force that the joint carries", **_how)
        for _place, _step in zip(_joints[:2], steps.links, strict=True):
            _axes.annotate(rf"$\tau$ = {_step.torque[0]:.1f} N·m", _place, (8, -14), textcoords="offset points")
        _axes.set(
            xlim=(-1.4, 1.4),
            ylim=(-1.1, 1.1),
            aspect="equal",
            xlabel="x [m]",
            ylabel=f"y [m]; 1 m of arrow: {_scale:.0f} N",
        )
        _axes.legend(loc="upper left")
    mo.vstack(
        [
            _figure,
            mo.md(
                "The inward walk in a picture: the elbow carries the load of the outer mass, the shoulder the sum of both. "
                "With all speeds and accelerations at 0 the loads have the size of the weights and point **upwards**: "
                "this is what holds the masses against gravity."
            ),
        ]
    )
    return


@app.cell
def motion(a, arm, down, np, q, v):
    time = np.linspace(0.0, 1.0, 101)
    _t = time[:, None]
    _q, _v, _a = q + v * _t + a * _t**2 / 2, v + a * _t, a + 0 * _t
    whole = arm.inverse_dynamics(_q, _v, _a, gravity=down)
    parts = {
        r"gravity $g(q)$": arm.inverse_dynamics(_q, 0 * _v, 0 * _a, gravity=down),
        r"speeds $c(q, \dot q)$": arm.inverse_dynamics(_q, _v, 0 * _a, gravity=(0, 0, 0)),
        r"accelerations $M(q)\,\ddot q$": arm.inverse_dynamics(_q, 0 * _v, _a, gravity=(0, 0, 0)),
    }
    path = np.stack([arm.pose(_q, name)[:, :2, 3] for name in ("upper_arm", "forearm", "tip")], axis=1)
    return parts, path, time, whole


@app.cell
def play(mo, moving_picture, parts, path, style, subplots, time, whole):
    with style():
        _figure, _panels = subplots(2, 4.6, 6.5)
        for _k, _axes in enumerate(_panels):
            for _name, _part in parts.items():
                _axes.plot(time, _part[:, _k], label=_name)
            _axes.plot(time, whole[:, _k], color="black", linestyle="--", label=r"all of it, $\tau$")
            _axes.set_ylabel(rf"$\tau_{_k + 1}$ [N·m]")
        _panels[0].legend(ncols=2)
        _panels[1].set_xlabel("time [s]")
    mo.vstack(
        [
            mo.md(
                "### The same along a motion\n\nThe sliders give the beginning; the accelerations stay the same for one second. "
                "Inverse dynamics also takes torques apart: a call without speeds and accelerations leaves gravity, one without "
                "gravity and accelerations the velocity terms, and so on."
            ),
            mo.Html(moving_picture(time, {"arm": path}, traces={"path of the tip": path[:, 2]})),
            _figure,
        ]
    )
    return


@app.cell
def ask_1(Question):
    question_1 = Question(
        r"As in lesson 2, now by forces: the arm lies on a table (no gravity), bent at the elbow. Only joint 2 turns, at constant speed: "
        r"$\dot q_1 = \ddot q_1 = \ddot q_2 = 0$. Which joint needs a torque?",
        "joint 1",
        {
            "joint 2": "It is the one that moves, but it need not accelerate anything about its axis: the outer mass needs a "
            "force towards the elbow, and a force through the axis of the elbow has no moment about it.",
            "joint 1": r"The outer mass circles about the elbow and needs the force $m_2 L_2 \dot q_2^2$ towards it. The upper arm "
            r"must supply it at the elbow, where it has the lever $L_1 \sin q_2$ about the shoulder: "
            r"$\tau = (-m_2 L_1 L_2 \sin q_2\, \dot q_2^2,\; 0)$.",
            "neither: all accelerations of joints are 0": r"That would need $c(q, \dot q) = 0$. But the outer mass moves "
            "on a circle, so it accelerates although no joint does.",
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
def elbow(angle_2, arm, mo, np, speed_2):
    _step = arm.newton_euler([0.0, angle_2.value], [0.0, speed_2.value], [0.0, 0.0], gravity=(0, 0, 0))
    only_elbow = _step.torque
    only_elbow_formula = np.array([-1.5 * 0.5 * 0.4 * np.sin(angle_2.value) * speed_2.value**2, 0.0])
    _carried = _step.links[1].wrench + 0.0
    mo.md(rf"""
    ### Only the elbow moves

    With $q_2 = {angle_2.value:.2f}$ rad and $\dot q_2 = {speed_2.value:.2f}$ rad/s of the sliders, all else at 0 and no
    gravity, the elbow carries a force of
    {_carried[3]:.3f} N along the forearm ($-m_2 L_2 \dot q_2^2$: towards the elbow) and no moment.

    | | joint 1 [N·m] | joint 2 [N·m] |
    |:---|---:|---:|
    | recursion | {only_elbow[0] + 0.0:.6f} | {only_elbow[1] + 0.0:.6f} |
    | $c = (-m_2 L_1 L_2 \sin q_2\, \dot q_2^2,\; 0)$ | {only_elbow_formula[0] + 0.0:.6f} | {only_elbow_formula[1]:.6f} |

    The course page names joint 2 here. It is the *other* joint that needs the torque: the force that keeps the outer
    mass on its circle passes through the axis of the elbow, but not through that of the shoulder.
    Set $q_2 = 0$: with the arm stretched the force passes through both axes, and no joint needs a torque.
    """)
    return only_elbow, only_elbow_formula


@app.cell
def lift(arm, down, mo, np, q, stiction):
    _lifted = stiction.Robot(
        name="arm_on_a_lift",
        links=[stiction.Link(name="base"), stiction.Link(name="carriage", mass=5.0), *arm.links[1:]],
        joints=[
            stiction.Joint(name="lift", kind="prismatic", parent="base", child="carriage", axis=(0, 1, 0)),
            stiction.Joint(name="shoulder", kind="continuous", parent="carriage", child="upper_arm"),
            arm.joint("elbow"),
        ],
    )
    held = arm.newton_euler(q, [0, 0], [0, 0], gravity=down).torque
    lifted = _lifted.newton_euler([0.0, *q], [0, 0, 0], [9.81, 0, 0], gravity=(0, 0, 0)).torque
    dropped = _lifted.newton_euler([0.0, *q], [0, 0, 0], [-9.81, 0, 0], gravity=(0, 0, 0)).torque
    _rows = "\n".join(
        f"    | {what} | {x[0] + 0.0:.4f} | {x[1] + 0.0:.4f} |"
        for what, x in {
            "at rest, gravity 9.81 m/s² downwards": held,
            "no gravity, lift accelerates **upwards** with 9.81 m/s²": lifted[1:],
            "no gravity, lift accelerates **downwards** with 9.81 m/s²": dropped[1:],
        }.items()
    )
    mo.md(rf"""
    ## Gravity as an acceleration of the base

    Nobody in a closed lift can tell gravity from acceleration, and neither can the recursion. We put the arm, in the pose
    of the sliders, on a lift:

    | | joint 1 [N·m] | joint 2 [N·m] |
    |:---|---:|---:|
{_rows}

    The largest difference between the first two lines is {np.abs(held - lifted[1:]).max():.1g} N·m. The lift itself needs
    {lifted[0]:.2f} N, the weight of all 8.5 kg. So $\dot V_0 = (0, -\mathfrak g)$, and here, with
    $\mathfrak g = (0, -9.81, 0)$ m/s², $\dot V_0 = (0, 0, 0, 0, +9.81, 0)$. A sign error in this place, as on the course
    page, where $\mathfrak g$ already is negative, gives the last line: every torque of gravity with the wrong sign, and an
    arm that throws itself down.
    """)
    return dropped, held, lifted


@app.cell
def ask_2(Question):
    question_2 = Question(
        "A lift begins to go down, with an acceleration of 9.81 m/s². A robot in it must hold its pose. Which torques does it need?",
        "none",
        {
            "those of gravity": "That holds for a lift at rest or at constant speed. Now the base has an acceleration of its "
            "own, which the recursion starts with.",
            "those of gravity, with the opposite sign": "That is the lift without gravity. With gravity the two accelerations "
            "of the base add up to 0.",
            "none": r"The recursion starts with $\dot V_0 = (0, a_0 - \mathfrak g)$, and here $a_0 = \mathfrak g$: robot and lift fall "
            "freely together.",
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
def push_knobs(mo):
    push = mo.ui.slider(
        0.0, 40.0, step=1.0, value=20.0, label="force of the tip on its surroundings [N]", show_value=True
    )
    heading = mo.ui.slider(0.0, 6.2, step=0.1, value=0.6, label="its direction [rad]", show_value=True)
    mo.vstack(
        [
            mo.md(r"""
            ## A wrench at the tip

            The arm, at rest in the pose of the sliders above, presses on something. The inward walk then begins with
            $F_\text{tip}$, and all joints feel it:

            $$\tau = M \ddot q + c + g + J^T F_\text{tip}$$

            The shapes matter: twist and wrench have 6 components whatever the robot, so $J$ is $6 \times n$ and
            $F_\text{tip}$ is $6 \times 1$ (the course page has $n \times n$ and $n \times 1$, which is right only by
            accident, for $n = 6$).
            """),
            push,
            heading,
        ]
    )
    return heading, push


@app.cell
def pushing(COLORS, arm, down, heading, mo, np, push, q, style, subplots):
    _around = np.linspace(0.0, 6.2, 125)

    def _wrench(direction):
        rest = 0 * direction
        return push.value * np.stack([rest, rest, rest, np.cos(direction), np.sin(direction), rest], axis=-1)

    def _torque(wrench):
        still = np.zeros((*wrench.shape[:-1], 2))
        return arm.inverse_dynamics(
            q + still, still, still, gravity=down, wrenches={"tip": -wrench}, wrench_axes="aligned"
        )

    _tip = _wrench(np.array(heading.value))
    _weight = arm.gravity_torque(q, gravity=down)
    pressed = _torque(_tip) - _weight
    by_jacobian = arm.jacobian(q, "tip").T @ _tip
    _all = _torque(_wrench(_around)) - _weight
    _corners = np.array([arm.pose(q, name)[:2, 3] for name in ("upper_arm", "forearm", "tip")])
    _along = np.array([np.cos(heading.value), np.sin(heading.value)])
    with style():
        _figure, (_place, _axes) = subplots(2, 6.4, 6.5, sharex=False, height_ratios=(3, 2))
        _place.plot(*_corners.T, color="#999999", linewidth=4, marker="o", markerfacecolor="white")
        _place.axline(_corners[2], _corners[2] + _along, color=COLORS[1], linestyle=":", linewidth=1)
        _place.quiver(
            *_corners[2],
            *(_along * push.value),
            color=COLORS[1],
            angles="xy",
            scale_units="xy",
            scale=60.0,
            width=0.006,
        )
        _place.set(xlim=(-1.4, 1.4), ylim=(-1.0, 1.0), aspect="equal", xlabel="x [m]", ylabel="y [m]")
        for _k in (0, 1):
            _axes.plot(_around, _all[:, _k], color=COLORS[2 * _k], label=f"joint {_k + 1}")
            _axes.plot([heading.value], [pressed[_k]], "o", color=COLORS[2 * _k])
        _axes.set(xlabel="direction of the force [rad]", ylabel=r"torque for $F_\mathrm{tip}$ [N·m]")
        _axes.legend()
    mo.vstack(
        [
            _figure,
            mo.md(rf"""
            | torque for the push alone | joint 1 [N·m] | joint 2 [N·m] |
            |:---|---:|---:|
            | recursion with the wrench | {pressed[0]:.6f} | {pressed[1]:.6f} |
            | $J^T F_\text{{tip}}$ | {by_jacobian[0]:.6f} | {by_jacobian[1]:.6f} |

            Turn the force until its line (dotted) passes through a joint: that joint needs no torque then, and the bearing
            takes it all. Mind the sign: $F_\text{{tip}}$ is what the robot does to the world; `wrenches={{"tip": ...}}` is
            what the world does to the robot, $-F_\text{{tip}}$.
            """),
        ]
    )
    return by_jacobian, pressed


@app.cell
def ask_3(Question):
    question_3 = Question(
        r"A robot with 7 joints presses on a table. Which shapes do $J$ and $F_\text{tip}$ have in $\tau = \dots + J^T F_\text{tip}$?",
        "6 × 7 and 6 × 1",
        {
            "7 × 7 and 7 × 1": r"There are 7 torques, but a wrench has 6 components, 3 moments and 3 forces, for every robot.",
            "7 × 6 and 6 × 1": r"That is the shape of $J^T$. The Jacobian takes 7 joint velocities to a twist of 6 components.",
            "6 × 7 and 6 × 1": r"$V = J \dot q$ is $6 \times 1$ from $7 \times 1$; and $J^T F$ is $7 \times 1$, a torque for each "
            r"joint. Both follow from the power $\tau^T \dot q = F^T V$.",
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
def exercise_1(mo, np, stiction):
    _place = stiction.Origin(xyz=(0.4, 0, 0), rpy=(0, 0, np.pi / 2))
    _sensor = stiction.Frame(name="b", link="link", origin=_place)
    _one = stiction.Robot(
        name="one_joint",
        links=[stiction.Link(name="base"), stiction.Link(name="link", mass=1.0, center_of_mass=(0.2, 0, 0))],
        joints=[stiction.Joint(name="joint", kind="continuous", parent="base", child="link")],
        frames=[_sensor],
    )
    _F_b = np.array([0.0, 0.0, 2.0, 5.0, 0.0, 0.0])
    _S = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    _T_ba = np.linalg.inv(_place.matrix)
    torque_by_formula = float(_F_b @ stiction.adjoint(_T_ba) @ _S)
    torque_by_robot = float(_one.inverse_dynamics([0.3], [0], [0], gravity=(0, 0, 0), wrenches={"b": -_F_b})[0])
    torque_by_power = float(_F_b @ _one.twist([0.3], [1.0], "b", axes="body"))
    torque_by_hand = 2.0 + 5.0 * 0.4
    mo.md(rf"""
    ## Exercise 1: joint torque from a wrench in another frame

    Frame $a$ stands at a joint whose screw axis there is $S = (0, 0, 1, 0, 0, 0)$. A sensor in frame $b$, which stands 0.4
    m away along $x_a$ and is turned by 90° about $z$, reports that the joint transmits $F_b = (0, 0, 2, 5, 0, 0)$, in N·m
    and N. Which torque acts at the joint?

    *Solution.* Power is the same in all frames: $\tau\, \dot q = F_b^T V_b$. The joint moves frame $b$ with
    $V_b = \mathrm{{Ad}}_{{T_{{ba}}}} S\, \dot q$, hence

    $$\tau = F_b^T\, \mathrm{{Ad}}_{{T_{{ba}}}} S .$$

    | | torque [N·m] |
    |:---|---:|
    | by hand: 2 N·m, and 5 N along $y_a$ with a lever of 0.4 m | {torque_by_hand:.9f} |
    | formula, `F_b @ stiction.adjoint(T_ba) @ S` | {torque_by_formula:.9f} |
    | power $F_b^T V_b$ at 1 rad/s, `robot.twist(..., axes="body")` | {torque_by_power:.9f} |
    | recursion, `robot.inverse_dynamics(..., wrenches={{"b": -F_b}})` | {torque_by_robot:.9f} |

    One step of the inward walk is exactly this: $\mathrm{{Ad}}_{{T_{{i+1,i}}}}^T F_{{i+1}}$ expresses in frame $i$ what
    joint $i+1$ carries.
    """)
    return torque_by_formula, torque_by_hand, torque_by_power, torque_by_robot


@app.cell
def by_hand(arm, sympy):
    derived = arm.symbolic(gravity=(0, -1, 0))
    _L, _m = sympy.symbols("L1 L2", real=True), sympy.symbols("m1 m2", real=True)

    def _skew(x):
        return sympy.Matrix([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

    def _blocks(turn, shift):
        return sympy.Matrix(sympy.BlockMatrix([[turn, sympy.zeros(3)], [shift, turn]]))

    def recursion(up=derived.g, first=derived.a[0], reach=_L[1]):
        """All twists, accelerations, wrenches and torques of the 2R arm, frames at the centres of mass.

        `up`, `first` and `reach` are what one can get wrong: the base acceleration, the acceleration of joint 1, and how far
        frame 2 is from frame 1 at zero angle.
        """
        V, A, W, load, axes, seen = [sympy.zeros(6, 1)], [sympy.Matrix([0, 0, 0, 0, up, 0])], {}, [], [], []
        for k, far in enumerate((_L[0], reach)):
            c, s = sympy.cos(derived.q[k]), sympy.sin(derived.q[k])
            turn = sympy.Matrix([[c, s, 0], [-s, c, 0], [0, 0, 1]])
            seen.append(_blocks(turn, _skew([-far, 0, 0]) * turn))  # Ad of the pose of frame k - 1 in frame k
            axes.append(sympy.Matrix([0, 0, 1, 0, _L[k], 0]))
            speed, rise = axes[k] * derived.v[k], axes[k] * (first if k == 0 else derived.a[1])
            V.append(seen[k] * V[k] + speed)
            ad = _blocks(_skew(V[-1][:3]), _skew(V[-1][3:]))
            A.append(seen[k] * A[k] + ad * speed + rise)
            G = sympy.diag(0, 0, 0, _m[k], _m[k], _m[k])
            load.append(G * A[-1] - ad.T * G * V[-1])
        W[2] = load[1]
        W[1] = load[0] + seen[1].T * W[2]
        return V, A, W, sympy.Matrix([axes[0].dot(W[1]), axes[1].dot(W[2])])

    return derived, recursion


@app.cell
def exercise_2(TR10i, derived, mo, recursion, sympy):
    _V, _A, _W, hand_torque = recursion()
    _squares = {sympy.sin(x) ** 2: 1 - sympy.cos(x) ** 2 for x in derived.q}
    hand_rest = (hand_torque - derived.equations).applyfunc(
        lambda x: sympy.expand(sympy.expand(x, trig=True).subs(_squares))
    )

    _q1, _q2 = derived.q
    _short = {
        f(x): sympy.Symbol(f"{f.__name__[0]}{k}") for f in (sympy.sin, sympy.cos) for k, x in ((1, _q1), (2, _q2))
    }
    _short |= {f(_q1 + _q2): sympy.Symbol(f"{f.__name__[0]}12") for f in (sympy.sin, sympy.cos)}
    _L1, _L2, _m1, _m2 = sympy.symbols("L1 L2 m1 m2", real=True)

    def _tidy(x, *sorts):
        return sympy.collect(TR10i(sympy.expand(x)).subs(_short), sorts, func=sympy.factor)

    def _plane(six):
        return derived.latex(sympy.Matrix([_tidy(x, _L1, _L2) for x in six[2:5]]))

    _fx, _fy = (derived.latex(_tidy(x / _m2, _L1, _L2)) for x in _W[2][3:5])
    _M = {
        f"{i + 1}{j + 1}": derived.latex(_tidy(derived.mass_matrix[i, j], _m1, _m2))
        for i, j in ((0, 0), (0, 1), (1, 1))
    }
    _c = derived.latex(sympy.Matrix([sympy.factor(x).subs(_short) for x in derived.velocity_vector]))
    _g = [derived.latex(_tidy(x / derived.g, _L1, _L2)) for x in derived.gravity_torque]
    mo.md(rf"""
    ## Exercise 2: the 2R arm by hand, to the end

    Frames at the centres of mass, as in the course: $A_i = (0, 0, 1, 0, L_i, 0)$,
    $G_i = \mathrm{{diag}}(0, 0, 0, m_i, m_i, m_i)$, and at zero angle frame 1 is $L_1$ from the base, frame 2 is $L_2$ from
    frame 1. Vectors below show the components about $z$, along $x$ and along $y$; the others are 0. For short,
    $s_2 = \sin q_2$, $c_{{12}} = \cos(q_1 + q_2)$ and so on.

    **Outward.** With $\dot V_0 = (0, 0, g)$, $g = 9.81$ m/s²:

    $$V_1 = {_plane(_V[1])}, \qquad \dot V_1 = {_plane(_A[1])}$$

    $$V_2 = {_plane(_V[2])}$$

    $$\small \dot V_2 = {_plane(_A[2])}$$

    **Inward.** The load of link 2 is all that the elbow carries: $F_2 = (0,\; m_2 a_x,\; m_2 a_y)$ with

    $$a_x = {_fx}$$

    $$a_y = {_fy}$$

    This is the acceleration of the outer mass (and of gravity, upwards), as one would write it down for a point.
    $\tau_2 = F_2^T A_2$ is $L_2\, m_2\, a_y$. For the shoulder, $F_1 = \text{{load}}_1 + \mathrm{{Ad}}_{{T_{{21}}}}^T F_2$
    and $\tau_1 = F_1^T A_1$. Sorted, $\tau = M \ddot q + c + g$ with

    $$M_{{11}} = {_M["11"]}$$

    $$M_{{12}} = M_{{21}} = {_M["12"]}$$

    $$M_{{22}} = {_M["22"]}$$

    $$c = {_c}$$

    $$g_1 = g \left( {_g[0]} \right)$$

    $$g_2 = g\, {_g[1]}$$

    These $M$, $c$ and $g$ are from `robot.symbolic()`, which takes Lagrange's way. The difference between both derivations,
    simplified, is ${sympy.latex(hand_rest.T)}$.
    """)
    return hand_rest, hand_torque


@app.cell
def slips(arm, derived, down, hand_torque, mo, np, recursion, sympy):
    _q, _v, _a = [0.5, 0.9], [1.0, 2.0], [-2.0, 3.0]
    _numbers = {**derived.values, derived.g: 9.81}
    _numbers |= dict(zip([*derived.q, *derived.v, *derived.a], [*_q, *_v, *_a], strict=True))

    def _value(torque):
        return np.array([float(x.subs(_numbers)) for x in torque])

    by_formula = _value(hand_torque)
    by_recursion = arm.newton_euler(_q, _v, _a, gravity=down).torque
    with_slip = {
        r"$\dot V_0 = \mathfrak g$ for $-\mathfrak g$": _value(recursion(up=-derived.g)[3]),
        r"$A_1 \dot q_1$ for $A_1 \ddot q_1$ in $\dot V_1$": _value(recursion(first=derived.v[0])[3]),
        r"$M_2$ for $M_{12}$": _value(recursion(reach=sum(sympy.symbols("L1 L2", real=True)))[3]),
    }
    _rows = "\n".join(f"    | {what} | {x[0]:.4f} | {x[1]:.4f} |" for what, x in with_slip.items())
    mo.md(rf"""
    ### In numbers, and with the usual slips

    The state that the sliders have at first: $q = (0.5, 0.9)$ rad, $\dot q = (1, 2)$ rad/s, $\ddot q = (-2, 3)$ rad/s².
    Then follow the slips of the course page, one at a time:

    | | $\tau_1$ [N·m] | $\tau_2$ [N·m] |
    |:---|---:|---:|
    | by hand | {by_formula[0]:.9f} | {by_formula[1]:.9f} |
    | `robot.newton_euler` | {by_recursion[0]:.9f} | {by_recursion[1]:.9f} |
{_rows}

    How to notice them:

    - The sign of $\dot V_0$: stretched out and at rest, the arm must hold its weight up, so $\tau_1$ and $\tau_2$ must be positive.
    - $\dot q_1$ for $\ddot q_1$: units; rad/s is added to rad/s².
    - $M_2$ for $M_{{12}}$ (the course's home poses of frames, not entries of the mass matrix): $M_{{12}}$ is frame 2 in frame 1, $L_2$ away, and $M_2$ is frame 2 in the base, $L_1 + L_2$ away.
      Confuse them, and the outer mass sits $L_1$ too far out.
    - $\mathrm{{ad}}_{{V_b}}$ in the recursion of accelerations, also on that page: there is no frame $b$. It is
      $\mathrm{{ad}}_{{V_i}}$, because the axis $A_i$, fixed in link $i$, is carried along by the twist of that link.
    """)
    return by_formula, by_recursion, with_slip


@app.cell
def ask_4(Question):
    question_4 = Question(
        r"The wrench $F_i$ that a revolute joint carries has six components; its motor delivers one, $\tau_i = F_i^T A_i$. Where do "
        "the other five come from?",
        "from the bearing of the joint",
        {
            "they are 0": r"Look at the table: $F_2$ has forces along $x$ and $y$. Three components are 0 because this arm is plane; "
            "those of the Puma below are not.",
            "from the bearing of the joint": r"The bearing allows one motion, $A_i \dot q_i$, and resists the other five. These "
            "forces do no work, so Lagrange's equations never show them; Newton and Euler give them for free, and with them one "
            "chooses the bearing.",
            "from the motor of the next joint": r"The next motor acts between links $i$ and $i + 1$. It is already part of $F_{i+1}$.",
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
def closing(mo, np, stiction):
    _puma = stiction.library.puma560()
    _found = _puma.newton_euler([0.0, 0.8, 3.1, 0.0, 0.8, 0.0], np.full(6, 0.5), np.zeros(6))
    _rows = "\n".join(
        f"    | {k} | {np.linalg.norm(step.wrench[3:]):.2f} | {np.linalg.norm(step.wrench[:3]):.2f} | {step.torque[0] + 0.0:.2f} |"
        for k, step in enumerate(_found.links, 1)
    )
    mo.md(rf"""
    ## Six joints, no more effort

    Nothing in the two walks depends on the plane or on the number of joints. The Puma 560, in a pose amid its work, all
    joints at 0.5 rad/s: what its joints carry, and how much of that is left for the motors.

    | joint | force [N] | moment [N·m] | torque of the motor [N·m] |
    |---:|---:|---:|---:|
{_rows}

    The next lesson turns the question around: given the torques, how does the robot move? It needs nothing but this recursion.
    """)
    return


if __name__ == "__main__":
    app.run()
