// RUN: mlopt-opt %s -pass-pipeline='builtin.module(mlopt-lower-kernels{early-launch=true})' | FileCheck %s
// RUN: mlopt-opt %s -mlopt-lower-kernels | FileCheck %s --check-prefix=ALONE
// RUN: mlopt-opt %s -pass-pipeline='builtin.module(mlopt-lower-kernels{early-launch=true},mlopt-serialize-to-ptx{chip=sm_90 ptx=80})' | FileCheck %s --check-prefix=PTX

// A kernel lets the next one start, then waits, before it touches memory; a
// function that is no kernel does neither. Without the option nothing waits,
// and the launch does not claim it.
// CHECK-LABEL: llvm.func @helper
// CHECK-NOT:   griddepcontrol
// CHECK-LABEL: llvm.func @k
// CHECK:         nvvm.griddepcontrol launch_dependents
// CHECK-NEXT:    nvvm.griddepcontrol wait
// CHECK-NOT:     griddepcontrol
// CHECK:         llvm.load
// CHECK:       gpu.launch_func @k::@k
// CHECK-SAME:    mlopt.waits
// A kernel that reads what is not to change while it runs may not start early.
// CHECK:       gpu.launch_func @nc::@nc
// CHECK-NOT:     mlopt.waits
// ALONE-LABEL: llvm.func @k
// ALONE-NOT:   griddepcontrol
// ALONE-NOT:   mlopt.waits

// The instructions stay in front of the first access.
// PTX:     .entry k
// PTX-NOT: ld.global
// PTX:     griddepcontrol.launch_dependents
// PTX-NOT: ld.global
// PTX:     griddepcontrol.wait
// PTX:     ld.global
module attributes {gpu.container_module} {
  gpu.module @k {
    llvm.func @helper(%x: f32) -> f32 {
      llvm.return %x : f32
    }
    llvm.func @k(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.load %in : !llvm.ptr<1> -> f32
      %1 = arith.addf %0, %0 : f32
      llvm.store %1, %out : f32, !llvm.ptr<1>
      llvm.return
    }
  }
  gpu.module @nc {
    llvm.func @nc(%in: !llvm.ptr<1>, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      %0 = llvm.inline_asm "ld.global.nc.f32 $0, [$1];", "=f,l" %in : (!llvm.ptr<1>) -> f32
      llvm.store %0, %out : f32, !llvm.ptr<1>
      llvm.return
    }
  }
  func.func @main(%in: memref<1xf32>, %out: memref<1xf32>) attributes {mlopt.num_results = 1 : i64} {
    %c1 = arith.constant 1 : index
    gpu.launch_func @k::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%in : memref<1xf32>, %out : memref<1xf32>) {mlopt.num_outputs = 1 : i64}
    gpu.launch_func @nc::@nc blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%in : memref<1xf32>, %out : memref<1xf32>) {mlopt.num_outputs = 1 : i64}
    return
  }
}
