// RUN: mlopt-opt %s --mlopt-fuse --mlopt-inline-fusions | FileCheck %s
// RUN: mlopt-opt %s --mlopt-fuse --convert-mlopt-to-linalg | FileCheck %s --check-prefix=LINALG

// CHECK-LABEL: func.func @f
// CHECK-NOT: mlopt.fusion
// CHECK: %[[E:.*]] = mlopt.exp %arg0
// CHECK: %[[D:.*]] = mlopt.dot %[[E]], %arg0
// CHECK: return %[[E]], %[[D]]

// Lowering leaves fusions where they are.
// LINALG-LABEL: func.func @f
// LINALG: mlopt.fusion
// LINALG: math.exp
// LINALG: mlopt.yield
// LINALG: mlopt.fusion
// LINALG: iterator_types = ["parallel", "parallel", "reduction"]
// LINALG: mlopt.yield
func.func @f(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = mlopt.exp %x : tensor<4x4xf32>
  %1 = mlopt.dot %0, %x contract [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
