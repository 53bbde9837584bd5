// Which sums one thread forms in order, so that a window gives what it gives on
// the CPU, and which are shared between lanes.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s

// A sum over nine elements that nothing else needs.
// CHECK-LABEL: gpu.module @window_kernel_0
// CHECK-NOT:   family = "rows"
func.func @window(%x: tensor<4096x9xf32>) -> tensor<4096xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<4096x9xf32>) -> tensor<4096xf32>
  return %s : tensor<4096xf32>
}

// With a result for each of the nine, a thread would form the sum nine times.
// CHECK-LABEL: gpu.module @normalised_kernel_0
// CHECK:       family = "rows"
func.func @normalised(%x: tensor<4096x9xf32>) -> tensor<4096x9xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<4096x9xf32>) -> tensor<4096xf32>
  %b = mlopt.broadcast %s dims [0] : tensor<4096xf32> -> tensor<4096x9xf32>
  %r = mlopt.div %x, %b : tensor<4096x9xf32>
  return %r : tensor<4096x9xf32>
}

// Longer sums are shared.
// CHECK-LABEL: gpu.module @longer_kernel_0
// CHECK:       family = "rows"
func.func @longer(%x: tensor<4096x17xf32>) -> tensor<4096xf32> {
  %s = mlopt.reduce add %x dims [1] : (tensor<4096x17xf32>) -> tensor<4096xf32>
  return %s : tensor<4096xf32>
}
