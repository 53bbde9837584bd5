// One block of a GPT-2 style transformer: layer norm, causal attention with
// four heads, a residual; layer norm, a GELU perceptron, a residual. 2 sequences
// of 64 tokens, width 128.
//
// RUN: mlopt-run %s --oracle --seed=1 | FileCheck %s
// RUN: mlopt-compile %s | FileCheck %s --check-prefix=IMPORT
// RUN: mlopt-compile --device=cpu --emit=linalg %s | FileCheck %s --check-prefix=LINALG

// CHECK: @main on cpu: compiled in {{.*}} ms, ran in {{.*}} ms
// CHECK-NEXT: oracle out0 tensor<2x64x128xf32>: right
// CHECK-NEXT: right: 1 of 1 comparisons

// Calls are inlined; the two matrix products of attention stay as they are.
// IMPORT-NOT: call @
// IMPORT: mlopt.dot {{.*}} batch [0, 1] x [0, 1] contract [3] x [3]
// IMPORT: mlopt.exp
// IMPORT: mlopt.dot {{.*}} batch [0, 1] x [0, 1] contract [3] x [2]
// IMPORT-NOT: func.func private

// LINALG-NOT: mlopt.
// LINALG: linalg

!block = tensor<2x64x128xf32>
!heads = tensor<2x64x4x32xf32>
!head_major = tensor<2x4x64x32xf32>
!scores = tensor<2x4x64x64xf32>
!hidden = tensor<2x64x512xf32>
!row = tensor<2x64xf32>
!rows = tensor<2x4x64xf32>
!width = tensor<128xf32>

func.func @main(%x: !block, %gain1: !width, %bias1: !width,
                %wq: tensor<128x128xf32>, %wk: tensor<128x128xf32>,
                %wv: tensor<128x128xf32>, %wo: tensor<128x128xf32>,
                %gain2: !width, %bias2: !width, %up: tensor<128x512xf32>,
                %down: tensor<512x128xf32>) -> !block {
  %n1 = call @layer_norm(%x, %gain1, %bias1)
      : (!block, !width, !width) -> !block
  %q = call @project(%n1, %wq) : (!block, tensor<128x128xf32>) -> !block
  %k = call @project(%n1, %wk) : (!block, tensor<128x128xf32>) -> !block
  %v = call @project(%n1, %wv) : (!block, tensor<128x128xf32>) -> !block
  %a = call @attention(%q, %k, %v) : (!block, !block, !block) -> !block
  %o = call @project(%a, %wo) : (!block, tensor<128x128xf32>) -> !block
  %h = mlopt.add %x, %o : !block
  %n2 = call @layer_norm(%h, %gain2, %bias2)
      : (!block, !width, !width) -> !block
  %m = call @perceptron(%n2, %up, %down)
      : (!block, tensor<128x512xf32>, tensor<512x128xf32>) -> !block
  %r = mlopt.add %h, %m : !block
  return %r : !block
}

// The weights that come in have variance 1; 1/sqrt(128) keeps the activations'.
func.func private @project(%x: !block, %w: tensor<128x128xf32>) -> !block {
  %scale = mlopt.constant dense<0.0883883461> : tensor<128x128xf32>
  %ws = mlopt.mul %w, %scale : tensor<128x128xf32>
  %y = mlopt.dot %x, %ws contract [2] x [0]
      : (!block, tensor<128x128xf32>) -> !block
  return %y : !block
}

// (x - mean) / sqrt(variance + 1e-5) * gain + bias, over the last dimension.
func.func private @layer_norm(%x: !block, %gain: !width, %bias: !width)
    -> !block {
  %n = mlopt.constant dense<128.0> : !row
  %eps = mlopt.constant dense<1.0e-5> : !row
  %sum = mlopt.reduce add %x dims [2] : (!block) -> !row
  %mean = mlopt.div %sum, %n : !row
  %mb = mlopt.broadcast %mean dims [0, 1] : !row -> !block
  %c = mlopt.sub %x, %mb : !block
  %c2 = mlopt.mul %c, %c : !block
  %sum2 = mlopt.reduce add %c2 dims [2] : (!block) -> !row
  %var = mlopt.div %sum2, %n : !row
  %ve = mlopt.add %var, %eps : !row
  %inv = mlopt.rsqrt %ve : !row
  %ib = mlopt.broadcast %inv dims [0, 1] : !row -> !block
  %y = mlopt.mul %c, %ib : !block
  %gb = mlopt.broadcast %gain dims [2] : !width -> !block
  %bb = mlopt.broadcast %bias dims [2] : !width -> !block
  %yg = mlopt.mul %y, %gb : !block
  %r = mlopt.add %yg, %bb : !block
  return %r : !block
}

func.func private @split_heads(%x: !block) -> !head_major {
  %h = mlopt.reshape %x : !block -> !heads
  %t = mlopt.transpose %h perm [0, 2, 1, 3] : !heads -> !head_major
  return %t : !head_major
}

// softmax(q k^T / sqrt(32), masked to keys at or before the query) v.
func.func private @attention(%q: !block, %k: !block, %v: !block) -> !block {
  %qh = call @split_heads(%q) : (!block) -> !head_major
  %kh = call @split_heads(%k) : (!block) -> !head_major
  %vh = call @split_heads(%v) : (!block) -> !head_major
  %s = mlopt.dot %qh, %kh batch [0, 1] x [0, 1] contract [3] x [3]
      : (!head_major, !head_major) -> !scores
  %scale = mlopt.constant dense<0.176776692> : !scores
  %ss = mlopt.mul %s, %scale : !scores
  %query = mlopt.iota dim 2 : tensor<2x4x64x64xi32>
  %key = mlopt.iota dim 3 : tensor<2x4x64x64xi32>
  %past = mlopt.compare ge, %query, %key : tensor<2x4x64x64xi32>
  %out = mlopt.constant dense<0xFF800000> : !scores
  %masked = mlopt.select %past, %ss, %out : !scores
  %max = mlopt.reduce max %masked dims [3] : (!scores) -> !rows
  %mb = mlopt.broadcast %max dims [0, 1, 2] : !rows -> !scores
  %d = mlopt.sub %masked, %mb : !scores
  %e = mlopt.exp %d : !scores
  %sum = mlopt.reduce add %e dims [3] : (!scores) -> !rows
  %sb = mlopt.broadcast %sum dims [0, 1, 2] : !rows -> !scores
  %p = mlopt.div %e, %sb : !scores
  %o = mlopt.dot %p, %vh batch [0, 1] x [0, 1] contract [3] x [2]
      : (!scores, !head_major) -> !head_major
  %t = mlopt.transpose %o perm [0, 2, 1, 3] : !head_major -> !heads
  %r = mlopt.reshape %t : !heads -> !block
  return %r : !block
}

// gelu(x up) down, with gelu's tanh form.
func.func private @perceptron(%x: !block, %up: tensor<128x512xf32>,
                              %down: tensor<512x128xf32>) -> !block {
  %su = mlopt.constant dense<0.0883883461> : tensor<128x512xf32>
  %us = mlopt.mul %up, %su : tensor<128x512xf32>
  %h = mlopt.dot %x, %us contract [2] x [0]
      : (!block, tensor<128x512xf32>) -> !hidden
  %half = mlopt.constant dense<0.5> : !hidden
  %one = mlopt.constant dense<1.0> : !hidden
  %cubic = mlopt.constant dense<0.044715> : !hidden
  %root = mlopt.constant dense<0.797884583> : !hidden // sqrt(2 / pi)
  %h2 = mlopt.mul %h, %h : !hidden
  %h3 = mlopt.mul %h2, %h : !hidden
  %c3 = mlopt.mul %h3, %cubic : !hidden
  %sum = mlopt.add %h, %c3 : !hidden
  %arg = mlopt.mul %sum, %root : !hidden
  %tanh = mlopt.tanh %arg : !hidden
  %t1 = mlopt.add %tanh, %one : !hidden
  %hh = mlopt.mul %h, %half : !hidden
  %g = mlopt.mul %hh, %t1 : !hidden
  %sd = mlopt.constant dense<0.0441941731> : tensor<512x128xf32>
  %ds = mlopt.mul %down, %sd : tensor<512x128xf32>
  %y = mlopt.dot %g, %ds contract [2] x [0]
      : (!hidden, tensor<512x128xf32>) -> !block
  return %y : !block
}
