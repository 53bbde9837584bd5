// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

// Elementwise and layout operations of StableHLO and CHLO that do not verify.

func.func @operand_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.add' op expected 2 operands, but found 1}}
  %0 = "stablehlo.add"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @result_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.abs' op expected 1 result, but found 0}}
  "stablehlo.abs"(%x) : (tensor<2x3xf32>) -> ()
  return
}

// -----

func.func @operand_kind(%x: f32) {
  // expected-error @below {{'stablehlo.abs' op operand #0 must be a ranked tensor, but got 'f32'}}
  %0 = stablehlo.abs %x : f32
  return
}

// -----

func.func @attribute_missing(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.transpose' op requires attribute 'permutation'}}
  %0 = "stablehlo.transpose"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @attribute_kind(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.transpose' op attribute 'permutation' must be array<i64>, but got dense<[1, 0]> : tensor<2xi64>}}
  %0 = "stablehlo.transpose"(%x) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @enum_kind(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.compare' op attribute 'comparison_direction' must be a comparison direction, but got "LT"}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = "LT"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @region_count(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{'stablehlo.reduce' op requires 1 region(s), but has 0}}
  %0 = "stablehlo.reduce"(%x, %i) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @different_shapes(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error @below {{'stablehlo.add' op operand 1 and the result have different shapes}}
  %0 = stablehlo.add %x, %y : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @different_elements(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>) {
  // expected-error @below {{'stablehlo.add' op operand 1 and the result have different element types}}
  %0 = stablehlo.add %x, %y : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @predicate_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.compare' op the result's elements must be i1}}
  %0 = stablehlo.compare LT, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @predicate_operands(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>) {
  // expected-error @below {{'stablehlo.compare' op the operands have different element types}}
  %0 = stablehlo.compare LT, %x, %y : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @select_predicate(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.select' op the predicate's elements must be i1}}
  %0 = stablehlo.select %x, %x, %x : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @select_shape(%x: tensor<2x3xf32>, %p: tensor<2xi1>) {
  // expected-error @below {{'stablehlo.select' op operand 0 and the result have different shapes}}
  %0 = stablehlo.select %p, %x, %x : tensor<2xi1>, tensor<2x3xf32>
  return
}

// -----

func.func @clamp_shape(%x: tensor<2x3xf32>, %p: tensor<3xf32>) {
  // expected-error @below {{'stablehlo.clamp' op operand 0 and the result have different shapes}}
  %0 = stablehlo.clamp %p, %x, %x : (tensor<3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clamp_element(%x: tensor<2x3xf32>, %p: tensor<i32>) {
  // expected-error @below {{'stablehlo.clamp' op operand 0 and the result have different element types}}
  %0 = stablehlo.clamp %p, %x, %x : (tensor<i32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @exponent_bits(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.reduce_precision' op needs one exponent bit or more, but has 0}}
  %0 = stablehlo.reduce_precision %x, format = e0m3 : tensor<2x3xf32>
  return
}

// -----

func.func @mantissa_bits(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.reduce_precision' op cannot have -1 mantissa bits}}
  %0 = "stablehlo.reduce_precision"(%x) {exponent_bits = 1 : i32, mantissa_bits = -1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @bitcast_shape(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.bitcast_convert' op the tensor of the narrower elements has rank 2, but must have 3}}
  %0 = stablehlo.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @bitcast_width(%x: tensor<2xi4>) {
  // expected-error @below {{'stablehlo.bitcast_convert' op cannot turn elements of 4 bits into 6}}
  %0 = stablehlo.bitcast_convert %x : (tensor<2xi4>) -> tensor<2xi6>
  return
}

// -----

func.func @broadcasting_dims(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{'chlo.broadcast_add' op broadcast_dimensions has dimension 2, out of range for a tensor of rank 2}}
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 2>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcasting_count(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{'chlo.broadcast_add' op attribute 'broadcast_dimensions' has 2 entries, but needs 1}}
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcasting_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{'chlo.broadcast_add' op operand 0 has more dimensions than the result}}
  %0 = chlo.broadcast_add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @broadcasting_size(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{'chlo.broadcast_add' op cannot broadcast size 2 of operand 1 to 3 in result dimension 1}}
  %0 = chlo.broadcast_add %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @constant_type() {
  // expected-error @below {{'stablehlo.constant' op the value and the result have different types}}
  %0 = "stablehlo.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  return
}

// -----

func.func @iota_dimension() {
  // expected-error @below {{'stablehlo.iota' op iota_dimension has dimension 2, out of range for a tensor of rank 2}}
  %0 = stablehlo.iota dim = 2 : tensor<3x4xi32>
  return
}

// -----

func.func @iota_of_scalar() {
  // expected-error @below {{'stablehlo.iota' op iota_dimension has dimension 0, out of range for a tensor of rank 0}}
  %0 = stablehlo.iota dim = 0 : tensor<i32>
  return
}

// -----

func.func @dimension_size(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.get_dimension_size' op dimension has dimension -1, out of range for a tensor of rank 2}}
  %0 = stablehlo.get_dimension_size %x, dim = -1 : (tensor<2x3xf32>) -> tensor<i32>
  return
}

// -----

func.func @broadcast_sizes(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.broadcast' op attribute 'broadcast_sizes' has 1 entries, but needs 0}}
  %0 = stablehlo.broadcast %x, sizes = [4] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.broadcast' op the result has fewer dimensions than the operand}}
  %0 = stablehlo.broadcast %x, sizes = [] : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @broadcast_dims_twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.broadcast_in_dim' op broadcast_dimensions has dimension 1 twice}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<2x2x3xf32>
  return
}

// -----

func.func @broadcast_dims_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.broadcast_in_dim' op attribute 'broadcast_dimensions' has 1 entries, but needs 2}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x3xf32>) -> tensor<2x2x3xf32>
  return
}

// -----

func.func @broadcast_size(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.broadcast_in_dim' op cannot broadcast size 3 to 4 in result dimension 2}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

func.func @broadcast_element(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.broadcast_in_dim' op changes the element type}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @reshape_element(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.reshape' op changes the element type}}
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xi32>
  return
}

// -----

func.func @reshape_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.reshape' op turns 6 elements into 5}}
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @transpose_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.transpose' op the result has size 2 in dimension 0, but must have 3}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_rank(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.transpose' op the result has rank 1, but must have 2}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @reverse_dims(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.reverse' op dimensions has dimension 2, out of range for a tensor of rank 2}}
  %0 = stablehlo.reverse %x, dims = [2] : tensor<2x3xf32>
  return
}

// -----

func.func @concatenate_nothing() {
  // expected-error @below {{'stablehlo.concatenate' op needs an operand}}
  %0 = "stablehlo.concatenate"() {dimension = 0 : i64} : () -> tensor<2x3xf32>
  return
}

// -----

func.func @concatenate_dimension(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.concatenate' op dimension has dimension 2, out of range for a tensor of rank 2}}
  %0 = stablehlo.concatenate %x, dim = 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concatenate_operand(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{'stablehlo.concatenate' op an operand has size 4 in dimension 1, but must have 3}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concatenate_element(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>) {
  // expected-error @below {{'stablehlo.concatenate' op operand 1 and the result have different element types}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concatenate_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.concatenate' op the result has size 5 in dimension 0, but must have 4}}
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return
}

// -----

func.func @pad_count(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @below {{'stablehlo.pad' op attribute 'edge_padding_low' has 1 entries, but needs 2}}
  %0 = stablehlo.pad %x, %v, low = [0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_interior(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @below {{'stablehlo.pad' op attribute 'interior_padding' has the entry -1, but the least is 0}}
  %0 = stablehlo.pad %x, %v, low = [0, 0], high = [0, 0], interior = [0, -1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_value(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.pad' op the padding value must be a scalar tensor}}
  %0 = stablehlo.pad %x, %x, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_element(%x: tensor<2x3xf32>, %v: tensor<i32>) {
  // expected-error @below {{'stablehlo.pad' op mixes element types}}
  %0 = stablehlo.pad %x, %v, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_size(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @below {{'stablehlo.pad' op gives dimension 0 an impossible size}}
  %0 = stablehlo.pad %x, %v, low = [-3, 0], high = [0, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<0x3xf32>
  return
}

// -----

func.func @pad_result(%x: tensor<2x3xf32>, %v: tensor<f32>) {
  // expected-error @below {{'stablehlo.pad' op the result has size 2 in dimension 0, but must have 5}}
  %0 = stablehlo.pad %x, %v, low = [1, 0], high = [0, 0], interior = [2, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_range(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.slice' op takes [0, 3) of dimension 0, which has size 2}}
  %0 = stablehlo.slice %x [0:3, 0:3] : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @slice_start(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.slice' op attribute 'start_indices' has the entry -1, but the least is 0}}
  %0 = stablehlo.slice %x [-1:2, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_stride(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.slice' op attribute 'strides' has the entry 0, but the least is 1}}
  %0 = stablehlo.slice %x [0:2:0, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.slice' op the result has size 3 in dimension 1, but must have 2}}
  %0 = stablehlo.slice %x [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @tuple_index(%t: tuple<tensor<f32>>) {
  // expected-error @below {{'stablehlo.get_tuple_element' op has index 1 into a tuple of 1}}
  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

func.func @tuple_operand(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.get_tuple_element' op the operand must be a tuple}}
  %0 = stablehlo.get_tuple_element %x[0] : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @barrier_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.optimization_barrier' op has 1 operands but 0 results}}
  "stablehlo.optimization_barrier"(%x) : (tensor<2x3xf32>) -> ()
  return
}

// -----

func.func @barrier_types(%x: tensor<2x3xf32>) {
  // expected-error @below {{'stablehlo.optimization_barrier' op operand 0 and result 0 have different types}}
  %0 = "stablehlo.optimization_barrier"(%x) : (tensor<2x3xf32>) -> tensor<f32>
  return
}
