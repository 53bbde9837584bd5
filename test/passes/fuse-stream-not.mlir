// Two dots around a softmax that stay apart, and what the ledger says.
// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-push-numerics,mlopt-fuse{wgmma=true}))' | FileCheck %s

// Strict numerics keep the probabilities' roundings.
// CHECK-LABEL: func.func @strict
// CHECK-SAME: kernels = 5
// CHECK: reason = "stream-strict"
func.func @strict(%q: tensor<2x64x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> tensor<2x64x64xf32> attributes {mlopt.numerics = #mlopt.numerics<strict>} {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x96xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %w = mlopt.convert %p : tensor<2x64x96xf32> -> tensor<2x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x64xf32>
  return %o : tensor<2x64x64xf32>
}

// -----

// Rounded probabilities that something else reads had better be stored.
// CHECK-LABEL: func.func @read
// CHECK-SAME: kernels = 3
// CHECK: reason = "stream-read"
func.func @read(%q: tensor<2x64x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> (tensor<2x64x64xf32>, tensor<2x64x96xbf16>) {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x96xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %w = mlopt.convert %p : tensor<2x64x96xf32> -> tensor<2x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x64xf32>
  return %o, %w : tensor<2x64x64xf32>, tensor<2x64x96xbf16>
}

// -----

// Factors of f32.
// CHECK-LABEL: func.func @type
// CHECK-SAME: kernels = 3
// CHECK: reason = "stream-type"
func.func @type(%q: tensor<2x64x64xf32>, %k: tensor<2x96x64xf32>, %v: tensor<2x96x64xf32>) -> tensor<2x64x64xf32> {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x64xf32>, tensor<2x96x64xf32>) -> tensor<2x64x96xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %o = mlopt.dot %p, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xf32>, tensor<2x96x64xf32>) -> tensor<2x64x64xf32>
  return %o : tensor<2x64x64xf32>
}

// -----

// Heads of 52.
// CHECK-LABEL: func.func @size
// CHECK-SAME: kernels = 3
// CHECK: reason = "stream-size"
func.func @size(%q: tensor<2x64x52xbf16>, %k: tensor<2x96x52xbf16>, %v: tensor<2x96x52xbf16>) -> tensor<2x64x52xf32> {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x52xbf16>, tensor<2x96x52xbf16>) -> tensor<2x64x96xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %w = mlopt.convert %p : tensor<2x64x96xf32> -> tensor<2x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xbf16>, tensor<2x96x52xbf16>) -> tensor<2x64x52xf32>
  return %o : tensor<2x64x52xf32>
}

// -----

// Less than 32 keys.
// CHECK-LABEL: func.func @few_keys
// CHECK: reason = "stream-size"
func.func @few_keys(%q: tensor<2x3x64xbf16>, %k: tensor<2x3x24x64xbf16>, %v: tensor<2x3x24x64xbf16>) -> tensor<2x3x64xbf16> {
  %raw = mlopt.dot %q, %k batch [0, 1] x [0, 1] contract [2] x [3] : (tensor<2x3x64xbf16>, tensor<2x3x24x64xbf16>) -> tensor<2x3x24xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x3x24xf32>) -> tensor<2x3xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x3xf32> -> tensor<2x3x24xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x3x24xf32>
  %e = mlopt.exp %d : tensor<2x3x24xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x3x24xf32>) -> tensor<2x3xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x3xf32> -> tensor<2x3x24xf32>
  %p = mlopt.div %e, %ls : tensor<2x3x24xf32>
  %w = mlopt.convert %p : tensor<2x3x24xf32> -> tensor<2x3x24xbf16>
  %o = mlopt.dot %w, %v batch [0, 1] x [0, 1] contract [2] x [2] : (tensor<2x3x24xbf16>, tensor<2x3x24x64xbf16>) -> tensor<2x3x64xbf16>
  return %o : tensor<2x3x64xbf16>
}

// -----

// Keys whose depth is not the last dimension, which wgmma would transpose.
// CHECK-LABEL: func.func @layout
// CHECK-SAME: kernels = 3
// CHECK: reason = "stream-layout"
func.func @layout(%q: tensor<2x64x64xbf16>, %k: tensor<2x64x96xbf16>, %v: tensor<2x96x64xbf16>) -> tensor<2x64x64xf32> {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [1] : (tensor<2x64x64xbf16>, tensor<2x64x96xbf16>) -> tensor<2x64x96xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %w = mlopt.convert %p : tensor<2x64x96xf32> -> tensor<2x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x64xf32>
  return %o : tensor<2x64x64xf32>
}

// -----

// The exponentials are not those of a difference with their own maximum, so
// that nothing repairs them: no such kernel at all.
// CHECK-LABEL: func.func @other_maximum
// CHECK-SAME: kernels = 3
// CHECK-NOT: reason = "stream
// CHECK: reason = "prologue"
func.func @other_maximum(%q: tensor<2x64x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> tensor<2x64x64xf32> {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x96xf32>
  %m = mlopt.reduce min %raw dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %w = mlopt.convert %p : tensor<2x64x96xf32> -> tensor<2x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x64xf32>
  return %o : tensor<2x64x64xf32>
}

// -----

// Probabilities of f32 that nothing but the caller reads, too.
// CHECK-LABEL: func.func @returned
// CHECK-SAME: kernels = 3
// CHECK: reason = "stream-read"
func.func @returned(%q: tensor<2x64x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> (tensor<2x64x64xf32>, tensor<2x64x96xf32>) {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x96xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %w = mlopt.convert %p : tensor<2x64x96xf32> -> tensor<2x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x64xf32>
  return %o, %p : tensor<2x64x64xf32>, tensor<2x64x96xf32>
}

// -----

// Scores whose rows are no whole 16 bytes are not stored on the way.
// CHECK-LABEL: func.func @odd
// CHECK-SAME: kernels = 3
// CHECK: reason = "stream-read"
func.func @odd(%q: tensor<2x64x64xbf16>, %k: tensor<2x98x64xbf16>, %v: tensor<2x98x64xbf16>, %g: tensor<2x64x98xf32>) -> (tensor<2x64x64xf32>, tensor<2x64xf32>) {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x64xbf16>, tensor<2x98x64xbf16>) -> tensor<2x64x98xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x64x98xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x98xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x64x98xf32>
  %e = mlopt.exp %d : tensor<2x64x98xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x98xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x98xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x98xf32>
  %w = mlopt.convert %p : tensor<2x64x98xf32> -> tensor<2x64x98xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x98xbf16>, tensor<2x98x64xbf16>) -> tensor<2x64x64xf32>
  %t = mlopt.mul %p, %g : tensor<2x64x98xf32>
  %r = mlopt.reduce add %t dims [2] : (tensor<2x64x98xf32>) -> tensor<2x64xf32>
  return %o, %r : tensor<2x64x64xf32>, tensor<2x64xf32>
}
