// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s
// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse))' | FileCheck %s --check-prefix=OTHER

// No kernel but those of wgmma reduces rows of a product.
// OTHER-NOT: kernels = 1 :

// A softmax of what a product gives: two reductions, one after the other.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME:    kernels = 1
// CHECK:         mlopt.reduce max {{.*}} {mlopt.row}
// CHECK:         mlopt.reduce add {{.*}} {mlopt.row}
func.func @softmax(%x: tensor<16384x1024xbf16>, %w: tensor<128x1024xbf16>) -> tensor<16384x128xf32> {
  %0 = mlopt.dot %x, %w contract [1] x [1] : (tensor<16384x1024xbf16>, tensor<128x1024xbf16>) -> tensor<16384x128xf32>
  %1 = mlopt.reduce max %0 dims [1] : (tensor<16384x128xf32>) -> tensor<16384xf32>
  %2 = mlopt.broadcast %1 dims [0] : tensor<16384xf32> -> tensor<16384x128xf32>
  %3 = mlopt.sub %0, %2 : tensor<16384x128xf32>
  %4 = mlopt.exp %3 : tensor<16384x128xf32>
  %5 = mlopt.reduce add %4 dims [1] : (tensor<16384x128xf32>) -> tensor<16384xf32>
  %6 = mlopt.broadcast %5 dims [0] : tensor<16384xf32> -> tensor<16384x128xf32>
  %7 = mlopt.div %4, %6 : tensor<16384x128xf32>
  return %7 : tensor<16384x128xf32>
}
// Heads side by side, normed each, with the product and what they are divided
// by.
// CHECK-LABEL: func.func @heads
// CHECK-SAME:    kernels = 1
func.func @heads(%x: tensor<4096x2048xbf16>, %w: tensor<2048x2048xbf16>, %g: tensor<128xf32>) -> (tensor<4096x2048xbf16>, tensor<16x4096x128xbf16>, tensor<4096x16xf32>) {
  %0 = mlopt.dot %x, %w contract [1] x [1] : (tensor<4096x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<4096x2048xbf16>
  %1 = mlopt.reshape %0 : tensor<4096x2048xbf16> -> tensor<4096x16x128xbf16>
  %2 = mlopt.convert %1 : tensor<4096x16x128xbf16> -> tensor<4096x16x128xf32>
  %3 = mlopt.mul %2, %2 : tensor<4096x16x128xf32>
  %4 = mlopt.reduce add %3 dims [2] : (tensor<4096x16x128xf32>) -> tensor<4096x16xf32>
  %5 = mlopt.sqrt %4 : tensor<4096x16xf32>
  %6 = mlopt.broadcast %5 dims [0, 1] : tensor<4096x16xf32> -> tensor<4096x16x128xf32>
  %7 = mlopt.div %2, %6 : tensor<4096x16x128xf32>
  %8 = mlopt.broadcast %g dims [2] : tensor<128xf32> -> tensor<4096x16x128xf32>
  %9 = mlopt.mul %7, %8 : tensor<4096x16x128xf32>
  %10 = mlopt.convert %9 : tensor<4096x16x128xf32> -> tensor<4096x16x128xbf16>
  %11 = mlopt.transpose %10 perm [1, 0, 2] : tensor<4096x16x128xbf16> -> tensor<16x4096x128xbf16>
  return %0, %11, %5 : tensor<4096x2048xbf16>, tensor<16x4096x128xbf16>, tensor<4096x16xf32>
}

// -----

// No tile holds more than 256 columns.
// CHECK-LABEL: func.func @wide
// CHECK-SAME:    kernels = 2
// CHECK:         reason = "row-too-wide"
func.func @wide(%x: tensor<16384x1024xbf16>, %w: tensor<264x1024xbf16>) -> tensor<16384x264xf32> {
  %0 = mlopt.dot %x, %w contract [1] x [1] : (tensor<16384x1024xbf16>, tensor<264x1024xbf16>) -> tensor<16384x264xf32>
  %1 = mlopt.reduce max %0 dims [1] : (tensor<16384x264xf32>) -> tensor<16384xf32>
  %2 = mlopt.broadcast %1 dims [0] : tensor<16384xf32> -> tensor<16384x264xf32>
  %3 = mlopt.sub %0, %2 : tensor<16384x264xf32>
  return %3 : tensor<16384x264xf32>
}
// Heads that fill no tile.
// CHECK-LABEL: func.func @odd_heads
// CHECK-SAME:    kernels = 2
// CHECK:         reason = "row-too-wide"
func.func @odd_heads(%x: tensor<4096x1024xbf16>, %w: tensor<800x1024xbf16>) -> tensor<4096x10x80xf32> {
  %0 = mlopt.dot %x, %w contract [1] x [1] : (tensor<4096x1024xbf16>, tensor<800x1024xbf16>) -> tensor<4096x800xf32>
  %1 = mlopt.reshape %0 : tensor<4096x800xf32> -> tensor<4096x10x80xf32>
  %2 = mlopt.reduce max %1 dims [2] : (tensor<4096x10x80xf32>) -> tensor<4096x10xf32>
  %3 = mlopt.broadcast %2 dims [0, 1] : tensor<4096x10xf32> -> tensor<4096x10x80xf32>
  %4 = mlopt.sub %1, %3 : tensor<4096x10x80xf32>
  return %4 : tensor<4096x10x80xf32>
}
// Sums in an order that no schedule changes, and the largest element beside
// them.
// CHECK-LABEL: func.func @strict
// CHECK-SAME:    kernels = 2
// CHECK:         reason = "ordered"
func.func @strict(%x: tensor<16384x1024xbf16>, %w: tensor<128x1024xbf16>) -> tensor<16384x128xf32> {
  %0 = mlopt.dot %x, %w contract [1] x [1] : (tensor<16384x1024xbf16>, tensor<128x1024xbf16>) -> tensor<16384x128xf32>
  %1 = mlopt.reduce max %0 dims [1] {numerics = #mlopt.numerics<strict>} : (tensor<16384x128xf32>) -> tensor<16384xf32>
  %2 = mlopt.broadcast %1 dims [0] : tensor<16384xf32> -> tensor<16384x128xf32>
  %3 = mlopt.sub %0, %2 : tensor<16384x128xf32>
  return %3 : tensor<16384x128xf32>
}
// Tiles of whole rows are too few: smaller ones and a second kernel are faster.
// CHECK-LABEL: func.func @few_rows
// CHECK-SAME:    kernels = 2
// CHECK:         reason = "no-gain"
func.func @few_rows(%x: tensor<2048x2048xbf16>, %w: tensor<256x2048xbf16>) -> tensor<2048x256xf32> {
  %0 = mlopt.dot %x, %w contract [1] x [1] : (tensor<2048x2048xbf16>, tensor<256x2048xbf16>) -> tensor<2048x256xf32>
  %1 = mlopt.reduce max %0 dims [1] : (tensor<2048x256xf32>) -> tensor<2048xf32>
  %2 = mlopt.broadcast %1 dims [0] : tensor<2048xf32> -> tensor<2048x256xf32>
  %3 = mlopt.sub %0, %2 : tensor<2048x256xf32>
  return %3 : tensor<2048x256xf32>
}
// A row's value in another row's place.
// CHECK-LABEL: func.func @other_rows
// CHECK-SAME:    kernels = 3
func.func @other_rows(%x: tensor<128x1024xbf16>, %w: tensor<128x1024xbf16>) -> tensor<128x128xf32> {
  %0 = mlopt.dot %x, %w contract [1] x [1] : (tensor<128x1024xbf16>, tensor<128x1024xbf16>) -> tensor<128x128xf32>
  %1 = mlopt.reduce max %0 dims [1] : (tensor<128x128xf32>) -> tensor<128xf32>
  %2 = mlopt.broadcast %1 dims [1] : tensor<128xf32> -> tensor<128x128xf32>
  %3 = mlopt.sub %0, %2 : tensor<128x128xf32>
  return %3 : tensor<128x128xf32>
}
