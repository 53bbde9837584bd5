// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s
// RUN: mlopt-opt %s -mlopt-to-gpu=chip=sm_80 | FileCheck %s --check-prefix=SM80

// A contraction in bf16 and its rounding: a producer that loads through
// mbarriers, consumers that multiply on wgmma, stores through TMA. The rows of
// both factors run along k, so neither is transposed.
// CHECK:       gpu.binary @nt_kernel_0
// CHECK-NOT:   gpu.binary @nt_kernel_1
// CHECK:       mbarrier.init
// CHECK:       setmaxnreg.inc
// CHECK:       mbarrier.try_wait
// CHECK:       wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{[^;]*}}, 1, 1, 0, 0;
// CHECK:       wgmma.wait_group.sync.aligned 0
// CHECK:       cvt.rn.bf16x2.f32
// CHECK:       stmatrix.sync.aligned.m8n8.x4
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       setmaxnreg.dec
// CHECK:       cp.async.bulk.tensor.2d.shared::cta.global
// CHECK-NOT:   wgmma
// CHECK:       func.func @nt
// CHECK:         gpu.launch_func {{.*}} threads in (%c384{{.*}} dynamic_shared_memory_size {{.*}} args(%arg0 : memref<512x256xbf16>, %arg1 : memref<384x256xbf16>, %arg2 : memref<512x384xbf16>)

// Other chips have neither.
// SM80-NOT:    wgmma
// SM80-NOT:    cp.async.bulk
func.func @nt(%a: tensor<512x256xbf16>, %b: tensor<384x256xbf16>) -> tensor<512x384xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<512x256xbf16>, tensor<384x256xbf16>) -> tensor<512x384xbf16>
  return %0 : tensor<512x384xbf16>
}

// Batches are a third dimension of the maps; a factor whose rows run along n is
// transposed by the instruction; f32 is stored as it is.
// CHECK:       gpu.binary @batched_kernel_0
// CHECK:       wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{[^;]*}}, 1, 1, 0, 1;
// CHECK-NOT:   stmatrix
// CHECK:       st.shared.v2.f32
// CHECK:       cp.async.bulk.tensor.3d.global.shared::cta
// CHECK:       cp.async.bulk.tensor.3d.shared::cta.global
// CHECK:       func.func @batched
func.func @batched(%a: tensor<3x100x256xf16>, %b: tensor<3x256x72xf16>) -> tensor<3x100x72xf32> {
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<3x100x256xf16>, tensor<3x256x72xf16>) -> tensor<3x100x72xf32>
  return %0 : tensor<3x100x72xf32>
}

// A bias and a ReLU follow in registers, read where the fragment lies.
// CHECK:       gpu.binary @bias_kernel_0
// CHECK:       wgmma.mma_async
// CHECK:       wgmma.wait_group.sync.aligned 0
// CHECK:       ld.global
// CHECK:       add.rn.f32
// CHECK:       max
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       func.func @bias
func.func @bias(%a: tensor<128x256xbf16>, %b: tensor<64x256xbf16>, %v: tensor<64xf32>) -> tensor<128x64xbf16> {
  %0 = mlopt.fusion (%x = %a : tensor<128x256xbf16>, %y = %b : tensor<64x256xbf16>, %w = %v : tensor<64xf32>) -> tensor<128x64xbf16> {
    %1 = mlopt.dot %x, %y contract [1] x [1] : (tensor<128x256xbf16>, tensor<64x256xbf16>) -> tensor<128x64xf32>
    %2 = mlopt.broadcast %w dims [1] : tensor<64xf32> -> tensor<128x64xf32>
    %3 = mlopt.add %1, %2 : tensor<128x64xf32>
    %4 = mlopt.constant dense<0.0> : tensor<128x64xf32>
    %5 = mlopt.max %3, %4 : tensor<128x64xf32>
    %6 = mlopt.convert %5 : tensor<128x64xf32> -> tensor<128x64xbf16>
    mlopt.yield %6 : tensor<128x64xbf16>
  }
  return %0 : tensor<128x64xbf16>
}

// Sums of 8-bit floats in the Tensor Cores have 14 bits: every 128 of k they are
// added in f32, unless approximations are allowed.
// CHECK:       gpu.binary @eight_kernel_0
// CHECK:       wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.f32.e4m3.e5m2 {{[^;]*}}, 1, 1;
// CHECK:       wgmma.wait_group.sync.aligned 0
// CHECK:       add.rn.f32
// CHECK:       cp.async.bulk.tensor.2d.global.shared::cta
// CHECK:       func.func @eight
func.func @eight(%a: tensor<512x256xf8E4M3FN>, %b: tensor<384x256xf8E5M2>) -> tensor<512x384xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<512x256xf8E4M3FN>, tensor<384x256xf8E5M2>) -> tensor<512x384xbf16>
  return %0 : tensor<512x384xbf16>
}

// CHECK:       gpu.binary @eight_fast_kernel_0
// CHECK:       k32.f32.e4m3.e4m3
// CHECK-NOT:   add.rn.f32
// CHECK:       func.func @eight_fast
func.func @eight_fast(%a: tensor<512x256xf8E4M3FN>, %b: tensor<384x256xf8E4M3FN>) -> tensor<512x384xbf16> attributes {mlopt.numerics = #mlopt.numerics<fast>} {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<512x256xf8E4M3FN>, tensor<384x256xf8E4M3FN>) -> tensor<512x384xbf16>
  return %0 : tensor<512x384xbf16>
}

// Integers have no scales, and sums of 32 bits.
// CHECK:       gpu.binary @integer_kernel_0
// CHECK:       k32.s32.s8.s8 {{[^;}]*}}}, {{[^,;]*}}, {{[^,;]*}}, {{[a-z]+}};
// CHECK:       st.shared.v2.b32
// CHECK:       func.func @integer
func.func @integer(%a: tensor<512x256xi8>, %b: tensor<384x256xi8>) -> tensor<512x384xi32> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<512x256xi8>, tensor<384x256xi8>) -> tensor<512x384xi32>
  return %0 : tensor<512x384xi32>
}

// CHECK:       gpu.binary @rounded_kernel_0
// CHECK:       k8.f32.tf32.tf32
// CHECK:       func.func @rounded
func.func @rounded(%a: tensor<512x256xf32>, %b: tensor<384x256xf32>) -> tensor<512x384xf32> attributes {mlopt.numerics = #mlopt.numerics<fast>} {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<512x256xf32>, tensor<384x256xf32>) -> tensor<512x384xf32>
  return %0 : tensor<512x384xf32>
}
