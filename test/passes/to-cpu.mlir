// RUN: mlopt-opt %s --mlopt-to-cpu | FileCheck %s
// RUN: mlopt-opt %s --mlopt-to-cpu | mlir-translate --mlir-to-llvmir \
// RUN:   | FileCheck %s --check-prefix=LLVM --implicit-check-not=fmuladd

// Bare pointers, arguments first; nothing of the way is left.
// CHECK-NOT: unrealized_conversion_cast
// CHECK-LABEL: llvm.func @mlopt.fma_stays_apart(
// CHECK-SAME: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias})
// LLVM-LABEL: define void @mlopt.fma_stays_apart
// LLVM: fmul float
// LLVM: fadd float
func.func @fma_stays_apart(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> tensor<4xf32> {
  %p = arith.mulf %x, %x : tensor<4xf32>
  %s = arith.addf %p, %y : tensor<4xf32>
  return %s : tensor<4xf32>
}

// Functions are computed in place; the C library's are not called.
// LLVM-LABEL: define void @mlopt.functions
// LLVM-NOT: call float @{{exp|tanh|llvm.exp|llvm.tanh}}
// LLVM: call float @llvm.fma.f32
// LLVM: ret void
func.func @functions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  %1 = math.tanh %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// NaN and signed zeros count.
// LLVM-LABEL: define void @mlopt.maximum
// LLVM: call float @llvm.maximum.f32
func.func @maximum(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.maximumf %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A buffer that a loop carries is freed in the loop.
// LLVM-LABEL: define void @mlopt.loop
// LLVM: call ptr @aligned_alloc
// LLVM: call void @free
func.func @loop(%x: tensor<4xf32>, %n: tensor<index>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<index>
  %r = scf.for %i = %c0 to %e step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %v = tensor.extract %a[%c0] : tensor<4xf32>
    %b = tensor.splat %v : tensor<4xf32>
    %s = arith.addf %b, %a : tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
