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
