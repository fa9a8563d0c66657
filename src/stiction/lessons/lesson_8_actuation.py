import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Lesson 8: Actuation")


@app.cell
def imports():
    from dataclasses import replace

    import marimo as mo
    import numpy as np

    import stiction
    from stiction.lessons.question import Question
    from stiction.show.figure import COLORS, style, subplots
    from stiction.show.moving import moving_picture
    from stiction.trace import sin

    return COLORS, Question, mo, moving_picture, np, replace, sin, stiction, style, subplots


@app.cell
def opening(mo):
    mo.md(r"""
    # 8 · Actuation

    So far, torques came from nowhere. A real joint is moved by a **motor** through a **gear**, and both have a say in the equations of
    motion. A DC motor at the voltage $e$ draws the current $i$ and gives the torque $\tau_m$; its own speed $\omega$ induces a voltage
    $K\omega$ against $e$, the **back-EMF**:

    $$e = R\,i + K\,\omega, \qquad \tau_m = K\,i .$$

    A gear of ratio $G$ lets the motor turn $G$ times as fast as the joint, $\omega = G\,\dot q$, and multiplies its torque by $G$. The
    rotor, of inertia $I$, turns at $G\,\dot q$ and has the kinetic energy $\tfrac12 I\,(G\,\dot q)^2$: to the joint it is an inertia
    $G^2 I$, the **apparent** or **reflected** inertia. For one joint with the friction torque $\tau_f$,

    $$(M + G^2 I)\,\ddot q + c + g + \tau_f = G K\,\frac{e - K G\,\dot q}{R} .$$

    The ratio enters three times: torque grows as $G$, back-EMF damping and inertia grow as $G^2$. And the teeth rub, which is why this
    lesson ends with friction.
    """)
    return


@app.cell
def machines(np, stiction):
    ratio_of_drive = 100
    motor = stiction.DCMotor(
        resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6, rated_voltage=24.0, current_limit=6.0
    )
    wheel = stiction.Robot(
        name="wheel",
        links=[stiction.Link(name="base"), stiction.Link(name="disc", mass=1.0, inertia=np.diag([0.05] * 3))],
        joints=[stiction.Joint(name="joint", kind="continuous", parent="base", child="disc")],
    )
    pendulum = stiction.library.pendulum(1, length=0.5, mass=1.0)
    return motor, pendulum, ratio_of_drive, wheel


@app.cell
def motor_knobs(mo, motor, ratio_of_drive):
    voltage = mo.ui.slider(4.0, 24.0, step=1.0, value=18.0, label=r"voltage $e$ [V]", show_value=True)
    mo.vstack(
        [
            mo.md(rf"""
    ## The motor: a falling line

    At constant voltage, the torque falls in a straight line from **stall** ($\omega = 0$, $\tau = G K e/R$) to the **no-load speed**
    ($\tau = 0$, $\dot q = e/(K G)$). Two limits bound the region in which a drive can work: the rated voltage, which moves the line no
    further out, and the largest current, which heats the winding and cuts off the top.

    Our motor has $R = {motor.resistance:g}\ \Omega$, $K = {1e3 * motor.constant:g}$ mN·m/A, {motor.rated_voltage:g} V and at most
    {motor.current_limit:g} A; it turns a wheel through $G = {ratio_of_drive}$. The dots are simulated: one run for each load, until
    the speed no longer changes.
    """),
            voltage,
        ]
    )
    return (voltage,)


@app.cell
def motor_line(motor, np, ratio_of_drive, stiction, voltage, wheel):
    _K, _R, _G = motor.constant, motor.resistance, ratio_of_drive
    stall_torque, no_load_speed = _G * _K * voltage.value / _R, voltage.value / (_G * _K)
    loads = np.linspace(0.02, 0.95, 8) * min(stall_torque, _G * _K * motor.current_limit)
    _drive = stiction.Drive(motor=motor, gear=stiction.Gear(ratio=_G), command=12.0)
    _scene = stiction.Scene(robot=wheel, drives={"joint": _drive}, torque={"joint": -2.0}, gravity=(0, 0, 0))
    _values = {"drive.joint.command": voltage.value, "torque.joint": -loads}
    _run = stiction.simulate(_scene, duration=2.0, step=1e-3, record=2.0, parameters=_values)
    speed_by_formula = (voltage.value - _R * loads / (_G * _K)) / (_G * _K)
    speed_by_simulation = _run["v.joint"][-1]
    return loads, no_load_speed, speed_by_formula, speed_by_simulation, stall_torque


@app.cell
def motor_figure(
    COLORS,
    loads,
    mo,
    motor,
    no_load_speed,
    np,
    ratio_of_drive,
    speed_by_formula,
    speed_by_simulation,
    stall_torque,
    style,
    subplots,
    voltage,
):
    _most, _G = ratio_of_drive * motor.constant * motor.current_limit, ratio_of_drive
    _top = motor.rated_voltage / (_G * motor.constant)
    _speed = np.linspace(0, _top, 200)
    _torque = _G * motor.constant * (motor.rated_voltage - motor.constant * _G * _speed) / motor.resistance
    with style():
        _figure, _axes = subplots(1, 3.2, 6.6)
        _axes.fill_between(
            _speed, np.minimum(_torque, _most), color=COLORS[7], alpha=0.25, label="what the drive can do"
        )
        _axes.plot([0, no_load_speed], [stall_torque, 0], color=COLORS[0], label=f"line at {voltage.value:g} V")
        _axes.plot(speed_by_simulation, loads, "o", color=COLORS[1], label="simulated")
        _axes.axhline(_most, color=COLORS[7], linestyle="--", linewidth=1)
        _axes.annotate(
            "current limit", (_top, _most), xytext=(0, 3), textcoords="offset points", ha="right", fontsize=9
        )
        _axes.set_ylim(0, 28)
        _axes.set_ylabel("torque at the joint [N·m]")
        _axes.set_xlabel("speed of the joint [rad/s]")
        _axes.legend()
    _off = np.abs(speed_by_simulation - speed_by_formula).max()
    mo.vstack(
        [
            _figure,
            mo.md(
                f"At {voltage.value:g} V: no-load speed {no_load_speed:.2f} rad/s, stall torque {stall_torque:.1f} N·m"
                f"{', which the current limit does not let through' if stall_torque > _most else ''}. "
                f"Line and simulation differ by at most {_off:.0e} rad/s. The line slopes because of the back-EMF: seen from the joint it "
                f"is a "
                r"damper of $(G K)^2/R$"
                + f" = {(_G * motor.constant) ** 2 / motor.resistance:.2f} N·m·s/rad. Short the terminals and the motor brakes."
            ),
        ]
    )
    return


@app.cell
def gear_knobs(mo):
    elbow = mo.ui.slider(0.2, 2.9, step=0.1, value=0.6, label=r"elbow angle $q_2$ [rad]", show_value=True)
    ratio = mo.ui.slider(2, 100, step=2, value=20, label=r"gear ratio $G$", show_value=True)
    mo.vstack(
        [
            mo.md(r"""
    ## The gear: ellipses become round

    A 2R arm has two rods of 0.5 m with 1 kg at each end, and rotors of $I = 5\cdot10^{-4}$ kg m² behind gears of ratio $G$. Its mass matrix
    becomes $M(q) + G^2 I\,\mathbf 1$: the diagonal grows, the coupling $M_{12}$ stays. The ellipses below are the torques that
    accelerations of length 1 take (lesson 2), from `robot.ellipsoid(q, "torque")`; each is scaled to its longer half axis, so that only the
    shape shows.
    """),
            elbow,
            ratio,
        ]
    )
    return elbow, ratio


@app.cell
def ellipses(elbow, np, ratio, replace, stiction, style, subplots):
    rotor = 5e-4  # kg m²
    arm = stiction.library.two_link(lengths=(0.5, 0.5), masses=(1.0, 1.0))

    def geared(ratio):
        """The arm with rotors, as inertias that its joints feel."""
        return replace(arm, joints=[replace(x, rotor_inertia=rotor, gear_ratio=ratio) for x in arm.joints])

    _shapes = {G: geared(G).ellipsoid([0.0, elbow.value], "torque") for G in (1, 10, 100, ratio.value)}
    _ratios = np.geomspace(1, 100, 40)
    roundness = _shapes[ratio.value].radii[1] / _shapes[ratio.value].radii[0]
    with style():
        _figure, (_ellipse, _axis) = subplots(2, 6.6, 6.6, sharex=False, height_ratios=[1.7, 1])
        for _G in (1, 10, 100):
            _ellipse.plot(*(_shapes[_G].points() / _shapes[_G].radii[1]).T, label=f"G = {_G}")
        _ellipse.plot(
            *(_shapes[ratio.value].points() / _shapes[ratio.value].radii[1]).T,
            "k--",
            linewidth=1,
            label=f"G = {ratio.value} (slider)",
        )
        _ellipse.set_aspect("equal")
        _ellipse.set_xlabel("torque of the shoulder, scaled")
        _ellipse.set_ylabel("torque of the elbow, scaled")
        _ellipse.legend(loc="center left", bbox_to_anchor=(1.05, 0.5))
        _axis.semilogx(_ratios, [np.divide(*geared(G).ellipsoid([0.0, elbow.value]).radii[::-1]) for G in _ratios])
        _axis.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
        _axis.plot(ratio.value, roundness, "ko")
        _axis.set_xlabel("gear ratio")
        _axis.set_ylabel("long over short half axis")
    _figure
    return arm, geared, rotor, roundness


@app.cell
def gear_words(mo, ratio, rotor, roundness):
    mo.md(rf"""
    At $G = {ratio.value}$ the reflected inertia is $G^2 I = {rotor * ratio.value**2:.3g}$ kg m² and the half axes have the ratio
    {roundness:.2f}. Slide the elbow: at $G = 1$ the ellipse turns and stretches, at $G = 100$ it hardly notices. A strongly geared robot
    has a mass matrix that is nearly **constant and diagonal**. Each joint is then controlled alone, and what the links do to each other is
    a small disturbance. The price: the rotors take most of the motors' torque.
    """)
    return


@app.cell
def exercise_1(geared, mo, np, rotor):
    _angles = {"bent": 2.0, "stretched": 0.2}

    def _by_hand(ratio, elbow):
        _l = 0.25 * np.cos(elbow)  # m L² cos q2, for 1 kg and 0.5 m
        return np.array([[0.75 + 2 * _l, 0.25 + _l], [0.25 + _l, 0.25]]) + rotor * ratio**2 * np.eye(2)

    masses_by_hand = {(G, word): _by_hand(G, q) for G in (10, 100) for word, q in _angles.items()}
    masses_by_software = {(G, word): geared(G).mass_matrix([0.0, q]) for G in (10, 100) for word, q in _angles.items()}
    _worst = max(np.abs(masses_by_hand[key] - masses_by_software[key]).max() for key in masses_by_hand)
    _folded, _straight = ({G: geared(G).mass_matrix([0.0, q])[0, 0] for G in (1, 100)} for q in (np.pi, 0.0))
    _rows = "\n".join(
        f"    | {G} | {word} | {by} | {M[G, word][0, 0]:.4f} | {M[G, word][0, 1]:.4f} | {M[G, word][1, 1]:.4f} |"
        for G, word in masses_by_hand
        for by, M in (("hand", masses_by_hand), ("software", masses_by_software))
    )
    mo.md(rf"""
    ## Exercise 1: the mass matrix for ratios of 10 and 100

    By hand, with $m = 1$ kg and $L = 0.5$ m twice,

    $$M = mL^2 \begin{{bmatrix}} 3 + 2\cos q_2 & 1 + \cos q_2 \\ 1 + \cos q_2 & 1 \end{{bmatrix}} + G^2 I\,\mathbf 1 .$$

    | $G$ | elbow | by | $M_{{11}}$ | $M_{{12}}$ | $M_{{22}}$ |
    |---|---|---|---|---|---|
{_rows}

    All in kg m², by `robot.mass_matrix`; largest difference {_worst:.1g}. Bent means $q_2 = 2$ rad, stretched 0.2 rad. At $G = 1$,
    $M_{{11}}$ grows by the factor {_straight[1] / _folded[1]:.1f} from the folded to the straight arm; at $G = 100$ by
    {100 * (_straight[100] / _folded[100] - 1):.0f} %.
    """)
    return masses_by_hand, masses_by_software


@app.cell
def exercise_2(arm, geared, mo, np, rotor, stiction):
    _G, _q, _v, _a = 100, [0.3, 0.8], [1.0, -2.0], [2.0, 3.0]
    _names = {f"{joint.name}_rotor": joint for joint in arm.joints}
    _rotors = [stiction.Link(name=name, mass=1e-9, inertia=rotor * np.eye(3)) for name in _names]
    _hinges = [
        stiction.Joint(
            name=name, kind="continuous", parent=joint.parent, child=name, origin=joint.origin, axis=joint.axis
        )
        for name, joint in _names.items()
    ]
    _whole = stiction.Robot(name="rotors", links=[*arm.links, *_rotors], joints=[*arm.joints, *_hinges])
    _free = np.array(  # velocities of all four bodies by those of the two joints
        [[(name == j.name) + _G * (name == f"{j.name}_rotor") for j in arm.joints] for name in _whole.velocity_names]
    )
    rotors_as_bodies = _free.T @ _whole.inverse_dynamics(_free @ _q, _free @ _v, _free @ _a)
    rotors_reflected = geared(_G).inverse_dynamics(_q, _v, _a)
    rotors_by_hand = np.array([rotor * (_a[0] + _G * _a[1]), rotor * _G * _a[0]])
    _more = rotors_as_bodies - rotors_reflected
    mo.md(rf"""
    ## Exercise 2: Newton–Euler with rotors as bodies

    $G^2 I$ is not the whole truth. The elbow's motor sits on the upper arm, so its rotor turns at $\dot q_1 + G\,\dot q_2$, not at
    $G\,\dot q_2$. Its kinetic energy $\tfrac12 I(\dot q_1 + G \dot q_2)^2$ adds

    $$\begin{{bmatrix}} I & G I \\ G I & G^2 I \end{{bmatrix}} \;\text{{to}}\; M \text{{, instead of}}\; \begin{{bmatrix}} 0 & 0 \\ 0 & G^2 I \end{{bmatrix}} .$$

    To check it, we hang two rotors on the arm as links of their own, on the links that carry the motors. The recursion of lesson 4 runs
    over four bodies; with $\dot\theta = F\,\dot q$ (each rotor $G$ times its joint), the torques of the joints are $F^T \tau$. For
    $G = {_G}$, $\ddot q = ({_a[0]:g}, {_a[1]:g})$ rad/s²:

    | | shoulder [N·m] | elbow [N·m] |
    |---|---|---|
    | rotors as bodies | {rotors_as_bodies[0]:.6f} | {rotors_as_bodies[1]:.6f} |
    | reflected inertia | {rotors_reflected[0]:.6f} | {rotors_reflected[1]:.6f} |
    | difference | {_more[0]:.6f} | {_more[1]:.6f} |
    | by hand: $I\ddot q_1 + G I \ddot q_2$ and $G I \ddot q_1$ | {rotors_by_hand[0]:.6f} | {rotors_by_hand[1]:.6f} |

    What the reflected inertia leaves out grows as $G$, what it counts as $G^2$: the larger the ratio, the better the short cut. The masses
    of the motors are not in question; they belong to the links that carry them.
    """)
    return rotors_as_bodies, rotors_by_hand, rotors_reflected


@app.cell
def ask_1(Question):
    question_1 = Question(
        r"The ratio is chosen such that the rotor is as heavy as the load: $G^2 I = J$. You double $G$; the motor gives the same torque. "
        r"The load now accelerates",
        "at 80 % of what it did",
        {
            "twice as fast": r"The torque at the joint doubles, but the inertia grows as well: from $J + G^2 I = 2J$ to "
            r"$J + 4 G^2 I = 5J$.",
            "at 80 % of what it did": r"$\ddot q = G\tau_m/(J + G^2 I)$ goes from $G\tau_m/2J$ to $2G\tau_m/5J$. "
            r"The ratio $G = \sqrt{J/I}$ accelerates fastest; any other, larger or smaller, is slower.",
            "half as fast": r"That holds where the rotor is nearly all of the inertia, $G^2 I \gg J$: then "
            r"$\ddot q \approx \tau_m/(G I)$. Here it is half of it.",
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
        r"All joints of an arm have $G = 100$. Which simplification do the gears justify?",
        "each joint is controlled as if it were alone",
        {
            "each joint is controlled as if it were alone": r"$G^2 I$ dominates a mass matrix that is then nearly diagonal and constant: "
            r"the other joints are a disturbance, which each motor feels divided by $G$.",
            "friction may be neglected": r"On the contrary: a friction torque at the motor's shaft is $G$ times as large at the joint, "
            r"and the teeth add their own.",
            "gravity may be neglected": r"$g(q)$ does not change with $G$. Each motor feels it divided by $G$, but where nothing moves it "
            r"is, with friction, all that is left to hold.",
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
def limit_knobs(mo):
    rated = mo.ui.slider(6.0, 24.0, step=1.0, value=9.0, label="rated voltage [V]", show_value=True)
    mo.vstack(
        [
            mo.md(r"""
    ## Motor limits: the step response

    A PID controller moves a geared pendulum (1 kg, 0.5 m) from hanging to $q = 1$ rad. Its gains ask for 60 V per radian: at the start, far
    more than there is. The motor then runs at its rated voltage, and how fast the joint turns is the motor's business, not the gains'. An
    integral that goes on summing meanwhile **winds up** and must be unwound by an overshoot; a controller that knows the limit stops
    summing.
    """),
            rated,
        ]
    )
    return (rated,)


@app.cell
def limit_run(motor, pendulum, rated, ratio_of_drive, replace, stiction):
    _drive = stiction.Drive(
        motor=replace(motor, rated_voltage=rated.value),
        gear=stiction.Gear(ratio=ratio_of_drive),
        joint_friction=stiction.Stribeck(level=1.0, static=1.1, velocity=0.05, viscous=0.2),
    )
    _pid = stiction.PID(
        clock=stiction.Clock(period=2e-3), proportional=60.0, integral=100.0, derivative=1.5, limit=24.0
    )
    _scene = stiction.Scene(
        robot=pendulum, drives={"joint1": _drive}, control={"joint1": _pid}, reference={"joint1": 1.0}
    )
    steps = stiction.simulate(
        _scene, duration=3.0, step=1e-3, record=0.01, parameters={"control.joint1.limit": [rated.value, 1e4]}
    )
    overshoots = steps["q.joint1"].max(axis=0) - 1.0
    return overshoots, steps


@app.cell
def limit_figure(COLORS, mo, motor, np, overshoots, rated, ratio_of_drive, steps, style, subplots):
    with style():
        _figure, (_place, _volts, _amperes) = subplots(3, 5.6, 6.6)
        for _k, _word in enumerate(("knows the limit", "does not")):
            _place.plot(steps.time, steps["q.joint1"][:, _k], label=f"controller {_word}" if _k == 0 else _word)
            _volts.plot(steps.time, np.clip(steps["command.joint1"][:, _k], -rated.value, rated.value))
            _amperes.plot(steps.time, steps["motor_current.joint1"][:, _k])
        _place.axhline(1.0, color=COLORS[7], linewidth=1)
        _place.set_ylabel("angle [rad]")
        _place.legend()
        _volts.set_ylabel("voltage [V]")
        _amperes.axhline(motor.current_limit, color=COLORS[7], linestyle="--", linewidth=1)
        _amperes.set_ylabel("current [A]")
        _amperes.set_xlabel("time [s]")
    _fastest = steps["v.joint1"].max()
    mo.vstack(
        [
            _figure,
            mo.md(
                f"Largest angle: {1 + overshoots[0]:.3f} rad where the controller knows its limit, {1 + overshoots[1]:.3f} rad where it "
                f"does not. The joint reached {_fastest:.2f} rad/s; the no-load speed at {rated.value:g} V is "
                f"{rated.value / (motor.constant * ratio_of_drive):.2f} rad/s, and no gain goes beyond it. "
                "As the joint gains speed the current falls, although the voltage stays: that is the back-EMF."
            ),
        ]
    )
    return


@app.cell
def back_knobs(mo):
    back = mo.ui.slider(
        0.3, 0.9, step=0.05, value=0.55, label=r"back efficiency $\eta_b$ of the lossy gear", show_value=True
    )
    mo.vstack(
        [
            mo.md(r"""
    ## Can the joint turn the motor?

    Friction in the teeth grows with the torque that they carry. A gear of efficiency $\eta$ passes on the part $\eta$ of the motor's power;
    driven from the other end it passes on the part $\eta_b$ of the joint's, usually less: where the teeth rub the same either way,
    $\eta_b \approx 2 - 1/\eta$. Below $\eta = \tfrac12$ nothing is left. Such a gear, a worm for instance, is **self-locking**: the motor
    turns the joint, the joint cannot turn the motor.

    Three pendulums are let go at 1.2 rad, with the motor's terminals shorted and a dry friction of 5 mN·m on its shaft. Lossless, lossy and
    self-locking gear: `Gear(ratio=100)`, with `efficiency=0.75, back_efficiency=...`, with `efficiency=0.4, self_locking=True`.
    """),
            back,
        ]
    )
    return (back,)


@app.cell
def back_run(back, motor, np, pendulum, ratio_of_drive, stiction):
    _shaft = stiction.Coulomb(level=5e-3)
    _gears = {
        "lossless": stiction.Gear(ratio=ratio_of_drive),
        "lossy": stiction.Gear(ratio=ratio_of_drive, efficiency=0.75, back_efficiency=back.value),
        "self-locking": stiction.Gear(ratio=ratio_of_drive, efficiency=0.4, self_locking=True),
    }
    let_go = {}
    for _word, _gear in _gears.items():
        _drive = stiction.Drive(motor=motor, gear=_gear, motor_friction=_shaft)
        _scene = stiction.Scene(robot=pendulum, drives={"joint1": _drive}, q=[1.2])
        let_go[_word] = stiction.simulate(_scene, duration=24.0, step=1e-3, record=0.02)
    rest_by_formula = np.arcsin(ratio_of_drive * _shaft.level[0] / np.array([1.0, back.value]) / (1.0 * 9.81 * 0.5))
    rest_by_simulation = np.array([let_go[_word]["q.joint1"][-1] for _word in ("lossless", "lossy")])
    return let_go, rest_by_formula, rest_by_simulation


@app.cell
def back_figure(let_go, mo, rest_by_formula, rest_by_simulation, style, subplots):
    with style():
        _figure, _axes = subplots(1, 2.8, 6.6)
        for _word, _run in let_go.items():
            _early = _run.time <= 8
            _axes.plot(_run.time[_early], _run["q.joint1"][_early], label=_word)
        _axes.set_ylim(0, 1.3)
        _axes.set_ylabel("angle [rad]")
        _axes.set_xlabel("time [s]")
        _axes.legend(loc="center right")
    _held = let_go["self-locking"]["q.joint1"]
    mo.vstack(
        [
            _figure,
            mo.md(rf"""
    Nothing swings: back-EMF, seen through $G = 100$, is a strong brake. Through a gear, friction at the shaft holds the load up to

    $$|g(q)| \le \frac{{G\,\tau_f}}{{\eta_b}},$$

    which says where the pendulum stays behind:

    | gear | by hand [rad] | simulated, after 24 s [rad] |
    |---|---|---|
    | lossless | {rest_by_formula[0]:.4f} | {rest_by_simulation[0]:.4f} |
    | lossy | {rest_by_formula[1]:.4f} | {rest_by_simulation[1]:.4f} |
    | self-locking | 1.2 | {_held[-1]:.4f} |

    The worse the gear, the more it holds by itself, and the less a hand at the tool can move it. Robots that are guided by hand need gears
    that can be **driven back**.
    """),
        ]
    )
    return


@app.cell
def holding(sin, stiction, wheel):
    _laws = {
        "Stribeck, rigid": stiction.Stribeck(level=2.0, static=2.5, velocity=0.02),
        "LuGre, a bristle": stiction.LuGre(level=2.0, static=2.5, velocity=0.02, stiffness=1000.0, damping=5.0),
    }
    trembling = {}
    for _word, _law in _laws.items():
        _scene = stiction.Scene(
            robot=wheel, friction={"joint": _law}, torque={"joint": lambda t: 1.2 + sin(60 * t)}, gravity=(0, 0, 0)
        )
        trembling[_word] = stiction.simulate(_scene, duration=5.0, step=1e-3, record=0.01)
    return (trembling,)


@app.cell
def holding_figure(mo, style, subplots, trembling):
    with style():
        _figure, _axes = subplots(1, 2.6, 6.6)
        for _word, _run in trembling.items():
            _axes.plot(_run.time, _run["q.joint"], label=_word)
        _axes.set_ylabel("angle [rad]")
        _axes.set_xlabel("time [s]")
        _axes.legend()
    _rigid, _bristle = (abs(_run["q.joint"][-1]) for _run in trembling.values())
    mo.vstack(
        [
            mo.md(r"""
    ## Why a stuck joint does not drift

    Dry friction is no function of the speed. While the joint slides, it is; at rest it is a whole **interval** of torques, out of which the
    balance of all others picks one:

    $$\tau_f = F(\dot q)\,\mathrm{sign}(\dot q) \;\text{ if }\; \dot q \ne 0,$$

    $$|\tau_f| \le F_s \;\text{ if }\; \dot q = 0 .$$

    **Coulomb**: $F = F_c$, and $F_s = F_c$. **Stribeck**: break-away takes more, $F_s > F_c$, and $F$ falls from $F_s$ to $F_c$ within some
    speed. Simulators that replace the interval by a steep curve, or by a bristle such as LuGre's, let the joint creep under loads that it
    should hold. Here a load of $1.2 + \sin 60t$ N·m trembles on a joint whose break-away is 2.5 N·m.
    """),
            _figure,
            mo.md(
                f"After 5 s the rigid law has moved by {_rigid:.0e} rad, which is rounding. LuGre's bristle has let the joint creep by "
                f"{_bristle:.2f} rad. Such laws describe the micrometres before sliding, and have their use there; they do not hold a "
                "trembling load."
            ),
        ]
    )
    return


@app.cell
def hunting_knobs(mo):
    break_away = mo.ui.slider(
        1.05, 4.0, step=0.05, value=3.0, label=r"break-away $F_s$ [N·m] (sliding: $F_c = 1$ N·m)", show_value=True
    )
    integral = mo.ui.slider(8.0, 40.0, step=1.0, value=20.0, label=r"integral gain $k_I$ [V/(rad·s)]", show_value=True)
    mo.vstack(
        [
            mo.md(r"""
    ## Stick, slip, hunt

    The pendulum goes to 1 rad again, now with friction in its gear and a softer controller, 8 V/rad. It stops beside the target,
    where the proportional part is less than the break-away torque. The integral grows until it breaks the joint loose; at once friction falls from
    $F_s$ to $F_c$, the joint shoots past the target, sticks, and the integral starts to work the other way. This limit cycle is called
    **hunting**. The bar at the bob shows when the joint is stuck; the dashed line is the target.
    """),
            break_away,
            integral,
        ]
    )
    return break_away, integral


@app.cell
def hunting_run(break_away, integral, motor, pendulum, ratio_of_drive, stiction):
    law = stiction.Stribeck(level=1.0, static=break_away.value, velocity=0.05, viscous=0.2)
    _drive = stiction.Drive(motor=motor, gear=stiction.Gear(ratio=ratio_of_drive), joint_friction=law)
    _pid = stiction.PID(
        clock=stiction.Clock(period=2e-3), proportional=8.0, integral=integral.value, derivative=0.5, limit=24.0
    )
    _scene = stiction.Scene(
        robot=pendulum, drives={"joint1": _drive}, control={"joint1": _pid}, reference={"joint1": 1.0}
    )
    hunt = stiction.simulate(_scene, duration=40.0, step=1e-3, record=0.01)
    return hunt, law


@app.cell
def hunting_picture(hunt, mo, moving_picture, np):
    _shown = slice(0, 1201, 10)
    _q, _stuck = hunt["q.joint1"][_shown, None], hunt["mode.joint1"][_shown, None] == 0
    _out, _across = np.hstack([np.sin(_q), -np.cos(_q)]), np.hstack([np.cos(_q), np.sin(_q)])
    _bob, _bar = 0.5 * _out, np.where(_stuck, 0.06, 0.0) * _across
    _aim = np.array([np.sin(1.0), -np.cos(1.0)])
    _lines = {"pendulum": np.stack([0 * _bob, _bob], axis=1), "stuck": np.stack([_bob - _bar, _bob + _bar], axis=1)}
    mo.Html(moving_picture(hunt.time[_shown], _lines, traces={"target": np.stack([0 * _aim, 0.62 * _aim])}))
    return


@app.cell
def hunting_figure(COLORS, hunt, law, np, style, subplots):
    _early = hunt.time <= 20
    _time, _stuck = hunt.time[_early], hunt["mode.joint1"][_early] == 0
    _speeds = np.linspace(0.0, 0.4, 200)
    with style():
        _figure, (_curve, _place, _volts) = subplots(3, 6.4, 6.6, sharex=False)
        _curve.plot(
            [0, 0, *_speeds], [0, law.breakaway(1.0), *(law.strength(w, 1.0) for w in _speeds)], color=COLORS[1]
        )
        _curve.set_ylim(0, 4.2)
        _curve.set_ylabel("friction [N·m]")
        _curve.set_xlabel("speed of the joint [rad/s]")
        for _axes, _signal, _word in ((_place, "q.joint1", "angle [rad]"), (_volts, "command.joint1", "voltage [V]")):
            _axes.fill_between(
                _time,
                0,
                1,
                where=_stuck,
                transform=_axes.get_xaxis_transform(),
                color=COLORS[7],
                alpha=0.3,
                linewidth=0,
                label="stuck",
            )
            _axes.plot(_time, hunt[_signal][_early])
            _axes.set_ylabel(_word)
            _axes.set_xlim(0, 20)
        _place.axhline(1.0, color=COLORS[7], linewidth=1)
        _place.set_ylim(0.6, 1.4)
        _place.legend(loc="lower right")
        _volts.set_xlabel("time [s]")
    _figure
    return


@app.cell
def exercise_3(break_away, hunt, law, mo, motor, np, ratio_of_drive):
    _late = hunt.time >= 20
    _stuck, _q = hunt["lasting_mode.joint1"][_late] == 0, hunt["q.joint1"][_late]
    _stops = _q[1:][_stuck[1:] & ~_stuck[:-1]]
    slips = np.abs(np.diff(_stops))
    slips = slips[slips > 1e-4]
    _stiffness = 8.0 * ratio_of_drive * motor.constant / motor.resistance + 9.81 * 0.5 * np.cos(1.0)
    slip_by_formula = (law.breakaway(1.0) - 1.0) / _stiffness
    _seen = (
        f"{slips.mean():.4f} rad, {len(slips)} times"
        if len(slips)
        else "not at all: it rests so close to its target that the integral takes long to grow, or to break it loose twice"
    )
    mo.md(rf"""
    ## Exercise 3: how far does it slip?

    At break-away the joint is pushed by $F_s$ and resisted by $F_c$. Motor damping is strong, so it moves until the surplus is used up: by
    the controller, whose stiffness at the joint is $k_P\,G K/R$, and by gravity, $m g l \cos q$. With the integral as good as constant
    during the slip,

    $$\Delta q \approx \frac{{F_s - F_c}}{{k_P\,G K/R + m g l \cos q}} .$$

    By hand: ({break_away.value:g} − 1) N·m over {_stiffness:.2f} N·m/rad, **{slip_by_formula:.4f} rad**. Simulated, mean from
    20 s to 40 s: **{_seen}**. The formula is rough: the integral goes on during the slip, and some of the Stribeck surplus is left when the joint is slow.

    What to see: break-away decides **how far** it slips, the integral gain **how often**. With break-away near sliding friction, as in
    Coulomb's law, there is nothing to slip on and the joint creeps up to its target.
    """)
    return slip_by_formula, slips


@app.cell
def ask_3(Question):
    question_3 = Question(
        r"An arm hunts about its target, by a tenth of a degree. Which change ends the hunting?",
        "stop integrating while the error is within a small band",
        {
            "a larger integral gain": r"It breaks loose sooner, slips as far as before, and hunts faster. Try the slider.",
            "a smaller integral gain": r"It takes longer to break loose; then it slips by about $(F_s - F_c)/k$ as before. Hunting "
            r"becomes slower, not smaller.",
            "stop integrating while the error is within a small band": r"Then nothing grows while the joint is stuck near the target, and "
            r"friction holds it there. A band as wide as a slip will do; the error that remains is chosen rather than endured.",
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
def course(mo):
    mo.md("""
    ## Two questions on the whole course
    """)
    return


@app.cell
def ask_4(Question):
    question_4 = Question(
        r"A joint is stuck: $\dot q = 0$, dry friction holds it. What decides how large the friction torque is?",
        "the rest of the equation of motion",
        {
            "the friction law, at zero speed": r"The law only bounds it, $|\tau_f| \le F_s$. With exactly $F_s$ an unloaded joint would "
            r"be set in motion by its own friction.",
            "nothing: without motion there is no friction": r"Then a load would always move it. A joint that holds a load needs a torque "
            r"against it.",
            "the rest of the equation of motion": r"It is whatever keeps $\ddot q = 0$, out of the interval $\pm F_s$: a reaction, as the "
            r"multipliers $\lambda$ of a constraint $A\dot q = 0$ (lesson 7), until it would have to exceed $F_s$: then the joint "
            r"slides. The simulator finds all of them together, in one problem.",
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
def ask_5(Question):
    question_5 = Question(
        r"You simulate a 2R arm that swings without motors and without friction. Its energy grows by 1 % per second, and the equations of motion have been checked. Where do you look for the fault?",
        "in the integration method or its step",
        {
            "nowhere: M(q) changes, and the kinetic energy with it": r"Kinetic energy does change, in exchange with potential energy. "
            r"Their sum stays: that is what the Lagrangian equations say (lesson 1).",
            "in the Coriolis terms: they do work on a fast arm": r"The velocity terms and the change of $M$ cancel in the power: "
            r"$\dot q^T(\dot M - 2C)\,\dot q = 0$. Energy moves between joints by them, none is made.",
            "in the integration method or its step": r"The equations conserve $K + P$; a method does so only up to its error (lesson 5). "
            r"Halve the step: if the growth falls with it, it was the method; if it stays, check the model again.",
        },
    )
    answer_5 = question_5.ask()
    answer_5
    return answer_5, question_5


@app.cell
def reply_5(answer_5, question_5):
    question_5.reply(answer_5.value)
    return


if __name__ == "__main__":
    app.run()
