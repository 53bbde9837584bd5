// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s
// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse))' | FileCheck %s --check-prefix=OTHER

// No kernel but those of wgmma reduces what a product stores.
// OTHER-NOT: kernels = 1 :

// A bias' gradient: the sums of columns of what a backward product stores.
// CHECK-LABEL: func.func @columns
// CHECK-SAME: kernels = 1
func.func @columns(%a: tensor<512x256xbf16>, %w: tensor<1024x256xbf16>) -> (tensor<512x1024xbf16>, tensor<1024xbf16>) {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<512x256xbf16>, tensor<1024x256xbf16>) -> tensor<512x1024xbf16>
  %1 = mlopt.convert %0 : tensor<512x1024xbf16> -> tensor<512x1024xf32>
  %2 = mlopt.reduce add %1 dims [0] : (tensor<512x1024xf32>) -> tensor<1024xf32>
  %3 = mlopt.convert %2 : tensor<1024xf32> -> tensor<1024xbf16>
  return %0, %3 : tensor<512x1024xbf16>, tensor<1024xbf16>
}
// The same of rows; of several dimensions.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: kernels = 1
func.func @rows(%a: tensor<2x256x256xbf16>, %w: tensor<1024x256xbf16>) -> (tensor<2x256x1024xbf16>, tensor<2x256xf32>, tensor<1024xf32>) {
  %0 = mlopt.dot %a, %w contract [2] x [1] : (tensor<2x256x256xbf16>, tensor<1024x256xbf16>) -> tensor<2x256x1024xf32>
  %1 = mlopt.convert %0 : tensor<2x256x1024xf32> -> tensor<2x256x1024xbf16>
  %2 = mlopt.reduce max %0 dims [2] : (tensor<2x256x1024xf32>) -> tensor<2x256xf32>
  %3 = mlopt.reduce add %0 dims [0, 1] : (tensor<2x256x1024xf32>) -> tensor<1024xf32>
  return %1, %2, %3 : tensor<2x256x1024xbf16>, tensor<2x256xf32>, tensor<1024xf32>
}

// -----

// Pieces must fill the dimension.
// CHECK-LABEL: func.func @uneven
// CHECK-SAME: kernels = 2
// CHECK: reason = "contraction"
func.func @uneven(%a: tensor<520x256xbf16>, %w: tensor<1024x256xbf16>) -> (tensor<520x1024xbf16>, tensor<1024xf32>) {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<520x256xbf16>, tensor<1024x256xbf16>) -> tensor<520x1024xf32>
  %1 = mlopt.convert %0 : tensor<520x1024xf32> -> tensor<520x1024xbf16>
  %2 = mlopt.reduce add %0 dims [0] : (tensor<520x1024xf32>) -> tensor<1024xf32>
  return %1, %2 : tensor<520x1024xbf16>, tensor<1024xf32>
}
// What needs the whole row again reads it anyway, and reduces it there.
// CHECK-LABEL: func.func @normalised
// CHECK-SAME: kernels = 2
func.func @normalised(%a: tensor<512x256xbf16>, %w: tensor<1024x256xbf16>) -> tensor<512x1024xf32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<512x256xbf16>, tensor<1024x256xbf16>) -> tensor<512x1024xf32>
  %1 = mlopt.reduce max %0 dims [1] : (tensor<512x1024xf32>) -> tensor<512xf32>
  %2 = mlopt.broadcast %1 dims [0] : tensor<512xf32> -> tensor<512x1024xf32>
  %3 = mlopt.sub %0, %2 : tensor<512x1024xf32>
  return %3 : tensor<512x1024xf32>
}
// An order that no schedule changes is no tile's.
// CHECK-LABEL: func.func @strict
// CHECK-SAME: kernels = 2
// CHECK: reason = "ordered"
func.func @strict(%a: tensor<512x256xbf16>, %w: tensor<1024x256xbf16>) -> (tensor<512x1024xf32>, tensor<1024xf32>) {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<512x256xbf16>, tensor<1024x256xbf16>) -> tensor<512x1024xf32>
  %1 = mlopt.reduce add %0 dims [0] {numerics = #mlopt.numerics<strict>} : (tensor<512x1024xf32>) -> tensor<1024xf32>
  return %0, %1 : tensor<512x1024xf32>, tensor<1024xf32>
}
// A few rows are no tile's, either.
// CHECK-LABEL: func.func @few_rows
// CHECK-SAME: kernels = 2
func.func @few_rows(%a: tensor<16x4096xbf16>, %w: tensor<4096x4096xbf16>) -> (tensor<16x4096xbf16>, tensor<16xf32>) {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<16x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16x4096xf32>
  %1 = mlopt.convert %0 : tensor<16x4096xf32> -> tensor<16x4096xbf16>
  %2 = mlopt.reduce add %0 dims [1] : (tensor<16x4096xf32>) -> tensor<16xf32>
  return %1, %2 : tensor<16x4096xbf16>, tensor<16xf32>
}
