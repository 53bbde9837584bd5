// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: mlopt-opt %s -mlopt-to-gpu=chip=sm_80 | FileCheck %s --check-prefixes=CHECK,SM80

// Integers of 8 bits are multiplied as they lie in memory, also the unsigned
// ones.
// CHECK:       gpu.binary @integers_kernel_0
// CHECK:       cp.async.cg.shared.global
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK:       mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK:       func.func @integers
func.func @integers(%a: tensor<16x1024xi8>, %b: tensor<1024x1024xi8>) -> tensor<16x1024xi32> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<16x1024xi8>, tensor<1024x1024xi8>) -> tensor<16x1024xi32>
  return %0 : tensor<16x1024xi32>
}

// CHECK:       gpu.binary @unsigned_kernel_0
// CHECK:       mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
// CHECK:       func.func @unsigned
func.func @unsigned(%a: tensor<16x1024xi8>, %b: tensor<1024x1024xi8>) -> tensor<16x1024xi32> {
  %0 = mlopt.dot %a, %b contract [1] x [1] {unsigned} : (tensor<16x1024xi8>, tensor<1024x1024xi8>) -> tensor<16x1024xi32>
  return %0 : tensor<16x1024xi32>
}

// Rows along n: pairs of bytes are transposed, then taken apart.
// CHECK:       gpu.binary @transposed_kernel_0
// CHECK:       ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK:       prmt.b32 {{[^;]*}}, 0x6420;
// CHECK:       prmt.b32 {{[^;]*}}, 0x7531;
// CHECK:       mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// CHECK:       func.func @transposed
func.func @transposed(%a: tensor<16x1024xi8>, %b: tensor<1024x1024xi8>) -> tensor<16x1024xi32> {
  %0 = mlopt.dot %a, %b contract [1] x [0] : (tensor<16x1024xi8>, tensor<1024x1024xi8>) -> tensor<16x1024xi32>
  return %0 : tensor<16x1024xi32>
}

// f16 holds every float of 8 bits: one product for each, and eight bits in
// shared memory. The chip's own conversion is used where it is known to be
// there.
// CHECK:       gpu.binary @floats_kernel_0
// CHECK:       cp.async.cg.shared.global
// SM90:        cvt.rn.f16x2.e4m3x2
// SM80-NOT:    e4m3x2
// SM80:        mul.rn.f16x2
// CHECK-NOT:   bf16x2
// CHECK:       mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT:   cvt.rz.bf16x2
// CHECK:       func.func @floats
func.func @floats(%a: tensor<16x1024xf8E5M2>, %b: tensor<1024x1024xf8E4M3FN>) -> tensor<16x1024xf32> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<16x1024xf8E5M2>, tensor<1024x1024xf8E4M3FN>) -> tensor<16x1024xf32>
  return %0 : tensor<16x1024xf32>
}

// A short side, straight from memory.
// CHECK:       gpu.binary @short_side_kernel_0
// CHECK-NOT:   cp.async
// CHECK:       ld.global.nc.L1::no_allocate.v4.b32
// SM90:        cvt.rn.f16x2.e4m3x2
// CHECK:       mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT:   ldmatrix
// CHECK:       func.func @short_side
func.func @short_side(%a: tensor<4x2048xf8E4M3FN>, %b: tensor<4096x2048xf8E4M3FN>) -> tensor<4x4096xf32> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<4x2048xf8E4M3FN>, tensor<4096x2048xf8E4M3FN>) -> tensor<4x4096xf32>
  return %0 : tensor<4x4096xf32>
}

// Beside bf16, which holds them, too, 8 bits become bf16 on the way.
// CHECK:       gpu.binary @beside_kernel_0
// CHECK:       cvt.rn.bf16x2.f32
// CHECK:       mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT:   cvt.rz.bf16x2
// CHECK:       func.func @beside
func.func @beside(%a: tensor<100x136xf8E4M3FN>, %b: tensor<72x136xbf16>) -> tensor<100x72xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<100x136xf8E4M3FN>, %y = %b : tensor<72x136xbf16>) -> tensor<100x72xf32> {
    %1 = mlopt.convert %x : tensor<100x136xf8E4M3FN> -> tensor<100x136xf32>
    %2 = mlopt.convert %y : tensor<72x136xbf16> -> tensor<72x136xf32>
    %3 = mlopt.dot %1, %2 contract [1] x [1] : (tensor<100x136xf32>, tensor<72x136xf32>) -> tensor<100x72xf32>
    mlopt.yield %3 : tensor<100x72xf32>
  }
  return %0 : tensor<100x72xf32>
}

// Beside f32 in three terms, they are one: three products for six.
// CHECK:       gpu.binary @one_term_kernel_0
// CHECK-COUNT-48: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT:   mma.sync
// CHECK:       func.func @one_term
func.func @one_term(%a: tensor<128x64xf32>, %b: tensor<64x256xf8E5M2>) -> tensor<128x256xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<128x64xf32>, %y = %b : tensor<64x256xf8E5M2>) -> tensor<128x256xf32> {
    %1 = mlopt.convert %y : tensor<64x256xf8E5M2> -> tensor<64x256xf32>
    %2 = mlopt.dot %x, %1 contract [1] x [0] : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
    mlopt.yield %2 : tensor<128x256xf32>
  }
  return %0 : tensor<128x256xf32>
}

// i8 as floats: f16 holds these, too.
// CHECK:       gpu.binary @scaled_kernel_0
// CHECK:       sub.rn.f16x2
// CHECK:       mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK:       func.func @scaled
func.func @scaled(%a: tensor<128x64xi8>, %b: tensor<256x64xi8>) -> tensor<128x256xf32> {
  %0 = mlopt.fusion (%x = %a : tensor<128x64xi8>, %y = %b : tensor<256x64xi8>) -> tensor<128x256xf32> {
    %1 = mlopt.convert %x : tensor<128x64xi8> -> tensor<128x64xf32>
    %2 = mlopt.convert %y : tensor<256x64xi8> -> tensor<256x64xf32>
    %3 = mlopt.dot %1, %2 contract [1] x [1] : (tensor<128x64xf32>, tensor<256x64xf32>) -> tensor<128x256xf32>
    mlopt.yield %3 : tensor<128x256xf32>
  }
  return %0 : tensor<128x256xf32>
}
