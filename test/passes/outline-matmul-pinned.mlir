// RUN: mlopt-opt %s -pass-pipeline='builtin.module(mlopt-outline-kernels{wgmma=true})' | FileCheck %s

// A schedule that a fusion pins is taken: a cluster is a size of the kernel, its
// blocks share the columns of B, and the grid is a multiple of it.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @pinned_kernel_0
// CHECK-SAME:    mlopt.schedule = {band = 8 : i64, cluster = 2 : i64, family = "matmul", stages = 3 : i64, tile = array<i64: 128, 256, 64>}
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK:       func.func @pinned
// CHECK:         arith.constant 8 : index
// CHECK:         gpu.launch_func
// CHECK-SAME:    {box = array<i64: 64, 128>, dims = array<i64: 256, 512>
// CHECK-SAME:    {box = array<i64: 64, 128>, dims = array<i64: 256, 384>
func.func @pinned(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<512x256xbf16>, %y = %b : tensor<384x256xbf16>) -> tensor<512x384xf32> {
    %z = arith.constant dense<0.0> : tensor<512x384xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<512x256xbf16>, tensor<384x256xbf16>) outs(%z : tensor<512x384xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<512x384xf32>
    mlopt.yield %1 : tensor<512x384xf32>
  } {mlopt.schedule = {band = 8 : i64, cluster = 2 : i64, family = "matmul", stages = 3 : i64, tile = array<i64: 128, 256, 64>}}
  return %0 : tensor<512x384xf32>
}
