// RUN: mlopt-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(gpu.module(mlopt-emit-kernels))'

gpu.module @none {
  // expected-error @+1 {{'llvm.func' op has the schedule of a tiled product, but its program is none}}
  llvm.func @none(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {family = "tiled", groups = 1 : i64, stages = 4 : i64, terms = 1 : i64, tile = array<i64: 128, 128, 16>, warp = array<i64: 32, 64>}} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<4xf32>
    %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<4xf32>
    bufferization.materialize_in_destination %x in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
    llvm.return
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
gpu.module @illegal {
  // expected-error @+1 {{'llvm.func' op has an illegal schedule: tile 96x128x16 with warps of 32x64, 4 stages and 1 groups is none for its element types and chip}}
  llvm.func @illegal(%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {family = "tiled", groups = 1 : i64, stages = 4 : i64, terms = 1 : i64, tile = array<i64: 96, 128, 16>, warp = array<i64: 32, 64>}} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<64x64xf32>
    %y = builtin.unrealized_conversion_cast %q : !llvm.ptr to tensor<64x64xf32>
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) {
    ^bb0(%s: f32, %t: f32, %u: f32):
      %4 = arith.mulf %s, %t : f32
      %5 = arith.addf %u, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<64x64xf32>
    %m = builtin.unrealized_conversion_cast %r : !llvm.ptr to memref<64x64xf32>
    bufferization.materialize_in_destination %1 in writable %m : (tensor<64x64xf32>, memref<64x64xf32>) -> ()
    llvm.return
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
gpu.module @divided {
  // expected-error @+1 {{'llvm.func' op has an illegal schedule: 2 groups would divide a sum that is strictly one chain}}
  llvm.func @divided(%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {family = "tiled", groups = 2 : i64, stages = 4 : i64, terms = 1 : i64, tile = array<i64: 64, 64, 64>, warp = array<i64: 32, 32>}} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<64x64xbf16>
    %y = builtin.unrealized_conversion_cast %q : !llvm.ptr to tensor<64x64xbf16>
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%z : tensor<64x64xf32>) {
    ^bb0(%s: bf16, %t: bf16, %u: f32):
      %2 = arith.extf %s : bf16 to f32
      %3 = arith.extf %t : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %u, %4 {mlopt.ordered} : f32
      linalg.yield %5 : f32
    } -> tensor<64x64xf32>
    %m = builtin.unrealized_conversion_cast %r : !llvm.ptr to memref<64x64xf32>
    bufferization.materialize_in_destination %1 in writable %m : (tensor<64x64xf32>, memref<64x64xf32>) -> ()
    llvm.return
  }
}
