"""Huge angles brought into an eighth of a turn, in LLVM's language (Payne and Hanek 1983).

An angle x = m 2^e with a whole number m of 53 bits is m 2^e · 2/π quarter turns. Bits of 2/π whose products with m are
multiples of four quarter turns are left out, and of the others 192 are enough: no double comes nearer to a multiple of
π/2 than 2⁻⁶² of a quarter turn. All is done in whole numbers, so that every processor gives the same bits.
"""

PARTS = ("huge_angle", "huge_turns")  # functions of one number: the rest in [−π/4, π/4], and quarter turns modulo 4
_DIGITS = (
    0,
    0xA2F9836E4E441529,
    0xFC2757D1F534DDC0,
    0xDB6295993C439041,
    0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0,
    0x06492EEA09D1921C,
    0xFE1DEB1CB129A73E,
    0xE88235F52EBB4484,
    0xE99C7026B45F7E41,
    0x3991D639835339F4,
    0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F,
    0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B,
    0x3D0739F78A5292EA,
    0x6BFB5FB11F8D5D08,
    0x56033046FC7B6BAB,
    0xF0CFBC209AF4361D,
)  # 2/π in words of 64 bits, behind one of zeros
_HALF_PI = 0xC90FDAA22168C235  # times 2⁻⁶³

HUGE = f"""
@two_over_pi = private constant [{len(_DIGITS)} x i64] [{", ".join(f"i64 {word}" for word in _DIGITS)}]
declare i64 @llvm.fshl.i64(i64, i64, i64)
declare i128 @llvm.ctlz.i128(i128, i1)

define internal {{ double, double }} @huge(double %x) noinline cold nounwind {{
  %bits = bitcast double %x to i64
  %shifted = lshr i64 %bits, 52
  %exponent = and i64 %shifted, 2047
  %far = icmp uge i64 %exponent, 1040
  %finite = icmp ne i64 %exponent, 2047
  %served = and i1 %far, %finite
  %e = select i1 %served, i64 %exponent, i64 1075
  %first = sub i64 %e, 1013
  %word = lshr i64 %first, 6
  %shift = and i64 %first, 63
  %at0 = getelementptr i64, ptr @two_over_pi, i64 %word
  %at1 = getelementptr i64, ptr %at0, i64 1
  %at2 = getelementptr i64, ptr %at0, i64 2
  %at3 = getelementptr i64, ptr %at0, i64 3
  %d0 = load i64, ptr %at0
  %d1 = load i64, ptr %at1
  %d2 = load i64, ptr %at2
  %d3 = load i64, ptr %at3
  %high = call i64 @llvm.fshl.i64(i64 %d0, i64 %d1, i64 %shift)
  %middle = call i64 @llvm.fshl.i64(i64 %d1, i64 %d2, i64 %shift)
  %low = call i64 @llvm.fshl.i64(i64 %d2, i64 %d3, i64 %shift)
  %digits = and i64 %bits, {2**52 - 1}
  %significand = or i64 %digits, {2**52}
  %m = zext i64 %significand to i128
  %w0 = zext i64 %low to i128
  %w1 = zext i64 %middle to i128
  %w2 = zext i64 %high to i128
  %p0 = mul i128 %m, %w0
  %c0 = lshr i128 %p0, 64
  %q1 = mul i128 %m, %w1
  %p1 = add i128 %q1, %c0
  %c1 = lshr i128 %p1, 64
  %q2 = mul i128 %m, %w2
  %p2 = add i128 %q2, %c1
  %t0 = trunc i128 %p0 to i64
  %t1 = trunc i128 %p1 to i64
  %t2 = trunc i128 %p2 to i64
  %quarters = lshr i64 %t2, 62
  %rest1 = call i64 @llvm.fshl.i64(i64 %t2, i64 %t1, i64 2)
  %rest0 = call i64 @llvm.fshl.i64(i64 %t1, i64 %t0, i64 2)
  %late = icmp slt i64 %rest1, 0
  %up = zext i1 %late to i64
  %nearest = add i64 %quarters, %up
  %r1 = zext i64 %rest1 to i128
  %r0 = zext i64 %rest0 to i128
  %r1up = shl i128 %r1, 64
  %ahead = or i128 %r1up, %r0
  %behind = sub i128 0, %ahead
  %size = select i1 %late, i128 %behind, i128 %ahead
  %zeros = call i128 @llvm.ctlz.i128(i128 %size, i1 true)
  %normal = shl i128 %size, %zeros
  %top = lshr i128 %normal, 64
  %product = mul i128 %top, {_HALF_PI}
  %upper = lshr i128 %product, 64
  %whole = trunc i128 %upper to i64
  %number = uitofp i64 %whole to double
  %lost = trunc i128 %zeros to i64
  %power = sub i64 {1023 - 63}, %lost
  %placed = shl i64 %power, 52
  %scale = bitcast i64 %placed to double
  %angle = fmul double %number, %scale
  %negative = icmp slt i64 %bits, 0
  %opposite = xor i1 %negative, %late
  %turned = fneg double %angle
  %signed = select i1 %opposite, double %turned, double %angle
  %nothing = fsub double %x, %x
  %rest = select i1 %finite, double %signed, double %nothing
  %forward = sitofp i64 %nearest to double
  %backward = fneg double %forward
  %turns = select i1 %negative, double %backward, double %forward
  %one = insertvalue {{ double, double }} undef, double %rest, 0
  %both = insertvalue {{ double, double }} %one, double %turns, 1
  ret {{ double, double }} %both
}}

define internal double @huge_angle(double %x) noinline cold nounwind {{
  %both = call {{ double, double }} @huge(double %x)
  %rest = extractvalue {{ double, double }} %both, 0
  ret double %rest
}}

define internal double @huge_turns(double %x) noinline cold nounwind {{
  %both = call {{ double, double }} @huge(double %x)
  %turns = extractvalue {{ double, double }} %both, 1
  ret double %turns
}}
"""
