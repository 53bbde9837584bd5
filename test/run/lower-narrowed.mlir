// A quotient that is rounded to bf16 is right wherever numerator and divisor are
// in the format, and so is one of exponentials that are all denormal.
//
// RUN: mlopt-run --device=cpu %s | FileCheck %s
// RUN: %if sm_90 %{ mlopt-run --device=cuda %s | FileCheck %s %}
// CHECK: right: 2 of 2 comparisons

func.func private @inputs() -> (tensor<10xf32>, tensor<4x8xf32>) attributes {mlopt.source} {
  %x = mlopt.constant dense<[0.0, 0x00000001, 0x00008000, 0x00800000, 1.0, -3.0, 0x7E800000, 0x7F000000, 0x7F800000, 0x7FC00000]> : tensor<10xf32>
  %d = mlopt.constant dense<-95.0> : tensor<4x8xf32>
  return %x, %d : tensor<10xf32>, tensor<4x8xf32>
}

func.func @main(%x: tensor<10xf32>, %d: tensor<4x8xf32>) -> (tensor<10x10xbf16>, tensor<10x10xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>)
    attributes {mlopt.arguments_from = [@inputs],
                mlopt.checks = [
      {kind = "close", actual = 0, expected = 1, max_ulp = 0},
      {kind = "close", actual = 2, expected = 3, max_ulp = 0}]} {
  %n = mlopt.broadcast %x dims [0] : tensor<10xf32> -> tensor<10x10xf32>
  %y = mlopt.broadcast %x dims [1] : tensor<10xf32> -> tensor<10x10xf32>
  %q = mlopt.div %n, %y : tensor<10x10xf32>
  %r = mlopt.convert %q : tensor<10x10xf32> -> tensor<10x10xbf16>
  // What a quotient of f64 gives, whose rounding twice does no harm here.
  %n64 = mlopt.convert %n : tensor<10x10xf32> -> tensor<10x10xf64>
  %y64 = mlopt.convert %y : tensor<10x10xf32> -> tensor<10x10xf64>
  %q64 = mlopt.div %n64, %y64 : tensor<10x10xf64>
  %r64 = mlopt.convert %q64 : tensor<10x10xf64> -> tensor<10x10xbf16>
  %e = mlopt.exp %d : tensor<4x8xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<4xf32> -> tensor<4x8xf32>
  %p = mlopt.div %e, %b : tensor<4x8xf32>
  %o = mlopt.convert %p : tensor<4x8xf32> -> tensor<4x8xbf16>
  %eighth = mlopt.constant dense<0.125> : tensor<4x8xbf16>
  return %r, %r64, %o, %eighth : tensor<10x10xbf16>, tensor<10x10xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>
}
