// The threads of a block share a sort: each sorts rows of its own, then they
// merge. Keys and places alone lie in shared memory.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s --implicit-check-not=.local --implicit-check-not=atom.

// Lines of one block: loads, then merges in a loop, then stores.
// PLAN-LABEL:  llvm.func @line_kernel_0
// PLAN-SAME:   family = "sort"
// PLAN-SAME:   line = 512
// PLAN-SAME:   vectors = 8
// CHECK-LABEL: entry line_kernel_0
// CHECK-NOT:   vote.sync
// CHECK:       ld.global
// CHECK-NOT:   st.global
// CHECK:       bar{{.*}}.sync
// CHECK:       bra
// CHECK:       bar{{.*}}.sync
// CHECK-NOT:   ld.global
// CHECK:       st.global
func.func @line(%x: tensor<8x4096xi32>) -> tensor<8x4096xi32> {
  %0 = mlopt.sort %x dim 1 keys 1 : (tensor<8x4096xi32>) -> tensor<8x4096xi32>
  return %0 : tensor<8x4096xi32>
}

// Several short lines share a block; a thread sorts the shortest alone.
// PLAN-LABEL:  llvm.func @short_kernel_0
// PLAN-SAME:   blocks = 16
// PLAN-SAME:   line = 1 : i64
// PLAN-SAME:   threads = 256
// PLAN-SAME:   vectors = 7
func.func @short(%x: tensor<4096x7xi32>) -> tensor<4096x7xi32> {
  %0 = mlopt.sort %x dim 1 keys 1 : (tensor<4096x7xi32>) -> tensor<4096x7xi32>
  return %0 : tensor<4096x7xi32>
}

// Longer lines: the warps of the second kernel look for what each block merges.
// PLAN-LABEL:  llvm.func @long_kernel_1
// PLAN-SAME:   family = "sort"
// CHECK-LABEL: entry long_kernel_0
// CHECK-NOT:   vote.sync
// CHECK-LABEL: entry long_kernel_1
// CHECK:       vote.sync.ballot
// CHECK:       bar{{.*}}.sync
func.func @long(%x: tensor<8x8192xi32>) -> tensor<8x8192xi32> {
  %0 = mlopt.sort %x dim 1 keys 1 : (tensor<8x8192xi32>) -> tensor<8x8192xi32>
  return %0 : tensor<8x8192xi32>
}

// Shared memory has no room for so many keys: each row counts those before it.
// PLAN-LABEL:  llvm.func @keys_kernel_0
// PLAN-NOT:    family
// CHECK-LABEL: entry keys_kernel_0
// CHECK-NOT:   bar{{.*}}.sync
// CHECK:       st.global
func.func @keys(%a: tensor<8x64xf64>, %b: tensor<8x64xf64>, %c: tensor<8x64xf64>, %d: tensor<8x64xf64>, %e: tensor<8x64xf64>, %f: tensor<8x64xf64>, %g: tensor<8x64xf64>, %h: tensor<8x64xf64>, %i: tensor<8x64xf64>, %j: tensor<8x64xf64>, %k: tensor<8x64xf64>, %l: tensor<8x64xf64>) -> tensor<8x64xf64> {
  %0:12 = mlopt.sort %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l dim 1 keys 12 : (tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>) -> (tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>, tensor<8x64xf64>)
  return %0#11 : tensor<8x64xf64>
}
