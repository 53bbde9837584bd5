// RUN: mlopt-opt %s -split-input-file --mlopt-fuse | FileCheck %s

// A bias along either dimension, a residual, functions, scaling and casts join
// the dot, whatever its type, and so does another shape of the result.
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: kernels = 1
// CHECK: mlopt.fusion
// CHECK: mlopt.dot
// CHECK: mlopt.reshape
// CHECK: mlopt.tanh
// CHECK-NOT: mlopt.fusion
func.func @epilogue(%a: tensor<64x32xbf16>, %w: tensor<48x32xbf16>, %b: tensor<48xf32>, %c: tensor<64xf32>, %r: tensor<8x8x48xbf16>) -> tensor<8x8x48xbf16> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xf32>
  %1 = mlopt.broadcast %b dims [1] : tensor<48xf32> -> tensor<64x48xf32>
  %2 = mlopt.add %0, %1 : tensor<64x48xf32>
  %3 = mlopt.broadcast %c dims [0] : tensor<64xf32> -> tensor<64x48xf32>
  %4 = mlopt.mul %2, %3 : tensor<64x48xf32>
  %5 = mlopt.convert %4 : tensor<64x48xf32> -> tensor<64x48xbf16>
  %6 = mlopt.reshape %5 : tensor<64x48xbf16> -> tensor<8x8x48xbf16>
  %7 = mlopt.tanh %6 : tensor<8x8x48xbf16>
  %8 = mlopt.add %7, %r : tensor<8x8x48xbf16>
  return %8 : tensor<8x8x48xbf16>
}

// -----

// A dependent chain: each product with what follows it.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: kernels = 2
// CHECK: reason = "products"
func.func @chain(%x: tensor<32x64xbf16>, %w: tensor<64x64xbf16>, %v: tensor<64x64xbf16>) -> tensor<32x64xbf16> {
  %z = mlopt.constant dense<0.0> : tensor<32x64xbf16>
  %0 = mlopt.dot %x, %w contract [1] x [0] : (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xbf16>
  %1 = mlopt.max %0, %z : tensor<32x64xbf16>
  %2 = mlopt.dot %1, %v contract [1] x [0] : (tensor<32x64xbf16>, tensor<64x64xbf16>) -> tensor<32x64xbf16>
  %3 = mlopt.max %2, %z : tensor<32x64xbf16>
  return %3 : tensor<32x64xbf16>
}

// -----

// A factor that many tiles read is computed before, once.
// CHECK-LABEL: func.func @prologue
// CHECK-SAME: kernels = 2
// CHECK: reason = "prologue"
func.func @prologue(%x: tensor<4096x64xf32>, %w: tensor<64x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = mlopt.convert %x : tensor<4096x64xf32> -> tensor<4096x64xbf16>
  %1 = mlopt.dot %0, %w contract [1] x [0] : (tensor<4096x64xbf16>, tensor<64x4096xbf16>) -> tensor<4096x4096xbf16>
  return %1 : tensor<4096x4096xbf16>
}

// -----

// The product's elements are read in another place.
// CHECK-LABEL: func.func @elsewhere
// CHECK-SAME: kernels = 2
// CHECK: reason = "epilogue"
func.func @elsewhere(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %0 = mlopt.dot %x, %w contract [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
  %1 = mlopt.reverse %0 dims [0] : tensor<64x64xf32>
  %2 = mlopt.add %0, %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// A reduction of the product.
// CHECK-LABEL: func.func @reduced
// CHECK-SAME: kernels = 2
// CHECK: reason = "contraction"
func.func @reduced(%x: tensor<64x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<64xf32> {
  %0 = mlopt.dot %x, %w contract [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
  %1 = mlopt.reduce add %0 dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

// Dots of different factors are kernels of their own, and so are those that
// Tensor Cores do not take.
// CHECK-LABEL: func.func @unlike
// CHECK-SAME: kernels = 2
// CHECK: reason = "products"
func.func @unlike(%a: tensor<64x32xbf16>, %w: tensor<48x32xbf16>, %b: tensor<64x16xbf16>, %v: tensor<48x16xbf16>) -> tensor<64x48xf32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xf32>
  %1 = mlopt.dot %b, %v contract [1] x [1] : (tensor<64x16xbf16>, tensor<48x16xbf16>) -> tensor<64x48xf32>
  %2 = mlopt.add %0, %1 : tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}
// CHECK-LABEL: func.func @exact
// CHECK-SAME: kernels = 2
// CHECK: reason = "products"
func.func @exact(%a: tensor<64x32xf32>, %w: tensor<48x32xf32>, %v: tensor<48x32xf32>) -> tensor<64x48xf32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
  %1 = mlopt.dot %a, %v contract [1] x [1] : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
  %2 = mlopt.mul %0, %1 : tensor<64x48xf32>
  return %2 : tensor<64x48xf32>
}

// -----

// Results of several types, one the product itself; another shape, transposed.
// CHECK-LABEL: func.func @several
// CHECK-SAME: kernels = 1
// CHECK: %[[K:.*]]:3 = mlopt.fusion
func.func @several(%a: tensor<64x32xbf16>, %w: tensor<48x32xbf16>) -> (tensor<64x48xf32>, tensor<64x48xi1>, tensor<4x3x16x16xbf16>) {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xbf16>, tensor<48x32xbf16>) -> tensor<64x48xf32>
  %z = mlopt.constant dense<0.0> : tensor<64x48xf32>
  %1 = mlopt.compare gt, %0, %z : tensor<64x48xf32>
  %2 = mlopt.convert %0 : tensor<64x48xf32> -> tensor<64x48xbf16>
  %3 = mlopt.reshape %2 : tensor<64x48xbf16> -> tensor<4x16x3x16xbf16>
  %4 = mlopt.transpose %3 perm [0, 2, 1, 3] : tensor<4x16x3x16xbf16> -> tensor<4x3x16x16xbf16>
  return %0, %1, %4 : tensor<64x48xf32>, tensor<64x48xi1>, tensor<4x3x16x16xbf16>
}

// -----

// The same elements in two orders do not meet.
// CHECK-LABEL: func.func @two_orders
// CHECK-SAME: kernels = 2
// CHECK: reason = "epilogue"
func.func @two_orders(%a: tensor<64x32xbf16>, %w: tensor<64x32xbf16>) -> tensor<64x64xf32> {
  %0 = mlopt.dot %a, %w contract [1] x [1] : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x64xf32>
  %1 = mlopt.transpose %0 perm [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %2 = mlopt.add %0, %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// Kernels without tensor maps store a product's elements in their order alone.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: kernels = 2
// CHECK: reason = "epilogue"
func.func @transposed(%a: tensor<4x96x64xf32>, %b: tensor<4x64x80xf32>) -> tensor<96x4x80xf32> {
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<4x96x64xf32>, tensor<4x64x80xf32>) -> tensor<4x96x80xf32>
  %1 = mlopt.transpose %0 perm [1, 0, 2] : tensor<4x96x80xf32> -> tensor<96x4x80xf32>
  return %1 : tensor<96x4x80xf32>
}
