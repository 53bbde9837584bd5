// RUN: mlopt-opt %s -split-input-file --mlopt-fuse | FileCheck %s

// One program in ten spellings: a softmax of a scaled row. Each is one kernel
// that moves every byte once.
// CHECK-COUNT-10: hbm_bytes = 8192 : i64, kernels = 1 : i64, least_bytes = 8192 : i64

// As in a textbook.
func.func @plain(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c = mlopt.constant dense<0.125> : tensor<16x64xf32>
  %0 = mlopt.mul %x, %c : tensor<16x64xf32>
  %m = mlopt.reduce max %0 dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %s = mlopt.sub %0, %b : tensor<16x64xf32>
  %e = mlopt.exp %s : tensor<16x64xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %u = mlopt.broadcast %t dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %r = mlopt.div %e, %u : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// The constant first.
func.func @operands_swapped(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c = mlopt.constant dense<0.125> : tensor<16x64xf32>
  %0 = mlopt.mul %c, %x : tensor<16x64xf32>
  %m = mlopt.reduce max %0 dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %s = mlopt.sub %0, %b : tensor<16x64xf32>
  %e = mlopt.exp %s : tensor<16x64xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %u = mlopt.broadcast %t dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %r = mlopt.div %e, %u : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// Each broadcast in two steps, through a unit dimension.
func.func @two_broadcasts(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c = mlopt.constant dense<0.125> : tensor<16x64xf32>
  %0 = mlopt.mul %x, %c : tensor<16x64xf32>
  %m = mlopt.reduce max %0 dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %m1 = mlopt.broadcast %m dims [0] : tensor<16xf32> -> tensor<16x1xf32>
  %b = mlopt.broadcast %m1 dims [0, 1] : tensor<16x1xf32> -> tensor<16x64xf32>
  %s = mlopt.sub %0, %b : tensor<16x64xf32>
  %e = mlopt.exp %s : tensor<16x64xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %t1 = mlopt.reshape %t : tensor<16xf32> -> tensor<16x1xf32>
  %u = mlopt.broadcast %t1 dims [0, 1] : tensor<16x1xf32> -> tensor<16x64xf32>
  %r = mlopt.div %e, %u : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// Three dimensions inside, two outside.
func.func @reshaped(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %y = mlopt.reshape %x : tensor<16x64xf32> -> tensor<4x4x64xf32>
  %c = mlopt.constant dense<0.125> : tensor<4x4x64xf32>
  %0 = mlopt.mul %y, %c : tensor<4x4x64xf32>
  %m = mlopt.reduce max %0 dims [2] : (tensor<4x4x64xf32>) -> tensor<4x4xf32>
  %b = mlopt.broadcast %m dims [0, 1] : tensor<4x4xf32> -> tensor<4x4x64xf32>
  %s = mlopt.sub %0, %b : tensor<4x4x64xf32>
  %e = mlopt.exp %s : tensor<4x4x64xf32>
  %t = mlopt.reduce add %e dims [2] : (tensor<4x4x64xf32>) -> tensor<4x4xf32>
  %u = mlopt.broadcast %t dims [0, 1] : tensor<4x4xf32> -> tensor<4x4x64xf32>
  %r = mlopt.div %e, %u : tensor<4x4x64xf32>
  %z = mlopt.reshape %r : tensor<4x4x64xf32> -> tensor<16x64xf32>
  return %z : tensor<16x64xf32>
}

// Columns of the transposed, and back.
func.func @transposed(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %y = mlopt.transpose %x perm [1, 0] : tensor<16x64xf32> -> tensor<64x16xf32>
  %c = mlopt.constant dense<0.125> : tensor<64x16xf32>
  %0 = mlopt.mul %y, %c : tensor<64x16xf32>
  %m = mlopt.reduce max %0 dims [0] : (tensor<64x16xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %m dims [1] : tensor<16xf32> -> tensor<64x16xf32>
  %s = mlopt.sub %0, %b : tensor<64x16xf32>
  %e = mlopt.exp %s : tensor<64x16xf32>
  %t = mlopt.reduce add %e dims [0] : (tensor<64x16xf32>) -> tensor<16xf32>
  %u = mlopt.broadcast %t dims [1] : tensor<16xf32> -> tensor<64x16xf32>
  %r = mlopt.div %e, %u : tensor<64x16xf32>
  %z = mlopt.transpose %r perm [1, 0] : tensor<64x16xf32> -> tensor<16x64xf32>
  return %z : tensor<16x64xf32>
}

// Exponentials written twice.
func.func @computed_twice(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c = mlopt.constant dense<0.125> : tensor<16x64xf32>
  %0 = mlopt.mul %x, %c : tensor<16x64xf32>
  %m = mlopt.reduce max %0 dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %s = mlopt.sub %0, %b : tensor<16x64xf32>
  %e = mlopt.exp %s : tensor<16x64xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %u = mlopt.broadcast %t dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %s2 = mlopt.sub %0, %b : tensor<16x64xf32>
  %e2 = mlopt.exp %s2 : tensor<16x64xf32>
  %r = mlopt.div %e2, %u : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// A reciprocal of each row's sum, and a product.
func.func @reciprocal(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c = mlopt.constant dense<0.125> : tensor<16x64xf32>
  %0 = mlopt.mul %x, %c : tensor<16x64xf32>
  %m = mlopt.reduce max %0 dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %s = mlopt.sub %0, %b : tensor<16x64xf32>
  %e = mlopt.exp %s : tensor<16x64xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %one = mlopt.constant dense<1.0> : tensor<16xf32>
  %q = mlopt.div %one, %t : tensor<16xf32>
  %u = mlopt.broadcast %q dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %r = mlopt.mul %e, %u : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// The constant broadcast from one element.
func.func @scalar_constant(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c0 = mlopt.constant dense<0.125> : tensor<f32>
  %c = mlopt.broadcast %c0 dims [] : tensor<f32> -> tensor<16x64xf32>
  %0 = mlopt.mul %x, %c : tensor<16x64xf32>
  %m = mlopt.reduce max %0 dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %s = mlopt.sub %0, %b : tensor<16x64xf32>
  %e = mlopt.exp %s : tensor<16x64xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %u = mlopt.broadcast %t dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %r = mlopt.div %e, %u : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// Sums in f64.
func.func @islands(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c = mlopt.constant dense<0.125> : tensor<16x64xf32>
  %0 = mlopt.mul %x, %c : tensor<16x64xf32>
  %m = mlopt.reduce max %0 dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %s = mlopt.sub %0, %b : tensor<16x64xf32>
  %e = mlopt.exp %s : tensor<16x64xf32>
  %w = mlopt.convert %e : tensor<16x64xf32> -> tensor<16x64xf64>
  %t0 = mlopt.reduce add %w dims [1] : (tensor<16x64xf64>) -> tensor<16xf64>
  %t = mlopt.convert %t0 : tensor<16xf64> -> tensor<16xf32>
  %u = mlopt.broadcast %t dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %r = mlopt.div %e, %u : tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// With JAX's guard of the maximum, and a unit reduction.
func.func @guarded(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c = mlopt.constant dense<0.125> : tensor<16x64xf32>
  %0 = mlopt.mul %x, %c : tensor<16x64xf32>
  %m = mlopt.reduce max %0 dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %i = mlopt.constant dense<0xFF800000> : tensor<16xf32>
  %g = mlopt.max %i, %m : tensor<16xf32>
  %b = mlopt.broadcast %g dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %s = mlopt.sub %0, %b : tensor<16x64xf32>
  %e = mlopt.exp %s : tensor<16x64xf32>
  %t = mlopt.reduce add %e dims [1] : (tensor<16x64xf32>) -> tensor<16xf32>
  %u = mlopt.broadcast %t dims [0] : tensor<16xf32> -> tensor<16x64xf32>
  %r = mlopt.div %e, %u : tensor<16x64xf32>
  %k = mlopt.reshape %r : tensor<16x64xf32> -> tensor<16x1x64xf32>
  %z = mlopt.reduce max %k dims [1] : (tensor<16x1x64xf32>) -> tensor<16x64xf32>
  return %z : tensor<16x64xf32>
}
