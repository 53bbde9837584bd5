// RUN: mlopt-compile %s --emit=plan | FileCheck %s
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s --check-prefix=PTX

// Scores, their softmax and two products with it: scores beyond the diagonal
// are not computed, probabilities there are not stored.
// CHECK-LABEL: llvm.func @causal_kernel_0
// CHECK-SAME:    mlopt.masked = {columns = 512 : i64, offset = 0 : i64, rows = 512 : i64}, mlopt.schedule = {{.*}}family = "matmul"
// CHECK-LABEL: llvm.func @causal_kernel_1
// CHECK-SAME:    mlopt.masked = {columns = 512 : i64, offset = 0 : i64, reads = [0xFF800000 : f32], rows = 512 : i64}, mlopt.schedule = {{.*}}family = "rows"
// CHECK-NOT:   mlopt.masked

// Of each matrix, 10 of 16 tiles of 128 x 128. Rows have one vector or two, each
// of two loads.
// PTX-LABEL:   .entry causal_kernel_0
// PTX-NOT:       {{[^0-9]}}576;
// PTX:           setp.{{.*}} 360;
// PTX-LABEL:   .entry causal_kernel_1
// PTX-COUNT-6:   ld.global.v4.b32
// PTX-NOT:       ld.global.v4
// PTX-LABEL:   .entry causal_kernel_2
func.func @causal(%q: tensor<36x512x64xbf16>, %k: tensor<36x512x64xbf16>, %v: tensor<36x512x64xbf16>, %g: tensor<36x512x64xbf16>)
    -> (tensor<36x512x64xf32>, tensor<36x512x64xf32>) {
  %i = mlopt.iota dim 1 : tensor<36x512x512xi32>
  %j = mlopt.iota dim 2 : tensor<36x512x512xi32>
  %c = mlopt.compare ge, %i, %j : tensor<36x512x512xi32>
  %x = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<36x512x64xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x512xf32>
  %none = mlopt.constant dense<0xFF800000> : tensor<36x512x512xf32>
  %s = mlopt.select %c, %x, %none : tensor<36x512x512xf32>
  %r = mlopt.reduce max %s dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  %m = mlopt.broadcast %r dims [0, 1] : tensor<36x512xf32> -> tensor<36x512x512xf32>
  %d = mlopt.sub %s, %m : tensor<36x512x512xf32>
  %e = mlopt.exp %d : tensor<36x512x512xf32>
  %t = mlopt.reduce add %e dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  %b = mlopt.broadcast %t dims [0, 1] : tensor<36x512xf32> -> tensor<36x512x512xf32>
  %p = mlopt.div %e, %b : tensor<36x512x512xf32>
  %h = mlopt.convert %p : tensor<36x512x512xf32> -> tensor<36x512x512xbf16>
  %0 = mlopt.dot %h, %v batch [0] x [0] contract [2] x [1] : (tensor<36x512x512xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x64xf32>
  %1 = mlopt.dot %h, %g batch [0] x [0] contract [1] x [1] : (tensor<36x512x512xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x64xf32>
  return %0, %1 : tensor<36x512x64xf32>, tensor<36x512x64xf32>
}

// Probabilities that somebody sees are stored; their scores need not be. The
// condition may be the other one, and its indices shifted: here the first 257
// keys are everybody's.
// CHECK-LABEL: llvm.func @returned_kernel_0
// CHECK-SAME:    mlopt.masked = {columns = 768 : i64, offset = 256 : i64, rows = 512 : i64}
// CHECK-LABEL: llvm.func @returned_kernel_1
// CHECK-SAME:    mlopt.masked = {columns = 768 : i64, keep, offset = 256 : i64, reads = [0xFF800000 : f32], rows = 512 : i64}
// CHECK-NOT:   mlopt.masked

// Two vectors, and one behind them that is stored only; or three.
// PTX-LABEL:   .entry returned_kernel_1
// PTX-COUNT-10:  ld.global.v4.b32
// PTX-NOT:       ld.global.v4
// PTX-LABEL:   .entry seen_kernel_0
func.func @returned(%q: tensor<36x512x64xbf16>, %k: tensor<36x768x64xbf16>) -> tensor<36x512x768xbf16> {
  %i = mlopt.iota dim 1 : tensor<36x512x768xi32>
  %by = mlopt.constant dense<256> : tensor<36x512x768xi32>
  %l = mlopt.add %i, %by : tensor<36x512x768xi32>
  %j = mlopt.iota dim 2 : tensor<36x512x768xi32>
  %c = mlopt.compare lt, %l, %j : tensor<36x512x768xi32>
  %x = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<36x512x64xbf16>, tensor<36x768x64xbf16>) -> tensor<36x512x768xf32>
  %none = mlopt.constant dense<0xFF800000> : tensor<36x512x768xf32>
  %s = mlopt.select %c, %none, %x : tensor<36x512x768xf32>
  %r = mlopt.reduce max %s dims [2] : (tensor<36x512x768xf32>) -> tensor<36x512xf32>
  %m = mlopt.broadcast %r dims [0, 1] : tensor<36x512xf32> -> tensor<36x512x768xf32>
  %d = mlopt.sub %s, %m : tensor<36x512x768xf32>
  %e = mlopt.exp %d : tensor<36x512x768xf32>
  %t = mlopt.reduce add %e dims [2] : (tensor<36x512x768xf32>) -> tensor<36x512xf32>
  %b = mlopt.broadcast %t dims [0, 1] : tensor<36x512xf32> -> tensor<36x512x768xf32>
  %p = mlopt.div %e, %b : tensor<36x512x768xf32>
  %h = mlopt.convert %p : tensor<36x512x768xf32> -> tensor<36x512x768xbf16>
  return %h : tensor<36x512x768xbf16>
}

// Scores that somebody sees are all computed.
// CHECK-LABEL: llvm.func @seen_kernel_0
// CHECK-NOT:     mlopt.masked
// CHECK-LABEL: llvm.func @seen_kernel_1
// CHECK-SAME:    mlopt.masked = {columns = 512 : i64, keep, offset = 0 : i64, reads = [0xFF800000 : f32], rows = 512 : i64}
// CHECK-NOT:   mlopt.masked
func.func @seen(%q: tensor<36x512x64xbf16>, %k: tensor<36x512x64xbf16>) -> (tensor<36x512x512xf32>, tensor<36x512x512xf32>) {
  %i = mlopt.iota dim 1 : tensor<36x512x512xi32>
  %j = mlopt.iota dim 2 : tensor<36x512x512xi32>
  %c = mlopt.compare ge, %i, %j : tensor<36x512x512xi32>
  %x = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<36x512x64xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x512xf32>
  %none = mlopt.constant dense<0xFF800000> : tensor<36x512x512xf32>
  %s = mlopt.select %c, %x, %none : tensor<36x512x512xf32>
  %r = mlopt.reduce max %s dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  %m = mlopt.broadcast %r dims [0, 1] : tensor<36x512xf32> -> tensor<36x512x512xf32>
  %d = mlopt.sub %s, %m : tensor<36x512x512xf32>
  %e = mlopt.exp %d : tensor<36x512x512xf32>
  return %s, %e : tensor<36x512x512xf32>, tensor<36x512x512xf32>
}

// Zeros are neutral to a sum, but not to a maximum, nor in mode `strict`.
// CHECK-LABEL: llvm.func @sums_kernel_0
// CHECK-SAME:    mlopt.masked
// CHECK-LABEL: llvm.func @sums_kernel_1
// CHECK-SAME:    mlopt.masked = {columns = 512 : i64, offset = 0 : i64, reads = [0.000000e+00 : f32], rows = 512 : i64}
// CHECK-NOT:   mlopt.masked
func.func @sums(%q: tensor<36x512x64xbf16>, %k: tensor<36x512x64xbf16>) -> tensor<36x512xf32> {
  %i = mlopt.iota dim 1 : tensor<36x512x512xi32>
  %j = mlopt.iota dim 2 : tensor<36x512x512xi32>
  %c = mlopt.compare ge, %i, %j : tensor<36x512x512xi32>
  %x = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<36x512x64xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x512xf32>
  %none = mlopt.constant dense<0.0> : tensor<36x512x512xf32>
  %s = mlopt.select %c, %x, %none : tensor<36x512x512xf32>
  %r = mlopt.reduce add %s dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  return %r : tensor<36x512xf32>
}
func.func @maxima(%q: tensor<36x512x64xbf16>, %k: tensor<36x512x64xbf16>) -> tensor<36x512xf32> {
  %i = mlopt.iota dim 1 : tensor<36x512x512xi32>
  %j = mlopt.iota dim 2 : tensor<36x512x512xi32>
  %c = mlopt.compare ge, %i, %j : tensor<36x512x512xi32>
  %x = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<36x512x64xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x512xf32>
  %none = mlopt.constant dense<0.0> : tensor<36x512x512xf32>
  %s = mlopt.select %c, %x, %none : tensor<36x512x512xf32>
  %r = mlopt.reduce max %s dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  return %r : tensor<36x512xf32>
}
func.func @strict(%q: tensor<36x512x64xbf16>, %k: tensor<36x512x64xbf16>) -> tensor<36x512xf32> attributes {mlopt.numerics = #mlopt.numerics<strict>} {
  %i = mlopt.iota dim 1 : tensor<36x512x512xi32>
  %j = mlopt.iota dim 2 : tensor<36x512x512xi32>
  %c = mlopt.compare ge, %i, %j : tensor<36x512x512xi32>
  %x = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<36x512x64xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x512xf32>
  %none = mlopt.constant dense<0.0> : tensor<36x512x512xf32>
  %s = mlopt.select %c, %x, %none : tensor<36x512x512xf32>
  %r = mlopt.reduce add %s dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  return %r : tensor<36x512xf32>
}

// A streamed kernel stores scores as far as its steps go where the rows that read
// them end at the mask; and all of them where somebody needs them.
// CHECK-LABEL: llvm.func @streamed_kernel_0
// CHECK-SAME:    mlopt.masked = {columns = 512 : i64, offset = 0 : i64, rows = 512 : i64}, mlopt.schedule = {{.*}}family = "stream"
// CHECK-LABEL: llvm.func @streamed_kernel_1
// CHECK-SAME:    mlopt.masked = {{.*}}family = "rows"
// CHECK-LABEL: llvm.func @streamed_whole_kernel_0
// CHECK-NOT:     mlopt.masked
// CHECK-SAME:    mlopt.schedule = {{.*}}family = "stream"
func.func @streamed(%q: tensor<36x512x64xbf16>, %k: tensor<36x512x64xbf16>, %v: tensor<36x512x64xbf16>, %g: tensor<36x512x512xf32>)
    -> (tensor<36x512x64xf32>, tensor<36x512xf32>) {
  %i = mlopt.iota dim 1 : tensor<36x512x512xi32>
  %j = mlopt.iota dim 2 : tensor<36x512x512xi32>
  %c = mlopt.compare ge, %i, %j : tensor<36x512x512xi32>
  %x = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<36x512x64xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x512xf32>
  %none = mlopt.constant dense<0xFF800000> : tensor<36x512x512xf32>
  %s = mlopt.select %c, %x, %none : tensor<36x512x512xf32>
  %r = mlopt.reduce max %s dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  %m = mlopt.broadcast %r dims [0, 1] : tensor<36x512xf32> -> tensor<36x512x512xf32>
  %d = mlopt.sub %s, %m : tensor<36x512x512xf32>
  %e = mlopt.exp %d : tensor<36x512x512xf32>
  %t = mlopt.reduce add %e dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  %b = mlopt.broadcast %t dims [0, 1] : tensor<36x512xf32> -> tensor<36x512x512xf32>
  %p = mlopt.div %e, %b : tensor<36x512x512xf32>
  %h = mlopt.convert %p : tensor<36x512x512xf32> -> tensor<36x512x512xbf16>
  %0 = mlopt.dot %h, %v batch [0] x [0] contract [2] x [1] : (tensor<36x512x512xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x64xf32>
  %w = mlopt.mul %e, %g : tensor<36x512x512xf32>
  %1 = mlopt.reduce add %w dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  return %0, %1 : tensor<36x512x64xf32>, tensor<36x512xf32>
}

func.func @streamed_whole(%q: tensor<36x512x64xbf16>, %k: tensor<36x512x64xbf16>, %v: tensor<36x512x64xbf16>, %g: tensor<36x512x512xf32>)
    -> (tensor<36x512x64xf32>, tensor<36x512xf32>, tensor<36x512x512xf32>) {
  %i = mlopt.iota dim 1 : tensor<36x512x512xi32>
  %j = mlopt.iota dim 2 : tensor<36x512x512xi32>
  %c = mlopt.compare ge, %i, %j : tensor<36x512x512xi32>
  %x = mlopt.dot %q, %k batch [0] x [0] contract [2] x [2] : (tensor<36x512x64xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x512xf32>
  %none = mlopt.constant dense<0xFF800000> : tensor<36x512x512xf32>
  %s = mlopt.select %c, %x, %none : tensor<36x512x512xf32>
  %r = mlopt.reduce max %s dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  %m = mlopt.broadcast %r dims [0, 1] : tensor<36x512xf32> -> tensor<36x512x512xf32>
  %d = mlopt.sub %s, %m : tensor<36x512x512xf32>
  %e = mlopt.exp %d : tensor<36x512x512xf32>
  %t = mlopt.reduce add %e dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  %b = mlopt.broadcast %t dims [0, 1] : tensor<36x512xf32> -> tensor<36x512x512xf32>
  %p = mlopt.div %e, %b : tensor<36x512x512xf32>
  %h = mlopt.convert %p : tensor<36x512x512xf32> -> tensor<36x512x512xbf16>
  %0 = mlopt.dot %h, %v batch [0] x [0] contract [2] x [1] : (tensor<36x512x512xbf16>, tensor<36x512x64xbf16>) -> tensor<36x512x64xf32>
  %w = mlopt.mul %e, %g : tensor<36x512x512xf32>
  %1 = mlopt.reduce add %w dims [2] : (tensor<36x512x512xf32>) -> tensor<36x512xf32>
  return %0, %1, %s : tensor<36x512x64xf32>, tensor<36x512xf32>, tensor<36x512x512xf32>
}
