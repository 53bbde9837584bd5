// Windows, scans and sorts.
//
// RUN: mlopt-run %s | FileCheck %s
// CHECK: right: 20 of 20 comparisons

func.func private @inputs()
    -> (tensor<6xi32>, tensor<i32>, tensor<2x3xi32>, tensor<i32>,
        tensor<5xbf16>, tensor<7xf32>, tensor<7xi32>, tensor<5xi32>,
        tensor<5xi32>, tensor<4x3xi8>, tensor<i32>, tensor<i32>)
    attributes {mlopt.source} {
  %x = mlopt.constant dense<[1, -2, 3, 5, -4, 6]> : tensor<6xi32>
  %init = mlopt.constant dense<100> : tensor<i32>
  %m = mlopt.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %four = mlopt.constant dense<4> : tensor<i32>
  %small = mlopt.constant dense<[256.0, 1.0, 1.0, 1.0, 1.0]> : tensor<5xbf16>
  %k = mlopt.constant dense<[3.0, 0x7FC00000, -0.0, 1.0, 0.0, 0xFF800000,
      3.0]> : tensor<7xf32>
  %v = mlopt.constant dense<[0, 1, 2, 3, 4, 5, 6]> : tensor<7xi32>
  %p = mlopt.constant dense<[2, 1, 2, 1, 2]> : tensor<5xi32>
  %q = mlopt.constant dense<[-1, -2, 0, -1, -1]> : tensor<5xi32>
  %lines8 = mlopt.constant dense<[[5, 2, 8], [1, 9, 7], [3, 3, 3], [4, 0,
      6]]> : tensor<4x3xi8>
  %lcg = mlopt.constant dense<1103515245> : tensor<i32>
  %shift = mlopt.constant dense<24> : tensor<i32>
  return %x, %init, %m, %four, %small, %k, %v, %p, %q, %lines8, %lcg, %shift
      : tensor<6xi32>, tensor<i32>, tensor<2x3xi32>, tensor<i32>,
          tensor<5xbf16>, tensor<7xf32>, tensor<7xi32>, tensor<5xi32>,
          tensor<5xi32>, tensor<4x3xi8>, tensor<i32>, tensor<i32>
}

func.func @main(
    %x: tensor<6xi32>, %init: tensor<i32>, %m: tensor<2x3xi32>,
        %four: tensor<i32>, %small: tensor<5xbf16>, %k: tensor<7xf32>,
        %v: tensor<7xi32>, %p: tensor<5xi32>, %q: tensor<5xi32>,
        %lines8: tensor<4x3xi8>, %lcg: tensor<i32>, %shift: tensor<i32>)
    -> (tensor<3xi32>, tensor<3xi32>, tensor<10xi32>, tensor<10xi32>,
        tensor<2xi32>, tensor<2xi32>, tensor<6xi32>, tensor<6xi32>,
        tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
        tensor<2x3xi32>, tensor<2x3xi32>, tensor<5xbf16>, tensor<5xbf16>,
        tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
        tensor<7xf32>, tensor<7xf32>, tensor<7xi32>, tensor<7xi32>,
        tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>,
        tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>,
        tensor<4x3xi8>, tensor<4x3xi8>, tensor<4xi32>, tensor<4xi32>,
        tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>)
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
      {kind = "eq", actual = 20, expected = 21},
      {kind = "eq", actual = 22, expected = 23},
      {kind = "eq", actual = 24, expected = 25},
      {kind = "eq", actual = 26, expected = 27},
      {kind = "eq", actual = 28, expected = 29},
      {kind = "eq", actual = 30, expected = 31},
      {kind = "eq", actual = 32, expected = 33},
      {kind = "eq", actual = 34, expected = 35},
      {kind = "eq", actual = 36, expected = 37},
      {kind = "eq", actual = 38, expected = 39}]} {

  // Overlapping windows over padding, which is skipped.
  %wsum = mlopt.reduce_window add %x window [3] strides [2]
      base_dilations [1] window_dilations [1] low [1] high [1]
      : (tensor<6xi32>) -> tensor<3xi32>
  %wsum_is = mlopt.constant dense<[-1, 6, 7]> : tensor<3xi32>

  // Dilated input and window.
  %wmax = mlopt.reduce_window max %x window [2] strides [1]
      base_dilations [2] window_dilations [3] low [0] high [2]
      : (tensor<6xi32>) -> tensor<10xi32>
  %wmax_is = mlopt.constant dense<[1, 3, -2, 5, 3, -4, 5, 6, -4,
      -2147483648]> : tensor<10xi32>

  // Negative padding; the initial value counts once.
  %wcut = mlopt.reduce_window add %x, %init window [2] strides [1]
      base_dilations [1] window_dilations [2] low [-1] high [-1]
      : (tensor<6xi32>, tensor<i32>) -> tensor<2xi32>
  %wcut_is = mlopt.constant dense<[103, 99]> : tensor<2xi32>

  // To a region, padding is the initial value.
  %wregion = mlopt.reduce_window %x, %init window [3] strides [1]
      base_dilations [1] window_dilations [1] low [1] high [1]
      : (tensor<6xi32>, tensor<i32>) -> tensor<6xi32> {
  ^bb0(%a: i32, %e: i32):
    %s = mlopt.sub %a, %e : i32
    mlopt.yield %s : i32
  }
  %wregion_is = mlopt.constant dense<[1, 98, 94, 96, 93, -2]> : tensor<6xi32>

  // Scans along either dimension, in either direction, from a start.
  %down = mlopt.scan add %m dim 0 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %back = mlopt.scan mul %m dim 1 reverse : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %from = mlopt.scan max %m, %four dim 1
      : (tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  %down_is = mlopt.constant dense<[[1, 2, 3], [5, 7, 9]]> : tensor<2x3xi32>
  %back_is = mlopt.constant dense<[[6, 6, 3], [120, 30, 6]]> : tensor<2x3xi32>
  %from_is = mlopt.constant dense<[[4, 4, 4], [4, 5, 6]]> : tensor<2x3xi32>

  // The accumulator of bf16 goes on unrounded.
  %bscan = mlopt.scan add %small dim 0 : (tensor<5xbf16>) -> tensor<5xbf16>
  %bscan_is = mlopt.constant dense<[256.0, 256.0, 258.0, 260.0,
      260.0]> : tensor<5xbf16>

  // Two accumulators at once: sums, and sums of sums.
  %two:2 = mlopt.scan %m, %m, %four, %four dim 1
      : (tensor<2x3xi32>, tensor<2x3xi32>, tensor<i32>, tensor<i32>)
        -> (tensor<2x3xi32>, tensor<2x3xi32>) {
  ^bb0(%a: i32, %b: i32, %e: i32, %g: i32):
    %s = mlopt.add %a, %e : i32
    %t = mlopt.add %b, %s : i32
    mlopt.yield %s, %t : i32, i32
  }
  %two0_is = mlopt.constant dense<[[5, 7, 10], [8, 13, 19]]> : tensor<2x3xi32>
  %two1_is = mlopt.constant dense<[[9, 16, 26], [12, 25, 44]]> : tensor<2x3xi32>

  // Stable: equal keys, zeros too, keep their order; NaN is the greatest.
  %ka, %va = mlopt.sort %k, %v dim 0 keys 1
      : (tensor<7xf32>, tensor<7xi32>) -> (tensor<7xf32>, tensor<7xi32>)
  %kd, %vd = mlopt.sort %k, %v dim 0 keys 1 descending
      : (tensor<7xf32>, tensor<7xi32>) -> (tensor<7xf32>, tensor<7xi32>)
  %kt, %vt = mlopt.sort %k, %v dim 0 keys 1 total_order
      : (tensor<7xf32>, tensor<7xi32>) -> (tensor<7xf32>, tensor<7xi32>)
  %ka_is = mlopt.constant dense<[0xFF800000, -0.0, 0.0, 1.0, 3.0, 3.0,
      0x7FC00000]> : tensor<7xf32>
  %va_is = mlopt.constant dense<[5, 2, 4, 3, 0, 6, 1]> : tensor<7xi32>
  %vd_is = mlopt.constant dense<[1, 0, 6, 3, 2, 4, 5]> : tensor<7xi32>
  %vt_is = mlopt.constant dense<[5, 2, 4, 3, 0, 6, 1]> : tensor<7xi32>

  // A second key decides among equals; here both are unsigned.
  %s1, %s2 = mlopt.sort %p, %q dim 0 keys 2 unsigned_keys
      : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>)
  %s1_is = mlopt.constant dense<[1, 1, 2, 2, 2]> : tensor<5xi32>
  %s2_is = mlopt.constant dense<[-2, -1, 0, -1, -1]> : tensor<5xi32>

  // Runs of two rows, then those merged to runs of four.
  %runs = mlopt.sort %x dim 0 keys 1 descending to 2
      : (tensor<6xi32>) -> tensor<6xi32>
  %merged = mlopt.sort %runs dim 0 keys 1 descending from 2 to 4
      : (tensor<6xi32>) -> tensor<6xi32>
  %runs_is = mlopt.constant dense<[1, -2, 5, 3, 6, -4]> : tensor<6xi32>
  %merged_is = mlopt.constant dense<[5, 3, 1, -2, 6, -4]> : tensor<6xi32>

  // Lines along the first dimension, by a comparator.
  %lines = mlopt.sort %lines8 dim 0 : (tensor<4x3xi8>) -> tensor<4x3xi8> {
  ^bb0(%a: i8, %b: i8):
    %c = mlopt.compare gt, %a, %b : i8
    mlopt.yield %c : i1
  }
  %lines_is = mlopt.constant dense<[[5, 9, 8], [4, 3, 7], [3, 2, 6], [1, 0,
      3]]> : tensor<4x3xi8>

  // A thousand rows with many equal keys; the values that come along are looked
  // at in three places.
  %count = mlopt.iota dim 0 : tensor<1000xi32>
  %factor = mlopt.broadcast %lcg dims [] : tensor<i32> -> tensor<1000xi32>
  %amount = mlopt.broadcast %shift dims [] : tensor<i32> -> tensor<1000xi32>
  %product = mlopt.mul %count, %factor : tensor<1000xi32>
  %keys = mlopt.shrs %product, %amount : tensor<1000xi32>
  %sk, %sv = mlopt.sort %keys, %count dim 0 keys 1
      : (tensor<1000xi32>, tensor<1000xi32>)
        -> (tensor<1000xi32>, tensor<1000xi32>)
  %three = mlopt.slice %sv starts [0] limits [1000] strides [333]
      : tensor<1000xi32> -> tensor<4xi32>
  %three_is = mlopt.constant dense<[325, 373, 168, 757]> : tensor<4xi32>

  return %wsum, %wsum_is, %wmax, %wmax_is, %wcut, %wcut_is, %wregion,
      %wregion_is, %down, %down_is, %back, %back_is, %from, %from_is, %bscan,
      %bscan_is, %two#0, %two0_is, %two#1, %two1_is, %ka, %ka_is, %va, %va_is,
      %vd, %vd_is, %vt, %vt_is, %s1, %s1_is, %s2, %s2_is, %lines, %lines_is,
      %three, %three_is, %runs, %runs_is, %merged, %merged_is
      : tensor<3xi32>, tensor<3xi32>, tensor<10xi32>, tensor<10xi32>,
          tensor<2xi32>, tensor<2xi32>, tensor<6xi32>, tensor<6xi32>,
          tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
          tensor<2x3xi32>, tensor<2x3xi32>, tensor<5xbf16>, tensor<5xbf16>,
          tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>,
          tensor<7xf32>, tensor<7xf32>, tensor<7xi32>, tensor<7xi32>,
          tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>,
          tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>,
          tensor<4x3xi8>, tensor<4x3xi8>, tensor<4xi32>, tensor<4xi32>,
          tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>
}
