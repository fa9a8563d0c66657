"""Formulas in text, such as "0.336 + 0.144*sin(100*t)": a small grammar of our own, never Python.

condition  = both { "or" both }
both       = comparison { "and" comparison }
comparison = sum [ ("<" | "<=" | ">" | ">=") sum ]
sum        = product { ("+" | "-") product }
product    = factor { ("*" | "/") factor }
factor     = "-" factor | power
power      = atom [ ("^" | "**") factor ]
atom       = number | name | name "(" condition { "," condition } ")" | "(" condition ")"
"""

import math
import re
from collections.abc import Callable
from typing import Any

from stiction.errors import StictionError, unknown
from stiction.trace import functions as f
from stiction.trace.functions import Scalar

FUNCTIONS: dict[str, tuple[int, Callable[..., Scalar]]] = {
    "sin": (1, f.sin),
    "cos": (1, f.cos),
    "tan": (1, f.tan),
    "exp": (1, f.exp),
    "log": (1, f.log),
    "sqrt": (1, f.sqrt),
    "tanh": (1, f.tanh),
    "abs": (1, f.absolute),
    "sign": (1, f.sign),
    "floor": (1, f.floor),
    "atan2": (2, f.atan2),
    "min": (2, f.minimum),
    "max": (2, f.maximum),
    "clip": (3, f.clip),
    "where": (3, f.where),
}
CONSTANTS = {"pi": math.pi}
TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|<=|>=|[-+*/^(),<>]))"
)
DEEPEST = 50  # nested brackets, functions and signs
LONGEST = 300  # terms and factors of a formula

Node = Callable[[tuple[Scalar, ...]], Scalar]  # value of a piece, from those of the variables


class FormulaError(StictionError):
    """A formula cannot be read."""


class Formula:
    """A function of one variable or several, read from text; it runs on floats, symbols and traced expressions.

    Args:
        text: the formula.
        variable: its name: t, the time [s], or w, the speed of sliding [rad/s or m/s]; of several, with spaces between,
            such as "x y z".

    Example:
        >>> from stiction.scene import Formula
        >>> Formula("where(t < 1, 2*t, 2)")(0.25)
        0.5
        >>> Formula("0.4 + 0.1*exp(-w/0.01)", "w")(0.0)
        0.5
        >>> Formula("z - x*y", "x y z")(2.0, 3.0, 7.0)
        1.0
    """

    def __init__(self, text: str, variable: str = "t") -> None:
        if not isinstance(text, str):
            raise FormulaError(f"a formula is a text; got {text!r}")
        if not isinstance(variable, str) or not variable.strip():
            raise FormulaError(f"variable is {variable!r}; allowed: a name, or several with spaces between, 'x y z'")
        self.text, self.variable = text, variable
        self._value = _Reader(text, variable).read()

    def __call__(self, *values: Scalar) -> Scalar:
        """The value, from those of the variables; those that it does not use may be left out at the end."""
        return self._value(values)

    def structure(self) -> tuple:
        """Its text: the numbers in it are folded."""
        return (type(self).__qualname__, self.text, self.variable)

    def __reduce__(self) -> tuple:
        """A copy is read again from the text."""
        return Formula, (self.text, self.variable)

    def __repr__(self) -> str:
        return f"Formula({self.text!r})" if self.variable == "t" else f"Formula({self.text!r}, {self.variable!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Formula) and (other.text, other.variable) == (self.text, self.variable)

    def __hash__(self) -> int:
        return hash(self.text)


class _Reader:
    """Recursive descent over the tokens of a text; each rule returns a function of the variables."""

    def __init__(self, text: str, variable: str) -> None:
        self.text, self.variables, self.at, self.depth = text, variable.split(), 0, 0
        self.variable = ", ".join(self.variables[:3])
        self.token, self.kind, self.began = "", "end", 0
        self.conditions: set[Node] = set()
        self.terms = 0
        self.advance()

    def refuse(self, why: str) -> FormulaError:
        return FormulaError(f"formula: {why}\n  {self.text}\n  {' ' * self.began}^")

    def advance(self) -> None:
        rest = self.text[self.at :]
        match = TOKEN.match(rest)
        self.began = self.at + len(rest) - len(rest.lstrip())
        if match:
            self.at += match.end()
            self.kind = "number" if match[1] else "name" if match[2] else "sign"
            self.token = match[0].strip()
        elif rest.strip():
            raise self.refuse(
                f"'{rest.strip()[0]}' has no meaning here; allowed: numbers, {self.variable}, + - * / "
                f"^ ( ) < > and the functions {', '.join(FUNCTIONS)}"
            )
        else:
            self.token, self.kind, self.began = "", "end", len(self.text)

    def take(self, *tokens: str) -> str:
        """The token, if it is one of these; moves on."""
        if self.kind != "number" and self.token in tokens:
            found = self.token
            self.advance()
            return found
        return ""

    def number(self, node: Node) -> Node:
        """The piece, if it is a number and no condition."""
        if node in self.conditions:
            raise self.refuse("a condition stands where a number is needed; use where(condition, a, b)")
        return node

    def truth(self, node: Node) -> Node:
        """The piece, if it is a condition."""
        if node not in self.conditions:
            raise self.refuse("a number stands where a condition is needed, such as t < 1")
        return node

    def noted(self, node: Node) -> Node:
        self.conditions.add(node)
        return node

    def read(self) -> Node:
        value = self.number(self.condition())
        if self.kind != "end":
            raise self.refuse(f"'{self.token}' is too much; the formula ends before it")
        return value

    def condition(self) -> Node:
        left = self.both()
        while word := self.take("or"):
            left = self.noted(_both(word, self.truth(left), self.truth(self.both())))
        return left

    def both(self) -> Node:
        left = self.comparison()
        while word := self.take("and"):
            left = self.noted(_both(word, self.truth(left), self.truth(self.comparison())))
        return left

    def comparison(self) -> Node:
        left = self.sum()
        if sign := self.take("<", "<=", ">", ">="):
            return self.noted(_compare(sign, self.number(left), self.number(self.sum())))
        return left

    def sum(self) -> Node:
        left = self.product()
        while sign := self.take("+", "-"):
            left = self.joined(sign, left, self.product())
        return left

    def joined(self, sign: str, left: Node, right: Node) -> Node:
        """Two pieces in one; each piece is one deeper than its first."""
        self.terms += 1
        if self.terms > LONGEST:
            raise self.refuse(f"it has more than {LONGEST} terms and factors")
        return _arithmetic(sign, self.number(left), self.number(right))

    def product(self) -> Node:
        left = self.factor()
        while sign := self.take("*", "/"):
            left = self.joined(sign, left, self.factor())
        return left

    def factor(self) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.refuse(f"it is nested more than {DEEPEST} deep")
        if self.take("-"):
            inner = self.number(self.factor())
            value: Node = lambda t: -inner(t)  # noqa: E731
        else:
            value = self.power()
        self.depth -= 1
        return value

    def power(self) -> Node:
        base = self.atom()
        return _arithmetic("^", self.number(base), self.number(self.factor())) if self.take("^", "**") else base

    def atom(self) -> Node:
        if self.kind == "number":
            number = float(self.token)
            self.advance()
            return lambda t: number
        if self.kind == "name" and self.token not in ("and", "or"):
            return self.named()
        if self.take("("):
            inner = self.condition()
            if not self.take(")"):
                raise self.refuse("a bracket is not closed; add ')'")
            return inner
        raise self.refuse(
            f"{repr(self.token) if self.token else 'the end'} stands where a number, {self.variable}, "
            "a function or '(' is needed"
        )

    def named(self) -> Node:
        name = self.token
        if name in self.variables:
            self.advance()
            place = self.variables.index(name)
            return lambda t: t[place]
        if name in CONSTANTS:
            self.advance()
            return lambda t: CONSTANTS[name]
        if name not in FUNCTIONS:
            raise self.refuse(unknown("name", name, "a formula", [*self.variables[:6], *CONSTANTS, *FUNCTIONS]))
        self.advance()
        count, function = FUNCTIONS[name]
        values = self.arguments(name)
        if len(values) != count:
            raise self.refuse(f"{name} takes {count} value{'s' if count > 1 else ''}; {len(values)} were given")
        for k, value in enumerate(values):
            self.truth(value) if name == "where" and k == 0 else self.number(value)
        return lambda t: function(*(value(t) for value in values))

    def arguments(self, name: str) -> list[Node]:
        if not self.take("("):
            raise self.refuse(f"{name} needs its values in brackets: {name}(...)")
        values = [self.condition()]
        while self.take(","):
            values.append(self.condition())
        if not self.take(")"):
            raise self.refuse("a bracket is not closed; add ')'")
        return values


def _both(word: str, a: Node, b: Node) -> Node:
    return (lambda t: a(t) & b(t)) if word == "and" else (lambda t: a(t) | b(t))


def _compare(sign: str, a: Node, b: Node) -> Node:
    tests: dict[str, Callable[[Any, Any], Any]] = {
        "<": lambda x, y: x < y,
        "<=": lambda x, y: x <= y,
        ">": lambda x, y: x > y,
        ">=": lambda x, y: x >= y,
    }
    return lambda t: tests[sign](a(t), b(t))


def _arithmetic(sign: str, a: Node, b: Node) -> Node:
    rules: dict[str, Callable[[Any, Any], Any]] = {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
        "/": lambda x, y: f.divide(x, y),
        "^": f.power,
    }
    return lambda t: rules[sign](a(t), b(t))
