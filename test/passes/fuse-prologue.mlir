// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse{wgmma=true}))' | FileCheck %s
// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-fuse))' | FileCheck %s --check-prefix=OTHER

// No kernel but those of wgmma computes a factor.
// OTHER-NOT: kernels = 1 :

// Weights that are converted and scaled row by row.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: kernels = 1
func.func @scaled(%x: tensor<256x128xbf16>, %w: tensor<384x128xi8>, %s: tensor<384xbf16>) -> tensor<256x384xbf16> {
  %f = mlopt.convert %w : tensor<384x128xi8> -> tensor<384x128xbf16>
  %b = mlopt.broadcast %s dims [0] : tensor<384xbf16> -> tensor<384x128xbf16>
  %v = mlopt.mul %f, %b : tensor<384x128xbf16>
  %r = mlopt.dot %x, %v contract [1] x [1] : (tensor<256x128xbf16>, tensor<384x128xbf16>) -> tensor<256x384xbf16>
  return %r : tensor<256x384xbf16>
}

// -----

// Activations that are rounded, where a launch costs more.
// CHECK-LABEL: func.func @rounded
// CHECK-SAME: kernels = 1
func.func @rounded(%x: tensor<256x128xf32>, %w: tensor<384x128xbf16>) -> tensor<256x384xbf16> {
  %0 = mlopt.convert %x : tensor<256x128xf32> -> tensor<256x128xbf16>
  %1 = mlopt.dot %0, %w contract [1] x [1] : (tensor<256x128xbf16>, tensor<384x128xbf16>) -> tensor<256x384xbf16>
  return %1 : tensor<256x384xbf16>
}

// -----

// Weights that are converted, in many steps: the producer's threads would hold
// the Tensor Cores up for longer than a kernel of its own takes.
// CHECK-LABEL: func.func @converted
// CHECK-SAME: kernels = 2
// CHECK: reason = "prologue"
func.func @converted(%x: tensor<8192x4096xbf16>, %w: tensor<4096x4096xi8>) -> tensor<8192x4096xbf16> {
  %0 = mlopt.convert %w : tensor<4096x4096xi8> -> tensor<4096x4096xbf16>
  %1 = mlopt.dot %x, %0 contract [1] x [1] : (tensor<8192x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<8192x4096xbf16>
  return %1 : tensor<8192x4096xbf16>
}

// -----

// Rows that indices choose, which are computed too; and what follows.
// CHECK-LABEL: func.func @gathered
// CHECK-SAME: kernels = 1
func.func @gathered(%x: tensor<900x128xbf16>, %i: tensor<256x1xi32>, %w: tensor<384x128xbf16>) -> tensor<256x384xbf16> {
  %one = mlopt.constant dense<1> : tensor<256x1xi32>
  %j = mlopt.sub %i, %one : tensor<256x1xi32>
  %g = mlopt.gather %x, %j offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 128] : (tensor<900x128xbf16>, tensor<256x1xi32>) -> tensor<256x128xbf16>
  %r = mlopt.dot %g, %w contract [1] x [1] : (tensor<256x128xbf16>, tensor<384x128xbf16>) -> tensor<256x384xbf16>
  %t = mlopt.neg %r : tensor<256x384xbf16>
  return %t : tensor<256x384xbf16>
}

// -----

// Two products that share the rows.
// CHECK-LABEL: func.func @gated
// CHECK-SAME: kernels = 1
func.func @gated(%x: tensor<900x128xbf16>, %i: tensor<256x1xi32>, %w: tensor<384x128xbf16>, %v: tensor<384x128xbf16>) -> tensor<256x384xbf16> {
  %g = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 128] : (tensor<900x128xbf16>, tensor<256x1xi32>) -> tensor<256x128xbf16>
  %a = mlopt.dot %g, %w contract [1] x [1] : (tensor<256x128xbf16>, tensor<384x128xbf16>) -> tensor<256x384xbf16>
  %b = mlopt.dot %g, %v contract [1] x [1] : (tensor<256x128xbf16>, tensor<384x128xbf16>) -> tensor<256x384xbf16>
  %r = mlopt.mul %a, %b : tensor<256x384xbf16>
  return %r : tensor<256x384xbf16>
}

// -----

// Large ones of f32 are rounded once: tiles would read twice the bytes.
// CHECK-LABEL: func.func @rounded_large
// CHECK-SAME: kernels = 2
// CHECK: bytes = 33554432 : i64, operand = 0 : i64, reason = "prologue"
func.func @rounded_large(%x: tensor<2048x4096xf32>, %w: tensor<4096x4096xbf16>) -> tensor<2048x4096xbf16> {
  %0 = mlopt.convert %x : tensor<2048x4096xf32> -> tensor<2048x4096xbf16>
  %1 = mlopt.dot %0, %w contract [1] x [1] : (tensor<2048x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<2048x4096xbf16>
  return %1 : tensor<2048x4096xbf16>
}

// -----

// Steps of k that are not whole would be computed beyond its end.
// CHECK-LABEL: func.func @ragged
// CHECK-SAME: kernels = 2
// CHECK: reason = "prologue"
func.func @ragged(%x: tensor<256x520xbf16>, %w: tensor<384x520xi8>) -> tensor<256x384xbf16> {
  %f = mlopt.convert %w : tensor<384x520xi8> -> tensor<384x520xbf16>
  %r = mlopt.dot %x, %f contract [1] x [1] : (tensor<256x520xbf16>, tensor<384x520xbf16>) -> tensor<256x384xbf16>
  return %r : tensor<256x384xbf16>
}

// -----

// A kernel computes one factor of the two.
// CHECK-LABEL: func.func @both
// CHECK-SAME: kernels = 2
// CHECK: reason = "prologue"
func.func @both(%x: tensor<256x128xi8>, %w: tensor<384x128xi8>) -> tensor<256x384xbf16> {
  %e = mlopt.convert %x : tensor<256x128xi8> -> tensor<256x128xbf16>
  %f = mlopt.convert %w : tensor<384x128xi8> -> tensor<384x128xbf16>
  %r = mlopt.dot %e, %f contract [1] x [1] : (tensor<256x128xbf16>, tensor<384x128xbf16>) -> tensor<256x384xbf16>
  return %r : tensor<256x384xbf16>
}

// -----

// Of two tensors of its size, none is the factor's source.
// CHECK-LABEL: func.func @two_sources
// CHECK-SAME: kernels = 2
// CHECK: reason = "prologue"
func.func @two_sources(%x: tensor<256x128xbf16>, %y: tensor<256x128xbf16>, %w: tensor<384x128xbf16>) -> tensor<256x384xbf16> {
  %e = mlopt.add %x, %y : tensor<256x128xbf16>
  %r = mlopt.dot %e, %w contract [1] x [1] : (tensor<256x128xbf16>, tensor<384x128xbf16>) -> tensor<256x384xbf16>
  return %r : tensor<256x384xbf16>
}
