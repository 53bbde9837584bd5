// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: mlopt-opt %s -mlopt-to-gpu=chip=sm_80 | FileCheck %s --check-prefixes=CHECK,SM80

// Rows of 2 * 333 bytes: aligned words go through registers, where they are
// shifted into place and masked past the edges, and are multiplied on mma.sync.
// CHECK:       gpu.binary @odd_kernel_0
// CHECK-NOT:   cp.async
// CHECK:       @p ld.global.nc.b32
// CHECK:       shf.r.wrap.b32
// CHECK:       bmsk.clamp.b32
// CHECK:       st.shared.v4.b32
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT:   wgmma
// CHECK:       func.func @odd
func.func @odd(%a: tensor<64x333xbf16>, %b: tensor<64x333xbf16>) -> tensor<64x64xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<64x333xbf16>, tensor<64x333xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

// f32 in full: each factor becomes three terms of bf16 in registers, and f32
// additions put the stages together.
// CHECK:       gpu.binary @single_kernel_0
// CHECK:       cp.async.cg.shared.global {{[^;]*}}, 16
// CHECK:       cp.async.wait_group 2
// CHECK:       cvt.rz.bf16x2.f32
// CHECK:       mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK:       add.rn.f32
// CHECK:       func.func @single
func.func @single(%a: tensor<128x64xf32>, %b: tensor<64x256xf32>) -> tensor<128x256xf32> {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
  return %0 : tensor<128x256xf32>
}

// Beside a factor that was bf16, three products do for six; it lies in shared
// memory as it is, and is copied there several steps ahead, too.
// CHECK:       gpu.binary @mixed_kernel_0
// CHECK-NOT:   ld.global
// CHECK:       cp.async.cg.shared.global
// CHECK-NOT:   cvt.rn.f32.bf16
// CHECK-COUNT-16: prmt.b32 {{[^;]*}}, 0x{{5410|7632}};
// CHECK-COUNT-48: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT:   mma.sync
// CHECK:       func.func @mixed
func.func @mixed(%a: tensor<128x64xf32>, %b: tensor<64x256xbf16>) -> tensor<128x256xf32> {
  %0 = mlopt.convert %b : tensor<64x256xbf16> -> tensor<64x256xf32>
  %1 = mlopt.dot %a, %0 contract [1] x [0] : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
  return %1 : tensor<128x256xf32>
}

// A convolution is a product whose factor is read in place: eight bytes of
// channels at a time, or zeros of the padding. Rows of the weights run along n.
// CHECK:       gpu.binary @conv_kernel_0
// CHECK:       cp.async.ca.shared.global {{[^;]*}}, 8, %r
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK:       mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK:       func.func @conv
func.func @conv(%x: tensor<2x14x14x36xf16>, %w: tensor<3x3x36x64xf16>) -> tensor<2x14x14x64xf16> {
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<2x14x14x36xf16>, tensor<3x3x36x64xf16>) -> tensor<2x14x14x64xf16>
  return %0 : tensor<2x14x14x64xf16>
}

// What follows the product is computed from the sums in shared memory; four
// elements of the bias come at once.
// CHECK:       gpu.binary @bias_kernel_0
// CHECK:       mma.sync
// CHECK:       ld.shared{{(::cluster)?}}.v4.f32
// CHECK:       ld.global.v4
// CHECK:       add.rn.f32
// CHECK:       st.global.v{{[24]}}
// CHECK:       func.func @bias
func.func @bias(%a: tensor<60x333xbf16>, %b: tensor<64x333xbf16>, %v: tensor<64xf32>) -> tensor<60x64xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<60x333xbf16>, %y = %b : tensor<64x333xbf16>, %w = %v : tensor<64xf32>) -> tensor<60x64xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<60x333xbf16>, tensor<64x333xbf16>) -> tensor<60x64xf32>
    %2 = mlopt.broadcast %w dims [1] : tensor<64xf32> -> tensor<60x64xf32>
    %3 = mlopt.add %1, %2 : tensor<60x64xf32>
    %4 = mlopt.convert %3 : tensor<60x64xf32> -> tensor<60x64xbf16>
    mlopt.yield %4 : tensor<60x64xbf16>
  }
  return %0 : tensor<60x64xbf16>
}

// f64 has a product of its own, and on sm_90 a larger one.
// CHECK:       gpu.binary @double_kernel_0
// SM90:        mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64
// SM80:        mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// CHECK-NOT:   fma.rn.f64
// CHECK:       func.func @double
func.func @double(%a: tensor<64x128xf64>, %b: tensor<64x128xf64>) -> tensor<64x64xf64> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<64x128xf64>, tensor<64x128xf64>) -> tensor<64x64xf64>
  return %0 : tensor<64x64xf64>
}

// Wider integers are multiplied one by one.
// CHECK:       gpu.binary @integers_kernel_0
// CHECK:       mad.lo.s32
// CHECK-NOT:   mma.sync
// CHECK:       func.func @integers
func.func @integers(%a: tensor<64x128xi32>, %b: tensor<64x128xi32>) -> tensor<64x64xi32> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<64x128xi32>, tensor<64x128xi32>) -> tensor<64x64xi32>
  return %0 : tensor<64x64xi32>
}

// Two bytes of a row at a time, as they are.
// CHECK:       gpu.binary @bytes_kernel_0
// CHECK:       ld.global.nc.u16
// CHECK:       st.shared.u16
// CHECK:       mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK-NOT:   mad.lo.s32 {{[^;]*}}%r{{[0-9]+}}, %r{{[0-9]+}}, %r
// CHECK:       func.func @bytes
func.func @bytes(%a: tensor<17x130xi8>, %b: tensor<130x333xi8>) -> tensor<17x333xi32> {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<17x130xi8>, tensor<130x333xi8>) -> tensor<17x333xi32>
  return %0 : tensor<17x333xi32>
}

// A strict sum is one chain: no group of warps takes a part of it.
// CHECK:       gpu.binary @strict_kernel_0
// CHECK:       .reqntid 128
// CHECK:       mma.sync
// CHECK:       func.func @strict
func.func @strict(%a: tensor<64x333xbf16>, %b: tensor<64x333xbf16>) -> tensor<64x64xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] {numerics = #mlopt.numerics<strict>} : (tensor<64x333xbf16>, tensor<64x333xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
}

// Steps in which a mask has made a factor zero for the whole tile are left out.
// CHECK:       gpu.binary @masked_kernel_1
// CHECK:       %ctaid.x
// CHECK:       min.u32
// CHECK:       mma.sync
// CHECK:       func.func @masked
func.func @masked(%x: tensor<512x256xf32>, %y: tensor<256x64xbf16>) -> tensor<512x64xf32> {
  %i = mlopt.iota dim 0 : tensor<512x256xi32>
  %j = mlopt.iota dim 1 : tensor<512x256xi32>
  %m = mlopt.compare ge, %i, %j : tensor<512x256xi32>
  %z = mlopt.constant dense<0.0> : tensor<512x256xf32>
  %s = mlopt.select %m, %x, %z : tensor<512x256xf32>
  %0 = mlopt.dot %s, %y contract [1] x [0] : (tensor<512x256xf32>, tensor<256x64xbf16>) -> tensor<512x64xf32>
  return %0 : tensor<512x64xf32>
}
