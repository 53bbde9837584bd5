// RUN: mlopt-opt %s -mlopt-expand-math \
// RUN:   | FileCheck %s --implicit-check-not=call
// RUN: mlopt-opt %s -mlopt-expand-math -mlir-print-debuginfo \
// RUN:     -mlir-print-local-scope \
// RUN:   | FileCheck %s --check-prefix=LOC --implicit-check-not='loc("math.mlir'

// CHECK-LABEL: func.func @tanh
// CHECK-NOT:   math.tanh
// CHECK:       math.fma
// CHECK:       return
// What replaces an operation stands where it stood.
func.func @tanh(%x: f32) -> f32 {
  // LOC: math.fma {{.*}} loc("{{.*}}":[[#@LINE+1]]:8)
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

// The bits of a result do not depend on what an operation allows.
// CHECK-LABEL: func.func @flags
// CHECK-NOT:   fastmath
// CHECK:       return
func.func @flags(%x: f64) -> f64 {
  %0 = math.log %x fastmath<fast> : f64
  return %0 : f64
}

// Inside loops and kernels; rare cases branch, remainders loop.
// CHECK-LABEL: func.func @nested
// CHECK:       scf.for
// CHECK-NOT:   math.cos
// CHECK:       scf.if
// CHECK-NOT:   arith.remf
// CHECK:       scf.while
// CHECK:       scf.yield
func.func @nested(%n: index, %x: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f64 {
    %t = math.cos %a : f64
    %s = arith.remf %t, %x : f64
    scf.yield %s : f64
  }
  return %r : f64
}

// CHECK-LABEL: gpu.module @kernels
// CHECK-NOT:   math.erf
// CHECK:       math.fma
// CHECK:       llvm.return
gpu.module @kernels {
  llvm.func @kernel(%x: f32, %out: !llvm.ptr) attributes {nvvm.kernel} {
    %0 = math.erf %x : f32
    llvm.store %0, %out : f32, !llvm.ptr
    llvm.return
  }
}

// Two results, and an exponent that is an integer.
// CHECK-LABEL: func.func @variants
// CHECK-NOT:   math.{{sincos|fpowi}} {{.*}} i32
// CHECK:       math.fpowi {{.*}} i64
func.func @variants(%x: f32, %n: i32, %m: i64) -> (f32, f32, f32, f32) {
  %0, %1 = math.sincos %x : f32
  %2 = math.fpowi %x, %n : f32, i32
  %3 = math.fpowi %x, %m : f32, i64
  return %0, %1, %2, %3 : f32, f32, f32, f32
}

// A smaller float is computed in f32 and rounded once.
// CHECK-LABEL: func.func @narrow
// CHECK-SAME:  (%[[X:.*]]: f16)
// CHECK:       %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NOT:   math.exp
// CHECK:       %[[Y:.*]] = arith.truncf %{{.*}} : f32 to f16
// CHECK:       return %[[Y]]
func.func @narrow(%x: f16) -> f16 {
  %0 = math.exp %x : f16
  return %0 : f16
}

// What a single instruction does stays, and so do vectors.
// CHECK-LABEL: func.func @stays
// CHECK:       math.sqrt
// CHECK:       math.floor
// CHECK:       math.roundeven
// CHECK:       math.exp {{.*}} vector<4xf32>
func.func @stays(%x: f32, %z: vector<4xf32>) -> (f32, vector<4xf32>) {
  %0 = math.sqrt %x : f32
  %1 = math.floor %0 : f32
  %2 = math.roundeven %1 : f32
  %3 = math.exp %z : vector<4xf32>
  return %2, %3 : f32, vector<4xf32>
}

// An argument that was hidden from folders is one no more.
// CHECK-LABEL: func.func @hidden
// CHECK-NOT:   ssa.copy
// CHECK-NOT:   math.exp %
// CHECK:       return
func.func @hidden() -> f32 {
  %x = arith.constant 0.75 : f32
  %0 = llvm.intr.ssa.copy %x : f32
  %1 = math.exp %0 : f32
  return %1 : f32
}
