//===- math_f64.mlir - Elementary functions of f64, and remainders --------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second half of math.mlir, which says what holds here too: the functions
// of f64, and the remainders and integer powers of both types.
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

//===----------------------------------------------------------------------===//
// f64: logarithms
//===----------------------------------------------------------------------===//

// log(1 + f) in two parts, for 1 + f from sqrt(1/2) to sqrt(2): with
// s = f / (2 + f) and R = log((1 + s) / (1 - s)) / s - 2 it is
// f - f^2 / 2 + s (f^2 / 2 + R).
func.func private @log_poly_f64(%f: f64) -> (f64, f64) {
  %two = arith.constant 2.0 : f64
  %s1 = arith.addf %f, %two : f64
  %s = arith.divf %f, %s1 : f64
  %z = arith.mulf %s, %s : f64
  // Fit log_f64.
  %c0 = arith.constant 0.1338321114270288 : f64
  %c1 = arith.constant 0.13234815861050764 : f64
  %c2 = arith.constant 0.15387812767494163 : f64
  %c3 = arith.constant 0.1818175789000792 : f64
  %c4 = arith.constant 0.22222222890131238 : f64
  %c5 = arith.constant 0.2857142856726661 : f64
  %c6 = arith.constant 0.4000000000001296 : f64
  %c7 = arith.constant 0.6666666666666665 : f64
  %series1 = math.fma %c0, %z, %c1 : f64
  %series2 = math.fma %series1, %z, %c2 : f64
  %series3 = math.fma %series2, %z, %c3 : f64
  %series4 = math.fma %series3, %z, %c4 : f64
  %series5 = math.fma %series4, %z, %c5 : f64
  %series6 = math.fma %series5, %z, %c6 : f64
  %series7 = math.fma %series6, %z, %c7 : f64
  %series = arith.mulf %z, %series7 : f64
  %half = arith.constant 0.5 : f64
  %half_f = arith.mulf %f, %half : f64
  %square = arith.mulf %half_f, %f : f64
  %square_low1 = arith.negf %square : f64
  %square_low = math.fma %half_f, %f, %square_low1 : f64
  %high = arith.subf %f, %square : f64
  %lost1 = arith.subf %f, %high : f64
  %lost = arith.subf %lost1, %square : f64
  %low1 = arith.addf %square, %series : f64
  %low2 = arith.subf %lost, %square_low : f64
  %low = math.fma %s, %low1, %low2 : f64
  return %high, %low : f64, f64
}

// log(x + x_low) + more log(2), rounded once, for 0 < x < infinity.
func.func private @log_sum_f64(%x: f64, %x_low: f64, %more: f64) -> f64 {
  %f, %e = func.call @split_any_log_f64(%x)
      : (f64) -> (f64, f64)
  %p, %p_low = func.call @log_poly_f64(%f)
      : (f64) -> (f64, f64)
  %tail1 = arith.divf %x_low, %x : f64
  %tail = arith.addf %p_low, %tail1 : f64
  %ef = arith.addf %e, %more : f64
  // The upper part of log(2), of 42 bits, times e is exact.
  %c0 = arith.constant 0.6931471805598903 : f64
  %start = arith.mulf %ef, %c0 : f64
  %sum = arith.addf %start, %p : f64
  %lost1 = arith.subf %start, %sum : f64
  %lost = arith.addf %lost1, %p : f64
  %c1 = arith.constant 5.497923018708371e-14 : f64
  %y = math.fma %ef, %c1, %tail : f64
  %y1 = arith.addf %lost, %y : f64
  %y2 = arith.addf %sum, %y1 : f64
  return %y2 : f64
}

// x = (1 + f) 2^e as above for denormal x too.
func.func private @split_any_log_f64(%x: f64) -> (f64, f64) {
  %c0 = arith.constant 2.2250738585072014e-308 : f64
  %is_denormal = arith.cmpf olt, %x, %c0 : f64
  %c1 = arith.constant 1.8014398509481984e16 : f64
  %scaled1 = arith.mulf %x, %c1 : f64
  %scaled = arith.select %is_denormal, %scaled1, %x : f64
  %c2 = arith.constant -54.0 : f64
  %zero = arith.constant 0.0 : f64
  %bias = arith.select %is_denormal, %c2, %zero : f64
  %f, %e = func.call @split_log_f64(%scaled)
      : (f64) -> (f64, i64)
  %y = arith.sitofp %e : i64 to f64
  %y1 = arith.addf %y, %bias : f64
  return %f, %y1 : f64, f64
}

// Puts in what logarithms are outside of 0 < x < infinity.
func.func private @finish_log_f64(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0x7FF8000000000000 : f64
  %negative_if = arith.cmpf olt, %x, %zero : f64
  %negative = arith.select %negative_if, %c0, %x : f64
  %c1 = arith.constant 0xFFF0000000000000 : f64
  %other_if = arith.cmpf oeq, %x, %zero : f64
  %other = arith.select %other_if, %c1, %negative : f64
  %c2 = arith.constant 0x7FF0000000000000 : f64
  %is_usual1 = arith.cmpf ogt, %x, %zero : f64
  %is_usual2 = arith.cmpf olt, %x, %c2 : f64
  %is_usual = arith.andi %is_usual1, %is_usual2 : i1
  %y1 = arith.select %is_usual, %y, %other : f64
  return %y1 : f64
}

func.func @log_f64(%x: f64) -> f64 {
  %zero = arith.constant 0.0 : f64
  %y = func.call @log_sum_f64(%x, %zero, %zero) : (f64, f64, f64) -> f64
  %y1 = func.call @finish_log_f64(%x, %y) : (f64, f64) -> f64
  return %y1 : f64
}

func.func @log1p_f64(%x: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %u, %u_low = func.call @two_sum_f64(%x, %one)
      : (f64, f64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %y = func.call @log_sum_f64(%u, %u_low, %zero) : (f64, f64, f64) -> f64
  %finished = func.call @finish_log_f64(%u, %y) : (f64, f64) -> f64
  %c0 = arith.constant 5.0e-17 : f64
  %is_tiny1 = math.absf %x : f64
  %is_tiny = arith.cmpf olt, %is_tiny1, %c0 : f64
  %y1 = arith.select %is_tiny, %x, %finished : f64
  return %y1 : f64
}

// e + log(1 + f) c for c = c_high + c_low, with e as e_high + e_low.
func.func private @log_base_f64(%e_high: f64, %e_low: f64, %f: f64,
    %c_high: f64, %c_low: f64) -> f64 {
  %p, %p_low = func.call @log_poly_f64(%f)
      : (f64) -> (f64, f64)
  %high = arith.mulf %p, %c_high : f64
  %error1 = arith.negf %high : f64
  %error = math.fma %p, %c_high, %error1 : f64
  %rest1 = math.fma %p, %c_low, %error : f64
  %rest = math.fma %p_low, %c_high, %rest1 : f64
  %sum = arith.addf %e_high, %high : f64
  %lost1 = arith.subf %e_high, %sum : f64
  %lost = arith.addf %lost1, %high : f64
  %y = arith.addf %e_low, %rest : f64
  %y1 = arith.addf %lost, %y : f64
  %y2 = arith.addf %sum, %y1 : f64
  return %y2 : f64
}

func.func @log2_f64(%x: f64) -> f64 {
  %f, %e = func.call @split_any_log_f64(%x)
      : (f64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 1.4426950408889634 : f64
  %c1 = arith.constant 2.0355273740931033e-17 : f64
  %y = func.call @log_base_f64(%e, %zero, %f, %c0, %c1)
      : (f64, f64, f64, f64, f64) -> f64
  %y1 = func.call @finish_log_f64(%x, %y) : (f64, f64) -> f64
  return %y1 : f64
}

func.func @log10_f64(%x: f64) -> f64 {
  %f, %e = func.call @split_any_log_f64(%x)
      : (f64) -> (f64, f64)
  // The product with the upper part, of 42 bits, is exact.
  %c0 = arith.constant 0.30102999566395283 : f64
  %c1 = arith.constant 2.8363394551044964e-14 : f64
  %c2 = arith.constant 0.4342944819032518 : f64
  %c3 = arith.constant 1.098319650216765e-17 : f64
  %y1 = arith.mulf %e, %c0 : f64
  %y2 = arith.mulf %e, %c1 : f64
  %y = func.call @log_base_f64(%y1, %y2, %f, %c2, %c3)
      : (f64, f64, f64, f64, f64) -> f64
  %y3 = func.call @finish_log_f64(%x, %y) : (f64, f64) -> f64
  return %y3 : f64
}

func.func @asinh_f64(%x: f64) -> f64 {
  %a = math.absf %x : f64
  // a - a^3 / 6
  %c0 = arith.constant -0.16666666666666666 : f64
  %small1 = arith.mulf %a, %a : f64
  %small2 = arith.mulf %small1, %a : f64
  %small = math.fma %small2, %c0, %a : f64
  // log(a + sqrt(a^2 + 1)); log(2 a) where 1 does not count.
  %c1 = arith.constant 1073741824.0 : f64
  %is_large = arith.cmpf ogt, %a, %c1 : f64
  %one = arith.constant 1.0 : f64
  %inner = arith.select %is_large, %one, %a : f64
  %square = arith.mulf %inner, %inner : f64
  %square_low1 = arith.negf %square : f64
  %square_low = math.fma %inner, %inner, %square_low1 : f64
  %u, %u_low = func.call @two_sum_f64(%square, %one)
      : (f64, f64) -> (f64, f64)
  %root = arith.addf %u_low, %square_low : f64
  %root1, %root_low = func.call @sqrt_f64(%u, %root)
      : (f64, f64) -> (f64, f64)
  %v, %v_low = func.call @two_sum_f64(%inner, %root1)
      : (f64, f64) -> (f64, f64)
  %rest = arith.addf %v_low, %root_low : f64
  %zero = arith.constant 0.0 : f64
  %log1 = arith.select %is_large, %a, %v : f64
  %log2 = arith.select %is_large, %zero, %rest : f64
  %log3 = arith.select %is_large, %one, %zero : f64
  %log = func.call @log_sum_f64(%log1, %log2, %log3) : (f64, f64, f64) -> f64
  %c2 = arith.constant 0.0001220703125 : f64
  %y_if = arith.cmpf olt, %a, %c2 : f64
  %y = arith.select %y_if, %small, %log : f64
  %c3 = arith.constant 0x7FF0000000000000 : f64
  %is_finite = arith.cmpf olt, %a, %c3 : f64
  %y1 = arith.select %is_finite, %y, %a : f64
  %y2 = math.copysign %y1, %x : f64
  return %y2 : f64
}

func.func @acosh_f64(%x: f64) -> f64 {
  // log(x + sqrt((x - 1) (x + 1))); log(2 x) where 1 does not count.
  %c0 = arith.constant 1073741824.0 : f64
  %is_large = arith.cmpf ogt, %x, %c0 : f64
  %one = arith.constant 1.0 : f64
  %inner = arith.select %is_large, %one, %x : f64
  %d = arith.subf %inner, %one : f64
  %s, %s_low = func.call @two_sum_f64(%inner, %one)
      : (f64, f64) -> (f64, f64)
  %product = arith.mulf %d, %s : f64
  %product_low1 = arith.negf %product : f64
  %product_low2 = math.fma %d, %s, %product_low1 : f64
  %product_low = math.fma %d, %s_low, %product_low2 : f64
  %root, %root_low = func.call @sqrt_f64(%product, %product_low)
      : (f64, f64) -> (f64, f64)
  %v, %v_low = func.call @two_sum_f64(%inner, %root)
      : (f64, f64) -> (f64, f64)
  %rest = arith.addf %v_low, %root_low : f64
  %zero = arith.constant 0.0 : f64
  %log1 = arith.select %is_large, %x, %v : f64
  %log2 = arith.select %is_large, %zero, %rest : f64
  %log3 = arith.select %is_large, %one, %zero : f64
  %log = func.call @log_sum_f64(%log1, %log2, %log3) : (f64, f64, f64) -> f64
  %c1 = arith.constant 0x7FF8000000000000 : f64
  %other_if = arith.cmpf olt, %x, %one : f64
  %other = arith.select %other_if, %c1, %x : f64
  %c2 = arith.constant 0x7FF0000000000000 : f64
  %is_usual1 = arith.cmpf oge, %x, %one : f64
  %is_usual2 = arith.cmpf olt, %x, %c2 : f64
  %is_usual = arith.andi %is_usual1, %is_usual2 : i1
  %y = arith.select %is_usual, %log, %other : f64
  return %y : f64
}

func.func @atanh_f64(%x: f64) -> f64 {
  %a = math.absf %x : f64
  // a + a^3 / 3
  %c0 = arith.constant 0.3333333333333333 : f64
  %small1 = arith.mulf %a, %a : f64
  %small2 = arith.mulf %small1, %a : f64
  %small = math.fma %small2, %c0, %a : f64
  // log((1 + a) / (1 - a)) / 2
  %one = arith.constant 1.0 : f64
  %n, %n_low = func.call @two_sum_f64(%a, %one)
      : (f64, f64) -> (f64, f64)
  %d = arith.negf %a : f64
  %d1, %d_low = func.call @two_sum_f64(%d, %one)
      : (f64, f64) -> (f64, f64)
  %v, %v_low = func.call @divide_f64(%n, %n_low, %d1, %d_low)
      : (f64, f64, f64, f64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %log1 = func.call @log_sum_f64(%v, %v_low, %zero) : (f64, f64, f64) -> f64
  %log = arith.mulf %log1, %half : f64
  %c1 = arith.constant 0.0001220703125 : f64
  %y_if = arith.cmpf olt, %a, %c1 : f64
  %y = arith.select %y_if, %small, %log : f64
  %c2 = arith.constant 0x7FF0000000000000 : f64
  %c3 = arith.constant 0x7FF8000000000000 : f64
  %other_if = arith.cmpf oeq, %a, %one : f64
  %other = arith.select %other_if, %c2, %c3 : f64
  %is_usual = arith.cmpf olt, %a, %one : f64
  %y1 = arith.select %is_usual, %y, %other : f64
  %y2 = math.copysign %y1, %x : f64
  return %y2 : f64
}

// log(x) in two parts, to 65 bits, for 0 < x < infinity: e log(2) + 2 atanh(s)
// with atanh(s) = s + s (s^2 / 3 + s^4 T).
func.func private @log_parts_f64(%x: f64) -> (f64, f64) {
  %f, %e = func.call @split_any_log_f64(%x)
      : (f64) -> (f64, f64)
  %two = arith.constant 2.0 : f64
  %d = arith.addf %f, %two : f64
  %d_low1 = arith.subf %d, %two : f64
  %d_low = arith.subf %f, %d_low1 : f64
  %zero = arith.constant 0.0 : f64
  %s, %s_low = func.call @divide_f64(%f, %zero, %d, %d_low)
      : (f64, f64, f64, f64) -> (f64, f64)
  %z = arith.mulf %s, %s : f64
  %z_low1 = arith.addf %s, %s : f64
  %z_low2 = arith.negf %z : f64
  %z_low3 = math.fma %s, %s, %z_low2 : f64
  %z_low = math.fma %z_low1, %s_low, %z_low3 : f64
  // Fit log_rest_f64.
  %c0 = arith.constant 0.059911031496149465 : f64
  %c1 = arith.constant 0.058378646705700844 : f64
  %c2 = arith.constant 0.06668133424338583 : f64
  %c3 = arith.constant 0.07692279186679402 : f64
  %c4 = arith.constant 0.09090909422344985 : f64
  %c5 = arith.constant 0.11111111108892643 : f64
  %c6 = arith.constant 0.14285714285721926 : f64
  %c7 = arith.constant 0.1999999999999999 : f64
  %more1 = math.fma %c0, %z, %c1 : f64
  %more2 = math.fma %more1, %z, %c2 : f64
  %more3 = math.fma %more2, %z, %c3 : f64
  %more4 = math.fma %more3, %z, %c4 : f64
  %more5 = math.fma %more4, %z, %c5 : f64
  %more6 = math.fma %more5, %z, %c6 : f64
  %more7 = math.fma %more6, %z, %c7 : f64
  %more = arith.mulf %z, %more7 : f64
  %c8 = arith.constant 0.3333333333333333 : f64
  %third = arith.addf %c8, %more : f64
  %c9 = arith.constant 1.850371707708594e-17 : f64
  %third_low1 = arith.subf %c8, %third : f64
  %third_low2 = arith.addf %third_low1, %more : f64
  %third_low = arith.addf %third_low2, %c9 : f64
  %g = arith.mulf %z, %third : f64
  %g_error1 = arith.negf %g : f64
  %g_error = math.fma %z, %third, %g_error1 : f64
  %g_low1 = math.fma %z_low, %third, %g_error : f64
  %g_low = math.fma %z, %third_low, %g_low1 : f64
  %p = arith.mulf %s, %g : f64
  %p_error1 = arith.negf %p : f64
  %p_error = math.fma %s, %g, %p_error1 : f64
  %p_low1 = math.fma %s_low, %g, %p_error : f64
  %p_low = math.fma %s, %g_low, %p_low1 : f64
  %sum = arith.addf %s, %p : f64
  %sum_low1 = arith.subf %s, %sum : f64
  %sum_low2 = arith.addf %sum_low1, %p : f64
  %sum_low3 = arith.addf %p_low, %s_low : f64
  %sum_low = arith.addf %sum_low2, %sum_low3 : f64
  %c10 = arith.constant 0.6931471805598903 : f64
  %start = arith.mulf %e, %c10 : f64
  %total = arith.addf %sum, %sum : f64
  %total1, %lost = func.call @two_sum_f64(%start, %total)
      : (f64, f64) -> (f64, f64)
  %c11 = arith.constant 5.497923018708371e-14 : f64
  %rest1 = arith.addf %sum_low, %sum_low : f64
  %rest2 = math.fma %e, %c11, %rest1 : f64
  %rest = arith.addf %rest2, %lost : f64
  %high = arith.addf %total1, %rest : f64
  %low1 = arith.subf %total1, %high : f64
  %low = arith.addf %low1, %rest : f64
  return %high, %low : f64, f64
}

// C's pow: exp(y log|x|), its sign, and what is no number.
func.func @powf_f64(%x: f64, %y: f64) -> f64 {
  %a = math.absf %x : f64
  %finite, %log_low = func.call @log_parts_f64(%a)
      : (f64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0xFFF0000000000000 : f64
  %at_zero_if = arith.cmpf oeq, %a, %zero : f64
  %at_zero = arith.select %at_zero_if, %c0, %finite : f64
  %c1 = arith.constant 0x7FF0000000000000 : f64
  %log_if = arith.cmpf oeq, %a, %c1 : f64
  %log = arith.select %log_if, %c1, %at_zero : f64
  %t = arith.mulf %log, %y : f64
  %t_low1 = arith.negf %t : f64
  %t_low2 = math.fma %y, %log, %t_low1 : f64
  %t_low = math.fma %y, %log_low, %t_low2 : f64
  %c2 = arith.constant 750.0 : f64
  %is_inside1 = math.absf %t : f64
  %is_inside = arith.cmpf olt, %is_inside1, %c2 : f64
  %capped_if = arith.cmpf ogt, %t, %c2 : f64
  %capped = arith.select %capped_if, %c2, %t : f64
  %c3 = arith.constant -750.0 : f64
  %clamped_if = arith.cmpf olt, %capped, %c3 : f64
  %clamped = arith.select %clamped_if, %c3, %capped : f64
  %r, %r_low, %k = func.call @split_exp_f64(%clamped)
      : (f64) -> (f64, f64, i64)
  // Next to r, t_low is not small.
  %more1 = arith.select %is_inside, %t_low, %zero : f64
  %more = arith.addf %r_low, %more1 : f64
  %sum = arith.addf %r, %more : f64
  %sum_low1 = arith.subf %r, %sum : f64
  %sum_low = arith.addf %sum_low1, %more : f64
  %high, %low = func.call @exp_sum_f64(%sum, %sum_low)
      : (f64, f64) -> (f64, f64)
  %magnitude1 = arith.addf %high, %low : f64
  %magnitude = func.call @scale_f64(%magnitude1, %k) : (f64, i64) -> f64
  %y1 = func.call @finish_pow_f64(%x, %y, %magnitude) : (f64, f64, f64) -> f64
  return %y1 : f64
}

// The sign and the special cases of pow, given |x|^y for x other than 1.
func.func private @finish_pow_f64(%x: f64, %y: f64, %magnitude: f64) -> f64 {
  %is_integer1 = math.floor %y : f64
  %is_integer = arith.cmpf oeq, %is_integer1, %y : f64
  %half = arith.constant 0.5 : f64
  %half_y = arith.mulf %y, %half : f64
  %is_odd1 = math.floor %half_y : f64
  %is_odd2 = arith.cmpf une, %is_odd1, %half_y : f64
  %is_odd = arith.andi %is_integer, %is_odd2 : i1
  %n0 = arith.constant 0 : i64
  %is_flipped1 = arith.bitcast %x : f64 to i64
  %is_flipped2 = arith.cmpi slt, %is_flipped1, %n0 : i64
  %is_flipped = arith.andi %is_odd, %is_flipped2 : i1
  %signed1 = arith.negf %magnitude : f64
  %signed = arith.select %is_flipped, %signed1, %magnitude : f64
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0xFFF0000000000000 : f64
  %is_finite1 = arith.cmpf olt, %x, %zero : f64
  %is_finite2 = arith.cmpf ogt, %x, %c0 : f64
  %is_finite = arith.andi %is_finite1, %is_finite2 : i1
  %is_invalid1 = math.floor %y : f64
  %is_invalid2 = arith.cmpf une, %is_invalid1, %y : f64
  %is_invalid = arith.andi %is_finite, %is_invalid2 : i1
  %c1 = arith.constant 0x7FF8000000000000 : f64
  %valid = arith.select %is_invalid, %c1, %signed : f64
  %is_nan1 = arith.cmpf uno, %x, %x : f64
  %is_nan2 = arith.cmpf uno, %y, %y : f64
  %is_nan = arith.ori %is_nan1, %is_nan2 : i1
  %number = arith.select %is_nan, %c1, %valid : f64
  %minus_one = arith.constant -1.0 : f64
  %c2 = arith.constant 0x7FF0000000000000 : f64
  %is_unit1 = arith.cmpf oeq, %x, %minus_one : f64
  %is_unit2 = math.absf %y : f64
  %is_unit3 = arith.cmpf oeq, %is_unit2, %c2 : f64
  %is_unit = arith.andi %is_unit1, %is_unit3 : i1
  %one = arith.constant 1.0 : f64
  %is_one1 = arith.cmpf oeq, %x, %one : f64
  %is_one2 = arith.cmpf oeq, %y, %zero : f64
  %is_one3 = arith.ori %is_one1, %is_one2 : i1
  %is_one = arith.ori %is_one3, %is_unit : i1
  %y1 = arith.select %is_one, %one, %number : f64
  return %y1 : f64
}

//===----------------------------------------------------------------------===//
// f64: trigonometric functions
//===----------------------------------------------------------------------===//

// |x| = q pi/2 + r for 2^26 < |x| < infinity: reduce_large_f32 in 192 bits.
func.func private @reduce_large_f64(%x: f64) -> (f64, f64, i32) {
  %magnitude1 = math.absf %x : f64
  %magnitude = arith.bitcast %magnitude1 : f64 to i64
  %xFFFFFFFFFFFFF = arith.constant 0xFFFFFFFFFFFFF : i64
  %x10000000000000 = arith.constant 0x10000000000000 : i64
  %mantissa1 = arith.andi %magnitude, %xFFFFFFFFFFFFF : i64
  %mantissa = arith.ori %mantissa1, %x10000000000000 : i64
  // The first bit wanted, counted in 64 zeros and then 2/pi.
  %n52 = arith.constant 52 : i64
  %n1013 = arith.constant 1013 : i64
  %first1 = arith.shrui %magnitude, %n52 : i64
  %first = arith.subi %first1, %n1013 : i64
  %n6 = arith.constant 6 : i64
  %word = arith.shrui %first, %n6 : i64
  %n63 = arith.constant 63 : i64
  %shift = arith.andi %first, %n63 : i64
  // Four words from the chosen one on, by moving all down by 16, 8, 4, 2, 1.
  %w0 = arith.constant 0 : i64
  %w1 = arith.constant 0xA2F9836E4E441529 : i64
  %w2 = arith.constant 0xFC2757D1F534DDC0 : i64
  %w3 = arith.constant 0xDB6295993C439041 : i64
  %w4 = arith.constant 0xFE5163ABDEBBC561 : i64
  %w5 = arith.constant 0xB7246E3A424DD2E0 : i64
  %w6 = arith.constant 0x6492EEA09D1921C : i64
  %w7 = arith.constant 0xFE1DEB1CB129A73E : i64
  %w8 = arith.constant 0xE88235F52EBB4484 : i64
  %w9 = arith.constant 0xE99C7026B45F7E41 : i64
  %w10 = arith.constant 0x3991D639835339F4 : i64
  %w11 = arith.constant 0x9C845F8BBDF9283B : i64
  %w12 = arith.constant 0x1FF897FFDE05980F : i64
  %w13 = arith.constant 0xEF2F118B5A0A6D1F : i64
  %w14 = arith.constant 0x6D367ECF27CB09B7 : i64
  %w15 = arith.constant 0x4F463F669E5FEA2D : i64
  %w16 = arith.constant 0x7527BAC7EBE5F17B : i64
  %w17 = arith.constant 0x3D0739F78A5292EA : i64
  %w18 = arith.constant 0x6BFB5FB11F8D5D08 : i64
  %w19 = arith.constant 0x56033046FC7B6BAB : i64
  %n16 = arith.constant 16 : i64
  %has_161 = arith.andi %word, %n16 : i64
  %has_16 = arith.cmpi ne, %has_161, %w0 : i64
  %s16_0 = arith.select %has_16, %w16, %w0 : i64
  %s16_1 = arith.select %has_16, %w17, %w1 : i64
  %s16_2 = arith.select %has_16, %w18, %w2 : i64
  %s16_3 = arith.select %has_16, %w19, %w3 : i64
  %n8 = arith.constant 8 : i64
  %has_81 = arith.andi %word, %n8 : i64
  %has_8 = arith.cmpi ne, %has_81, %w0 : i64
  %s8_0 = arith.select %has_8, %w8, %s16_0 : i64
  %s8_1 = arith.select %has_8, %w9, %s16_1 : i64
  %s8_2 = arith.select %has_8, %w10, %s16_2 : i64
  %s8_3 = arith.select %has_8, %w11, %s16_3 : i64
  %s8_4 = arith.select %has_8, %w12, %w4 : i64
  %s8_5 = arith.select %has_8, %w13, %w5 : i64
  %s8_6 = arith.select %has_8, %w14, %w6 : i64
  %s8_7 = arith.select %has_8, %w15, %w7 : i64
  %s8_8 = arith.select %has_8, %w16, %w8 : i64
  %s8_9 = arith.select %has_8, %w17, %w9 : i64
  %s8_10 = arith.select %has_8, %w18, %w10 : i64
  %n4 = arith.constant 4 : i64
  %has_41 = arith.andi %word, %n4 : i64
  %has_4 = arith.cmpi ne, %has_41, %w0 : i64
  %s4_0 = arith.select %has_4, %s8_4, %s8_0 : i64
  %s4_1 = arith.select %has_4, %s8_5, %s8_1 : i64
  %s4_2 = arith.select %has_4, %s8_6, %s8_2 : i64
  %s4_3 = arith.select %has_4, %s8_7, %s8_3 : i64
  %s4_4 = arith.select %has_4, %s8_8, %s8_4 : i64
  %s4_5 = arith.select %has_4, %s8_9, %s8_5 : i64
  %s4_6 = arith.select %has_4, %s8_10, %s8_6 : i64
  %n2 = arith.constant 2 : i64
  %has_21 = arith.andi %word, %n2 : i64
  %has_2 = arith.cmpi ne, %has_21, %w0 : i64
  %s2_0 = arith.select %has_2, %s4_2, %s4_0 : i64
  %s2_1 = arith.select %has_2, %s4_3, %s4_1 : i64
  %s2_2 = arith.select %has_2, %s4_4, %s4_2 : i64
  %s2_3 = arith.select %has_2, %s4_5, %s4_3 : i64
  %s2_4 = arith.select %has_2, %s4_6, %s4_4 : i64
  %n1 = arith.constant 1 : i64
  %has_11 = arith.andi %word, %n1 : i64
  %has_1 = arith.cmpi ne, %has_11, %w0 : i64
  %s1_0 = arith.select %has_1, %s2_1, %s2_0 : i64
  %s1_1 = arith.select %has_1, %s2_2, %s2_1 : i64
  %s1_2 = arith.select %has_1, %s2_3, %s2_2 : i64
  %s1_3 = arith.select %has_1, %s2_4, %s2_3 : i64
  %left = arith.subi %n63, %shift : i64
  %a1 = arith.shli %s1_0, %shift : i64
  %a2 = arith.shrui %s1_1, %n1 : i64
  %a3 = arith.shrui %a2, %left : i64
  %a = arith.ori %a1, %a3 : i64
  %b1 = arith.shli %s1_1, %shift : i64
  %b2 = arith.shrui %s1_2, %n1 : i64
  %b3 = arith.shrui %b2, %left : i64
  %b = arith.ori %b1, %b3 : i64
  %c1 = arith.shli %s1_2, %shift : i64
  %c2 = arith.shrui %s1_3, %n1 : i64
  %c3 = arith.shrui %c2, %left : i64
  %c = arith.ori %c1, %c3 : i64
  // The upper 128 bits of the product's lowest 192.
  %c_low, %c_high = arith.mului_extended %mantissa, %c : i64
  %b_low, %b_high = arith.mului_extended %mantissa, %b : i64
  %low = arith.addi %b_low, %c_high : i64
  %carry1 = arith.cmpi ult, %low, %c_high : i64
  %carry = arith.extui %carry1 : i1 to i64
  %high1 = arith.muli %mantissa, %a : i64
  %high2 = arith.addi %high1, %b_high : i64
  %high = arith.addi %high2, %carry : i64
  %n62 = arith.constant 62 : i64
  %n61 = arith.constant 61 : i64
  %q1 = arith.shrui %high, %n62 : i64
  %q2 = arith.shrui %high, %n61 : i64
  %q3 = arith.andi %q2, %n1 : i64
  %q = arith.addi %q1, %q3 : i64
  // The fraction from -1/2 to 1/2, as a sign and 128 bits.
  %fraction_high1 = arith.shli %high, %n2 : i64
  %fraction_high2 = arith.shrui %low, %n62 : i64
  %fraction_high = arith.ori %fraction_high1, %fraction_high2 : i64
  %fraction_low = arith.shli %low, %n2 : i64
  %is_negative = arith.cmpi slt, %fraction_high, %w0 : i64
  %m1 = arith.constant -1 : i64
  %flipped_high1 = arith.xori %fraction_high, %m1 : i64
  %flipped_high2 = arith.cmpi eq, %fraction_low, %w0 : i64
  %flipped_high3 = arith.extui %flipped_high2 : i1 to i64
  %flipped_high = arith.addi %flipped_high1, %flipped_high3 : i64
  %m_high = arith.select %is_negative, %flipped_high, %fraction_high : i64
  %m_low1 = arith.subi %w0, %fraction_low : i64
  %m_low = arith.select %is_negative, %m_low1, %fraction_low : i64
  // Its first 106 bits as two numbers; at least 2^-63 for any x.
  %zeros = math.ctlz %m_high : i64
  %top1 = arith.shli %m_high, %zeros : i64
  %top2 = arith.shrui %m_low, %n1 : i64
  %top3 = arith.subi %n63, %zeros : i64
  %top4 = arith.shrui %top2, %top3 : i64
  %top = arith.ori %top1, %top4 : i64
  %next = arith.shli %m_low, %zeros : i64
  %m53 = arith.constant -53 : i64
  %scale1 = arith.subi %m53, %zeros : i64
  %scale = func.call @pow2_f64(%scale1) : (i64) -> f64
  %n11 = arith.constant 11 : i64
  %v1 = arith.shrui %top, %n11 : i64
  %v2 = arith.uitofp %v1 : i64 to f64
  %v = arith.mulf %v2, %scale : f64
  %x7FF = arith.constant 0x7FF : i64
  %n42 = arith.constant 42 : i64
  %n22 = arith.constant 22 : i64
  %v_bits1 = arith.andi %top, %x7FF : i64
  %v_bits2 = arith.shli %v_bits1, %n42 : i64
  %v_bits3 = arith.shrui %next, %n22 : i64
  %v_bits = arith.ori %v_bits2, %v_bits3 : i64
  %c0 = arith.constant 1.1102230246251565e-16 : f64
  %v_low1 = arith.uitofp %v_bits : i64 to f64
  %v_low2 = arith.mulf %v_low1, %scale : f64
  %v_low = arith.mulf %v_low2, %c0 : f64
  %c1_f64 = arith.constant 1.5707963267948966 : f64
  %r = arith.mulf %v, %c1_f64 : f64
  %error1 = arith.negf %r : f64
  %error = math.fma %v, %c1_f64, %error1 : f64
  %c2_f64 = arith.constant 6.123233995736766e-17 : f64
  %r_low1 = math.fma %v_low, %c1_f64, %error : f64
  %r_low = math.fma %v, %c2_f64, %r_low1 : f64
  %zero = arith.constant 0.0 : f64
  %is_left = arith.cmpf olt, %x, %zero : f64
  %is_flipped = arith.xori %is_negative, %is_left : i1
  %r_high1 = arith.negf %r : f64
  %r_high = arith.select %is_flipped, %r_high1, %r : f64
  %r_rest1 = arith.negf %r_low : f64
  %r_rest = arith.select %is_flipped, %r_rest1, %r_low : f64
  %quadrant1 = arith.subi %w0, %q : i64
  %quadrant2 = arith.select %is_left, %quadrant1, %q : i64
  %quadrant = arith.trunci %quadrant2 : i64 to i32
  return %r_high, %r_rest, %quadrant : f64, f64, i32
}

// x = q pi/2 + high + low with |high| <= pi/4; NaN for infinity.
func.func private @reduce_f64(%x: f64) -> (f64, f64, i32) {
  // From 2^26 to infinity.
  %x4190000000000000 = arith.constant 0x4190000000000000 : i64
  %x3E60000000000000 = arith.constant 0x3E60000000000000 : i64
  %is_large1 = math.absf %x : f64
  %is_large2 = arith.bitcast %is_large1 : f64 to i64
  %is_large3 = arith.subi %is_large2, %x4190000000000000 : i64
  %is_large = arith.cmpi ult, %is_large3, %x3E60000000000000 : i64
  %shift = arith.constant 6755399441055744.0 : f64
  %c0 = arith.constant 0.6366197723675814 : f64
  %c1 = arith.constant -1.5707963267948966 : f64
  %c2 = arith.constant 6.123233995736765e-17 : f64
  %c3 = arith.constant -1.082856673921914e-32 : f64
  %high, %low, %q = scf.if %is_large -> (f64, f64, i32) {
    %high, %low, %q = func.call @reduce_large_f64(%x)
        : (f64) -> (f64, f64, i32)
    scf.yield %high, %low, %q : f64, f64, i32
  } else {
    // As in reduce_f32.
    %shifted = math.fma %x, %c0, %shift : f64
    %kf = arith.subf %shifted, %shift : f64
    %rest = math.fma %kf, %c1, %x : f64
    %product = arith.mulf %kf, %c2 : f64
    %product_low1 = arith.negf %product : f64
    %product_low = math.fma %kf, %c2, %product_low1 : f64
    %high = arith.subf %rest, %product : f64
    %lost1 = arith.subf %rest, %high : f64
    %lost = arith.subf %lost1, %product : f64
    %low1 = arith.subf %lost, %product_low : f64
    %low = math.fma %kf, %c3, %low1 : f64
    %q1 = arith.bitcast %shifted : f64 to i64
    %q2 = arith.bitcast %shift : f64 to i64
    %q3 = arith.subi %q1, %q2 : i64
    %q = arith.trunci %q3 : i64 to i32
    scf.yield %high, %low, %q : f64, f64, i32
  }
  return %high, %low, %q : f64, f64, i32
}

// sin(high + low) - high for |high| <= pi/4.
func.func private @sin_poly_f64(%high: f64, %low: f64) -> f64 {
  %z = arith.mulf %high, %high : f64
  // sin(low) cos(high) with a cosine of 1 - z / 2.
  %c0 = arith.constant -0.5 : f64
  %slope1 = arith.mulf %z, %low : f64
  %slope = math.fma %slope1, %c0, %low : f64
  // Fit sin_f64.
  %c1 = arith.constant -7.389462547419338e-13 : f64
  %c2 = arith.constant 1.605431160122503e-10 : f64
  %c3 = arith.constant -2.5052070923397508e-08 : f64
  %c4 = arith.constant 2.7557319073985154e-06 : f64
  %c5 = arith.constant -0.00019841269840962473 : f64
  %c6 = arith.constant 0.008333333333333042 : f64
  %c7 = arith.constant -0.16666666666666666 : f64
  %y = arith.mulf %high, %z : f64
  %y1 = math.fma %c1, %z, %c2 : f64
  %y2 = math.fma %y1, %z, %c3 : f64
  %y3 = math.fma %y2, %z, %c4 : f64
  %y4 = math.fma %y3, %z, %c5 : f64
  %y5 = math.fma %y4, %z, %c6 : f64
  %y6 = math.fma %y5, %z, %c7 : f64
  %y7 = math.fma %y, %y6, %slope : f64
  return %y7 : f64
}

// cos(high + low) for |high| <= pi/4, as 1 + z p.
func.func private @cos_poly_f64(%high: f64, %low: f64) -> (f64, f64) {
  %z1 = arith.addf %low, %low : f64
  %z2 = arith.mulf %high, %z1 : f64
  %z = math.fma %high, %high, %z2 : f64
  // Fit cos_f64.
  %c0 = arith.constant 4.5926918034378545e-14 : f64
  %c1 = arith.constant -1.1466861815071303e-11 : f64
  %c2 = arith.constant 2.087672200831285e-09 : f64
  %c3 = arith.constant -2.7557319060679117e-07 : f64
  %c4 = arith.constant 2.4801587301180814e-05 : f64
  %c5 = arith.constant -0.0013888888888888389 : f64
  %c6 = arith.constant 0.041666666666666664 : f64
  %c7 = arith.constant -0.5 : f64
  %p1 = math.fma %c0, %z, %c1 : f64
  %p2 = math.fma %p1, %z, %c2 : f64
  %p3 = math.fma %p2, %z, %c3 : f64
  %p4 = math.fma %p3, %z, %c4 : f64
  %p5 = math.fma %p4, %z, %c5 : f64
  %p6 = math.fma %p5, %z, %c6 : f64
  %p = math.fma %p6, %z, %c7 : f64
  return %z, %p : f64, f64
}

func.func @sin_f64(%x: f64) -> f64 {
  %high, %low, %q = func.call @reduce_f64(%x)
      : (f64) -> (f64, f64, i32)
  %s1 = func.call @sin_poly_f64(%high, %low) : (f64, f64) -> f64
  %s = arith.addf %high, %s1 : f64
  %z, %p = func.call @cos_poly_f64(%high, %low)
      : (f64, f64) -> (f64, f64)
  %one = arith.constant 1.0 : f64
  %c = math.fma %z, %p, %one : f64
  %n1 = arith.constant 1 : i32
  %n0 = arith.constant 0 : i32
  %y_if = arith.andi %q, %n1 : i32
  %y_if1 = arith.cmpi eq, %y_if, %n0 : i32
  %y = arith.select %y_if1, %s, %c : f64
  %n2 = arith.constant 2 : i32
  %signed_if = arith.andi %q, %n2 : i32
  %signed_if1 = arith.cmpi ne, %signed_if, %n0 : i32
  %signed1 = arith.negf %y : f64
  %signed = arith.select %signed_if1, %signed1, %y : f64
  %zero = arith.constant 0.0 : f64
  %y_if2 = arith.cmpf oeq, %x, %zero : f64
  %y1 = arith.select %y_if2, %x, %signed : f64
  return %y1 : f64
}

func.func @cos_f64(%x: f64) -> f64 {
  %high, %low, %q = func.call @reduce_f64(%x)
      : (f64) -> (f64, f64, i32)
  %s1 = func.call @sin_poly_f64(%high, %low) : (f64, f64) -> f64
  %s = arith.addf %high, %s1 : f64
  %z, %p = func.call @cos_poly_f64(%high, %low)
      : (f64, f64) -> (f64, f64)
  %one = arith.constant 1.0 : f64
  %c = math.fma %z, %p, %one : f64
  %n1 = arith.constant 1 : i32
  %n0 = arith.constant 0 : i32
  %y_if = arith.andi %q, %n1 : i32
  %y_if1 = arith.cmpi eq, %y_if, %n0 : i32
  %y = arith.select %y_if1, %c, %s : f64
  %n2 = arith.constant 2 : i32
  %y_if2 = arith.addi %q, %n1 : i32
  %y_if3 = arith.andi %y_if2, %n2 : i32
  %y_if4 = arith.cmpi ne, %y_if3, %n0 : i32
  %y1 = arith.negf %y : f64
  %y2 = arith.select %y_if4, %y1, %y : f64
  return %y2 : f64
}

func.func @tan_f64(%x: f64) -> f64 {
  %high, %low, %q = func.call @reduce_f64(%x)
      : (f64) -> (f64, f64, i32)
  // Sine and cosine in two parts.
  %sp = func.call @sin_poly_f64(%high, %low) : (f64, f64) -> f64
  %z, %p = func.call @cos_poly_f64(%high, %low)
      : (f64, f64) -> (f64, f64)
  %s = arith.addf %high, %sp : f64
  %s_low1 = arith.subf %high, %s : f64
  %s_low = arith.addf %s_low1, %sp : f64
  %one = arith.constant 1.0 : f64
  %c = math.fma %z, %p, %one : f64
  // What the square lost, by the slope of 1 - z / 2.
  %z_low1 = arith.addf %low, %low : f64
  %z_low2 = arith.negf %z : f64
  %z_low3 = math.fma %high, %high, %z_low2 : f64
  %z_low = math.fma %high, %z_low1, %z_low3 : f64
  %c0 = arith.constant -0.5 : f64
  %c_low1 = arith.subf %one, %c : f64
  %c_low2 = math.fma %z, %p, %c_low1 : f64
  %c_low = math.fma %z_low, %c0, %c_low2 : f64
  %n1 = arith.constant 1 : i32
  %n0 = arith.constant 0 : i32
  %is_even1 = arith.andi %q, %n1 : i32
  %is_even = arith.cmpi eq, %is_even1, %n0 : i32
  %t = arith.negf %c : f64
  %t1 = arith.select %is_even, %s, %t : f64
  %t2 = arith.negf %c_low : f64
  %t3 = arith.select %is_even, %s_low, %t2 : f64
  %t4 = arith.select %is_even, %c, %s : f64
  %t5 = arith.select %is_even, %c_low, %s_low : f64
  %t6, %t_low = func.call @divide_f64(%t1, %t3, %t4, %t5)
      : (f64, f64, f64, f64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %y_if = arith.cmpf oeq, %x, %zero : f64
  %y = arith.addf %t6, %t_low : f64
  %y1 = arith.select %y_if, %x, %y : f64
  return %y1 : f64
}

// asin(x) - x for |x| <= 1/2, z = x^2.
func.func private @asin_poly_f64(%x: f64, %z: f64) -> f64 {
  // Fit asin_f64.
  %c0 = arith.constant 0.03262662957380932 : f64
  %c1 = arith.constant -0.020995658535808766 : f64
  %c2 = arith.constant 0.02170487129434531 : f64
  %c3 = arith.constant 0.0037075467280034144 : f64
  %c4 = arith.constant 0.010779927429871095 : f64
  %c5 = arith.constant 0.011398975273255375 : f64
  %c6 = arith.constant 0.013980812115057145 : f64
  %c7 = arith.constant 0.01735161279152746 : f64
  %c8 = arith.constant 0.022372214939019877 : f64
  %c9 = arith.constant 0.030381942709765863 : f64
  %c10 = arith.constant 0.04464285717456274 : f64
  %c11 = arith.constant 0.07499999999970865 : f64
  %c12 = arith.constant 0.1666666666666676 : f64
  %y = math.fma %c0, %z, %c1 : f64
  %y1 = math.fma %y, %z, %c2 : f64
  %y2 = math.fma %y1, %z, %c3 : f64
  %y3 = math.fma %y2, %z, %c4 : f64
  %y4 = math.fma %y3, %z, %c5 : f64
  %y5 = math.fma %y4, %z, %c6 : f64
  %y6 = math.fma %y5, %z, %c7 : f64
  %y7 = math.fma %y6, %z, %c8 : f64
  %y8 = math.fma %y7, %z, %c9 : f64
  %y9 = math.fma %y8, %z, %c10 : f64
  %y10 = math.fma %y9, %z, %c11 : f64
  %y11 = math.fma %y10, %z, %c12 : f64
  %y12 = arith.mulf %z, %y11 : f64
  %y13 = arith.mulf %x, %y12 : f64
  return %y13 : f64
}

func.func @asin_f64(%x: f64) -> f64 {
  %a = math.absf %x : f64
  %half = arith.constant 0.5 : f64
  %is_small = arith.cmpf olt, %a, %half : f64
  // Above, pi/2 - 2 asin(sqrt((1 - a) / 2)).
  %c0 = arith.constant -0.5 : f64
  %z1 = arith.mulf %a, %a : f64
  %z2 = math.fma %a, %c0, %half : f64
  %z = arith.select %is_small, %z1, %z2 : f64
  %zero = arith.constant 0.0 : f64
  %root, %root_low = func.call @sqrt_f64(%z, %zero)
      : (f64, f64) -> (f64, f64)
  %s = arith.select %is_small, %a, %root : f64
  %s_low = arith.select %is_small, %zero, %root_low : f64
  %p1 = func.call @asin_poly_f64(%s, %z) : (f64, f64) -> f64
  %p = arith.addf %p1, %s_low : f64
  %double = arith.addf %s, %s : f64
  %c1 = arith.constant 1.5707963267948966 : f64
  %high = arith.subf %c1, %double : f64
  %low1 = arith.subf %c1, %high : f64
  %low = arith.subf %low1, %double : f64
  %c2 = arith.constant 6.123233995736766e-17 : f64
  %large1 = arith.addf %p, %p : f64
  %large2 = arith.subf %large1, %c2 : f64
  %large3 = arith.subf %low, %large2 : f64
  %large = arith.addf %high, %large3 : f64
  %y1 = arith.addf %s, %p : f64
  %y = arith.select %is_small, %y1, %large : f64
  %y2 = math.copysign %y, %x : f64
  return %y2 : f64
}

func.func @acos_f64(%x: f64) -> f64 {
  %a = math.absf %x : f64
  %half = arith.constant 0.5 : f64
  %is_small = arith.cmpf olt, %a, %half : f64
  %c0 = arith.constant -0.5 : f64
  %z1 = arith.mulf %a, %a : f64
  %z2 = math.fma %a, %c0, %half : f64
  %z = arith.select %is_small, %z1, %z2 : f64
  %zero = arith.constant 0.0 : f64
  %root, %root_low = func.call @sqrt_f64(%z, %zero)
      : (f64, f64) -> (f64, f64)
  %s = arith.select %is_small, %a, %root : f64
  %s_low = arith.select %is_small, %zero, %root_low : f64
  %p1 = func.call @asin_poly_f64(%s, %z) : (f64, f64) -> f64
  %p = arith.addf %p1, %s_low : f64
  // Below, pi/2 - asin(x); above, 2 asin(s), or pi less that.
  %t = math.copysign %s, %x : f64
  %tp = math.copysign %p, %x : f64
  %c1 = arith.constant 1.5707963267948966 : f64
  %high = arith.subf %c1, %t : f64
  %low1 = arith.subf %c1, %high : f64
  %low = arith.subf %low1, %t : f64
  %c2 = arith.constant 6.123233995736766e-17 : f64
  %small1 = arith.subf %tp, %c2 : f64
  %small2 = arith.subf %low, %small1 : f64
  %small = arith.addf %high, %small2 : f64
  %double = arith.addf %s, %s : f64
  %above1 = arith.addf %p, %p : f64
  %above = arith.addf %double, %above1 : f64
  %c3 = arith.constant 3.141592653589793 : f64
  %pi_high = arith.subf %c3, %double : f64
  %pi_low1 = arith.subf %c3, %pi_high : f64
  %pi_low = arith.subf %pi_low1, %double : f64
  %c4 = arith.constant 1.2246467991473532e-16 : f64
  %below1 = arith.addf %p, %p : f64
  %below2 = arith.subf %below1, %c4 : f64
  %below3 = arith.subf %pi_low, %below2 : f64
  %below = arith.addf %pi_high, %below3 : f64
  %large_if = arith.cmpf olt, %x, %zero : f64
  %large = arith.select %large_if, %below, %above : f64
  %y = arith.select %is_small, %small, %large : f64
  return %y : f64
}

// The angle of a point whose coordinates are a and b, 0 <= a, b < infinity,
// mirrored to the left half plane if is_left.
func.func private @angle_f64(%b: f64, %a: f64, %is_left: i1) -> f64 {
  %is_steep = arith.cmpf ogt, %b, %a : f64
  %low = arith.select %is_steep, %a, %b : f64
  %high = arith.select %is_steep, %b, %a : f64
  // atan(low / high) from 0 or from pi/4.
  %c0 = arith.constant 0.4142135623730951 : f64
  %is_near1 = arith.mulf %high, %c0 : f64
  %is_near = arith.cmpf ogt, %low, %is_near1 : f64
  %near_n = arith.negf %high : f64
  %near_n1, %near_n_low = func.call @two_sum_f64(%low, %near_n)
      : (f64, f64) -> (f64, f64)
  %near_d, %near_d_low = func.call @two_sum_f64(%low, %high)
      : (f64, f64) -> (f64, f64)
  %zero = arith.constant 0.0 : f64
  %t = arith.select %is_near, %near_n1, %low : f64
  %t1 = arith.select %is_near, %near_n_low, %zero : f64
  %t2 = arith.select %is_near, %near_d, %high : f64
  %t3 = arith.select %is_near, %near_d_low, %zero : f64
  %t4, %t_low = func.call @divide_f64(%t, %t1, %t2, %t3)
      : (f64, f64, f64, f64) -> (f64, f64)
  %z = arith.mulf %t4, %t4 : f64
  // Fit atan_f64.
  %c1 = arith.constant 0.014901677939609946 : f64
  %c2 = arith.constant -0.03318272725487312 : f64
  %c3 = arith.constant 0.04490894871475232 : f64
  %c4 = arith.constant -0.052152605545795906 : f64
  %c5 = arith.constant 0.05876528281879326 : f64
  %c6 = arith.constant -0.06666175814608906 : f64
  %c7 = arith.constant 0.07692279270727655 : f64
  %c8 = arith.constant -0.09090907988537741 : f64
  %c9 = arith.constant 0.11111111083805543 : f64
  %c10 = arith.constant -0.14285714285317078 : f64
  %c11 = arith.constant 0.19999999999997098 : f64
  %c12 = arith.constant -0.33333333333333326 : f64
  %p1 = arith.mulf %t4, %z : f64
  %p2 = math.fma %c1, %z, %c2 : f64
  %p3 = math.fma %p2, %z, %c3 : f64
  %p4 = math.fma %p3, %z, %c4 : f64
  %p5 = math.fma %p4, %z, %c5 : f64
  %p6 = math.fma %p5, %z, %c6 : f64
  %p7 = math.fma %p6, %z, %c7 : f64
  %p8 = math.fma %p7, %z, %c8 : f64
  %p9 = math.fma %p8, %z, %c9 : f64
  %p10 = math.fma %p9, %z, %c10 : f64
  %p11 = math.fma %p10, %z, %c11 : f64
  %p12 = math.fma %p11, %z, %c12 : f64
  %p = math.fma %p1, %p12, %t_low : f64
  // The angle is m pi/4 + t + p; mirrored at the diagonal and upright, 2 and 4
  // eighths of a turn less it.
  %one = arith.constant 1.0 : f64
  %m0 = arith.select %is_near, %one, %zero : f64
  %two = arith.constant 2.0 : f64
  %m11 = arith.subf %two, %m0 : f64
  %m1 = arith.select %is_steep, %m11, %m0 : f64
  %c13 = arith.constant 4.0 : f64
  %m2 = arith.subf %c13, %m1 : f64
  %m = arith.select %is_left, %m2, %m1 : f64
  %is_flipped = arith.xori %is_steep, %is_left : i1
  %t_signed1 = arith.negf %t4 : f64
  %t_signed = arith.select %is_flipped, %t_signed1, %t4 : f64
  %p_signed1 = arith.negf %p : f64
  %p_signed = arith.select %is_flipped, %p_signed1, %p : f64
  %c14 = arith.constant 0.7853981633974483 : f64
  %base = arith.mulf %m, %c14 : f64
  %base_error1 = arith.negf %base : f64
  %base_error = math.fma %m, %c14, %base_error1 : f64
  %c15 = arith.constant 3.061616997868383e-17 : f64
  %base_low = math.fma %m, %c15, %base_error : f64
  %sum = arith.addf %base, %t_signed : f64
  %lost1 = arith.subf %base, %sum : f64
  %lost = arith.addf %lost1, %t_signed : f64
  %y = arith.addf %p_signed, %base_low : f64
  %y1 = arith.addf %lost, %y : f64
  %y2 = arith.addf %sum, %y1 : f64
  return %y2 : f64
}

func.func @atan_f64(%x: f64) -> f64 {
  %a = math.absf %x : f64
  // Beyond, pi/2 in any case.
  %c0 = arith.constant 1.0e100 : f64
  %clamped_if = arith.cmpf ogt, %a, %c0 : f64
  %clamped = arith.select %clamped_if, %c0, %a : f64
  %one = arith.constant 1.0 : f64
  %false = arith.constant false
  %y = func.call @angle_f64(%clamped, %one, %false) : (f64, f64, i1) -> f64
  %c1 = arith.constant 1.0e-09 : f64
  %is_tiny = arith.cmpf olt, %a, %c1 : f64
  %y1 = arith.select %is_tiny, %a, %y : f64
  %y2 = math.copysign %y1, %x : f64
  return %y2 : f64
}

func.func @atan2_f64(%y: f64, %x: f64) -> f64 {
  %a = math.absf %x : f64
  %b = math.absf %y : f64
  // Beside infinity everything else is 0.
  %c0 = arith.constant 0x7FF0000000000000 : f64
  %is_inf1 = arith.cmpf oeq, %a, %c0 : f64
  %is_inf2 = arith.cmpf oeq, %b, %c0 : f64
  %is_inf = arith.ori %is_inf1, %is_inf2 : i1
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %a1_if = arith.cmpf oeq, %a, %c0 : f64
  %a11 = arith.select %a1_if, %one, %zero : f64
  %a1 = arith.select %is_inf, %a11, %a : f64
  %b1_if = arith.cmpf oeq, %b, %c0 : f64
  %b11 = arith.select %b1_if, %one, %zero : f64
  %b1 = arith.select %is_inf, %b11, %b : f64
  // Away from where products overflow, or lose digits.
  %high_if = arith.cmpf ogt, %b1, %a1 : f64
  %high = arith.select %high_if, %b1, %a1 : f64
  %c1 = arith.constant 1.0715086071862673e301 : f64
  %c2 = arith.constant 5.421010862427522e-20 : f64
  %huge_scale_if = arith.cmpf ogt, %high, %c1 : f64
  %huge_scale = arith.select %huge_scale_if, %c2, %one : f64
  %c3 = arith.constant 1.90109156629516e-211 : f64
  %c4 = arith.constant 2.037035976334486e90 : f64
  %scale_if = arith.cmpf olt, %high, %c3 : f64
  %scale = arith.select %scale_if, %c4, %huge_scale : f64
  // The direction of (0, 0) is that of (1, 0).
  %a2_if = arith.cmpf oeq, %high, %zero : f64
  %a21 = arith.mulf %a1, %scale : f64
  %a2 = arith.select %a2_if, %one, %a21 : f64
  %n0 = arith.constant 0 : i64
  %angle1 = arith.mulf %b1, %scale : f64
  %angle2 = arith.bitcast %x : f64 to i64
  %angle3 = arith.cmpi slt, %angle2, %n0 : i64
  %angle = func.call @angle_f64(%angle1, %a2, %angle3) : (f64, f64, i1) -> f64
  %is_nan1 = arith.cmpf uno, %x, %x : f64
  %is_nan2 = arith.cmpf uno, %y, %y : f64
  %is_nan = arith.ori %is_nan1, %is_nan2 : i1
  %c5 = arith.constant 0x7FF8000000000000 : f64
  %y1 = math.copysign %angle, %y : f64
  %y2 = arith.select %is_nan, %c5, %y1 : f64
  return %y2 : f64
}

//===----------------------------------------------------------------------===//
// f64: error functions and roots
//===----------------------------------------------------------------------===//

// erfc_tail_f32 with 7/2 for 5/2, for a >= 0.75.
func.func private @erfc_tail_f64(%a: f64) -> f64 {
  %square = arith.mulf %a, %a : f64
  %square_low1 = arith.negf %square : f64
  %square_low = math.fma %a, %a, %square_low1 : f64
  %e = arith.negf %square : f64
  %e1, %e_poly_low, %k = func.call @exp_parts_f64(%e)
      : (f64) -> (f64, f64, i64)
  %e_low1 = arith.negf %square_low : f64
  %e_low = math.fma %e_low1, %e1, %e_poly_low : f64
  %c0 = arith.constant 3.5 : f64
  %d, %d_low = func.call @two_sum_f64(%a, %c0)
      : (f64, f64) -> (f64, f64)
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0.0 : f64
  %inverse, %inverse_low = func.call @divide_f64(%one, %zero, %d, %d_low)
      : (f64, f64, f64, f64) -> (f64, f64)
  %c1 = arith.constant -3.5 : f64
  %n, %n_low = func.call @two_sum_f64(%a, %c1)
      : (f64, f64) -> (f64, f64)
  %q = arith.mulf %n, %inverse : f64
  %q_low1 = arith.negf %q : f64
  %q_low2 = math.fma %n, %inverse, %q_low1 : f64
  %q_low3 = math.fma %n, %inverse_low, %q_low2 : f64
  %q_low = math.fma %n_low, %inverse, %q_low3 : f64
  // Fit erfc_f64.
  %c2 = arith.constant 1.1548984489564086e-08 : f64
  %c3 = arith.constant -1.3869369370506009e-08 : f64
  %c4 = arith.constant -8.920451211118242e-08 : f64
  %c5 = arith.constant 1.0790888405507185e-07 : f64
  %c6 = arith.constant 5.560792838772807e-07 : f64
  %c7 = arith.constant -7.914907134396802e-07 : f64
  %c8 = arith.constant -3.3950607667389055e-06 : f64
  %c9 = arith.constant 7.242350462011849e-06 : f64
  %c10 = arith.constant 1.8648208876774836e-05 : f64
  %c11 = arith.constant -7.47766579772821e-05 : f64
  %c12 = arith.constant -4.206238063172605e-05 : f64
  %c13 = arith.constant 0.0007145316205731203 : f64
  %c14 = arith.constant -0.0013053546632807904 : f64
  %c15 = arith.constant -0.003177050336853152 : f64
  %c16 = arith.constant 0.026518619879436385 : f64
  %c17 = arith.constant -0.0923187066387511 : f64
  %c18 = arith.constant 0.22573862164750205 : f64
  %c19 = arith.constant -0.4352560267168843 : f64
  %c20 = arith.constant 0.6941136466346429 : f64
  %c21 = arith.constant -0.937799724567112 : f64
  %p1 = math.fma %c2, %q, %c3 : f64
  %p2 = math.fma %p1, %q, %c4 : f64
  %p3 = math.fma %p2, %q, %c5 : f64
  %p4 = math.fma %p3, %q, %c6 : f64
  %p5 = math.fma %p4, %q, %c7 : f64
  %p6 = math.fma %p5, %q, %c8 : f64
  %p7 = math.fma %p6, %q, %c9 : f64
  %p8 = math.fma %p7, %q, %c10 : f64
  %p9 = math.fma %p8, %q, %c11 : f64
  %p10 = math.fma %p9, %q, %c12 : f64
  %p11 = math.fma %p10, %q, %c13 : f64
  %p12 = math.fma %p11, %q, %c14 : f64
  %p13 = math.fma %p12, %q, %c15 : f64
  %p14 = math.fma %p13, %q, %c16 : f64
  %p15 = math.fma %p14, %q, %c17 : f64
  %p16 = math.fma %p15, %q, %c18 : f64
  %p17 = math.fma %p16, %q, %c19 : f64
  %p18 = math.fma %p17, %q, %c20 : f64
  %p = math.fma %p18, %q, %c21 : f64
  %p0 = arith.constant 1.08705558926226 : f64
  %sum = math.fma %p, %q, %p0 : f64
  // Where q_low matters p is its slope, more or less.
  %c22 = arith.constant 1.020280454645238e-16 : f64
  %more = math.fma %p, %q_low, %c22 : f64
  %sum_low1 = arith.subf %p0, %sum : f64
  %sum_low2 = math.fma %p, %q, %sum_low1 : f64
  %sum_low = arith.addf %sum_low2, %more : f64
  // The product of the three.
  %m = arith.mulf %e1, %inverse : f64
  %m_error1 = arith.negf %m : f64
  %m_error = math.fma %e1, %inverse, %m_error1 : f64
  %m_low1 = math.fma %e_low, %inverse, %m_error : f64
  %m_low = math.fma %e1, %inverse_low, %m_low1 : f64
  %y = arith.mulf %m, %sum : f64
  %y_error1 = arith.negf %y : f64
  %y_error = math.fma %m, %sum, %y_error1 : f64
  %y_low1 = math.fma %m_low, %sum, %y_error : f64
  %y_low = math.fma %m, %sum_low, %y_low1 : f64
  %y1 = arith.addf %y, %y_low : f64
  %y2 = func.call @scale_f64(%y1, %k) : (f64, i64) -> f64
  return %y2 : f64
}

func.func @erf_f64(%x: f64) -> f64 {
  %a = math.absf %x : f64
  // Fit erf_f64.
  %c0 = arith.constant -1.3634524096126144e-10 : f64
  %c1 = arith.constant 9.602069529794036e-10 : f64
  %c2 = arith.constant -3.7718604155611855e-09 : f64
  %c3 = arith.constant 1.9153475521715993e-08 : f64
  %c4 = arith.constant -1.6845520853884466e-07 : f64
  %c5 = arith.constant 1.6497914208392357e-06 : f64
  %c6 = arith.constant -1.4927489211863862e-05 : f64
  %c7 = arith.constant 0.00012055397865420236 : f64
  %c8 = arith.constant -0.0008548328565991578 : f64
  %c9 = arith.constant 0.00522397764918898 : f64
  %c10 = arith.constant -0.02686617064734056 : f64
  %c11 = arith.constant 0.11283791670966144 : f64
  %c12 = arith.constant -0.37612638903183987 : f64
  %c13 = arith.constant 0.1283791670955126 : f64
  %small1 = arith.mulf %a, %a : f64
  %small2 = math.fma %c0, %small1, %c1 : f64
  %small3 = math.fma %small2, %small1, %c2 : f64
  %small4 = math.fma %small3, %small1, %c3 : f64
  %small5 = math.fma %small4, %small1, %c4 : f64
  %small6 = math.fma %small5, %small1, %c5 : f64
  %small7 = math.fma %small6, %small1, %c6 : f64
  %small8 = math.fma %small7, %small1, %c7 : f64
  %small9 = math.fma %small8, %small1, %c8 : f64
  %small10 = math.fma %small9, %small1, %c9 : f64
  %small11 = math.fma %small10, %small1, %c10 : f64
  %small12 = math.fma %small11, %small1, %c11 : f64
  %small13 = math.fma %small12, %small1, %c12 : f64
  %small14 = math.fma %small13, %small1, %c13 : f64
  %small = math.fma %a, %small14, %a : f64
  %c14 = arith.constant 6.0 : f64
  %clamped_if = arith.cmpf ogt, %a, %c14 : f64
  %clamped = arith.select %clamped_if, %c14, %a : f64
  %one = arith.constant 1.0 : f64
  %large1 = func.call @erfc_tail_f64(%clamped) : (f64) -> f64
  %large = arith.subf %one, %large1 : f64
  %y_if = arith.cmpf olt, %a, %one : f64
  %y = arith.select %y_if, %small, %large : f64
  %y1 = math.copysign %y, %x : f64
  return %y1 : f64
}

func.func @erfc_f64(%x: f64) -> f64 {
  %magnitude = math.absf %x : f64
  // 1 - x - x p
  %one = arith.constant 1.0 : f64
  %high = arith.subf %one, %x : f64
  %low1 = arith.subf %one, %high : f64
  %low = arith.subf %low1, %x : f64
  // Fit erf_f64.
  %c0 = arith.constant -1.3634524096126144e-10 : f64
  %c1 = arith.constant 9.602069529794036e-10 : f64
  %c2 = arith.constant -3.7718604155611855e-09 : f64
  %c3 = arith.constant 1.9153475521715993e-08 : f64
  %c4 = arith.constant -1.6845520853884466e-07 : f64
  %c5 = arith.constant 1.6497914208392357e-06 : f64
  %c6 = arith.constant -1.4927489211863862e-05 : f64
  %c7 = arith.constant 0.00012055397865420236 : f64
  %c8 = arith.constant -0.0008548328565991578 : f64
  %c9 = arith.constant 0.00522397764918898 : f64
  %c10 = arith.constant -0.02686617064734056 : f64
  %c11 = arith.constant 0.11283791670966144 : f64
  %c12 = arith.constant -0.37612638903183987 : f64
  %c13 = arith.constant 0.1283791670955126 : f64
  %near1 = arith.negf %x : f64
  %near2 = arith.mulf %x, %x : f64
  %near3 = math.fma %c0, %near2, %c1 : f64
  %near4 = math.fma %near3, %near2, %c2 : f64
  %near5 = math.fma %near4, %near2, %c3 : f64
  %near6 = math.fma %near5, %near2, %c4 : f64
  %near7 = math.fma %near6, %near2, %c5 : f64
  %near8 = math.fma %near7, %near2, %c6 : f64
  %near9 = math.fma %near8, %near2, %c7 : f64
  %near10 = math.fma %near9, %near2, %c8 : f64
  %near11 = math.fma %near10, %near2, %c9 : f64
  %near12 = math.fma %near11, %near2, %c10 : f64
  %near13 = math.fma %near12, %near2, %c11 : f64
  %near14 = math.fma %near13, %near2, %c12 : f64
  %near15 = math.fma %near14, %near2, %c13 : f64
  %near16 = math.fma %near1, %near15, %low : f64
  %near = arith.addf %high, %near16 : f64
  %c14 = arith.constant 27.5 : f64
  %a_if = arith.cmpf ogt, %magnitude, %c14 : f64
  %a = arith.select %a_if, %c14, %magnitude : f64
  %tail = func.call @erfc_tail_f64(%a) : (f64) -> f64
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %far_if = arith.cmpf olt, %x, %zero : f64
  %far1 = arith.subf %two, %tail : f64
  %far = arith.select %far_if, %far1, %tail : f64
  %c15 = arith.constant 0.75 : f64
  %y_if = arith.cmpf olt, %magnitude, %c15 : f64
  %y = arith.select %y_if, %near, %far : f64
  return %y : f64
}

func.func @rsqrt_f64(%x: f64) -> f64 {
  %s = math.sqrt %x : f64
  %one = arith.constant 1.0 : f64
  %y = arith.divf %one, %s : f64
  return %y : f64
}

func.func @cbrt_f64(%x: f64) -> f64 {
  %magnitude = math.absf %x : f64
  %c0 = arith.constant 2.2250738585072014e-308 : f64
  %is_denormal = arith.cmpf olt, %magnitude, %c0 : f64
  %c1 = arith.constant 1.8014398509481984e16 : f64
  %a1 = arith.mulf %magnitude, %c1 : f64
  %a = arith.select %is_denormal, %a1, %magnitude : f64
  // r near 1 / cbrt(a) from a third of the exponent, then by Newton's method.
  %x553EEE4FEAAAAC00 = arith.constant 0x553EEE4FEAAAAC00 : i64
  %n3 = arith.constant 3 : i64
  %r01 = arith.bitcast %a : f64 to i64
  %r02 = arith.divui %r01, %n3 : i64
  %r03 = arith.subi %x553EEE4FEAAAAC00, %r02 : i64
  %r0 = arith.bitcast %r03 : i64 to f64
  %third = arith.constant 0.3333333333333333 : f64
  %one = arith.constant 1.0 : f64
  %e01 = arith.mulf %r0, %r0 : f64
  %e02 = arith.negf %e01 : f64
  %e03 = arith.mulf %r0, %a : f64
  %e0 = math.fma %e02, %e03, %one : f64
  %r11 = arith.mulf %e0, %third : f64
  %r1 = math.fma %r0, %r11, %r0 : f64
  %e11 = arith.mulf %r1, %r1 : f64
  %e12 = arith.negf %e11 : f64
  %e13 = arith.mulf %r1, %a : f64
  %e1 = math.fma %e12, %e13, %one : f64
  %r21 = arith.mulf %e1, %third : f64
  %r2 = math.fma %r1, %r21, %r1 : f64
  %e21 = arith.mulf %r2, %r2 : f64
  %e22 = arith.negf %e21 : f64
  %e23 = arith.mulf %r2, %a : f64
  %e2 = math.fma %e22, %e23, %one : f64
  %r31 = arith.mulf %e2, %third : f64
  %r3 = math.fma %r2, %r31, %r2 : f64
  %e31 = arith.mulf %r3, %r3 : f64
  %e32 = arith.negf %e31 : f64
  %e33 = arith.mulf %r3, %a : f64
  %e3 = math.fma %e32, %e33, %one : f64
  %r4 = arith.mulf %e3, %third : f64
  %r = math.fma %r3, %r4, %r3 : f64
  %y1 = arith.mulf %r, %r : f64
  %y = arith.mulf %a, %y1 : f64
  // One step from the exact remainder of y^3.
  %y2 = arith.mulf %y, %y : f64
  %y2_low1 = arith.negf %y2 : f64
  %y2_low = math.fma %y, %y, %y2_low1 : f64
  %rest1 = arith.negf %y2_low : f64
  %rest2 = arith.negf %y2 : f64
  %rest3 = math.fma %rest2, %y, %a : f64
  %rest = math.fma %rest1, %y, %rest3 : f64
  %root1 = arith.mulf %r, %r : f64
  %root2 = arith.mulf %root1, %third : f64
  %root = math.fma %rest, %root2, %y : f64
  %c2 = arith.constant 3.814697265625e-06 : f64
  %scaled1 = arith.mulf %root, %c2 : f64
  %scaled = arith.select %is_denormal, %scaled1, %root : f64
  %zero = arith.constant 0.0 : f64
  %c3 = arith.constant 0x7FF0000000000000 : f64
  %is_finite1 = arith.cmpf ogt, %magnitude, %zero : f64
  %is_finite2 = arith.cmpf olt, %magnitude, %c3 : f64
  %is_finite = arith.andi %is_finite1, %is_finite2 : i1
  %y3 = arith.select %is_finite, %scaled, %magnitude : f64
  %y4 = math.copysign %y3, %x : f64
  return %y4 : f64
}

func.func @round_f64(%x: f64) -> f64 {
  %c0 = arith.constant 0.49999999999999994 : f64
  %y = math.copysign %c0, %x : f64
  %y1 = arith.addf %x, %y : f64
  %y2 = math.trunc %y1 : f64
  return %y2 : f64
}

//===----------------------------------------------------------------------===//
// Remainders, by long division of the mantissas as integers
//===----------------------------------------------------------------------===//

// |x| = mantissa * 2^(exponent - 150)
func.func private @split_bits_f32(%x: f32) -> (i64, i32) {
  %code1 = math.absf %x : f32
  %code = arith.bitcast %code1 : f32 to i32
  %n23 = arith.constant 23 : i32
  %exponent = arith.shrui %code, %n23 : i32
  %x7FFFFF = arith.constant 0x7FFFFF : i32
  %fraction = arith.andi %code, %x7FFFFF : i32
  %n0 = arith.constant 0 : i32
  %x800000 = arith.constant 0x800000 : i32
  %mantissa_if = arith.cmpi eq, %exponent, %n0 : i32
  %mantissa1 = arith.ori %fraction, %x800000 : i32
  %mantissa = arith.select %mantissa_if, %fraction, %mantissa1 : i32
  %n1 = arith.constant 1 : i32
  %y = arith.extui %mantissa : i32 to i64
  %y1 = arith.maxsi %exponent, %n1 : i32
  return %y, %y1 : i64, i32
}

// |x| = mantissa * 2^(exponent - 1075)
func.func private @split_bits_f64(%x: f64) -> (i64, i64) {
  %code1 = math.absf %x : f64
  %code = arith.bitcast %code1 : f64 to i64
  %n52 = arith.constant 52 : i64
  %exponent = arith.shrui %code, %n52 : i64
  %xFFFFFFFFFFFFF = arith.constant 0xFFFFFFFFFFFFF : i64
  %fraction = arith.andi %code, %xFFFFFFFFFFFFF : i64
  %n0 = arith.constant 0 : i64
  %x10000000000000 = arith.constant 0x10000000000000 : i64
  %mantissa_if = arith.cmpi eq, %exponent, %n0 : i64
  %mantissa1 = arith.ori %fraction, %x10000000000000 : i64
  %mantissa = arith.select %mantissa_if, %fraction, %mantissa1 : i64
  %n1 = arith.constant 1 : i64
  %y = arith.maxsi %exponent, %n1 : i64
  return %mantissa, %y : i64, i64
}

// (a * 2^n) mod b for a < 2^24 and 0 < b < 2^24, 40 bits of quotient at a time.
func.func private @mod_f32(%a: i64, %n: i32, %b: i64) -> i64 {
  %zero = arith.constant 0 : i32
  %most = arith.constant 40 : i32
  %start = arith.remui %a, %b : i64
  %result, %end = scf.while (%rest = %start, %left = %n)
      : (i64, i32) -> (i64, i32) {
    %more = arith.cmpi sgt, %left, %zero : i32
    scf.condition(%more) %rest, %left : i64, i32
  } do {
  ^bb0(%rest: i64, %left: i32):
    %step = arith.minsi %left, %most : i32
    %shift = arith.extui %step : i32 to i64
    %shifted = arith.shli %rest, %shift : i64
    %next = arith.remui %shifted, %b : i64
    %next_left = arith.subi %left, %step : i32
    scf.yield %next, %next_left : i64, i32
  }
  return %result : i64
}

// (a * 2^n) mod b for a < 2^53 and 0 < b < 2^53, 11 bits of quotient at a time.
func.func private @mod_f64(%a: i64, %n: i64, %b: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %most = arith.constant 11 : i64
  %start = arith.remui %a, %b : i64
  %result, %end = scf.while (%rest = %start, %left = %n)
      : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi sgt, %left, %zero : i64
    scf.condition(%more) %rest, %left : i64, i64
  } do {
  ^bb0(%rest: i64, %left: i64):
    %step = arith.minsi %left, %most : i64
    %shifted = arith.shli %rest, %step : i64
    %next = arith.remui %shifted, %b : i64
    %next_left = arith.subi %left, %step : i64
    scf.yield %next, %next_left : i64, i64
  }
  return %result : i64
}

// C's fmod: exact, with the sign of x.
func.func @remf_f32(%x: f32, %y: f32) -> f32 {
  %a, %a_exponent = func.call @split_bits_f32(%x)
      : (f32) -> (i64, i32)
  %b, %b_exponent = func.call @split_bits_f32(%y)
      : (f32) -> (i64, i32)
  // Division by 0 is no number, but must not trap.
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %safe_b_if = arith.cmpi eq, %b, %n0 : i64
  %safe_b = arith.select %safe_b_if, %n1, %b : i64
  %rest1 = arith.subi %a_exponent, %b_exponent : i32
  %rest = func.call @mod_f32(%a, %rest1, %safe_b) : (i64, i32, i64) -> i64
  %n150 = arith.constant 150 : i32
  %scaled1 = arith.uitofp %rest : i64 to f32
  %scaled2 = arith.subi %b_exponent, %n150 : i32
  %scaled = func.call @scale_f32(%scaled1, %scaled2) : (f32, i32) -> f32
  %r_if = math.absf %x : f32
  %r_if1 = math.absf %y : f32
  %r_if2 = arith.cmpf olt, %r_if, %r_if1 : f32
  %r1 = math.absf %x : f32
  %r = arith.select %r_if2, %r1, %scaled : f32
  %signed = math.copysign %r, %x : f32
  %c0 = arith.constant 0x7F800000 : f32
  %zero = arith.constant 0.0 : f32
  %is_number1 = math.absf %x : f32
  %is_number2 = arith.cmpf olt, %is_number1, %c0 : f32
  %is_number3 = arith.cmpf one, %y, %zero : f32
  %is_number = arith.andi %is_number2, %is_number3 : i1
  %c1 = arith.constant 0x7FC00000 : f32
  %y1 = arith.select %is_number, %signed, %c1 : f32
  return %y1 : f32
}

func.func @remf_f64(%x: f64, %y: f64) -> f64 {
  %a, %a_exponent = func.call @split_bits_f64(%x)
      : (f64) -> (i64, i64)
  %b, %b_exponent = func.call @split_bits_f64(%y)
      : (f64) -> (i64, i64)
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %safe_b_if = arith.cmpi eq, %b, %n0 : i64
  %safe_b = arith.select %safe_b_if, %n1, %b : i64
  %rest1 = arith.subi %a_exponent, %b_exponent : i64
  %rest = func.call @mod_f64(%a, %rest1, %safe_b) : (i64, i64, i64) -> i64
  %x433 = arith.constant 0x433 : i64
  %scaled1 = arith.uitofp %rest : i64 to f64
  %scaled2 = arith.subi %b_exponent, %x433 : i64
  %scaled = func.call @scale_f64(%scaled1, %scaled2) : (f64, i64) -> f64
  %r_if = math.absf %x : f64
  %r_if1 = math.absf %y : f64
  %r_if2 = arith.cmpf olt, %r_if, %r_if1 : f64
  %r1 = math.absf %x : f64
  %r = arith.select %r_if2, %r1, %scaled : f64
  %signed = math.copysign %r, %x : f64
  %c0 = arith.constant 0x7FF0000000000000 : f64
  %zero = arith.constant 0.0 : f64
  %is_number1 = math.absf %x : f64
  %is_number2 = arith.cmpf olt, %is_number1, %c0 : f64
  %is_number3 = arith.cmpf one, %y, %zero : f64
  %is_number = arith.andi %is_number2, %is_number3 : i1
  %c1 = arith.constant 0x7FF8000000000000 : f64
  %y1 = arith.select %is_number, %signed, %c1 : f64
  return %y1 : f64
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

func.func @fpowi_f32(%x: f32, %n: i32) -> f32 {
  // Every i32 is an f64.
  %y = arith.extf %x : f32 to f64
  %y1 = arith.sitofp %n : i32 to f64
  %y2 = func.call @powf_f64(%y, %y1) : (f64, f64) -> f64
  %y3 = arith.truncf %y2 : f64 to f32
  return %y3 : f32
}

func.func @fpowi_f64(%x: f64, %n: i32) -> f64 {
  %y = arith.sitofp %n : i32 to f64
  %y1 = func.call @powf_f64(%x, %y) : (f64, f64) -> f64
  return %y1 : f64
}

func.func @sincos_f32(%x: f32) -> (f32, f32) {
  %y = func.call @sin_f32(%x) : (f32) -> f32
  %y1 = func.call @cos_f32(%x) : (f32) -> f32
  return %y, %y1 : f32, f32
}

func.func @sincos_f64(%x: f64) -> (f64, f64) {
  %y = func.call @sin_f64(%x) : (f64) -> f64
  %y1 = func.call @cos_f64(%x) : (f64) -> f64
  return %y, %y1 : f64, f64
}
