// Float arithmetic on NaN, infinities and signed zeros. Zeros are told apart by
// their bits.
//
// RUN: mlopt-run %s | FileCheck %s
// CHECK: right: 16 of 16 comparisons

func.func private @inputs()
    -> (tensor<6xf32>, tensor<6xf32>, tensor<6xi32>, tensor<6xf32>,
        tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>,
        tensor<6xf32>, tensor<4xf16>, tensor<4xf16>)
    attributes {mlopt.source} {
  %a = mlopt.constant dense<[0.0, -0.0, 0x7FC00000, 1.0, 0xFF800000,
      -0.0]> : tensor<6xf32>
  %b = mlopt.constant dense<[-0.0, 0.0, 1.0, 0x7FC00000, 0x7F800000,
      -0.0]> : tensor<6xf32>
  %nan6 = mlopt.constant dense<2143289344> : tensor<6xi32>
  %c = mlopt.constant dense<[0.5, -0.5, 1.5, 2.5, -2.5, -0.25]> : tensor<6xf32>
  %lo = mlopt.constant dense<[0.0, 0.0, 0x7FC00000, 2.0]> : tensor<4xf32>
  %x = mlopt.constant dense<[-1.0, 0x7FC00000, 1.0, 1.5]> : tensor<4xf32>
  %hi = mlopt.constant dense<[1.0, 1.0, 2.0, 1.0]> : tensor<4xf32>
  %p = mlopt.constant dense<[5.5, -5.5, 5.5, 1.0, -6.0,
      0x7F800000]> : tensor<6xf32>
  %q = mlopt.constant dense<[3.0, 3.0, -3.0, 0.0, 3.0, 2.0]> : tensor<6xf32>
  %h = mlopt.constant dense<[1.0, 65504.0, 0.0009765625, 3.0]> : tensor<4xf16>
  %g = mlopt.constant dense<[0.00048828125, 16.0, 5.960464477539063e-08,
      0.333251953125]> : tensor<4xf16>
  return %a, %b, %nan6, %c, %lo, %x, %hi, %p, %q, %h, %g
      : tensor<6xf32>, tensor<6xf32>, tensor<6xi32>, tensor<6xf32>,
          tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<6xf32>,
          tensor<6xf32>, tensor<4xf16>, tensor<4xf16>
}

func.func @main(
    %a: tensor<6xf32>, %b: tensor<6xf32>, %nan6: tensor<6xi32>,
        %c: tensor<6xf32>, %lo: tensor<4xf32>, %x: tensor<4xf32>,
        %hi: tensor<4xf32>, %p: tensor<6xf32>, %q: tensor<6xf32>,
        %h: tensor<4xf16>, %g: tensor<4xf16>)
    -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
        tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
        tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
        tensor<6xi32>, tensor<6xi32>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>,
        tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>,
        tensor<4xf32>, tensor<4xf32>, tensor<6xi32>, tensor<6xi32>,
        tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>,
        tensor<4xf16>, tensor<4xf16>)
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
      {kind = "eq", actual = 30, expected = 31}]} {

  // Max propagates NaN and orders zeros.
  %max = mlopt.max %a, %b : tensor<6xf32>
  %max_number = mlopt.compare eq, %max, %max : tensor<6xf32>
  %max_raw = mlopt.bitcast %max : tensor<6xf32> -> tensor<6xi32>
  %max_bits = mlopt.select %max_number, %max_raw, %nan6 : tensor<6xi32>
  %max_bits_is = mlopt.constant dense<[0, 0, 2143289344, 2143289344, 2139095040,
      -2147483648]> : tensor<6xi32>

  // Min propagates NaN and orders zeros.
  %min = mlopt.min %a, %b : tensor<6xf32>
  %min_number = mlopt.compare eq, %min, %min : tensor<6xf32>
  %min_raw = mlopt.bitcast %min : tensor<6xf32> -> tensor<6xi32>
  %min_bits = mlopt.select %min_number, %min_raw, %nan6 : tensor<6xi32>
  %min_bits_is = mlopt.constant dense<[-2147483648, -2147483648, 2143289344,
      2143289344, -8388608, -2147483648]> : tensor<6xi32>

  // Zeros are their own sign.
  %sign = mlopt.sign %a : tensor<6xf32>
  %sign_number = mlopt.compare eq, %sign, %sign : tensor<6xf32>
  %sign_raw = mlopt.bitcast %sign : tensor<6xf32> -> tensor<6xi32>
  %sign_bits = mlopt.select %sign_number, %sign_raw, %nan6 : tensor<6xi32>
  %sign_bits_is = mlopt.constant dense<[0, -2147483648, 2143289344, 1065353216,
      -1082130432, -2147483648]> : tensor<6xi32>

  // Halves go away from zero; the sign stays.
  %round = mlopt.round %c : tensor<6xf32>
  %round_number = mlopt.compare eq, %round, %round : tensor<6xf32>
  %round_raw = mlopt.bitcast %round : tensor<6xf32> -> tensor<6xi32>
  %round_bits = mlopt.select %round_number, %round_raw, %nan6 : tensor<6xi32>
  %round_bits_is = mlopt.constant dense<[1065353216, -1082130432, 1073741824,
      1077936128, -1069547520, -2147483648]> : tensor<6xi32>

  // Halves go to the even neighbour.
  %roundeven = mlopt.roundeven %c : tensor<6xf32>
  %roundeven_number = mlopt.compare eq, %roundeven, %roundeven : tensor<6xf32>
  %roundeven_raw = mlopt.bitcast %roundeven : tensor<6xf32> -> tensor<6xi32>
  %roundeven_bits = mlopt.select %roundeven_number, %roundeven_raw, %nan6
      : tensor<6xi32>
  %roundeven_bits_is = mlopt.constant dense<[0, -2147483648, 1073741824,
      1073741824, -1073741824, -2147483648]> : tensor<6xi32>

  // Values in (-1, 0) have the ceiling -0.
  %ceil = mlopt.ceil %c : tensor<6xf32>
  %ceil_number = mlopt.compare eq, %ceil, %ceil : tensor<6xf32>
  %ceil_raw = mlopt.bitcast %ceil : tensor<6xf32> -> tensor<6xi32>
  %ceil_bits = mlopt.select %ceil_number, %ceil_raw, %nan6 : tensor<6xi32>
  %ceil_bits_is = mlopt.constant dense<[1065353216, -2147483648, 1073741824,
      1077936128, -1073741824, -2147483648]> : tensor<6xi32>

  // Down.
  %floor = mlopt.floor %c : tensor<6xf32>
  %floor_number = mlopt.compare eq, %floor, %floor : tensor<6xf32>
  %floor_raw = mlopt.bitcast %floor : tensor<6xf32> -> tensor<6xi32>
  %floor_bits = mlopt.select %floor_number, %floor_raw, %nan6 : tensor<6xi32>
  %floor_bits_is = mlopt.constant dense<[0, -1082130432, 1065353216, 1073741824,
      -1069547520, -1082130432]> : tensor<6xi32>

  // NaN differs from everything.
  %eq = mlopt.compare eq, %a, %b : tensor<6xf32>
  %ne = mlopt.compare ne, %a, %b : tensor<6xf32>
  %ge = mlopt.compare ge, %a, %b : tensor<6xf32>
  %finite = mlopt.isfinite %a : tensor<6xf32>
  %eq_is = mlopt.constant dense<[true, true, false, false, false,
      true]> : tensor<6xi1>
  %ne_is = mlopt.constant dense<[false, false, true, true, true,
      false]> : tensor<6xi1>
  %ge_is = mlopt.constant dense<[true, true, false, false, false,
      true]> : tensor<6xi1>
  %finite_is = mlopt.constant dense<[true, true, false, true, false,
      true]> : tensor<6xi1>

  // Clamp is min(max(low, x), high): high wins over low, NaN over all.
  %clamp = mlopt.clamp %lo, %x, %hi : tensor<4xf32>
  %clamp_is = mlopt.constant dense<[0.0, 0x7FC00000, 0x7FC00000,
      1.0]> : tensor<4xf32>

  // The remainder has the sign of the dividend.
  %rem = mlopt.rem %p, %q : tensor<6xf32>
  %rem_number = mlopt.compare eq, %rem, %rem : tensor<6xf32>
  %rem_raw = mlopt.bitcast %rem : tensor<6xf32> -> tensor<6xi32>
  %rem_bits = mlopt.select %rem_number, %rem_raw, %nan6 : tensor<6xi32>
  %rem_bits_is = mlopt.constant dense<[1075838976, -1071644672, 1075838976,
      2143289344, -2147483648, 2143289344]> : tensor<6xi32>

  // Small floats round each operation once, and overflow to infinity.
  %hsum = mlopt.add %h, %g : tensor<4xf16>
  %hprod = mlopt.mul %h, %g : tensor<4xf16>
  %hsqrt = mlopt.sqrt %h : tensor<4xf16>
  %hsum_is = mlopt.constant dense<[1.0, 0x7C00, 0.0009765625,
      3.333984375]> : tensor<4xf16>
  %hprod_is = mlopt.constant dense<[0.00048828125, 0x7C00, 0.0,
      1.0]> : tensor<4xf16>
  %hsqrt_is = mlopt.constant dense<[1.0, 255.875, 0.03125,
      1.732421875]> : tensor<4xf16>

  return %max_bits, %max_bits_is, %min_bits, %min_bits_is, %sign_bits,
      %sign_bits_is, %round_bits, %round_bits_is, %roundeven_bits,
      %roundeven_bits_is, %ceil_bits, %ceil_bits_is, %floor_bits,
      %floor_bits_is, %eq, %eq_is, %ne, %ne_is, %ge, %ge_is, %finite,
      %finite_is, %clamp, %clamp_is, %rem_bits, %rem_bits_is, %hsum, %hsum_is,
      %hprod, %hprod_is, %hsqrt, %hsqrt_is
      : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
          tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
          tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
          tensor<6xi32>, tensor<6xi32>, tensor<6xi1>, tensor<6xi1>,
          tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>,
          tensor<6xi1>, tensor<4xf32>, tensor<4xf32>, tensor<6xi32>,
          tensor<6xi32>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>,
          tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}
