// RUN: mlopt-opt %s -split-input-file -mlopt-outline-kernels | FileCheck %s

// Arguments and results become buffers; the fusion writes the caller's one.
// CHECK-LABEL: gpu.module @f_kernel_0
// CHECK:         llvm.func @f_kernel_0(%[[P:.*]]: !llvm.ptr, %[[Q:.*]]: !llvm.ptr) attributes {gpu.kernel, mlopt.schedule = {{{.*}}family = "pointwise"{{.*}}}, nvvm.kernel}
// CHECK:           %[[A:.*]] = builtin.unrealized_conversion_cast %[[P]] : !llvm.ptr to tensor<8xf32>
// CHECK:           %[[S:.*]] = tensor.extract_slice %[[A]]
// CHECK:           bufferization.materialize_in_destination %[[S]] in writable
// CHECK:       func.func @f(%[[X:.*]]: memref<8xf32>, %[[OUT:.*]]: memref<4xf32>)
// CHECK-NOT:     memref.alloc
// CHECK:         gpu.launch_func @f_kernel_0::@f_kernel_0 {{.*}} args(%[[X]] : memref<8xf32>, %[[OUT]] : memref<4xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @f(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = mlopt.fusion (%a = %x : tensor<8xf32>) -> tensor<4xf32> {
    %1 = tensor.extract_slice %a[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
    mlopt.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A value that is returned twice is written once and copied once.
// CHECK-LABEL: func.func @returned_twice
// CHECK-SAME:  (%{{.*}}: memref<8xf32>, %[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>)
// CHECK:         gpu.launch_func {{.*}} args({{.*}}, %[[A]] : memref<4xf32>)
// CHECK:         memref.copy %[[A]], %[[B]]
func.func @returned_twice(%x: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = mlopt.fusion (%a = %x : tensor<8xf32>) -> tensor<4xf32> {
    %1 = tensor.extract_slice %a[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
    mlopt.yield %1 : tensor<4xf32>
  }
  return %0, %0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop that swaps its values sets one aside.
// CHECK-LABEL: func.func @swap
// CHECK-DAG:     %[[A:.*]] = memref.alloc() : memref<4xf32>
// CHECK-DAG:     %[[B:.*]] = memref.alloc() : memref<4xf32>
// CHECK:         scf.while : () -> () {
// CHECK:           gpu.launch_func
// CHECK:           %[[C:.*]] = memref.load
// CHECK:           scf.condition(%[[C]])
// CHECK:         } do {
// CHECK:           memref.copy
// CHECK:           memref.copy
// CHECK:           memref.copy
// CHECK:           scf.yield
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<i1>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = scf.while (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>) {
    %t = mlopt.fusion (%q = %p : tensor<i1>) -> tensor<i1> {
      %e = tensor.extract %q[] : tensor<i1>
      %f = tensor.from_elements %e : tensor<i1>
      mlopt.yield %f : tensor<i1>
    }
    %c = tensor.extract %t[] : tensor<i1>
    scf.condition(%c) %a, %b : tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
