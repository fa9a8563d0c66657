"""Elementary functions made of additions, multiplications and a few bit operations, written as scalar Python.

Each takes an arithmetic `m` that knows the bit operations; values come from it and have operators. That of the emitter
(`arithmetic.Arithmetic`) makes vector code of them. Errors, tested against mpmath, stay below 2.5 units in the last
place on the stated ranges:

| function | range | outside |
|---|---|---|
| sin, cos (tan: 5 units) | all numbers | NaN at infinity |
| exp | results that are normal numbers | inf above, 0 below |
| log | positive normal numbers | −inf at 0, NaN below, inf at inf |
| pow | results that are normal numbers | inf above, 0 below; NaN for a negative base with a broken exponent |
| tanh | all numbers | |
| atan2 | ratios y/x that are normal numbers | 0 or ±π/2, ±π |

The polynomials interpolate at Chebyshev points what remains of each function after its leading terms.
"""

from collections.abc import Callable
from typing import Any

from stiction.trace.random import fraction, philox

# π/2 in three parts; the first two have 33 bits, so that their products with whole numbers below 2^20 are exact.
HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
TWO_OVER_PI = 0.6366197723675814
PI, PI_REST = 3.141592653589793, 1.2246467991473532e-16
LN2, LN2_REST = 0.6931471803691238, 1.9082149292705877e-10  # 33 bits, and the rest
LN2_LAST = 1.1612227229362532e-26  # what LN2 and LN2_REST leave
LARGEST_ANGLE = 1e6  # for three parts of π/2
SMALLEST = 2.2250738585072014e-308  # that is normal
TWO_THIRDS = 0.6666666666666666, 3.700743415417188e-17

SIN = (
    -0.16666666666666663,
    0.008333333333330627,
    -0.00019841269836278898,
    2.755731585691312e-06,
    -2.5051081300319015e-08,
    1.5914533820346306e-10,
)
COS = (
    0.041666666666666664,
    -0.0013888888888887196,
    2.4801587298465612e-05,
    -2.7557317118060557e-07,
    2.0876114647930045e-09,
    -1.1380383100821594e-11,
)
EXP = (
    0.16666666666666669,
    0.041666666666666664,
    0.008333333333329989,
    0.00138888888888865,
    0.0001984126986342035,
    2.480158731740639e-05,
    2.755726789174553e-06,
    2.755728256374953e-07,
    2.510065503606659e-08,
    2.0911429114372476e-09,
)
LOG = (
    0.666666666666667,
    0.3999999999989322,
    0.28571428628810996,
    0.22222210674238516,
    0.18182922513515942,
    0.15330617306743305,
    0.1463003136412286,
)
LOG_TAIL = (
    0.4,
    0.28571428571429364,
    0.22222222221656232,
    0.1818181833531448,
    0.15384594970887083,
    0.13334804238680917,
    0.11706248528721643,
    0.117230511556927,
)  # of log((1 + t)/(1 − t)) after 2t + (2/3)t³, by t⁵ and in powers of t²
ATAN = (
    -0.3333333333333333,
    0.19999999999995505,
    -0.1428571428466294,
    0.1111111101496664,
    -0.09090904566354399,
    0.07692182917461161,
    -0.06664507597561675,
    0.05858115476299884,
    -0.050852748016420944,
    0.03922660551087136,
    -0.01917070039374299,
)


def polynomial(m: Any, x: Any, coefficients: tuple[float, ...]) -> Any:
    """c0 + c1 x + c2 x² + … by Horner's rule."""
    total = m.constant(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = m.fma(total, x, m.constant(c))
    return total


def sin_cos(m: Any, x: Any) -> tuple[Any, Any]:
    """Sine and cosine: reduce to abs(r) ≤ π/4 and a quarter turn, which decides which is which and the signs."""
    turns = m.rint(x * m.constant(TWO_OVER_PI))
    r = x
    for part in HALF_PI:
        r = m.fma(turns, m.constant(-part), r)
    r, turns = m.reduced(abs(x) <= m.constant(LARGEST_ANGLE), (r, turns), x)
    square = r * r
    sine = m.fma(r * square, polynomial(m, square, SIN), r)
    half = square * m.constant(0.5)
    one = m.constant(1.0)
    near = one - half  # rounded: what it lost is (1 − near) − half
    cosine = near + m.fma(square * square, polynomial(m, square, COS), (one - near) - half)
    odd = m.bit(turns, 0)
    sine, cosine = m.where(odd, cosine, sine), m.where(odd, sine, cosine)
    sine = m.where(m.bit(turns, 1), -sine, sine)
    cosine = m.where(m.bit(turns + one, 1), -cosine, cosine)
    return sine, cosine


def sin(m: Any, x: Any) -> Any:
    """Sine of x."""
    return m.shared(sin_cos, x)[0]


def cos(m: Any, x: Any) -> Any:
    """Cosine of x."""
    return m.shared(sin_cos, x)[1]


def tan(m: Any, x: Any) -> Any:
    """Tangent of x."""
    sine, cosine = m.shared(sin_cos, x)
    return sine / cosine


def _exp_parts(m: Any, x: Any) -> tuple[Any, Any]:
    """The k and p of exp(x) = 2^k (1 + p), abs(p) < 0.42."""
    k = m.rint(x * m.constant(1 / 0.6931471805599453))
    r = m.fma(k, m.constant(-LN2_REST), m.fma(k, m.constant(-LN2), x))
    return k, m.fma(r * r, m.fma(r, polynomial(m, r, EXP), m.constant(0.5)), r)


def exp(m: Any, x: Any) -> Any:
    """Exponential of x."""
    k, p = _exp_parts(m, x)
    value = m.scale(m.constant(1.0) + p, k)
    value = m.where(x > m.constant(709.782712893384), m.constant(float("inf")), value)
    value = m.where(x < m.constant(-708.3964185322641), m.constant(0.0), value)
    return m.where(abs(x) <= m.constant(float("inf")), value, x)


def log(m: Any, x: Any) -> Any:
    """Natural logarithm of x."""
    e, s = m.exponent(x), m.significand(x)
    high = s > m.constant(1.4142135623730951)
    e = m.where(high, e + m.constant(1.0), e)
    f = m.where(high, s * m.constant(0.5), s) - m.constant(1.0)
    t = f / (f + m.constant(2.0))  # log(1 + f) = 2t + (2/3)t³ + … = f − t (f − t² (2/3 + …))
    square = t * t
    rest = t * (f - square * polynomial(m, square, LOG))
    value = m.fma(e, m.constant(LN2), f - (rest - e * m.constant(LN2_REST)))
    value = m.where(x < m.constant(float("inf")), value, x)  # inf and NaN pass through
    value = m.where(x < m.constant(0.0), m.constant(float("nan")), value)
    return m.where(abs(x) <= m.constant(0.0), m.constant(float("-inf")), value)


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """The sum of two numbers, and what its rounding lost (Knuth)."""
    high = a + b
    part = high - a
    return high, (a - (high - part)) + (b - part)


def _log_parts(m: Any, x: Any) -> tuple[Any, Any]:
    """The logarithm of a positive normal number as a sum of two numbers, to some 65 bits."""
    e, s = m.exponent(x), m.significand(x)
    high = s > m.constant(1.4142135623730951)
    e = m.where(high, e + m.constant(1.0), e)
    s = m.where(high, s * m.constant(0.5), s)
    top, (bottom, rest) = s - m.constant(1.0), _two_sum(s, m.constant(1.0))
    t = top / bottom  # log s = 2t + (2/3)t³ + …, t = (s − 1)/(s + 1) with its own error
    near, error = m.product(t, bottom)
    t_rest = (((top - near) - error) - t * rest) / bottom
    square, error = m.product(t, t)
    square_rest = m.fma(t + t, t_rest, error)
    cubic, error = m.product(square, m.constant(TWO_THIRDS[0]))
    tail = square * square * polynomial(m, square, LOG_TAIL)
    error = error + m.fma(square, m.constant(TWO_THIRDS[1]), square_rest * m.constant(TWO_THIRDS[0])) + tail
    more, lost = m.product(t, cubic)  # t (2/3 t² + …) beside 2t
    lost = lost + m.fma(t, error, t_rest * cubic)
    value, rest = _two_sum(t + t, more)
    rest = rest + (t_rest + t_rest) + lost
    first, lost = _two_sum(e * m.constant(LN2), value)
    second, error = _two_sum(e * m.constant(LN2_REST), lost)
    total = first + second
    return total, ((first - total) + second) + (error + rest + e * m.constant(LN2_LAST))


def pow(m: Any, x: Any, y: Any) -> Any:
    """The power x^y, with the edges that the C library's has."""
    zero, one, infinite = m.constant(0.0), m.constant(1.0), m.constant(float("inf"))
    size, whole, halved = abs(x), m.intrinsic("floor", y), y * m.constant(0.5)
    none = size < m.constant(SMALLEST)  # denormals count as 0
    log, rest = _log_parts(m, m.where(none, one, size))
    high, low = m.product(log, y)
    bounded = m.where(high > m.constant(800.0), m.constant(800.0), high)
    k = m.rint(m.where(bounded < m.constant(-800.0), m.constant(-800.0), bounded) * m.constant(1 / 0.6931471805599453))
    r = m.fma(k, m.constant(-LN2_REST), m.fma(k, m.constant(-LN2), high)) + m.fma(rest, y, low)
    value = m.scale(one + m.fma(r * r, m.fma(r, polynomial(m, r, EXP), m.constant(0.5)), r), k)
    value = m.where(high > m.constant(709.782712893384), infinite, value)
    value = m.where(high < m.constant(-708.3964185322641), zero, value)
    grows = y > zero
    value = m.where(none, m.where(grows, zero, infinite), value)
    value = m.where(size < infinite, value, m.where(grows, infinite, zero))
    value = m.where(m.compare("oeq", size, one), one, value)
    odd = m.compare("oeq", whole, y) & m.compare("une", m.intrinsic("floor", halved), halved)
    value = m.where(m.negative(x) & odd, -value, value)
    value = m.where((x < zero) & (size < infinite) & m.compare("one", whole, y), m.constant(float("nan")), value)
    value = m.where(m.compare("uno", x, y), x + y, value)
    return m.where(m.compare("oeq", y, zero), one, m.where(m.compare("oeq", x, one), one, value))


def tanh(m: Any, x: Any) -> Any:
    """Hyperbolic tangent of x, as e/(e + 2) with e = exp(2|x|) − 1."""
    size = abs(x)
    bounded = m.where(size > m.constant(20.0), m.constant(20.0), size)
    k, p = _exp_parts(m, bounded + bounded)
    one = m.constant(1.0)
    power = m.scale(one, k)
    e = m.fma(power, p, power - one)
    value = e / (e + m.constant(2.0))
    value = m.where(size < m.constant(1e-8), size, value)
    return m.where(x < m.constant(0.0), -value, m.where(size <= m.constant(float("inf")), value, x))


def atan2(m: Any, y: Any, x: Any) -> Any:
    """Angle of the point (x, y): the ratio of the shorter to the longer leg, brought below tan(π/8)."""
    ax, ay = abs(x), abs(y)
    steep = ay > ax
    long, short = m.where(steep, ay, ax), m.where(steep, ax, ay)
    large = long > m.constant(1e300)  # avoids overflow in the sum below
    long, short = (m.where(large, v * m.constant(2.0**-60), v) for v in (long, short))
    both = short > m.constant(1.7976931348623157e308)  # both infinite: 45 degrees
    long, short = (m.where(both, m.constant(1.0), v) for v in (long, short))
    eighth = short > long * m.constant(0.41421356237309503)
    top = m.where(eighth, short - long, short)
    bottom = m.where(eighth, short + long, m.where(long > m.constant(0.0), long, m.constant(1.0)))
    t = top / bottom
    square = t * t
    angle = m.fma(t * square, polynomial(m, square, ATAN), t)
    zero = m.constant(0.0)
    quarter = m.where(eighth, m.constant(PI / 4), zero)
    angle = quarter + (angle + m.where(eighth, m.constant(PI_REST / 4), zero))
    angle = m.where(steep, m.constant(PI / 2) - (angle - m.constant(PI_REST / 2)), angle)
    angle = m.where(m.negative(x), m.constant(PI) - (angle - m.constant(PI_REST)), angle)
    angle = m.where(m.negative(y), -angle, angle)
    return m.where((ax <= m.constant(float("inf"))) & (ay <= m.constant(float("inf"))), angle, x + y)


def uniform(m: Any, seed: Any, run: Any, drawer: Any, draw: Any, number: Any) -> Any:
    """As `random.drawn`."""
    counter = tuple(m.word(x) for x in (draw, run, drawer, number))
    first = m.word(seed)
    word, next_word, _, _ = philox(counter, (first, first & 0))
    return (m.real_of(fraction(word, next_word)) + m.constant(0.5)) * m.constant(2.0**-52)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sin": sin,
    "cos": cos,
    "tan": tan,
    "exp": exp,
    "log": log,
    "pow": pow,
    "tanh": tanh,
    "atan2": atan2,
    "uniform": uniform,
}
