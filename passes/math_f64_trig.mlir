//===- math_f64_trig.mlir - Trigonometry of f64 ---------------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Trigonometric functions of f64 and their inverses. What is said in math.mlir
// holds here too.
//
//===----------------------------------------------------------------------===//

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
