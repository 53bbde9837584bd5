// RUN: mlopt-opt %s -pass-pipeline='builtin.module(mlopt-outline-kernels{wgmma=1},mlopt-plan-memory)' | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-opt %s -pass-pipeline='builtin.module(mlopt-outline-kernels{wgmma=1},mlopt-plan-memory,gpu.module(mlopt-emit-kernels),mlopt-lower-kernels,mlopt-serialize-to-ptx{chip=sm_90a ptx=86})' | FileCheck %s --implicit-check-not=.local

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#tr = affine_map<(d0, d1) -> (d1, d0)>
#id1 = affine_map<(d0) -> (d0)>

// One access of 16 bytes for each operand and the result; a row of the bias
// lies along the vector.
// PLAN-LABEL:  gpu.module @bias_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "pointwise"
// CHECK-LABEL: gpu.binary @bias_kernel_0
// CHECK-COUNT-2: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-1: st.global.v4
// CHECK-NOT:   st.global
func.func @bias(%x: tensor<8192x8192xbf16>, %g: tensor<8192xbf16>) -> tensor<8192x8192xbf16> {
  %r = mlopt.fusion (%ax = %x : tensor<8192x8192xbf16>, %ag = %g : tensor<8192xbf16>) -> tensor<8192x8192xbf16> {
    %eo = tensor.empty() : tensor<8192x8192xbf16>
    %out = linalg.generic {indexing_maps = [#id2, #col, #id2], iterator_types = ["parallel", "parallel"]} ins(%ax, %ag : tensor<8192x8192xbf16>, tensor<8192xbf16>) outs(%eo : tensor<8192x8192xbf16>) {
    ^bb0(%x: bf16, %g: bf16, %q: bf16):
      %s = arith.addf %x, %g : bf16
      %t = arith.mulf %s, %x : bf16
      linalg.yield %t : bf16
    } -> tensor<8192x8192xbf16>
    mlopt.yield %out : tensor<8192x8192xbf16>
  }
  return %r : tensor<8192x8192xbf16>
}

// The row is read once, into registers: two reductions, each within the warps
// and between them.
// PLAN-LABEL:  gpu.module @softmax_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "rows"
// CHECK-LABEL: gpu.binary @softmax_kernel_0
// CHECK-COUNT-4: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-4: st.global.v4
// CHECK-NOT:   st.global
func.func @softmax(%x: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %r = mlopt.fusion (%ax = %x : tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
    %ninf = arith.constant dense<0xFF800000> : tensor<8192xf32>
    %zero = arith.constant dense<0.0> : tensor<8192xf32>
    %eo = tensor.empty() : tensor<8192x8192xbf16>
    %max = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ax : tensor<8192x8192xbf16>) outs(%ninf : tensor<8192xf32>) {
    ^bb0(%x: bf16, %acc: f32):
      %xf = arith.extf %x : bf16 to f32
      %m = arith.maximumf %acc, %xf : f32
      linalg.yield %m : f32
    } -> tensor<8192xf32>
    %ee = tensor.empty() : tensor<8192x8192xf32>
    %ex = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%ax, %max : tensor<8192x8192xbf16>, tensor<8192xf32>) outs(%ee : tensor<8192x8192xf32>) {
    ^bb0(%x: bf16, %m: f32, %q: f32):
      %xf = arith.extf %x : bf16 to f32
      %d = arith.subf %xf, %m : f32
      %c = arith.constant 1.4426950408889634 : f32
      %dc = arith.mulf %d, %c : f32
      %p = math.exp2 %dc : f32
      linalg.yield %p : f32
    } -> tensor<8192x8192xf32>
    %sum = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ex : tensor<8192x8192xf32>) outs(%zero : tensor<8192xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %m = arith.addf %acc, %x : f32
      linalg.yield %m : f32
    } -> tensor<8192xf32>
    %out = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%ex, %sum : tensor<8192x8192xf32>, tensor<8192xf32>) outs(%eo : tensor<8192x8192xbf16>) {
    ^bb0(%x: f32, %s: f32, %q: bf16):
      %d = arith.divf %x, %s : f32
      %o = arith.truncf %d : f32 to bf16
      linalg.yield %o : bf16
    } -> tensor<8192x8192xbf16>
    mlopt.yield %out : tensor<8192x8192xbf16>
  }
  return %r : tensor<8192x8192xbf16>
}

// Two results and three operands in one pass.
// PLAN-LABEL:  gpu.module @rms_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "rows"
// CHECK-LABEL: gpu.binary @rms_kernel_0
// CHECK-COUNT-12: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-8: st.global.v4
// CHECK-NOT:   st.global
func.func @rms(%x: tensor<16384x4096xbf16>, %r: tensor<16384x4096xbf16>, %g: tensor<4096xbf16>) -> (tensor<16384x4096xbf16>, tensor<16384x4096xbf16>) {
  %res:2 = mlopt.fusion (%ax = %x : tensor<16384x4096xbf16>, %ar = %r : tensor<16384x4096xbf16>, %ag = %g : tensor<4096xbf16>) -> (tensor<16384x4096xbf16>, tensor<16384x4096xbf16>) {
    %zero = arith.constant dense<0.0> : tensor<16384xf32>
    %eo = tensor.empty() : tensor<16384x4096xbf16>
    %ev = tensor.empty() : tensor<16384xf32>
    %h = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%ax, %ar : tensor<16384x4096xbf16>, tensor<16384x4096xbf16>) outs(%eo : tensor<16384x4096xbf16>) {
    ^bb0(%x: bf16, %r: bf16, %q: bf16):
      %s = arith.addf %x, %r : bf16
      linalg.yield %s : bf16
    } -> tensor<16384x4096xbf16>
    %sum = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<16384x4096xbf16>) outs(%zero : tensor<16384xf32>) {
    ^bb0(%x: bf16, %acc: f32):
      %xf = arith.extf %x : bf16 to f32
      %x2 = arith.mulf %xf, %xf : f32
      %m = arith.addf %acc, %x2 : f32
      linalg.yield %m : f32
    } -> tensor<16384xf32>
    %inv = linalg.generic {indexing_maps = [#id1, #id1], iterator_types = ["parallel"]} ins(%sum : tensor<16384xf32>) outs(%ev : tensor<16384xf32>) {
    ^bb0(%s: f32, %q: f32):
      %n = arith.constant 4096.0 : f32
      %m = arith.divf %s, %n : f32
      %eps = arith.constant 1.0e-5 : f32
      %m2 = arith.addf %m, %eps : f32
      %sq = math.sqrt %m2 : f32
      %one = arith.constant 1.0 : f32
      %i = arith.divf %one, %sq : f32
      linalg.yield %i : f32
    } -> tensor<16384xf32>
    %out = linalg.generic {indexing_maps = [#id2, #row, #col, #id2], iterator_types = ["parallel", "parallel"]} ins(%h, %inv, %ag : tensor<16384x4096xbf16>, tensor<16384xf32>, tensor<4096xbf16>) outs(%eo : tensor<16384x4096xbf16>) {
    ^bb0(%x: bf16, %i: f32, %g: bf16, %q: bf16):
      %xf = arith.extf %x : bf16 to f32
      %gf = arith.extf %g : bf16 to f32
      %d1 = arith.mulf %xf, %i : f32
      %d2 = arith.mulf %d1, %gf : f32
      %o = arith.truncf %d2 : f32 to bf16
      linalg.yield %o : bf16
    } -> tensor<16384x4096xbf16>
    mlopt.yield %h, %out : tensor<16384x4096xbf16>, tensor<16384x4096xbf16>
  }
  return %res#0, %res#1 : tensor<16384x4096xbf16>, tensor<16384x4096xbf16>
}

// Both sides of a transpose take 16 bytes at once, and so does shared memory
// between, which holds words of two rows.
// PLAN-LABEL:  gpu.module @transpose_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}family = "transpose"
// CHECK-LABEL: gpu.binary @transpose_kernel_0
// CHECK-COUNT-8: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK:       st.shared.v2.b16
// CHECK:       bar{{[a-z.]*}}sync
// CHECK:       ld.shared.v4
// CHECK-NOT:   ld.shared.b16
func.func @transpose(%x: tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
  %r = mlopt.fusion (%ax = %x : tensor<8192x8192xbf16>) -> tensor<8192x8192xbf16> {
    %eo = tensor.empty() : tensor<8192x8192xbf16>
    %out = linalg.generic {indexing_maps = [#tr, #id2], iterator_types = ["parallel", "parallel"]} ins(%ax : tensor<8192x8192xbf16>) outs(%eo : tensor<8192x8192xbf16>) {
    ^bb0(%x: bf16, %q: bf16):
      %c = arith.constant 0.5 : bf16
      %s = arith.mulf %x, %c : bf16
      linalg.yield %s : bf16
    } -> tensor<8192x8192xbf16>
    mlopt.yield %out : tensor<8192x8192xbf16>
  }
  return %r : tensor<8192x8192xbf16>
}

// Eight rows under way; partial sums meet in shared memory, those of the two
// blocks that share a strip in the first one's.
// PLAN-LABEL:  gpu.module @column_sum_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}cluster = 2{{.*}}family = "columns"
// CHECK-LABEL: gpu.binary @column_sum_kernel_0
// CHECK:       barrier.cluster.arrive.relaxed
// CHECK-COUNT-8: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK:       barrier.cluster.wait
// CHECK:       bar{{[a-z.]*}}sync
// CHECK:       st.shared::cluster
// CHECK:       barrier.cluster.wait
// CHECK:       st.global
func.func @column_sum(%x: tensor<16384x4096xbf16>) -> tensor<4096xf32> {
  %r = mlopt.fusion (%ax = %x : tensor<16384x4096xbf16>) -> tensor<4096xf32> {
    %zero = arith.constant dense<0.0> : tensor<4096xf32>
    %out = linalg.generic {indexing_maps = [#id2, #col], iterator_types = ["reduction", "parallel"]} ins(%ax : tensor<16384x4096xbf16>) outs(%zero : tensor<4096xf32>) {
    ^bb0(%x: bf16, %acc: f32):
      %xf = arith.extf %x : bf16 to f32
      %m = arith.addf %acc, %xf : f32
      linalg.yield %m : f32
    } -> tensor<4096xf32>
    mlopt.yield %out : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}

// Of few rows a cluster of eight blocks holds each; they write what they found
// into each other's shared memory.
// PLAN-LABEL:  gpu.module @long_row_kernel_0
// PLAN:        mlopt.schedule = {blocks = 128 : i64, cluster = 8 : i64, family = "rows"
// CHECK-LABEL: gpu.binary @long_row_kernel_0
// CHECK-SAME:  reqnctapercluster 8
// CHECK-SAME:  barrier.cluster.arrive.relaxed
// CHECK-COUNT-4: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-2: st.shared::cluster
// CHECK-NOT:   st.shared::cluster
// CHECK-COUNT-4: st.global.v4
// CHECK-NOT:   st.global
func.func @long_row(%x: tensor<16x131072xbf16>) -> tensor<16x131072xbf16> {
  %r = mlopt.fusion (%ax = %x : tensor<16x131072xbf16>) -> tensor<16x131072xbf16> {
    %ninf = arith.constant dense<0xFF800000> : tensor<16xf32>
    %zero = arith.constant dense<0.0> : tensor<16xf32>
    %eo = tensor.empty() : tensor<16x131072xbf16>
    %max = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ax : tensor<16x131072xbf16>) outs(%ninf : tensor<16xf32>) {
    ^bb0(%x: bf16, %acc: f32):
      %xf = arith.extf %x : bf16 to f32
      %m = arith.maximumf %acc, %xf : f32
      linalg.yield %m : f32
    } -> tensor<16xf32>
    %ee = tensor.empty() : tensor<16x131072xf32>
    %ex = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%ax, %max : tensor<16x131072xbf16>, tensor<16xf32>) outs(%ee : tensor<16x131072xf32>) {
    ^bb0(%x: bf16, %m: f32, %q: f32):
      %xf = arith.extf %x : bf16 to f32
      %d = arith.subf %xf, %m : f32
      %c = arith.constant 1.4426950408889634 : f32
      %dc = arith.mulf %d, %c : f32
      %p = math.exp2 %dc : f32
      linalg.yield %p : f32
    } -> tensor<16x131072xf32>
    %sum = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ex : tensor<16x131072xf32>) outs(%zero : tensor<16xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %m = arith.addf %acc, %x : f32
      linalg.yield %m : f32
    } -> tensor<16xf32>
    %out = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%ex, %sum : tensor<16x131072xf32>, tensor<16xf32>) outs(%eo : tensor<16x131072xbf16>) {
    ^bb0(%x: f32, %s: f32, %q: bf16):
      %d = arith.divf %x, %s : f32
      %o = arith.truncf %d : f32 to bf16
      linalg.yield %o : bf16
    } -> tensor<16x131072xbf16>
    mlopt.yield %out : tensor<16x131072xbf16>
  }
  return %r : tensor<16x131072xbf16>
}

// A row too long for that is read once for each reduction and once for the
// result.
// PLAN-LABEL:  gpu.module @longer_row_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}cluster = 8 : i64, family = "rows"{{.*}}vectors = 0
// CHECK-LABEL: gpu.binary @longer_row_kernel_0
// CHECK-COUNT-12: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK-COUNT-4: st.global.v4
// CHECK-NOT:   st.global
func.func @longer_row(%x: tensor<128x1048576xbf16>) -> tensor<128x1048576xbf16> {
  %r = mlopt.fusion (%ax = %x : tensor<128x1048576xbf16>) -> tensor<128x1048576xbf16> {
    %ninf = arith.constant dense<0xFF800000> : tensor<128xf32>
    %zero = arith.constant dense<0.0> : tensor<128xf32>
    %eo = tensor.empty() : tensor<128x1048576xbf16>
    %max = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ax : tensor<128x1048576xbf16>) outs(%ninf : tensor<128xf32>) {
    ^bb0(%x: bf16, %acc: f32):
      %xf = arith.extf %x : bf16 to f32
      %m = arith.maximumf %acc, %xf : f32
      linalg.yield %m : f32
    } -> tensor<128xf32>
    %ee = tensor.empty() : tensor<128x1048576xf32>
    %ex = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%ax, %max : tensor<128x1048576xbf16>, tensor<128xf32>) outs(%ee : tensor<128x1048576xf32>) {
    ^bb0(%x: bf16, %m: f32, %q: f32):
      %xf = arith.extf %x : bf16 to f32
      %d = arith.subf %xf, %m : f32
      %c = arith.constant 1.4426950408889634 : f32
      %dc = arith.mulf %d, %c : f32
      %p = math.exp2 %dc : f32
      linalg.yield %p : f32
    } -> tensor<128x1048576xf32>
    %sum = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]} ins(%ex : tensor<128x1048576xf32>) outs(%zero : tensor<128xf32>) {
    ^bb0(%x: f32, %acc: f32):
      %m = arith.addf %acc, %x : f32
      linalg.yield %m : f32
    } -> tensor<128xf32>
    %out = linalg.generic {indexing_maps = [#id2, #row, #id2], iterator_types = ["parallel", "parallel"]} ins(%ex, %sum : tensor<128x1048576xf32>, tensor<128xf32>) outs(%eo : tensor<128x1048576xbf16>) {
    ^bb0(%x: f32, %s: f32, %q: bf16):
      %d = arith.mulf %x, %s : f32
      %o = arith.truncf %d : f32 to bf16
      linalg.yield %o : bf16
    } -> tensor<128x1048576xbf16>
    mlopt.yield %out : tensor<128x1048576xbf16>
  }
  return %r : tensor<128x1048576xbf16>
}
