// Indexed access on constants, and at constant places.
// RUN: mlopt-opt %s -canonicalize -split-input-file | FileCheck %s

// Indices are clamped so that the window fits; 200 is negative as a signed i8.
// CHECK-LABEL: @gather_constants(
func.func @gather_constants() -> (tensor<4x2xi32>, tensor<2x2xi32>) {
  %x = mlopt.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = mlopt.constant dense<[2, 9, -1, 1]> : tensor<4xi8>
  %u = mlopt.constant dense<[-56, 1]> : tensor<2xi8>
  // CHECK-DAG: %[[A:.*]] = mlopt.constant dense<{{\[\[}}5, 6], [5, 6], [1, 2], [3, 4]]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<{{\[\[}}5, 6], [3, 4]]>
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 2] : (tensor<3x2xi32>, tensor<4xi8>) -> tensor<4x2xi32>
  %1 = mlopt.gather %x, %u offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 2] unsigned_indices : (tensor<3x2xi32>, tensor<2xi8>) -> tensor<2x2xi32>
  // CHECK: return %[[A]], %[[B]]
  return %0, %1 : tensor<4x2xi32>, tensor<2x2xi32>
}

// -----

// Components in swapped order, the index vector first, windows of two columns.
// CHECK-LABEL: @gather_windows(
func.func @gather_windows() -> tensor<2x2xi32> {
  %x = mlopt.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9]]> : tensor<3x3xi32>
  %i = mlopt.constant dense<[[0, 2], [1, 2]]> : tensor<2x2xi32>
  // Starts (row, column): (1, 0) and (2, 2 -> 1).
  // CHECK: mlopt.constant dense<{{\[\[}}4, 5], [8, 9]]>
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [1, 0] index_vector_dim 0 slice_sizes [1, 2] : (tensor<3x3xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

// CHECK-LABEL: @batched_gather(
func.func @batched_gather() -> tensor<2x3xi32> {
  %x = mlopt.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = mlopt.constant dense<[[0, 1, 0], [1, 0, 1]]> : tensor<2x3xi32>
  // CHECK: mlopt.constant dense<{{\[\[}}1, 4, 5], [2, 3, 6]]>
  %0 = mlopt.gather %x, %i collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [1] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1] : (tensor<3x2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

// CHECK-LABEL: @gather_of_splat(
func.func @gather_of_splat(%i: tensor<5xi32>) -> tensor<5xf32> {
  %x = mlopt.constant dense<2.0> : tensor<1000000xf32>
  // CHECK: mlopt.constant dense<2.000000e+00> : tensor<5xf32>
  %0 = mlopt.gather %x, %i collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1] : (tensor<1000000xf32>, tensor<5xi32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK-LABEL: @gather_one_window(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
func.func @gather_one_window(%x: tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<2x3xf32>) {
  %i = mlopt.constant dense<5> : tensor<1x1xi32>
  %j = arith.constant dense<[9, 1]> : tensor<2xi64>
  // CHECK-DAG: %[[A:.*]] = mlopt.slice %[[X]] starts [5, 0] limits [6, 4] strides [1, 1] : tensor<8x4xf32> -> tensor<1x4xf32>
  // CHECK-DAG: %[[B:.*]] = mlopt.slice %[[X]] starts [6, 1] limits [8, 4] strides [1, 1] : tensor<8x4xf32> -> tensor<2x3xf32>
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<1x1xi32>) -> tensor<1x4xf32>
  %1 = mlopt.gather %x, %j offset_dims [0, 1] start_index_map [0, 1] index_vector_dim 0 slice_sizes [2, 3] : (tensor<8x4xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  // CHECK: return %[[A]], %[[B]]
  return %0, %1 : tensor<1x4xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: @gather_one_row(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
func.func @gather_one_row(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  %i = mlopt.constant dense<5> : tensor<1xi32>
  // CHECK: %[[S:.*]] = mlopt.slice %[[X]] starts [5, 0] limits [6, 4]
  // CHECK: mlopt.reshape %[[S]] : tensor<1x4xf32> -> tensor<4xf32>
  %0 = mlopt.gather %x, %i offset_dims [0] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 0 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @scatter_nothing(
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>
func.func @scatter_nothing(%x: tensor<4xi32>, %i: tensor<0xi32>, %u: tensor<0xi32>, %j: tensor<3xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %z = mlopt.constant dense<0> : tensor<3xi32>
  // CHECK-NEXT: return %[[X]], %[[X]]
  %0 = mlopt.scatter set %x, %i, %u inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<4xi32>, tensor<0xi32>, tensor<0xi32>) -> tensor<4xi32>
  %1 = mlopt.scatter add %x, %j, %z inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<4xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// -----

// -0.0 + 0.0 is 0.0, and setting to 0 is no sum.
// CHECK-LABEL: @scatter_zeros(
func.func @scatter_zeros(%x: tensor<4xf32>, %j: tensor<3xi32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %z = mlopt.constant dense<0.0> : tensor<3xf32>
  // CHECK: mlopt.scatter add
  // CHECK: mlopt.scatter set
  %0 = mlopt.scatter add %x, %j, %z inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<4xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<4xf32>
  %1 = mlopt.scatter set %x, %j, %z inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<4xf32>, tensor<3xi32>, tensor<3xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @dynamic_slices(
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[I:.*]]: tensor<i32>
func.func @dynamic_slices(%x: tensor<8x4xf32>, %i: tensor<i32>) -> (tensor<2x4xf32>, tensor<8x4xf32>, tensor<1x4xf32>) {
  %c = mlopt.constant dense<7> : tensor<i32>
  %d = mlopt.constant dense<-3> : tensor<i8>
  // CHECK-DAG: %[[A:.*]] = mlopt.slice %[[X]] starts [6, 0] limits [8, 4] strides [1, 1]
  // CHECK-DAG: %[[B:.*]] = mlopt.dynamic_slice %[[X]], %[[I]]
  %0 = mlopt.dynamic_slice %x, %c, %d sizes [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i8>) -> tensor<2x4xf32>
  %1 = mlopt.dynamic_slice %x, %i, %i sizes [8, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<8x4xf32>
  %2 = mlopt.dynamic_slice %x, %i, %c sizes [1, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  // CHECK: return %[[A]], %[[X]], %[[B]]
  return %0, %1, %2 : tensor<2x4xf32>, tensor<8x4xf32>, tensor<1x4xf32>
}

// -----

// CHECK-LABEL: @unsigned_dynamic_slice(
func.func @unsigned_dynamic_slice(%x: tensor<8xf32>) -> tensor<2xf32> {
  %c = mlopt.constant dense<-1> : tensor<i64>
  // CHECK: mlopt.slice %{{.*}} starts [6] limits [8]
  %0 = mlopt.dynamic_slice %x, %c sizes [2] unsigned_indices : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-LABEL: @updates(
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>, %[[U:.*]]: tensor<4xi32>
func.func @updates(%x: tensor<4xi32>, %u: tensor<4xi32>, %e: tensor<0xi32>, %i: tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<9999xi32>) {
  %c = mlopt.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %n = mlopt.constant dense<[8, 9]> : tensor<2xi32>
  %at = mlopt.constant dense<3> : tensor<i32>
  %s = mlopt.constant dense<5> : tensor<9999xi32>
  %t = mlopt.constant dense<5> : tensor<2xi32>
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<[1, 2, 8, 9]>
  // CHECK-DAG: %[[S:.*]] = mlopt.constant dense<5> : tensor<9999xi32>
  %0 = mlopt.dynamic_update_slice %x, %u, %i : (tensor<4xi32>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = mlopt.dynamic_update_slice %x, %e, %i : (tensor<4xi32>, tensor<0xi32>, tensor<i32>) -> tensor<4xi32>
  %2 = mlopt.dynamic_update_slice %c, %n, %at : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  %3 = mlopt.dynamic_update_slice %s, %t, %i : (tensor<9999xi32>, tensor<2xi32>, tensor<i32>) -> tensor<9999xi32>
  // CHECK: return %[[U]], %[[X]], %[[C]], %[[S]]
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<9999xi32>
}
