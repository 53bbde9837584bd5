//===- math_nvptx.mlir - Elementary functions on NVIDIA GPUs --------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `mlopt-expand-math{nvptx}` puts in place of operations of math where the
// special function units, or the loss of an ulp, make it cheaper than the
// function of math.mlir, whose parts it uses. @nv_NAME_f32 stands for math.NAME
// on f32. @nv_NAME_bf16 stands for it on bf16: the argument comes in as f32,
// exactly, and the result is rounded to bf16 as soon as it is there, so that ten
// bits are enough for a faithful one. Which is taken depends on the operation
// alone, its type and attributes, never on what is around it: @nv_NAME_absolute
// stands for one of f32 that `mlopt.absolute` marks, @nv_NAME_narrowed for one
// that `mlopt.narrowed` marks.
//
// The units' errors, from the PTX ISA: ex2.approx 2 ulp, rcp.approx 1 ulp,
// lg2.approx 2^-22 absolute between 1/2 and 2, tanh.approx 2^-11 relative.
// `.ftz` forms take and give zero for denormals; they stand where those cannot
// matter. What else is said in math.mlir holds here too.
//
//===----------------------------------------------------------------------===//

func.func private @ex2_ftz(%x: f32) -> f32 {
  %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%x) : (f32) -> f32
  return %y : f32
}

func.func private @rcp_ftz(%x: f32) -> f32 {
  %y = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%x) : (f32) -> f32
  return %y : f32
}

// 2^k e where x = k + f: k comes as the bits of 1.5 2^23 + 1 + 126 + k, and e
// is 2^f. The power of two is 2^-126 at least; e makes up for the rest, so that
// denormal results are rounded once.
func.func private @scale_ex2(%shifted: f32, %f: f32) -> f32 {
  %n23 = arith.constant 23 : i32
  %code = arith.bitcast %shifted : f32 to i32
  %scale1 = arith.shli %code, %n23 : i32
  %scale = arith.bitcast %scale1 : i32 to f32
  %e = func.call @ex2_ftz(%f) : (f32) -> f32
  %y = arith.mulf %scale, %e : f32
  return %y : f32
}

// k = floor(x log2(e)), kept within -126 .. 126 by a product that saturates to
// 0 .. 1. Beyond, f grows instead, and 2^f ends in 0 or infinity as it must.
func.func @nv_exp_f32(%x: f32) -> f32 {
  %per_252 = arith.constant 0.005724980 : f32
  %half = arith.constant 0.5 : f32
  %n252 = arith.constant 252.0 : f32
  %shift = arith.constant 12582913.0 : f32
  %unshift = arith.constant -12583039.0 : f32
  %log2e = arith.constant 1.442695 : f32
  %log2e_low = arith.constant 1.925963e-08 : f32
  %part = llvm.call_intrinsic "llvm.nvvm.fma.rn.sat.f"(%x, %per_252, %half)
      : (f32, f32, f32) -> f32
  %shifted = llvm.call_intrinsic "llvm.nvvm.fma.rm.f"(%part, %n252, %shift)
      : (f32, f32, f32) -> f32
  %k = arith.addf %shifted, %unshift : f32
  %minus_k = arith.negf %k : f32
  %f1 = math.fma %x, %log2e, %minus_k : f32
  %f = math.fma %x, %log2e_low, %f1 : f32
  %y = func.call @scale_ex2(%shifted, %f) : (f32, f32) -> f32
  return %y : f32
}

// Below the normal range the unit computes 2^(x + 64), and the product with
// 2^-64 rounds to a denormal.
func.func @nv_exp2_f32(%x: f32) -> f32 {
  %least = arith.constant -126.0 : f32
  %n64 = arith.constant 64.0 : f32
  %down = arith.constant 5.421010862427522e-20 : f32
  %is_low = arith.cmpf olt, %x, %least : f32
  %raised = arith.addf %x, %n64 : f32
  %t = arith.select %is_low, %raised, %x : f32
  %e = func.call @ex2_ftz(%t) : (f32) -> f32
  %lowered = arith.mulf %e, %down : f32
  %y = arith.select %is_low, %lowered, %e : f32
  return %y : f32
}

// Half the exponent is never too low for the unit, and the square is rounded to
// a denormal once. The rounding of the argument costs 2^-24 |x| of the result.
func.func @nv_exp_narrowed(%x: f32) -> f32 {
  %half_log2e = arith.constant 0.7213475 : f32
  %t = arith.mulf %x, %half_log2e : f32
  %e = func.call @ex2_ftz(%t) : (f32) -> f32
  %y = arith.mulf %e, %e : f32
  return %y : f32
}

func.func @nv_exp_bf16(%x: f32) -> f32 {
  %y = func.call @nv_exp_narrowed(%x) : (f32) -> f32
  return %y : f32
}

// x + x^3 p near zero; 1 - 2 / (exp(2 |x|) + 1) above.
func.func @nv_tanh_f32(%x: f32) -> f32 {
  // Fit tanh_small_f32.
  %c0 = arith.constant 0.0156131871 : f32
  %c1 = arith.constant -0.0522122271 : f32
  %c2 = arith.constant 0.133131266 : f32
  %c3 = arith.constant -0.333325982 : f32
  %x2 = arith.mulf %x, %x : f32
  %p1 = math.fma %c0, %x2, %c1 : f32
  %p2 = math.fma %p1, %x2, %c2 : f32
  %p3 = math.fma %p2, %x2, %c3 : f32
  %p = arith.mulf %p3, %x2 : f32
  %small = math.fma %p, %x, %x : f32
  %log2e2 = arith.constant 2.88539 : f32
  %one = arith.constant 1.0 : f32
  %minus_two = arith.constant -2.0 : f32
  %a = math.absf %x : f32
  %t = arith.mulf %a, %log2e2 : f32
  %e = func.call @ex2_ftz(%t) : (f32) -> f32
  %d = arith.addf %e, %one : f32
  %r = func.call @rcp_ftz(%d) : (f32) -> f32
  %large = math.fma %minus_two, %r, %one : f32
  %bound = arith.constant 0.6 : f32
  %y_if = arith.cmpf olt, %a, %bound : f32
  %y = arith.select %y_if, %small, %large : f32
  %y1 = math.copysign %y, %x : f32
  return %y1 : f32
}

// For small |x| the error is that of 1 - 1, which a sum with 1 or more does not
// tell from its own rounding.
func.func @nv_tanh_absolute(%x: f32) -> f32 {
  %log2e2 = arith.constant 2.88539 : f32
  %one = arith.constant 1.0 : f32
  %minus_two = arith.constant -2.0 : f32
  %a = math.absf %x : f32
  %t = arith.mulf %a, %log2e2 : f32
  %e = func.call @ex2_ftz(%t) : (f32) -> f32
  %d = arith.addf %e, %one : f32
  %r = func.call @rcp_ftz(%d) : (f32) -> f32
  %y = math.fma %minus_two, %r, %one : f32
  %y1 = math.copysign %y, %x : f32
  return %y1 : f32
}

func.func @nv_tanh_bf16(%x: f32) -> f32 {
  %y = llvm.intr.tanh(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  return %y : f32
}

// log2(x) log(2). Near 1 the unit is off by 2^-22, and log(x) is 2^-8 at least.
func.func @nv_log_bf16(%x: f32) -> f32 {
  %ln2 = arith.constant 0.69314718 : f32
  %t = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%x) : (f32) -> f32
  %y = arith.mulf %t, %ln2 : f32
  return %y : f32
}

func.func @nv_log2_bf16(%x: f32) -> f32 {
  %y = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%x) : (f32) -> f32
  return %y : f32
}

//===----------------------------------------------------------------------===//
// Trigonometric functions
//===----------------------------------------------------------------------===//

// x = q pi/2 + r with |r| <= pi/4. Large arguments are rare, which lets all
// elements of a thread share one branch; infinity gives NaN.
func.func private @nv_reduce(%x: f32) -> (f32, i32) {
  %bound = arith.constant 32768.0 : f32
  %a = math.absf %x : f32
  %is_large = arith.cmpf uge, %a, %bound : f32
  %shift = arith.constant 12582912.0 : f32
  %c0 = arith.constant 0.63661975 : f32
  %c1 = arith.constant -1.57079637 : f32
  %c2 = arith.constant 4.37113883e-08 : f32
  %c3 = arith.constant 1.71512451e-15 : f32
  %r, %q = scf.if %is_large -> (f32, i32) {
    %high, %low, %q = func.call @reduce_large_f32(%x)
        : (f32) -> (f32, f32, i32)
    // Infinity and NaN: their difference with themselves.
    %nan = arith.subf %x, %x : f32
    %r = arith.addf %high, %nan : f32
    scf.yield %r, %q : f32, i32
  } else {
    // pi/2 in three parts, subtracted in turn: the first difference is exact.
    %shifted = math.fma %x, %c0, %shift : f32
    %kf = arith.subf %shifted, %shift : f32
    %r1 = math.fma %kf, %c1, %x : f32
    %r2 = math.fma %kf, %c2, %r1 : f32
    %r = math.fma %kf, %c3, %r2 : f32
    %q1 = arith.bitcast %shifted : f32 to i32
    scf.yield %r, %q1 : f32, i32
  } {rare}
  return %r, %q : f32, i32
}

// sin(r) for even q, cos(r) for odd; negative where the second bit of q is set.
func.func private @nv_sin_quadrant(%r: f32, %q: i32) -> f32 {
  %one = arith.constant 1.0 : f32
  %z = arith.mulf %r, %r : f32
  // Fit sin_short_f32.
  %s0 = arith.constant -0.000195182831 : f32
  %s1 = arith.constant 0.00833218917 : f32
  %s2 = arith.constant -0.166666552 : f32
  %s3 = math.fma %s0, %z, %s1 : f32
  %s4 = math.fma %s3, %z, %s2 : f32
  %s5 = math.fma %s4, %z, %one : f32
  %s = arith.mulf %s5, %r : f32
  // Fit cos_f32.
  %c0 = arith.constant 2.4432327e-05 : f32
  %c1 = arith.constant -0.001388731 : f32
  %c2 = arith.constant 0.041666646 : f32
  %c3 = arith.constant -0.5 : f32
  %c4 = math.fma %c0, %z, %c1 : f32
  %c5 = math.fma %c4, %z, %c2 : f32
  %c6 = math.fma %c5, %z, %c3 : f32
  %c = math.fma %c6, %z, %one : f32
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %n30 = arith.constant 30 : i32
  %sign = arith.constant 0x80000000 : i32
  %y_if1 = arith.andi %q, %n1 : i32
  %y_if = arith.cmpi eq, %y_if1, %n0 : i32
  %y = arith.select %y_if, %s, %c : f32
  %flip1 = arith.shli %q, %n30 : i32
  %flip = arith.andi %flip1, %sign : i32
  %y1 = arith.bitcast %y : f32 to i32
  %y2 = arith.xori %y1, %flip : i32
  %y3 = arith.bitcast %y2 : i32 to f32
  return %y3 : f32
}

func.func @nv_sin_f32(%x: f32) -> f32 {
  %r, %q = func.call @nv_reduce(%x) : (f32) -> (f32, i32)
  %y = func.call @nv_sin_quadrant(%r, %q) : (f32, i32) -> f32
  return %y : f32
}

func.func @nv_cos_f32(%x: f32) -> f32 {
  %n1 = arith.constant 1 : i32
  %r, %q = func.call @nv_reduce(%x) : (f32) -> (f32, i32)
  %next = arith.addi %q, %n1 : i32
  %y = func.call @nv_sin_quadrant(%r, %next) : (f32, i32) -> f32
  return %y : f32
}

// x = (k + 1/2) pi + r for is_half, x = k pi + r otherwise, with |r| <= pi/2;
// what comes back is r and an integer of the parity of k.
func.func private @nv_reduce_bf16(%x: f32, %is_half: i1) -> (f32, i32) {
  %bound = arith.constant 32768.0 : f32
  %a = math.absf %x : f32
  %is_large = arith.cmpf uge, %a, %bound : f32
  %shift = arith.constant 12582912.0 : f32
  %c0 = arith.constant 0.31830987 : f32
  %c1 = arith.constant -3.14159274 : f32
  %c2 = arith.constant 8.74227766e-08 : f32
  %half = arith.constant 0.5 : f32
  %r, %k = scf.if %is_large -> (f32, i32) {
    %n1 = arith.constant 1 : i32
    %high, %low, %q = func.call @reduce_large_f32(%x)
        : (f32) -> (f32, f32, i32)
    %nan = arith.subf %x, %x : f32
    %high1 = arith.addf %high, %nan : f32
    // From quadrants to halves: an odd one is pi/2 away, on the side where
    // r stays within pi/2.
    %quarter = arith.constant 1.5707964 : f32
    %toward = math.copysign %quarter, %high1 : f32
    %other = arith.subf %high1, %toward : f32
    %is_odd1 = arith.trunci %q : i32 to i1
    %is_odd = arith.xori %is_odd1, %is_half : i1
    %r = arith.select %is_odd, %other, %high1 : f32
    // The quadrant that r is counted from.
    %n0 = arith.constant 0 : i32
    %is_positive1 = arith.bitcast %high1 : f32 to i32
    %is_positive = arith.cmpi sge, %is_positive1, %n0 : i32
    %up = arith.extui %is_positive : i1 to i32
    %down = arith.subi %up, %n1 : i32
    %move1 = arith.addi %up, %down : i32
    %move = arith.select %is_odd, %move1, %n0 : i32
    %from = arith.addi %q, %move : i32
    %k = arith.shrsi %from, %n1 : i32
    scf.yield %r, %k : f32, i32
  } else {
    %near = math.fma %x, %c0, %shift : f32
    %below = llvm.call_intrinsic "llvm.nvvm.fma.rm.f"(%x, %c0, %shift)
        : (f32, f32, f32) -> f32
    %shifted = arith.select %is_half, %below, %near : f32
    %kf = arith.subf %shifted, %shift : f32
    %kf1 = arith.addf %kf, %half : f32
    %h = arith.select %is_half, %kf1, %kf : f32
    %r1 = math.fma %h, %c1, %x : f32
    %r = math.fma %h, %c2, %r1 : f32
    %k = arith.bitcast %shifted : f32 to i32
    scf.yield %r, %k : f32, i32
  } {rare}
  return %r, %k : f32, i32
}

// sin(r) to 13 bits for |r| <= pi/2, negative for odd k.
func.func private @nv_sin_bf16_half(%r: f32, %k: i32) -> f32 {
  %z = arith.mulf %r, %r : f32
  // Fit sin_bf16.
  %c0 = arith.constant 0.00759703433 : f32
  %c1 = arith.constant -0.16594474 : f32
  %c2 = arith.constant 0.99988395 : f32
  %p1 = math.fma %c0, %z, %c1 : f32
  %p = math.fma %p1, %z, %c2 : f32
  %y = arith.mulf %r, %p : f32
  %n31 = arith.constant 31 : i32
  %flip = arith.shli %k, %n31 : i32
  %y1 = arith.bitcast %y : f32 to i32
  %y2 = arith.xori %y1, %flip : i32
  %y3 = arith.bitcast %y2 : i32 to f32
  return %y3 : f32
}

func.func @nv_sin_bf16(%x: f32) -> f32 {
  %is_half = arith.constant false
  %r, %k = func.call @nv_reduce_bf16(%x, %is_half) : (f32, i1) -> (f32, i32)
  %y = func.call @nv_sin_bf16_half(%r, %k) : (f32, i32) -> f32
  return %y : f32
}

// cos((k + 1/2) pi + r) is sin(-r) for even k.
func.func @nv_cos_bf16(%x: f32) -> f32 {
  %is_half = arith.constant true
  %r, %k = func.call @nv_reduce_bf16(%x, %is_half) : (f32, i1) -> (f32, i32)
  %r1 = arith.negf %r : f32
  %y = func.call @nv_sin_bf16_half(%r1, %k) : (f32, i32) -> f32
  return %y : f32
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

// x / y, rounded once, by a divisor that several quotients share: the work on y
// is done once, by common subexpressions. 1 / y is high + low to 100 bits, both
// of one sign, and low is never 0: so x = infinity and x = 0 need no case of
// their own. Rounding to f64 first does no harm: a quotient of f32 that is no
// tie is 2^-48 away from one, and a tie is exact in f64.
func.func @nv_divf_f32(%x: f32, %y: f32) -> f32 {
  %one = arith.constant 1.0 : f64
  %below_one = arith.constant 0.99999999999999911 : f64
  %zero = arith.constant 0.0 : f64
  %tiny = arith.constant 9.332636185032189e-302 : f64
  %d = arith.extf %y : f32 to f64
  %minus = arith.negf %d : f64
  %r0 = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.d"(%d) : (f64) -> f64
  %e0 = math.fma %minus, %r0, %one : f64
  %r1 = math.fma %r0, %e0, %r0 : f64
  %e1 = math.fma %minus, %r1, %one : f64
  %r2 = math.fma %r1, %e1, %r1 : f64
  // Below 1 / y, by 2^-50 of it; NaN for zero and infinity.
  %r3 = arith.mulf %r2, %below_one : f64
  %rest = math.fma %minus, %r3, %one : f64
  %is_usual = arith.cmpf ogt, %rest, %zero : f64
  %high = arith.select %is_usual, %r3, %r0 : f64
  %low1 = arith.mulf %rest, %r3 : f64
  %least = math.copysign %tiny, %r0 : f64
  %low = arith.select %is_usual, %low1, %least : f64
  %n = arith.extf %x : f32 to f64
  %q1 = arith.mulf %n, %low : f64
  %q = math.fma %n, %high, %q1 : f64
  %r = arith.truncf %q : f64 to f32
  return %r : f32
}

// x / y to 2^-22 of it, by a divisor that several quotients may share: x times
// the reciprocal, where the unit has one. Beyond 2^126 the divisor and x are
// made smaller, below 2^-126 larger: where x leaves the format so, x / y is
// infinite or next to 0 too.
func.func @nv_divf_narrowed(%x: f32, %y: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %down = arith.constant 5.421010862427522e-20 : f32
  %up = arith.constant 18446744073709551616.0 : f32
  %least = arith.constant 1.17549435e-38 : f32
  %most = arith.constant 8.50705917e+37 : f32
  %a = math.absf %y : f32
  %is_large = arith.cmpf ogt, %a, %most : f32
  %is_small = arith.cmpf olt, %a, %least : f32
  %scale1 = arith.select %is_small, %up, %one : f32
  %scale = arith.select %is_large, %down, %scale1 : f32
  %scaled = arith.mulf %y, %scale : f32
  %r = func.call @rcp_ftz(%scaled) : (f32) -> f32
  %n = arith.mulf %x, %scale : f32
  %q = arith.mulf %n, %r : f32
  return %q : f32
}

// Two quotients by a divisor that several share, rounded to f32 and then to
// bf16. Rounding is monotonic: x / y in f32 lies between the products of x with
// 1 / y rounded one way and the other, whatever x is. Where both products
// round to the same bf16, so does the quotient; of 2^15 pairs one does not.
func.func @nv_divf2_bf16(%x0: f32, %x1: f32, %y: f32) -> vector<2xbf16> {
  %low, %high = func.call @reciprocals(%y) : (f32) -> (f32, f32)
  %both_low = func.call @products(%x0, %x1, %low)
      : (f32, f32, f32) -> vector<2xf32>
  %both_high = func.call @products(%x0, %x1, %high)
      : (f32, f32, f32) -> vector<2xf32>
  %below = llvm.fptrunc %both_low : vector<2xf32> to vector<2xbf16>
  %above = llvm.fptrunc %both_high : vector<2xf32> to vector<2xbf16>
  %below_bits = llvm.bitcast %below : vector<2xbf16> to i32
  %above_bits = llvm.bitcast %above : vector<2xbf16> to i32
  %is_rare = arith.cmpi ne, %below_bits, %above_bits : i32
  %q = scf.if %is_rare -> vector<2xbf16> {
    %both = func.call @quotients(%x0, %x1, %y)
        : (f32, f32, f32) -> vector<2xf32>
    %q = llvm.fptrunc %both : vector<2xf32> to vector<2xbf16>
    scf.yield %q : vector<2xbf16>
  } else {
    scf.yield %below : vector<2xbf16>
  } {rare, right_everywhere}
  return %q : vector<2xbf16>
}

func.func @nv_divf2_f16(%x0: f32, %x1: f32, %y: f32) -> vector<2xf16> {
  %low, %high = func.call @reciprocals(%y) : (f32) -> (f32, f32)
  %both_low = func.call @products(%x0, %x1, %low)
      : (f32, f32, f32) -> vector<2xf32>
  %both_high = func.call @products(%x0, %x1, %high)
      : (f32, f32, f32) -> vector<2xf32>
  %below = llvm.fptrunc %both_low : vector<2xf32> to vector<2xf16>
  %above = llvm.fptrunc %both_high : vector<2xf32> to vector<2xf16>
  %below_bits = llvm.bitcast %below : vector<2xf16> to i32
  %above_bits = llvm.bitcast %above : vector<2xf16> to i32
  %is_rare = arith.cmpi ne, %below_bits, %above_bits : i32
  %q = scf.if %is_rare -> vector<2xf16> {
    %both = func.call @quotients(%x0, %x1, %y)
        : (f32, f32, f32) -> vector<2xf32>
    %q = llvm.fptrunc %both : vector<2xf32> to vector<2xf16>
    scf.yield %q : vector<2xf16>
  } else {
    scf.yield %below : vector<2xf16>
  } {rare, right_everywhere}
  return %q : vector<2xf16>
}

// 1 / y rounded towards zero and away from it: the nearest, and its neighbour
// on the side where the remainder says that 1 / y is. Near the ends of the
// format, two that no quotient agrees on.
func.func private @reciprocals(%y: f32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %infinity = arith.constant 0x7F800000 : f32
  %least = arith.constant 1.0e-37 : f32
  %most = arith.constant 1.0e+37 : f32
  %minus = arith.negf %y : f32
  %r0 = func.call @rcp_ftz(%y) : (f32) -> f32
  %e = math.fma %minus, %r0, %one : f32
  %r = math.fma %r0, %e, %r0 : f32
  %rest = math.fma %minus, %r, %one : f32
  %is_over = arith.cmpf olt, %rest, %zero : f32
  %is_under = arith.cmpf ogt, %rest, %zero : f32
  %down = arith.extui %is_over : i1 to i32
  %up = arith.extui %is_under : i1 to i32
  %bits = arith.bitcast %r : f32 to i32
  %low_bits = arith.subi %bits, %down : i32
  %high_bits = arith.addi %bits, %up : i32
  %low = arith.bitcast %low_bits : i32 to f32
  %high = arith.bitcast %high_bits : i32 to f32
  %a = math.absf %y : f32
  %is_low = arith.cmpf ult, %a, %least : f32
  %is_high = arith.cmpf ugt, %a, %most : f32
  %is_far = arith.ori %is_low, %is_high : i1
  %low1 = arith.select %is_far, %zero, %low : f32
  %high1 = arith.select %is_far, %infinity, %high : f32
  return %low1, %high1 : f32, f32
}

func.func private @pair(%a: f32, %b: f32) -> vector<2xf32> {
  %n0 = arith.constant 0 : i32
  %n1 = arith.constant 1 : i32
  %none = llvm.mlir.poison : vector<2xf32>
  %first = llvm.insertelement %a, %none[%n0 : i32] : vector<2xf32>
  %both = llvm.insertelement %b, %first[%n1 : i32] : vector<2xf32>
  return %both : vector<2xf32>
}

func.func private @products(%a: f32, %b: f32, %c: f32) -> vector<2xf32> {
  %ac = arith.mulf %a, %c : f32
  %bc = arith.mulf %b, %c : f32
  %both = func.call @pair(%ac, %bc) : (f32, f32) -> vector<2xf32>
  return %both : vector<2xf32>
}

func.func private @quotients(%a: f32, %b: f32, %c: f32) -> vector<2xf32> {
  %ac = func.call @nv_divf_f32(%a, %c) : (f32, f32) -> f32
  %bc = func.call @nv_divf_f32(%b, %c) : (f32, f32) -> f32
  %both = func.call @pair(%ac, %bc) : (f32, f32) -> vector<2xf32>
  return %both : vector<2xf32>
}

// 1 / y, rounded once, without a branch. The divisor is scaled so that the unit
// gives no denormal; the last step rounds q0 + rest / y, whose product is exact in
// it, denormal or not. For zero, infinity and NaN q0 is right as it is.
func.func @nv_recip_f32(%y: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %down = arith.constant 5.421010862427522e-20 : f32
  %up = arith.constant 18446744073709551616.0 : f32
  %a = math.absf %y : f32
  %is_large = arith.cmpf ogt, %a, %one : f32
  %scale = arith.select %is_large, %down, %up : f32
  %scaled = arith.mulf %y, %scale : f32
  %r = func.call @rcp_ftz(%scaled) : (f32) -> f32
  %q0 = arith.mulf %r, %scale : f32
  %minus = arith.negf %y : f32
  %rest = math.fma %minus, %q0, %one : f32
  %part = arith.mulf %rest, %scale : f32
  %q1 = math.fma %part, %r, %q0 : f32
  %b = math.absf %rest : f32
  %is_usual = arith.cmpf olt, %b, %one : f32
  %q = arith.select %is_usual, %q1, %q0 : f32
  return %q : f32
}

func.func @nv_rsqrt_f32(%x: f32) -> f32 {
  %y = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%x) : (f32) -> f32
  return %y : f32
}

//===----------------------------------------------------------------------===//
// Numerics mode fast
//===----------------------------------------------------------------------===//

// @nv_NAME_fast stands for math.NAME on f32 where its flags let it be
// approximated: what the units give, and little besides.

func.func @nv_exp_fast(%x: f32) -> f32 {
  %log2e = arith.constant 1.442695 : f32
  %t = arith.mulf %x, %log2e : f32
  %y = func.call @ex2_ftz(%t) : (f32) -> f32
  return %y : f32
}

func.func @nv_exp2_fast(%x: f32) -> f32 {
  %y = func.call @ex2_ftz(%x) : (f32) -> f32
  return %y : f32
}

func.func @nv_tanh_fast(%x: f32) -> f32 {
  %y = llvm.intr.tanh(%x) {fastmathFlags = #llvm.fastmath<afn>} : (f32) -> f32
  return %y : f32
}

func.func @nv_log_fast(%x: f32) -> f32 {
  %ln2 = arith.constant 0.69314718 : f32
  %t = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%x) : (f32) -> f32
  %y = arith.mulf %t, %ln2 : f32
  return %y : f32
}

func.func @nv_log2_fast(%x: f32) -> f32 {
  %y = llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"(%x) : (f32) -> f32
  return %y : f32
}

// x = 2 k pi + r, with |r| <= pi, or 5 pi/4 for large x.
func.func private @nv_reduce_fast(%x: f32) -> f32 {
  %bound = arith.constant 32768.0 : f32
  %a = math.absf %x : f32
  %is_large = arith.cmpf uge, %a, %bound : f32
  %shift = arith.constant 12582912.0 : f32
  %c0 = arith.constant 0.15915494 : f32
  %c1 = arith.constant -6.28318548 : f32
  %c2 = arith.constant 1.74845553e-07 : f32
  %r = scf.if %is_large -> f32 {
    %n1 = arith.constant 1 : i32
    %n3 = arith.constant 3 : i32
    %quarter = arith.constant 1.5707964 : f32
    %high, %low, %q = func.call @reduce_large_f32(%x)
        : (f32) -> (f32, f32, i32)
    // Infinity and NaN: their difference with themselves.
    %nan = arith.subf %x, %x : f32
    %high1 = arith.addf %high, %nan : f32
    // From -1 to 2.
    %q1 = arith.addi %q, %n1 : i32
    %q2 = arith.andi %q1, %n3 : i32
    %q3 = arith.subi %q2, %n1 : i32
    %qf = arith.sitofp %q3 : i32 to f32
    %r = math.fma %qf, %quarter, %high1 : f32
    scf.yield %r : f32
  } else {
    %shifted = math.fma %x, %c0, %shift : f32
    %kf = arith.subf %shifted, %shift : f32
    %r1 = math.fma %kf, %c1, %x : f32
    %r = math.fma %kf, %c2, %r1 : f32
    scf.yield %r : f32
  } {rare}
  return %r : f32
}

func.func @nv_sin_fast(%x: f32) -> f32 {
  %r = func.call @nv_reduce_fast(%x) : (f32) -> f32
  %y = llvm.call_intrinsic "llvm.nvvm.sin.approx.ftz.f"(%r) : (f32) -> f32
  return %y : f32
}

func.func @nv_cos_fast(%x: f32) -> f32 {
  %r = func.call @nv_reduce_fast(%x) : (f32) -> f32
  %y = llvm.call_intrinsic "llvm.nvvm.cos.approx.ftz.f"(%r) : (f32) -> f32
  return %y : f32
}
