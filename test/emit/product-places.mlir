// RUN: mlopt-compile %s --emit=plan | FileCheck %s
// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s --check-prefix=PTX
// RUN: mlopt-opt %s -mlopt-to-gpu=chip=sm_80 | FileCheck %s --check-prefix=OLD
// OLD-NOT: wgmma

// Heads side by side, two batches: a dimension of the map for each.
// CHECK-LABEL: func.func @heads
// CHECK:         mlopt.tensor_maps = [{box = array<i64: 64, 64, 1, 1>, dims = array<i64: 64, 150, 2, 3>, strides = array<i64: 384, 57600, 128>, swizzle = 128 : i64, type = "bf16"}
// PTX-LABEL:   gpu.binary @heads_kernel_0
// PTX-DAG:     cp.async.bulk.tensor.4d.shared::cta.global.tile
// PTX-DAG:     wgmma.mma_async
func.func @heads(%q: tensor<2x150x3x64xbf16>, %k: tensor<2x100x3x64xbf16>) -> tensor<2x3x150x100xbf16> {
  %0 = mlopt.dot %q, %k batch [0, 2] x [0, 2] contract [3] x [3] : (tensor<2x150x3x64xbf16>, tensor<2x100x3x64xbf16>) -> tensor<2x3x150x100xbf16>
  return %0 : tensor<2x3x150x100xbf16>
}

// Queries and keys are slices of one tensor: one map starts behind the other.
// CHECK-LABEL: func.func @slices
// CHECK-NOT:     gpu.launch_func @slices_kernel_1
// CHECK:         args(%arg0 : {{[^,]*}}, %arg0 : {{[^,]*}}, %arg1 :
// CHECK-SAME:    {box = array<i64: 64, 64, 1, 1>, dims = array<i64: 64, 100, 2, 4>, offset = 512 : i64, strides = array<i64: 1536, 153600, 128>,
// CHECK-SAME:    {box = array<i64: 64, 64, 1, 1>, dims = array<i64: 64, 100, 2, 4>, strides = array<i64: 1536, 153600, 128>,
func.func @slices(%qkv: tensor<2x100x3x4x64xbf16>) -> tensor<2x4x100x100xf32> {
  %0 = mlopt.slice %qkv starts [0, 0, 0, 0, 0] limits [2, 100, 1, 4, 64] strides [1, 1, 1, 1, 1] : tensor<2x100x3x4x64xbf16> -> tensor<2x100x1x4x64xbf16>
  %1 = mlopt.reshape %0 : tensor<2x100x1x4x64xbf16> -> tensor<2x100x4x64xbf16>
  %2 = mlopt.slice %qkv starts [0, 0, 1, 0, 0] limits [2, 100, 2, 4, 64] strides [1, 1, 1, 1, 1] : tensor<2x100x3x4x64xbf16> -> tensor<2x100x1x4x64xbf16>
  %3 = mlopt.reshape %2 : tensor<2x100x1x4x64xbf16> -> tensor<2x100x4x64xbf16>
  %4 = mlopt.dot %1, %3 batch [0, 2] x [0, 2] contract [3] x [3] : (tensor<2x100x4x64xbf16>, tensor<2x100x4x64xbf16>) -> tensor<2x4x100x100xf32>
  return %4 : tensor<2x4x100x100xf32>
}

// Rows that lie apart are pixels without a window; a box may hold some of
// several of them.
// CHECK-LABEL: func.func @rows_apart
// CHECK:         mlopt.tensor_maps = [{box = array<i64: 64, 64>, dims = array<i64: 12864, 50, 3>, high = array<i64: 0>, low = array<i64: 0>, steps = array<i64: 1>, strides = array<i64: 128, 32000>,
func.func @rows_apart(%a: tensor<3x5x50x64xbf16>, %b: tensor<5x96x64xbf16>) -> tensor<5x3x50x96xbf16> {
  %0 = mlopt.dot %a, %b batch [1] x [0] contract [3] x [2] : (tensor<3x5x50x64xbf16>, tensor<5x96x64xbf16>) -> tensor<5x3x50x96xbf16>
  return %0 : tensor<5x3x50x96xbf16>
}

// Sums over two dimensions that lie apart: no step reaches over the end of one.
// CHECK-LABEL: func.func @depth_apart
// CHECK:         dims = array<i64: 40, 130, 3>, strides = array<i64: 80, 10400>
func.func @depth_apart(%a: tensor<3x130x40xbf16>, %b: tensor<3x72x40xbf16>) -> tensor<130x72xbf16> {
  %0 = mlopt.dot %a, %b contract [0, 2] x [0, 2] : (tensor<3x130x40xbf16>, tensor<3x72x40xbf16>) -> tensor<130x72xbf16>
  return %0 : tensor<130x72xbf16>
}

// A convolution: windows over the input's pixels that the taps move, zeros
// around them, and weights as they lie.
// CHECK-LABEL: func.func @conv
// CHECK-NOT:     gpu.launch_func @conv_kernel_1
// CHECK:         {box = array<i64: 64, 64, 1, 1>, dims = array<i64: 64, 64, 3, 3>, strides = array<i64: 1152, 384, 128>,
// CHECK-SAME:    {box = array<i64: 64, 64>, dims = array<i64: 64, 56, 28, 2>, high = array<i64: -2, -1>, low = array<i64: -1, -1>, steps = array<i64: 2, 1>, strides = array<i64: 128, 7168, 200704>,
// PTX-LABEL:   gpu.binary @conv_kernel_0
// PTX-DAG:     cp.async.bulk.tensor.4d.shared::cta.global.im2col
// PTX-DAG:     cp.async.bulk.tensor.4d.shared::cta.global.tile
// PTX-DAG:     wgmma.mma_async
func.func @conv(%x: tensor<2x28x56x64xf16>, %w: tensor<64x3x3x64xf16>, %b: tensor<64xf16>) -> tensor<2x28x28x64xf16> {
  %0 = mlopt.transpose %w perm [1, 2, 3, 0] : tensor<64x3x3x64xf16> -> tensor<3x3x64x64xf16>
  %1 = mlopt.conv %x, %0 strides [1, 2] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<2x28x56x64xf16>, tensor<3x3x64x64xf16>) -> tensor<2x28x28x64xf16>
  %2 = mlopt.broadcast %b dims [3] : tensor<64xf16> -> tensor<2x28x28x64xf16>
  %3 = mlopt.add %1, %2 : tensor<2x28x28x64xf16>
  return %3 : tensor<2x28x28x64xf16>
}

// Steps that TMA does not take, and windows that move too far, are for tiles.
// CHECK-LABEL: llvm.func @odd_kernel_0
// CHECK-SAME:    family = "tiled"
func.func @odd(%x: tensor<2x28x28x36xf16>, %w: tensor<3x3x36x64xf16>) -> tensor<2x28x28x64xf16> {
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<2x28x28x36xf16>, tensor<3x3x36x64xf16>) -> tensor<2x28x28x64xf16>
  return %0 : tensor<2x28x28x64xf16>
}
// CHECK-LABEL: llvm.func @far_kernel_0
// CHECK-SAME:    family = "tiled"
func.func @far(%x: tensor<1x300x300x64xf16>, %w: tensor<2x2x64x64xf16>) -> tensor<1x300x300x64xf16> {
  %0 = mlopt.conv %x, %w strides [1, 1] low [150, 150] high [150, 150] input_dilation [1, 1] window_dilation [300, 300] : (tensor<1x300x300x64xf16>, tensor<2x2x64x64xf16>) -> tensor<1x300x300x64xf16>
  return %0 : tensor<1x300x300x64xf16>
}
