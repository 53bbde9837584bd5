// RUN: mlopt-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(gpu.module(mlopt-emit-kernels))'

gpu.module @constant {
  llvm.func @constant(%q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @+1 {{'arith.constant' op cannot be emitted: only splat constants lie in a kernel}}
    %0 = arith.constant dense<[1, 2]> : tensor<2xi32>
    %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<2xi32>
    bufferization.materialize_in_destination %0 in writable %m : (tensor<2xi32>, memref<2xi32>) -> ()
    llvm.return
  }
}

// -----

gpu.module @unknown {
  llvm.func @unknown(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<4xf32>
    // expected-error @+1 {{'tensor.concat' op cannot be emitted into a kernel}}
    %0 = tensor.concat dim(0) %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<8xf32>
    bufferization.materialize_in_destination %0 in writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
    llvm.return
  }
}

// -----

// What is staged must fit into the shared memory that the launch gives.
#row = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0)>
gpu.module @staged {
  // expected-error @+1 {{stages 16384 bytes of rows, more than its schedule's 'shared'}}
  llvm.func @staged(%arg0: !llvm.ptr, %arg1: !llvm.ptr) attributes {gpu.kernel, mlopt.schedule = {blocks = 1024 : i64, cluster = 1 : i64, family = "rows", lanes = 8 : i64, line = 256 : i64, resident = 0 : i64, shared = 16384 : i64, staged = 1 : i64, threads = 256 : i64, vectors = 0 : i64}, nvvm.kernel} {
    %0 = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to tensor<1024x8192xbf16>
    %zero = arith.constant dense<0.0> : tensor<1024xbf16>
    %1 = linalg.generic {indexing_maps = [#row, #kept], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<1024x8192xbf16>) outs(%zero : tensor<1024xbf16>) {
    ^bb0(%in: bf16, %acc: bf16):
      %2 = arith.maximumf %acc, %in : bf16
      linalg.yield %2 : bf16
    } -> tensor<1024xbf16>
    %3 = builtin.unrealized_conversion_cast %arg1 : !llvm.ptr to memref<1024xbf16>
    bufferization.materialize_in_destination %1 in writable %3 : (tensor<1024xbf16>, memref<1024xbf16>) -> ()
    llvm.return
  }
}

// -----

// Rows that registers hold are not staged.
gpu.module @held {
  // expected-error @+1 {{has a malformed mlopt.schedule}}
  llvm.func @held(%arg0: !llvm.ptr) attributes {gpu.kernel, mlopt.schedule = {blocks = 1 : i64, cluster = 1 : i64, family = "rows", lanes = 8 : i64, line = 256 : i64, resident = 0 : i64, shared = 16400 : i64, staged = 1 : i64, threads = 256 : i64, vectors = 4 : i64}, nvvm.kernel} {
    %0 = arith.constant dense<0.0> : tensor<8xf32>
    %1 = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to memref<8xf32>
    bufferization.materialize_in_destination %0 in writable %1 : (tensor<8xf32>, memref<8xf32>) -> ()
    llvm.return
  }
}

// -----

// A mask of other rows than the kernel's.
#row = affine_map<(d0, d1) -> (d0, d1)>
#kept = affine_map<(d0, d1) -> (d0)>
gpu.module @masked {
  // expected-error @+1 {{has a 'mlopt.masked' that its rows do not fit}}
  llvm.func @masked(%arg0: !llvm.ptr, %arg1: !llvm.ptr) attributes {gpu.kernel, mlopt.masked = {columns = 512 : i64, offset = 0 : i64, reads = [], rows = 512 : i64}, mlopt.schedule = {blocks = 256 : i64, cluster = 1 : i64, family = "rows", lanes = 4 : i64, line = 32 : i64, resident = 0 : i64, threads = 128 : i64, vectors = 2 : i64}, nvvm.kernel} {
    %0 = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to tensor<1024x256xf32>
    %zero = arith.constant dense<0.0> : tensor<1024xf32>
    %1 = linalg.generic {indexing_maps = [#row, #kept], iterator_types = ["parallel", "reduction"]} ins(%0 : tensor<1024x256xf32>) outs(%zero : tensor<1024xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %2 = arith.maximumf %acc, %in : f32
      linalg.yield %2 : f32
    } -> tensor<1024xf32>
    %3 = builtin.unrealized_conversion_cast %arg1 : !llvm.ptr to memref<1024xf32>
    bufferization.materialize_in_destination %1 in writable %3 : (tensor<1024xf32>, memref<1024xf32>) -> ()
    llvm.return
  }
}

// -----

// Tiles of even rows are whole numbers of vectors.
#across = affine_map<(d0, d1) -> (d1, d0)>
#along = affine_map<(d0, d1) -> (d0, d1)>
gpu.module @tiles {
  // expected-error @+1 {{cannot hold tiles of 60 by 64 elements in vectors of 8}}
  llvm.func @tiles(%arg0: !llvm.ptr, %arg1: !llvm.ptr) attributes {gpu.kernel, mlopt.schedule = {across = 64 : i64, blocks = 320 : i64, cluster = 1 : i64, family = "transpose", lanes = 8 : i64, line = 60 : i64, resident = 0 : i64, threads = 256 : i64, vectors = 8 : i64}, nvvm.kernel} {
    %0 = builtin.unrealized_conversion_cast %arg0 : !llvm.ptr to tensor<1024x1024xbf16>
    %1 = tensor.empty() : tensor<1024x1024xbf16>
    %2 = linalg.generic {indexing_maps = [#across, #along], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<1024x1024xbf16>) outs(%1 : tensor<1024x1024xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<1024x1024xbf16>
    %3 = builtin.unrealized_conversion_cast %arg1 : !llvm.ptr to memref<1024x1024xbf16>
    bufferization.materialize_in_destination %2 in writable %3 : (tensor<1024x1024xbf16>, memref<1024x1024xbf16>) -> ()
    llvm.return
  }
}
