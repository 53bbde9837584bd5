// RUN: mlopt-opt %s -convert-stablehlo-to-mlopt -o %t.mlir
// RUN: FileCheck %s --implicit-check-not=stablehlo < %t.mlir
// RUN: mlopt-opt %t.mlir | diff %t.mlir -

// CHECK-LABEL: @batched
// CHECK: mlopt.dot %arg0, %arg1 batch [0, 1] x [0, 1] contract [3] x [3]
// CHECK-SAME: : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> tensor<2x4x8x8xf32>
func.func @batched(%q: tensor<2x4x8x16xbf16>, %k: tensor<2x4x8x16xbf16>)
    -> tensor<2x4x8x8xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1],
      contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST]
      : (tensor<2x4x8x16xbf16>, tensor<2x4x8x16xbf16>) -> tensor<2x4x8x8xf32>
  return %0 : tensor<2x4x8x8xf32>
}

// CHECK-LABEL: @unsigned
// CHECK: mlopt.dot %arg0, %arg1 contract [1] x [0] unsigned
func.func @unsigned(%a: tensor<4x3xui8>, %b: tensor<3x6xui8>) -> tensor<4x6xui32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<4x3xui8>, tensor<3x6xui8>) -> tensor<4x6xui32>
  return %0 : tensor<4x6xui32>
}

// CHECK-LABEL: @vectors
// CHECK: mlopt.dot %arg0, %arg0 contract [0] x [0]
func.func @vectors(%a: tensor<4xf32>) -> tensor<f32> {
  %0 = stablehlo.dot %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// A convolution that is in mlopt's layout already.
// CHECK-LABEL: @conv
// CHECK-NEXT: mlopt.conv %arg0, %arg1 strides [2, 1] low [1, 0] high [1, 2]
// CHECK-SAME: input_dilation [1, 2] window_dilation [2, 1]
// CHECK-NEXT: return
func.func @conv(%x: tensor<1x9x8x3xf32>, %w: tensor<3x2x3x5xf32>)
    -> tensor<1x4x16x5xf32> {
  %0 = stablehlo.convolution(%x, %w)
      dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 2],
                rhs_dilate = [2, 1]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x9x8x3xf32>, tensor<3x2x3x5xf32>) -> tensor<1x4x16x5xf32>
  return %0 : tensor<1x4x16x5xf32>
}

// Other layouts are transposed, reversed kernels reversed.
// CHECK-LABEL: @layouts
// CHECK: %[[X:.*]] = mlopt.transpose %arg0 perm [0, 2, 3, 1]
// CHECK: %[[W:.*]] = mlopt.transpose %arg1 perm [2, 3, 1, 0]
// CHECK: %[[R:.*]] = mlopt.reverse %[[W]] dims [1]
// CHECK: %[[Y:.*]] = mlopt.conv %[[X]], %[[R]]
// CHECK-SAME: -> tensor<2x6x6x4xf32>
// CHECK: mlopt.transpose %[[Y]] perm [0, 3, 1, 2]
func.func @layouts(%x: tensor<2x3x9x10xf32>, %w: tensor<4x3x4x5xf32>)
    -> tensor<2x4x6x6xf32> {
  %0 = stablehlo.convolution(%x, %w)
      dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1],
      window = {reverse = [false, true]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x3x9x10xf32>, tensor<4x3x4x5xf32>) -> tensor<2x4x6x6xf32>
  return %0 : tensor<2x4x6x6xf32>
}

// Batch groups become feature groups.
// CHECK-LABEL: @batch_groups
// CHECK: %[[A:.*]] = mlopt.reshape %arg0 : tensor<6x8x3xf32> -> tensor<2x3x8x3xf32>
// CHECK: %[[B:.*]] = mlopt.transpose %[[A]] perm [1, 2, 0, 3]
// CHECK: %[[C:.*]] = mlopt.reshape %[[B]] : tensor<3x8x2x3xf32> -> tensor<3x8x6xf32>
// CHECK: mlopt.conv %[[C]], %arg1 {{.*}} groups 2
func.func @batch_groups(%x: tensor<6x8x3xf32>, %w: tensor<3x3x4xf32>)
    -> tensor<3x6x4xf32> {
  %0 = stablehlo.convolution(%x, %w)
      dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 2 : i64, feature_group_count = 1 : i64}
      : (tensor<6x8x3xf32>, tensor<3x3x4xf32>) -> tensor<3x6x4xf32>
  return %0 : tensor<3x6x4xf32>
}
