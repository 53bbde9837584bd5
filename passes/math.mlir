//===- math.mlir - Elementary functions -----------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `mlopt-expand-math` puts in place of operations of math, and of
// arith.remf: @NAME_f32 and @NAME_f64 for math.NAME. The public functions are
// those; the private ones are their parts.
//
// Everything here is a correctly rounded operation on f32 or f64, or an integer
// one, and says itself where it is fused (math.fma). No operation has fastmath
// flags. So a function has the same bits on every machine; only which NaN comes
// out is not said. Denormals count; NaN, infinities and signed zeros are as in
// annex F of C.
//
// f32 stays in f32 where that is near enough, and goes by way of f64 in rare
// functions. Numbers that need more digits than a type has are sums of two,
// `x + x_low`: a sum that was rounded and what the rounding lost.
//
// Polynomials are minimax fits, lowest coefficient last: "Fit NAME" is printed
// by `tools/minimax.py NAME`. How wrong each function can be is in
// math_accuracy.def, which math_test measures.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// f32: exponentials
//===----------------------------------------------------------------------===//

// 2^k for -126 <= k <= 127; 0 for k = -127.
func.func private @pow2_f32(%k: i32) -> f32 {
  %n127 = arith.constant 127 : i32
  %n23 = arith.constant 23 : i32
  %y = arith.addi %k, %n127 : i32
  %y1 = arith.shli %y, %n23 : i32
  %y2 = arith.bitcast %y1 : i32 to f32
  return %y2 : f32
}

// x * 2^k, rounded once, for |k| <= 252: one half of k cannot overflow.
func.func private @scale_f32(%x: f32, %k: i32) -> f32 {
  %n1 = arith.constant 1 : i32
  %first = arith.shrsi %k, %n1 : i32
  %second = arith.subi %k, %first : i32
  %y = func.call @pow2_f32(%first) : (i32) -> f32
  %y1 = arith.mulf %x, %y : f32
  %y2 = func.call @pow2_f32(%second) : (i32) -> f32
  %y3 = arith.mulf %y1, %y2 : f32
  return %y3 : f32
}

// x = k log(2) + r with an integer k and |r| <= log(2) / 2. Adding 1.5 * 2^23
// rounds to an integer and leaves it in the low bits.
func.func private @split_exp_f32(%x: f32) -> (f32, i32) {
  %log2e = arith.constant 1.442695 : f32
  %shift = arith.constant 12582912.0 : f32
  %ln2_high = arith.constant -0.6931472 : f32
  %ln2_low = arith.constant 1.9046542e-09 : f32
  %shifted = math.fma %x, %log2e, %shift : f32
  %kf = arith.subf %shifted, %shift : f32
  %rest = math.fma %kf, %ln2_high, %x : f32
  %r = math.fma %kf, %ln2_low, %rest : f32
  %k1 = arith.bitcast %shifted : f32 to i32
  %k2 = arith.bitcast %shift : f32 to i32
  %k = arith.subi %k1, %k2 : i32
  return %r, %k : f32, i32
}

// exp(r) - 1 for |r| <= log(2) / 2.
func.func private @exp_poly_f32(%r: f32) -> f32 {
  // Fit exp_f32.
  %c0 = arith.constant 0.0013825159 : f32
  %c1 = arith.constant 0.008368809 : f32
  %c2 = arith.constant 0.041668214 : f32
  %c3 = arith.constant 0.1666652 : f32
  %c4 = arith.constant 0.49999994 : f32
  %p1 = math.fma %c0, %r, %c1 : f32
  %p2 = math.fma %p1, %r, %c2 : f32
  %p3 = math.fma %p2, %r, %c3 : f32
  %p = math.fma %p3, %r, %c4 : f32
  %y = arith.mulf %r, %r : f32
  %y1 = math.fma %y, %p, %r : f32
  return %y1 : f32
}

// exp(x) = (high + low) 2^k for |x| < 150.
func.func private @exp_parts_f32(%x: f32) -> (f32, f32, i32) {
  %r, %k = func.call @split_exp_f32(%x)
      : (f32) -> (f32, i32)
  %t = func.call @exp_poly_f32(%r) : (f32) -> f32
  %one = arith.constant 1.0 : f32
  %high = arith.addf %one, %t : f32
  %low1 = arith.subf %one, %high : f32
  %low = arith.addf %low1, %t : f32
  return %high, %low, %k : f32, f32, i32
}

func.func @exp_f32(%x: f32) -> f32 {
  // Beyond these the result is infinity or 0. NaN stays.
  %c0 = arith.constant 89.0 : f32
  %capped_if = arith.cmpf ogt, %x, %c0 : f32
  %capped = arith.select %capped_if, %c0, %x : f32
  %c1 = arith.constant -104.0 : f32
  %clamped_if = arith.cmpf olt, %capped, %c1 : f32
  %clamped = arith.select %clamped_if, %c1, %capped : f32
  %r, %k = func.call @split_exp_f32(%clamped)
      : (f32) -> (f32, i32)
  %t = func.call @exp_poly_f32(%r) : (f32) -> f32
  %one = arith.constant 1.0 : f32
  %y = arith.addf %one, %t : f32
  %y1 = func.call @scale_f32(%y, %k) : (f32, i32) -> f32
  return %y1 : f32
}

func.func @exp2_f32(%x: f32) -> f32 {
  %c0 = arith.constant 129.0 : f32
  %capped_if = arith.cmpf ogt, %x, %c0 : f32
  %capped = arith.select %capped_if, %c0, %x : f32
  %c1 = arith.constant -151.0 : f32
  %clamped_if = arith.cmpf olt, %capped, %c1 : f32
  %clamped = arith.select %clamped_if, %c1, %capped : f32
  %shift = arith.constant 12582912.0 : f32
  %shifted = arith.addf %clamped, %shift : f32
  %r1 = arith.subf %shifted, %shift : f32
  %r = arith.subf %clamped, %r1 : f32
  %k1 = arith.bitcast %shifted : f32 to i32
  %k2 = arith.bitcast %shift : f32 to i32
  %k = arith.subi %k1, %k2 : i32
  // Fit exp2_f32.
  %c2 = arith.constant 0.00015329791 : f32
  %c3 = arith.constant 0.0013390974 : f32
  %c4 = arith.constant 0.009618498 : f32
  %c5 = arith.constant 0.055503596 : f32
  %c6 = arith.constant 0.24022648 : f32
  %c7 = arith.constant 0.6931472 : f32
  %one = arith.constant 1.0 : f32
  %p1 = math.fma %c2, %r, %c3 : f32
  %p2 = math.fma %p1, %r, %c4 : f32
  %p3 = math.fma %p2, %r, %c5 : f32
  %p4 = math.fma %p3, %r, %c6 : f32
  %p5 = math.fma %p4, %r, %c7 : f32
  %p = math.fma %p5, %r, %one : f32
  %y = func.call @scale_f32(%p, %k) : (f32, i32) -> f32
  return %y : f32
}

func.func @expm1_f32(%x: f32) -> f32 {
  %c0 = arith.constant 89.0 : f32
  %capped_if = arith.cmpf ogt, %x, %c0 : f32
  %capped = arith.select %capped_if, %c0, %x : f32
  %c1 = arith.constant -40. : f32
  %clamped_if = arith.cmpf olt, %capped, %c1 : f32
  %clamped = arith.select %clamped_if, %c1, %capped : f32
  %r, %k = func.call @split_exp_f32(%clamped)
      : (f32) -> (f32, i32)
  // Fit expm1_f32.
  %c2 = arith.constant 0.00019763307 : f32
  %c3 = arith.constant 0.0013932344 : f32
  %c4 = arith.constant 0.008333544 : f32
  %c5 = arith.constant 0.041666493 : f32
  %c6 = arith.constant 0.16666666 : f32
  %half = arith.constant 0.5 : f32
  %p1 = math.fma %c2, %r, %c3 : f32
  %p2 = math.fma %p1, %r, %c4 : f32
  %p3 = math.fma %p2, %r, %c5 : f32
  %p4 = math.fma %p3, %r, %c6 : f32
  %p = math.fma %p4, %r, %half : f32
  %r2 = arith.mulf %r, %r : f32
  %n0 = arith.constant 0 : i32
  %is_k0 = arith.cmpi eq, %k, %n0 : i32
  %n1 = arith.constant 1 : i32
  %is_k1 = arith.cmpi eq, %k, %n1 : i32
  // t = exp(r) - 1, for k = 1 with 1/2 more, which keeps its digits there.
  %start1 = arith.addf %r, %half : f32
  %start = arith.select %is_k1, %start1, %r : f32
  %t = math.fma %r2, %p, %start : f32
  // 2^(k - 1) (t + 1) - 1/2, doubled; the sum of the constants in two parts.
  %scale1 = arith.subi %k, %n1 : i32
  %scale = func.call @pow2_f32(%scale1) : (i32) -> f32
  %rest_high = arith.subf %scale, %half : f32
  %rest_low1 = arith.subf %scale, %rest_high : f32
  %rest_low = arith.subf %rest_low1, %half : f32
  %half_result1 = math.fma %t, %scale, %rest_low : f32
  %half_result = arith.addf %half_result1, %rest_high : f32
  %result = arith.addf %half_result, %half_result : f32
  %with_k11 = arith.addf %t, %t : f32
  %with_k1 = arith.select %is_k1, %with_k11, %result : f32
  %y = arith.select %is_k0, %t, %with_k1 : f32
  // The signed zero.
  %zero = arith.constant 0.0 : f32
  %y_if = arith.cmpf oeq, %x, %zero : f32
  %y1 = arith.select %y_if, %x, %y : f32
  return %y1 : f32
}

func.func @sinh_f32(%x: f32) -> f32 {
  %a = math.absf %x : f32
  %a2 = arith.mulf %a, %a : f32
  // Fit sinh_f32.
  %c0 = arith.constant 2.7822134e-06 : f32
  %c1 = arith.constant 0.00019842896 : f32
  %c2 = arith.constant 0.0083333105 : f32
  %c3 = arith.constant 0.16666667 : f32
  %small1 = arith.mulf %a, %a2 : f32
  %small2 = math.fma %c0, %a2, %c1 : f32
  %small3 = math.fma %small2, %a2, %c2 : f32
  %small4 = math.fma %small3, %a2, %c3 : f32
  %small = math.fma %small1, %small4, %a : f32
  // (exp(a) - exp(-a)) / 2, both over 2^(k - 1) so that nothing overflows.
  %c4 = arith.constant 91.0 : f32
  %clamped_if = arith.cmpf ogt, %a, %c4 : f32
  %clamped = arith.select %clamped_if, %c4, %a : f32
  %high, %low, %k = func.call @exp_parts_f32(%clamped)
      : (f32) -> (f32, f32, i32)
  %n127 = arith.constant 127 : i32
  %n0 = arith.constant 0 : i32
  %n23 = arith.constant 23 : i32
  %inverse1 = arith.addi %k, %k : i32
  %inverse2 = arith.subi %n127, %inverse1 : i32
  %inverse3 = arith.maxsi %inverse2, %n0 : i32
  %inverse4 = arith.shli %inverse3, %n23 : i32
  %inverse5 = arith.bitcast %inverse4 : i32 to f32
  %inverse = arith.divf %inverse5, %high : f32
  %difference = arith.subf %high, %inverse : f32
  %rest1 = arith.subf %high, %difference : f32
  %rest2 = arith.subf %rest1, %inverse : f32
  %rest = arith.addf %rest2, %low : f32
  %n1 = arith.constant 1 : i32
  %large1 = arith.addf %difference, %rest : f32
  %large2 = arith.subi %k, %n1 : i32
  %large = func.call @scale_f32(%large1, %large2) : (f32, i32) -> f32
  %one = arith.constant 1.0 : f32
  %y_if = arith.cmpf olt, %a, %one : f32
  %y = arith.select %y_if, %small, %large : f32
  %y1 = math.copysign %y, %x : f32
  return %y1 : f32
}

func.func @cosh_f32(%x: f32) -> f32 {
  %a = math.absf %x : f32
  %c0 = arith.constant 91.0 : f32
  %clamped_if = arith.cmpf ogt, %a, %c0 : f32
  %clamped = arith.select %clamped_if, %c0, %a : f32
  %high, %low, %k = func.call @exp_parts_f32(%clamped)
      : (f32) -> (f32, f32, i32)
  %n127 = arith.constant 127 : i32
  %n0 = arith.constant 0 : i32
  %n23 = arith.constant 23 : i32
  %inverse1 = arith.addi %k, %k : i32
  %inverse2 = arith.subi %n127, %inverse1 : i32
  %inverse3 = arith.maxsi %inverse2, %n0 : i32
  %inverse4 = arith.shli %inverse3, %n23 : i32
  %inverse5 = arith.bitcast %inverse4 : i32 to f32
  %inverse = arith.divf %inverse5, %high : f32
  %sum = arith.addf %high, %inverse : f32
  %rest1 = arith.subf %high, %sum : f32
  %rest2 = arith.addf %rest1, %inverse : f32
  %rest = arith.addf %rest2, %low : f32
  %n1 = arith.constant 1 : i32
  %y = arith.addf %sum, %rest : f32
  %y1 = arith.subi %k, %n1 : i32
  %y2 = func.call @scale_f32(%y, %y1) : (f32, i32) -> f32
  return %y2 : f32
}

func.func @tanh_f32(%x: f32) -> f32 {
  %a = math.absf %x : f32
  %a2 = arith.mulf %a, %a : f32
  // Fit tanh_f32.
  %c0 = arith.constant -0.0004783514 : f32
  %c1 = arith.constant 0.0026414504 : f32
  %c2 = arith.constant -0.0083233835 : f32
  %c3 = arith.constant 0.021692432 : f32
  %c4 = arith.constant -0.05393646 : f32
  %c5 = arith.constant 0.1333306 : f32
  %c6 = arith.constant -0.33333325 : f32
  %small1 = arith.mulf %a, %a2 : f32
  %small2 = math.fma %c0, %a2, %c1 : f32
  %small3 = math.fma %small2, %a2, %c2 : f32
  %small4 = math.fma %small3, %a2, %c3 : f32
  %small5 = math.fma %small4, %a2, %c4 : f32
  %small6 = math.fma %small5, %a2, %c5 : f32
  %small7 = math.fma %small6, %a2, %c6 : f32
  %small = math.fma %small1, %small7, %a : f32
  // 1 - 2 / (exp(2 a) + 1)
  %c7 = arith.constant 10. : f32
  %clamped_if = arith.cmpf ogt, %a, %c7 : f32
  %clamped = arith.select %clamped_if, %c7, %a : f32
  %r = arith.addf %clamped, %clamped : f32
  %r1, %k = func.call @split_exp_f32(%r)
      : (f32) -> (f32, i32)
  %t = func.call @exp_poly_f32(%r1) : (f32) -> f32
  %scale = func.call @pow2_f32(%k) : (i32) -> f32
  %e = math.fma %t, %scale, %scale : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %large1 = arith.addf %e, %one : f32
  %large2 = arith.divf %two, %large1 : f32
  %large = arith.subf %one, %large2 : f32
  %c8 = arith.constant 0.875 : f32
  %y_if = arith.cmpf olt, %a, %c8 : f32
  %y = arith.select %y_if, %small, %large : f32
  %y1 = math.copysign %y, %x : f32
  return %y1 : f32
}

//===----------------------------------------------------------------------===//
// f32: logarithms
//===----------------------------------------------------------------------===//

// x = (1 + f) 2^e with 2/3 <= 1 + f < 4/3, for 0 < x < infinity.
func.func private @split_log_f32(%x: f32) -> (f32, f32) {
  %c0 = arith.constant 1.1754944e-38 : f32
  %is_denormal = arith.cmpf olt, %x, %c0 : f32
  %c1 = arith.constant 8388608.0 : f32
  %scaled1 = arith.mulf %x, %c1 : f32
  %scaled = arith.select %is_denormal, %scaled1, %x : f32
  %c2 = arith.constant -23.0 : f32
  %zero = arith.constant 0.0 : f32
  %bias = arith.select %is_denormal, %c2, %zero : f32
  %code = arith.bitcast %scaled : f32 to i32
  %x3F2AAAAB = arith.constant 0x3F2AAAAB : i32
  %n23 = arith.constant 23 : i32
  %e1 = arith.subi %code, %x3F2AAAAB : i32
  %e = arith.shrsi %e1, %n23 : i32
  %one = arith.constant 1.0 : f32
  %f1 = arith.shli %e, %n23 : i32
  %f2 = arith.subi %code, %f1 : i32
  %f3 = arith.bitcast %f2 : i32 to f32
  %f = arith.subf %f3, %one : f32
  %y = arith.sitofp %e : i32 to f32
  %y1 = arith.addf %y, %bias : f32
  return %f, %y1 : f32, f32
}

// log(1 + f) - f for -1/3 <= f <= 1/3.
func.func private @log_poly_f32(%f: f32) -> f32 {
  // Fit log1p_f32.
  %c0 = arith.constant -0.12863027 : f32
  %c1 = arith.constant 0.13989422 : f32
  %c2 = arith.constant -0.12190196 : f32
  %c3 = arith.constant 0.14004958 : f32
  %c4 = arith.constant -0.1668011 : f32
  %c5 = arith.constant 0.20010456 : f32
  %c6 = arith.constant -0.24999805 : f32
  %c7 = arith.constant 0.33333215 : f32
  %c8 = arith.constant -0.5 : f32
  %y = arith.mulf %f, %f : f32
  %y1 = math.fma %c0, %f, %c1 : f32
  %y2 = math.fma %y1, %f, %c2 : f32
  %y3 = math.fma %y2, %f, %c3 : f32
  %y4 = math.fma %y3, %f, %c4 : f32
  %y5 = math.fma %y4, %f, %c5 : f32
  %y6 = math.fma %y5, %f, %c6 : f32
  %y7 = math.fma %y6, %f, %c7 : f32
  %y8 = math.fma %y7, %f, %c8 : f32
  %y9 = arith.mulf %y, %y8 : f32
  return %y9 : f32
}

// Puts in what logarithms are outside of 0 < x < infinity.
func.func private @finish_log_f32(%x: f32, %y: f32) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0x7FC00000 : f32
  %negative_if = arith.cmpf olt, %x, %zero : f32
  %negative = arith.select %negative_if, %c0, %x : f32
  %c1 = arith.constant 0xFF800000 : f32
  %other_if = arith.cmpf oeq, %x, %zero : f32
  %other = arith.select %other_if, %c1, %negative : f32
  %c2 = arith.constant 0x7F800000 : f32
  %is_usual1 = arith.cmpf ogt, %x, %zero : f32
  %is_usual2 = arith.cmpf olt, %x, %c2 : f32
  %is_usual = arith.andi %is_usual1, %is_usual2 : i1
  %y1 = arith.select %is_usual, %y, %other : f32
  return %y1 : f32
}

func.func @log_f32(%x: f32) -> f32 {
  %f, %e = func.call @split_log_f32(%x)
      : (f32) -> (f32, f32)
  %p = func.call @log_poly_f32(%f) : (f32) -> f32
  %c0 = arith.constant 0.6931472 : f32
  %c1 = arith.constant -1.9046542e-09 : f32
  %y1 = arith.addf %f, %p : f32
  %y2 = math.fma %e, %c1, %y1 : f32
  %y = math.fma %e, %c0, %y2 : f32
  %y3 = func.call @finish_log_f32(%x, %y) : (f32, f32) -> f32
  return %y3 : f32
}

func.func @log1p_f32(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %u = arith.addf %x, %one : f32
  %x3F2AAAAB = arith.constant 0x3F2AAAAB : i32
  %n23 = arith.constant 23 : i32
  %e1 = arith.bitcast %u : f32 to i32
  %e2 = arith.subi %e1, %x3F2AAAAB : i32
  %e = arith.shrsi %e2, %n23 : i32
  %exponent = arith.shli %e, %n23 : i32
  // (1 + x) / 2^e - 1 with the digits of x that 1 + x lost.
  %x3F800000 = arith.constant 0x3F800000 : i32
  %scale1 = arith.subi %x3F800000, %exponent : i32
  %scale = arith.bitcast %scale1 : i32 to f32
  %near1 = arith.subf %scale, %one : f32
  %near = math.fma %x, %scale, %near1 : f32
  %far1 = arith.bitcast %u : f32 to i32
  %far2 = arith.subi %far1, %exponent : i32
  %far3 = arith.bitcast %far2 : i32 to f32
  %far = arith.subf %far3, %one : f32
  %c0 = arith.constant 16777216.0 : f32
  %f_if = arith.cmpf ogt, %x, %c0 : f32
  %f = arith.select %f_if, %far, %near : f32
  %f_low1 = arith.subf %scale, %one : f32
  %f_low2 = arith.subf %f_low1, %near : f32
  %f_low = math.fma %x, %scale, %f_low2 : f32
  // log(1 + f + f_low) with a slope of 1 - f.
  %p_if = arith.cmpf olt, %x, %one : f32
  %p1 = arith.negf %f : f32
  %p2 = func.call @log_poly_f32(%f) : (f32) -> f32
  %p3 = arith.addf %f_low, %p2 : f32
  %p4 = math.fma %p1, %f_low, %p3 : f32
  %p5 = func.call @log_poly_f32(%f) : (f32) -> f32
  %p = arith.select %p_if, %p4, %p5 : f32
  %ef = arith.sitofp %e : i32 to f32
  %c1 = arith.constant 0.6931472 : f32
  %c2 = arith.constant -1.9046542e-09 : f32
  %y1 = arith.addf %f, %p : f32
  %y2 = math.fma %ef, %c2, %y1 : f32
  %y = math.fma %ef, %c1, %y2 : f32
  %finished = func.call @finish_log_f32(%u, %y) : (f32, f32) -> f32
  %zero = arith.constant 0.0 : f32
  %y_if = arith.cmpf oeq, %x, %zero : f32
  %y3 = arith.select %y_if, %x, %finished : f32
  return %y3 : f32
}

// e + log(1 + f) c for c = c_high + c_low, with e as e_high + e_low.
func.func private @log_base_f32(%e_high: f32, %e_low: f32, %f: f32,
    %c_high: f32, %c_low: f32) -> f32 {
  %p = func.call @log_poly_f32(%f) : (f32) -> f32
  %high = arith.mulf %f, %c_high : f32
  %error1 = arith.negf %high : f32
  %error = math.fma %f, %c_high, %error1 : f32
  %rest1 = math.fma %f, %c_low, %error : f32
  %rest = math.fma %p, %c_high, %rest1 : f32
  %sum = arith.addf %e_high, %high : f32
  %lost1 = arith.subf %e_high, %sum : f32
  %lost = arith.addf %lost1, %high : f32
  %y = arith.addf %e_low, %rest : f32
  %y1 = arith.addf %lost, %y : f32
  %y2 = arith.addf %sum, %y1 : f32
  return %y2 : f32
}

func.func @log2_f32(%x: f32) -> f32 {
  %f, %e = func.call @split_log_f32(%x)
      : (f32) -> (f32, f32)
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 1.442695 : f32
  %c1 = arith.constant 1.925963e-08 : f32
  %y = func.call @log_base_f32(%e, %zero, %f, %c0, %c1)
      : (f32, f32, f32, f32, f32) -> f32
  %y1 = func.call @finish_log_f32(%x, %y) : (f32, f32) -> f32
  return %y1 : f32
}

func.func @log10_f32(%x: f32) -> f32 {
  %f, %e = func.call @split_log_f32(%x)
      : (f32) -> (f32, f32)
  // The product with the upper part, of 16 bits, is exact.
  %c0 = arith.constant 0.30103302 : f32
  %c1 = arith.constant -3.0243555e-06 : f32
  %c2 = arith.constant 0.4342945 : f32
  %c3 = arith.constant -1.010305e-08 : f32
  %y1 = arith.mulf %e, %c0 : f32
  %y2 = arith.mulf %e, %c1 : f32
  %y = func.call @log_base_f32(%y1, %y2, %f, %c2, %c3)
      : (f32, f32, f32, f32, f32) -> f32
  %y3 = func.call @finish_log_f32(%x, %y) : (f32, f32) -> f32
  return %y3 : f32
}

//===----------------------------------------------------------------------===//
// f32: trigonometric functions
//===----------------------------------------------------------------------===//

// |x| = q pi/2 + r for 2^17 < |x| < infinity, from x times those 96 bits of
// 2/pi that matter (Payne and Hanek): bits above give multiples of 4 quadrants,
// bits below are lost in the rounding. Only the low bits of q are right.
func.func private @reduce_large_f32(%x: f32) -> (f32, f32, i32) {
  %magnitude1 = math.absf %x : f32
  %magnitude = arith.bitcast %magnitude1 : f32 to i32
  %x7FFFFF = arith.constant 0x7FFFFF : i32
  %x800000 = arith.constant 0x800000 : i32
  %mantissa1 = arith.andi %magnitude, %x7FFFFF : i32
  %mantissa2 = arith.ori %mantissa1, %x800000 : i32
  %mantissa = arith.extui %mantissa2 : i32 to i64
  // The first bit wanted, counted in 32 zeros and then 2/pi.
  %n23 = arith.constant 23 : i32
  %n120 = arith.constant 120 : i32
  %first1 = arith.shrui %magnitude, %n23 : i32
  %first = arith.subi %first1, %n120 : i32
  %n5 = arith.constant 5 : i32
  %word = arith.shrui %first, %n5 : i32
  %n31 = arith.constant 31 : i32
  %shift1 = arith.andi %first, %n31 : i32
  %shift = arith.extui %shift1 : i32 to i64
  // 2/pi in halves of 64 bits, at the chosen word and two words after it.
  %n0 = arith.constant 0 : i32
  %is_0 = arith.cmpi eq, %word, %n0 : i32
  %n1 = arith.constant 1 : i32
  %is_1 = arith.cmpi eq, %word, %n1 : i32
  %n2 = arith.constant 2 : i32
  %is_2 = arith.cmpi eq, %word, %n2 : i32
  %n3 = arith.constant 3 : i32
  %is_3 = arith.cmpi eq, %word, %n3 : i32
  %xFC2757D1F534DDC0 = arith.constant 0xFC2757D1F534DDC0 : i64
  %xF534DDC0DB629599 = arith.constant 0xF534DDC0DB629599 : i64
  %a3 = arith.select %is_3, %xFC2757D1F534DDC0, %xF534DDC0DB629599 : i64
  %x4E441529FC2757D1 = arith.constant 0x4E441529FC2757D1 : i64
  %a2 = arith.select %is_2, %x4E441529FC2757D1, %a3 : i64
  %xA2F9836E4E441529 = arith.constant 0xA2F9836E4E441529 : i64
  %a1 = arith.select %is_1, %xA2F9836E4E441529, %a2 : i64
  %xA2F9836E = arith.constant 0xA2F9836E : i64
  %a = arith.select %is_0, %xA2F9836E, %a1 : i64
  %xDB6295993C439041 = arith.constant 0xDB6295993C439041 : i64
  %x3C439041FE5163AB = arith.constant 0x3C439041FE5163AB : i64
  %b3 = arith.select %is_3, %xDB6295993C439041, %x3C439041FE5163AB : i64
  %b2 = arith.select %is_2, %xF534DDC0DB629599, %b3 : i64
  %b1 = arith.select %is_1, %xFC2757D1F534DDC0, %b2 : i64
  %b = arith.select %is_0, %x4E441529FC2757D1, %b1 : i64
  %n1_i64 = arith.constant 1 : i64
  %n63 = arith.constant 63 : i64
  %high1 = arith.shli %a, %shift : i64
  %high2 = arith.shrui %b, %n1_i64 : i64
  %high3 = arith.subi %n63, %shift : i64
  %high4 = arith.shrui %high2, %high3 : i64
  %high = arith.ori %high1, %high4 : i64
  %n32 = arith.constant 32 : i64
  %low1 = arith.shli %b, %shift : i64
  %low = arith.shrui %low1, %n32 : i64
  %product1 = arith.muli %mantissa, %high : i64
  %product2 = arith.muli %mantissa, %low : i64
  %product3 = arith.shrui %product2, %n32 : i64
  %product = arith.addi %product1, %product3 : i64
  // Two bits of quadrant, then the fraction, taken to -1/2 .. 1/2.
  %n62 = arith.constant 62 : i64
  %n61 = arith.constant 61 : i64
  %q1 = arith.shrui %product, %n62 : i64
  %q2 = arith.shrui %product, %n61 : i64
  %q3 = arith.andi %q2, %n1_i64 : i64
  %q = arith.addi %q1, %q3 : i64
  %n2_i64 = arith.constant 2 : i64
  %fraction1 = arith.shli %product, %n2_i64 : i64
  %fraction = arith.sitofp %fraction1 : i64 to f64
  %c0 = arith.constant 8.515303950216386e-20 : f64
  %r = arith.mulf %fraction, %c0 : f64
  %zero = arith.constant 0.0 : f32
  %signed_if = arith.cmpf olt, %x, %zero : f32
  %signed1 = arith.negf %r : f64
  %signed = arith.select %signed_if, %signed1, %r : f64
  %n0_i64 = arith.constant 0 : i64
  %quadrant_if = arith.cmpf olt, %x, %zero : f32
  %quadrant1 = arith.subi %n0_i64, %q : i64
  %quadrant2 = arith.select %quadrant_if, %quadrant1, %q : i64
  %quadrant = arith.trunci %quadrant2 : i64 to i32
  %r_high = arith.truncf %signed : f64 to f32
  %r_low1 = arith.extf %r_high : f32 to f64
  %r_low2 = arith.subf %signed, %r_low1 : f64
  %r_low = arith.truncf %r_low2 : f64 to f32
  return %r_high, %r_low, %quadrant : f32, f32, i32
}

// x = q pi/2 + high + low with |high| <= pi/4; NaN for infinity.
func.func private @reduce_f32(%x: f32) -> (f32, f32, i32) {
  // From 2^17 to infinity.
  %x48000000 = arith.constant 0x48000000 : i32
  %x37800000 = arith.constant 0x37800000 : i32
  %is_large1 = math.absf %x : f32
  %is_large2 = arith.bitcast %is_large1 : f32 to i32
  %is_large3 = arith.subi %is_large2, %x48000000 : i32
  %is_large = arith.cmpi ult, %is_large3, %x37800000 : i32
  %shift = arith.constant 12582912.0 : f32
  %c0 = arith.constant 0.63661975 : f32
  %c1 = arith.constant -1.5707963 : f32
  %c2 = arith.constant 7.5497894e-08 : f32
  %c3 = arith.constant -5.390303e-15 : f32
  %high, %low, %q = scf.if %is_large -> (f32, f32, i32) {
    %high, %low, %q = func.call @reduce_large_f32(%x)
        : (f32) -> (f32, f32, i32)
    scf.yield %high, %low, %q : f32, f32, i32
  } else {
    // pi/2 in three parts, subtracted in turn: the first difference is exact.
    %shifted = math.fma %x, %c0, %shift : f32
    %kf = arith.subf %shifted, %shift : f32
    %rest = math.fma %kf, %c1, %x : f32
    %product = arith.mulf %kf, %c2 : f32
    %product_low1 = arith.negf %product : f32
    %product_low = math.fma %kf, %c2, %product_low1 : f32
    %high = arith.subf %rest, %product : f32
    %lost1 = arith.subf %rest, %high : f32
    %lost = arith.subf %lost1, %product : f32
    %low1 = arith.subf %lost, %product_low : f32
    %low = math.fma %kf, %c3, %low1 : f32
    %q1 = arith.bitcast %shifted : f32 to i32
    %q2 = arith.bitcast %shift : f32 to i32
    %q = arith.subi %q1, %q2 : i32
    scf.yield %high, %low, %q : f32, f32, i32
  }
  return %high, %low, %q : f32, f32, i32
}

// sin(high + low) - high for |high| <= pi/4.
func.func private @sin_poly_f32(%high: f32, %low: f32) -> f32 {
  %z = arith.mulf %high, %high : f32
  // Fit sin_f32.
  %c0 = arith.constant 2.8325396e-06 : f32
  %c1 = arith.constant -0.00019853066 : f32
  %c2 = arith.constant 0.008333379 : f32
  %c3 = arith.constant -0.16666667 : f32
  %y = arith.mulf %high, %z : f32
  %y1 = math.fma %c0, %z, %c1 : f32
  %y2 = math.fma %y1, %z, %c2 : f32
  %y3 = math.fma %y2, %z, %c3 : f32
  %y4 = math.fma %y, %y3, %low : f32
  return %y4 : f32
}

// cos(high + low) for |high| <= pi/4, as 1 + z p.
func.func private @cos_poly_f32(%high: f32, %low: f32) -> (f32, f32) {
  %z1 = arith.addf %low, %low : f32
  %z2 = arith.mulf %high, %z1 : f32
  %z = math.fma %high, %high, %z2 : f32
  // Fit cos_f32.
  %c0 = arith.constant 2.4432327e-05 : f32
  %c1 = arith.constant -0.001388731 : f32
  %c2 = arith.constant 0.041666646 : f32
  %c3 = arith.constant -0.5 : f32
  %p1 = math.fma %c0, %z, %c1 : f32
  %p2 = math.fma %p1, %z, %c2 : f32
  %p = math.fma %p2, %z, %c3 : f32
  return %z, %p : f32, f32
}

func.func @sin_f32(%x: f32) -> f32 {
  %high, %low, %q = func.call @reduce_f32(%x)
      : (f32) -> (f32, f32, i32)
  %s1 = func.call @sin_poly_f32(%high, %low) : (f32, f32) -> f32
  %s = arith.addf %high, %s1 : f32
  %z, %p = func.call @cos_poly_f32(%high, %low)
      : (f32, f32) -> (f32, f32)
  %one = arith.constant 1.0 : f32
  %c = math.fma %z, %p, %one : f32
  %n1 = arith.constant 1 : i32
  %n0 = arith.constant 0 : i32
  %y_if = arith.andi %q, %n1 : i32
  %y_if1 = arith.cmpi eq, %y_if, %n0 : i32
  %y = arith.select %y_if1, %s, %c : f32
  %n2 = arith.constant 2 : i32
  %n30 = arith.constant 30 : i32
  %signed1 = arith.bitcast %y : f32 to i32
  %signed2 = arith.andi %q, %n2 : i32
  %signed3 = arith.shli %signed2, %n30 : i32
  %signed4 = arith.xori %signed1, %signed3 : i32
  %signed = arith.bitcast %signed4 : i32 to f32
  %zero = arith.constant 0.0 : f32
  %y_if2 = arith.cmpf oeq, %x, %zero : f32
  %y1 = arith.select %y_if2, %x, %signed : f32
  return %y1 : f32
}

func.func @cos_f32(%x: f32) -> f32 {
  %high, %low, %q = func.call @reduce_f32(%x)
      : (f32) -> (f32, f32, i32)
  %s1 = func.call @sin_poly_f32(%high, %low) : (f32, f32) -> f32
  %s = arith.addf %high, %s1 : f32
  %z, %p = func.call @cos_poly_f32(%high, %low)
      : (f32, f32) -> (f32, f32)
  %one = arith.constant 1.0 : f32
  %c = math.fma %z, %p, %one : f32
  %n1 = arith.constant 1 : i32
  %n0 = arith.constant 0 : i32
  %y_if = arith.andi %q, %n1 : i32
  %y_if1 = arith.cmpi eq, %y_if, %n0 : i32
  %y = arith.select %y_if1, %c, %s : f32
  %n2 = arith.constant 2 : i32
  %n30 = arith.constant 30 : i32
  %y1 = arith.bitcast %y : f32 to i32
  %y2 = arith.addi %q, %n1 : i32
  %y3 = arith.andi %y2, %n2 : i32
  %y4 = arith.shli %y3, %n30 : i32
  %y5 = arith.xori %y1, %y4 : i32
  %y6 = arith.bitcast %y5 : i32 to f32
  return %y6 : f32
}

func.func @tan_f32(%x: f32) -> f32 {
  %high, %low, %q = func.call @reduce_f32(%x)
      : (f32) -> (f32, f32, i32)
  // Sine and cosine in two parts.
  %sp = func.call @sin_poly_f32(%high, %low) : (f32, f32) -> f32
  %z, %p = func.call @cos_poly_f32(%high, %low)
      : (f32, f32) -> (f32, f32)
  %s = arith.addf %high, %sp : f32
  %s_low1 = arith.subf %high, %s : f32
  %s_low = arith.addf %s_low1, %sp : f32
  %one = arith.constant 1.0 : f32
  %c = math.fma %z, %p, %one : f32
  // What the square lost, by the slope of 1 - z / 2.
  %z_low1 = arith.addf %low, %low : f32
  %z_low2 = arith.negf %z : f32
  %z_low3 = math.fma %high, %high, %z_low2 : f32
  %z_low = math.fma %high, %z_low1, %z_low3 : f32
  %c0 = arith.constant -0.5 : f32
  %c_low1 = arith.subf %one, %c : f32
  %c_low2 = math.fma %z, %p, %c_low1 : f32
  %c_low = math.fma %z_low, %c0, %c_low2 : f32
  %n1 = arith.constant 1 : i32
  %n0 = arith.constant 0 : i32
  %is_even1 = arith.andi %q, %n1 : i32
  %is_even = arith.cmpi eq, %is_even1, %n0 : i32
  %n2 = arith.negf %c : f32
  %n = arith.select %is_even, %s, %n2 : f32
  %n_low1 = arith.negf %c_low : f32
  %n_low = arith.select %is_even, %s_low, %n_low1 : f32
  %d = arith.select %is_even, %c, %s : f32
  %d_low = arith.select %is_even, %c_low, %s_low : f32
  // The quotient, with a correction from its remainder.
  %inverse = arith.divf %one, %d : f32
  %t = arith.mulf %n, %inverse : f32
  %rest1 = arith.negf %t : f32
  %rest2 = arith.negf %t : f32
  %rest3 = math.fma %rest2, %d, %n : f32
  %rest4 = arith.addf %rest3, %n_low : f32
  %rest = math.fma %rest1, %d_low, %rest4 : f32
  %y = math.fma %rest, %inverse, %t : f32
  %zero = arith.constant 0.0 : f32
  %y_if = arith.cmpf oeq, %x, %zero : f32
  %y1 = arith.select %y_if, %x, %y : f32
  return %y1 : f32
}

// asin(x) - x for |x| <= 0.57.
func.func private @asin_poly_f32(%x: f32, %z: f32) -> f32 {
  // Fit asin_f32.
  %c0 = arith.constant 0.048991255 : f32
  %c1 = arith.constant 0.00543249 : f32
  %c2 = arith.constant 0.03443097 : f32
  %c3 = arith.constant 0.044171616 : f32
  %c4 = arith.constant 0.07502474 : f32
  %c5 = arith.constant 0.16666624 : f32
  %y = math.fma %c0, %z, %c1 : f32
  %y1 = math.fma %y, %z, %c2 : f32
  %y2 = math.fma %y1, %z, %c3 : f32
  %y3 = math.fma %y2, %z, %c4 : f32
  %y4 = math.fma %y3, %z, %c5 : f32
  %y5 = arith.mulf %z, %y4 : f32
  %y6 = arith.mulf %x, %y5 : f32
  return %y6 : f32
}

func.func @asin_f32(%x: f32) -> f32 {
  %a = math.absf %x : f32
  %c0 = arith.constant 0.5625 : f32
  %is_small = arith.cmpf olt, %a, %c0 : f32
  // Above, pi/2 - 2 asin(sqrt((1 - a) / 2)).
  %c1 = arith.constant -0.5 : f32
  %half = arith.constant 0.5 : f32
  %z1 = arith.mulf %a, %a : f32
  %z2 = math.fma %a, %c1, %half : f32
  %z = arith.select %is_small, %z1, %z2 : f32
  %s1 = math.sqrt %z : f32
  %s = arith.select %is_small, %a, %s1 : f32
  // What the square root lost.
  %zero = arith.constant 0.0 : f32
  %s_low_if = arith.cmpf oeq, %s, %zero : f32
  %s_low_if1 = arith.ori %is_small, %s_low_if : i1
  %s_low1 = arith.negf %s : f32
  %s_low2 = math.fma %s_low1, %s, %z : f32
  %s_low3 = arith.addf %s, %s : f32
  %s_low4 = arith.divf %s_low2, %s_low3 : f32
  %s_low = arith.select %s_low_if1, %zero, %s_low4 : f32
  %p1 = func.call @asin_poly_f32(%s, %z) : (f32, f32) -> f32
  %p = arith.addf %p1, %s_low : f32
  %double = arith.addf %s, %s : f32
  %c2 = arith.constant 1.5707964 : f32
  %high = arith.subf %c2, %double : f32
  %low1 = arith.subf %c2, %high : f32
  %low = arith.subf %low1, %double : f32
  %c3 = arith.constant 4.371139e-08 : f32
  %large1 = arith.addf %p, %p : f32
  %large2 = arith.addf %large1, %c3 : f32
  %large3 = arith.subf %low, %large2 : f32
  %large = arith.addf %high, %large3 : f32
  %y1 = arith.addf %s, %p : f32
  %y = arith.select %is_small, %y1, %large : f32
  %y2 = math.copysign %y, %x : f32
  return %y2 : f32
}

func.func @acos_f32(%x: f32) -> f32 {
  %a = math.absf %x : f32
  %c0 = arith.constant 0.5625 : f32
  %is_small = arith.cmpf olt, %a, %c0 : f32
  %c1 = arith.constant -0.5 : f32
  %half = arith.constant 0.5 : f32
  %z1 = arith.mulf %a, %a : f32
  %z2 = math.fma %a, %c1, %half : f32
  %z = arith.select %is_small, %z1, %z2 : f32
  %s1 = math.sqrt %z : f32
  %s = arith.select %is_small, %a, %s1 : f32
  %zero = arith.constant 0.0 : f32
  %s_low_if = arith.cmpf oeq, %s, %zero : f32
  %s_low_if1 = arith.ori %is_small, %s_low_if : i1
  %s_low1 = arith.negf %s : f32
  %s_low2 = math.fma %s_low1, %s, %z : f32
  %s_low3 = arith.addf %s, %s : f32
  %s_low4 = arith.divf %s_low2, %s_low3 : f32
  %s_low = arith.select %s_low_if1, %zero, %s_low4 : f32
  %p1 = func.call @asin_poly_f32(%s, %z) : (f32, f32) -> f32
  %p = arith.addf %p1, %s_low : f32
  // Below, pi/2 - asin(x); above, 2 asin(s), or pi less that.
  %t = math.copysign %s, %x : f32
  %tp = math.copysign %p, %x : f32
  %c2 = arith.constant 1.5707964 : f32
  %high = arith.subf %c2, %t : f32
  %low1 = arith.subf %c2, %high : f32
  %low = arith.subf %low1, %t : f32
  %c3 = arith.constant 4.371139e-08 : f32
  %small1 = arith.addf %tp, %c3 : f32
  %small2 = arith.subf %low, %small1 : f32
  %small = arith.addf %high, %small2 : f32
  %double = arith.addf %s, %s : f32
  %above1 = arith.addf %p, %p : f32
  %above = arith.addf %double, %above1 : f32
  %c4 = arith.constant 3.1415927 : f32
  %pi_high = arith.subf %c4, %double : f32
  %pi_low1 = arith.subf %c4, %pi_high : f32
  %pi_low = arith.subf %pi_low1, %double : f32
  %c5 = arith.constant 8.742278e-08 : f32
  %below1 = arith.addf %p, %p : f32
  %below2 = arith.addf %below1, %c5 : f32
  %below3 = arith.subf %pi_low, %below2 : f32
  %below = arith.addf %pi_high, %below3 : f32
  %large_if = arith.cmpf olt, %x, %zero : f32
  %large = arith.select %large_if, %below, %above : f32
  %y = arith.select %is_small, %small, %large : f32
  return %y : f32
}

func.func @atan_f32(%x: f32) -> f32 {
  %magnitude = math.absf %x : f32
  %c0 = arith.constant 10000000000. : f32
  %a_if = arith.cmpf ogt, %magnitude, %c0 : f32
  %a = arith.select %a_if, %c0, %magnitude : f32
  %one = arith.constant 1.0 : f32
  %is_large = arith.cmpf ogt, %a, %one : f32
  %inverse = arith.divf %one, %a : f32
  %q = arith.select %is_large, %inverse, %a : f32
  %z = arith.mulf %q, %q : f32
  // What the division lost, by the slope of atan.
  %c1 = arith.constant -0.5 : f32
  %q_low1 = arith.negf %inverse : f32
  %q_low2 = math.fma %q_low1, %a, %one : f32
  %q_low3 = arith.mulf %q_low2, %inverse : f32
  %q_low4 = math.fma %z, %c1, %one : f32
  %q_low = arith.mulf %q_low3, %q_low4 : f32
  // Fit atan_f32.
  %c2 = arith.constant -0.0017820902 : f32
  %c3 = arith.constant 0.010866078 : f32
  %c4 = arith.constant -0.031093264 : f32
  %c5 = arith.constant 0.057878688 : f32
  %c6 = arith.constant -0.08399202 : f32
  %c7 = arith.constant 0.109508604 : f32
  %c8 = arith.constant -0.14264014 : f32
  %c9 = arith.constant 0.1999853 : f32
  %c10 = arith.constant -0.333333 : f32
  %zero = arith.constant 0.0 : f32
  %p1 = arith.mulf %q, %z : f32
  %p2 = math.fma %c2, %z, %c3 : f32
  %p3 = math.fma %p2, %z, %c4 : f32
  %p4 = math.fma %p3, %z, %c5 : f32
  %p5 = math.fma %p4, %z, %c6 : f32
  %p6 = math.fma %p5, %z, %c7 : f32
  %p7 = math.fma %p6, %z, %c8 : f32
  %p8 = math.fma %p7, %z, %c9 : f32
  %p9 = math.fma %p8, %z, %c10 : f32
  %p10 = arith.select %is_large, %q_low, %zero : f32
  %p = math.fma %p1, %p9, %p10 : f32
  %c11 = arith.constant 1.5707964 : f32
  %high = arith.subf %c11, %q : f32
  %low1 = arith.subf %c11, %high : f32
  %low = arith.subf %low1, %q : f32
  %c12 = arith.constant 4.371139e-08 : f32
  %large1 = arith.addf %p, %c12 : f32
  %large2 = arith.subf %low, %large1 : f32
  %large = arith.addf %high, %large2 : f32
  %y1 = arith.addf %q, %p : f32
  %y = arith.select %is_large, %large, %y1 : f32
  %y2 = math.copysign %y, %x : f32
  return %y2 : f32
}

//===----------------------------------------------------------------------===//
// f32: error functions and roots
//===----------------------------------------------------------------------===//

func.func @erf_f32(%x: f32) -> f32 {
  %a = math.absf %x : f32
  // Fit erf_f32.
  %c0 = arith.constant 7.625962e-05 : f32
  %c1 = arith.constant -0.0007946599 : f32
  %c2 = arith.constant 0.0051818206 : f32
  %c3 = arith.constant -0.02685086 : f32
  %c4 = arith.constant 0.112835295 : f32
  %c5 = arith.constant -0.37612623 : f32
  %c6 = arith.constant 0.12837917 : f32
  %small1 = arith.mulf %a, %a : f32
  %small2 = math.fma %c0, %small1, %c1 : f32
  %small3 = math.fma %small2, %small1, %c2 : f32
  %small4 = math.fma %small3, %small1, %c3 : f32
  %small5 = math.fma %small4, %small1, %c4 : f32
  %small6 = math.fma %small5, %small1, %c5 : f32
  %small7 = math.fma %small6, %small1, %c6 : f32
  %small = math.fma %a, %small7, %a : f32
  // 1 - exp(-g); from 3.92 on the result is 1.
  %c7 = arith.constant 3.92 : f32
  %clamped_if = arith.cmpf ogt, %a, %c7 : f32
  %clamped = arith.select %clamped_if, %c7, %a : f32
  // Fit erf_tail_f32.
  %c8 = arith.constant 2.16902e-05 : f32
  %c9 = arith.constant -0.00044138575 : f32
  %c10 = arith.constant 0.004204838 : f32
  %c11 = arith.constant -0.025209045 : f32
  %c12 = arith.constant 0.108419836 : f32
  %c13 = arith.constant 0.63321877 : f32
  %c14 = arith.constant 1.129579 : f32
  %c15 = arith.constant -0.00018813611 : f32
  %g1 = math.fma %c8, %clamped, %c9 : f32
  %g2 = math.fma %g1, %clamped, %c10 : f32
  %g3 = math.fma %g2, %clamped, %c11 : f32
  %g4 = math.fma %g3, %clamped, %c12 : f32
  %g5 = math.fma %g4, %clamped, %c13 : f32
  %g6 = math.fma %g5, %clamped, %c14 : f32
  %g = math.fma %g6, %clamped, %c15 : f32
  %r = arith.negf %g : f32
  %r1, %k = func.call @split_exp_f32(%r)
      : (f32) -> (f32, i32)
  %t = func.call @exp_poly_f32(%r1) : (f32) -> f32
  %scale = func.call @pow2_f32(%k) : (i32) -> f32
  %one = arith.constant 1.0 : f32
  %large1 = math.fma %t, %scale, %scale : f32
  %large = arith.subf %one, %large1 : f32
  %c16 = arith.constant 1.03125 : f32
  %y_if = arith.cmpf olt, %a, %c16 : f32
  %y = arith.select %y_if, %small, %large : f32
  %y1 = math.copysign %y, %x : f32
  return %y1 : f32
}

// exp(-a^2) P(q) / (a + 5/2) with q = (a - 5/2) / (a + 5/2) (Shepherd and
// Laframboise) for a >= 0.6.
func.func private @erfc_tail_f32(%a: f32) -> f32 {
  // exp(-a^2), with a^2 in two parts: exp(-low) is 1 - low.
  %square = arith.mulf %a, %a : f32
  %square_low1 = arith.negf %square : f32
  %square_low = math.fma %a, %a, %square_low1 : f32
  %e = arith.negf %square : f32
  %e1, %e_poly_low, %k = func.call @exp_parts_f32(%e)
      : (f32) -> (f32, f32, i32)
  %e_low1 = arith.negf %square_low : f32
  %e_low = math.fma %e_low1, %e1, %e_poly_low : f32
  // 1 / (a + 5/2) in two parts.
  %c0 = arith.constant 2.5 : f32
  %d = arith.addf %a, %c0 : f32
  %d_low1 = arith.subf %d, %c0 : f32
  %d_low = arith.subf %a, %d_low1 : f32
  %one = arith.constant 1.0 : f32
  %inverse = arith.divf %one, %d : f32
  %rest1 = arith.negf %inverse : f32
  %rest2 = arith.negf %inverse : f32
  %rest3 = math.fma %rest2, %d, %one : f32
  %rest = math.fma %rest1, %d_low, %rest3 : f32
  %inverse_low = arith.mulf %rest, %inverse : f32
  %n = arith.subf %a, %c0 : f32
  %q1 = arith.mulf %n, %inverse_low : f32
  %q = math.fma %n, %inverse, %q1 : f32
  // Fit erfc_f32.
  %c1 = arith.constant 0.0006084027 : f32
  %c2 = arith.constant -0.00040041626 : f32
  %c3 = arith.constant -0.004790076 : f32
  %c4 = arith.constant 0.008383924 : f32
  %c5 = arith.constant 0.028358087 : f32
  %c6 = arith.constant -0.17125043 : f32
  %c7 = arith.constant 0.45391425 : f32
  %c8 = arith.constant -0.80465186 : f32
  %p1 = math.fma %c1, %q, %c2 : f32
  %p2 = math.fma %p1, %q, %c3 : f32
  %p3 = math.fma %p2, %q, %c4 : f32
  %p4 = math.fma %p3, %q, %c5 : f32
  %p5 = math.fma %p4, %q, %c6 : f32
  %p6 = math.fma %p5, %q, %c7 : f32
  %p = math.fma %p6, %q, %c8 : f32
  %p0 = arith.constant 1.0540318 : f32
  %sum = math.fma %p, %q, %p0 : f32
  %c9 = arith.constant -3.001397e-08 : f32
  %sum_low1 = arith.subf %p0, %sum : f32
  %sum_low2 = math.fma %p, %q, %sum_low1 : f32
  %sum_low = arith.addf %sum_low2, %c9 : f32
  // The product of the three.
  %m = arith.mulf %e1, %inverse : f32
  %m_error1 = arith.negf %m : f32
  %m_error = math.fma %e1, %inverse, %m_error1 : f32
  %m_low1 = math.fma %e_low, %inverse, %m_error : f32
  %m_low = math.fma %e1, %inverse_low, %m_low1 : f32
  %y = arith.mulf %m, %sum : f32
  %y_error1 = arith.negf %y : f32
  %y_error = math.fma %m, %sum, %y_error1 : f32
  %y_low1 = math.fma %m_low, %sum, %y_error : f32
  %y_low = math.fma %m, %sum_low, %y_low1 : f32
  %y1 = arith.addf %y, %y_low : f32
  %y2 = func.call @scale_f32(%y1, %k) : (f32, i32) -> f32
  return %y2 : f32
}

func.func @erfc_f32(%x: f32) -> f32 {
  %magnitude = math.absf %x : f32
  // 1 - x - x p
  %one = arith.constant 1.0 : f32
  %high = arith.subf %one, %x : f32
  %low1 = arith.subf %one, %high : f32
  %low = arith.subf %low1, %x : f32
  // Fit erf_f32.
  %c0 = arith.constant 7.625962e-05 : f32
  %c1 = arith.constant -0.0007946599 : f32
  %c2 = arith.constant 0.0051818206 : f32
  %c3 = arith.constant -0.02685086 : f32
  %c4 = arith.constant 0.112835295 : f32
  %c5 = arith.constant -0.37612623 : f32
  %c6 = arith.constant 0.12837917 : f32
  %near1 = arith.negf %x : f32
  %near2 = arith.mulf %x, %x : f32
  %near3 = math.fma %c0, %near2, %c1 : f32
  %near4 = math.fma %near3, %near2, %c2 : f32
  %near5 = math.fma %near4, %near2, %c3 : f32
  %near6 = math.fma %near5, %near2, %c4 : f32
  %near7 = math.fma %near6, %near2, %c5 : f32
  %near8 = math.fma %near7, %near2, %c6 : f32
  %near9 = math.fma %near1, %near8, %low : f32
  %near = arith.addf %high, %near9 : f32
  %c7 = arith.constant 10.5 : f32
  %a_if = arith.cmpf ogt, %magnitude, %c7 : f32
  %a = arith.select %a_if, %c7, %magnitude : f32
  %tail = func.call @erfc_tail_f32(%a) : (f32) -> f32
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %far_if = arith.cmpf olt, %x, %zero : f32
  %far1 = arith.subf %two, %tail : f32
  %far = arith.select %far_if, %far1, %tail : f32
  %c8 = arith.constant 0.6 : f32
  %y_if = arith.cmpf olt, %magnitude, %c8 : f32
  %y = arith.select %y_if, %near, %far : f32
  return %y : f32
}

func.func @rsqrt_f32(%x: f32) -> f32 {
  %s = math.sqrt %x : f32
  %one = arith.constant 1.0 : f32
  %y = arith.divf %one, %s : f32
  return %y : f32
}

func.func @cbrt_f32(%x: f32) -> f32 {
  %magnitude = math.absf %x : f32
  %c0 = arith.constant 1.1754944e-38 : f32
  %is_denormal = arith.cmpf olt, %magnitude, %c0 : f32
  %c1 = arith.constant 16777216.0 : f32
  %a1 = arith.mulf %magnitude, %c1 : f32
  %a = arith.select %is_denormal, %a1, %magnitude : f32
  // r near 1 / cbrt(a) from a third of the exponent, then by Newton's method.
  %x54A21D2A = arith.constant 0x54A21D2A : i32
  %n3 = arith.constant 3 : i32
  %r01 = arith.bitcast %a : f32 to i32
  %r02 = arith.divui %r01, %n3 : i32
  %r03 = arith.subi %x54A21D2A, %r02 : i32
  %r0 = arith.bitcast %r03 : i32 to f32
  %third = arith.constant 0.33333334 : f32
  %one = arith.constant 1.0 : f32
  %e01 = arith.mulf %r0, %r0 : f32
  %e02 = arith.negf %e01 : f32
  %e03 = arith.mulf %r0, %a : f32
  %e0 = math.fma %e02, %e03, %one : f32
  %r11 = arith.mulf %e0, %third : f32
  %r1 = math.fma %r0, %r11, %r0 : f32
  %e11 = arith.mulf %r1, %r1 : f32
  %e12 = arith.negf %e11 : f32
  %e13 = arith.mulf %r1, %a : f32
  %e1 = math.fma %e12, %e13, %one : f32
  %r21 = arith.mulf %e1, %third : f32
  %r2 = math.fma %r1, %r21, %r1 : f32
  %e21 = arith.mulf %r2, %r2 : f32
  %e22 = arith.negf %e21 : f32
  %e23 = arith.mulf %r2, %a : f32
  %e2 = math.fma %e22, %e23, %one : f32
  %r3 = arith.mulf %e2, %third : f32
  %r = math.fma %r2, %r3, %r2 : f32
  %y1 = arith.mulf %r, %r : f32
  %y = arith.mulf %a, %y1 : f32
  // One step from the exact remainder of y^3.
  %y2 = arith.mulf %y, %y : f32
  %y2_low1 = arith.negf %y2 : f32
  %y2_low = math.fma %y, %y, %y2_low1 : f32
  %rest1 = arith.negf %y2_low : f32
  %rest2 = arith.negf %y2 : f32
  %rest3 = math.fma %rest2, %y, %a : f32
  %rest = math.fma %rest1, %y, %rest3 : f32
  %root1 = arith.mulf %r, %r : f32
  %root2 = arith.mulf %root1, %third : f32
  %root = math.fma %rest, %root2, %y : f32
  %c2 = arith.constant 0.00390625 : f32
  %scaled1 = arith.mulf %root, %c2 : f32
  %scaled = arith.select %is_denormal, %scaled1, %root : f32
  %zero = arith.constant 0.0 : f32
  %c3 = arith.constant 0x7F800000 : f32
  %is_finite1 = arith.cmpf ogt, %magnitude, %zero : f32
  %is_finite2 = arith.cmpf olt, %magnitude, %c3 : f32
  %is_finite = arith.andi %is_finite1, %is_finite2 : i1
  %y3 = arith.select %is_finite, %scaled, %magnitude : f32
  %y4 = math.copysign %y3, %x : f32
  return %y4 : f32
}

func.func @round_f32(%x: f32) -> f32 {
  // The number below 1/2: x + 1/2 could round up to the next integer.
  %c0 = arith.constant 0.49999997 : f32
  %y = math.copysign %c0, %x : f32
  %y1 = arith.addf %x, %y : f32
  %y2 = math.trunc %y1 : f32
  return %y2 : f32
}

//===----------------------------------------------------------------------===//
// f32 by way of f64
//===----------------------------------------------------------------------===//

// log(1 + f) / s for s = f / (2 + f), right to 40 bits, for 1 + f from
// sqrt(1/2) to sqrt(2); the product with s is the logarithm.
func.func private @log_short_f64(%s: f64) -> f64 {
  %z = arith.mulf %s, %s : f64
  // Fit log_short_f64.
  %c0 = arith.constant 0.19587334623810315 : f64
  %c1 = arith.constant 0.22175948002130735 : f64
  %c2 = arith.constant 0.2857211560280783 : f64
  %c3 = arith.constant 0.3999999555072564 : f64
  %c4 = arith.constant 0.6666666667606623 : f64
  %two = arith.constant 2.0 : f64
  %y = math.fma %c0, %z, %c1 : f64
  %y1 = math.fma %y, %z, %c2 : f64
  %y2 = math.fma %y1, %z, %c3 : f64
  %y3 = math.fma %y2, %z, %c4 : f64
  %y4 = math.fma %z, %y3, %two : f64
  return %y4 : f64
}

// x = (1 + f) 2^e with sqrt(1/2) <= 1 + f < sqrt(2), for normal x > 0.
func.func private @split_log_f64(%x: f64) -> (f64, i64) {
  %code = arith.bitcast %x : f64 to i64
  %x3FE6A09E667F3BCD = arith.constant 0x3FE6A09E667F3BCD : i64
  %n52 = arith.constant 52 : i64
  %e1 = arith.subi %code, %x3FE6A09E667F3BCD : i64
  %e = arith.shrsi %e1, %n52 : i64
  %one = arith.constant 1.0 : f64
  %f1 = arith.shli %e, %n52 : i64
  %f2 = arith.subi %code, %f1 : i64
  %f3 = arith.bitcast %f2 : i64 to f64
  %f = arith.subf %f3, %one : f64
  return %f, %e : f64, i64
}

// log(1 + x) to 38 bits for x > -1 that came from f32.
func.func private @log1p_short_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %u = arith.addf %x, %one : f64
  %f0, %e = func.call @split_log_f64(%u)
      : (f64) -> (f64, i64)
  %n0 = arith.constant 0 : i64
  %f_if = arith.cmpi eq, %e, %n0 : i64
  %f = arith.select %f_if, %x, %f0 : f64
  %two = arith.constant 2.0 : f64
  %s1 = arith.addf %f, %two : f64
  %s = arith.divf %f, %s1 : f64
  %c0 = arith.constant 0.6931471805599453 : f64
  %y = arith.sitofp %e : i64 to f64
  %y1 = func.call @log_short_f64(%s) : (f64) -> f64
  %y2 = arith.mulf %s, %y1 : f64
  %y3 = math.fma %y, %c0, %y2 : f64
  return %y3 : f64
}

func.func @asinh_f32(%x: f32) -> f32 {
  %a1 = math.absf %x : f32
  %a = arith.extf %a1 : f32 to f64
  %a2 = arith.mulf %a, %a : f64
  %one_f64 = arith.constant 1.0 : f64
  %t1 = arith.addf %a2, %one_f64 : f64
  %t2 = math.sqrt %t1 : f64
  %t3 = arith.addf %t2, %one_f64 : f64
  %t4 = arith.divf %a2, %t3 : f64
  %t = arith.addf %a, %t4 : f64
  %y1 = func.call @log1p_short_f64(%t) : (f64) -> f64
  %y = arith.truncf %y1 : f64 to f32
  %c0 = arith.constant 0x7F800000 : f32
  %is_finite1 = math.absf %x : f32
  %is_finite = arith.cmpf olt, %is_finite1, %c0 : f32
  %y2 = math.absf %x : f32
  %y3 = arith.select %is_finite, %y, %y2 : f32
  %y4 = math.copysign %y3, %x : f32
  return %y4 : f32
}

func.func @acosh_f32(%x: f32) -> f32 {
  %a = arith.extf %x : f32 to f64
  %one_f64 = arith.constant 1.0 : f64
  %t = arith.subf %a, %one_f64 : f64
  %root1 = arith.addf %a, %one_f64 : f64
  %root2 = arith.mulf %t, %root1 : f64
  %root = math.sqrt %root2 : f64
  %y1 = arith.addf %t, %root : f64
  %y2 = func.call @log1p_short_f64(%y1) : (f64) -> f64
  %y = arith.truncf %y2 : f64 to f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0x7FC00000 : f32
  %other_if = arith.cmpf olt, %x, %one : f32
  %other = arith.select %other_if, %c0, %x : f32
  %c1 = arith.constant 0x7F800000 : f32
  %is_usual1 = arith.cmpf oge, %x, %one : f32
  %is_usual2 = arith.cmpf olt, %x, %c1 : f32
  %is_usual = arith.andi %is_usual1, %is_usual2 : i1
  %y3 = arith.select %is_usual, %y, %other : f32
  return %y3 : f32
}

func.func @atanh_f32(%x: f32) -> f32 {
  %a1 = math.absf %x : f32
  %a = arith.extf %a1 : f32 to f64
  %one_f64 = arith.constant 1.0 : f64
  %t1 = arith.addf %a, %a : f64
  %t2 = arith.subf %one_f64, %a : f64
  %t = arith.divf %t1, %t2 : f64
  %half_f64 = arith.constant 0.5 : f64
  %y1 = func.call @log1p_short_f64(%t) : (f64) -> f64
  %y2 = arith.mulf %y1, %half_f64 : f64
  %y = arith.truncf %y2 : f64 to f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0x7F800000 : f32
  %c1 = arith.constant 0x7FC00000 : f32
  %other_if = math.absf %x : f32
  %other_if1 = arith.cmpf oeq, %other_if, %one : f32
  %other = arith.select %other_if1, %c0, %c1 : f32
  %is_usual1 = math.absf %x : f32
  %is_usual = arith.cmpf olt, %is_usual1, %one : f32
  %y3 = arith.select %is_usual, %y, %other : f32
  %y4 = math.copysign %y3, %x : f32
  return %y4 : f32
}

func.func @atan2_f32(%y: f32, %x: f32) -> f32 {
  // Both infinite: as both 1.
  %c0 = arith.constant 0x7F800000 : f32
  %is_inf1 = math.absf %x : f32
  %is_inf2 = arith.cmpf oeq, %is_inf1, %c0 : f32
  %is_inf3 = math.absf %y : f32
  %is_inf4 = arith.cmpf oeq, %is_inf3, %c0 : f32
  %is_inf = arith.andi %is_inf2, %is_inf4 : i1
  %one_f64 = arith.constant 1.0 : f64
  %a1 = math.absf %x : f32
  %a2 = arith.extf %a1 : f32 to f64
  %a = arith.select %is_inf, %one_f64, %a2 : f64
  %b1 = math.absf %y : f32
  %b2 = arith.extf %b1 : f32 to f64
  %b = arith.select %is_inf, %one_f64, %b2 : f64
  %is_steep = arith.cmpf ogt, %b, %a : f64
  %low = arith.select %is_steep, %a, %b : f64
  %high = arith.select %is_steep, %b, %a : f64
  // atan(low / high) from 0 or from pi/4.
  %c1 = arith.constant 0.41421356237309503 : f64
  %is_near1 = arith.mulf %high, %c1 : f64
  %is_near = arith.cmpf ogt, %low, %is_near1 : f64
  %n1 = arith.subf %low, %high : f64
  %n = arith.select %is_near, %n1, %low : f64
  %d1 = arith.addf %low, %high : f64
  %d = arith.select %is_near, %d1, %high : f64
  // 0 / 0 counts as 0.
  %zero_f64 = arith.constant 0.0 : f64
  %safe_if = arith.cmpf oeq, %d, %zero_f64 : f64
  %safe = arith.select %safe_if, %one_f64, %d : f64
  %t = arith.divf %n, %safe : f64
  %z = arith.mulf %t, %t : f64
  // Fit atan_short_f64.
  %c2 = arith.constant -0.03791697792937122 : f64
  %c3 = arith.constant 0.06990814763826347 : f64
  %c4 = arith.constant -0.08996754257485148 : f64
  %c5 = arith.constant 0.11103994929550937 : f64
  %c6 = arith.constant -0.1428542315552082 : f64
  %c7 = arith.constant 0.19999994315289676 : f64
  %c8 = arith.constant -0.3333333329564074 : f64
  %p1 = arith.mulf %t, %z : f64
  %p2 = math.fma %c2, %z, %c3 : f64
  %p3 = math.fma %p2, %z, %c4 : f64
  %p4 = math.fma %p3, %z, %c5 : f64
  %p5 = math.fma %p4, %z, %c6 : f64
  %p6 = math.fma %p5, %z, %c7 : f64
  %p7 = math.fma %p6, %z, %c8 : f64
  %p = math.fma %p1, %p7, %t : f64
  %c9 = arith.constant 0.7853981633974483 : f64
  %base = arith.select %is_near, %c9, %zero_f64 : f64
  %angle = arith.addf %base, %p : f64
  %c10 = arith.constant 1.5707963267948966 : f64
  %acute1 = arith.subf %c10, %angle : f64
  %acute = arith.select %is_steep, %acute1, %angle : f64
  %n0 = arith.constant 0 : i32
  %is_left1 = arith.bitcast %x : f32 to i32
  %is_left = arith.cmpi slt, %is_left1, %n0 : i32
  %c11 = arith.constant 3.141592653589793 : f64
  %full1 = arith.subf %c11, %acute : f64
  %full = arith.select %is_left, %full1, %acute : f64
  %y1 = arith.truncf %full : f64 to f32
  %y2 = math.copysign %y1, %y : f32
  return %y2 : f32
}

// C's pow: the magnitude |x|^y, its sign, and what is no number.
func.func @powf_f32(%x: f32, %y: f32) -> f32 {
  %ax = math.absf %x : f32
  %f = arith.extf %ax : f32 to f64
  %f1, %e = func.call @split_log_f64(%f)
      : (f64) -> (f64, i64)
  %two_f64 = arith.constant 2.0 : f64
  %s1 = arith.addf %f1, %two_f64 : f64
  %s = arith.divf %f1, %s1 : f64
  %c0 = arith.constant 1.4426950408889634 : f64
  %log1 = func.call @log_short_f64(%s) : (f64) -> f64
  %log2 = arith.mulf %s, %log1 : f64
  %log3 = arith.sitofp %e : i64 to f64
  %log = math.fma %log2, %c0, %log3 : f64
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 0xFFF0000000000000 : f64
  %at_zero_if = arith.cmpf oeq, %ax, %zero : f32
  %at_zero = arith.select %at_zero_if, %c1, %log : f64
  %c2 = arith.constant 0x7F800000 : f32
  %c3 = arith.constant 0x7FF0000000000000 : f64
  %log2_if = arith.cmpf oeq, %ax, %c2 : f32
  %log21 = arith.select %log2_if, %c3, %at_zero : f64
  %product1 = arith.extf %y : f32 to f64
  %product = arith.mulf %log21, %product1 : f64
  // 2^product, in the range of f64 but beyond that of f32.
  %c4 = arith.constant 200.0 : f64
  %capped_if = arith.cmpf ogt, %product, %c4 : f64
  %capped = arith.select %capped_if, %c4, %product : f64
  %c5 = arith.constant -200.0 : f64
  %exponent_if = arith.cmpf olt, %capped, %c5 : f64
  %exponent = arith.select %exponent_if, %c5, %capped : f64
  %shift = arith.constant 6755399441055744.0 : f64
  %shifted = arith.addf %exponent, %shift : f64
  %r1 = arith.subf %shifted, %shift : f64
  %r = arith.subf %exponent, %r1 : f64
  %k1 = arith.bitcast %shifted : f64 to i64
  %k2 = arith.bitcast %shift : f64 to i64
  %k = arith.subi %k1, %k2 : i64
  // Fit exp2_short_f64.
  %c6 = arith.constant 1.3178980222864171e-06 : f64
  %c7 = arith.constant 1.5309158069281075e-05 : f64
  %c8 = arith.constant 0.00015403825223137677 : f64
  %c9 = arith.constant 0.001333345485198257 : f64
  %c10 = arith.constant 0.009618128616472488 : f64
  %c11 = arith.constant 0.05550410935278166 : f64
  %c12 = arith.constant 0.24022650698109424 : f64
  %c13 = arith.constant 0.6931471805482075 : f64
  %one_f64 = arith.constant 1.0 : f64
  %p1 = math.fma %c6, %r, %c7 : f64
  %p2 = math.fma %p1, %r, %c8 : f64
  %p3 = math.fma %p2, %r, %c9 : f64
  %p4 = math.fma %p3, %r, %c10 : f64
  %p5 = math.fma %p4, %r, %c11 : f64
  %p6 = math.fma %p5, %r, %c12 : f64
  %p7 = math.fma %p6, %r, %c13 : f64
  %p = math.fma %p7, %r, %one_f64 : f64
  %n1023 = arith.constant 1023 : i64
  %n52 = arith.constant 52 : i64
  %magnitude1 = arith.addi %k, %n1023 : i64
  %magnitude2 = arith.shli %magnitude1, %n52 : i64
  %magnitude3 = arith.bitcast %magnitude2 : i64 to f64
  %magnitude4 = arith.mulf %p, %magnitude3 : f64
  %magnitude = arith.truncf %magnitude4 : f64 to f32
  %y1 = func.call @finish_pow_f32(%x, %y, %magnitude) : (f32, f32, f32) -> f32
  return %y1 : f32
}

// The sign and the special cases of pow, given |x|^y for x other than 1.
func.func private @finish_pow_f32(%x: f32, %y: f32, %magnitude: f32) -> f32 {
  %is_integer1 = math.floor %y : f32
  %is_integer = arith.cmpf oeq, %is_integer1, %y : f32
  %half = arith.constant 0.5 : f32
  %half_y = arith.mulf %y, %half : f32
  %is_odd1 = math.floor %half_y : f32
  %is_odd2 = arith.cmpf une, %is_odd1, %half_y : f32
  %is_odd = arith.andi %is_integer, %is_odd2 : i1
  %n0 = arith.constant 0 : i32
  %is_flipped1 = arith.bitcast %x : f32 to i32
  %is_flipped2 = arith.cmpi slt, %is_flipped1, %n0 : i32
  %is_flipped = arith.andi %is_odd, %is_flipped2 : i1
  %signed1 = arith.negf %magnitude : f32
  %signed = arith.select %is_flipped, %signed1, %magnitude : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0xFF800000 : f32
  %is_finite1 = arith.cmpf olt, %x, %zero : f32
  %is_finite2 = arith.cmpf ogt, %x, %c0 : f32
  %is_finite = arith.andi %is_finite1, %is_finite2 : i1
  %is_invalid1 = math.floor %y : f32
  %is_invalid2 = arith.cmpf une, %is_invalid1, %y : f32
  %is_invalid = arith.andi %is_finite, %is_invalid2 : i1
  %c1 = arith.constant 0x7FC00000 : f32
  %valid = arith.select %is_invalid, %c1, %signed : f32
  %is_nan1 = arith.cmpf uno, %x, %x : f32
  %is_nan2 = arith.cmpf uno, %y, %y : f32
  %is_nan = arith.ori %is_nan1, %is_nan2 : i1
  %number = arith.select %is_nan, %c1, %valid : f32
  %minus_one = arith.constant -1.0 : f32
  %c2 = arith.constant 0x7F800000 : f32
  %is_unit1 = arith.cmpf oeq, %x, %minus_one : f32
  %is_unit2 = math.absf %y : f32
  %is_unit3 = arith.cmpf oeq, %is_unit2, %c2 : f32
  %is_unit = arith.andi %is_unit1, %is_unit3 : i1
  %one = arith.constant 1.0 : f32
  %is_one1 = arith.cmpf oeq, %x, %one : f32
  %is_one2 = arith.cmpf oeq, %y, %zero : f32
  %is_one3 = arith.ori %is_one1, %is_one2 : i1
  %is_one = arith.ori %is_one3, %is_unit : i1
  %y1 = arith.select %is_one, %one, %number : f32
  return %y1 : f32
}
