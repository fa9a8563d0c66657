"""Random numbers without a state: Philox 4×32-10 (Salmon, Moraes, Dror and Shaw 2011), a function of what is drawn.

The same number comes from the same seed, run, drawer and draw, on every machine, in any number of lanes, and whatever
was drawn before. One source for Python's whole numbers and for the emitter's.
"""

from typing import Any

WORD = 0xFFFFFFFF
FACTORS = 0xD2511F53, 0xCD9E8D57
WEYL = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10


def philox(counter: tuple[Any, Any, Any, Any], key: tuple[Any, Any]) -> tuple[Any, Any, Any, Any]:
    """Four words of 32 bits from a counter of four and a key of two; all are whole numbers below 2³².

    >>> from stiction.trace.random import philox
    >>> [hex(word) for word in philox((0, 0, 0, 0), (0, 0))]
    ['0x6627e8d5', '0xe169c58d', '0xbc57ac4c', '0x9b00dbd8']
    """
    a, b, c, d = counter
    first, second = key
    for _ in range(ROUNDS):
        low, high = a * FACTORS[0], c * FACTORS[1]
        a, b, c, d = (high >> 32) ^ b ^ first, high & WORD, (low >> 32) ^ d ^ second, low & WORD
        first, second = (first + WEYL[0]) & WORD, (second + WEYL[1]) & WORD
    return a, b, c, d


def fraction(word: Any, next_word: Any) -> Any:
    """52 random bits as a whole number."""
    return ((word >> 6) << 26) + (next_word >> 6)


def drawn(seed: float, run: float, drawer: float, draw: float, number: float) -> float:
    """A number between 0 and 1, neither included, evenly spread: of floats that are whole numbers from 0 to 2³² − 1."""
    counter = tuple(int(x) & WORD for x in (draw, run, drawer, number))
    word, next_word, _, _ = philox(counter, (int(seed) & WORD, 0))  # type: ignore[arg-type]
    return (fraction(word, next_word) + 0.5) * 2.0**-52
