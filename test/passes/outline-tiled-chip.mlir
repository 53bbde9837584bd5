// RUN: mlopt-opt %s -verify-diagnostics -pass-pipeline='builtin.module(mlopt-outline-kernels)'

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// A tile of an instruction that the chip does not have.
func.func @deep(%a: tensor<128x256xf64>, %b: tensor<128x256xf64>) -> tensor<128x128xf64> {
  // expected-error @+1 {{'mlopt.fusion' op has an illegal schedule: tile 128x64x16 with warps of 64x32, 4 stages and 1 groups is none for its element types and chip}}
  %0 = mlopt.fusion (%x = %a : tensor<128x256xf64>, %y = %b : tensor<128x256xf64>) -> tensor<128x128xf64> {
    %z = arith.constant dense<0.0> : tensor<128x128xf64>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<128x256xf64>, tensor<128x256xf64>) outs(%z : tensor<128x128xf64>) {
    ^bb0(%p: f64, %q: f64, %s: f64):
      %2 = arith.mulf %p, %q : f64
      %3 = arith.addf %s, %2 : f64
      linalg.yield %3 : f64
    } -> tensor<128x128xf64>
    mlopt.yield %1 : tensor<128x128xf64>
  } {mlopt.schedule = {family = "tiled", groups = 1 : i64, stages = 4 : i64, terms = 1 : i64, tile = array<i64: 128, 64, 16>, warp = array<i64: 64, 32>}}
  return %0 : tensor<128x128xf64>
}
