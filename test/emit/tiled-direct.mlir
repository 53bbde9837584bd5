// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s

// A short side: both factors go from memory to the fragments of mma.sync, the
// long one past the cache, each row in two rows of a fragment. Nothing is staged
// but the sums of the groups, which meet twice: once all are there, and once
// they are added.
// CHECK:       gpu.binary @short_side_kernel_0
// CHECK-NOT:   cp.async
// CHECK:       ld.global.nc.L1::no_allocate.v4.b32
// CHECK-NOT:   bar.sync
// CHECK:       ld.global.nc.v4.b32
// CHECK:       mma.sync.aligned.m16n8k16
// CHECK-NOT:   ldmatrix
// CHECK:       shfl.sync.bfly
// CHECK-COUNT-2: bar.sync
// CHECK-NOT:   bar.sync
// CHECK:       func.func @short_side
func.func @short_side(%a: tensor<4x2048xbf16>, %b: tensor<4096x2048xbf16>) -> tensor<4x4096xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<4x2048xbf16>, tensor<4096x2048xbf16>) -> tensor<4x4096xbf16>
  return %0 : tensor<4x4096xbf16>
}

// Rows that start at odd elements come as aligned words, which are shifted.
// CHECK:       gpu.binary @odd_rows_kernel_0
// CHECK:       ld.global.nc.b32
// CHECK:       shf.r
// CHECK:       mma.sync.aligned.m16n8k16
// CHECK-NOT:   ldmatrix
// CHECK:       func.func @odd_rows
func.func @odd_rows(%a: tensor<2x909xbf16>, %b: tensor<4360x909xbf16>) -> tensor<2x4360xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<2x909xbf16>, tensor<4360x909xbf16>) -> tensor<2x4360xbf16>
  return %0 : tensor<2x4360xbf16>
}

// Of an odd number of elements the last word ends beyond the tensor: what is in
// it is loaded apart, once.
// CHECK:       gpu.binary @last_word_kernel_0
// CHECK:       ld.global.nc.u16
// CHECK-NOT:   ld.global.nc.u16
// CHECK:       ld.global.nc.b32
// CHECK-NOT:   ld.global.nc.u16
// CHECK:       func.func @last_word
func.func @last_word(%a: tensor<2x909xbf16>, %b: tensor<4361x909xbf16>) -> tensor<2x4361xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<2x909xbf16>, tensor<4361x909xbf16>) -> tensor<2x4361xbf16>
  return %0 : tensor<2x4361xbf16>
}

// Rows that are a multiple of two elements come in words.
// CHECK:       gpu.binary @even_rows_kernel_0
// CHECK-NOT:   shf.r
// CHECK:       mma.sync.aligned.m16n8k16
// CHECK:       func.func @even_rows
func.func @even_rows(%a: tensor<2x910xbf16>, %b: tensor<4360x910xbf16>) -> tensor<2x4360xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<2x910xbf16>, tensor<4360x910xbf16>) -> tensor<2x4360xbf16>
  return %0 : tensor<2x4360xbf16>
}
