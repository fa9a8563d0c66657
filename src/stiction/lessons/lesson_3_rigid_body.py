import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="Lesson 3: One rigid body")


@app.cell
def imports():
    import marimo as mo
    import numpy as np

    import stiction
    from stiction.lessons.question import Question
    from stiction.parts import FreeBody
    from stiction.show.figure import COLORS, style, subplots
    from stiction.show.moving import moving_picture

    return COLORS, FreeBody, Question, mo, moving_picture, np, stiction, style, subplots


@app.cell
def tools(np):
    def matrix(x, digits=3):
        """A matrix in LaTeX."""
        rounded = np.round(np.asarray(x, float), digits) + 0.0
        return r"\begin{bmatrix}" + r"\\".join(" & ".join(f"{e:g}" for e in row) for row in rounded) + r"\end{bmatrix}"

    def skew(p):
        """[p], with [p] x = p × x."""
        return np.cross(p, np.eye(3)).T

    def power(x):
        """A number of this size, in LaTeX."""
        exponent = int(np.floor(np.log10(x))) if x > 0 else 0
        return rf"{x / 10.0**exponent:.0f} \cdot 10^{{{exponent}}}" if x > 0 else "0"

    return matrix, power, skew


@app.cell
def opening(mo):
    mo.md(r"""
    # 3 · One rigid body

    A robot is a chain of rigid bodies, so before the chain comes the body. Of all its particles, dynamics remembers ten numbers: the **mass**
    $\mathfrak m$, the **centre of mass** and the six entries of the symmetric **inertia matrix** $\mathcal I_b$. In a frame $\{b\}$ at the centre of
    mass they make up the **spatial inertia**

    $$\mathcal G_b = \begin{bmatrix} \mathcal I_b & 0 \\ 0 & \mathfrak m\, 1 \end{bmatrix}, \qquad
    K = \tfrac12\, \mathcal V_b^T \mathcal G_b \mathcal V_b,$$

    with the twist $\mathcal V = (\omega, v)$. The laws of Newton and Euler become one equation for the wrench $\mathcal F = (m, f)$, a moment and a force:

    $$\mathcal F_b = \mathcal G_b \dot{\mathcal V}_b - [\mathrm{ad}_{\mathcal V_b}]^T \mathcal G_b \mathcal V_b .$$

    `stiction.MassProperties` holds the ten numbers and does all of this.
    """)
    return


@app.cell
def inertia_text(mo):
    mo.md(r"""
    ## Inertia: points, densities, solids

    With $[p]$ the matrix of the cross product, $[p]\,x = p \times x$, the inertia of points and of densities is

    $$\mathcal I_b = -\sum_i \mathfrak m_i [p_i]^2, \qquad \mathcal I_b = -\int \rho(p)\, [p]^2\, dV ,$$

    with $p$ measured from the centre of mass. Mind the **minus**: $-[p]^2 = \|p\|^2\, 1 - p\, p^T$ is positive semidefinite, so $[p]^2$ is negative semidefinite. The
    page that this lesson follows forgets the minus of the integral; bodies would then have negative kinetic energy.

    Take a book: a box 0.3 m long (x), 0.03 m thick (z), of 1.2 kg. Cut it into $n^3$ equal cells, each a point mass; or integrate its density;
    or use the formula for boxes:
    """)
    return


@app.cell
def knobs_book(mo):
    width = mo.ui.slider(0.06, 0.28, step=0.01, value=0.2, label="width of the book (y) [m]", show_value=True)
    cells = mo.ui.slider(2, 12, step=1, value=4, label="points along each edge, $n$", show_value=True)
    mo.vstack([width, cells])
    return cells, width


@app.cell
def book_inertia(cells, mo, np, stiction, width):
    mass, size = 1.2, np.array([0.3, width.value, 0.03])
    book = stiction.Box(size=tuple(size.tolist()), mass=mass)
    _n = int(cells.value)
    _steps = (np.arange(_n) + 0.5) / _n - 0.5
    _points = np.stack(np.meshgrid(*(_steps * x for x in size), indexing="ij"), axis=-1).reshape(-1, 3)
    _density = mass / float(np.prod(size))
    _squares = size**2
    book_by_hand = mass / 12 * (_squares.sum() - _squares)
    book_ways = {
        f"{_n}³ points: `of_points`": stiction.MassProperties.of_points(np.full(_n**3, mass / _n**3), _points),
        "density: `of_density`": stiction.MassProperties.of_density(
            lambda x, y, z: _density + 0 * x, -size / 2, size / 2, points=4
        ),
        "solid: `of_solids`": stiction.MassProperties.of_solids(book),
    }
    _lines = {name: body.inertia.diagonal() for name, body in book_ways.items()}
    _lines[r"by hand: $\mathfrak m (b^2 + c^2)/12$ etc."] = book_by_hand
    _rows = "\n".join(
        f"    | {name} | " + " | ".join(f"{1e3 * x:.4f}" for x in values) + " |" for name, values in _lines.items()
    )
    mo.md(rf"""
    | in $10^{{-3}}$ kg m² | $\mathcal I_{{xx}}$ | $\mathcal I_{{yy}}$ | $\mathcal I_{{zz}}$ |
    |---|---|---|---|
{_rows}

    Points leave out the inertia of each cell about its own centre. Here that is the fraction $1/n^2$ of the whole.
    """)
    return book, book_by_hand, book_ways, mass, size


@app.cell
def exercise_6(skew, matrix, mo, np, stiction):
    def ring(count):
        angle = np.linspace(0, 2 * np.pi, count, endpoint=False)
        points = np.stack([0 * angle, 3 * np.cos(angle), 3 * np.sin(angle)], axis=-1)
        return np.full(count, 10 / count), points

    ring_by_hand = np.diag([90.0, 45.0, 45.0, 10.0, 10.0, 10.0])
    ring_by_points = stiction.MassProperties.of_points(*ring(360)).spatial()
    ring_by_three = stiction.MassProperties.of_points(*ring(3)).spatial()
    ring_without_minus = sum(m * skew(p) @ skew(p) for m, p in zip(*ring(360), strict=True))
    _rows = "\n".join(
        f"    | {name} | " + " | ".join(f"{x:.6g}" for x in np.round(G.diagonal(), 9)) + " |"
        for name, G in (("by hand", ring_by_hand), ("360 points", ring_by_points), ("3 points", ring_by_three))
    )
    mo.md(rf"""
    ### Exercise 6: a ring

    What is $\mathcal G_b$ of a thin ring of radius 3 m and mass 10 kg in the plane $x = 0$?

    **By hand.** Every particle is 3 m away from the x axis: $\mathcal I_{{xx}} = 10 \cdot 3^2 = 90$ kg m². A plane body has
    $\mathcal I_{{xx}} = \mathcal I_{{yy}} + \mathcal I_{{zz}}$, and by symmetry the two are equal: 45 kg m² each.

    **With the software**, `MassProperties.of_points(masses, points).spatial()`; here the diagonal, all else is 0:

    | | $\mathcal I_{{xx}}$ | $\mathcal I_{{yy}}$ | $\mathcal I_{{zz}}$ | $\mathfrak m$ | $\mathfrak m$ | $\mathfrak m$ |
    |---|---|---|---|---|---|---|
{_rows}

    Three points do as well as the whole ring: the ten numbers are all that dynamics sees. And without the minus,

    $$+\sum_i \mathfrak m_i [p_i]^2 = {matrix(ring_without_minus)} \text{{ kg m}}^2 .$$
    """)
    return ring_by_hand, ring_by_points, ring_by_three, ring_without_minus


@app.cell
def parallel_axes(mo):
    mo.md(r"""
    ## Parallel axes

    About a point at the vector $d$ from the centre of mass, in the same axes, the inertia is

    $$\mathcal I_d = \mathcal I_b + \mathfrak m \left( \|d\|^2\, 1 - d\, d^T \right) .$$

    It is **smallest about the centre of mass**. And this is how bodies are put together: carry all inertias to the common centre, then add.
    """)
    return


@app.cell
def exercise_7(mo, np, stiction):
    cube = stiction.Box(size=(2, 2, 2), mass=2.0, origin=stiction.Origin(xyz=(0, 0, 1)))
    ball = stiction.Sphere(radius=1.0, mass=1.0, origin=stiction.Origin(xyz=(0, 0, 3)))
    pair = stiction.MassProperties.of_solids(cube, ball)
    _across = 4 / 3 + 2 * (2 / 3) ** 2 + 2 / 5 + (4 / 3) ** 2
    pair_by_hand = np.array([_across, _across, 4 / 3 + 2 / 5])
    printed_center = (2 * 1 + 1 * 3) / 2
    printed = pair.about([0, 0, printed_center])
    _numbers = {
        "by hand": (5 / 3, pair_by_hand),
        "`of_solids`": (pair.center[2], pair.inertia.diagonal()),
        "`about` z = 2.5": (printed_center, printed.diagonal()),
    }
    _rows = "\n".join(
        f"    | {name} | {z:.4f} | " + " | ".join(f"{x:.4f}" for x in values) + " |"
        for name, (z, values) in _numbers.items()
    )
    mo.md(rf"""
    ### Exercise 7: a cube and a sphere

    On a cube of edge 2 m and mass 2 kg lies a sphere of radius 1 m and mass 1 kg. What is $\mathcal G_b$ of the two together?

    **By hand.** The centre of mass is at $z = (2 \cdot 1 + 1 \cdot 3)/3 = 5/3$ m: 2/3 m above the centre of the cube, 4/3 m below that of the sphere.
    About its own centre the cube has $\mathfrak m\, a^2/6 = 4/3$ kg m² and the sphere $\tfrac25 \mathfrak m\, r^2 = 2/5$ kg m², about any axis. So

    $$\mathcal I_{{xx}} = \mathcal I_{{yy}} = \tfrac43 + 2 \left(\tfrac23\right)^2 + \tfrac25 + 1 \left(\tfrac43\right)^2 = 4.40$$

    $$\mathcal I_{{zz}} = \tfrac43 + \tfrac25 = 1.73$$

    and $\mathcal G_b = \mathrm{{diag}}(4.40, 4.40, 1.73, 3, 3, 3)$.

    **With the software**, `MassProperties.of_solids(cube, ball)`, in kg m²:

    | | z [m] | $\mathcal I_{{xx}}$ | $\mathcal I_{{yy}}$ | $\mathcal I_{{zz}}$ |
    |---|---|---|---|---|
{_rows}
    | the page | {printed_center:.4f} | 6.48 | 6.48 | 1.73 |

    **Why the page differs.** It prints $\mathrm{{diag}}(6.48, 6.48, 1.73, 3, 3, 3)$, because it divides $2 \cdot 1 + 1 \cdot 3$ by 2 instead of by the total
    mass, 3. That puts the centre at 2.5 m, 5/6 m too high, and parallel axes then add $3 \cdot (5/6)^2 = 2.08$ kg m². The last two rows show it: the
    printed numbers are right about a point that is not the centre of mass. Move the point along the axis, and look for the smallest inertia:
    """)
    return ball, cube, pair, pair_by_hand, printed, printed_center


@app.cell
def knobs_height(mo):
    height = mo.ui.slider(0.0, 4.0, step=0.05, value=3.0, label="height of the point z [m]", show_value=True)
    height
    return (height,)


@app.cell
def pair_figure(COLORS, height, mo, np, pair, printed_center, style, subplots):
    _z = np.linspace(0, 4, 81)
    _Ixx = np.array([pair.about([0, 0, z])[0, 0] for z in _z])
    there = pair.about([0, 0, height.value])[0, 0]
    _angle = np.linspace(0, 2 * np.pi, 100)
    with style():
        _first, _left = subplots(1, 4.0, 3.0)
        _left.fill([-1, 1, 1, -1], [0, 0, 2, 2], color=COLORS[0], alpha=0.2)
        _left.fill(np.cos(_angle), 3 + np.sin(_angle), color=COLORS[5], alpha=0.4)
        _second, _right = subplots(1, 4.0, 4.6)
        _right.plot(_Ixx, _z, color=COLORS[0])
        for _height, _color, _name in (
            (pair.center[2], COLORS[2], "centre of mass"),
            (printed_center, COLORS[1], "printed"),
        ):
            _left.plot(0, _height, "o", color=_color)
            _right.plot(pair.about([0, 0, _height])[0, 0], _height, "o", color=_color, label=_name)
        _left.plot([-1.3, 1.3], [height.value] * 2, ":", color="0.3")
        _right.plot([0, there], [height.value] * 2, ":", color="0.3")
        _right.plot(there, height.value, "s", color="0.3", markersize=5, label="slider")
        _left.set(xlim=(-1.4, 1.4), ylim=(-0.1, 4.1), aspect="equal", xlabel="x [m]", ylabel="z [m]", title="side view")
        _right.set(xlim=(0, 22), ylim=(-0.1, 4.1), xlabel="inertia about x at that height [kg m²]", ylabel="z [m]")
        _right.legend(loc="lower right")
    _over = height.value - pair.center[2]
    mo.vstack(
        [
            mo.hstack([_first, _second], wrap=True, justify="start"),
            mo.md(
                rf"At $z = {height.value:.2f}$ m: $\mathcal I_{{xx}} = 4.40 + 3 \cdot ({_over:.3f})^2 = {there:.3f}$ kg m². The parabola has its lowest "
                "value at the centre of mass, and nowhere else is the spatial inertia block diagonal."
            ),
        ]
    )
    return (there,)


@app.cell
def ask_1(Question):
    question_1 = Question(
        r"A body of 2 kg has 5 kg m² about an axis that passes at 1 m from its centre of mass. What is it about a parallel axis at 2 m from "
        "the centre?",
        "11 kg m²",
        {
            "7 kg m²": r"That adds $2 \cdot 1^2$ for the distance between the two axes. Parallel axes count from the centre of mass only.",
            "11 kg m²": r"First back to the centre, $5 - 2 \cdot 1^2 = 3$; then out again, $3 + 2 \cdot 2^2 = 11$ kg m².",
            "13 kg m²": r"That is $5 + 2 \cdot 2^2$: as if the 5 kg m² were about the centre. There it is only $5 - 2 \cdot 1^2 = 3$ kg m².",
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
def principal_text(mo):
    mo.md(r"""
    ## Principal axes

    In the axes at hand $\mathcal I_b$ is seldom diagonal. But it is symmetric, so there are always three orthogonal **principal axes** in which it is:
    its eigenvectors, with the **principal moments** as eigenvalues. A bracket, cut from a sheet of aluminium 1 cm thick:
    """)
    return


@app.cell
def knobs_leg(mo):
    leg = mo.ui.slider(0.05, 0.4, step=0.01, value=0.15, label="upright leg [m]", show_value=True)
    leg
    return (leg,)


@app.cell
def bracket_figure(COLORS, leg, stiction, style, subplots):
    _foot = stiction.Box(size=(0.3, 0.05, 0.01), density=2700.0, origin=stiction.Origin(xyz=(0.15, 0.025, 0)))
    _middle = stiction.Origin(xyz=(0.025, 0.05 + leg.value / 2, 0))
    _upright = stiction.Box(size=(0.05, leg.value, 0.01), density=2700.0, origin=_middle)
    bracket = stiction.MassProperties.of_solids(_foot, _upright)
    moments, principal_axes = bracket.principal()
    _x, _y, _ = bracket.center
    with style():
        _figure, _axes = subplots(1, 4.4, 4.4)
        _top = 0.05 + leg.value
        _axes.fill([0, 0.3, 0.3, 0.05, 0.05, 0], [0, 0, 0.05, 0.05, _top, _top], color=COLORS[0], alpha=0.2)
        for _k in range(2):
            _dx, _dy, _ = 0.15 * principal_axes[:, _k]
            _axes.plot([_x - _dx, _x + _dx], [_y - _dy, _y + _dy], color=COLORS[_k + 1], label=f"axis {_k + 1}")
        _axes.plot(_x, _y, "o", color="0.2", label="centre of mass")
        _axes.set(xlim=(-0.1, 0.4), ylim=(-0.1, 0.46), aspect="equal", xlabel="x [m]", ylabel="y [m]")
        _axes.legend(loc="upper right")
    _figure
    return bracket, moments, principal_axes


@app.cell
def bracket_numbers(bracket, matrix, mo, moments, np, principal_axes):
    axis_angle = (np.degrees(np.arctan2(principal_axes[1, 0], principal_axes[0, 0])) + 90) % 180 - 90
    mo.md(rf"""
    `bracket.inertia` and the moments of `bracket.principal()`, in $10^{{-3}}$ kg m²:

    $${matrix(1e3 * bracket.inertia)}, \qquad \begin{{aligned}} \mathcal I_1 &= {1e3 * moments[0]:.3f} \\
    \mathcal I_2 &= {1e3 * moments[1]:.3f} \\ \mathcal I_3 &= {1e3 * moments[2]:.3f} \end{{aligned}}$$

    Axis 1 stands at ${axis_angle:.1f}°$ to x, axis 3 is z. The bracket resists turning about axis 1 least and about z most; being nearly flat, it has
    $\mathcal I_3 \approx \mathcal I_1 + \mathcal I_2$. Give both legs the same shape (0.25 m): the axes stand at 45°, as symmetry demands.
    """)
    return (axis_angle,)


@app.cell
def ask_2(Question):
    question_2 = Question(
        "Which numbers, in kg m², can be the principal moments of a rigid body?",
        "2, 3 and 4",
        {
            "1, 2 and 4": r"All are positive, but $4 > 1 + 2$. Since $\mathcal I_{xx} + \mathcal I_{yy} - \mathcal I_{zz} = 2 \int \rho z^2\, dV \ge 0$, "
            "none may exceed the sum of the other two.",
            "2, 3 and 4": r"All are positive, and $4 \le 2 + 3$: the triangle inequality holds.",
            "−1, 2 and 2": "A negative moment would mean negative kinetic energy of turning about that axis.",
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
def frame_text(mo):
    mo.md(r"""
    ## The same body in another frame

    Let frame $\{a\}$ stand at $T_{ba}$, as seen from $\{b\}$. Twists change by the adjoint,

    $$\mathcal V_b = [\mathrm{Ad}_{T_{ba}}]\, \mathcal V_a, \qquad [\mathrm{Ad}_T] = \begin{bmatrix} R & 0 \\ [p] R & R \end{bmatrix},$$

    and the kinetic energy must not depend on the frame. So

    $$\mathcal G_a = [\mathrm{Ad}_{T_{ba}}]^T\, \mathcal G_b\, [\mathrm{Ad}_{T_{ba}}],$$

    parallel axes and the turning of axes in one formula. For the bracket above:
    """)
    return


@app.cell
def knobs_frame(mo):
    shift = mo.ui.slider(0.05, 0.5, step=0.05, value=0.2, label=r"shift of $\{a\}$ along x [m]", show_value=True)
    turn = mo.ui.slider(5, 175, step=5, value=30, label=r"turn of $\{a\}$ about z [°]", show_value=True)
    mo.vstack([shift, turn])
    return shift, turn


@app.cell
def frames(bracket, matrix, mo, np, power, shift, stiction, turn):
    _c, _s = np.cos(np.radians(turn.value)), np.sin(np.radians(turn.value))
    T_ba = np.array([[_c, -_s, 0, shift.value], [_s, _c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    centred = stiction.MassProperties(bracket.mass, np.zeros(3), bracket.inertia)
    _Ad = stiction.adjoint(T_ba)
    G_b = centred.spatial()
    G_a = _Ad.T @ G_b @ _Ad
    G_a_moved = centred.moved(np.linalg.inv(T_ba)).spatial(at_center=False)
    _Va = np.array([0.5, -1.0, 2.0, 0.3, 0.2, -0.1])
    _Vb = _Ad @ _Va
    energies = (_Va @ G_a @ _Va / 2, _Vb @ G_b @ _Vb / 2)
    mo.md(rf"""
    In units of $10^{{-3}}$ kg m², $10^{{-3}}$ kg m and $10^{{-3}}$ kg, with `stiction.adjoint(T_ba)`:

    $$\mathcal G_b = {matrix(1e3 * G_b, 2)}$$

    $$\mathcal G_a = {matrix(1e3 * G_a, 2)}$$

    `body.moved(T_ab).spatial(at_center=False)`, which turns the axes and applies Steiner's theorem, gives the same: the largest difference is
    ${power(abs(G_a - G_a_moved).max())}$. For $\mathcal V_a = (0.5, -1, 2;\ 0.3, 0.2, -0.1)$ the kinetic energy is {energies[0]:.9f} J computed in $\{{a\}}$
    and {energies[1]:.9f} J in $\{{b\}}$. Away from the centre of mass $\mathcal G$ has blocks off the diagonal: turning and moving are coupled.
    """)
    return G_a, G_a_moved, G_b, T_ba, centred, energies


@app.cell
def newton_euler(G_b, centred, mo, np, stiction):
    V, dV = np.array([0.5, -1.0, 2.0, 0.3, 0.2, -0.1]), np.array([1.0, 0.4, -0.6, 0.2, -0.3, 0.5])
    _w, _v, _dw, _dv = V[:3], V[3:], dV[:3], dV[3:]
    _I, _m = centred.inertia, centred.mass
    wrench_by_ad = G_b @ dV - stiction.ad(V).T @ G_b @ V
    wrench_by_hand = np.concatenate([_I @ _dw + np.cross(_w, _I @ _w), _m * (_dv + np.cross(_w, _v))])
    wrench_of_body = centred.wrench(V, dV)
    _names = ("$m_x$ [N·m]", "$m_y$ [N·m]", "$m_z$ [N·m]", "$f_x$ [N]", "$f_y$ [N]", "$f_z$ [N]")
    _rows = "\n".join(
        f"    | {name} | " + " | ".join(f"{x:.9f}" for x in values) + " |"
        for name, *values in zip(_names, wrench_by_hand, wrench_by_ad, wrench_of_body, strict=True)
    )
    mo.md(rf"""
    ## Newton and Euler in one line

    $$\mathcal F_b = \mathcal G_b \dot{{\mathcal V}}_b - [\mathrm{{ad}}_{{\mathcal V_b}}]^T \mathcal G_b \mathcal V_b, \qquad
    [\mathrm{{ad}}_{{\mathcal V}}] = \begin{{bmatrix}} [\omega] & 0 \\ [v] & [\omega] \end{{bmatrix}}$$

    Written out at the centre of mass, these are Euler's and Newton's laws in a frame that turns with the body:

    $$m_b = \mathcal I_b \dot\omega + \omega \times \mathcal I_b\, \omega, \qquad f_b = \mathfrak m\, (\dot v + \omega \times v).$$

    For the bracket with $\mathcal V = (0.5, -1, 2;\ 0.3, 0.2, -0.1)$ and $\dot{{\mathcal V}} = (1, 0.4, -0.6;\ 0.2, -0.3, 0.5)$:

    | | written out | with `ad` | `body.wrench` |
    |---|---|---|---|
{_rows}
    """)
    return V, dV, wrench_by_ad, wrench_by_hand, wrench_of_body


@app.cell
def throw_text(mo):
    mo.md(r"""
    ## Thrown, and left to itself

    In free fall only gravity acts on a body. It acts at the centre of mass and does not turn it, so Euler's law is

    $$\mathcal I_b\, \dot\omega = -\omega \times \mathcal I_b\, \omega .$$

    Spinning about a principal axis, $\omega \times \mathcal I_b\, \omega = 0$, a body goes on spinning for ever. But is that stable? Throw the book of the
    first section with the spin $\Omega$ about y (the orange line). Its inertia about y lies between the other two: y is the **intermediate axis**.
    No throw is perfect; let there be small errors $\pm\varepsilon$ about x and z.
    """)
    return


@app.cell
def knobs_throw(mo, width):
    spin = mo.ui.slider(2.0, 8.0, step=0.5, value=5.0, label=r"spin $\Omega$ [rad/s]", show_value=True)
    nudge = mo.ui.slider(0.005, 0.3, step=0.005, value=0.05, label=r"error $\varepsilon$ [rad/s]", show_value=True)
    mo.vstack([spin, nudge, width])
    return nudge, spin


@app.cell
def tumbling(FreeBody, book, moving_picture, np, nudge, size, spin, stiction):
    _e, _W = nudge.value, spin.value
    # about x, y, z, and about y with a tenth of the error
    starts = np.array([[_W, _e, -_e], [_e, _W, -_e], [_e, -_e, _W], [_e / 10, _W, -_e / 10]])
    _scene = stiction.Scene(parts={"book": FreeBody.of(book, angular=(0.05, 5.0, -0.05))}, gravity=(0, 0, 0))
    _many = {f"book.angular.{c}": starts[:, k] for k, c in enumerate("xyz")}
    throws = stiction.simulate(_scene, duration=20.0, step=1e-3, record=0.02, parameters=_many)
    omega = np.stack([throws[f"book.angular.{c}"] for c in "xyz"], axis=-1)  # in the body's axes, (moments, throws, 3)
    _w, _x, _y, _z = (throws[f"book.quaternion.{c}"][:, 1] for c in "wxyz")
    _entries = [
        [1 - 2 * (_y**2 + _z**2), 2 * (_x * _y - _w * _z), 2 * (_x * _z + _w * _y)],
        [2 * (_x * _y + _w * _z), 1 - 2 * (_x**2 + _z**2), 2 * (_y * _z - _w * _x)],
        [2 * (_x * _z - _w * _y), 2 * (_y * _z + _w * _x), 1 - 2 * (_x**2 + _y**2)],
    ]
    rotations = np.moveaxis(np.array(_entries), 2, 0)  # of the second throw, (moments, 3, 3)
    _view = np.array(
        [[0.94, 0.0, 0.34], [-0.12, 0.94, 0.32]]
    )  # x to the right, y upwards, from a little aside and above
    _a, _b = size[0] / 2, size[1] / 2
    _solid = {
        "book": np.array([[-_a, -_b, 0], [_a, -_b, 0], [_a, _b, 0], [-_a, _b, 0], [-_a, -_b, 0]]),
        "intermediate axis": np.array([[0, 0, 0], [0, 0.25, 0]]),
    }
    _first = throws.time <= 6.0
    picture = moving_picture(
        throws.time[_first],
        {name: np.einsum("ij,tjk,nk->tni", _view, rotations[_first], points) for name, points in _solid.items()},
    )
    return omega, picture, rotations, starts, throws


@app.cell
def tumbling_figure(COLORS, book_by_hand, mo, np, nudge, omega, picture, spin, style, subplots, throws):
    _Ix, _Iy, _Iz = book_by_hand
    _alpha, _beta = spin.value * (_Iz - _Iy) / _Ix, spin.value * (_Iy - _Ix) / _Iz
    growth = float(np.sqrt(_alpha * _beta))
    _shown = throws.time <= 6.0
    _t = throws.time[_shown]
    linear = nudge.value * (np.cosh(growth * _t) + _alpha / growth * np.sinh(growth * _t))
    with style():
        _figure, (_above, _below) = subplots(2, 4.8, 6.0)
        _lines = {
            "z: largest": (2, "-", 4, 0.4),
            "y: intermediate": (1, "-", 1.5, 1),
            "x: smallest inertia": (0, "--", 1.5, 1),
        }
        for _color, (_name, (_k, _stroke, _wide, _dense)) in zip(COLORS, _lines.items(), strict=False):
            _above.plot(_t, omega[_shown, _k, _k], _stroke, color=_color, linewidth=_wide, alpha=_dense, label=_name)
        _above.set_ylabel("thrown about x, y, z:\nspeed about that axis [rad/s]")
        _above.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.25))
        _below.semilogy(_t, np.abs(omega[_shown, 1, 0]), color=COLORS[1], label="simulated")
        _below.semilogy(_t, linear, ":", color="0.3", label="linearised")
        _below.set(ylim=(nudge.value / 3, 4 * spin.value), xlabel="time [s]")
        _below.set_ylabel("thrown about y:\n|speed about x| [rad/s]")
        _below.legend(loc="lower right")
    mo.vstack([mo.Html(picture), _figure])
    return growth, linear


@app.cell
def tumbling_numbers(book_by_hand, growth, mo, np, omega, power, rotations, throws):
    flips = [float(throws.time[np.argmax(omega[:, k, 1] < 0)]) for k in (1, 3)]
    momentum = np.einsum("tij,j,tj->ti", rotations, book_by_hand, omega[:, 1])
    energy = (book_by_hand * omega[:, 1] ** 2).sum(axis=1) / 2
    drift = float(abs(momentum - momentum[0]).max() / np.linalg.norm(momentum[0])), float(np.ptp(energy) / energy[0])
    mo.md(rf"""
    About the axes of the smallest and of the largest inertia the error stays small. About the intermediate axis the book **flips over**, again and
    again: the *intermediate-axis theorem*. Linearised about $\omega = (0, \Omega, 0)$, Euler's law says why: the errors grow like $e^{{\lambda t}}$ with

    $$\lambda = \Omega\, \sqrt{{\frac{{(\mathcal I_y - \mathcal I_x)(\mathcal I_z - \mathcal I_y)}}{{\mathcal I_x\, \mathcal I_z}}}} =
    {growth:.3f}\ \text{{1/s}}.$$

    The root is real because $\mathcal I_y$ lies between the others; for the other two axes it is imaginary, and errors only oscillate. In this throw y
    turns round for the first time after {flips[0]:.2f} s, with a tenth of the error after {flips[1]:.2f} s: {flips[1] - flips[0]:.2f} s later, where
    the linearised law says $\ln(10)/\lambda = {np.log(10) / growth:.2f}$ s.

    All the while no moment acts on the book: over 20 s its angular momentum, seen from the world, changes by ${power(drift[0])}$ of its size, and its kinetic
    energy by ${power(drift[1])}$.
    """)
    return drift, energy, flips, momentum


@app.cell
def ask_3(Question):
    question_3 = Question(
        "No moment acts on a body, so its angular momentum is constant. Is its angular velocity constant, too?",
        "only if it spins about a principal axis",
        {
            "yes, nothing acts on it": r"What is constant in the world is $R\, \mathcal I_b\, \omega$. When $R$ changes, $\omega$ in general has to "
            "change with it.",
            "only if it spins about a principal axis": r"Then $\omega \times \mathcal I_b\, \omega = 0$ and $\dot\omega = 0$. In all other cases "
            r"$\dot\omega = -\mathcal I_b^{-1}(\omega \times \mathcal I_b\, \omega) \ne 0$.",
            "its direction is, its size is not": "The direction changes, too: the axis of the book turns round. What stays are the angular momentum "
            "and the kinetic energy.",
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
def ask_4(Question):
    question_4 = Question(
        "You learn to throw the book about its intermediate axis with an error ten times smaller. What happens?",
        "it still flips, a fixed time later",
        {
            "it no longer flips": "Spinning about the intermediate axis is unstable: every error grows, however small. "
            r"Only $\varepsilon = 0$ exactly would not.",
            "it still flips, a fixed time later": r"The error grows like $\varepsilon\, e^{\lambda t}$, so a tenth of it reaches the same size "
            r"$\ln(10)/\lambda$ later.",
            "it flips after ten times the time": r"That would be linear growth. It is exponential: a factor of 10 in the error only adds "
            r"$\ln(10)/\lambda$ to the time.",
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
