// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

// Contractions of StableHLO that do not verify.

func.func @dot_ranks(%x: tensor<2x3x4xf32>) {
  // expected-error @below {{'stablehlo.dot' op needs vectors or matrices, but has ranks 3 and 3}}
  %0 = stablehlo.dot %x, %x : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dot_sizes(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.dot' op contracting dimensions 1 and 0 have sizes 3 and 2}}
  %0 = stablehlo.dot %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dot_dimension(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected-error @below {{'stablehlo.dot_general' op the left side has dimension 3, out of range for a tensor of rank 3}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_dimension_twice(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected-error @below {{'stablehlo.dot_general' op the right side has dimension 0 twice}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [0] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_pairs(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected-error @below {{'stablehlo.dot_general' op has 1 batching dimensions on one side and 0 on the other}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @dot_pair_sizes(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected-error @below {{'stablehlo.dot_general' op contracting dimensions 1 and 1 have sizes 3 and 4}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @dot_result(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf32>) {
  // expected-error @below {{'stablehlo.dot_general' op the result has size 5 in dimension 1, but must have 3}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x5x3xf32>
  return
}

// -----

func.func @conv_rank(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op the input has rank 3, but dim_numbers name 4 dimensions}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_spatial(%x: tensor<2x8x4xf32>, %w: tensor<3x1x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op has different numbers of spatial dimensions}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, 1, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x1x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_raw(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op the input has dimension 0 twice}}
  %0 = "stablehlo.convolution"(%x, %w) {dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 2, output_spatial_dimensions = [1]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_stride(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op attribute 'window_strides' has the entry 0, but the least is 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_stride_count(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op attribute 'window_strides' has 2 entries, but needs 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_padding(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op attribute 'padding' must have the shape 1x2}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_reversal(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op attribute 'window_reversal' has 2 entries, but needs 1}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op needs one group or more}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_both_groups(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op cannot group both features and batches}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_batch_groups(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op batch size 2 is no multiple of 4 groups}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 4 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_features(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op the kernel takes 4 features of each group, but 2 groups share 4}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_outputs(%x: tensor<2x8x4xf32>, %w: tensor<3x1x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op 6 output features are no multiple of the number of groups}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<2x8x4xf32>, tensor<3x1x6xf32>) -> tensor<2x6x6xf32>
  return
}

// -----

func.func @conv_result(%x: tensor<2x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'stablehlo.convolution' op the result has size 8 in dimension 1, but must have 6}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x4xf32>, tensor<3x4x6xf32>) -> tensor<2x8x6xf32>
  return
}
