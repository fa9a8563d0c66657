"""Which nodes are needed, in which order, and where product and sum become one operation."""

from collections import Counter
from collections.abc import Sequence

from stiction.trace.expression import Expr

FREE = frozenset(("const", "input", "row", "carry", "item", "constant", "array", "entered", "left"))  # need no code


def ordered(roots: Sequence[Expr], level: int = 0) -> list[Expr]:
    """The nodes that the roots need, arguments first, depth first (which keeps values close to their use).

    Inside a loop body, `level` is the body's: nodes of lower level come from outside and are left out.
    """
    needed = _needed(roots, level)
    seen: set[int] = set()
    result: list[Expr] = []
    stack: list[tuple[Expr, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        e, ready = stack.pop()
        if ready:
            result.append(e)
            continue
        if e.index in seen or e.index not in needed:
            continue
        seen.add(e.index)
        stack.append((e, True))
        stack.extend((a, False) for a in reversed(e.args) if a.index not in seen and a.index in needed)
    return result


def _needed(roots: Sequence[Expr], level: int) -> set[int]:
    """The nodes that some cannot do without, by index."""
    found: set[int] = set()
    stack = list(roots)
    while stack:
        e = stack.pop()
        if e.index not in found and e.level >= level:
            found.add(e.index)
            stack.extend(taken(e))
    return found


def taken(e: Expr) -> Sequence[Expr]:
    """What a node is made of; without loads that only have to come before it, if they come at all."""
    if e.op == "store":
        return e.args[:3]
    return e.args[: len(e.args) - e.data[1].waits] if e.op == "loop" else e.args


def late(nodes: Sequence[Expr]) -> set[int]:
    """Values that are the same for all lanes and known only after the lanes have computed something."""
    found: set[int] = set()
    for e in nodes:
        if e.op == "most" or (not e.varying and any(a.index in found for a in e.args)):
            found.add(e.index)
    return found


def bodies(nodes: Sequence[Expr]) -> list[tuple[Expr, list[Expr]]]:
    """Each loop among the nodes with the nodes of its body, nested ones after those that hold them."""
    found = []
    for e in nodes:
        if e.op == "loop":
            inner = ordered(e.data[0].ends, e.data[0].level)
            found += [(e, inner), *bodies(inner)]
    return found


def fusions(nodes: Sequence[Expr], roots: Sequence[Expr]) -> dict[int, int]:
    """Products that are used once, by a sum: product → sum. They become one `fma` and are not computed on their own."""
    uses = Counter(a.index for e in nodes for a in e.args)
    uses.update(root.index for root in roots)
    fused: dict[int, int] = {}
    taken: set[int] = set()
    for e in nodes:
        if e.op in ("add", "sub"):
            for a in e.args:
                together = a.varying == e.varying and a.level == e.level
                if a.op == "mul" and uses[a.index] == 1 and together and e.index not in taken:
                    fused[a.index] = e.index
                    taken.add(e.index)
    return fused


def work(roots: Sequence[Expr], level: int = 0) -> int:
    """Operations of one run, loops counted as often as they turn; those whose count is an input count 100 times."""
    total = 0
    for e in ordered(roots, level):
        if e.op == "loop":
            body, shape = e.data
            turns = _turns(e.args[0]) if shape.counted else shape.entries // shape.width
            turns = turns if shape.until_zero is None else min(turns, 2)
            total += turns * work(body.ends, body.level)
        elif e.op not in FREE:
            total += 1
    return total


def _turns(count: Expr) -> int:
    """How often a counted loop turns, roughly."""
    if count.op == "const":
        return int(count.data)
    if count.op in ("add", "sub", "mul"):
        a, b = map(_turns, count.args)
        return max(1, {"add": a + b, "sub": a - b, "mul": a * b}[count.op])
    return count.data // 2 if count.op == "most" else 100


def operation_counts(roots: Sequence[Expr]) -> dict[str, int]:
    """How many of each operation a program has, loop bodies once; constants, inputs, fused products are free."""
    everything = ordered(roots)
    regions = [(everything, list(roots)), *((inner, e.data[0].ends) for e, inner in bodies(everything))]
    counts: Counter[str] = Counter()
    for nodes, ends in regions:
        fused = fusions(nodes, ends)
        sums = set(fused.values())
        for e in nodes:
            if e.op not in FREE and e.op != "loop" and e.index not in fused:
                counts["fma" if e.index in sums else e.op] += 1
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))
