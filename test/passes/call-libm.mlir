// RUN: mlopt-opt %s --mlopt-call-libm | FileCheck %s

// CHECK-LABEL: func.func @calls
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f64)
func.func @calls(%x: f32, %y: f64) -> (f32, f64, f32) {
  // CHECK: %[[A:.*]] = call @tanhf(%[[X]]) : (f32) -> f32
  %0 = math.tanh %x : f32
  // CHECK: %[[B:.*]] = call @log1p(%[[Y]]) : (f64) -> f64
  %1 = math.log1p %y : f64
  // CHECK: %[[C:.*]] = call @powf(%[[A]], %[[X]]) : (f32, f32) -> f32
  %2 = math.powf %0, %x : f32
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %0, %1, %2 : f32, f64, f32
}

// Inside loops too; each function is declared once.
// CHECK-LABEL: func.func @nested
func.func @nested(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> f32 {
    // CHECK: call @tanhf
    %t = math.tanh %a : f32
    scf.yield %t : f32
  }
  return %r : f32
}

// What is exact or an instruction is left to LLVM.
// CHECK-LABEL: func.func @instructions
func.func @instructions(%x: f32) -> f32 {
  // CHECK: math.sqrt
  // CHECK: math.floor
  // CHECK: math.roundeven
  %0 = math.sqrt %x : f32
  %1 = math.floor %0 : f32
  %2 = math.roundeven %1 : f32
  return %2 : f32
}

// CHECK-DAG: func.func private @tanhf(f32) -> f32 attributes {llvm.readnone}
// CHECK-DAG: func.func private @log1p(f64) -> f64 attributes {llvm.readnone}
// CHECK-DAG: func.func private @powf(f32, f32) -> f32 attributes {llvm.readnone}
// CHECK-NOT: func.func private
