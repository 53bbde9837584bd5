// MLIR's own passes know which operations are equal, unused or loop-invariant.
// RUN: mlopt-opt %s -cse | FileCheck %s
// RUN: mlopt-opt %s -canonicalize | FileCheck %s --check-prefix=DCE
// RUN: mlopt-opt %s -loop-invariant-code-motion | FileCheck %s --check-prefix=LICM

// CHECK-LABEL: @equal(
func.func @equal(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK: %[[T:.*]] = mlopt.transpose
  // CHECK-NOT: mlopt.transpose
  // CHECK: %[[R:.*]] = mlopt.reverse {{.*}} dims [0]
  // CHECK: return %[[T]], %[[T]], %[[R]]
  %0 = mlopt.transpose %x perm [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = mlopt.transpose %x perm [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = mlopt.reverse %x dims [0] : tensor<4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Attributes tell operations apart, also the numerics mode.
// CHECK-LABEL: @different(
func.func @different(%x: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = mlopt.reduce add {{.*}} dims [0]
  // CHECK: %[[B:.*]] = mlopt.reduce add {{.*}} dims [1]
  // CHECK: %[[C:.*]] = mlopt.reduce add {{.*}} dims [0] {numerics
  // CHECK: return %[[A]], %[[B]], %[[C]]
  %0 = mlopt.reduce add %x dims [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %1 = mlopt.reduce add %x dims [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %2 = mlopt.reduce add %x dims [0] {numerics = #mlopt.numerics<strict>} : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @equal_regions(
func.func @equal_regions(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = mlopt.fusion
  // CHECK: mlopt.exp
  // CHECK-NOT: mlopt.exp
  // CHECK: %[[B:.*]] = mlopt.fusion
  // CHECK: mlopt.log
  // CHECK: return %[[A]], %[[A]], %[[B]]
  %0 = mlopt.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %e = mlopt.exp %a : tensor<4xf32>
    mlopt.yield %e : tensor<4xf32>
  }
  %1 = mlopt.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %e = mlopt.exp %a : tensor<4xf32>
    mlopt.yield %e : tensor<4xf32>
  }
  %2 = mlopt.fusion (%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    %e = mlopt.log %a : tensor<4xf32>
    mlopt.yield %e : tensor<4xf32>
  }
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// DCE-LABEL: @unused(
func.func @unused(%x: tensor<4xf32>, %i: tensor<4xi32>, %v: tensor<f32>) {
  // DCE-NEXT: return
  %0:2 = mlopt.sort %x, %i dim 0 : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    %lt = mlopt.compare lt, %a, %b : f32
    mlopt.yield %lt : i1
  }
  %1 = mlopt.scan %x, %v dim 0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = mlopt.add %a, %b : f32
    mlopt.yield %s : f32
  }
  %2 = mlopt.scatter add %x, %i, %1 inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = mlopt.fusion (%a = %2 : tensor<4xf32>) -> tensor<4xf32> {
    %e = mlopt.exp %a : tensor<4xf32>
    mlopt.yield %e : tensor<4xf32>
  }
  %4 = mlopt.dot %x, %x contract [0] x [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// Nothing traps: even an integer division may run where it did not.
// LICM-LABEL: @invariant(
func.func @invariant(%n: index, %x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  // LICM: %[[D:.*]] = mlopt.div
  // LICM: %[[F:.*]] = mlopt.fusion
  // LICM: scf.for
  // LICM-NEXT: mlopt.add %{{.*}}, %[[F]]
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %x) -> tensor<4xi32> {
    %q = mlopt.div %x, %y : tensor<4xi32>
    %f = mlopt.fusion (%a = %q : tensor<4xi32>) -> tensor<4xi32> {
      %s = mlopt.scan add %a dim 0 : (tensor<4xi32>) -> tensor<4xi32>
      mlopt.yield %s : tensor<4xi32>
    }
    %next = mlopt.add %acc, %f : tensor<4xi32>
    scf.yield %next : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}
