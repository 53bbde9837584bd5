//===- math_remainder.mlir - Remainders, and variants ---------------------===//
//
// Part of mlopt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Remainders of f32 and f64, and functions by others. What is said in math.mlir
// holds here too.
//
//===----------------------------------------------------------------------===//

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
