// Indexed access in its pretty form, through the generic form and bytecode as
// well. Dimension numbers may also stand in the attribute dictionary.
// RUN: mlopt-opt %s | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -mlir-print-op-generic | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -emit-bytecode | mlopt-opt | FileCheck %s

// CHECK-LABEL: @gather(
func.func @gather(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %j: tensor<?xi8>) {
  // CHECK: mlopt.gather %{{.*}}, %{{.*}} offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  // CHECK: mlopt.gather %{{.*}}, %{{.*}} offset_dims [0, 2] start_index_map [1] index_vector_dim 1 slice_sizes [8, 2] unsigned_indices : (tensor<8x4xf32>, tensor<?xi8>) -> tensor<8x?x2xf32>
  %1 = mlopt.gather %x, %j {offset_dims = array<i64: 0, 2>, start_index_map = array<i64: 1>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 8, 2>, unsigned_indices} : (tensor<8x4xf32>, tensor<?xi8>) -> tensor<8x?x2xf32>
  return
}

// CHECK-LABEL: @batched_gather(
func.func @batched_gather(%x: tensor<5x8x4xf32>, %i: tensor<3x5x1xi64>) {
  // CHECK: mlopt.gather %{{.*}}, %{{.*}} offset_dims [2] collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [1] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1, 4]
  %0 = mlopt.gather %x, %i offset_dims [2] collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [1] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1, 4] : (tensor<5x8x4xf32>, tensor<3x5x1xi64>) -> tensor<3x5x4xf32>
  return
}

// CHECK-LABEL: @scatter(
func.func @scatter(%x: tensor<8x4xf32>, %i: tensor<3xi32>, %u: tensor<3x4xf32>) {
  // CHECK: mlopt.scatter add %{{.*}}, %{{.*}}, %{{.*}} update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 {numerics = #mlopt.numerics<strict>} : (tensor<8x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 {numerics = #mlopt.numerics<strict>} : (tensor<8x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  // CHECK: mlopt.scatter set {{.*}} index_vector_dim 1 sorted_indices :
  %sorted = mlopt.scatter set %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 sorted_indices : (tensor<8x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  // CHECK: mlopt.scatter set %{{.*}}, %{{.*}}, %{{.*}} update_window_dims [1] {{.*}} index_vector_dim 1 unique_indices unsigned_indices :
  %1 = mlopt.scatter set %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 unique_indices unsigned_indices : (tensor<8x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  // CHECK: mlopt.scatter %{{.*}}, %{{.*}}, %{{.*}} update_window_dims {{.*}} -> tensor<8x4xf32> {
  // CHECK-NEXT: ^bb0(%[[OLD:.*]]: f32, %[[NEW:.*]]: f32):
  // CHECK-NEXT: %[[SUB:.*]] = mlopt.sub %[[OLD]], %[[NEW]] : f32
  // CHECK-NEXT: mlopt.yield %[[SUB]] : f32
  %2 = mlopt.scatter %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%old: f32, %new: f32):
    %d = mlopt.sub %old, %new : f32
    mlopt.yield %d : f32
  }
  return
}

// CHECK-LABEL: @batched_scatter(
func.func @batched_scatter(%x: tensor<5x8xi32>, %i: tensor<5x2x1xi32>, %u: tensor<5x2xi32>) {
  // CHECK: mlopt.scatter max %{{.*}}, %{{.*}}, %{{.*}} inserted_window_dims [1] input_batching_dims [0] scatter_indices_batching_dims [0] scatter_dims_to_operand_dims [1] index_vector_dim 2 :
  %0 = mlopt.scatter max %x, %i, %u inserted_window_dims [1] input_batching_dims [0] scatter_indices_batching_dims [0] scatter_dims_to_operand_dims [1] index_vector_dim 2 : (tensor<5x8xi32>, tensor<5x2x1xi32>, tensor<5x2xi32>) -> tensor<5x8xi32>
  return
}

// CHECK-LABEL: @dynamic_slices(
func.func @dynamic_slices(%x: tensor<8x?xf32>, %s: tensor<f32>, %u: tensor<1x?xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // CHECK: mlopt.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}} sizes [1, 4] : (tensor<8x?xf32>, tensor<i32>, tensor<i64>) -> tensor<1x4xf32>
  %0 = mlopt.dynamic_slice %x, %i, %j sizes [1, 4] : (tensor<8x?xf32>, tensor<i32>, tensor<i64>) -> tensor<1x4xf32>
  // CHECK: mlopt.dynamic_slice %{{.*}} sizes [] unsigned_indices : (tensor<f32>) -> tensor<f32>
  %1 = mlopt.dynamic_slice %s sizes [] unsigned_indices : (tensor<f32>) -> tensor<f32>
  // CHECK: mlopt.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} unsigned_indices : (tensor<8x?xf32>, tensor<1x?xf32>, tensor<i32>, tensor<i64>) -> tensor<8x?xf32>
  %2 = mlopt.dynamic_update_slice %x, %u, %i, %j unsigned_indices : (tensor<8x?xf32>, tensor<1x?xf32>, tensor<i32>, tensor<i64>) -> tensor<8x?xf32>
  return
}
