// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

func.func @gather_by_floats(%x: tensor<8x4xf32>, %i: tensor<3x1xf32>) {
  // expected-error @+1 {{'mlopt.gather' op operand #1 must be a ranked tensor of integers, but got 'tensor<3x1xf32>'}}
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_without_sizes(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op requires attribute 'slice_sizes'}}
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_vector_dim(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op 'index_vector_dim' is dimension 3, which is not in [0, 3)}}
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 3 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_map_count(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op has index vectors of 1 components for 2 mapped dimensions}}
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0, 1] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_map_range(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op 'start_index_map' names dimension 2, which is not in [0, 2)}}
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [2] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_offset_order(%x: tensor<8x4xf32>, %i: tensor<3x2xi32>) {
  // expected-error @+1 {{'mlopt.gather' op 'offset_dims' must rise, but has 1 after 2}}
  %0 = mlopt.gather %x, %i offset_dims [2, 1] start_index_map [0, 1] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x2xi32>) -> tensor<3x1x4xf32>
  return
}

// -----

func.func @gather_offset_range(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op 'offset_dims' names dimension 2, which is not in [0, 2)}}
  %0 = mlopt.gather %x, %i offset_dims [2] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_uncovered(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op 'offset_dims', 'collapsed_slice_dims' and 'operand_batching_dims' cover 1 dimensions of an operand of rank 2}}
  %0 = mlopt.gather %x, %i offset_dims [1] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_collapsed_batch(%x: tensor<5x8x4xf32>, %i: tensor<3x6x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op dimension 0 is in both 'collapsed_slice_dims' and 'operand_batching_dims'}}
  %0 = mlopt.gather %x, %i offset_dims [2] collapsed_slice_dims [0] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [0] index_vector_dim 2 slice_sizes [1, 1, 4] : (tensor<5x8x4xf32>, tensor<3x6x1xi32>) -> tensor<3x6x4xf32>
  return
}

// -----

func.func @gather_mapped_batch(%x: tensor<5x8x4xf32>, %i: tensor<3x6x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op dimension 0 is in both 'start_index_map' and 'operand_batching_dims'}}
  %0 = mlopt.gather %x, %i offset_dims [2] collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [0] start_index_map [0] index_vector_dim 2 slice_sizes [1, 1, 4] : (tensor<5x8x4xf32>, tensor<3x6x1xi32>) -> tensor<3x6x4xf32>
  return
}

// -----

func.func @gather_batch_count(%x: tensor<5x8x4xf32>, %i: tensor<3x6x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op 'operand_batching_dims' has 1 entries, but 'start_indices_batching_dims' has 0}}
  %0 = mlopt.gather %x, %i offset_dims [2] collapsed_slice_dims [1] operand_batching_dims [0] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1, 4] : (tensor<5x8x4xf32>, tensor<3x6x1xi32>) -> tensor<3x6x4xf32>
  return
}

// -----

func.func @gather_batch_of_vectors(%x: tensor<5x8x4xf32>, %i: tensor<3x6x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op 'start_indices_batching_dims' names the index vector dimension 2}}
  %0 = mlopt.gather %x, %i offset_dims [2] collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [2] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1, 4] : (tensor<5x8x4xf32>, tensor<3x6x1xi32>) -> tensor<3x6x4xf32>
  return
}

// -----

func.func @gather_batch_size(%x: tensor<5x8x4xf32>, %i: tensor<3x6x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op batching dimension #0 has size 5 in the operand, but 6 in the indices}}
  %0 = mlopt.gather %x, %i offset_dims [2] collapsed_slice_dims [1] operand_batching_dims [0] start_indices_batching_dims [1] start_index_map [1] index_vector_dim 2 slice_sizes [1, 1, 4] : (tensor<5x8x4xf32>, tensor<3x6x1xi32>) -> tensor<3x6x4xf32>
  return
}

// -----

func.func @gather_more_than_there_is(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op takes 5 elements along dimension 1, which has 4}}
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 5] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_collapsed_size(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op must take 1 element along dimension 0, which is not in the result, but takes 2}}
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [2, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op has 16 window and 1 batch dimensions, more than 16 together}}
  %0 = mlopt.gather %x, %i offset_dims [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x4xf32>, tensor<3x1xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_shape(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op has result type(s) 'tensor<4x3xf32>', but its operands and attributes give 'tensor<3x4xf32>'}}
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] index_vector_dim 1 slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_clause(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+1 {{'mlopt.gather' op requires attribute 'index_vector_dim'}}
  %0 = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0] start_index_map [0] slice_sizes [1, 4] : (tensor<8x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @scatter_without_kind(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{'mlopt.scatter' op needs a kind or a region}}
  %0 = mlopt.scatter %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @scatter_unknown_kind(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{'mlopt.scatter' op attribute 'kind' must be one of add, mul, max, min, maxu, minu, and, or, xor, set, but got "sub"}}
  %0 = mlopt.scatter sub %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @scatter_kind_of_elements(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{'mlopt.scatter' op of kind and needs a tensor or scalar of i1, i8, i16, i32, i64 or index}}
  %0 = mlopt.scatter and %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @scatter_kind_and_region(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{'mlopt.scatter' op has a kind and a region; one of them says how to combine}}
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: f32, %b: f32):
    mlopt.yield %a : f32
  }
  return
}

// -----

func.func @scatter_other_elements(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf64>) {
  // expected-error @+1 {{'mlopt.scatter' op has updates of another element type than its operand}}
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf64>) -> tensor<8x4xf32>
  return
}

// -----

func.func @scatter_updates_rank(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) {
  // expected-error @+1 {{'mlopt.scatter' op needs updates of rank 2, but has 1}}
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @scatter_updates_batch(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.scatter' op has updates of size 2 in dimension 0, but indices of 3}}
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @scatter_updates_window(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  // expected-error @+1 {{'mlopt.scatter' op has a window of 5 in update dimension 1, more than the 4 of the operand}}
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @scatter_region_arguments(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{'mlopt.scatter' op needs a region of 2 arguments, but it has 1}}
  %0 = mlopt.scatter %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: f32):
    mlopt.yield %a : f32
  }
  return
}

// -----

func.func @scatter_region_types(%x: tensor<8x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error @+1 {{'mlopt.scatter' op has a region whose argument #1 has not the element type of its operand}}
  %0 = mlopt.scatter %x, %i, %u update_window_dims [1] inserted_window_dims [0] scatter_dims_to_operand_dims [0] index_vector_dim 1 : (tensor<8x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: f32, %b: f64):
    mlopt.yield %a : f32
  }
  return
}

// -----

func.func @dynamic_slice_indices(%x: tensor<8x4xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{'mlopt.dynamic_slice' op needs an index for each of 2 dimensions, but has 1}}
  %0 = mlopt.dynamic_slice %x, %i sizes [1, 4] : (tensor<8x4xf32>, tensor<i32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @dynamic_slice_sizes(%x: tensor<8x4xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{'mlopt.dynamic_slice' op 'sizes' needs 2 entries, but has 1}}
  %0 = mlopt.dynamic_slice %x, %i, %i sizes [1] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @dynamic_slice_room(%x: tensor<8x4xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{'mlopt.dynamic_slice' op has a slice of 5 along dimension 1, which has 4}}
  %0 = mlopt.dynamic_slice %x, %i, %i sizes [1, 5] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
  return
}

// -----

func.func @dynamic_slice_by_vectors(%x: tensor<8xf32>, %i: tensor<1xi32>) {
  // expected-error @+1 {{'mlopt.dynamic_slice' op operand #1 must be an integer tensor of rank 0, but got 'tensor<1xi32>'}}
  %0 = mlopt.dynamic_slice %x, %i sizes [1] : (tensor<8xf32>, tensor<1xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @update_elements(%x: tensor<8xf32>, %u: tensor<2xf64>, %i: tensor<i32>) {
  // expected-error @+1 {{'mlopt.dynamic_update_slice' op has an update of another element type than its operand}}
  %0 = mlopt.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<2xf64>, tensor<i32>) -> tensor<8xf32>
  return
}

// -----

func.func @update_rank(%x: tensor<8xf32>, %u: tensor<f32>, %i: tensor<i32>) {
  // expected-error @+1 {{'mlopt.dynamic_update_slice' op has an update of rank 0 for an operand of rank 1}}
  %0 = mlopt.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<f32>, tensor<i32>) -> tensor<8xf32>
  return
}

// -----

func.func @update_indices(%x: tensor<8xf32>, %u: tensor<2xf32>) {
  // expected-error @+1 {{'mlopt.dynamic_update_slice' op needs an index for each of 1 dimensions, but has 0}}
  %0 = mlopt.dynamic_update_slice %x, %u : (tensor<8xf32>, tensor<2xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @update_room(%x: tensor<8xf32>, %u: tensor<9xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{'mlopt.dynamic_update_slice' op has a slice of 9 along dimension 0, which has 8}}
  %0 = mlopt.dynamic_update_slice %x, %u, %i : (tensor<8xf32>, tensor<9xf32>, tensor<i32>) -> tensor<8xf32>
  return
}
