// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s

// Three products: 64 columns of each in a tile, one instruction for all.
// CHECK:       gpu.binary @three_kernel_0
// CHECK:       wgmma.mma_async.sync.aligned.m64n192k16
// CHECK:       func.func @three
// CHECK:         gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @three(%x: tensor<1024x512xbf16>, %q: tensor<1024x512xbf16>, %k: tensor<1024x512xbf16>, %v: tensor<1024x512xbf16>) -> (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) {
  %0 = mlopt.dot %x, %q contract [1] x [1] : (tensor<1024x512xbf16>, tensor<1024x512xbf16>) -> tensor<1024x1024xbf16>
  %1 = mlopt.dot %x, %k contract [1] x [1] : (tensor<1024x512xbf16>, tensor<1024x512xbf16>) -> tensor<1024x1024xbf16>
  %2 = mlopt.dot %x, %v contract [1] x [1] : (tensor<1024x512xbf16>, tensor<1024x512xbf16>) -> tensor<1024x1024xbf16>
  return %0, %1, %2 : tensor<1024x1024xbf16>, tensor<1024x1024xbf16>, tensor<1024x1024xbf16>
}

// Two products share the factor that a tile's rows come from: columns of both
// others lie side by side in a stage, and the sums of both in a tile.
// CHECK:       gpu.binary @gated_kernel_0
// CHECK:       wgmma.mma_async
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       func.func @gated
// CHECK:         gpu.launch_func {{.*}} args(%arg0 : memref<256x128xbf16>, %arg1 : memref<192x128xbf16>, %arg2 : memref<192x128xbf16>, %arg3 : memref<256x192xbf16>)
// CHECK-NOT:     gpu.launch_func
func.func @gated(%a: tensor<256x128xbf16>, %w: tensor<192x128xbf16>, %v: tensor<192x128xbf16>) -> tensor<256x192xbf16> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<256x128xbf16>, tensor<192x128xbf16>) -> tensor<256x192xf32>
  %1 = mlopt.dot %a, %v contract [1] x [1] : (tensor<256x128xbf16>, tensor<192x128xbf16>) -> tensor<256x192xf32>
  %2 = mlopt.logistic %0 : tensor<256x192xf32>
  %3 = mlopt.mul %0, %2 : tensor<256x192xf32>
  %4 = mlopt.mul %3, %1 : tensor<256x192xf32>
  %5 = mlopt.convert %4 : tensor<256x192xf32> -> tensor<256x192xbf16>
  return %5 : tensor<256x192xbf16>
}

// Products of other widths, one kernel: each result is stored on its own, and
// the producer selects the tensor map of the factor that a tile needs.
// CHECK:       gpu.binary @grouped_kernel_0
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       wgmma.mma_async
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       selp.b64
// CHECK:       cp.async.bulk.tensor.2d.shared::cta.global
// CHECK:       func.func @grouped
// CHECK:         gpu.launch_func {{.*}} args(%arg0 : memref<256x128xbf16>, %arg1 : memref<192x128xbf16>, %arg2 : memref<64x128xbf16>, %arg3 : memref<256x192xbf16>, %arg4 : memref<256x64xbf16>)
// CHECK-NOT:     gpu.launch_func
func.func @grouped(%a: tensor<256x128xbf16>, %w: tensor<192x128xbf16>, %v: tensor<64x128xbf16>) -> (tensor<256x192xbf16>, tensor<256x64xbf16>) {
  %0:2 = mlopt.fusion (%x = %a : tensor<256x128xbf16>, %y = %w : tensor<192x128xbf16>, %z = %v : tensor<64x128xbf16>) -> (tensor<256x192xbf16>, tensor<256x64xbf16>) {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<256x128xbf16>, tensor<192x128xbf16>) -> tensor<256x192xbf16>
    %2 = mlopt.dot %x, %z contract [1] x [1] : (tensor<256x128xbf16>, tensor<64x128xbf16>) -> tensor<256x64xbf16>
    mlopt.yield %1, %2 : tensor<256x192xbf16>, tensor<256x64xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 64, 64>}}
  return %0#0, %0#1 : tensor<256x192xbf16>, tensor<256x64xbf16>
}

// Sums of columns: a warp deals the pieces of 64 columns and its 16 rows out in
// 8 + 4 + 2 exchanges; then two for each thread are stored, and another kernel
// adds them up.
// CHECK:       gpu.binary @columns_kernel_0
// CHECK:       wgmma.mma_async
// CHECK-COUNT-14: shfl.sync.bfly
// CHECK-NOT:   shfl.sync
// CHECK:       gpu.binary @columns_kernel_1
// CHECK:       func.func @columns
// CHECK:         gpu.launch_func @columns_kernel_0
// CHECK:         gpu.launch_func @columns_kernel_1
// CHECK-NOT:     gpu.launch_func
func.func @columns(%a: tensor<256x128xbf16>, %w: tensor<64x128xbf16>) -> (tensor<256x64xbf16>, tensor<64xf32>) {
  %0:2 = mlopt.fusion (%x = %a : tensor<256x128xbf16>, %y = %w : tensor<64x128xbf16>) -> (tensor<256x64xbf16>, tensor<64xf32>) {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<256x128xbf16>, tensor<64x128xbf16>) -> tensor<256x64xf32>
    %2 = mlopt.convert %1 : tensor<256x64xf32> -> tensor<256x64xbf16>
    %3 = mlopt.reduce add %1 dims [0] : (tensor<256x64xf32>) -> tensor<64xf32>
    mlopt.yield %2, %3 : tensor<256x64xbf16>, tensor<64xf32>
  }
  return %0#0, %0#1 : tensor<256x64xbf16>, tensor<64xf32>
}

// The largest element of each row, of four threads: two exchanges for each of a
// thread's two rows, before anything is stored; columns beyond the last one are
// none.
// CHECK:       gpu.binary @rows_kernel_0
// CHECK:       wgmma.wait_group.sync.aligned 0
// CHECK-NOT:   stmatrix
// CHECK-COUNT-4: shfl.sync.bfly
// CHECK-NOT:   shfl.sync
// CHECK:       stmatrix
// CHECK:       func.func @rows
// CHECK:         gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @rows(%a: tensor<256x128xbf16>, %w: tensor<40x128xbf16>) -> tensor<256x40xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<256x128xbf16>, %y = %w : tensor<40x128xbf16>) -> tensor<256x40xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<256x128xbf16>, tensor<40x128xbf16>) -> tensor<256x40xf32>
    %2 = mlopt.reduce max %1 dims [1] : (tensor<256x40xf32>) -> tensor<256xf32>
    %3 = mlopt.broadcast %2 dims [0] : tensor<256xf32> -> tensor<256x40xf32>
    %4 = mlopt.sub %1, %3 : tensor<256x40xf32>
    %5 = mlopt.convert %4 : tensor<256x40xf32> -> tensor<256x40xbf16>
    mlopt.yield %5 : tensor<256x40xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 64, 64>}}
  return %0 : tensor<256x40xbf16>
}

// A residual is read two elements at a time, and a bias once for both rows of a
// thread: 16 accesses of the one, 8 of the other for a block of 64 columns.
// CHECK:       gpu.binary @residual_kernel_0
// CHECK:       wgmma.wait_group.sync.aligned 0
// CHECK-NOT:   ld.global.b16
// CHECK-COUNT-24: ld.global.v2.b16
// CHECK-NOT:   ld.global
// CHECK:       stmatrix
// CHECK:       func.func @residual
func.func @residual(%a: tensor<64x128xbf16>, %w: tensor<64x128xbf16>, %b: tensor<64xbf16>, %r: tensor<64x64xbf16>) -> tensor<64x64xbf16> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x128xbf16>, tensor<64x128xbf16>) -> tensor<64x64xbf16>
  %1 = mlopt.broadcast %b dims [1] : tensor<64xbf16> -> tensor<64x64xbf16>
  %2 = mlopt.add %0, %1 : tensor<64x64xbf16>
  %3 = mlopt.add %2, %r : tensor<64x64xbf16>
  return %3 : tensor<64x64xbf16>
}

// Where both consumers are done with a tile at once, TMA loads the residual, here
// as eight boxes behind the four of the tile's two steps. The bias, a row, is
// still read from memory.
// CHECK:       gpu.binary @loaded_kernel_0
// CHECK-COUNT-12: cp.async.bulk.tensor.2d.shared::cta.global
// CHECK-NOT:   cp.async.bulk.tensor.2d.shared::cta.global
// CHECK:       wgmma.wait_group.sync.aligned 0
// CHECK:       mbarrier.try_wait
// CHECK-COUNT-4: ldmatrix
// CHECK-COUNT-8: ld.global.v2.b16
// CHECK-NOT:   ld.global
// CHECK:       stmatrix
// CHECK:       func.func @loaded
func.func @loaded(%a: tensor<128x128xbf16>, %w: tensor<256x128xbf16>, %b: tensor<256xbf16>, %r: tensor<128x256xbf16>) -> tensor<128x256xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<128x128xbf16>, %y = %w : tensor<256x128xbf16>, %c = %b : tensor<256xbf16>, %s = %r : tensor<128x256xbf16>) -> tensor<128x256xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<128x128xbf16>, tensor<256x128xbf16>) -> tensor<128x256xbf16>
    %2 = mlopt.broadcast %c dims [1] : tensor<256xbf16> -> tensor<128x256xbf16>
    %3 = mlopt.add %1, %2 : tensor<128x256xbf16>
    %4 = mlopt.add %3, %s : tensor<128x256xbf16>
    mlopt.yield %4 : tensor<128x256xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 4 : i64, tile = array<i64: 128, 256, 64>}}
  return %0 : tensor<128x256xbf16>
}

// What all batches share is no residual of theirs.
// CHECK:       gpu.binary @shared_kernel_0
// CHECK:       wgmma.wait_group.sync.aligned 0
// CHECK-NOT:   ldmatrix
// CHECK:       ld.global.v2.b32
// CHECK:       func.func @shared
func.func @shared(%a: tensor<3x128x128xbf16>, %w: tensor<3x128x128xbf16>, %r: tensor<128x128xf32>) -> tensor<3x128x128xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<3x128x128xbf16>, %y = %w : tensor<3x128x128xbf16>, %s = %r : tensor<128x128xf32>) -> tensor<3x128x128xbf16> {
    %1 = mlopt.dot %x, %y batch [0] x [0] contract [2] x [2] : (tensor<3x128x128xbf16>, tensor<3x128x128xbf16>) -> tensor<3x128x128xf32>
    %2 = mlopt.broadcast %s dims [1, 2] : tensor<128x128xf32> -> tensor<3x128x128xf32>
    %3 = mlopt.add %1, %2 : tensor<3x128x128xf32>
    %4 = mlopt.convert %3 : tensor<3x128x128xf32> -> tensor<3x128x128xbf16>
    mlopt.yield %4 : tensor<3x128x128xbf16>
  } {mlopt.schedule = {family = "matmul", band = 16 : i64, stages = 6 : i64, tile = array<i64: 128, 128, 64>}}
  return %0 : tensor<3x128x128xbf16>
}

// Heads side by side become heads one after the other: a box lies within one.
// CHECK:       gpu.binary @heads_kernel_0
// CHECK:       cp.async.bulk.tensor.4d.global.shared::cta
// CHECK:       func.func @heads
// CHECK-SAME:    memref<2x6x128x64xbf16>
// CHECK:         gpu.launch_func
// CHECK-SAME:      {box = array<i64: 64, 64, 1, 1>, dims = array<i64: 64, 128, 6, 2>, strides = array<i64: 128, 16384, 98304>, swizzle = 128 : i64, type = "bf16"}
func.func @heads(%a: tensor<256x128xbf16>, %w: tensor<384x128xbf16>) -> tensor<2x6x128x64xbf16> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<256x128xbf16>, tensor<384x128xbf16>) -> tensor<256x384xbf16>
  %1 = mlopt.reshape %0 : tensor<256x384xbf16> -> tensor<2x128x6x64xbf16>
  %2 = mlopt.transpose %1 perm [0, 2, 1, 3] : tensor<2x128x6x64xbf16> -> tensor<2x6x128x64xbf16>
  return %2 : tensor<2x6x128x64xbf16>
}

// Results of several types. What TMA cannot store goes out where it is, here
// bytes; the others through slots.
// CHECK:       gpu.binary @several_kernel_0
// CHECK:       st.global
// CHECK:       st.shared.v2.f32
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       stmatrix
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       func.func @several
// CHECK-NOT:     gpu.launch_func
// CHECK:         gpu.launch_func
// CHECK-NOT:     gpu.launch_func
func.func @several(%a: tensor<256x128xbf16>, %w: tensor<192x128xbf16>) -> (tensor<256x192xbf16>, tensor<256x192xf32>, tensor<256x192xi1>) {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<256x128xbf16>, tensor<192x128xbf16>) -> tensor<256x192xf32>
  %1 = mlopt.constant dense<0.0> : tensor<256x192xf32>
  %2 = mlopt.compare gt, %0, %1 : tensor<256x192xf32>
  %3 = mlopt.max %0, %1 : tensor<256x192xf32>
  %4 = mlopt.convert %3 : tensor<256x192xf32> -> tensor<256x192xbf16>
  return %4, %0, %2 : tensor<256x192xbf16>, tensor<256x192xf32>, tensor<256x192xi1>
}

// Rows of 2 * 77 bytes are out of TMA's reach, as a result; the factors are not.
// Each warp stages its rows and stores them one by one.
// CHECK:       gpu.binary @odd_kernel_0
// CHECK:       wgmma.mma_async
// CHECK:       stmatrix
// CHECK:       bar.warp.sync
// CHECK:       st.global.b16
// CHECK-NOT:   cp.async.bulk.tensor.2d.global
// CHECK:       func.func @odd
func.func @odd(%a: tensor<256x128xbf16>, %w: tensor<77x128xbf16>) -> tensor<256x77xbf16> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<256x128xbf16>, tensor<77x128xbf16>) -> tensor<256x77xbf16>
  return %0 : tensor<256x77xbf16>
}
