// RUN: mlopt-run %s | FileCheck %s

// The smallest bf16, a denormal, does not become zero when it is chosen.
// CHECK: right: 2 of 2 comparisons
module {
  func.func @main(%x: tensor<3xbf16>, %v: tensor<bf16>, %i: tensor<i32>)
      -> (tensor<bf16>, tensor<i32>, tensor<bf16>, tensor<i32>)
      attributes {mlopt.arguments_from = [@inputs, @expected],
                  mlopt.checks = [{kind = "eq", actual = 0 : i64, expected = 2 : i64},
                                  {kind = "eq", actual = 1 : i64, expected = 3 : i64}]} {
    %value, %index = mlopt.arg_reduce min %x dim 0 : tensor<3xbf16> -> (tensor<bf16>, tensor<i32>)
    return %value, %index, %v, %i : tensor<bf16>, tensor<i32>, tensor<bf16>, tensor<i32>
  }
  func.func private @inputs() -> tensor<3xbf16> attributes {mlopt.source} {
    %0 = mlopt.constant dense<[0.5, 9.1835e-41, 0.0]> : tensor<3xbf16>
    return %0 : tensor<3xbf16>
  }
  func.func private @expected() -> (tensor<bf16>, tensor<i32>) attributes {mlopt.source} {
    %0 = mlopt.constant dense<0.0> : tensor<bf16>
    %1 = mlopt.constant dense<2> : tensor<i32>
    return %0, %1 : tensor<bf16>, tensor<i32>
  }
}
