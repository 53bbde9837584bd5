//===- math_f64_log.mlir - Logarithms of f64 ------------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logarithms, inverse hyperbolic functions and powers of f64. What is said in
// math.mlir holds here too.
//
//===----------------------------------------------------------------------===//

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
