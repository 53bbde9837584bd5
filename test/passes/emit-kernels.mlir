// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(gpu.module(mlopt-emit-kernels))' | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// One loop over the grid, a reduction inside it, one store.
// CHECK-LABEL: llvm.func @rows
// CHECK-NOT:   tensor<
// CHECK:       nvvm.read.ptx.sreg.tid.x
// CHECK:       scf.for
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32)
// CHECK:           %[[X:.*]] = llvm.load
// CHECK:           arith.addf %[[ACC]], %[[X]]
// CHECK:         llvm.store %[[SUM]]
// CHECK-NOT:   llvm.store
gpu.module @rows {
  llvm.func @rows(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<8x16xf32>
    %zero = arith.constant dense<0.0> : tensor<8xf32>
    %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x16xf32>) outs(%zero : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %1 = arith.addf %b, %a : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<8xf32>
    bufferization.materialize_in_destination %0 in writable %m : (tensor<8xf32>, memref<8xf32>) -> ()
    llvm.return
  }
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>

// A value that two results use is computed once.
// CHECK-LABEL: llvm.func @shared_value
// CHECK:       math.exp
// CHECK-NOT:   math.exp
// CHECK:       llvm.store
// CHECK:       llvm.store
gpu.module @shared_value {
  llvm.func @shared_value(%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<8x16xf32>
    %e = tensor.empty() : tensor<8x16xf32>
    %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %2 = math.exp %a : f32
      linalg.yield %2 : f32
    } -> tensor<8x16xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0, %0 : tensor<8x16xf32>, tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %2 = arith.mulf %a, %b : f32
      linalg.yield %2 : f32
    } -> tensor<8x16xf32>
    %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<8x16xf32>
    bufferization.materialize_in_destination %0 in writable %m : (tensor<8x16xf32>, memref<8x16xf32>) -> ()
    %n = builtin.unrealized_conversion_cast %r : !llvm.ptr to memref<8x16xf32>
    bufferization.materialize_in_destination %1 in writable %n : (tensor<8x16xf32>, memref<8x16xf32>) -> ()
    llvm.return
  }
}

// -----

// An inserted slice is read at its start where it does not lie, so never out of
// bounds, and the element taken without a branch.
// CHECK-LABEL: llvm.func @insert
// CHECK-NOT:   scf.if
// CHECK:       %[[AT:.*]] = arith.select %[[INSIDE:.*]], %{{.*}}, %{{.*}} : index
// CHECK-NOT:   scf.if
// CHECK:       %[[X:.*]] = llvm.load
// CHECK:       %[[Y:.*]] = llvm.load
// CHECK:       %[[R:.*]] = arith.select %[[INSIDE]], %[[X]], %[[Y]]
// CHECK:       llvm.store %[[R]]
gpu.module @insert {
  llvm.func @insert(%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<4xf32>
    %y = builtin.unrealized_conversion_cast %q : !llvm.ptr to tensor<16xf32>
    %0 = tensor.insert_slice %x into %y[3] [4] [2] : tensor<4xf32> into tensor<16xf32>
    %m = builtin.unrealized_conversion_cast %r : !llvm.ptr to memref<16xf32>
    bufferization.materialize_in_destination %0 in writable %m : (tensor<16xf32>, memref<16xf32>) -> ()
    llvm.return
  }
}

// -----

// A scan is one thread for each line, with the line's value carried.
// CHECK-LABEL: llvm.func @scan
// CHECK:       scf.for
// CHECK:         scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (i32)
// CHECK:           %[[NEXT:.*]] = arith.addi %[[ACC]]
// CHECK:           llvm.store %[[NEXT]]
// CHECK:           scf.yield %[[NEXT]]
gpu.module @scan {
  llvm.func @scan(%p: !llvm.ptr, %q: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %x = builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor<4x8xi32>
    %z = arith.constant dense<0> : tensor<i32>
    %0 = mlopt.scan %x, %z dim 1 : (tensor<4x8xi32>, tensor<i32>) -> tensor<4x8xi32> {
    ^bb0(%a: i32, %b: i32):
      %1 = arith.addi %a, %b : i32
      mlopt.yield %1 : i32
    }
    %m = builtin.unrealized_conversion_cast %q : !llvm.ptr to memref<4x8xi32>
    bufferization.materialize_in_destination %0 in writable %m : (tensor<4x8xi32>, memref<4x8xi32>) -> ()
    llvm.return
  }
}
