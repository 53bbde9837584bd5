// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

func.func @constant_without_element() {
  // expected-error @+1 {{'mlopt.constant' op attribute 'value' must be dense or dense_resource elements of a ranked tensor, or an element}}
  %0 = mlopt.constant "text"
  return
}

// -----

func.func @constant_of_another_type() {
  // expected-error @+1 {{'mlopt.constant' op needs the type of its value as result type}}
  %0 = "mlopt.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<?xi32>
  return
}

// -----

func.func @iota_of_i1() {
  // expected-error @+1 {{'mlopt.iota' op counts in numbers, but its element type is i1}}
  %0 = mlopt.iota dim 0 : tensor<4xi1>
  return
}

// -----

func.func @iota_past_the_rank() {
  // expected-error @+1 {{'mlopt.iota' op 'dim' is dimension 1, which is not in [0, 1)}}
  %0 = mlopt.iota dim 1 : tensor<4xi32>
  return
}

// -----

func.func @broadcast_to_another_element(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.broadcast' op changes the element type}}
  %0 = mlopt.broadcast %x dims [0, 1] : tensor<2x4xf32> -> tensor<2x4xf64>
  return
}

// -----

func.func @broadcast_past_the_rank(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.broadcast' op 'dims' names dimension 3, which is not in [0, 3)}}
  %0 = mlopt.broadcast %x dims [0, 3] : tensor<2x4xf32> -> tensor<2x4x5xf32>
  return
}

// -----

func.func @broadcast_twice(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.broadcast' op 'dims' names dimension 1 twice}}
  %0 = mlopt.broadcast %x dims [1, 1] : tensor<2x4xf32> -> tensor<2x4x5xf32>
  return
}

// -----

func.func @broadcast_more_dims(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.broadcast' op 'dims' has 2 entries, more than the 1 dimensions}}
  %0 = mlopt.broadcast %x dims [0, 1] : tensor<2x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @broadcast_fewer_dims(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.broadcast' op 'dims' needs one entry for each of the 2 operand dimensions, but has 1}}
  %0 = mlopt.broadcast %x dims [0] : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_of_another_size(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.broadcast' op operand dimension 1 has size 4, but must be 1 or the 5 of result dimension 2}}
  %0 = mlopt.broadcast %x dims [0, 2] : tensor<2x4xf32> -> tensor<2x4x5xf32>
  return
}

// -----

func.func @reshape_to_another_element(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reshape' op changes the element type}}
  %0 = mlopt.reshape %x : tensor<2x4xf32> -> tensor<8xi32>
  return
}

// -----

func.func @reshape_to_more_elements(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reshape' op must keep the element count, but goes from 8 to 9}}
  %0 = mlopt.reshape %x : tensor<2x4xf32> -> tensor<9xf32>
  return
}

// -----

func.func @reshape_of_too_many(%x: tensor<4611686018427387904x8xf32>) {
  // expected-error @+1 {{'mlopt.reshape' op has more elements than fit in 64 bits}}
  %0 = mlopt.reshape %x : tensor<4611686018427387904x8xf32> -> tensor<8x4611686018427387904xf32>
  return
}

// -----

func.func @transpose_of_fewer(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.transpose' op 'permutation' needs 2 entries, but has 1}}
  %0 = mlopt.transpose %x perm [0] : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @transpose_twice(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.transpose' op 'permutation' names dimension 0 twice}}
  %0 = mlopt.transpose %x perm [0, 0] : tensor<2x4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_to_another_shape(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.transpose' op has result type(s) 'tensor<2x4xf32>', but its operands and attributes give 'tensor<4x2xf32>'}}
  %0 = mlopt.transpose %x perm [1, 0] : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @transpose_of_a_vector(%x: vector<4xf32>) {
  // expected-error @+1 {{'mlopt.transpose' op operand #0 must be a ranked tensor, but got 'vector<4xf32>'}}
  %0 = mlopt.transpose %x perm [0] : vector<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @transpose_of_high_rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  // expected-error @+1 {{'mlopt.transpose' op operand #0 must be a ranked tensor}}
  %0 = mlopt.transpose %x perm [0] : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32> -> tensor<1xf32>
  return
}

// -----

func.func @slice_of_fewer(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.slice' op 'limits' needs 2 entries, but has 1}}
  %0 = mlopt.slice %x starts [0, 0] limits [2] strides [1, 1] : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @slice_before_the_start(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.slice' op 'starts' entry 1 must be at least 0, but is -1}}
  %0 = mlopt.slice %x starts [0, -1] limits [2, 4] strides [1, 1] : tensor<2x4xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @slice_without_stride(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.slice' op 'strides' entry 0 must be at least 1, but is 0}}
  %0 = mlopt.slice %x starts [0, 0] limits [2, 4] strides [0, 1] : tensor<2x4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @slice_backwards(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.slice' op starts dimension 1 at 3, past its limit 2}}
  %0 = mlopt.slice %x starts [0, 3] limits [2, 2] strides [1, 1] : tensor<2x4xf32> -> tensor<2x1xf32>
  return
}

// -----

func.func @slice_past_the_end(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.slice' op limits dimension 1 at 5, past its size 4}}
  %0 = mlopt.slice %x starts [0, 3] limits [2, 5] strides [1, 1] : tensor<2x4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @reverse_twice(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reverse' op 'dims' names dimension 1 twice}}
  %0 = mlopt.reverse %x dims [1, 1] : tensor<2x4xf32>
  return
}

// -----

func.func @reverse_to_another_type(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reverse' op requires the same type for all operands and results}}
  %0 = "mlopt.reverse"(%x) <{dims = array<i64: 0>}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @pad_with_a_vector(%x: tensor<2x4xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{'mlopt.pad' op operand #1 must be a tensor of rank 0, but got 'tensor<1xf32>'}}
  %0 = mlopt.pad %x, %v low [0, 0] high [0, 0] interior [0, 0] : tensor<2x4xf32>, tensor<1xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @pad_with_another_element(%x: tensor<2x4xf32>, %v: tensor<f64>) {
  // expected-error @+1 {{'mlopt.pad' op pads with another element type}}
  %0 = mlopt.pad %x, %v low [0, 0] high [0, 0] interior [0, 0] : tensor<2x4xf32>, tensor<f64> -> tensor<2x4xf32>
  return
}

// -----

func.func @pad_negative_interior(%x: tensor<2x4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'mlopt.pad' op 'interior' entry 1 must be at least 0, but is -1}}
  %0 = mlopt.pad %x, %v low [0, 0] high [0, 0] interior [0, -1] : tensor<2x4xf32>, tensor<f32> -> tensor<2x1xf32>
  return
}

// -----

func.func @pad_to_a_negative_size(%x: tensor<2x4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'mlopt.pad' op pads dimension 1 of size 4 by low -2, high -3 and interior 0, to a size that is negative or past 64 bits}}
  %0 = mlopt.pad %x, %v low [0, -2] high [0, -3] interior [0, 0] : tensor<2x4xf32>, tensor<f32> -> tensor<2x1xf32>
  return
}

// -----

func.func @pad_past_64_bits(%x: tensor<2x4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'mlopt.pad' op pads dimension 1 of size 4 by low 0, high 0 and interior 4611686018427387904, to a size that is negative or past 64 bits}}
  %0 = mlopt.pad %x, %v low [0, 0] high [0, 0] interior [0, 4611686018427387904] : tensor<2x4xf32>, tensor<f32> -> tensor<2x1xf32>
  return
}

// -----

func.func @concat_of_nothing() {
  // expected-error @+1 {{'mlopt.concat' op needs at least one operand}}
  %0 = mlopt.concat dim 0 : () -> tensor<2xf32>
  return
}

// -----

func.func @concat_of_other_elements(%x: tensor<2x4xf32>, %y: tensor<2x4xf64>) {
  // expected-error @+1 {{'mlopt.concat' op operand #1 has another element type than operand #0}}
  %0 = mlopt.concat %x, %y dim 0 : (tensor<2x4xf32>, tensor<2x4xf64>) -> tensor<4x4xf32>
  return
}

// -----

func.func @concat_of_other_ranks(%x: tensor<2x4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.concat' op operand #1 has rank 1, but operand #0 has 2}}
  %0 = mlopt.concat %x, %y dim 0 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @concat_of_other_sizes(%x: tensor<2x4xf32>, %y: tensor<2x5xf32>) {
  // expected-error @+1 {{'mlopt.concat' op operand #1 has size 5 in dimension 1, but those before it have 4}}
  %0 = mlopt.concat %x, %y dim 0 : (tensor<2x4xf32>, tensor<2x5xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @concat_past_the_rank(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.concat' op 'dim' is dimension 2, which is not in [0, 2)}}
  %0 = mlopt.concat %x dim 2 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @concat_past_64_bits(%x: tensor<9223372036854775807xi8>) {
  // expected-error @+1 {{'mlopt.concat' op the size of dimension 0 does not fit in 64 bits}}
  %0 = mlopt.concat %x, %x dim 0 : (tensor<9223372036854775807xi8>, tensor<9223372036854775807xi8>) -> tensor<?xi8>
  return
}

// -----

func.func @unknown_attribute(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reshape' op has no attribute 'shape'; attributes of other dialects carry their prefix}}
  %0 = mlopt.reshape %x {shape = 8} : tensor<2x4xf32> -> tensor<8xf32>
  return
}
