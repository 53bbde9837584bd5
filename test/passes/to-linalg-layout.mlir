// RUN: mlopt-opt %s -convert-mlopt-to-linalg -split-input-file | FileCheck %s

// A dimension of size one is read at 0.
// CHECK-DAG:   #[[FROM:.*]] = affine_map<(d0, d1, d2) -> (d2, 0)>
// CHECK-LABEL: func @broadcast(
// CHECK:         indexing_maps = [#[[FROM]],
func.func @broadcast(%a: tensor<4x1xf32>) -> tensor<2x3x4xf32> {
  %0 = mlopt.broadcast %a dims [2, 1] : tensor<4x1xf32> -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

// Result dimension i is operand dimension perm[i].
// CHECK-DAG:   #[[FROM:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-LABEL: func @transpose(
// CHECK:         indexing_maps = [#[[FROM]],
// CHECK-SAME:    outs(%{{.*}} : tensor<4x2x3xf32>)
func.func @transpose(%a: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = mlopt.transpose %a perm [2, 0, 1]
      : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

// CHECK-DAG:   #[[FROM:.*]] = affine_map<(d0, d1) -> (-d0 + 2, d1)>
// CHECK-LABEL: func @reverse(
// CHECK:         indexing_maps = [#[[FROM]],
func.func @reverse(%a: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = mlopt.reverse %a dims [0] : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func @slice(
// CHECK:         tensor.extract_slice %{{.*}}[1, 0] [2, 2] [1, 3]
// CHECK-SAME:      : tensor<3x4xf32> to tensor<2x2xf32>
func.func @slice(%a: tensor<3x4xf32>) -> tensor<2x2xf32> {
  %0 = mlopt.slice %a starts [1, 0] limits [3, 4] strides [1, 3]
      : tensor<3x4xf32> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// A reshape is one collapse or one expand where dimensions group, and goes
// through rank 1 where they do not.
// CHECK-LABEL: func @reshape(
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
// CHECK:         tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<6x4xf32> into tensor<24xf32>
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] {{.*}} : tensor<24xf32> into tensor<8x3xf32>
// CHECK:         tensor.expand_shape %{{.*}} : tensor<8x3xf32> into tensor<8x1x3x1xf32>
func.func @reshape(%a: tensor<2x3x4xf32>) -> tensor<8x1x3x1xf32> {
  %0 = mlopt.reshape %a : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = mlopt.reshape %0 : tensor<6x4xf32> -> tensor<8x3xf32>
  %2 = mlopt.reshape %1 : tensor<8x3xf32> -> tensor<8x1x3x1xf32>
  return %2 : tensor<8x1x3x1xf32>
}

// -----

// Rank 0 has no groups.
// CHECK-LABEL: func @reshape_scalar(
// CHECK:         tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>
// CHECK:         tensor.expand_shape %{{.*}} [] output_shape [1] : tensor<f32> into tensor<1xf32>
func.func @reshape_scalar(%a: tensor<1x1xf32>) -> tensor<1xf32> {
  %0 = mlopt.reshape %a : tensor<1x1xf32> -> tensor<f32>
  %1 = mlopt.reshape %0 : tensor<f32> -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// -----

// What negative padding cuts off is not read; the rest goes to every third
// place.
// CHECK-LABEL: func @pad(
// CHECK:         %[[V:.*]] = tensor.extract
// CHECK:         %[[F:.*]] = linalg.fill ins(%[[V]] : f32) {{.*}} tensor<9xf32>
// CHECK:         %[[S:.*]] = tensor.extract_slice %{{.*}}[1] [3] [1]
// CHECK:         tensor.insert_slice %[[S]] into %[[F]][1] [3] [3]
func.func @pad(%a: tensor<4xf32>, %v: tensor<f32>) -> tensor<9xf32> {
  %0 = mlopt.pad %a, %v low [-2] high [1] interior [2]
      : tensor<4xf32>, tensor<f32> -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// -----

// CHECK-LABEL: func @concat(
// CHECK:         tensor.insert_slice %{{.*}}[0, 0] [2, 3] [1, 1]
// CHECK-NOT:     tensor<2x0xf32> into
// CHECK:         tensor.insert_slice %{{.*}}[0, 3] [2, 4] [1, 1]
func.func @concat(%a: tensor<2x3xf32>, %b: tensor<2x0xf32>, %c: tensor<2x4xf32>)
    -> tensor<2x7xf32> {
  %0 = mlopt.concat %a, %b, %c dim 1
      : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}

// -----

// Lowest bits come first, both ways.
// CHECK-LABEL: func @bitcast(
// CHECK:         arith.bitcast %{{.*}} : f32 to i32
// CHECK:         arith.shrui
// CHECK:         arith.trunci %{{.*}} : i32 to i8
// CHECK:         iterator_types = ["parallel", "reduction"]
// CHECK:         arith.shli
// CHECK:         arith.ori
// CHECK:         arith.bitcast %{{.*}} : i32 to f32
func.func @bitcast(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = mlopt.bitcast %a : tensor<2xf32> -> tensor<2x4xi8>
  %1 = mlopt.bitcast %0 : tensor<2x4xi8> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func @create(
// CHECK:         arith.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK:         linalg.index 0
// CHECK:         arith.index_cast
// CHECK:         arith.sitofp
func.func @create() -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = mlopt.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = mlopt.iota dim 0 : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
