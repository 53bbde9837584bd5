// Conversions and bit casts at the ends of ranges.
//
// RUN: mlopt-run %s | FileCheck %s
// CHECK: right: 21 of 21 comparisons

func.func private @inputs()
    -> (tensor<8xf32>, tensor<4xf32>, tensor<4xi8>, tensor<3xi32>,
        tensor<3xi32>, tensor<3xi32>, tensor<4xf64>, tensor<3xf32>,
        tensor<8xf32>, tensor<8xf32>)
    attributes {mlopt.source} {
  %x = mlopt.constant dense<[3.9000000953674316, -3.9000000953674316, 300.0,
      -300.0, 0x7FC00000, 0x7F800000, -0.5, 255.5]> : tensor<8xf32>
  %big = mlopt.constant dense<[9.300000300729369e+18, -9.300000300729369e+18,
      1.900000073262039e+19, 5000000000.0]> : tensor<4xf32>
  %n = mlopt.constant dense<[-1, 127, -128, 5]> : tensor<4xi8>
  %m = mlopt.constant dense<[256, -1, 300]> : tensor<3xi32>
  %k = mlopt.constant dense<[16777217, 2147483647, -16777219]> : tensor<3xi32>
  %kb = mlopt.constant dense<[257, -259, 33685505]> : tensor<3xi32>
  %d = mlopt.constant dense<[1.0000000000000002, 1.0039062500009095, 1.0e+300,
      65519.99]> : tensor<4xf64>
  %z = mlopt.constant dense<[1.0, -2.0, 0.15625]> : tensor<3xf32>
  %r = mlopt.constant dense<[1.0, 1.03125, 1.09375, 300.0,
      9.999999747378752e-06, -9.999999747378752e-06, 0x7FC00000,
      0x7F800000]> : tensor<8xf32>
  %one = mlopt.constant dense<1.0> : tensor<8xf32>
  return %x, %big, %n, %m, %k, %kb, %d, %z, %r, %one
      : tensor<8xf32>, tensor<4xf32>, tensor<4xi8>, tensor<3xi32>,
          tensor<3xi32>, tensor<3xi32>, tensor<4xf64>, tensor<3xf32>,
          tensor<8xf32>, tensor<8xf32>
}

func.func @main(
    %x: tensor<8xf32>, %big: tensor<4xf32>, %n: tensor<4xi8>, %m: tensor<3xi32>,
        %k: tensor<3xi32>, %kb: tensor<3xi32>, %d: tensor<4xf64>,
        %z: tensor<3xf32>, %r: tensor<8xf32>, %one: tensor<8xf32>)
    -> (tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi1>,
        tensor<8xi1>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>,
        tensor<4xi64>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
        tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<4xf32>, tensor<3xi8>, tensor<3xi8>, tensor<3xi1>, tensor<3xi1>,
        tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xf32>,
        tensor<3xbf16>, tensor<3xbf16>, tensor<4xbf16>, tensor<4xbf16>,
        tensor<4xf16>, tensor<4xf16>, tensor<3xi32>, tensor<3xi32>,
        tensor<3x4xi8>, tensor<3x4xi8>, tensor<3xf32>, tensor<3xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
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
      {kind = "eq", actual = 38, expected = 39},
      {kind = "eq", actual = 40, expected = 41}]} {

  // Floats truncate and saturate; NaN is 0.
  %i8 = mlopt.convert %x : tensor<8xf32> -> tensor<8xi8>
  %u8 = mlopt.convertu %x : tensor<8xf32> -> tensor<8xi8>
  %bool = mlopt.convert %x : tensor<8xf32> -> tensor<8xi1>
  %i8_is = mlopt.constant dense<[3, -3, 127, -128, 0, 127, 0,
      127]> : tensor<8xi8>
  %u8_is = mlopt.constant dense<[3, 0, -1, 0, 0, -1, 0, -1]> : tensor<8xi8>
  %bool_is = mlopt.constant dense<true> : tensor<8xi1>

  // The widest integers.
  %i64 = mlopt.convert %big : tensor<4xf32> -> tensor<4xi64>
  %u64 = mlopt.convertu %big : tensor<4xf32> -> tensor<4xi64>
  %i64_is = mlopt.constant dense<[9223372036854775807, -9223372036854775808,
      9223372036854775807, 5000000000]> : tensor<4xi64>
  %u64_is = mlopt.constant dense<[-9146743772980183040, 0, -1,
      5000000000]> : tensor<4xi64>

  // Integers extend by their sign, or with zeros, and keep their low bits.
  %wide = mlopt.convert %n : tensor<4xi8> -> tensor<4xi32>
  %wideu = mlopt.convertu %n : tensor<4xi8> -> tensor<4xi32>
  %nf = mlopt.convert %n : tensor<4xi8> -> tensor<4xf32>
  %nfu = mlopt.convertu %n : tensor<4xi8> -> tensor<4xf32>
  %narrow = mlopt.convert %m : tensor<3xi32> -> tensor<3xi8>
  %mbool = mlopt.convert %m : tensor<3xi32> -> tensor<3xi1>
  %back = mlopt.convert %mbool : tensor<3xi1> -> tensor<3xi32>
  %wide_is = mlopt.constant dense<[-1, 127, -128, 5]> : tensor<4xi32>
  %wideu_is = mlopt.constant dense<[255, 127, 128, 5]> : tensor<4xi32>
  %nf_is = mlopt.constant dense<[-1.0, 127.0, -128.0, 5.0]> : tensor<4xf32>
  %nfu_is = mlopt.constant dense<[255.0, 127.0, 128.0, 5.0]> : tensor<4xf32>
  %narrow_is = mlopt.constant dense<[0, -1, 44]> : tensor<3xi8>
  %mbool_is = mlopt.constant dense<true> : tensor<3xi1>
  %back_is = mlopt.constant dense<1> : tensor<3xi32>

  // Integers round to the nearest float once, straight from their value.
  %kf = mlopt.convert %k : tensor<3xi32> -> tensor<3xf32>
  %kbf = mlopt.convert %kb : tensor<3xi32> -> tensor<3xbf16>
  %kf_is = mlopt.constant dense<[16777216.0, 2147483648.0,
      -16777220.0]> : tensor<3xf32>
  %kbf_is = mlopt.constant dense<[256.0, -260.0, 33816576.0]> : tensor<3xbf16>

  // f64 rounds straight to small floats: a detour over f32 would lose the tie.
  %dbf = mlopt.convert %d : tensor<4xf64> -> tensor<4xbf16>
  %dh = mlopt.convert %d : tensor<4xf64> -> tensor<4xf16>
  %dbf_is = mlopt.constant dense<[1.0, 1.0078125, 0x7F80,
      65536.0]> : tensor<4xbf16>
  %dh_is = mlopt.constant dense<[1.0, 1.00390625, 0x7C00,
      65504.0]> : tensor<4xf16>

  // Bit casts put the lowest bits first.
  %z32 = mlopt.bitcast %z : tensor<3xf32> -> tensor<3xi32>
  %z8 = mlopt.bitcast %z : tensor<3xf32> -> tensor<3x4xi8>
  %zback = mlopt.bitcast %z8 : tensor<3x4xi8> -> tensor<3xf32>
  %z32_is = mlopt.constant dense<[1065353216, -1073741824,
      1042284544]> : tensor<3xi32>
  %z8_is = mlopt.constant dense<[[0, 0, -128, 63], [0, 0, 0, -64], [0, 0, 32,
      62]]> : tensor<3x4xi8>
  %zback_is = mlopt.constant dense<[1.0, -2.0, 0.15625]> : tensor<3xf32>

  // A precision of 4 exponent and 3 mantissa bits: ties to even, overflow,
  // underflow to a signed zero.
  %rp = mlopt.reduce_precision %r exponent 4 mantissa 3 : tensor<8xf32>
  %rpinv = mlopt.div %one, %rp : tensor<8xf32>
  %rp_is = mlopt.constant dense<[1.0, 1.0, 1.125, 0x7F800000, 0.0, -0.0,
      0x7FC00000, 0x7F800000]> : tensor<8xf32>
  %rpinv_is = mlopt.constant dense<[1.0, 1.0, 0.8888888955116272, 0.0,
      0x7F800000, 0xFF800000, 0x7FC00000, 0.0]> : tensor<8xf32>

  return %i8, %i8_is, %u8, %u8_is, %bool, %bool_is, %i64, %i64_is, %u64,
      %u64_is, %wide, %wide_is, %wideu, %wideu_is, %nf, %nf_is, %nfu, %nfu_is,
      %narrow, %narrow_is, %mbool, %mbool_is, %back, %back_is, %kf, %kf_is,
      %kbf, %kbf_is, %dbf, %dbf_is, %dh, %dh_is, %z32, %z32_is, %z8, %z8_is,
      %zback, %zback_is, %rp, %rp_is, %rpinv, %rpinv_is
      : tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi8>, tensor<8xi1>,
          tensor<8xi1>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>,
          tensor<4xi64>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
          tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
          tensor<4xf32>, tensor<3xi8>, tensor<3xi8>, tensor<3xi1>, tensor<3xi1>,
          tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xf32>,
          tensor<3xbf16>, tensor<3xbf16>, tensor<4xbf16>, tensor<4xbf16>,
          tensor<4xf16>, tensor<4xf16>, tensor<3xi32>, tensor<3xi32>,
          tensor<3x4xi8>, tensor<3x4xi8>, tensor<3xf32>, tensor<3xf32>,
          tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
