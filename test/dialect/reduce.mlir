// Reductions in their pretty form, through the generic form and bytecode as well.
// RUN: mlopt-opt %s | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -mlir-print-op-generic | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -emit-bytecode | mlopt-opt | FileCheck %s

// CHECK-LABEL: @reduce(
func.func @reduce(%x: tensor<2x?x4xbf16>, %v: tensor<bf16>) {
  // CHECK: mlopt.reduce add %{{.*}} dims [1, 0] {numerics = #mlopt.numerics<fast>} : (tensor<2x?x4xbf16>) -> tensor<4xbf16>
  %0 = mlopt.reduce add %x dims [1, 0] {numerics = #mlopt.numerics<fast>} : (tensor<2x?x4xbf16>) -> tensor<4xbf16>
  // CHECK: mlopt.reduce max %{{.*}}, %{{.*}} dims [] : (tensor<2x?x4xbf16>, tensor<bf16>) -> tensor<2x?x4xbf16>
  %1 = mlopt.reduce max %x, %v dims [] : (tensor<2x?x4xbf16>, tensor<bf16>) -> tensor<2x?x4xbf16>
  return
}

// Two inputs of different types; the accumulators have the initial values'.
// CHECK-LABEL: @reduce_region(
func.func @reduce_region(%x: tensor<4x8xf16>, %y: tensor<4x?xi32>, %a: tensor<f32>, %b: tensor<i32>) -> tensor<4xf32> {
  // CHECK: %[[R:.*]]:2 = mlopt.reduce %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} dims [1] : (tensor<4x8xf16>, tensor<4x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>) {
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[AI:.*]]: i32, %[[E:.*]]: f16, %{{.*}}: i32):
  // CHECK-NEXT: %[[W:.*]] = mlopt.convert %[[E]] : f16 -> f32
  // CHECK-NEXT: mlopt.yield %[[W]], %[[AI]] : f32, i32
  // CHECK-NEXT: }
  %r:2 = mlopt.reduce %x, %y, %a, %b dims [1] : (tensor<4x8xf16>, tensor<4x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%acc: f32, %acci: i32, %e: f16, %ei: i32):
    %w = mlopt.convert %e : f16 -> f32
    mlopt.yield %w, %acci : f32, i32
  }
  // CHECK: return %[[R]]#0
  return %r#0 : tensor<4xf32>
}

// CHECK-LABEL: @arg_reduce(
func.func @arg_reduce(%x: tensor<2x?xf32>, %y: tensor<4xi8>) {
  // CHECK: %{{.*}}:2 = mlopt.arg_reduce max %{{.*}} dim 1 : tensor<2x?xf32> -> (tensor<2xf32>, tensor<2xi32>)
  %0:2 = mlopt.arg_reduce max %x dim 1 : tensor<2x?xf32> -> (tensor<2xf32>, tensor<2xi32>)
  // CHECK: %{{.*}}:2 = mlopt.arg_reduce minu %{{.*}} dim 0 : tensor<4xi8> -> (tensor<i8>, tensor<index>)
  %1:2 = mlopt.arg_reduce minu %y dim 0 : tensor<4xi8> -> (tensor<i8>, tensor<index>)
  return
}

// CHECK-LABEL: @reduce_window(
func.func @reduce_window(%x: tensor<1x8xf32>, %v: tensor<f32>, %d: tensor<?xf32>) {
  // CHECK: mlopt.reduce_window max %{{.*}} window [1, 3] strides [1, 2] base_dilations [1, 2] window_dilations [1, 1] low [0, 1] high [0, -1] : (tensor<1x8xf32>) -> tensor<1x7xf32>
  %0 = mlopt.reduce_window max %x window [1, 3] strides [1, 2] base_dilations [1, 2] window_dilations [1, 1] low [0, 1] high [0, -1] : (tensor<1x8xf32>) -> tensor<1x7xf32>
  // The window is longer than what it slides over.
  // CHECK: mlopt.reduce_window add %{{.*}}, %{{.*}} window [1, 9] {{.*}} : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x0xf32>
  %1 = mlopt.reduce_window add %x, %v {window = array<i64: 1, 9>, strides = array<i64: 1, 1>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>} : (tensor<1x8xf32>, tensor<f32>) -> tensor<1x0xf32>
  // CHECK: mlopt.reduce_window %{{.*}}, %{{.*}} window [2] {{.*}} : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: mlopt.yield %[[B]] : f32
  %2 = mlopt.reduce_window %d, %v window [2] strides [1] base_dilations [1] window_dilations [1] low [0] high [0] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32> {
  ^bb0(%a: f32, %b: f32):
    mlopt.yield %b : f32
  }
  return
}
