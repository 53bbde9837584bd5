// A scatter's blocks share its result and search the windows, each for its own
// range, or sort them before: no atomic operation in memory decides what comes
// first.
//
// RUN: mlopt-compile %s --emit=plan | FileCheck %s --check-prefix=PLAN
// RUN: mlopt-compile %s --emit=ptx | FileCheck %s --implicit-check-not='{{atom.*global}}' --implicit-check-not=red.global

// As many blocks as run at once. The lists are searched for before the tiles.
// PLAN-LABEL:  llvm.func @gradient_kernel_0
// PLAN-SAME:   blocks = 528
// PLAN-SAME:   family = "scatter"
// CHECK-LABEL: entry gradient_kernel_0
// CHECK-COUNT-4: vote.sync.ballot
// CHECK:       bar{{.*}}.sync
// CHECK-NOT:   vote.sync
// CHECK:       st.global
func.func @gradient(%x: tensor<50257x768xf32>, %i: tensor<1024x1xi32>, %u: tensor<1024x768xf32>) -> tensor<50257x768xf32> {
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<50257x768xf32>, tensor<1024x1xi32>, tensor<1024x768xf32>) -> tensor<50257x768xf32>
  return %0 : tensor<50257x768xf32>
}

// More windows than lists hold may run over: searched for again, tile by tile.
// CHECK-LABEL: entry windows_kernel_0
// CHECK-COUNT-8: vote.sync.ballot
// CHECK:       st.global
func.func @windows(%x: tensor<10xi32>, %i: tensor<50000x1xi32>, %u: tensor<50000x2xi32>) -> tensor<10xi32> {
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<10xi32>, tensor<50000x1xi32>, tensor<50000x2xi32>) -> tensor<10xi32>
  return %0 : tensor<10xi32>
}

// Many rows: threads hold vectors of them, and read those of the updates where
// the sorted numbers say.
// PLAN-LABEL:  llvm.func @rows_kernel_1
// PLAN-SAME:   family = "sorted_scatter"
// PLAN-SAME:   lanes = 8
// CHECK-LABEL: entry rows_kernel_1
// CHECK:       ld.global.v4
// CHECK:       vote.sync.ballot
// CHECK:       ld.global.v4
// CHECK:       st.global.v4
func.func @rows(%x: tensor<5000x768xbf16>, %i: tensor<4000x1xi32>, %u: tensor<4000x768xbf16>) -> tensor<5000x768xbf16> {
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<5000x768xbf16>, tensor<4000x1xi32>, tensor<4000x768xbf16>) -> tensor<5000x768xbf16>
  return %0 : tensor<5000x768xbf16>
}

// Many windows of one element are sorted by where they go, ten places and none
// by one digit. The last kernel finds those of a block by a warp, then each
// thread's own, which lie in shared memory.
// PLAN-LABEL:  llvm.func @histogram_kernel_0
// PLAN-SAME:   family = "count"
// PLAN-LABEL:  llvm.func @histogram_kernel_2
// PLAN-SAME:   family = "counted_sort"
// PLAN-LABEL:  llvm.func @histogram_kernel_3
// PLAN-SAME:   family = "sorted_scatter"
// CHECK-LABEL: entry histogram_kernel_3
// CHECK:       vote.sync.ballot
// CHECK:       st.shared
// CHECK:       st.global
func.func @histogram(%x: tensor<10xi32>, %i: tensor<50000x1xi32>, %u: tensor<50000xi32>) -> tensor<10xi32> {
  %0 = mlopt.scatter add %x, %i, %u inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<10xi32>, tensor<50000x1xi32>, tensor<50000xi32>) -> tensor<10xi32>
  return %0 : tensor<10xi32>
}
