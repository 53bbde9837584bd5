// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s

// Slices of one tensor are read where they lie, by each product again.
// CHECK-LABEL: func.func @attention
// CHECK-SAME:    kernels = 2
// CHECK:         mlopt.fusion (%{{[^,]*}} = %arg0 : tensor<3x8x128x64xbf16>)
// CHECK-COUNT-2:   mlopt.slice
// CHECK:           mlopt.dot
// CHECK:         mlopt.fusion
// CHECK:           mlopt.slice
// CHECK:           mlopt.dot
// CHECK-NOT:     mlopt.fusion
func.func @attention(%qkv: tensor<3x8x128x64xbf16>) -> tensor<8x128x64xbf16> {
  %0 = mlopt.slice %qkv starts [0, 0, 0, 0] limits [1, 8, 128, 64] strides [1, 1, 1, 1] : tensor<3x8x128x64xbf16> -> tensor<1x8x128x64xbf16>
  %1 = mlopt.slice %qkv starts [1, 0, 0, 0] limits [2, 8, 128, 64] strides [1, 1, 1, 1] : tensor<3x8x128x64xbf16> -> tensor<1x8x128x64xbf16>
  %2 = mlopt.slice %qkv starts [2, 0, 0, 0] limits [3, 8, 128, 64] strides [1, 1, 1, 1] : tensor<3x8x128x64xbf16> -> tensor<1x8x128x64xbf16>
  %q = mlopt.reshape %0 : tensor<1x8x128x64xbf16> -> tensor<8x128x64xbf16>
  %k = mlopt.reshape %1 : tensor<1x8x128x64xbf16> -> tensor<8x128x64xbf16>
  %v = mlopt.reshape %2 : tensor<1x8x128x64xbf16> -> tensor<8x128x64xbf16>
  %s = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<8x128x64xbf16>, tensor<8x128x64xbf16>) -> tensor<8x128x128xbf16>
  %r = mlopt.dot %s, %v batch [0] x [0] contract [2] x [1] : (tensor<8x128x128xbf16>, tensor<8x128x64xbf16>) -> tensor<8x128x64xbf16>
  return %r : tensor<8x128x64xbf16>
}

// -----

// A convolution with its weights transposed and what follows it.
// CHECK-LABEL: func.func @conv
// CHECK-SAME:    kernels = 1
func.func @conv(%x: tensor<2x14x14x32xbf16>, %w: tensor<64x3x3x32xbf16>, %b: tensor<64xbf16>) -> tensor<2x14x14x64xbf16> {
  %0 = mlopt.transpose %w perm [1, 2, 3, 0] : tensor<64x3x3x32xbf16> -> tensor<3x3x32x64xbf16>
  %1 = mlopt.conv %x, %0 strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<2x14x14x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<2x14x14x64xbf16>
  %2 = mlopt.broadcast %b dims [3] : tensor<64xbf16> -> tensor<2x14x14x64xbf16>
  %3 = mlopt.add %1, %2 : tensor<2x14x14x64xbf16>
  return %3 : tensor<2x14x14x64xbf16>
}

// -----

// Not from every place: one of 8 bytes from the start is copied before.
// CHECK-LABEL: func.func @unaligned
// CHECK-SAME:    kernels = 2
// CHECK:         mlopt.fusion
// CHECK:           mlopt.slice
// CHECK:         mlopt.ledger = [{bytes = {{.*}}, operand = 0 : i64, reason = "factor"}]
func.func @unaligned(%x: tensor<64x100xbf16>, %w: tensor<32x96xbf16>) -> tensor<64x32xbf16> {
  %0 = mlopt.slice %x starts [0, 4] limits [64, 100] strides [1, 1] : tensor<64x100xbf16> -> tensor<64x96xbf16>
  %1 = mlopt.dot %0, %w contract [1] x [1] : (tensor<64x96xbf16>, tensor<32x96xbf16>) -> tensor<64x32xbf16>
  return %1 : tensor<64x32xbf16>
}

// -----

// Nor every other element.
// CHECK-LABEL: func.func @strided
// CHECK-SAME:    kernels = 2
// CHECK:         reason = "factor"
func.func @strided(%x: tensor<64x128xbf16>, %w: tensor<32x64xbf16>) -> tensor<64x32xbf16> {
  %0 = mlopt.slice %x starts [0, 0] limits [64, 128] strides [1, 2] : tensor<64x128xbf16> -> tensor<64x64xbf16>
  %1 = mlopt.dot %0, %w contract [1] x [1] : (tensor<64x64xbf16>, tensor<32x64xbf16>) -> tensor<64x32xbf16>
  return %1 : tensor<64x32xbf16>
}

// -----

// But every other row.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    kernels = 1
func.func @rows(%x: tensor<128x64xbf16>, %w: tensor<32x64xbf16>) -> tensor<64x32xbf16> {
  %0 = mlopt.slice %x starts [0, 0] limits [128, 64] strides [2, 1] : tensor<128x64xbf16> -> tensor<64x64xbf16>
  %1 = mlopt.dot %0, %w contract [1] x [1] : (tensor<64x64xbf16>, tensor<32x64xbf16>) -> tensor<64x32xbf16>
  return %1 : tensor<64x32xbf16>
}

// -----

// The gradient of a convolution by its input takes weights in reverse.
// CHECK-LABEL: func.func @gradient
// CHECK-SAME:    kernels = 1
func.func @gradient(%y: tensor<2x14x14x64xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<2x14x14x32xbf16> {
  %0 = mlopt.reverse %w dims [0, 1] : tensor<3x3x32x64xbf16>
  %1 = mlopt.transpose %0 perm [0, 1, 3, 2] : tensor<3x3x32x64xbf16> -> tensor<3x3x64x32xbf16>
  %2 = mlopt.conv %y, %1 strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<2x14x14x64xbf16>, tensor<3x3x64x32xbf16>) -> tensor<2x14x14x32xbf16>
  return %2 : tensor<2x14x14x32xbf16>
}

// -----

// A constant lies nowhere.
// CHECK-LABEL: func.func @constant
// CHECK:         mlopt.dot
func.func @constant(%x: tensor<8x16xf32>) -> tensor<8x8xf32> {
  %c = mlopt.constant dense<0.75> : tensor<8x16xf32>
  %0 = mlopt.dot %x, %c contract [1] x [1] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
  %1 = mlopt.tanh %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
