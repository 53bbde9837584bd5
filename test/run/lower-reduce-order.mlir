// On the CPU a sum of the default mode goes in rising order, whose rounding here
// differs from that of the strict order. A GPU's order is free, so this is the
// CPU's alone; lower-reduce.mlir has the strict order, which both share.
//
// RUN: mlopt-run %s --device=cpu | FileCheck %s
// CHECK: right: 2 of 2 comparisons

func.func private @inputs() -> tensor<2xi32> attributes {mlopt.source} {
  %lcg = mlopt.constant dense<[1103515245, 12345]> : tensor<2xi32>
  return %lcg : tensor<2xi32>
}

func.func @main(%lcg: tensor<2xi32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    attributes {mlopt.arguments_from = [@inputs],
                mlopt.checks = [
      {kind = "eq", actual = 0, expected = 1},
      {kind = "eq", actual = 2, expected = 3}]} {
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
  %plain = mlopt.reduce add %noise dims [0]
      : (tensor<600x2xf32>) -> tensor<2xf32>
  %strict_is = mlopt.constant dense<[-6778553344.0,
      6790531072.0]> : tensor<2xf32>
  %plain_is = mlopt.constant dense<[-6778563584.0,
      6790532096.0]> : tensor<2xf32>
  return %strict, %strict_is, %plain, %plain_is
      : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
