// RUN: mlopt-opt %s -mlopt-skip-masked | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

module attributes {gpu.container_module} {
  // Zeros beyond the diagonal.
  gpu.module @mask {
    llvm.func @mask(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<256x256xf32>
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<256x256xf32>
      %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) {
      ^bb0(%in: f32, %out: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %c = arith.cmpi sge, %i, %j : index
        %s = arith.select %c, %in, %zero : f32
        linalg.yield %s : f32
      } -> tensor<256x256xf32>
      %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<256x256xf32>
      bufferization.materialize_in_destination %r in writable %m : (tensor<256x256xf32>, memref<256x256xf32>) -> ()
      llvm.return
    }
  }
  // Sums of their rows need no more.
  // CHECK: llvm.func @sum({{.*}} attributes {gpu.kernel, mlopt.masked = {columns = 256 : i64, offset = 0 : i64, reads = [0.000000e+00 : f32], rows = 256 : i64}, mlopt.schedule
  gpu.module @sum {
    llvm.func @sum(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {blocks = 64 : i64, cluster = 1 : i64, family = "rows", lanes = 4 : i64, line = 32 : i64, resident = 0 : i64, threads = 128 : i64, vectors = 2 : i64}} {
      %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<256x256xf32>
      %z = arith.constant dense<0.0> : tensor<256xf32>
      %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<256x256xf32>) outs(%z : tensor<256xf32>) {
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %out, %in : f32
        linalg.yield %s : f32
      } -> tensor<256xf32>
      %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<256xf32>
      bufferization.materialize_in_destination %r in writable %m : (tensor<256xf32>, memref<256xf32>) -> ()
      llvm.return
    }
  }
  // The same, of what something else has written, too.
  // CHECK: llvm.func @other({{.*}} attributes {gpu.kernel, mlopt.schedule
  gpu.module @other {
    llvm.func @other(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {blocks = 64 : i64, cluster = 1 : i64, family = "rows", lanes = 4 : i64, line = 32 : i64, resident = 0 : i64, threads = 128 : i64, vectors = 2 : i64}} {
      %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<256x256xf32>
      %z = arith.constant dense<0.0> : tensor<256xf32>
      %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<256x256xf32>) outs(%z : tensor<256xf32>) {
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %out, %in : f32
        linalg.yield %s : f32
      } -> tensor<256xf32>
      %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<256xf32>
      bufferization.materialize_in_destination %r in writable %m : (tensor<256xf32>, memref<256xf32>) -> ()
      llvm.return
    }
  }
  func.func @f(%x: memref<256x256xf32>, %out: memref<256xf32>, %out2: memref<256xf32>) {
    %a = memref.alloc() : memref<256x256xf32>
    %b = memref.alloc() : memref<256x256xf32>
    %one = arith.constant 1 : index
    gpu.launch_func @mask::@mask blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<256x256xf32>, %a : memref<256x256xf32>) {mlopt.num_outputs = 1 : i64}
    gpu.launch_func @sum::@sum blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%a : memref<256x256xf32>, %out : memref<256xf32>) {mlopt.num_outputs = 1 : i64}
    gpu.launch_func @mask::@mask blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%x : memref<256x256xf32>, %b : memref<256x256xf32>) {mlopt.num_outputs = 1 : i64}
    memref.copy %x, %b : memref<256x256xf32> to memref<256x256xf32>
    gpu.launch_func @other::@other blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%b : memref<256x256xf32>, %out2 : memref<256xf32>) {mlopt.num_outputs = 1 : i64}
    return
  }
}
