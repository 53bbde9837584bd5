// RUN: mlopt-opt %s -mlopt-expand-math | FileCheck %s --implicit-check-not=call

// CHECK-LABEL: func.func @tanh
// CHECK-NOT:   math.tanh
// CHECK:       math.fma
// CHECK:       return
func.func @tanh(%x: f32) -> f32 {
  %0 = math.tanh %x : f32
  return %0 : f32
}

// Each operation gets a copy of its own.
// CHECK-LABEL: func.func @twice
// CHECK-NOT:   math.exp %
// CHECK:       %[[SUM:.*]] = arith.addf
// CHECK:       return
func.func @twice(%x: f32, %y: f32) -> f32 {
  %0 = math.exp %x : f32
  %1 = math.exp %y : f32
  %2 = arith.addf %0, %1 : f32
  return %2 : f32
}

// What one instruction does stays, and so do functions of f64.
// CHECK-LABEL: func.func @stays
// CHECK:       math.sqrt
// CHECK:       math.exp %{{.*}} : f64
func.func @stays(%x: f32, %y: f64) -> (f32, f64) {
  %0 = math.sqrt %x : f32
  %1 = math.exp %y : f64
  return %0, %1 : f32, f64
}

// The remainder of f64 is expanded: NVPTX's own is off for large quotients.
// CHECK-LABEL: func.func @remainder
// CHECK-NOT:   arith.remf
// CHECK:       scf.while
func.func @remainder(%x: f64, %y: f64) -> f64 {
  %0 = arith.remf %x, %y : f64
  return %0 : f64
}
