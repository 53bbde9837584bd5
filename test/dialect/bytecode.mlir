// Bytecode keeps properties, their defaults, regions, resources and locations.
// RUN: mlopt-opt %s -emit-bytecode -o %t.mlirbc
// RUN: mlopt-opt %t.mlirbc -mlir-print-debuginfo | FileCheck %s
// RUN: mlopt-opt %s -verify-roundtrip -o /dev/null
// RUN: mlopt-opt %t.mlirbc -emit-bytecode | cmp - %t.mlirbc

// CHECK-LABEL: @kept(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
func.func @kept(%x: tensor<4x8xf32>, %i: tensor<3x1xi32>, %v: tensor<f32>) -> tensor<4xf32> {
  // CHECK: mlopt.constant dense_resource<weights> : tensor<2xf32>
  %w = mlopt.constant dense_resource<weights> : tensor<2xf32>
  // CHECK: mlopt.gather %[[X]], %{{.*}} offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 8]
  %g = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 8] : (tensor<4x8xf32>, tensor<3x1xi32>) -> tensor<3x8xf32>
  // CHECK: mlopt.exp %[[X]] {my.note = "kept", numerics = #mlopt.numerics<fast>}
  %e = mlopt.exp %x {numerics = #mlopt.numerics<fast>, my.note = "kept"} : tensor<4x8xf32>
  // CHECK: mlopt.fusion
  // CHECK: mlopt.reduce %{{.*}}, %{{.*}} dims [1]
  // CHECK: ^bb0(%{{.*}}: f32 {{.*}}, %{{.*}}: f32 {{.*}}):
  // CHECK: mlopt.yield
  // CHECK: mlopt.yield
  %f = mlopt.fusion (%a = %e : tensor<4x8xf32>, %init = %v : tensor<f32>) -> tensor<4xf32> {
    %r = mlopt.reduce %a, %init dims [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32> {
    ^bb0(%acc: f32, %elt: f32):
      %m = mlopt.sub %acc, %elt : f32
      mlopt.yield %m : f32
    }
    mlopt.yield %r : tensor<4xf32>
  }
  // CHECK: return
  return %f : tensor<4xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
