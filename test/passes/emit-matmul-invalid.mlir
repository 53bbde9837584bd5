// RUN: mlopt-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(gpu.module(mlopt-emit-kernels))'

gpu.module @none {
  // expected-error @+1 {{'llvm.func' op has the schedule of a matrix product, but its program is none}}
  llvm.func @none(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {band = 16 : i64, family = "matmul", stages = 4 : i64, tile = array<i64: 128, 256, 64>}} {
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
  // expected-error @+1 {{'llvm.func' op has an illegal schedule: tile 128x80x64 with 4 stages in bands of 16, clusters of 1, 1 splits: the columns must fill rows of 128 bytes, and be at most 256}}
  llvm.func @illegal(%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {band = 16 : i64, family = "matmul", stages = 4 : i64, tile = array<i64: 128, 80, 64>}} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<64x64xbf16>
    %y = builtin.unrealized_conversion_cast %q : !llvm.ptr to tensor<64x64xbf16>
    %z = arith.constant dense<0.0> : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%z : tensor<64x64xf32>) {
    ^bb0(%s: bf16, %t: bf16, %u: f32):
      %2 = arith.extf %s : bf16 to f32
      %3 = arith.extf %t : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
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
#i = affine_map<(m, n) -> (m, n)>
gpu.module @cluster {
  // expected-error @+1 {{blocks of a cluster share no factor that the program computes}}
  llvm.func @cluster(%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {band = 16 : i64, cluster = 2 : i64, family = "matmul", stages = 4 : i64, tile = array<i64: 128, 256, 64>}} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<512x64xbf16>
    %w = builtin.unrealized_conversion_cast %q : !llvm.ptr to tensor<512x64xi8>
    %e = tensor.empty() : tensor<512x64xbf16>
    %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]}
        ins(%w : tensor<512x64xi8>) outs(%e : tensor<512x64xbf16>) {
    ^bb0(%s: i8, %u: bf16):
      %2 = arith.sitofp %s : i8 to bf16
      linalg.yield %2 : bf16
    } -> tensor<512x64xbf16>
    %z = arith.constant dense<0.0> : tensor<512x512xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<512x64xbf16>, tensor<512x64xbf16>) outs(%z : tensor<512x512xf32>) {
    ^bb0(%s: bf16, %t: bf16, %u: f32):
      %2 = arith.extf %s : bf16 to f32
      %3 = arith.extf %t : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %u, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<512x512xf32>
    %m = builtin.unrealized_conversion_cast %r : !llvm.ptr to memref<512x512xf32>
    bufferization.materialize_in_destination %1 in writable %m : (tensor<512x512xf32>, memref<512x512xf32>) -> ()
    llvm.return
  }
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#i = affine_map<(m, n) -> (m, n)>
gpu.module @words {
  // expected-error @+1 {{a thread computes a factor from at most 32 words of a step}}
  llvm.func @words(%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {band = 16 : i64, family = "matmul", stages = 4 : i64, tile = array<i64: 128, 256, 64>}} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<512x64xbf16>
    %w = builtin.unrealized_conversion_cast %q : !llvm.ptr to tensor<512x64xf32>
    %e = tensor.empty() : tensor<512x64xbf16>
    %y = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel", "parallel"]}
        ins(%w : tensor<512x64xf32>) outs(%e : tensor<512x64xbf16>) {
    ^bb0(%s: f32, %u: bf16):
      %2 = arith.truncf %s : f32 to bf16
      linalg.yield %2 : bf16
    } -> tensor<512x64xbf16>
    %z = arith.constant dense<0.0> : tensor<512x512xf32>
    %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %y : tensor<512x64xbf16>, tensor<512x64xbf16>) outs(%z : tensor<512x512xf32>) {
    ^bb0(%s: bf16, %t: bf16, %u: f32):
      %2 = arith.extf %s : bf16 to f32
      %3 = arith.extf %t : bf16 to f32
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %u, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<512x512xf32>
    %m = builtin.unrealized_conversion_cast %r : !llvm.ptr to memref<512x512xf32>
    bufferization.materialize_in_destination %1 in writable %m : (tensor<512x512xf32>, memref<512x512xf32>) -> ()
    llvm.return
  }
}
