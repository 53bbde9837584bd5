// RUN: mlopt-opt %s -split-input-file -mlopt-to-gpu | FileCheck %s

// Rows that indices choose go to shared memory by cp.async, from all of the
// producer's threads; consumers order that before wgmma, whose other factor TMA
// loads. A row's index is read once for a tile.
// CHECK:       gpu.binary @gathered_kernel_0
// CHECK-NOT:   gpu.binary @gathered_kernel_1
// CHECK:       mbarrier.try_wait
// CHECK:       fence.proxy.async
// CHECK:       wgmma.mma_async
// CHECK:       setmaxnreg.dec
// CHECK-COUNT-8: ld.global.b32
// CHECK-NOT:   ld.global
// CHECK-COUNT-8: cp.async.cg.shared.global [{{[^;]*}}], 16;
// CHECK-NOT:   ld.global
// CHECK:       cp.async.mbarrier.arrive.noinc
// CHECK:       cp.async.bulk.tensor.2d.shared
// CHECK:       func.func @gathered
func.func @gathered(%x: tensor<9000x512xbf16>, %i: tensor<4096x1xi32>, %w: tensor<4096x512xbf16>) -> tensor<4096x4096xbf16> {
  %g = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 512] : (tensor<9000x512xbf16>, tensor<4096x1xi32>) -> tensor<4096x512xbf16>
  %r = mlopt.dot %g, %w contract [1] x [1] : (tensor<4096x512xbf16>, tensor<4096x512xbf16>) -> tensor<4096x4096xbf16>
  return %r : tensor<4096x4096xbf16>
}

// -----

// Weights of 8 bits are loaded a step ahead, converted by their bits and scaled
// two by two, and stored; warps arrive behind a fence. Scales are read once for
// a tile, before its steps.
// CHECK:       gpu.binary @scaled_kernel_0
// CHECK-NOT:   gpu.binary @scaled_kernel_1
// CHECK:       wgmma.mma_async
// CHECK:       setmaxnreg.dec
// CHECK:       ld.global.b16
// CHECK-NOT:   cvt.rn.f32.s8
// CHECK:       prmt
// CHECK-NOT:   ld.global.b16
// CHECK:       mul.rn.bf16x2
// CHECK-NOT:   ld.global.b16
// CHECK:       st.shared.v4
// CHECK-NOT:   ld.global.b16
// CHECK:       fence.proxy.async
// CHECK-NOT:   ld.global.b16
// CHECK:       mbarrier.arrive
// CHECK:       func.func @scaled
func.func @scaled(%x: tensor<512x128xbf16>, %w: tensor<512x128xi8>, %s: tensor<512xbf16>) -> tensor<512x512xbf16> {
  %f = mlopt.convert %w : tensor<512x128xi8> -> tensor<512x128xbf16>
  %b = mlopt.broadcast %s dims [0] : tensor<512xbf16> -> tensor<512x128xbf16>
  %v = mlopt.mul %f, %b : tensor<512x128xbf16>
  %r = mlopt.dot %x, %v contract [1] x [1] : (tensor<512x128xbf16>, tensor<512x128xbf16>) -> tensor<512x512xbf16>
  return %r : tensor<512x512xbf16>
}
