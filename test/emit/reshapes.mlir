// What shape a program gives its values must not decide how a kernel runs:
// only which elements are a row does.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s

// A layer norm as JAX writes it: the mean has a unit dimension, the results
// have not.
// PLAN-LABEL:  gpu.module @norm_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "rows", lanes = 8
// CHECK-LABEL: .entry norm_kernel_0
// CHECK-COUNT-4: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-4: st.global.v4
func.func @norm(%x: tensor<8x1024x1024xbf16>) -> (tensor<8x1024x1024xbf16>, tensor<8x1024x1xf32>) {
  %f = mlopt.convert %x : tensor<8x1024x1024xbf16> -> tensor<8x1024x1024xf32>
  %s = mlopt.reduce add %f dims [2] : (tensor<8x1024x1024xf32>) -> tensor<8x1024xf32>
  %k = mlopt.reshape %s : tensor<8x1024xf32> -> tensor<8x1024x1xf32>
  %n = mlopt.constant dense<1024.0> : tensor<8x1024x1xf32>
  %m = mlopt.div %k, %n : tensor<8x1024x1xf32>
  %r = mlopt.reshape %m : tensor<8x1024x1xf32> -> tensor<8x1024xf32>
  %b = mlopt.broadcast %r dims [0, 1] : tensor<8x1024xf32> -> tensor<8x1024x1024xf32>
  %c = mlopt.sub %f, %b : tensor<8x1024x1024xf32>
  %y = mlopt.convert %c : tensor<8x1024x1024xf32> -> tensor<8x1024x1024xbf16>
  return %y, %m : tensor<8x1024x1024xbf16>, tensor<8x1024x1xf32>
}

// Rows of two dimensions, weighted by a tensor of the same two.
// PLAN-LABEL:  gpu.module @heads_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "rows", lanes = 8
// CHECK-LABEL: .entry heads_kernel_0
// CHECK-COUNT-8: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-4: st.global.v4
func.func @heads(%x: tensor<4096x1024xbf16>, %w: tensor<16x64xbf16>) -> tensor<4096x1024xbf16> {
  %h = mlopt.reshape %x : tensor<4096x1024xbf16> -> tensor<4096x16x64xbf16>
  %m = mlopt.reduce max %h dims [1, 2] : (tensor<4096x16x64xbf16>) -> tensor<4096xbf16>
  %b = mlopt.broadcast %m dims [0] : tensor<4096xbf16> -> tensor<4096x16x64xbf16>
  %d = mlopt.sub %h, %b : tensor<4096x16x64xbf16>
  %v = mlopt.broadcast %w dims [1, 2] : tensor<16x64xbf16> -> tensor<4096x16x64xbf16>
  %e = mlopt.mul %d, %v : tensor<4096x16x64xbf16>
  %r = mlopt.reshape %e : tensor<4096x16x64xbf16> -> tensor<4096x1024xbf16>
  return %r : tensor<4096x1024xbf16>
}

// Columns whose rows have two dimensions, and a sum over unit dimensions.
// PLAN-LABEL:  gpu.module @columns_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "columns", lanes = 8
func.func @columns(%x: tensor<8x4096x4096xbf16>) -> tensor<4096xf32> {
  %f = mlopt.convert %x : tensor<8x4096x4096xbf16> -> tensor<8x4096x4096xf32>
  %s = mlopt.reduce add %f dims [0, 1] : (tensor<8x4096x4096xf32>) -> tensor<4096xf32>
  %k = mlopt.reshape %s : tensor<4096xf32> -> tensor<1x1x4096xf32>
  %t = mlopt.reduce add %k dims [0, 1] : (tensor<1x1x4096xf32>) -> tensor<4096xf32>
  return %t : tensor<4096xf32>
}

// Results of two shapes in one pointwise kernel.
// PLAN-LABEL:  gpu.module @shapes_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "pointwise", lanes = 8
// CHECK-LABEL: .entry shapes_kernel_0
// CHECK-COUNT-1: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-2: st.global.v4
func.func @shapes(%x: tensor<1024x4096xbf16>) -> (tensor<1024x4096xbf16>, tensor<1024x64x64xbf16>) {
  %y = mlopt.add %x, %x : tensor<1024x4096xbf16>
  %z = mlopt.mul %y, %x : tensor<1024x4096xbf16>
  %r = mlopt.reshape %z : tensor<1024x4096xbf16> -> tensor<1024x64x64xbf16>
  return %y, %r : tensor<1024x4096xbf16>, tensor<1024x64x64xbf16>
}

// Reduced dimensions that do not lie together take two kernels: along the last
// ones first, then along the others.
// PLAN-LABEL:  gpu.module @channels_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "rows", lanes = 4
// PLAN-LABEL:  gpu.module @channels_kernel_1
// PLAN:        mlopt.schedule = {{{.*}}family = "columns"
func.func @channels(%x: tensor<64x256x56x56xf32>) -> tensor<256xf32> {
  %s = mlopt.reduce add %x dims [0, 2, 3] : (tensor<64x256x56x56xf32>) -> tensor<256xf32>
  return %s : tensor<256xf32>
}

// The best element and its index are reduced like a sum.
// PLAN-LABEL:  gpu.module @best_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "rows", lanes = 8
// CHECK-LABEL: .entry best_kernel_0
// CHECK:       ld.global.v4
// CHECK:       shfl.sync
func.func @best(%x: tensor<4096x8192xbf16>) -> tensor<4096xi32> {
  %v, %i = mlopt.arg_reduce max %x dim 1 : tensor<4096x8192xbf16> -> (tensor<4096xbf16>, tensor<4096xi32>)
  return %i : tensor<4096xi32>
}

// A vector lies on one side of where two tensors meet: one branch, and whole
// accesses in it.
// PLAN-LABEL:  gpu.module @join_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "pointwise", lanes = 8
// CHECK-LABEL: .entry join_kernel_0
// CHECK-COUNT-2: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-1: st.global.v4
// CHECK-NOT:   st.global
func.func @join(%x: tensor<8192x64xbf16>, %y: tensor<8192x192xbf16>) -> tensor<8192x256xbf16> {
  %a = mlopt.add %x, %x : tensor<8192x64xbf16>
  %j = mlopt.concat %a, %y dim 1 : (tensor<8192x64xbf16>, tensor<8192x192xbf16>) -> tensor<8192x256xbf16>
  return %j : tensor<8192x256xbf16>
}
