// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

func.func @batch_count(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op has 1 batch dimensions of the lhs, but 0 of the rhs}}
  %0 = mlopt.dot %a, %b batch [0] x [] contract [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @contract_size(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op contracting dimension 1 of the lhs has size 4, but 1 of the rhs has 8}}
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [1] x [1] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @batch_contracts(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op dimension 0 is in both 'lhs_batch' and 'lhs_contract'}}
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [0] x [1] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @contract_past_the_rank(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op 'rhs_contract' names dimension 3, which is not in [0, 3)}}
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [3] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @result_rank(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op has a result of rank 2, but 3 batch and free dimensions}}
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @result_size(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op has size 5 in result dimension 2, but 3 in the operand}}
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x5xf32>
  return
}

// -----

func.func @result_class(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op operand #0 must have integer elements as the result has}}
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xi32>
  return
}

// -----

func.func @accumulate_class(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op accumulates in another class of elements than its result's}}
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] accumulate i32 : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @accumulate_in_a_tensor(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op attribute 'accumulate' must be an element type, but got tensor<f32>}}
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] accumulate tensor<f32> : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @unsigned_floats(%a: tensor<2x4x8xf32>, %b: tensor<2x8x3xf32>) {
  // expected-error @+1 {{'mlopt.dot' op is 'unsigned', but its elements are floats}}
  %0 = mlopt.dot %a, %b batch [0] x [0] contract [2] x [1] unsigned : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @conv_ranks(%x: tensor<1x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op needs input, kernel and result of one rank of at least 2, but has 3, 4 and 4}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<1x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

// -----

func.func @conv_groups(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op needs at least one group, but has 0}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] groups 0 : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

// -----

func.func @conv_out_channels(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op has 16 output channels, which 3 groups do not divide}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] groups 3 : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

// -----

func.func @conv_in_channels(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op has 4 input channels in 2 groups, but a kernel for 4 each}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] groups 2 : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

// -----

func.func @conv_strides(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op 'strides' entry 1 must be at least 1, but is 0}}
  %0 = mlopt.conv %x, %w strides [1, 0] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

// -----

func.func @conv_spatial_rank(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op 'low' needs 2 entries, but has 4}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [0, 1, 1, 0] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

// -----

func.func @conv_empty_kernel(%x: tensor<1x8x8x4xf32>, %w: tensor<3x0x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op has a kernel of size 0 in spatial dimension 1}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<1x8x8x4xf32>, tensor<3x0x4x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

// -----

func.func @conv_past_64_bits(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op the padded size of dimension 1 does not fit in 64 bits}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 9223372036854775807] window_dilation [1, 1] : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

// -----

func.func @conv_result_size(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op has a result of size 8 in spatial dimension 0, but the kernel fits 7 times}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [0, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

// -----

func.func @conv_result_batch(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op has a result of batch size 2, but an input of 1}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<2x8x8x16xf32>
  return
}

// -----

func.func @conv_result_channels(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x16xf32>) {
  // expected-error @+1 {{'mlopt.conv' op has a result of 8 channels, but a kernel for 16}}
  %0 = mlopt.conv %x, %w strides [1, 1] low [1, 1] high [1, 1] input_dilation [1, 1] window_dilation [1, 1] : (tensor<1x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<1x8x8x8xf32>
  return
}
