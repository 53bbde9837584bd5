// RUN: mlopt-opt %s -split-input-file --mlopt-fuse | FileCheck %s

// A causal mask leaves the keys up to the row, and for the transposed product
// the rows from the key on; what follows the select keeps zeros.
// CHECK-LABEL: func.func @causal
// CHECK: mlopt.dot {{.*}} contract [2] x [1] {mlopt.zeros = array<i64: 0, 256, 128, 0, 0>}
// CHECK: mlopt.dot {{.*}} contract [1] x [1] {mlopt.zeros = array<i64: 0, 128, 256, 1, 0>}
func.func @causal(%x: tensor<4x256x128xf32>, %k: tensor<4x128x64xbf16>, %q: tensor<4x256x64xbf16>) -> (tensor<4x256x64xf32>, tensor<4x128x64xf32>) {
  %i = mlopt.iota dim 0 : tensor<256xi32>
  %j = mlopt.iota dim 0 : tensor<128xi32>
  %r = mlopt.broadcast %i dims [0] : tensor<256xi32> -> tensor<256x128xi32>
  %c = mlopt.broadcast %j dims [1] : tensor<128xi32> -> tensor<256x128xi32>
  %m = mlopt.compare ge, %r, %c : tensor<256x128xi32>
  %b = mlopt.broadcast %m dims [1, 2] : tensor<256x128xi1> -> tensor<4x256x128xi1>
  %z = mlopt.constant dense<0.0> : tensor<4x256x128xf32>
  %s = mlopt.select %b, %x, %z : tensor<4x256x128xf32>
  %h = mlopt.constant dense<0.125> : tensor<4x256x128xf32>
  %d = mlopt.mul %s, %h : tensor<4x256x128xf32>
  %0 = mlopt.dot %d, %k batch [0] x [0] contract [2] x [1] : (tensor<4x256x128xf32>, tensor<4x128x64xbf16>) -> tensor<4x256x64xf32>
  %1 = mlopt.dot %d, %q batch [0] x [0] contract [1] x [1] : (tensor<4x256x128xf32>, tensor<4x256x64xbf16>) -> tensor<4x128x64xf32>
  return %0, %1 : tensor<4x256x64xf32>, tensor<4x128x64xf32>
}

// -----

// Offsets and strict comparisons move the diagonal: kept where row > column -
// 16, and row < column + 3.
// CHECK-LABEL: func.func @offsets
// CHECK: mlopt.dot {{.*}} {mlopt.zeros = array<i64: 0, 256, 256, 0, 15>}
// CHECK: mlopt.dot {{.*}} {mlopt.zeros = array<i64: 0, 256, 256, 1, -2>}
func.func @offsets(%x: tensor<256x256xf32>, %y: tensor<256x64xbf16>) -> (tensor<256x64xf32>, tensor<256x64xf32>) {
  %i = mlopt.iota dim 0 : tensor<256x256xi32>
  %j = mlopt.iota dim 1 : tensor<256x256xi32>
  %a = mlopt.constant dense<16> : tensor<256x256xi32>
  %b = mlopt.constant dense<3> : tensor<256x256xi32>
  %z = mlopt.constant dense<0.0> : tensor<256x256xf32>
  %l = mlopt.sub %j, %a : tensor<256x256xi32>
  %m = mlopt.compare gt, %i, %l : tensor<256x256xi32>
  %s = mlopt.select %m, %x, %z : tensor<256x256xf32>
  %0 = mlopt.dot %s, %y contract [1] x [0] : (tensor<256x256xf32>, tensor<256x64xbf16>) -> tensor<256x64xf32>
  %h = mlopt.add %j, %b : tensor<256x256xi32>
  %n = mlopt.compare lt, %i, %h : tensor<256x256xi32>
  %t = mlopt.select %n, %x, %z : tensor<256x256xf32>
  %1 = mlopt.dot %t, %y contract [1] x [0] : (tensor<256x256xf32>, tensor<256x64xbf16>) -> tensor<256x64xf32>
  return %0, %1 : tensor<256x64xf32>, tensor<256x64xf32>
}

// -----

// Not what is no zero, what data compares, what a sum may change, two kept
// dimensions, or a strict dot.
// CHECK-LABEL: func.func @not_zeros
// CHECK-NOT: mlopt.zeros
func.func @not_zeros(%x: tensor<8x256x256xf32>, %u: tensor<8x256x256xi32>, %y: tensor<8x256x64xbf16>, %w: tensor<256x64xbf16>)
    -> (tensor<8x256x64xf32>, tensor<8x256x64xf32>, tensor<8x256x64xf32>, tensor<8x256x64xf32>, tensor<8x256x64xf32>) {
  %i = mlopt.iota dim 1 : tensor<8x256x256xi32>
  %j = mlopt.iota dim 2 : tensor<8x256x256xi32>
  %m = mlopt.compare ge, %i, %j : tensor<8x256x256xi32>
  %d = mlopt.compare ge, %u, %j : tensor<8x256x256xi32>
  %z = mlopt.constant dense<0.0> : tensor<8x256x256xf32>
  %o = mlopt.constant dense<1.0> : tensor<8x256x256xf32>
  %s = mlopt.select %m, %x, %z : tensor<8x256x256xf32>
  %a = mlopt.select %m, %x, %o : tensor<8x256x256xf32>
  %0 = mlopt.dot %a, %y batch [0] x [0] contract [2] x [1] : (tensor<8x256x256xf32>, tensor<8x256x64xbf16>) -> tensor<8x256x64xf32>
  %b = mlopt.select %d, %x, %z : tensor<8x256x256xf32>
  %1 = mlopt.dot %b, %y batch [0] x [0] contract [2] x [1] : (tensor<8x256x256xf32>, tensor<8x256x64xbf16>) -> tensor<8x256x64xf32>
  %c = mlopt.add %s, %o : tensor<8x256x256xf32>
  %2 = mlopt.dot %c, %y batch [0] x [0] contract [2] x [1] : (tensor<8x256x256xf32>, tensor<8x256x64xbf16>) -> tensor<8x256x64xf32>
  %3 = mlopt.dot %s, %w contract [2] x [0] : (tensor<8x256x256xf32>, tensor<256x64xbf16>) -> tensor<8x256x64xf32>
  %4 = mlopt.dot %s, %y batch [0] x [0] contract [2] x [1] {numerics = #mlopt.numerics<strict>} : (tensor<8x256x256xf32>, tensor<8x256x64xbf16>) -> tensor<8x256x64xf32>
  return %0, %1, %2, %3, %4 : tensor<8x256x64xf32>, tensor<8x256x64xf32>, tensor<8x256x64xf32>, tensor<8x256x64xf32>, tensor<8x256x64xf32>
}

// -----

// A softmax of what a mask sets to -inf has zeros there.
// CHECK-LABEL: func.func @softmax
// CHECK: mlopt.dot {{.*}} {mlopt.zeros = array<i64: 0, 256, 256, 0, 0>}
func.func @softmax(%x: tensor<4x256x256xf32>, %v: tensor<4x256x64xbf16>) -> tensor<4x256x64xbf16> {
  %i = mlopt.iota dim 1 : tensor<4x256x256xi32>
  %j = mlopt.iota dim 2 : tensor<4x256x256xi32>
  %m = mlopt.compare ge, %i, %j : tensor<4x256x256xi32>
  %z = mlopt.constant dense<0xFF800000> : tensor<4x256x256xf32>
  %s = mlopt.select %m, %x, %z : tensor<4x256x256xf32>
  %r = mlopt.reduce max %s dims [2] : (tensor<4x256x256xf32>) -> tensor<4x256xf32>
  %b = mlopt.broadcast %r dims [0, 1] : tensor<4x256xf32> -> tensor<4x256x256xf32>
  %d = mlopt.sub %s, %b : tensor<4x256x256xf32>
  %e = mlopt.exp %d : tensor<4x256x256xf32>
  %t = mlopt.reduce add %e dims [2] : (tensor<4x256x256xf32>) -> tensor<4x256xf32>
  %c = mlopt.broadcast %t dims [0, 1] : tensor<4x256xf32> -> tensor<4x256x256xf32>
  %p = mlopt.div %e, %c : tensor<4x256x256xf32>
  %h = mlopt.convert %p : tensor<4x256x256xf32> -> tensor<4x256x256xbf16>
  %0 = mlopt.dot %h, %v batch [0] x [0] contract [2] x [1] : (tensor<4x256x256xbf16>, tensor<4x256x64xbf16>) -> tensor<4x256x64xbf16>
  return %0 : tensor<4x256x64xbf16>
}

// -----

// Divided by anything else it is no softmax: 0 / 0 is NaN.
// CHECK-LABEL: func.func @not_softmax
// CHECK-NOT: mlopt.zeros
func.func @not_softmax(%x: tensor<4x256x256xf32>, %u: tensor<4x256xf32>, %v: tensor<4x256x64xbf16>) -> tensor<4x256x64xbf16> {
  %i = mlopt.iota dim 1 : tensor<4x256x256xi32>
  %j = mlopt.iota dim 2 : tensor<4x256x256xi32>
  %m = mlopt.compare ge, %i, %j : tensor<4x256x256xi32>
  %z = mlopt.constant dense<0xFF800000> : tensor<4x256x256xf32>
  %s = mlopt.select %m, %x, %z : tensor<4x256x256xf32>
  %r = mlopt.reduce max %s dims [2] : (tensor<4x256x256xf32>) -> tensor<4x256xf32>
  %b = mlopt.broadcast %r dims [0, 1] : tensor<4x256xf32> -> tensor<4x256x256xf32>
  %d = mlopt.sub %s, %b : tensor<4x256x256xf32>
  %e = mlopt.exp %d : tensor<4x256x256xf32>
  %f = mlopt.broadcast %u dims [0, 1] : tensor<4x256xf32> -> tensor<4x256x256xf32>
  %q = mlopt.div %e, %f : tensor<4x256x256xf32>
  %g = mlopt.convert %q : tensor<4x256x256xf32> -> tensor<4x256x256xbf16>
  %0 = mlopt.dot %g, %v batch [0] x [0] contract [2] x [1] : (tensor<4x256x256xbf16>, tensor<4x256x64xbf16>) -> tensor<4x256x64xbf16>
  return %0 : tensor<4x256x64xbf16>
}
