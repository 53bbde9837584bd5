// Rows of several operands and as many results that registers hold: a block
// that has its own operands fetches those of a later block into the L2, before
// it stores.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: mlopt-compile %s --emit=ptx --chip=sm_80 | FileCheck %s --check-prefix=OLD

// PLAN-LABEL: gpu.module @pair_kernel_0
// PLAN:       mlopt.schedule = {ahead = 768 : i64, {{.*}}family = "rows"
// PTX-LABEL:  .entry pair_kernel_0
// PTX:        ld.global.v4
// PTX:        bar.sync
// PTX-COUNT-2: cp.async.bulk.prefetch.L2.global
// PTX:        st.global.v4
// OLD-NOT:    cp.async.bulk.prefetch
func.func @pair(%x: tensor<16384x4096xbf16>, %y: tensor<16384x4096xbf16>) -> (tensor<16384x4096xbf16>, tensor<16384x4096xbf16>) {
  %0 = mlopt.add %x, %y : tensor<16384x4096xbf16>
  %1 = mlopt.convert %0 : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
  %2 = mlopt.mul %1, %1 : tensor<16384x4096xf32>
  %3 = mlopt.reduce add %2 dims [1] : (tensor<16384x4096xf32>) -> tensor<16384xf32>
  %4 = mlopt.broadcast %3 dims [0] : tensor<16384xf32> -> tensor<16384x4096xf32>
  %5 = mlopt.mul %1, %4 : tensor<16384x4096xf32>
  %6 = mlopt.convert %5 : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
  return %0, %6 : tensor<16384x4096xbf16>, tensor<16384x4096xbf16>
}

// Less is stored than read.
// PLAN-LABEL: gpu.module @one_result_kernel_0
// PLAN-NOT:   ahead
// PTX-LABEL:  .entry one_result_kernel_0
// PTX-NOT:    cp.async.bulk.prefetch
func.func @one_result(%x: tensor<16384x4096xbf16>, %y: tensor<16384x4096xbf16>) -> tensor<16384x4096xbf16> {
  %0 = mlopt.add %x, %y : tensor<16384x4096xbf16>
  %1 = mlopt.convert %0 : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
  %2 = mlopt.mul %1, %1 : tensor<16384x4096xf32>
  %3 = mlopt.reduce add %2 dims [1] : (tensor<16384x4096xf32>) -> tensor<16384xf32>
  %4 = mlopt.broadcast %3 dims [0] : tensor<16384xf32> -> tensor<16384x4096xf32>
  %5 = mlopt.mul %1, %4 : tensor<16384x4096xf32>
  %6 = mlopt.convert %5 : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
  return %6 : tensor<16384x4096xbf16>
}

// Of one operand blocks load enough by themselves.
// PLAN-LABEL: gpu.module @alone_kernel_0
// PLAN-NOT:   ahead
// PTX-LABEL:  .entry alone_kernel_0
// PTX-NOT:    cp.async.bulk.prefetch
func.func @alone(%x: tensor<16384x4096xbf16>) -> tensor<16384x4096xbf16> {
  %1 = mlopt.convert %x : tensor<16384x4096xbf16> -> tensor<16384x4096xf32>
  %2 = mlopt.mul %1, %1 : tensor<16384x4096xf32>
  %3 = mlopt.reduce add %2 dims [1] : (tensor<16384x4096xf32>) -> tensor<16384xf32>
  %4 = mlopt.broadcast %3 dims [0] : tensor<16384xf32> -> tensor<16384x4096xf32>
  %5 = mlopt.mul %1, %4 : tensor<16384x4096xf32>
  %6 = mlopt.convert %5 : tensor<16384x4096xf32> -> tensor<16384x4096xbf16>
  return %6 : tensor<16384x4096xbf16>
}

// Few blocks: nothing is far ahead.
// PLAN-LABEL: gpu.module @few_kernel_0
// PLAN-NOT:   ahead
// PTX-LABEL:  .entry few_kernel_0
// PTX-NOT:    cp.async.bulk.prefetch
func.func @few(%x: tensor<2048x4096xbf16>, %y: tensor<2048x4096xbf16>) -> (tensor<2048x4096xbf16>, tensor<2048x4096xbf16>) {
  %0 = mlopt.add %x, %y : tensor<2048x4096xbf16>
  %1 = mlopt.reduce max %0 dims [1] : (tensor<2048x4096xbf16>) -> tensor<2048xbf16>
  %2 = mlopt.broadcast %1 dims [0] : tensor<2048xbf16> -> tensor<2048x4096xbf16>
  %3 = mlopt.sub %0, %2 : tensor<2048x4096xbf16>
  return %0, %3 : tensor<2048x4096xbf16>, tensor<2048x4096xbf16>
}
