// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

// Indexed access of StableHLO that does not verify.

func.func @dynamic_slice_count(%x: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @below {{'stablehlo.dynamic_slice' op has 1 start indices, but needs 2}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [1, 1] : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @dynamic_slice_index(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.dynamic_slice' op start index 0 must be a scalar tensor of an integer type}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 1] : (tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @dynamic_slice_size(%x: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @below {{'stablehlo.dynamic_slice' op the result has size 4 in dimension 1, which has 3}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @dynamic_slice_element(%x: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @below {{'stablehlo.dynamic_slice' op the result has another element type than the operand}}
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 1] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xi32>
  return
}

// -----

func.func @update_rank(%x: tensor<2x3xf32>, %u: tensor<3xf32>, %i: tensor<i32>) {
  // expected-error @below {{'stablehlo.dynamic_update_slice' op the update has rank 1, but must have 2}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<2x3xf32>, tensor<3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @update_result(%x: tensor<2x3xf32>, %u: tensor<1x1xf32>, %i: tensor<i32>) {
  // expected-error @below {{'stablehlo.dynamic_update_slice' op the operand and the result have different types}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<2x3xf32>, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @top_k_of_scalar(%x: tensor<f32>) {
  // expected-error @below {{'chlo.top_k' op needs a dimension to search}}
  %0, %1 = chlo.top_k(%x, k = 1) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @top_k_range(%x: tensor<2x3xf32>) {
  // expected-error @below {{'chlo.top_k' op takes 4 of 3 elements}}
  %0, %1 = chlo.top_k(%x, k = 4) : tensor<2x3xf32> -> (tensor<2x4xf32>, tensor<2x4xi32>)
  return
}

// -----

func.func @top_k_indices(%x: tensor<2x3xf32>) {
  // expected-error @below {{'chlo.top_k' op the indices must be integers}}
  %0, %1 = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xf32>)
  return
}

// -----

func.func @top_k_element(%x: tensor<2x3xf32>) {
  // expected-error @below {{'chlo.top_k' op changes the element type}}
  %0, %1 = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf64>, tensor<2x2xi32>)
  return
}

// -----

func.func @top_k_values(%x: tensor<2x3xf32>) {
  // expected-error @below {{'chlo.top_k' op result 0 has size 3 in dimension 1, but must have 2}}
  %0, %1 = chlo.top_k(%x, k = 2) : tensor<2x3xf32> -> (tensor<2x3xf32>, tensor<2x2xi32>)
  return
}

// -----

func.func @gather_indices(%x: tensor<2x3xf32>, %i: tensor<4x1xf32>) {
  // expected-error @below {{'stablehlo.gather' op the indices must be integers}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_vector_dim(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op index_vector_dim is 3, out of range for indices of rank 2}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_collapsed(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op collapsed_slice_dims has dimension 2, out of range for a tensor of rank 2}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_map(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op start_index_map has dimension 2, out of range for a tensor of rank 2}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_map_count(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op start_index_map has 2 entries, but an index has 1}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_offset(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op offset_dims has dimension 2, out of range for a tensor of rank 2}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_offset_count(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op offset_dims has 0 entries, but the window has 1 dimensions}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_offset_sorted(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op offset_dims must be sorted}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3x1xf32>
  return
}

// -----

func.func @gather_batching_count(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op operand_batching_dims has 1 entries, but start_indices_batching_dims has 0}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, operand_batching_dims = [1]>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_batching_vector(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op start_indices_batching_dims has the index vector's dimension 1}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, operand_batching_dims = [1], start_indices_batching_dims = [1]>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_batching_size(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op batching dimensions 1 of the operand and 0 of the indices have different sizes}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, operand_batching_dims = [1], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_sizes_count(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op attribute 'slice_sizes' has 1 entries, but needs 2}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_size(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op slice_sizes has 4 for dimension 1, out of range}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_collapsed_size(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op slice_sizes has 2 for dimension 0, out of range}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_rank(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op the result has rank 3, but must have 2}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3x1xf32>
  return
}

// -----

func.func @gather_result(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op the result has size 5 in dimension 0, but must have 4}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @gather_element(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op changes the element type}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xi32>
  return
}

// -----

func.func @gather_long(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>) {
  // expected-error @below {{'stablehlo.gather' op collapsed_slice_dims and operand_batching_dims are too long together}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], start_index_map = [0], index_vector_dim = 1, operand_batching_dims = [0]>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @scatter_operands(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.scatter' op needs inputs, indices and as many updates, but has 2 operands}}
  %0 = "stablehlo.scatter"(%x, %x) <{scatter_dimension_numbers = #stablehlo.scatter<>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_results(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf32>) {
  // expected-error @below {{'stablehlo.scatter' op has 1 inputs but 0 results}}
  "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> ()
  return
}

// -----

func.func @scatter_shape(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf32>) {
  // expected-error @below {{'stablehlo.scatter' op the inputs and results have different shapes}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @scatter_window(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x4xf32>) {
  // expected-error @below {{'stablehlo.scatter' op a window has size 4 in dimension 1, which has 3}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<4x1xi32>, tensor<4x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_update(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>, %u: tensor<5x3xf32>) {
  // expected-error @below {{'stablehlo.scatter' op the update has size 5 in dimension 0, but must have 4}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<4x1xi32>, tensor<5x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_dims(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf32>) {
  // expected-error @below {{'stablehlo.scatter' op inserted_window_dims has dimension 0 twice}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_body(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf32>) {
  // expected-error @below {{'stablehlo.scatter' op region 0 has 1 arguments, but needs 2}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_promotion(%x: tensor<2x3xf32>, %i: tensor<4x1xi32>, %u: tensor<4x3xf64>) {
  // expected-error @below {{'stablehlo.scatter' op the elements that result 0 combines cannot hold those of its operands}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<4x1xi32>, tensor<4x3xf64>) -> tensor<2x3xf32>
  return
}
