// RUN: mlopt-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(mlopt-outline-kernels{wgmma=true})' | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// A fusion may pin tiles of this family, where wgmma would be taken.
// CHECK-LABEL: llvm.func @pinned_kernel_0
// CHECK-SAME:    mlopt.schedule = {family = "tiled", groups = 1 : i64, splits = 2 : i64, stages = 4 : i64, terms = 1 : i64, tile = array<i64: 64, 64, 32>, warp = array<i64: 32, 32>}
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK:       arith.constant 32 : index
// CHECK:       gpu.launch_func
func.func @pinned(%a: tensor<256x256xbf16>, %b: tensor<256x256xbf16>) -> tensor<256x256xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<256x256xbf16>, %y = %b : tensor<256x256xbf16>) -> tensor<256x256xf32> {
    %z = arith.constant dense<0.0> : tensor<256x256xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<256x256xbf16>, tensor<256x256xbf16>) outs(%z : tensor<256x256xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<256x256xf32>
    mlopt.yield %1 : tensor<256x256xf32>
  } {mlopt.schedule = {family = "tiled", groups = 1 : i64, splits = 2 : i64, stages = 4 : i64, terms = 1 : i64, tile = array<i64: 64, 64, 32>, warp = array<i64: 32, 32>}}
  return %0 : tensor<256x256xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @empty(%a: tensor<256x64xbf16>, %b: tensor<256x64xbf16>) -> tensor<256x256xf32> {
  // expected-error @+1 {{has an illegal schedule: 4 splits: a split of k is empty}}
  %0 = mlopt.fusion (%x = %a : tensor<256x64xbf16>, %y = %b : tensor<256x64xbf16>) -> tensor<256x256xf32> {
    %z = arith.constant dense<0.0> : tensor<256x256xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<256x64xbf16>, tensor<256x64xbf16>) outs(%z : tensor<256x256xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<256x256xf32>
    mlopt.yield %1 : tensor<256x256xf32>
  } {mlopt.schedule = {family = "tiled", groups = 1 : i64, splits = 4 : i64, stages = 4 : i64, terms = 1 : i64, tile = array<i64: 64, 64, 32>, warp = array<i64: 32, 32>}}
  return %0 : tensor<256x256xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// Factors that come straight from memory: as many blocks as leave a thread 128
// registers, and shared memory for the sums of all groups alone.
// CHECK-LABEL: llvm.func @direct_kernel_0
// CHECK-SAME:    mlopt.schedule = {family = "tiled", groups = 4 : i64, stages = 0 : i64, terms = 1 : i64, tile = array<i64: 8, 16, 512>, warp = array<i64: 8, 16>}
// CHECK-SAME:    nvvm.minctasm = 4 : i32
// CHECK:         gpu.launch_func {{.*}} dynamic_shared_memory_size %c2048_i32
func.func @direct(%a: tensor<4x512xbf16>, %b: tensor<1024x512xbf16>) -> tensor<4x1024xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<4x512xbf16>, %y = %b : tensor<1024x512xbf16>) -> tensor<4x1024xf32> {
    %z = arith.constant dense<0.0> : tensor<4x1024xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<4x512xbf16>, tensor<1024x512xbf16>) outs(%z : tensor<4x1024xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<4x1024xf32>
    mlopt.yield %1 : tensor<4x1024xf32>
  } {mlopt.schedule = {family = "tiled", groups = 4 : i64, stages = 0 : i64, terms = 1 : i64, tile = array<i64: 8, 16, 512>, warp = array<i64: 8, 16>}}
  return %0 : tensor<4x1024xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @direct_rows(%a: tensor<4x512xbf16>, %b: tensor<1024x512xbf16>) -> tensor<4x1024xf32> {
  // expected-error @+1 {{has an illegal schedule: tile 8x16x96 with warps of 8x16, 0 stages and 1 groups is none for its element types and chip}}
  %0 = mlopt.fusion (%x = %a : tensor<4x512xbf16>, %y = %b : tensor<1024x512xbf16>) -> tensor<4x1024xf32> {
    %z = arith.constant dense<0.0> : tensor<4x1024xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<4x512xbf16>, tensor<1024x512xbf16>) outs(%z : tensor<4x1024xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<4x1024xf32>
    mlopt.yield %1 : tensor<4x1024xf32>
  } {mlopt.schedule = {family = "tiled", groups = 1 : i64, stages = 0 : i64, terms = 1 : i64, tile = array<i64: 8, 16, 96>, warp = array<i64: 8, 16>}}
  return %0 : tensor<4x1024xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// Rows that start at odd elements are shifted into place.
// CHECK-LABEL: llvm.func @direct_odd_kernel_0
// CHECK-SAME:    stages = 0 : i64
func.func @direct_odd(%a: tensor<4x511xbf16>, %b: tensor<1024x511xbf16>) -> tensor<4x1024xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<4x511xbf16>, %y = %b : tensor<1024x511xbf16>) -> tensor<4x1024xf32> {
    %z = arith.constant dense<0.0> : tensor<4x1024xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<4x511xbf16>, tensor<1024x511xbf16>) outs(%z : tensor<4x1024xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<4x1024xf32>
    mlopt.yield %1 : tensor<4x1024xf32>
  } {mlopt.schedule = {family = "tiled", groups = 4 : i64, stages = 0 : i64, terms = 1 : i64, tile = array<i64: 8, 16, 512>, warp = array<i64: 8, 16>}}
  return %0 : tensor<4x1024xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
// Columns do not come in vectors along k.
func.func @direct_across(%a: tensor<4x512xbf16>, %b: tensor<512x1024xbf16>) -> tensor<4x1024xf32> {
  // expected-error @+1 {{has an illegal schedule}}
  %0 = mlopt.fusion (%x = %a : tensor<4x512xbf16>, %y = %b : tensor<512x1024xbf16>) -> tensor<4x1024xf32> {
    %z = arith.constant dense<0.0> : tensor<4x1024xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<4x512xbf16>, tensor<512x1024xbf16>) outs(%z : tensor<4x1024xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<4x1024xf32>
    mlopt.yield %1 : tensor<4x1024xf32>
  } {mlopt.schedule = {family = "tiled", groups = 4 : i64, stages = 0 : i64, terms = 1 : i64, tile = array<i64: 8, 16, 512>, warp = array<i64: 8, 16>}}
  return %0 : tensor<4x1024xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// Two warps copy sixteen bytes at a time, which rows of an odd length are not
// made of.
func.func @odd(%a: tensor<16x1025xbf16>, %b: tensor<4096x1025xbf16>) -> tensor<16x4096xf32> {
  // expected-error @+1 {{has an illegal schedule: tile 16x64x128 with warps of 16x32, 3 stages and 1 groups is none for its element types and chip}}
  %0 = mlopt.fusion (%x = %a : tensor<16x1025xbf16>, %y = %b : tensor<4096x1025xbf16>) -> tensor<16x4096xf32> {
    %z = arith.constant dense<0.0> : tensor<16x4096xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<16x1025xbf16>, tensor<4096x1025xbf16>) outs(%z : tensor<16x4096xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<16x4096xf32>
    mlopt.yield %1 : tensor<16x4096xf32>
  } {mlopt.schedule = {family = "tiled", groups = 1 : i64, stages = 3 : i64, terms = 1 : i64, tile = array<i64: 16, 64, 128>, warp = array<i64: 16, 32>}}
  return %0 : tensor<16x4096xf32>
}
