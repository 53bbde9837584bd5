// Two dots around a softmax become one kernel.
// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-push-numerics,mlopt-fuse{wgmma=true}))' | FileCheck %s
// RUN: mlopt-opt %s -split-input-file -pass-pipeline='builtin.module(func.func(mlopt-push-numerics,mlopt-fuse))' | FileCheck %s --check-prefix=OFF

// The exponentials are rounded, and the rows of what they weigh scaled in f32.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: kernels = 1
// CHECK: mlopt.fusion
// CHECK: %[[RAW:.*]] = mlopt.dot
// CHECK: %[[MAX:.*]] = mlopt.reduce max %[[RAW]] dims [2]
// CHECK: %[[EXP:.*]] = mlopt.exp
// CHECK: %[[SUM:.*]] = mlopt.reduce add %[[EXP]] dims [2]
// CHECK: %[[WEIGHTS:.*]] = mlopt.convert %[[EXP]]
// CHECK: %[[INVERSE:.*]] = mlopt.div %{{.*}}, %[[SUM]]
// CHECK: %[[OUT:.*]] = mlopt.dot %[[WEIGHTS]], {{.*}} -> tensor<2x64x64xf32>
// CHECK: %[[ROWS:.*]] = mlopt.broadcast %[[INVERSE]]
// CHECK: mlopt.mul %[[OUT]], %[[ROWS]]
// Without wgmma there is no such kernel, and nothing is moved.
// OFF-LABEL: func.func @softmax
// OFF-SAME: kernels = 3
// OFF: %[[P:.*]] = mlopt.div
// OFF-NEXT: mlopt.convert %[[P]]
// OFF-NOT: reason = "stream
func.func @softmax(%q: tensor<2x64x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> tensor<2x64x64xbf16> {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x96xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %w = mlopt.convert %p : tensor<2x64x96xf32> -> tensor<2x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x64xbf16>
  return %o : tensor<2x64x64xbf16>
}

// -----

// One row for each head of keys, which needs no dimension.
// CHECK-LABEL: func.func @one_row
// CHECK-SAME: kernels = 1
// OFF-LABEL: func.func @one_row
// OFF-SAME: kernels = 3
func.func @one_row(%q: tensor<2x3x64xbf16>, %k: tensor<2x3x96x64xbf16>, %v: tensor<2x3x96x64xbf16>) -> tensor<2x3x64xbf16> {
  %raw = mlopt.dot %q, %k batch [0, 1] x [0, 1] contract [2] x [3] : (tensor<2x3x64xbf16>, tensor<2x3x96x64xbf16>) -> tensor<2x3x96xf32>
  %m = mlopt.reduce max %raw dims [2] : (tensor<2x3x96xf32>) -> tensor<2x3xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x3xf32> -> tensor<2x3x96xf32>
  %d = mlopt.sub %raw, %ms : tensor<2x3x96xf32>
  %e = mlopt.exp %d : tensor<2x3x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x3x96xf32>) -> tensor<2x3xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x3xf32> -> tensor<2x3x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x3x96xf32>
  %w = mlopt.convert %p : tensor<2x3x96xf32> -> tensor<2x3x96xbf16>
  %o = mlopt.dot %w, %v batch [0, 1] x [0, 1] contract [2] x [2] : (tensor<2x3x96xbf16>, tensor<2x3x96x64xbf16>) -> tensor<2x3x64xbf16>
  return %o : tensor<2x3x64xbf16>
}

// -----

// Any elementwise code gives scores: a mask by indices and one in memory, a
// function, a bias. Heads are read where they lie, and stored so.
// CHECK-LABEL: func.func @scores
// CHECK-SAME: kernels = 1
// CHECK: mlopt.fusion
// CHECK: mlopt.transpose
// CHECK: mlopt.dot
// CHECK: mlopt.tanh
// CHECK: mlopt.select
// CHECK: mlopt.dot
// CHECK: mlopt.transpose
func.func @scores(%q: tensor<2x64x4x64xbf16>, %k: tensor<2x96x4x64xbf16>, %v: tensor<2x96x4x64xbf16>, %bias: tensor<64x96xf32>, %mask: tensor<2x96xi1>) -> tensor<2x64x4x64xbf16> {
  %none = mlopt.constant dense<0xFF800000> : tensor<2x4x64x96xf32>
  %qt = mlopt.transpose %q perm [0, 2, 1, 3] : tensor<2x64x4x64xbf16> -> tensor<2x4x64x64xbf16>
  %kt = mlopt.transpose %k perm [0, 2, 1, 3] : tensor<2x96x4x64xbf16> -> tensor<2x4x96x64xbf16>
  %vt = mlopt.transpose %v perm [0, 2, 1, 3] : tensor<2x96x4x64xbf16> -> tensor<2x4x96x64xbf16>
  %raw = mlopt.dot %qt, %kt batch [0, 1] x [0, 1] contract [3] x [3] : (tensor<2x4x64x64xbf16>, tensor<2x4x96x64xbf16>) -> tensor<2x4x64x96xf32>
  %b = mlopt.broadcast %bias dims [2, 3] : tensor<64x96xf32> -> tensor<2x4x64x96xf32>
  %t = mlopt.tanh %raw : tensor<2x4x64x96xf32>
  %s0 = mlopt.add %t, %b : tensor<2x4x64x96xf32>
  %i = mlopt.iota dim 0 : tensor<64x96xi32>
  %j = mlopt.iota dim 1 : tensor<64x96xi32>
  %causal = mlopt.compare ge, %i, %j : tensor<64x96xi32>
  %c = mlopt.broadcast %causal dims [2, 3] : tensor<64x96xi1> -> tensor<2x4x64x96xi1>
  %h = mlopt.broadcast %mask dims [0, 3] : tensor<2x96xi1> -> tensor<2x4x64x96xi1>
  %keep = mlopt.and %c, %h : tensor<2x4x64x96xi1>
  %s = mlopt.select %keep, %s0, %none : tensor<2x4x64x96xf32>
  %m = mlopt.reduce max %s dims [3] : (tensor<2x4x64x96xf32>) -> tensor<2x4x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1, 2] : tensor<2x4x64xf32> -> tensor<2x4x64x96xf32>
  %d = mlopt.sub %s, %ms : tensor<2x4x64x96xf32>
  %e = mlopt.exp %d : tensor<2x4x64x96xf32>
  %l = mlopt.reduce add %e dims [3] : (tensor<2x4x64x96xf32>) -> tensor<2x4x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1, 2] : tensor<2x4x64xf32> -> tensor<2x4x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x4x64x96xf32>
  %w = mlopt.convert %p : tensor<2x4x64x96xf32> -> tensor<2x4x64x96xbf16>
  %o = mlopt.dot %w, %vt batch [0, 1] x [0, 1] contract [3] x [2] : (tensor<2x4x64x96xbf16>, tensor<2x4x96x64xbf16>) -> tensor<2x4x64x64xbf16>
  %r = mlopt.transpose %o perm [0, 2, 1, 3] : tensor<2x4x64x64xbf16> -> tensor<2x64x4x64xbf16>
  return %r : tensor<2x64x4x64xbf16>
}

// -----

// Scores that are transposed before their softmax, and weights on the right, as
// JAX writes attention: the transpose goes behind the second dot.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: kernels = 1
// CHECK: mlopt.fusion
// CHECK: %[[SCORES:.*]] = mlopt.mul
// CHECK-NEXT: mlopt.reduce max %[[SCORES]] dims [3]
// CHECK: %[[WEIGHTS:.*]] = mlopt.convert {{.*}} -> tensor<2x4x64x96xbf16>
// CHECK: mlopt.dot %[[WEIGHTS]], {{.*}} batch [0, 1] x [0, 2] contract [3] x [1]
// OFF-LABEL: func.func @transposed
// OFF-SAME: kernels = 3
func.func @transposed(%q: tensor<2x64x4x64xbf16>, %k: tensor<2x96x4x64xbf16>, %v: tensor<2x96x4x64xbf16>) -> tensor<2x64x4x64xbf16> {
  %scale = mlopt.constant dense<0.125> : tensor<4x64x2x96xf32>
  %raw = mlopt.dot %q, %k batch [0, 2] x [0, 2] contract [3] x [3] : (tensor<2x64x4x64xbf16>, tensor<2x96x4x64xbf16>) -> tensor<2x4x64x96xf32>
  %t = mlopt.transpose %raw perm [1, 2, 0, 3] : tensor<2x4x64x96xf32> -> tensor<4x64x2x96xf32>
  %s = mlopt.mul %t, %scale : tensor<4x64x2x96xf32>
  %m = mlopt.reduce max %s dims [3] : (tensor<4x64x2x96xf32>) -> tensor<4x64x2xf32>
  %ms = mlopt.broadcast %m dims [0, 1, 2] : tensor<4x64x2xf32> -> tensor<4x64x2x96xf32>
  %d = mlopt.sub %s, %ms : tensor<4x64x2x96xf32>
  %e = mlopt.exp %d : tensor<4x64x2x96xf32>
  %l = mlopt.reduce add %e dims [3] : (tensor<4x64x2x96xf32>) -> tensor<4x64x2xf32>
  %ls = mlopt.broadcast %l dims [0, 1, 2] : tensor<4x64x2xf32> -> tensor<4x64x2x96xf32>
  %p = mlopt.div %e, %ls : tensor<4x64x2x96xf32>
  %w = mlopt.convert %p : tensor<4x64x2x96xf32> -> tensor<4x64x2x96xbf16>
  %o = mlopt.dot %v, %w batch [0, 2] x [2, 0] contract [1] x [3] : (tensor<2x96x4x64xbf16>, tensor<4x64x2x96xbf16>) -> tensor<2x4x64x64xbf16>
  %r = mlopt.transpose %o perm [0, 3, 1, 2] : tensor<2x4x64x64xbf16> -> tensor<2x64x4x64xbf16>
  return %r : tensor<2x64x4x64xbf16>
}

// -----

// Rows of grouped heads lie apart in memory, and are put side by side first. The
// scores' transpose moves behind the softmax, and what the mask reads stays
// transposed.
// CHECK-LABEL: func.func @grouped
// CHECK-SAME: kernels = 2
// CHECK: mlopt.fusion
// CHECK-NEXT: mlopt.transpose %{{.*}} perm [0, 2, 1, 3, 4]
// CHECK-NEXT: mlopt.yield
// CHECK: mlopt.fusion
// CHECK: mlopt.dot %{{.*}} batch [0, 1] x [0, 2] contract [4] x [3] : (tensor<2x2x64x4x64xbf16>
// CHECK: mlopt.select %{{.*}} : tensor<2x2x64x4x96xf32>
// CHECK: mlopt.dot
// CHECK-NOT: mlopt.fusion
func.func @grouped(%q: tensor<2x64x2x4x64xbf16>, %k: tensor<2x96x2x64xbf16>, %v: tensor<2x96x2x64xbf16>) -> tensor<2x2x4x64x64xf32> {
  %raw = mlopt.dot %q, %k batch [0, 2] x [0, 2] contract [4] x [3] : (tensor<2x64x2x4x64xbf16>, tensor<2x96x2x64xbf16>) -> tensor<2x2x64x4x96xf32>
  %t = mlopt.transpose %raw perm [0, 1, 3, 2, 4] : tensor<2x2x64x4x96xf32> -> tensor<2x2x4x64x96xf32>
  %i = mlopt.iota dim 3 : tensor<2x2x4x64x96xi32>
  %j = mlopt.iota dim 4 : tensor<2x2x4x64x96xi32>
  %keep = mlopt.compare ge, %i, %j : tensor<2x2x4x64x96xi32>
  %never = mlopt.constant dense<0xFF800000> : tensor<2x2x4x64x96xf32>
  %s = mlopt.select %keep, %t, %never : tensor<2x2x4x64x96xf32>
  %m = mlopt.reduce max %s dims [4] : (tensor<2x2x4x64x96xf32>) -> tensor<2x2x4x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1, 2, 3] : tensor<2x2x4x64xf32> -> tensor<2x2x4x64x96xf32>
  %d = mlopt.sub %s, %ms : tensor<2x2x4x64x96xf32>
  %e = mlopt.exp %d : tensor<2x2x4x64x96xf32>
  %l = mlopt.reduce add %e dims [4] : (tensor<2x2x4x64x96xf32>) -> tensor<2x2x4x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1, 2, 3] : tensor<2x2x4x64xf32> -> tensor<2x2x4x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x2x4x64x96xf32>
  %w = mlopt.convert %p : tensor<2x2x4x64x96xf32> -> tensor<2x2x4x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0, 1] x [0, 2] contract [4] x [1] : (tensor<2x2x4x64x96xbf16>, tensor<2x96x2x64xbf16>) -> tensor<2x2x4x64x64xf32>
  return %o : tensor<2x2x4x64x64xf32>
}

// -----

// Exponentials that something else computes with are computed again there, from
// the scores and the rows' maximum, which the kernel stores; so is what the rows
// add up to.
// CHECK-LABEL: func.func @gradient
// CHECK-SAME: kernels = 2
// CHECK: %[[STREAM:.*]]:4 = mlopt.fusion
// CHECK: %[[RAW:.*]] = mlopt.dot
// CHECK: %[[SCORES:.*]] = mlopt.mul %[[RAW]]
// CHECK: %[[MAX:.*]] = mlopt.reduce max %[[SCORES]]
// CHECK: mlopt.exp
// CHECK: %[[SUM:.*]] = mlopt.reduce add
// CHECK: mlopt.dot
// CHECK: mlopt.yield %[[SCORES]], %[[MAX]], %[[SUM]], %{{.*}} :
// CHECK: mlopt.fusion
// CHECK-NOT: mlopt.dot
// CHECK: mlopt.exp
// CHECK: mlopt.reduce add
// OFF-LABEL: func.func @gradient
// OFF-SAME: kernels = 3
func.func @gradient(%q: tensor<2x64x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>, %g: tensor<2x64x96xf32>) -> (tensor<2x64x64xf32>, tensor<2x64xf32>) {
  %raw = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x96xf32>
  %c = mlopt.constant dense<0.125> : tensor<2x64x96xf32>
  %s = mlopt.mul %raw, %c : tensor<2x64x96xf32>
  %m = mlopt.reduce max %s dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %s, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %w = mlopt.convert %p : tensor<2x64x96xf32> -> tensor<2x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x64xf32>
  %t = mlopt.mul %p, %g : tensor<2x64x96xf32>
  %r = mlopt.reduce add %t dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  return %o, %r : tensor<2x64x64xf32>, tensor<2x64xf32>
}

// -----

// Scores may be a result, and so may a row's maximum and sum.
// CHECK-LABEL: func.func @stored
// CHECK-SAME: kernels = 1
func.func @stored(%q: tensor<2x64x64xbf16>, %k: tensor<2x96x64xbf16>, %v: tensor<2x96x64xbf16>) -> (tensor<2x64x64xf32>, tensor<2x64x96xf32>, tensor<2x64xf32>, tensor<2x64xf32>) {
  %s = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<2x64x64xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x96xf32>
  %m = mlopt.reduce max %s dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ms = mlopt.broadcast %m dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %d = mlopt.sub %s, %ms : tensor<2x64x96xf32>
  %e = mlopt.exp %d : tensor<2x64x96xf32>
  %l = mlopt.reduce add %e dims [2] : (tensor<2x64x96xf32>) -> tensor<2x64xf32>
  %ls = mlopt.broadcast %l dims [0, 1] : tensor<2x64xf32> -> tensor<2x64x96xf32>
  %p = mlopt.div %e, %ls : tensor<2x64x96xf32>
  %w = mlopt.convert %p : tensor<2x64x96xf32> -> tensor<2x64x96xbf16>
  %o = mlopt.dot %w, %v batch [0] x [0] contract [2] x [1] : (tensor<2x64x96xbf16>, tensor<2x96x64xbf16>) -> tensor<2x64x64xf32>
  return %o, %s, %m, %l : tensor<2x64x64xf32>, tensor<2x64x96xf32>, tensor<2x64xf32>, tensor<2x64xf32>
}
