// Parts that are put together to the rows of a sum of columns: a thread holds a
// vector of each part, so that blocks have fewer threads, and none spills.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s
// RUN: %if ptxas %{ mlopt-compile %s --ptxas=%ptxas -o %t.mlopt 2>&1 | count 0 %}

// CHECK-LABEL: gpu.module @parts_kernel_0
// CHECK:       mlopt.schedule = {{{.*}}cluster = 4 : i64, family = "columns"{{.*}}threads = 256 : i64
func.func @parts(%q: tensor<8x16x1024x64xbf16>, %k: tensor<8x16x1024x64xbf16>, %v: tensor<8x16x1024x64xbf16>)
    -> (tensor<8x1024x3072xbf16>, tensor<3072xf32>) {
  %0 = mlopt.transpose %q perm [0, 2, 1, 3] : tensor<8x16x1024x64xbf16> -> tensor<8x1024x16x64xbf16>
  %1 = mlopt.transpose %k perm [0, 2, 1, 3] : tensor<8x16x1024x64xbf16> -> tensor<8x1024x16x64xbf16>
  %2 = mlopt.transpose %v perm [0, 2, 1, 3] : tensor<8x16x1024x64xbf16> -> tensor<8x1024x16x64xbf16>
  %3 = mlopt.reshape %0 : tensor<8x1024x16x64xbf16> -> tensor<8x1024x1024xbf16>
  %4 = mlopt.reshape %1 : tensor<8x1024x16x64xbf16> -> tensor<8x1024x1024xbf16>
  %5 = mlopt.reshape %2 : tensor<8x1024x16x64xbf16> -> tensor<8x1024x1024xbf16>
  %6 = mlopt.concat %3, %4, %5 dim 2 : (tensor<8x1024x1024xbf16>, tensor<8x1024x1024xbf16>, tensor<8x1024x1024xbf16>) -> tensor<8x1024x3072xbf16>
  %7 = mlopt.convert %6 : tensor<8x1024x3072xbf16> -> tensor<8x1024x3072xf32>
  %8 = mlopt.reduce add %7 dims [0, 1] : (tensor<8x1024x3072xf32>) -> tensor<3072xf32>
  return %6, %8 : tensor<8x1024x3072xbf16>, tensor<3072xf32>
}

// One part whose rows are whole takes as many threads as there are.
// CHECK-LABEL: gpu.module @whole_kernel_0
// CHECK:       mlopt.schedule = {{{.*}}family = "columns"{{.*}}threads = 1024 : i64
func.func @whole(%x: tensor<8192x3072xbf16>) -> tensor<3072xf32> {
  %0 = mlopt.convert %x : tensor<8192x3072xbf16> -> tensor<8192x3072xf32>
  %1 = mlopt.reduce add %0 dims [0] : (tensor<8192x3072xf32>) -> tensor<3072xf32>
  return %1 : tensor<3072xf32>
}
