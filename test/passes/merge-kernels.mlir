// RUN: mlopt-opt %s -mlopt-merge-kernels -split-input-file | FileCheck %s

// Of equal kernels the first one is left, and all are launched by its name; one
// that computes something else, or is scheduled in another way, stays.
// CHECK-LABEL: gpu.module @first
// CHECK:       gpu.module @other
// CHECK:       gpu.module @scheduled
// CHECK-NOT:   gpu.module
// CHECK-LABEL: func.func @main
// CHECK:       gpu.launch_func @first::@first {{.*}} args(%arg0 : memref<1xf32>, %arg1
// CHECK:       gpu.launch_func @first::@first blocks in (%c2{{.*}} args(%arg1 : memref<1xf32>, %arg2
// CHECK:       gpu.launch_func @other::@other
// CHECK:       gpu.launch_func @scheduled::@scheduled
module attributes {gpu.container_module} {
  gpu.module @first {
    llvm.func @first(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.load %in : !llvm.ptr<1> -> f32
      %1 = arith.addf %0, %0 : f32
      llvm.store %1, %out : f32, !llvm.ptr<1>
      llvm.return
    }
  }
  gpu.module @again {
    llvm.func @again(%x: !llvm.ptr<1>, %y: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %a = llvm.load %x : !llvm.ptr<1> -> f32
      %b = arith.addf %a, %a : f32
      llvm.store %b, %y : f32, !llvm.ptr<1>
      llvm.return
    }
  }
  gpu.module @other {
    llvm.func @other(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.load %in : !llvm.ptr<1> -> f32
      %1 = arith.mulf %0, %0 : f32
      llvm.store %1, %out : f32, !llvm.ptr<1>
      llvm.return
    }
  }
  gpu.module @scheduled {
    llvm.func @scheduled(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, mlopt.schedule = {family = "generic"}} {
      %0 = llvm.load %in : !llvm.ptr<1> -> f32
      %1 = arith.addf %0, %0 : f32
      llvm.store %1, %out : f32, !llvm.ptr<1>
      llvm.return
    }
  }
  func.func @main(%a: memref<1xf32>, %b: memref<1xf32>, %c: memref<1xf32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    gpu.launch_func @first::@first blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<1xf32>, %b : memref<1xf32>)
    gpu.launch_func @again::@again blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%b : memref<1xf32>, %c : memref<1xf32>)
    gpu.launch_func @other::@other blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<1xf32>, %c : memref<1xf32>)
    gpu.launch_func @scheduled::@scheduled blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<1xf32>, %c : memref<1xf32>)
    return
  }
}

// -----

// A module that holds more than its kernel is left alone.
// CHECK-LABEL: gpu.module @one
// CHECK:       gpu.module @two
module attributes {gpu.container_module} {
  gpu.module @one {
    llvm.func @one() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
    llvm.mlir.global internal @data() : i32
  }
  gpu.module @two {
    llvm.func @two() attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
    llvm.mlir.global internal @data() : i32
  }
}
