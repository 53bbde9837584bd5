// Rows that are read more than once and too long for registers lie in shared
// memory: bulk copies bring them there turn by turn, and every reduction and the
// results read them from there.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s
// RUN: mlopt-compile %s --emit=ptx --chip=sm_80 | FileCheck %s --check-prefix=SM80
//
// SM80-NOT: cp.async.bulk

// A softmax of two turns: the sum goes along with the maximum, so that the row
// is read twice, from shared memory alone.
// PLAN-LABEL:  gpu.module @softmax_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}cluster = 1 : i64, family = "rows"{{.*}}staged = 2 : i64{{.*}}vectors = 0
// PLAN:        gpu.launch_func @softmax_kernel_0
// PLAN-SAME:   dynamic_shared_memory_size
// CHECK-LABEL: .entry softmax_kernel_0
// CHECK-COUNT-2: cp.async.bulk.shared::{{.*}}complete_tx::bytes
// CHECK-NOT:   ld.global
// CHECK:       mbarrier.try_wait
// CHECK-COUNT-4: ld.shared.v4
// CHECK-NOT:   ld.global
// CHECK:       mbarrier.try_wait
// CHECK-COUNT-4: ld.shared.v4
// CHECK-NOT:   ld.global
// CHECK-NOT:   mbarrier.try_wait
// CHECK:       ret;
func.func @softmax(%x: tensor<1024x16384xbf16>) -> tensor<1024x16384xbf16> {
  %f = mlopt.convert %x : tensor<1024x16384xbf16> -> tensor<1024x16384xf32>
  %m = mlopt.reduce max %f dims [1] : (tensor<1024x16384xf32>) -> tensor<1024xf32>
  %mb = mlopt.broadcast %m dims [0] : tensor<1024xf32> -> tensor<1024x16384xf32>
  %d = mlopt.sub %f, %mb : tensor<1024x16384xf32>
  %e = mlopt.exp %d : tensor<1024x16384xf32>
  %s = mlopt.reduce add %e dims [1] : (tensor<1024x16384xf32>) -> tensor<1024xf32>
  %sb = mlopt.broadcast %s dims [0] : tensor<1024xf32> -> tensor<1024x16384xf32>
  %q = mlopt.div %e, %sb : tensor<1024x16384xf32>
  %y = mlopt.convert %q : tensor<1024x16384xf32> -> tensor<1024x16384xbf16>
  return %y : tensor<1024x16384xbf16>
}

// What needs one reduction after the other goes along the copies for each. Two
// operands are copied; the weight, which all rows share, is not.
// PLAN-LABEL:  gpu.module @norm_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}staged = 2 : i64
// CHECK-LABEL: .entry norm_kernel_0
// CHECK-COUNT-4: cp.async.bulk.shared::{{.*}}complete_tx::bytes
// CHECK-NOT:   ld.global
// CHECK:       mbarrier.try_wait
// CHECK-NOT:   ld.global
// CHECK:       mbarrier.try_wait
// CHECK-NOT:   ld.global
// CHECK:       mbarrier.try_wait
// CHECK:       ld.global.v4
func.func @norm(%x: tensor<1024x12288xbf16>, %y: tensor<1024x12288xbf16>, %w: tensor<12288xbf16>) -> tensor<1024x12288xbf16> {
  %a = mlopt.convert %x : tensor<1024x12288xbf16> -> tensor<1024x12288xf32>
  %b = mlopt.convert %y : tensor<1024x12288xbf16> -> tensor<1024x12288xf32>
  %f = mlopt.add %a, %b : tensor<1024x12288xf32>
  %s = mlopt.reduce add %f dims [1] : (tensor<1024x12288xf32>) -> tensor<1024xf32>
  %n = mlopt.constant dense<8.138020833e-05> : tensor<1024xf32>
  %u = mlopt.mul %s, %n : tensor<1024xf32>
  %ub = mlopt.broadcast %u dims [0] : tensor<1024xf32> -> tensor<1024x12288xf32>
  %d = mlopt.sub %f, %ub : tensor<1024x12288xf32>
  %q = mlopt.mul %d, %d : tensor<1024x12288xf32>
  %v = mlopt.reduce add %q dims [1] : (tensor<1024x12288xf32>) -> tensor<1024xf32>
  %k = mlopt.mul %v, %n : tensor<1024xf32>
  %r = mlopt.rsqrt %k : tensor<1024xf32>
  %rb = mlopt.broadcast %r dims [0] : tensor<1024xf32> -> tensor<1024x12288xf32>
  %z = mlopt.mul %d, %rb : tensor<1024x12288xf32>
  %c = mlopt.convert %z : tensor<1024x12288xf32> -> tensor<1024x12288xbf16>
  %wb = mlopt.broadcast %w dims [1] : tensor<12288xbf16> -> tensor<1024x12288xbf16>
  %o = mlopt.mul %c, %wb : tensor<1024x12288xbf16>
  return %o : tensor<1024x12288xbf16>
}

// As many rows as multiprocessors: one block for each. The turn that does not fit
// is loaded once, into registers, when the copies have been started.
// PLAN-LABEL:  gpu.module @one_wave_kernel_0
// PLAN:        mlopt.schedule = {{{.*}}cluster = 1 : i64, {{.*}}staged = 7 : i64, threads = 1024 : i64, turn = 2 : i64
// CHECK-LABEL: .entry one_wave_kernel_0
// CHECK-NOT:   ld.global
// CHECK-COUNT-7: cp.async.bulk.shared::{{.*}}complete_tx::bytes
// CHECK-COUNT-2: ld.global.v4
// CHECK-NOT:   ld.global
// CHECK:       mbarrier.try_wait
// CHECK-NOT:   ld.global
// CHECK:       ret;
func.func @one_wave(%x: tensor<128x131072xbf16>) -> tensor<128x131072xbf16> {
  %m = mlopt.reduce max %x dims [1] : (tensor<128x131072xbf16>) -> tensor<128xbf16>
  %mb = mlopt.broadcast %m dims [0] : tensor<128xbf16> -> tensor<128x131072xbf16>
  %d = mlopt.sub %x, %mb : tensor<128x131072xbf16>
  return %d : tensor<128x131072xbf16>
}

// Rows of an odd number of bytes cannot be copied so.
// PLAN-LABEL:  gpu.module @odd_kernel_0
// PLAN-NOT:    staged
// CHECK-LABEL: .entry odd_kernel_0
// CHECK-NOT:   cp.async.bulk
// CHECK:       ret;
func.func @odd(%x: tensor<1024x20001xbf16>) -> tensor<1024x20001xbf16> {
  %m = mlopt.reduce max %x dims [1] : (tensor<1024x20001xbf16>) -> tensor<1024xbf16>
  %mb = mlopt.broadcast %m dims [0] : tensor<1024xbf16> -> tensor<1024x20001xbf16>
  %d = mlopt.sub %x, %mb : tensor<1024x20001xbf16>
  return %d : tensor<1024x20001xbf16>
}

// An operand that is read backwards is not copied, nor is anything else here.
// PLAN-LABEL:  gpu.module @backwards_kernel_0
// PLAN-NOT:    staged
// CHECK-LABEL: .entry backwards_kernel_0
// CHECK-NOT:   cp.async.bulk
// CHECK:       ret;
func.func @backwards(%x: tensor<1024x20000xbf16>) -> tensor<1024x20000xbf16> {
  %r = mlopt.reverse %x dims [1] : tensor<1024x20000xbf16>
  %m = mlopt.reduce max %r dims [1] : (tensor<1024x20000xbf16>) -> tensor<1024xbf16>
  %mb = mlopt.broadcast %m dims [0] : tensor<1024xbf16> -> tensor<1024x20000xbf16>
  %d = mlopt.sub %r, %mb : tensor<1024x20000xbf16>
  return %d : tensor<1024x20000xbf16>
}
