"""The numbers of a batch into lanes and back, in LLVM's language.

Outside, a batch is an array with one row per robot; inside, a block of `lanes` robots lies slot by slot with the lanes
side by side. Squares of lanes × lanes numbers are transposed in registers, the slots that remain are copied one by one.
Past the end of the batch the last row serves again: a short last block computes it several times and writes the same
numbers.
"""


def moves(number: str, lanes: int) -> str:
    """The functions @to_lanes and @from_lanes (batch, buffer, stride, row, last, slots)."""
    return "\n".join([_function("to_lanes", number, lanes, True), _function("from_lanes", number, lanes, False)])


def _function(name: str, number: str, lanes: int, reading: bool) -> str:
    arguments = "ptr noalias %batch, ptr noalias %buffer, i64 %stride, i64 %row, i64 %last, i64 %slots"
    lines = [f"define internal void @{name}({arguments}) nounwind {{", "start:", "  %end = sub i64 %last, 1"]
    for k in range(lanes):
        lines += [
            f"  %ahead{k} = add i64 %row, {k}",
            f"  %inside{k} = icmp slt i64 %ahead{k}, %end",
            f"  %mine{k} = select i1 %inside{k}, i64 %ahead{k}, i64 %end",
            f"  %offset{k} = mul i64 %mine{k}, %stride",
            f"  %line{k} = getelementptr {number}, ptr %batch, i64 %offset{k}",
        ]
    lines += ["  %squares = and i64 %slots, " + str(-lanes) if lanes > 1 else "  %squares = add i64 0, 0"]
    lines += ["  %some = icmp sgt i64 %squares, 0", "  br i1 %some, label %square, label %rest"]
    lines += ["square:", "  %s = phi i64 [ 0, %start ], [ %s1, %square ]", *_square(number, lanes, reading)]
    lines += [
        f"  %s1 = add i64 %s, {lanes}",
        "  %again = icmp slt i64 %s1, %squares",
        "  br i1 %again, label %square, label %rest",
    ]
    lines += ["rest:", "  %left = icmp slt i64 %squares, %slots", "  br i1 %left, label %slot, label %done"]
    lines += ["slot:", "  %t = phi i64 [ %squares, %rest ], [ %t1, %slot ]", *_slot(number, lanes, reading)]
    lines += ["  %t1 = add i64 %t, 1", "  %more = icmp slt i64 %t1, %slots", "  br i1 %more, label %slot, label %done"]
    return "\n".join([*lines, "done:", "  ret void", "}"])


def _kind(number: str, lanes: int) -> str:
    return number if lanes == 1 else f"<{lanes} x {number}>"


def _square(number: str, lanes: int, reading: bool) -> list[str]:
    """Transpose `lanes` slots of `lanes` rows, by exchanging ever smaller halves of pairs."""
    kind = _kind(number, lanes)
    lines = []
    for k in range(lanes):
        lines += [f"  %away{k} = getelementptr {number}, ptr %line{k}, i64 %s", f"  %place{k} = add i64 %s, {k}"]
        lines += [f"  %near{k} = getelementptr {kind}, ptr %buffer, i64 %place{k}"]
    source, target = ("away", "near") if reading else ("near", "away")
    lines += [f"  %v{k} = load {kind}, ptr %{source}{k}, align 4" for k in range(lanes)]
    names, half = [f"%v{k}" for k in range(lanes)], lanes // 2
    while half:
        for i in range(lanes):
            if not i & half:
                a, b = names[i], names[i + half]
                low = [k if not k & half else lanes + k - half for k in range(lanes)]
                high = [k + half if not k & half else lanes + k for k in range(lanes)]
                for place, mask in ((i, low), (i + half, high)):
                    names[place] = f"%h{half}_{place}"
                    chosen = ", ".join(f"i32 {m}" for m in mask)
                    lines.append(f"  {names[place]} = shufflevector {kind} {a}, {kind} {b}, <{lanes} x i32> <{chosen}>")
        half //= 2
    return lines + [f"  store {kind} {names[k]}, ptr %{target}{k}, align 4" for k in range(lanes)]


def _slot(number: str, lanes: int, reading: bool) -> list[str]:
    kind = _kind(number, lanes)
    lines = [f"  %close = getelementptr {kind}, ptr %buffer, i64 %t"]
    lines += [f"  %far{k} = getelementptr {number}, ptr %line{k}, i64 %t" for k in range(lanes)]
    if lanes == 1:
        source, target = ("%far0", "%close") if reading else ("%close", "%far0")
        return [*lines, f"  %x = load {number}, ptr {source}", f"  store {number} %x, ptr {target}"]
    if not reading:
        lines.append(f"  %whole = load {kind}, ptr %close, align 4")
    whole = "undef"
    for k in range(lanes):
        if reading:
            lines += [
                f"  %x{k} = load {number}, ptr %far{k}",
                f"  %w{k} = insertelement {kind} {whole}, {number} %x{k}, i32 {k}",
            ]
            whole = f"%w{k}"
        else:
            lines += [f"  %x{k} = extractelement {kind} %whole, i32 {k}", f"  store {number} %x{k}, ptr %far{k}"]
    return [*lines, f"  store {kind} {whole}, ptr %close, align 4"] if reading else lines
