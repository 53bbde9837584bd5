// Rows too long to be held whose elements are needed once: all reductions of a
// row go along it together, log-sum-exp too, in one loop with one read.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s

// PLAN-LABEL:  gpu.module @logsumexp_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}cluster = 1 : i64, family = "rows"{{.*}}vectors = 0
// CHECK-LABEL: .entry logsumexp_kernel_0
// CHECK-COUNT-4: ld.global.v4
// CHECK-NOT:   ld.global
func.func @logsumexp(%x: tensor<1024x131072xbf16>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %f = mlopt.convert %x : tensor<1024x131072xbf16> -> tensor<1024x131072xf32>
  %m = mlopt.reduce max %f dims [1] : (tensor<1024x131072xf32>) -> tensor<1024xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<1024xf32> -> tensor<1024x131072xf32>
  %d = mlopt.sub %f, %b : tensor<1024x131072xf32>
  %e = mlopt.exp %d : tensor<1024x131072xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<1024x131072xf32>) -> tensor<1024xf32>
  %l = mlopt.log %s : tensor<1024xf32>
  %r = mlopt.add %l, %m : tensor<1024xf32>
  %q = mlopt.mul %f, %f : tensor<1024x131072xf32>
  %t = mlopt.reduce add %q dims [1] : (tensor<1024x131072xf32>) -> tensor<1024xf32>
  return %r, %t : tensor<1024xf32>, tensor<1024xf32>
}

// A sum of anything else that needs the maximum waits for it: clusters have the
// row in shared memory, each block a part.
// PLAN-LABEL:  gpu.module @squares_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}cluster = 4 : i64, family = "rows"{{.*}}staged = 4
// CHECK-LABEL: .entry squares_kernel_0
// CHECK-NOT:   ld.global
// CHECK:       barrier.cluster
// CHECK-COUNT-2: mbarrier.try_wait
func.func @squares(%x: tensor<1024x131072xbf16>) -> tensor<1024xf32> {
  %f = mlopt.convert %x : tensor<1024x131072xbf16> -> tensor<1024x131072xf32>
  %m = mlopt.reduce max %f dims [1] : (tensor<1024x131072xf32>) -> tensor<1024xf32>
  %b = mlopt.broadcast %m dims [0] : tensor<1024xf32> -> tensor<1024x131072xf32>
  %d = mlopt.sub %f, %b : tensor<1024x131072xf32>
  %e = mlopt.mul %d, %d : tensor<1024x131072xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<1024x131072xf32>) -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}
