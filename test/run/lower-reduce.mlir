// Reductions: kinds, regions, orders, ties and NaN; windows, scans and sorts.
//
// RUN: mlopt-run %s | FileCheck %s
// CHECK: right: 17 of 17 comparisons

func.func private @inputs()
    -> (tensor<2x4xi32>, tensor<i32>, tensor<0x2xf32>, tensor<f32>,
        tensor<7xbf16>, tensor<2xi32>, tensor<3xf32>, tensor<3x4xf32>,
        tensor<i32>)
    attributes {mlopt.source} {
  %x = mlopt.constant dense<[[3, -1, 4, 1], [-5, 9, 2, -6]]> : tensor<2x4xi32>
  %i = mlopt.constant dense<10> : tensor<i32>
  %nothing = mlopt.constant dense<> : tensor<0x2xf32>
  %half = mlopt.constant dense<0.5> : tensor<f32>
  %small = mlopt.constant dense<[256.0, 1.0, 1.0, 1.0, 1.0, 1.0,
      1.0]> : tensor<7xbf16>
  %lcg = mlopt.constant dense<[1103515245, 12345]> : tensor<2xi32>
  %zeros = mlopt.constant dense<-0.0> : tensor<3xf32>
  %y = mlopt.constant dense<[[1.0, 0x7FC00000, 3.0, 0x7FC00000], [2.0, 5.0, 5.0,
      -1.0], [-0.0, 0.0, -0.0, 0.0]]> : tensor<3x4xf32>
  %zero = mlopt.constant dense<0> : tensor<i32>
  return %x, %i, %nothing, %half, %small, %lcg, %zeros, %y, %zero
      : tensor<2x4xi32>, tensor<i32>, tensor<0x2xf32>, tensor<f32>,
          tensor<7xbf16>, tensor<2xi32>, tensor<3xf32>, tensor<3x4xf32>,
          tensor<i32>
}

func.func @main(
    %x: tensor<2x4xi32>, %i: tensor<i32>, %nothing: tensor<0x2xf32>,
        %half: tensor<f32>, %small: tensor<7xbf16>, %lcg: tensor<2xi32>,
        %zeros: tensor<3xf32>, %y: tensor<3x4xf32>, %zero: tensor<i32>)
    -> (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<2x4xi32>,
        tensor<2x4xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
        tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<bf16>, tensor<bf16>,
        tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>,
        tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>,
        tensor<4xi32>, tensor<4xi32>, tensor<4xi8>, tensor<4xi8>, tensor<2xi32>,
        tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
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
      {kind = "eq", actual = 32, expected = 33}]} {

  // Over one dimension, over all, over none; with an initial value.
  %cols = mlopt.reduce add %x dims [0] : (tensor<2x4xi32>) -> tensor<4xi32>
  %all = mlopt.reduce max %x, %i dims [1, 0]
      : (tensor<2x4xi32>, tensor<i32>) -> tensor<i32>
  %none = mlopt.reduce mul %x, %i dims []
      : (tensor<2x4xi32>, tensor<i32>) -> tensor<2x4xi32>
  %cols_is = mlopt.constant dense<[-2, 8, 6, -5]> : tensor<4xi32>
  %all_is = mlopt.constant dense<10> : tensor<i32>
  %none_is = mlopt.constant dense<[[30, -10, 40, 10], [-50, 90, 20,
      -60]]> : tensor<2x4xi32>

  // No elements leave the start.
  %sum0 = mlopt.reduce add %nothing, %half dims [0]
      : (tensor<0x2xf32>, tensor<f32>) -> tensor<2xf32>
  %max0 = mlopt.reduce max %nothing dims [0]
      : (tensor<0x2xf32>) -> tensor<2xf32>
  %strict0 = mlopt.reduce mul %nothing dims [0]
      {numerics = #mlopt.numerics<strict>}
      : (tensor<0x2xf32>) -> tensor<2xf32>
  %sum0_is = mlopt.constant dense<0.5> : tensor<2xf32>
  %max0_is = mlopt.constant dense<0xFF800000> : tensor<2xf32>
  %strict0_is = mlopt.constant dense<1.0> : tensor<2xf32>

  // bf16 accumulates in f32: 256 + 6 * 1 would stay 256.
  %bfsum = mlopt.reduce add %small dims [0] : (tensor<7xbf16>) -> tensor<bf16>
  %bfsum_is = mlopt.constant dense<262.0> : tensor<bf16>

  // The strict order over 600 elements, whose rounding differs from that of a
  // sum in rising order, -6778563584 and 6790532096: element i goes to partial i mod 256, the partials are halved, an
  // initial value comes last.
  %count = mlopt.iota dim 0 : tensor<1200xi32>
  %pairs = mlopt.reshape %count : tensor<1200xi32> -> tensor<600x2xi32>
  %lcga = mlopt.slice %lcg starts [0] limits [1] strides [1]
      : tensor<2xi32> -> tensor<1xi32>
  %lcgc = mlopt.slice %lcg starts [1] limits [2] strides [1]
      : tensor<2xi32> -> tensor<1xi32>
  %factor = mlopt.broadcast %lcga dims [0] : tensor<1xi32> -> tensor<600x2xi32>
  %offset = mlopt.broadcast %lcgc dims [0] : tensor<1xi32> -> tensor<600x2xi32>
  %scaled = mlopt.mul %pairs, %factor : tensor<600x2xi32>
  %mixed = mlopt.add %scaled, %offset : tensor<600x2xi32>
  %noise = mlopt.convert %mixed : tensor<600x2xi32> -> tensor<600x2xf32>
  %strict = mlopt.reduce add %noise dims [0]
      {numerics = #mlopt.numerics<strict>}
      : (tensor<600x2xf32>) -> tensor<2xf32>
  %strict_init = mlopt.reduce add %noise, %half dims [0, 1]
      {numerics = #mlopt.numerics<strict>}
      : (tensor<600x2xf32>, tensor<f32>) -> tensor<f32>
  %strict_is = mlopt.constant dense<[-6778553344.0,
      6790531072.0]> : tensor<2xf32>
  %strict_init_is = mlopt.constant dense<11975680.0> : tensor<f32>

  // A sum of -0.0 is +0.0, in any order; so 1 / sum is +infinity.
  %zsum = mlopt.reduce add %zeros dims [0] : (tensor<3xf32>) -> tensor<f32>
  %zstrict = mlopt.reduce add %zeros dims [0]
      {numerics = #mlopt.numerics<strict>}
      : (tensor<3xf32>) -> tensor<f32>
  %zinv = mlopt.div %half, %zsum : tensor<f32>
  %zinvs = mlopt.div %half, %zstrict : tensor<f32>
  %zinv_is = mlopt.constant dense<0x7F800000> : tensor<f32>
  %zinvs_is = mlopt.constant dense<0x7F800000> : tensor<f32>

  // The first NaN wins; ties go to the lowest index, zeros tie.
  %most, %where = mlopt.arg_reduce max %y dim 1
      : tensor<3x4xf32> -> (tensor<3xf32>, tensor<3xi32>)
  %least, %there = mlopt.arg_reduce min %x dim 0
      : tensor<2x4xi32> -> (tensor<4xi32>, tensor<4xi8>)
  %most_is = mlopt.constant dense<[0x7FC00000, 5.0, 0.0]> : tensor<3xf32>
  %where_is = mlopt.constant dense<[1, 1, 0]> : tensor<3xi32>
  %least_is = mlopt.constant dense<[-5, -1, 2, -6]> : tensor<4xi32>
  %there_is = mlopt.constant dense<[1, 0, 1, 1]> : tensor<4xi8>

  // A region over two inputs: the sum of the products so far, and a count.
  %fold:2 = mlopt.reduce %x, %x, %i, %zero dims [1]
      : (tensor<2x4xi32>, tensor<2x4xi32>, tensor<i32>, tensor<i32>)
        -> (tensor<2xi32>, tensor<2xi32>) {
  ^bb0(%a: i32, %n: i32, %e: i32, %g: i32):
    %p = mlopt.mul %e, %g : i32
    %s = mlopt.add %a, %p : i32
    %one = arith.constant 1 : i32
    %c = mlopt.compare gt, %g, %n : i32
    %m = mlopt.add %n, %one : i32
    %t = mlopt.select %c, %m, %n : i32
    mlopt.yield %s, %t : i32, i32
  }
  %fold0_is = mlopt.constant dense<[37, 156]> : tensor<2xi32>
  %fold1_is = mlopt.constant dense<2> : tensor<2xi32>

  return %cols, %cols_is, %all, %all_is, %none, %none_is, %sum0, %sum0_is,
      %max0, %max0_is, %strict0, %strict0_is, %bfsum, %bfsum_is, %strict,
      %strict_is, %strict_init, %strict_init_is, %zinv,
      %zinv_is, %zinvs, %zinvs_is, %most, %most_is, %where, %where_is, %least,
      %least_is, %there, %there_is, %fold#0, %fold0_is, %fold#1, %fold1_is
      : tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>, tensor<2x4xi32>,
          tensor<2x4xi32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>,
          tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<bf16>,
          tensor<bf16>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<f32>,
          tensor<f32>, tensor<f32>, tensor<f32>,
          tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>,
          tensor<3xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi8>,
          tensor<4xi8>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>,
          tensor<2xi32>
}
