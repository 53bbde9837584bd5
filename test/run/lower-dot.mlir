// Contractions: dimension orders, types, paddings, dilations, groups.
//
// RUN: mlopt-run %s | FileCheck %s
// CHECK: right: 11 of 11 comparisons

func.func private @inputs()
    -> (tensor<3x2x4xf32>, tensor<2x5x3xf32>, tensor<2xf32>, tensor<3xf32>,
        tensor<3xi8>, tensor<3xi16>, tensor<4xf16>, tensor<4xf16>, tensor<2xi1>,
        tensor<2x2xi1>, tensor<0x2xf32>, tensor<0x2xf32>, tensor<2x5x4xf32>,
        tensor<2x2x6xf32>, tensor<1x4x3x2xi8>, tensor<2x3x2x3xi8>)
    attributes {mlopt.source} {
  %a = mlopt.constant dense<[[[1.0, 4.0, 3.0, 4.0], [4.0, 0.0, 3.0, -2.0]],
      [[3.0, 0.0, 3.0, 0.0], [0.0, -3.0, -3.0, 3.0]], [[4.0, 3.0, -2.0, -3.0],
      [4.0, -1.0, 2.0, 0.0]]]> : tensor<3x2x4xf32>
  %b = mlopt.constant dense<[[[2.0, -4.0, -3.0], [-4.0, -4.0, 1.0], [2.0, -2.0,
      -2.0], [2.0, 2.0, 2.0], [3.0, -1.0, 3.0]], [[0.0, 1.0, 0.0], [4.0, 2.0,
      3.0], [-2.0, 0.0, 3.0], [-4.0, 2.0, -2.0], [0.0, -3.0,
      -2.0]]]> : tensor<2x5x3xf32>
  %u = mlopt.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %v = mlopt.constant dense<[3.0, 4.0, 5.0]> : tensor<3xf32>
  %p = mlopt.constant dense<[100, 100, -1]> : tensor<3xi8>
  %q = mlopt.constant dense<[300, 300, 2]> : tensor<3xi16>
  %h = mlopt.constant dense<256.0> : tensor<4xf16>
  %g = mlopt.constant dense<[256.0, -256.0, 256.0, -254.0]> : tensor<4xf16>
  %c = mlopt.constant dense<[true, false]> : tensor<2xi1>
  %d = mlopt.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %e0 = mlopt.constant dense<> : tensor<0x2xf32>
  %e1 = mlopt.constant dense<> : tensor<0x2xf32>
  %x = mlopt.constant dense<[[[2.0, 1.0, 3.0, 3.0], [-1.0, -3.0, 2.0, 3.0],
      [0.0, 2.0, 1.0, -2.0], [1.0, -3.0, 3.0, 0.0], [0.0, -3.0, -3.0, 3.0]],
      [[1.0, 0.0, -1.0, -1.0], [1.0, -3.0, 0.0, 0.0], [-2.0, 1.0, -2.0, 0.0],
      [-3.0, 3.0, -1.0, 2.0], [1.0, 1.0, 3.0, 0.0]]]> : tensor<2x5x4xf32>
  %w = mlopt.constant dense<[[[-1.0, 0.0, -2.0, 0.0, -1.0, 3.0], [0.0, 2.0, 3.0,
      -3.0, 3.0, -3.0]], [[2.0, 2.0, -1.0, -1.0, 1.0, -1.0], [3.0, -2.0, 1.0,
      -3.0, 1.0, -2.0]]]> : tensor<2x2x6xf32>
  %y = mlopt.constant dense<[[[[-1, 2], [-2, 1], [-2, 0]], [[0, 2], [-1, 1],
      [-2, -2]], [[3, -3], [3, -3], [-3, -3]], [[3, 0], [-3, -2], [1,
      1]]]]> : tensor<1x4x3x2xi8>
  %z = mlopt.constant dense<[[[[0, -3, 2], [1, 3, -1]], [[0, -1, -2], [2, -3,
      2]], [[1, 1, -3], [3, 1, 2]]], [[[0, -3, -2], [0, -3, 0]], [[1, 0, -1],
      [2, -3, -2]], [[2, 1, -1], [3, -2, -3]]]]> : tensor<2x3x2x3xi8>
  return %a, %b, %u, %v, %p, %q, %h, %g, %c, %d, %e0, %e1, %x, %w, %y, %z
      : tensor<3x2x4xf32>, tensor<2x5x3xf32>, tensor<2xf32>, tensor<3xf32>,
          tensor<3xi8>, tensor<3xi16>, tensor<4xf16>, tensor<4xf16>,
          tensor<2xi1>, tensor<2x2xi1>, tensor<0x2xf32>, tensor<0x2xf32>,
          tensor<2x5x4xf32>, tensor<2x2x6xf32>, tensor<1x4x3x2xi8>,
          tensor<2x3x2x3xi8>
}

func.func @main(
    %a: tensor<3x2x4xf32>, %b: tensor<2x5x3xf32>, %u: tensor<2xf32>,
        %v: tensor<3xf32>, %p: tensor<3xi8>, %q: tensor<3xi16>,
        %h: tensor<4xf16>, %g: tensor<4xf16>, %c: tensor<2xi1>,
        %d: tensor<2x2xi1>, %e0: tensor<0x2xf32>, %e1: tensor<0x2xf32>,
        %x: tensor<2x5x4xf32>, %w: tensor<2x2x6xf32>, %y: tensor<1x4x3x2xi8>,
        %z: tensor<2x3x2x3xi8>)
    -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>,
        tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>,
        tensor<i32>, tensor<f16>, tensor<f16>, tensor<f16>, tensor<f16>,
        tensor<2xi1>, tensor<2xi1>, tensor<2x2xf32>, tensor<2x2xf32>,
        tensor<2x3x6xf32>, tensor<2x3x6xf32>, tensor<1x4x2x3xi32>,
        tensor<1x4x2x3xi32>)
    attributes {mlopt.arguments_from = [@inputs],
                mlopt.checks = [
      {kind = "eq", actual = 0, expected = 1},
      {kind = "eq", actual = 2, expected = 3},
      {kind = "eq", actual = 4, expected = 5},
      {kind = "eq", actual = 6, expected = 7},
      {kind = "eq", actual = 8, expected = 9},
      {kind = "eq", actual = 10, expected = 11},
      {kind = "eq", actual = 12, expected = 13},
      {kind = "eq", actual = 14, expected = 15},
      {kind = "eq", actual = 16, expected = 17},
      {kind = "eq", actual = 18, expected = 19},
      {kind = "eq", actual = 20, expected = 21}]} {

  // Batch and contracting dimensions in any place.
  %dot = mlopt.dot %a, %b batch [1] x [0] contract [0] x [2]
      : (tensor<3x2x4xf32>, tensor<2x5x3xf32>) -> tensor<2x4x5xf32>
  %dot_is = mlopt.constant dense<[[[-22.0, -12.0, -12.0, 16.0, 12.0], [-1.0,
      -13.0, 2.0, 14.0, 21.0], [0.0, -26.0, 4.0, 8.0, 0.0], [17.0, -19.0, 14.0,
      2.0, 3.0]], [[0.0, 28.0, 4.0, -24.0, -8.0], [-3.0, -9.0, -3.0, -4.0,
      11.0], [-3.0, 12.0, 0.0, -22.0, 5.0], [3.0, -2.0, 4.0, 14.0,
      -9.0]]]> : tensor<2x4x5xf32>

  // Two contracted dimensions; nothing contracted.
  %two = mlopt.dot %a, %b contract [0, 1] x [2, 0]
      : (tensor<3x2x4xf32>, tensor<2x5x3xf32>) -> tensor<4x5xf32>
  %outer = mlopt.dot %u, %v contract [] x []
      : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %two_is = mlopt.constant dense<[[-22.0, 16.0, -8.0, -8.0, 4.0], [-4.0, -22.0,
      -1.0, 10.0, 32.0], [-3.0, -14.0, 4.0, -14.0, 5.0], [20.0, -21.0, 18.0,
      16.0, -6.0]]> : tensor<4x5xf32>
  %outer_is = mlopt.constant dense<[[3.0, 4.0, 5.0], [6.0, 8.0,
      10.0]]> : tensor<2x3xf32>

  // Integers are extended to the accumulator, by their sign or without.
  %signed = mlopt.dot %p, %q contract [0] x [0]
      : (tensor<3xi8>, tensor<3xi16>) -> tensor<i32>
  %unsigned = mlopt.dot %p, %q contract [0] x [0] unsigned
      : (tensor<3xi8>, tensor<3xi16>) -> tensor<i32>
  %signed_is = mlopt.constant dense<59998> : tensor<i32>
  %unsigned_is = mlopt.constant dense<60510> : tensor<i32>

  // f16 accumulates in f32 unless the operation says otherwise.
  %half = mlopt.dot %h, %g contract [0] x [0]
      : (tensor<4xf16>, tensor<4xf16>) -> tensor<f16>
  %narrow = mlopt.dot %h, %g contract [0] x [0] accumulate f16
      : (tensor<4xf16>, tensor<4xf16>) -> tensor<f16>
  %half_is = mlopt.constant dense<512.0> : tensor<f16>
  %narrow_is = mlopt.constant dense<0x7E00> : tensor<f16>

  // Over booleans, whether any pair is true.
  %any = mlopt.dot %d, %c contract [1] x [0]
      : (tensor<2x2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %any_is = mlopt.constant dense<[true, false]> : tensor<2xi1>

  // An empty sum is 0.
  %empty = mlopt.dot %e0, %e1 contract [0] x [0]
      : (tensor<0x2xf32>, tensor<0x2xf32>) -> tensor<2x2xf32>
  %empty_is = mlopt.constant dense<0.0> : tensor<2x2xf32>

  // Strides, both dilations, padding on one end and a cut on the other, groups.
  %conv = mlopt.conv %x, %w strides [2] low [1] high [-1] input_dilation [2]
      window_dilation [3] groups 2
      : (tensor<2x5x4xf32>, tensor<2x2x6xf32>) -> tensor<2x3x6xf32>
  %conv_is = mlopt.constant dense<[[[-11.0, 4.0, -2.0, -11.0, 5.0, -8.0], [6.0,
      -4.0, 2.0, 5.0, -1.0, 3.0], [-7.0, 8.0, -4.0, -3.0, 3.0, -3.0]], [[-7.0,
      8.0, -4.0, 0.0, 0.0, 0.0], [-1.0, -6.0, 3.0, 2.0, -2.0, 2.0], [3.0, -12.0,
      6.0, -5.0, 1.0, -3.0]]]> : tensor<2x3x6xf32>

  // Two spatial dimensions, in integers.
  %conv2 = mlopt.conv %y, %z strides [1, 2] low [1, 1] high [0, 1]
      input_dilation [1, 1] window_dilation [1, 1]
      : (tensor<1x4x3x2xi8>, tensor<2x3x2x3xi8>) -> tensor<1x4x2x3xi32>
  %conv2_is = mlopt.constant dense<[[[[2, -10, -4], [-2, 3, 6]], [[10, -15, 8],
      [-5, 17, 7]], [[0, 12, 18], [-12, 23, 0]], [[-21, 7, -21], [-6, 6,
      12]]]]> : tensor<1x4x2x3xi32>

  return %dot, %dot_is, %two, %two_is, %outer, %outer_is, %signed, %signed_is,
      %unsigned, %unsigned_is, %half, %half_is, %narrow, %narrow_is, %any,
      %any_is, %empty, %empty_is, %conv, %conv_is, %conv2, %conv2_is
      : tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>,
          tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>,
          tensor<i32>, tensor<i32>, tensor<f16>, tensor<f16>, tensor<f16>,
          tensor<f16>, tensor<2xi1>, tensor<2xi1>, tensor<2x2xf32>,
          tensor<2x2xf32>, tensor<2x3x6xf32>, tensor<2x3x6xf32>,
          tensor<1x4x2x3xi32>, tensor<1x4x2x3xi32>
}
