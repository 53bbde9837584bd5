// Contractions in their pretty form, through the generic form and bytecode as
// well.
// RUN: mlopt-opt %s | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -mlir-print-op-generic | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -emit-bytecode | mlopt-opt | FileCheck %s

// CHECK-LABEL: @dot(
func.func @dot(%a: tensor<2x4x8xbf16>, %b: tensor<2x8x?xbf16>, %s: tensor<f32>, %i: tensor<8xi8>, %j: tensor<8xi4>) {
  // CHECK: mlopt.dot %{{.*}}, %{{.*}} batch [0] x [0] contract [2] x [1] {numerics = #mlopt.numerics<strict>} : (tensor<2x4x8xbf16>, tensor<2x8x?xbf16>) -> tensor<2x4x?xf32>
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] {numerics = #mlopt.numerics<strict>} : (tensor<2x4x8xbf16>, tensor<2x8x?xbf16>) -> tensor<2x4x?xf32>
  // CHECK: mlopt.dot %{{.*}}, %{{.*}} contract [2, 0] x [1, 0] : (tensor<2x4x8xbf16>, tensor<2x8x?xbf16>) -> tensor<4x?xbf16>
  %1 = mlopt.dot %a, %b batch [] x [] contract [2, 0] x [1, 0] : (tensor<2x4x8xbf16>, tensor<2x8x?xbf16>) -> tensor<4x?xbf16>
  // CHECK: mlopt.dot %{{.*}}, %{{.*}} contract [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = mlopt.dot %s, %s contract [] x [] : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: mlopt.dot %{{.*}}, %{{.*}} contract [0] x [0] accumulate i32 unsigned : (tensor<8xi8>, tensor<8xi4>) -> tensor<i16>
  %3 = mlopt.dot %i, %j contract [0] x [0] accumulate i32 unsigned : (tensor<8xi8>, tensor<8xi4>) -> tensor<i16>
  return
}

// CHECK-LABEL: @conv(
func.func @conv(%x: tensor<?x8x8x4xf32>, %w: tensor<3x3x2x16xf32>, %p: tensor<2x3xf16>, %q: tensor<3x5xf16>) {
  // CHECK: mlopt.conv %{{.*}}, %{{.*}} strides [2, 1] low [1, 1] high [1, 0] input_dilation [1, 2] window_dilation [1, 3] groups 2 : (tensor<?x8x8x4xf32>, tensor<3x3x2x16xf32>) -> tensor<?x4x10x16xf32>
  %0 = mlopt.conv %x, %w strides [2, 1] low [1, 1] high [1, 0] input_dilation [1, 2] window_dilation [1, 3] groups 2 : (tensor<?x8x8x4xf32>, tensor<3x3x2x16xf32>) -> tensor<?x4x10x16xf32>
  // CHECK: mlopt.conv %{{.*}}, %{{.*}} strides [] low [] high [] input_dilation [] window_dilation [] accumulate f64 : (tensor<2x3xf16>, tensor<3x5xf16>) -> tensor<2x5xf16>
  %1 = mlopt.conv %p, %q {strides = array<i64>, low = array<i64>, high = array<i64>, input_dilation = array<i64>, window_dilation = array<i64>, groups = 1 : i64, accumulate = f64} : (tensor<2x3xf16>, tensor<3x5xf16>) -> tensor<2x5xf16>
  return
}
