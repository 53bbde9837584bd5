// Integer arithmetic where C has no answer: division by zero, the least
// integer, shifts past the width, negative exponents.
//
// RUN: mlopt-run %s | FileCheck %s
// CHECK: right: 27 of 27 comparisons

func.func private @inputs()
    -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi8>, tensor<6xi8>, tensor<9xi32>,
        tensor<9xi32>, tensor<4xi1>, tensor<4xi1>)
    attributes {mlopt.source} {
  %a = mlopt.constant dense<[7, -7, -2147483648, 5, -2147483648,
      0]> : tensor<6xi32>
  %b = mlopt.constant dense<[2, 0, -1, -3, 0, 0]> : tensor<6xi32>
  %x = mlopt.constant dense<[-5, 5, -128, 127, 1, -1]> : tensor<6xi8>
  %n = mlopt.constant dense<[1, 7, 8, 9, -1, 0]> : tensor<6xi8>
  %p = mlopt.constant dense<[2, 3, -1, -1, 1, 0, 2, -3, 0]> : tensor<9xi32>
  %q = mlopt.constant dense<[10, 40, -3, -4, -7, -2, -1, 3, 0]> : tensor<9xi32>
  %c = mlopt.constant dense<[true, true, false, false]> : tensor<4xi1>
  %d = mlopt.constant dense<[true, false, true, false]> : tensor<4xi1>
  return %a, %b, %x, %n, %p, %q, %c, %d
      : tensor<6xi32>, tensor<6xi32>, tensor<6xi8>, tensor<6xi8>, tensor<9xi32>,
          tensor<9xi32>, tensor<4xi1>, tensor<4xi1>
}

func.func @main(
    %a: tensor<6xi32>, %b: tensor<6xi32>, %x: tensor<6xi8>, %n: tensor<6xi8>,
        %p: tensor<9xi32>, %q: tensor<9xi32>, %c: tensor<4xi1>,
        %d: tensor<4xi1>)
    -> (tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
        tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
        tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>,
        tensor<6xi8>, tensor<9xi32>, tensor<9xi32>, tensor<6xi8>, tensor<6xi8>,
        tensor<6xi8>, tensor<6xi8>, tensor<6xi32>, tensor<6xi32>, tensor<6xi8>,
        tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>,
        tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi1>,
        tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi8>, tensor<6xi8>,
        tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
        tensor<4xi1>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>,
        tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi32>,
        tensor<6xi32>)
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
      {kind = "eq", actual = 40, expected = 41},
      {kind = "eq", actual = 42, expected = 43},
      {kind = "eq", actual = 44, expected = 45},
      {kind = "eq", actual = 46, expected = 47},
      {kind = "eq", actual = 48, expected = 49},
      {kind = "eq", actual = 50, expected = 51},
      {kind = "eq", actual = 52, expected = 53}]} {

  // x / 0 is -1, MIN / -1 is MIN.
  %div = mlopt.div %a, %b : tensor<6xi32>
  %div_is = mlopt.constant dense<[3, -1, -2147483648, -1, -1,
      -1]> : tensor<6xi32>

  // x rem 0 is x, MIN rem -1 is 0.
  %rem = mlopt.rem %a, %b : tensor<6xi32>
  %rem_is = mlopt.constant dense<[1, -7, 0, 2, -2147483648, 0]> : tensor<6xi32>

  // The same numbers read as unsigned.
  %divu = mlopt.divu %a, %b : tensor<6xi32>
  %remu = mlopt.remu %a, %b : tensor<6xi32>
  %divu_is = mlopt.constant dense<[3, -1, 0, 0, -1, -1]> : tensor<6xi32>
  %remu_is = mlopt.constant dense<[1, -7, -2147483648, 5, -2147483648,
      0]> : tensor<6xi32>

  // Amounts are unsigned; past the width everything is shifted out.
  %shl = mlopt.shl %x, %n : tensor<6xi8>
  %shrs = mlopt.shrs %x, %n : tensor<6xi8>
  %shru = mlopt.shru %x, %n : tensor<6xi8>
  %shl_is = mlopt.constant dense<[-10, -128, 0, 0, 0, -1]> : tensor<6xi8>
  %shrs_is = mlopt.constant dense<[-3, 0, -1, 0, 0, -1]> : tensor<6xi8>
  %shru_is = mlopt.constant dense<[125, 0, 0, 0, 0, -1]> : tensor<6xi8>

  // Powers wrap; to a negative exponent they are what 1 / x is.
  %pow = mlopt.pow %p, %q : tensor<9xi32>
  %pow_is = mlopt.constant dense<[1024, 689956897, -1, 1, 1, -1, 0, -27,
      1]> : tensor<9xi32>

  // The least integer has no counterpart.
  %abs = mlopt.abs %x : tensor<6xi8>
  %neg = mlopt.neg %x : tensor<6xi8>
  %sign = mlopt.sign %a : tensor<6xi32>
  %abs_is = mlopt.constant dense<[5, 5, -128, 127, 1, 1]> : tensor<6xi8>
  %neg_is = mlopt.constant dense<[5, -5, -128, -127, -1, 1]> : tensor<6xi8>
  %sign_is = mlopt.constant dense<[1, -1, -1, 1, -1, 0]> : tensor<6xi32>

  // Bits.
  %ctlz = mlopt.ctlz %x : tensor<6xi8>
  %ctpop = mlopt.ctpop %x : tensor<6xi8>
  %not = mlopt.not %x : tensor<6xi8>
  %ctlz_is = mlopt.constant dense<[0, 5, 0, 1, 7, 0]> : tensor<6xi8>
  %ctpop_is = mlopt.constant dense<[7, 2, 1, 7, 1, 8]> : tensor<6xi8>
  %not_is = mlopt.constant dense<[4, -6, 127, -128, -2, 0]> : tensor<6xi8>

  // Order, signed and unsigned.
  %max = mlopt.max %x, %n : tensor<6xi8>
  %maxu = mlopt.maxu %x, %n : tensor<6xi8>
  %lt = mlopt.compare lt, %x, %n : tensor<6xi8>
  %ult = mlopt.compare ult, %x, %n : tensor<6xi8>
  %clamp = mlopt.clamp %n, %x, %n : tensor<6xi8>
  %max_is = mlopt.constant dense<[1, 7, 8, 127, 1, 0]> : tensor<6xi8>
  %maxu_is = mlopt.constant dense<[-5, 7, -128, 127, -1, -1]> : tensor<6xi8>
  %lt_is = mlopt.constant dense<[true, true, true, false, false,
      true]> : tensor<6xi1>
  %ult_is = mlopt.constant dense<[false, true, false, false, true,
      false]> : tensor<6xi1>
  %clamp_is = mlopt.constant dense<[1, 7, 8, 9, -1, 0]> : tensor<6xi8>

  // Booleans add as or, multiply as and, and true is greater than false.
  %cor = mlopt.add %c, %d : tensor<4xi1>
  %cand = mlopt.mul %c, %d : tensor<4xi1>
  %cgt = mlopt.compare gt, %c, %d : tensor<4xi1>
  %cor_is = mlopt.constant dense<[true, true, true, false]> : tensor<4xi1>
  %cand_is = mlopt.constant dense<[true, false, false, false]> : tensor<4xi1>
  %cgt_is = mlopt.constant dense<[false, true, false, false]> : tensor<4xi1>

  // Bit by bit.
  %bitand = mlopt.and %x, %n : tensor<6xi8>
  %bitor = mlopt.or %x, %n : tensor<6xi8>
  %bitxor = mlopt.xor %x, %n : tensor<6xi8>
  %minu = mlopt.minu %x, %n : tensor<6xi8>
  %bitand_is = mlopt.constant dense<[1, 5, 0, 9, 1, 0]> : tensor<6xi8>
  %bitor_is = mlopt.constant dense<[-5, 7, -120, 127, -1, -1]> : tensor<6xi8>
  %bitxor_is = mlopt.constant dense<[-6, 2, -120, 118, -2, -1]> : tensor<6xi8>
  %minu_is = mlopt.constant dense<[1, 5, 8, 9, 1, 0]> : tensor<6xi8>

  // A fusion computes what is inside.
  %fused = mlopt.fusion (%s = %a : tensor<6xi32>, %t = %b : tensor<6xi32>)
      -> tensor<6xi32> {
    %m = mlopt.mul %s, %t : tensor<6xi32>
    mlopt.yield %m : tensor<6xi32>
  }
  %fused_is = mlopt.constant dense<[14, 0, -2147483648, -15, 0,
      0]> : tensor<6xi32>

  return %div, %div_is, %rem, %rem_is, %divu, %divu_is, %remu, %remu_is, %shl,
      %shl_is, %shrs, %shrs_is, %shru, %shru_is, %pow, %pow_is, %abs, %abs_is,
      %neg, %neg_is, %sign, %sign_is, %ctlz, %ctlz_is, %ctpop, %ctpop_is, %not,
      %not_is, %max, %max_is, %maxu, %maxu_is, %lt, %lt_is, %ult, %ult_is,
      %clamp, %clamp_is, %cor, %cor_is, %cand, %cand_is, %cgt, %cgt_is, %bitand,
      %bitand_is, %bitor, %bitor_is, %bitxor, %bitxor_is, %minu, %minu_is,
      %fused, %fused_is
      : tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
          tensor<6xi32>, tensor<6xi32>, tensor<6xi32>, tensor<6xi32>,
          tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>,
          tensor<6xi8>, tensor<9xi32>, tensor<9xi32>, tensor<6xi8>,
          tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi32>,
          tensor<6xi32>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>,
          tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>,
          tensor<6xi8>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>, tensor<6xi1>,
          tensor<6xi8>, tensor<6xi8>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>,
          tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<6xi8>, tensor<6xi8>,
          tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>,
          tensor<6xi8>, tensor<6xi32>, tensor<6xi32>
}
