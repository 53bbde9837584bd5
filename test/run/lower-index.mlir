// Gather, scatter and dynamic slices: clamping, skipping, batches, signs.
//
// RUN: mlopt-run %s | FileCheck %s
// CHECK: right: 11 of 11 comparisons

func.func private @inputs()
    -> (tensor<5x4xf32>, tensor<4xi32>, tensor<2x3xi8>, tensor<2x3x2xi32>,
        tensor<2x2xi64>, tensor<i32>, tensor<i32>, tensor<2x2xf32>,
        tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>, tensor<2xi32>,
        tensor<2x2xi32>, tensor<1xi32>, tensor<i32>)
    attributes {mlopt.source} {
  %x = mlopt.constant dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0,
      9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0], [16.0, 17.0, 18.0,
      19.0]]> : tensor<5x4xf32>
  %i = mlopt.constant dense<[3, -1, 7, 0]> : tensor<4xi32>
  %ij = mlopt.constant dense<[[1, 3, -1], [2, 0, 9]]> : tensor<2x3xi8>
  %b = mlopt.constant dense<[[[0, 1], [2, 3], [4, 5]], [[6, 7], [8, 9], [10,
      11]]]> : tensor<2x3x2xi32>
  // Its low half alone is a place in the operand.
  %bi = mlopt.constant dense<[[2, 0], [1, 0x100000000]]> : tensor<2x2xi64>
  %s = mlopt.constant dense<4> : tensor<i32>
  %t = mlopt.constant dense<-3> : tensor<i32>
  %u = mlopt.constant dense<[[-1.0, -2.0], [-3.0, -4.0]]> : tensor<2x2xf32>
  %y = mlopt.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %at = mlopt.constant dense<[[1], [3], [1], [4], [-1]]> : tensor<5x1xi32>
  %w = mlopt.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %edge = mlopt.constant dense<[-1, 3]> : tensor<2xi32>
  %pairs = mlopt.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %z0 = mlopt.constant dense<1> : tensor<1xi32>
  %z1 = mlopt.constant dense<77> : tensor<i32>
  return %x, %i, %ij, %b, %bi, %s, %t, %u, %y, %at, %w, %edge, %pairs, %z0, %z1
      : tensor<5x4xf32>, tensor<4xi32>, tensor<2x3xi8>, tensor<2x3x2xi32>,
          tensor<2x2xi64>, tensor<i32>, tensor<i32>, tensor<2x2xf32>,
          tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>, tensor<2xi32>,
          tensor<2x2xi32>, tensor<1xi32>, tensor<i32>
}

func.func @main(
    %x: tensor<5x4xf32>, %i: tensor<4xi32>, %ij: tensor<2x3xi8>,
        %b: tensor<2x3x2xi32>, %bi: tensor<2x2xi64>, %s: tensor<i32>,
        %t: tensor<i32>, %u: tensor<2x2xf32>, %y: tensor<4xi32>,
        %at: tensor<5x1xi32>, %w: tensor<5xi32>, %edge: tensor<2xi32>,
        %pairs: tensor<2x2xi32>, %z0: tensor<1xi32>, %z1: tensor<i32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>,
        tensor<2x3x2xf32>, tensor<2x3x2xf32>, tensor<2x2x2xi32>,
        tensor<2x2x2xi32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<5x4xf32>,
        tensor<5x4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
        tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
        tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
    attributes {mlopt.arguments_from = [@inputs],
                mlopt.checks = [
      {kind = "eq", actual = 0, expected = 1},
      {kind = "eq", actual = 2, expected = 3},
      {kind = "eq", actual = 4, expected = 5},
      {kind = "eq", actual = 6, expected = 7},
      {kind = "eq", actual = 8, expected = 9},
      {kind = "eq", actual = 10, expected = 11},
      {kind = "eq", actual = 12, expected = 13},
      {kind = "eq", actual = 14, expected = 15},
      {kind = "eq", actual = 16, expected = 17},
      {kind = "eq", actual = 18, expected = 19},
      {kind = "eq", actual = 20, expected = 21}]} {

  // A gather clamps its starts.
  %rows = mlopt.gather %x, %i offset_dims [1] collapsed_slice_dims [0]
      start_index_map [0] index_vector_dim 1 slice_sizes [1, 4]
      : (tensor<5x4xf32>, tensor<4xi32>) -> tensor<4x4xf32>
  %rows_is = mlopt.constant dense<[[12.0, 13.0, 14.0, 15.0], [0.0, 1.0, 2.0,
      3.0], [16.0, 17.0, 18.0, 19.0], [0.0, 1.0, 2.0, 3.0]]> : tensor<4x4xf32>

  // Pairs along the first dimension of the indices; windows of 2 x 2 stay
  // inside.
  %windows = mlopt.gather %x, %ij offset_dims [0, 2] start_index_map [1, 0]
      index_vector_dim 0 slice_sizes [2, 2]
      : (tensor<5x4xf32>, tensor<2x3xi8>) -> tensor<2x3x2xf32>
  %windows_is = mlopt.constant dense<[[[9.0, 10.0], [2.0, 3.0], [12.0, 13.0]],
      [[13.0, 14.0], [6.0, 7.0], [16.0, 17.0]]]> : tensor<2x3x2xf32>

  // Indices with the sign bit set, read as unsigned, are large.
  %large = mlopt.gather %x, %ij offset_dims [0, 2] start_index_map [1, 0]
      index_vector_dim 0 slice_sizes [2, 2] unsigned_indices
      : (tensor<5x4xf32>, tensor<2x3xi8>) -> tensor<2x3x2xf32>
  %large_is = mlopt.constant dense<[[[9.0, 10.0], [2.0, 3.0], [14.0, 15.0]],
      [[13.0, 14.0], [6.0, 7.0], [18.0, 19.0]]]> : tensor<2x3x2xf32>

  // A batch dimension walks operand and indices together.
  %batched = mlopt.gather %b, %bi offset_dims [2] collapsed_slice_dims [1]
      operand_batching_dims [0] start_indices_batching_dims [0]
      start_index_map [1] index_vector_dim 2 slice_sizes [1, 1, 2]
      : (tensor<2x3x2xi32>, tensor<2x2xi64>) -> tensor<2x2x2xi32>
  %batched_is = mlopt.constant dense<[[[4, 5], [0, 1]], [[8, 9], [10,
      11]]]> : tensor<2x2x2xi32>

  // Dynamic slices are clamped as a whole.
  %dslice = mlopt.dynamic_slice %x, %s, %t sizes [2, 2]
      : (tensor<5x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %dupdate = mlopt.dynamic_update_slice %x, %u, %s, %t
      : (tensor<5x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>)
        -> tensor<5x4xf32>
  %dslice_is = mlopt.constant dense<[[12.0, 13.0], [16.0,
      17.0]]> : tensor<2x2xf32>
  %dupdate_is = mlopt.constant dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0,
      7.0], [8.0, 9.0, 10.0, 11.0], [-1.0, -2.0, 14.0, 15.0], [-3.0, -4.0, 18.0,
      19.0]]> : tensor<5x4xf32>

  // A scatter skips what is out of bounds; the last write wins.
  %sadd = mlopt.scatter add %y, %at, %w inserted_window_dims [0]
      scatter_dims_to_operand_dims [0] index_vector_dim 1
      : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  %sset = mlopt.scatter set %y, %at, %w inserted_window_dims [0]
      scatter_dims_to_operand_dims [0] index_vector_dim 1
      : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32>
  %sadd_is = mlopt.constant dense<[10, 24, 30, 42]> : tensor<4xi32>
  %sset_is = mlopt.constant dense<[10, 3, 30, 2]> : tensor<4xi32>

  // Only the elements of a window that are out of bounds are skipped.
  %spart = mlopt.scatter add %y, %edge, %pairs update_window_dims [1]
      scatter_dims_to_operand_dims [0] index_vector_dim 1
      : (tensor<4xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<4xi32>
  %spart_is = mlopt.constant dense<[12, 20, 30, 43]> : tensor<4xi32>

  // A region sees the element, then the update.
  %sregion = mlopt.scatter %y, %at, %w inserted_window_dims [0]
      scatter_dims_to_operand_dims [0] index_vector_dim 1
      : (tensor<4xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<4xi32> {
  ^bb0(%old: i32, %new: i32):
    %d = mlopt.sub %old, %new : i32
    %r = mlopt.add %d, %d : i32
    mlopt.yield %r : i32
  }
  %sregion_is = mlopt.constant dense<[10, 70, 30, 76]> : tensor<4xi32>

  // One update of rank 0.
  %sone = mlopt.scatter set %y, %z0, %z1 inserted_window_dims [0]
      scatter_dims_to_operand_dims [0] index_vector_dim 0
      : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
  %sone_is = mlopt.constant dense<[10, 77, 30, 40]> : tensor<4xi32>

  return %rows, %rows_is, %windows, %windows_is, %large, %large_is, %batched,
      %batched_is, %dslice, %dslice_is, %dupdate, %dupdate_is, %sadd, %sadd_is,
      %sset, %sset_is, %spart, %spart_is, %sregion, %sregion_is, %sone, %sone_is
      : tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>,
          tensor<2x3x2xf32>, tensor<2x3x2xf32>, tensor<2x2x2xi32>,
          tensor<2x2x2xi32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<5x4xf32>,
          tensor<5x4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
          tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
          tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
