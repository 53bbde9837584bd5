// A sort by digits: rows are counted in shared memory, counts added up, and rows
// placed. No value in memory is changed by more than one thread.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s --implicit-check-not=.local --implicit-check-not=atom.global --implicit-check-not=red.global

// PLAN-LABEL:  llvm.func @main_kernel_0
// PLAN-SAME:   blocks = 245
// PLAN-SAME:   family = "count"
// PLAN-LABEL:  llvm.func @main_kernel_1
// PLAN-SAME:   family = "scan"
// PLAN-LABEL:  llvm.func @main_kernel_2
// PLAN-SAME:   blocks = 245
// PLAN-SAME:   family = "counted_sort"
// PLAN-SAME:   vectors = 4
// CHECK-LABEL: entry main_kernel_0
// CHECK-COUNT-4: atom.{{.*}}shared
// CHECK:       bar{{.*}}.sync
// CHECK:       st.global
// CHECK-LABEL: entry main_kernel_1
// CHECK-LABEL: entry main_kernel_2
// CHECK:       ld.global
// CHECK-COUNT-32: vote.sync.ballot
// CHECK:       bar{{.*}}.sync
// CHECK:       st.global
func.func @main(%x: tensor<500001xi8>) -> tensor<500001xi32> {
  %i = mlopt.iota dim 0 : tensor<500001xi32>
  %0:2 = mlopt.sort %x, %i dim 0 keys 1 : (tensor<500001xi8>, tensor<500001xi32>) -> (tensor<500001xi8>, tensor<500001xi32>)
  return %0#1 : tensor<500001xi32>
}
