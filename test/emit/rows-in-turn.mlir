// Rows that are reduced with what a reduction of them has found: more threads
// hold less each, since all wait for each other more than once.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s

// CHECK-LABEL: gpu.module @variance_kernel_0
// CHECK:       mlopt.schedule = {{{.*}}family = "rows"{{.*}}threads = 256 : i64, vectors = 2 : i64
func.func @variance(%x: tensor<16384x4096xbf16>) -> tensor<16384x4096xbf16> {
  %0 = mlopt.convert %x : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
  %1 = mlopt.reduce add %0 dims [1] : (tensor<16384x4096xf32>) -> tensor<16384xf32>
  %2 = mlopt.broadcast %1 dims [0] : tensor<16384xf32> -> tensor<16384x4096xf32>
  %3 = mlopt.sub %0, %2 : tensor<16384x4096xf32>
  %4 = mlopt.mul %3, %3 : tensor<16384x4096xf32>
  %5 = mlopt.reduce add %4 dims [1] : (tensor<16384x4096xf32>) -> tensor<16384xf32>
  %6 = mlopt.broadcast %5 dims [0] : tensor<16384xf32> -> tensor<16384x4096xf32>
  %7 = mlopt.mul %3, %6 : tensor<16384x4096xf32>
  %8 = mlopt.convert %7 : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
  return %8 : tensor<16384x4096xbf16>
}

// One reduction.
// CHECK-LABEL: gpu.module @squares_kernel_0
// CHECK:       mlopt.schedule = {{{.*}}family = "rows"{{.*}}threads = 128 : i64, vectors = 4 : i64
func.func @squares(%x: tensor<16384x4096xbf16>) -> tensor<16384x4096xbf16> {
  %0 = mlopt.convert %x : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
  %1 = mlopt.mul %0, %0 : tensor<16384x4096xf32>
  %2 = mlopt.reduce add %1 dims [1] : (tensor<16384x4096xf32>) -> tensor<16384xf32>
  %3 = mlopt.broadcast %2 dims [0] : tensor<16384xf32> -> tensor<16384x4096xf32>
  %4 = mlopt.mul %0, %3 : tensor<16384x4096xf32>
  %5 = mlopt.convert %4 : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
  return %5 : tensor<16384x4096xbf16>
}
