// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(mlopt-outline-kernels{wgmma=true})' | FileCheck %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// Rows that TMA does not take, and that take registers on the way. Each step
// waits for memory: blocks of a cluster share those of a tile, of which there
// are few.
// CHECK-LABEL: llvm.func @odd_kernel_0
// CHECK-SAME:    mlopt.schedule = {family = "tiled", groups = 2 : i64, splits = 4 : i64, stages = 4 : i64, terms = 1 : i64, tile = array<i64: 32, 32, 64>, warp = array<i64: 16, 16>}
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 4, 1, 1>
// CHECK:       func.func @odd
// CHECK:         %[[BLOCKS:.*]] = arith.constant 64 : index
// CHECK:         %[[THREADS:.*]] = arith.constant 256 : index
// CHECK:         gpu.launch_func {{.*}} blocks in (%[[BLOCKS]],{{.*}} threads in (%[[THREADS]],
func.func @odd(%a: tensor<100x333xbf16>, %b: tensor<101x333xbf16>) -> tensor<100x101xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<100x333xbf16>, %y = %b : tensor<101x333xbf16>) -> tensor<100x101xf32> {
    %z = arith.constant dense<0.0> : tensor<100x101xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<100x333xbf16>, tensor<101x333xbf16>) outs(%z : tensor<100x101xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<100x101xf32>
    mlopt.yield %1 : tensor<100x101xf32>
  }
  return %0 : tensor<100x101xf32>
}

// -----

// f32 in full: three terms of bf16 for each factor.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @single_kernel_0
// CHECK-SAME:    family = "tiled", groups = 1 : i64, stages = 4 : i64, terms = 3 : i64, tile = array<i64: 128, 128, 16>, warp = array<i64: 64, 32>
func.func @single(%a: tensor<4096x512xf32>, %b: tensor<4096x512xf32>) -> tensor<4096x4096xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<4096x512xf32>, %y = %b : tensor<4096x512xf32>) -> tensor<4096x4096xf32> {
    %z = arith.constant dense<0.0> : tensor<4096x4096xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<4096x512xf32>, tensor<4096x512xf32>) outs(%z : tensor<4096x4096xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %4 = arith.mulf %p, %q : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<4096x4096xf32>
    mlopt.yield %1 : tensor<4096x4096xf32>
  }
  return %0 : tensor<4096x4096xf32>
}

// -----

// A sum that is no product, and one that starts from something else.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @greatest_kernel_0
// CHECK-NOT:   family = "tiled"
// CHECK-LABEL: llvm.func @from_one_kernel_0
// CHECK-NOT:   family = "tiled"
func.func @greatest(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<64x64xf32>, %y = %b : tensor<64x64xf32>) -> tensor<64x64xf32> {
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %4 = arith.mulf %p, %q : f32
      %5 = arith.maximumf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<64x64xf32>
    mlopt.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}
func.func @from_one(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<64x64xf32>, %y = %b : tensor<64x64xf32>) -> tensor<64x64xf32> {
    %z = arith.constant dense<1.0> : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) {
    ^bb0(%p: f32, %q: f32, %s: f32):
      %4 = arith.mulf %p, %q : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<64x64xf32>
    mlopt.yield %1 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

// A kernel that does little but stream the weights has narrow, deep tiles, also
// where wgmma would take it.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @skinny_kernel_0
// CHECK-SAME:    family = "tiled", groups = 1 : i64, stages = 3 : i64, terms = 1 : i64, tile = array<i64: 16, 64, 128>, warp = array<i64: 16, 32>
// CHECK:       func.func @skinny
// CHECK:         %[[BLOCKS:.*]] = arith.constant 224 : index
// CHECK:         gpu.launch_func {{.*}} blocks in (%[[BLOCKS]],
func.func @skinny(%a: tensor<16x4096xbf16>, %b: tensor<14336x4096xbf16>) -> tensor<16x14336xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<16x4096xbf16>, %y = %b : tensor<14336x4096xbf16>) -> tensor<16x14336xf32> {
    %z = arith.constant dense<0.0> : tensor<16x14336xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<16x4096xbf16>, tensor<14336x4096xbf16>) outs(%z : tensor<16x14336xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<16x14336xf32>
    mlopt.yield %1 : tensor<16x14336xf32>
  }
  return %0 : tensor<16x14336xf32>
}

// -----

// Beside a side of up to eight, they come straight from memory.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @short_kernel_0
// CHECK-SAME:    family = "tiled", groups = 8 : i64, stages = 0 : i64, terms = 1 : i64, tile = array<i64: 8, 16, 1024>
// CHECK:       func.func @short
// CHECK:         %[[BLOCKS:.*]] = arith.constant 256 : index
// CHECK:         gpu.launch_func {{.*}} blocks in (%[[BLOCKS]],
func.func @short(%a: tensor<1x14336xbf16>, %b: tensor<4096x14336xbf16>) -> tensor<1x4096xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<1x14336xbf16>, %y = %b : tensor<4096x14336xbf16>) -> tensor<1x4096xf32> {
    %z = arith.constant dense<0.0> : tensor<1x4096xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<1x14336xbf16>, tensor<4096x14336xbf16>) outs(%z : tensor<1x4096xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<1x4096xf32>
    mlopt.yield %1 : tensor<1x4096xf32>
  }
  return %0 : tensor<1x4096xf32>
}

// -----

// Weights that run along n come in lines of as many columns; blocks of a
// cluster share k where there are few such tiles.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @across_kernel_0
// CHECK-SAME:    family = "tiled", groups = 2 : i64, splits = 2 : i64, stages = 4 : i64, terms = 1 : i64, tile = array<i64: 16, 64, 128>
func.func @across(%a: tensor<16x14336xbf16>, %b: tensor<14336x4096xbf16>) -> tensor<16x4096xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<16x14336xbf16>, %y = %b : tensor<14336x4096xbf16>) -> tensor<16x4096xf32> {
    %z = arith.constant dense<0.0> : tensor<16x4096xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<16x14336xbf16>, tensor<14336x4096xbf16>) outs(%z : tensor<16x4096xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<16x4096xf32>
    mlopt.yield %1 : tensor<16x4096xf32>
  }
  return %0 : tensor<16x4096xf32>
}

// -----

// Many tiles of a wider side are for wgmma. A box has the rows that there are,
// and the ring no more of the weights than keeps memory busy.
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
// CHECK-LABEL: llvm.func @wider_kernel_0
// CHECK-SAME:    family = "matmul", stages = 6 : i64, tile = array<i64: 64, 128, 64>
// CHECK:       func.func @wider
// CHECK:         mlopt.tensor_maps = [{box = array<i64: 64, 32>, {{[^}]*}}}, {box = array<i64: 64, 128>,
func.func @wider(%a: tensor<32x4096xbf16>, %b: tensor<14336x4096xbf16>) -> tensor<32x14336xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<32x4096xbf16>, %y = %b : tensor<14336x4096xbf16>) -> tensor<32x14336xf32> {
    %z = arith.constant dense<0.0> : tensor<32x14336xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<32x4096xbf16>, tensor<14336x4096xbf16>) outs(%z : tensor<32x14336xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %2 = arith.extf %p : bf16 to f32
      %3 = arith.extf %q : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %s, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<32x14336xf32>
    mlopt.yield %1 : tensor<32x14336xf32>
  }
  return %0 : tensor<32x14336xf32>
}

// -----

// Heads of 64 in a batch fill tiles of wgmma.
#a = affine_map<(h, m, n, k) -> (h, m, k)>
#b = affine_map<(h, m, n, k) -> (h, k, n)>
#c = affine_map<(h, m, n, k) -> (h, m, n)>
// CHECK-LABEL: llvm.func @heads_kernel_0
// CHECK-SAME:    family = "matmul"
func.func @heads(%a: tensor<128x1024x1024xbf16>, %b: tensor<128x1024x64xbf16>) -> tensor<128x1024x64xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<128x1024x1024xbf16>, %y = %b : tensor<128x1024x64xbf16>) -> tensor<128x1024x64xf32> {
    %z = arith.constant dense<0.0> : tensor<128x1024x64xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<128x1024x1024xbf16>, tensor<128x1024x64xbf16>) outs(%z : tensor<128x1024x64xf32>) {
    ^bb0(%p: bf16, %q: bf16, %s: f32):
      %pf = arith.extf %p : bf16 to f32
      %qf = arith.extf %q : bf16 to f32
      %pq = arith.mulf %pf, %qf : f32
      %t = arith.addf %s, %pq : f32
      linalg.yield %t : f32
    } -> tensor<128x1024x64xf32>
    mlopt.yield %1 : tensor<128x1024x64xf32>
  }
  return %0 : tensor<128x1024x64xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#t = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// f64: large products take the widest warps, whichever way rows run, though
// more rounds of small tiles would leave less of the last one idle.
// CHECK-LABEL: llvm.func @double_kernel_0
// CHECK-SAME:    tile = array<i64: 64, 128, 16>, warp = array<i64: 32, 64>
// CHECK-LABEL: llvm.func @double_kernel_1
// CHECK-SAME:    tile = array<i64: 64, 128, 16>, warp = array<i64: 32, 64>
func.func @double(%a: tensor<4096x512xf64>, %b: tensor<4096x512xf64>, %t: tensor<512x4096xf64>) -> (tensor<4096x4096xf64>, tensor<4096x4096xf64>) {
  %0 = mlopt.fusion (%x = %a : tensor<4096x512xf64>, %y = %b : tensor<4096x512xf64>) -> tensor<4096x4096xf64> {
    %z = arith.constant dense<0.0> : tensor<4096x4096xf64>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<4096x512xf64>, tensor<4096x512xf64>) outs(%z : tensor<4096x4096xf64>) {
    ^bb0(%p: f64, %q: f64, %s: f64):
      %2 = arith.mulf %p, %q : f64
      %3 = arith.addf %s, %2 : f64
      linalg.yield %3 : f64
    } -> tensor<4096x4096xf64>
    mlopt.yield %1 : tensor<4096x4096xf64>
  }
  %1 = mlopt.fusion (%x = %a : tensor<4096x512xf64>, %y = %t : tensor<512x4096xf64>) -> tensor<4096x4096xf64> {
    %z = arith.constant dense<0.0> : tensor<4096x4096xf64>
    %2 = linalg.generic {indexing_maps = [#a, #t, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<4096x512xf64>, tensor<512x4096xf64>) outs(%z : tensor<4096x4096xf64>) {
    ^bb0(%p: f64, %q: f64, %s: f64):
      %3 = arith.mulf %p, %q : f64
      %4 = arith.addf %s, %3 : f64
      linalg.yield %4 : f64
    } -> tensor<4096x4096xf64>
    mlopt.yield %2 : tensor<4096x4096xf64>
  }
  return %0, %1 : tensor<4096x4096xf64>, tensor<4096x4096xf64>
}
