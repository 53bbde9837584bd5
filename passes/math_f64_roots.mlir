//===- math_f64_roots.mlir - Error functions and roots of f64 -------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is said in math.mlir holds here too.
//
//===----------------------------------------------------------------------===//

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
