// RUN: mlopt-opt %s -mlopt-to-gpu | FileCheck %s
// RUN: mlopt-opt %s -mlopt-to-gpu=chip=sm_80 | FileCheck %s --check-prefix=ALONE

// One tile of a long k: the blocks of a cluster take a part of it each, meet,
// add the sums of all in the order of k, and meet again before any of them may
// end. A chip without clusters has one block.
// CHECK:       gpu.binary @long_kernel_0
// CHECK:       .reqnctapercluster 8
// CHECK:       %cluster_ctarank
// CHECK:       mma.sync
// CHECK:       barrier.cluster.arrive
// CHECK:       barrier.cluster.wait
// CHECK-COUNT-8: mapa.shared::cluster.u32
// CHECK:       barrier.cluster.arrive
// CHECK:       barrier.cluster.wait
// CHECK:       func.func @long
// ALONE:       gpu.binary @long_kernel_0
// ALONE-NOT:   cluster
// ALONE:       mma.sync
// ALONE-NOT:   cluster
// ALONE:       func.func @long
func.func @long(%a: tensor<16x1001xbf16>, %b: tensor<33x1001xbf16>) -> tensor<16x33xbf16> {
  %0 = mlopt.dot %a, %b contract [1] x [1] : (tensor<16x1001xbf16>, tensor<33x1001xbf16>) -> tensor<16x33xbf16>
  return %0 : tensor<16x33xbf16>
}
