// RUN: mlopt-opt %s -convert-mlopt-to-linalg -split-input-file | FileCheck %s

// Loops: batch, left, right, contracted.
// CHECK-DAG:   #[[A:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d1)>
// CHECK-DAG:   #[[B:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG:   #[[C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func @dot(
// CHECK:         linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[C]]]
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK:           %[[P:.*]] = arith.mulf
// CHECK:           arith.addf %{{.*}}, %[[P]]
func.func @dot(%a: tensor<8x2x4xf32>, %b: tensor<2x3x8xf32>)
    -> tensor<2x4x3xf32> {
  %0 = mlopt.dot %a, %b batch [1] x [0] contract [0] x [2]
      : (tensor<8x2x4xf32>, tensor<2x3x8xf32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}

// -----

// Integers of different widths are extended to the accumulator.
// CHECK-LABEL: func @dot_mixed(
// CHECK:         arith.extui %{{.*}} : i8 to i32
// CHECK:         arith.extui %{{.*}} : i16 to i32
// CHECK:         arith.muli %{{.*}} : i32
func.func @dot_mixed(%a: tensor<8xi8>, %b: tensor<8xi16>) -> tensor<i32> {
  %0 = mlopt.dot %a, %b contract [0] x [0] {unsigned}
      : (tensor<8xi8>, tensor<8xi16>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + d3 * 3, d4)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d4, d2)>
// CHECK-LABEL: func @conv(
// CHECK:         tensor.insert_slice %{{.*}} into %{{.*}}[0, 1, 0] [1, 8, 3] [1, 1, 1]
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}]
func.func @conv(%x: tensor<1x8x3xf32>, %w: tensor<2x3x5xf32>)
    -> tensor<1x4x5xf32> {
  %0 = mlopt.conv %x, %w strides [2] low [1] high [1] input_dilation [1]
      window_dilation [3]
      : (tensor<1x8x3xf32>, tensor<2x3x5xf32>) -> tensor<1x4x5xf32>
  return %0 : tensor<1x4x5xf32>
}

// -----

// Groups are a parallel loop.
// CHECK-DAG:   #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2, d5)>
// CHECK-DAG:   #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d2, d3)>
// CHECK-LABEL: func @conv_groups(
// CHECK:         tensor.expand_shape {{.*}} : tensor<1x8x4xf32> into tensor<1x8x2x2xf32>
// CHECK:         tensor.expand_shape {{.*}} : tensor<3x2x6xf32> into tensor<3x2x2x3xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.*}}]
// CHECK:         tensor.collapse_shape {{.*}} : tensor<1x6x2x3xf32> into tensor<1x6x6xf32>
func.func @conv_groups(%x: tensor<1x8x4xf32>, %w: tensor<3x2x6xf32>)
    -> tensor<1x6x6xf32> {
  %0 = mlopt.conv %x, %w strides [1] low [0] high [0] input_dilation [1]
      window_dilation [1] {groups = 2 : i64}
      : (tensor<1x8x4xf32>, tensor<3x2x6xf32>) -> tensor<1x6x6xf32>
  return %0 : tensor<1x6x6xf32>
}
