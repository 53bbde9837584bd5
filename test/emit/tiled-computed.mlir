// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s

// Weights of eight bits, converted and scaled, beside few rows: one kernel,
// whose stages hold the bytes. What a row shares is read before the first step.
// CHECK:       gpu.binary @staged_kernel_0
// CHECK:       ld.global.b16
// CHECK:       cp.async.cg.shared.global
// CHECK-NOT:   ld.global
// CHECK:       prmt.b32
// CHECK:       sub.rn.bf16x2
// CHECK:       mul.rn.bf16x2
// CHECK:       mma.sync.aligned.m16n8k16
// CHECK-NOT:   gpu.binary
// CHECK:       func.func @staged
func.func @staged(%x: tensor<16x4096xbf16>, %w: tensor<14336x4096xi8>, %s: tensor<14336xbf16>) -> tensor<16x14336xbf16> {
  %f = mlopt.convert %w : tensor<14336x4096xi8> -> tensor<14336x4096xbf16>
  %b = mlopt.broadcast %s dims [0] : tensor<14336xbf16> -> tensor<14336x4096xbf16>
  %m = mlopt.mul %f, %b : tensor<14336x4096xbf16>
  %0 = mlopt.dot %x, %m contract [1] x [1] : (tensor<16x4096xbf16>, tensor<14336x4096xbf16>) -> tensor<16x14336xbf16>
  return %0 : tensor<16x14336xbf16>
}

// Beside up to eight rows, the bytes go straight into registers.
// CHECK:       gpu.binary @direct_kernel_0
// CHECK-NOT:   cp.async
// CHECK:       ld.global.nc.L1::no_allocate.v4.b32
// CHECK:       prmt.b32
// CHECK:       mma.sync.aligned.m16n8k16
// CHECK-NOT:   gpu.binary
// CHECK:       func.func @direct
func.func @direct(%x: tensor<1x4096xbf16>, %w: tensor<14336x4096xi8>) -> tensor<1x14336xbf16> {
  %f = mlopt.convert %w : tensor<14336x4096xi8> -> tensor<14336x4096xbf16>
  %0 = mlopt.dot %x, %f contract [1] x [1] : (tensor<1x4096xbf16>, tensor<14336x4096xbf16>) -> tensor<1x14336xbf16>
  return %0 : tensor<1x14336xbf16>
}

// Rows along n go through registers, and stages hold the factor.
// CHECK:       gpu.binary @across_kernel_0
// CHECK:       st.shared
// CHECK:       ldmatrix
// CHECK:       mma.sync.aligned.m16n8k16
// CHECK-NOT:   gpu.binary
// CHECK:       func.func @across
func.func @across(%x: tensor<16x4096xbf16>, %w: tensor<4096x4096xi8>) -> tensor<16x4096xbf16> {
  %f = mlopt.convert %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %0 = mlopt.dot %x, %f contract [1] x [0] : (tensor<16x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16x4096xbf16>
  return %0 : tensor<16x4096xbf16>
}
