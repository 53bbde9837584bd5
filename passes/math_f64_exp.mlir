//===- math_f64_exp.mlir - Exponentials of f64 ----------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums in two parts, and the exponential and hyperbolic functions of f64. What is
// said in math.mlir holds here too.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// f64: sums in two parts
//===----------------------------------------------------------------------===//

// a + b and its rounding error (Knuth).
func.func private @two_sum_f64(%a: f64, %b: f64) -> (f64, f64) {
  %sum = arith.addf %a, %b : f64
  %b_part = arith.subf %sum, %a : f64
  %a_part = arith.subf %sum, %b_part : f64
  %error1 = arith.subf %a, %a_part : f64
  %error2 = arith.subf %b, %b_part : f64
  %error = arith.addf %error1, %error2 : f64
  return %sum, %error : f64, f64
}

// n / d and what is missing to it, for numbers in two parts.
func.func private @divide_f64(%n: f64, %n_low: f64, %d: f64, %d_low: f64)
    -> (f64, f64) {
  %q = arith.divf %n, %d : f64
  %rest1 = arith.negf %q : f64
  %rest2 = arith.negf %q : f64
  %rest3 = math.fma %rest2, %d, %n : f64
  %rest4 = arith.addf %rest3, %n_low : f64
  %rest = math.fma %rest1, %d_low, %rest4 : f64
  %q_low = arith.divf %rest, %d : f64
  return %q, %q_low : f64, f64
}

// The square root of a number in two parts, and what is missing to it.
func.func private @sqrt_f64(%x: f64, %x_low: f64) -> (f64, f64) {
  %root = math.sqrt %x : f64
  %rest1 = arith.negf %root : f64
  %rest2 = math.fma %rest1, %root, %x : f64
  %rest = arith.addf %rest2, %x_low : f64
  %quotient1 = arith.addf %root, %root : f64
  %quotient = arith.divf %rest, %quotient1 : f64
  %zero = arith.constant 0.0 : f64
  %root_low_if = arith.cmpf oeq, %root, %zero : f64
  %root_low = arith.select %root_low_if, %zero, %quotient : f64
  return %root, %root_low : f64, f64
}

//===----------------------------------------------------------------------===//
// f64: exponentials
//===----------------------------------------------------------------------===//

// 2^k for -1022 <= k <= 1023; 0 for k = -1023.
func.func private @pow2_f64(%k: i64) -> f64 {
  %n1023 = arith.constant 1023 : i64
  %n52 = arith.constant 52 : i64
  %y = arith.addi %k, %n1023 : i64
  %y1 = arith.shli %y, %n52 : i64
  %y2 = arith.bitcast %y1 : i64 to f64
  return %y2 : f64
}

// x * 2^k, rounded once, for |k| <= 2044.
func.func private @scale_f64(%x: f64, %k: i64) -> f64 {
  %n1 = arith.constant 1 : i64
  %first = arith.shrsi %k, %n1 : i64
  %second = arith.subi %k, %first : i64
  %y = func.call @pow2_f64(%first) : (i64) -> f64
  %y1 = arith.mulf %x, %y : f64
  %y2 = func.call @pow2_f64(%second) : (i64) -> f64
  %y3 = arith.mulf %y1, %y2 : f64
  return %y3 : f64
}

// x = k log(2) + r + r_low with an integer k and |r| <= log(2) / 2, by adding
// 1.5 * 2^52.
func.func private @split_exp_f64(%x: f64) -> (f64, f64, i64) {
  %shift = arith.constant 6755399441055744.0 : f64
  %c0 = arith.constant 1.4426950408889634 : f64
  %shifted = math.fma %x, %c0, %shift : f64
  %kf = arith.subf %shifted, %shift : f64
  %c1 = arith.constant -0.6931471805599453 : f64
  %rest = math.fma %kf, %c1, %x : f64
  %c2 = arith.constant 2.3190468138462996e-17 : f64
  %product = arith.mulf %kf, %c2 : f64
  %r = arith.subf %rest, %product : f64
  %r_low1 = arith.subf %rest, %r : f64
  %r_low = arith.subf %r_low1, %product : f64
  %k1 = arith.bitcast %shifted : f64 to i64
  %k2 = arith.bitcast %shift : f64 to i64
  %k = arith.subi %k1, %k2 : i64
  return %r, %r_low, %k : f64, f64, i64
}

// exp(r + r_low) - 1 in two parts for |r| <= log(2) / 2.
func.func private @exp_poly_f64(%r: f64, %r_low: f64) -> (f64, f64) {
  // Fit exp_f64.
  %c0 = arith.constant 1.652454204517514e-10 : f64
  %c1 = arith.constant 2.0913299542415547e-09 : f64
  %c2 = arith.constant 2.5050215468533775e-08 : f64
  %c3 = arith.constant 2.755727852684432e-07 : f64
  %c4 = arith.constant 2.7557322232025826e-06 : f64
  %c5 = arith.constant 2.4801587319454184e-05 : f64
  %c6 = arith.constant 0.0001984126983901978 : f64
  %c7 = arith.constant 0.001388888888888688 : f64
  %c8 = arith.constant 0.008333333333334103 : f64
  %c9 = arith.constant 0.041666666666666664 : f64
  %c10 = arith.constant 0.16666666666666666 : f64
  %half = arith.constant 0.5 : f64
  %t1 = arith.mulf %r, %r : f64
  %t2 = math.fma %c0, %r, %c1 : f64
  %t3 = math.fma %t2, %r, %c2 : f64
  %t4 = math.fma %t3, %r, %c3 : f64
  %t5 = math.fma %t4, %r, %c4 : f64
  %t6 = math.fma %t5, %r, %c5 : f64
  %t7 = math.fma %t6, %r, %c6 : f64
  %t8 = math.fma %t7, %r, %c7 : f64
  %t9 = math.fma %t8, %r, %c8 : f64
  %t10 = math.fma %t9, %r, %c9 : f64
  %t11 = math.fma %t10, %r, %c10 : f64
  %t12 = math.fma %t11, %r, %half : f64
  %t = math.fma %t1, %t12, %r_low : f64
  %high = arith.addf %r, %t : f64
  %low1 = arith.subf %r, %high : f64
  %low = arith.addf %low1, %t : f64
  return %high, %low : f64, f64
}

// exp(r + r_low) in two parts.
func.func private @exp_sum_f64(%r: f64, %r_low: f64) -> (f64, f64) {
  %t, %t_low = func.call @exp_poly_f64(%r, %r_low)
      : (f64, f64) -> (f64, f64)
  %one = arith.constant 1.0 : f64
  %high = arith.addf %one, %t : f64
  %low1 = arith.subf %one, %high : f64
  %low2 = arith.addf %low1, %t : f64
  %low = arith.addf %low2, %t_low : f64
  return %high, %low : f64, f64
}

// exp(x) = (high + low) 2^k for |x| < 1400.
func.func private @exp_parts_f64(%x: f64) -> (f64, f64, i64) {
  %r, %r_low, %k = func.call @split_exp_f64(%x)
      : (f64) -> (f64, f64, i64)
  %high, %low = func.call @exp_sum_f64(%r, %r_low)
      : (f64, f64) -> (f64, f64)
  return %high, %low, %k : f64, f64, i64
}

func.func @exp_f64(%x: f64) -> f64 {
  %c0 = arith.constant 710.0 : f64
  %capped_if = arith.cmpf ogt, %x, %c0 : f64
  %capped = arith.select %capped_if, %c0, %x : f64
  %c1 = arith.constant -746.0 : f64
  %clamped_if = arith.cmpf olt, %capped, %c1 : f64
  %clamped = arith.select %clamped_if, %c1, %capped : f64
  %high, %low, %k = func.call @exp_parts_f64(%clamped)
      : (f64) -> (f64, f64, i64)
  %y = arith.addf %high, %low : f64
  %y1 = func.call @scale_f64(%y, %k) : (f64, i64) -> f64
  return %y1 : f64
}

func.func @exp2_f64(%x: f64) -> f64 {
  %c0 = arith.constant 1025.0 : f64
  %capped_if = arith.cmpf ogt, %x, %c0 : f64
  %capped = arith.select %capped_if, %c0, %x : f64
  %c1 = arith.constant -1080.0 : f64
  %clamped_if = arith.cmpf olt, %capped, %c1 : f64
  %clamped = arith.select %clamped_if, %c1, %capped : f64
  %shift = arith.constant 6755399441055744.0 : f64
  %shifted = arith.addf %clamped, %shift : f64
  %rest1 = arith.subf %shifted, %shift : f64
  %rest = arith.subf %clamped, %rest1 : f64
  %k1 = arith.bitcast %shifted : f64 to i64
  %k2 = arith.bitcast %shift : f64 to i64
  %k = arith.subi %k1, %k2 : i64
  %c2 = arith.constant 0.6931471805599453 : f64
  %r = arith.mulf %rest, %c2 : f64
  %error1 = arith.negf %r : f64
  %error = math.fma %rest, %c2, %error1 : f64
  %c3 = arith.constant 2.3190468138462996e-17 : f64
  %r_low = math.fma %rest, %c3, %error : f64
  %high, %low = func.call @exp_sum_f64(%r, %r_low)
      : (f64, f64) -> (f64, f64)
  %y = arith.addf %high, %low : f64
  %y1 = func.call @scale_f64(%y, %k) : (f64, i64) -> f64
  return %y1 : f64
}

// (exp(x) - 1) / 2 in two parts, for -50 <= x <= 710.
func.func private @expm1_parts_f64(%x: f64) -> (f64, f64) {
  %r, %r_low, %k = func.call @split_exp_f64(%x)
      : (f64) -> (f64, f64, i64)
  %t, %t_low = func.call @exp_poly_f64(%r, %r_low)
      : (f64, f64) -> (f64, f64)
  // 2^(k - 1) (t + 1) - 1/2
  %n1 = arith.constant 1 : i64
  %scale1 = arith.subi %k, %n1 : i64
  %scale = func.call @pow2_f64(%scale1) : (i64) -> f64
  %c0 = arith.constant -0.5 : f64
  %start, %start_low = func.call @two_sum_f64(%scale, %c0)
      : (f64, f64) -> (f64, f64)
  %sum = arith.mulf %scale, %t : f64
  %sum1, %sum_low = func.call @two_sum_f64(%start, %sum)
      : (f64, f64) -> (f64, f64)
  %rest1 = arith.addf %start_low, %sum_low : f64
  %rest = math.fma %scale, %t_low, %rest1 : f64
  %high = arith.addf %sum1, %rest : f64
  %low1 = arith.subf %sum1, %high : f64
  %low = arith.addf %low1, %rest : f64
  return %high, %low : f64, f64
}

func.func @expm1_f64(%x: f64) -> f64 {
  %c0 = arith.constant 710.0 : f64
  %capped_if = arith.cmpf ogt, %x, %c0 : f64
  %capped = arith.select %capped_if, %c0, %x : f64
  %c1 = arith.constant -50.0 : f64
  %clamped_if = arith.cmpf olt, %capped, %c1 : f64
  %clamped = arith.select %clamped_if, %c1, %capped : f64
  %high, %low = func.call @expm1_parts_f64(%clamped)
      : (f64) -> (f64, f64)
  %y = arith.addf %high, %high : f64
  // x itself, signed zeros and denormals with it.
  %c2 = arith.constant 5.0e-17 : f64
  %is_tiny1 = math.absf %x : f64
  %is_tiny = arith.cmpf olt, %is_tiny1, %c2 : f64
  %y1 = arith.select %is_tiny, %x, %y : f64
  return %y1 : f64
}

// 2^-k / (high + low) over 2^k, in two parts: exp(-x) beside exp(x).
func.func private @inverse_exp_f64(%high: f64, %low: f64, %k: i64)
    -> (f64, f64) {
  %one = arith.constant 1.0 : f64
  %inverse = arith.divf %one, %high : f64
  %rest1 = arith.negf %inverse : f64
  %rest2 = arith.negf %inverse : f64
  %rest3 = math.fma %rest2, %high, %one : f64
  %rest = math.fma %rest1, %low, %rest3 : f64
  %n1023 = arith.constant 1023 : i64
  %n0 = arith.constant 0 : i64
  %n52 = arith.constant 52 : i64
  %scale1 = arith.addi %k, %k : i64
  %scale2 = arith.subi %n1023, %scale1 : i64
  %scale3 = arith.maxsi %scale2, %n0 : i64
  %scale4 = arith.shli %scale3, %n52 : i64
  %scale = arith.bitcast %scale4 : i64 to f64
  %scaled = arith.mulf %inverse, %scale : f64
  %scaled_low1 = arith.mulf %inverse, %rest : f64
  %scaled_low = arith.mulf %scaled_low1, %scale : f64
  return %scaled, %scaled_low : f64, f64
}

func.func @sinh_f64(%x: f64) -> f64 {
  %a = math.absf %x : f64
  %a2 = arith.mulf %a, %a : f64
  // Fit sinh_f64.
  %c0 = arith.constant -1.1558414267475147e-14 : f64
  %c1 = arith.constant 5.432477499786452e-14 : f64
  %c2 = arith.constant 6.693799105921481e-13 : f64
  %c3 = arith.constant 1.6068522674997645e-10 : f64
  %c4 = arith.constant 2.5052053769148326e-08 : f64
  %c5 = arith.constant 2.755731940715486e-06 : f64
  %c6 = arith.constant 0.00019841269840930494 : f64
  %c7 = arith.constant 0.008333333333333637 : f64
  %c8 = arith.constant 0.16666666666666666 : f64
  %small1 = arith.mulf %a, %a2 : f64
  %small2 = math.fma %c0, %a2, %c1 : f64
  %small3 = math.fma %small2, %a2, %c2 : f64
  %small4 = math.fma %small3, %a2, %c3 : f64
  %small5 = math.fma %small4, %a2, %c4 : f64
  %small6 = math.fma %small5, %a2, %c5 : f64
  %small7 = math.fma %small6, %a2, %c6 : f64
  %small8 = math.fma %small7, %a2, %c7 : f64
  %small9 = math.fma %small8, %a2, %c8 : f64
  %small = math.fma %small1, %small9, %a : f64
  %c9 = arith.constant 712.0 : f64
  %clamped_if = arith.cmpf ogt, %a, %c9 : f64
  %clamped = arith.select %clamped_if, %c9, %a : f64
  %high, %low, %k = func.call @exp_parts_f64(%clamped)
      : (f64) -> (f64, f64, i64)
  %inverse, %inverse_low = func.call @inverse_exp_f64(%high, %low, %k)
      : (f64, f64, i64) -> (f64, f64)
  %difference = arith.subf %high, %inverse : f64
  %rest1 = arith.subf %high, %difference : f64
  %rest2 = arith.subf %rest1, %inverse : f64
  %rest3 = arith.subf %low, %inverse_low : f64
  %rest = arith.addf %rest2, %rest3 : f64
  %n1 = arith.constant 1 : i64
  %large1 = arith.addf %difference, %rest : f64
  %large2 = arith.subi %k, %n1 : i64
  %large = func.call @scale_f64(%large1, %large2) : (f64, i64) -> f64
  %one = arith.constant 1.0 : f64
  %y_if = arith.cmpf olt, %a, %one : f64
  %y = arith.select %y_if, %small, %large : f64
  %y1 = math.copysign %y, %x : f64
  return %y1 : f64
}

func.func @cosh_f64(%x: f64) -> f64 {
  %a = math.absf %x : f64
  %c0 = arith.constant 712.0 : f64
  %clamped_if = arith.cmpf ogt, %a, %c0 : f64
  %clamped = arith.select %clamped_if, %c0, %a : f64
  %high, %low, %k = func.call @exp_parts_f64(%clamped)
      : (f64) -> (f64, f64, i64)
  %inverse, %inverse_low = func.call @inverse_exp_f64(%high, %low, %k)
      : (f64, f64, i64) -> (f64, f64)
  %sum, %sum_low = func.call @two_sum_f64(%high, %inverse)
      : (f64, f64) -> (f64, f64)
  %n1 = arith.constant 1 : i64
  %y = arith.addf %low, %inverse_low : f64
  %y1 = arith.addf %sum_low, %y : f64
  %y2 = arith.addf %sum, %y1 : f64
  %y3 = arith.subi %k, %n1 : i64
  %y4 = func.call @scale_f64(%y2, %y3) : (f64, i64) -> f64
  return %y4 : f64
}

// t / (t + 1) for t = (exp(2 |x|) - 1) / 2.
func.func @tanh_f64(%x: f64) -> f64 {
  %a = math.absf %x : f64
  %c0 = arith.constant 22.0 : f64
  %clamped_if = arith.cmpf ogt, %a, %c0 : f64
  %clamped = arith.select %clamped_if, %c0, %a : f64
  %t = arith.addf %clamped, %clamped : f64
  %t1, %t_low = func.call @expm1_parts_f64(%t)
      : (f64) -> (f64, f64)
  %one = arith.constant 1.0 : f64
  %d, %d_low = func.call @two_sum_f64(%t1, %one)
      : (f64, f64) -> (f64, f64)
  %q = arith.addf %d_low, %t_low : f64
  %q1, %q_low = func.call @divide_f64(%t1, %t_low, %d, %q)
      : (f64, f64, f64, f64) -> (f64, f64)
  %y = arith.addf %q1, %q_low : f64
  %c1 = arith.constant 5.0e-17 : f64
  %is_tiny = arith.cmpf olt, %a, %c1 : f64
  %y1 = math.copysign %y, %x : f64
  %y2 = arith.select %is_tiny, %x, %y1 : f64
  return %y2 : f64
}
