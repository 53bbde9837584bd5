// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

// Malformed StableHLO and CHLO gives one message where it goes wrong.

func.func @no_type(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected ':'}}
  %0 = stablehlo.abs %x
  return
}

// -----

func.func @no_short_form(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.gather' has no custom assembly form}}
  %0 = stablehlo.gather %x
  return
}

// -----

func.func @unknown_operation(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.absolute' is unknown}}
  %0 = stablehlo.absolute %x : tensor<2x3xf32>
  return
}

// -----

func.func @operand_types_missing(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.add' 2 operands but 1 operand types}}
  %0 = stablehlo.add %x, %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @too_many_results(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.add' expected one result type}}
  %0 = stablehlo.add %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @functional_type_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.transpose' 1 operands but 0 operand types}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : () -> tensor<2x3xf32>
  return
}

// -----

func.func @dims_missing(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.transpose' expected 'dims'}}
  %0 = stablehlo.transpose %x, [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dims_no_list(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected '['}}
  %0 = stablehlo.transpose %x, dims = 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @attribute_twice(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.transpose' attribute 'permutation' is given twice}}
  %0 = stablehlo.transpose %x, dims = [1, 0] {permutation = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @unknown_direction(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.compare' unknown case 'LESS'}}
  %0 = stablehlo.compare LESS, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @unknown_enum(%x: tensor<2x3xf32>) {
  // expected-error @below {{unknown case 'LESS'}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_direction LESS>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @unknown_attribute(%x: tensor<2x3xf32>) {
  // expected-error @below {{unknown attribute 'comparison_directions' in dialect 'stablehlo'}}
  %0 = "stablehlo.compare"(%x, %x) {comparison_direction = #stablehlo<comparison_directions LT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return
}

// -----

// expected-error @below {{unknown type 'tokens' in dialect 'stablehlo'}}
func.func @unknown_type(%x: !stablehlo.tokens) {
  
  return
}

// -----

func.func @complex_of_real(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.complex' expected a tensor of complex numbers}}
  %0 = stablehlo.complex %x, %x : tensor<2x3xf32>
  return
}

// -----

func.func @tuple_type(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.tuple' expected a tuple type}}
  %0 = stablehlo.tuple %x : tensor<2x3xf32>
  return
}

// -----

func.func @tuple_count(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.tuple' 1 operands but a tuple of 2 types}}
  %0 = stablehlo.tuple %x : tuple<tensor<2x3xf32>, tensor<2x3xf32>>
  return
}

// -----

func.func @select_one_type(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected ','}}
  %0 = stablehlo.select %x, %x, %x : tensor<2x3xf32>
  return
}

// -----

func.func @format(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.reduce_precision' expected a format such as e8m10, found 'm10e8'}}
  %0 = stablehlo.reduce_precision %x, format = m10e8 : tensor<2x3xf32>
  return
}

// -----

func.func @slice_range(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected ':'}}
  %0 = stablehlo.slice %x [0:1, 2] : (tensor<2x3xf32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @dynamic_slice_comma(%x: tensor<2x3xf32>, %i: tensor<i32>) {
  // expected-error @below {{expected ','}}
  %0 = stablehlo.dynamic_slice %x, %i, %i sizes = [1, 1] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @constant_no_elements() {
  // expected-error @below {{custom op 'stablehlo.constant' expected the elements of a tensor}}
  %0 = stablehlo.constant 3 : i32
  return
}

// -----

func.func @constant_properties() {
  // expected-error @below {{custom op 'stablehlo.constant' expected a dictionary}}
  %0 = stablehlo.constant() <1 : i32> : () -> tensor<i32>
  return
}

// -----

func.func @target(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.custom_call' expected valid '@'-identifier for symbol name}}
  %0 = stablehlo.custom_call foo(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @contracting_dims(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected ','}}
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @precision(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.dot' unknown case 'HIGHER'}}
  %0 = stablehlo.dot %x, %x, precision = [HIGHER] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @algorithm_field(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.dot_general' field 'rhs_precision_type' is missing}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = f32> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @struct_unknown_field(%x: tensor<2x3xf32>) {
  // expected-error @below {{unknown field 'offset'}}
  %0 = "stablehlo.gather"(%x, %x) {dimension_numbers = #stablehlo.gather<offset = [1]>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @struct_repeated_field(%x: tensor<2x3xf32>) {
  // expected-error @below {{repeated field 'offset_dims'}}
  %0 = "stablehlo.gather"(%x, %x) {dimension_numbers = #stablehlo.gather<offset_dims = [1], offset_dims = [1]>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// expected-error @below {{expected a string for 'name'}}
func.func private @f() attributes {a = #stablehlo.mesh_axis<name = 1 : i32, size = 2>}

// -----

// expected-error @below {{expected 'b', 'f' or a number, found 'g'}}
func.func private @f() attributes {a = #stablehlo.conv<[b, 0, g]x[0, i, o]->[b, 0, f]>}

// -----

// expected-error @below {{a dimension is repeated}}
func.func private @f() attributes {a = #stablehlo.conv<[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]>}

// -----

// expected-error @below {{dimension 'f' is missing}}
func.func private @f() attributes {a = #stablehlo.conv<[b, 0]x[0, i, o]->[b, 0, f]>}

// -----

// expected-error @below {{spatial dimension 0 is missing}}
func.func private @f() attributes {a = #stablehlo.conv<[b, 1, f]x[0, i, o]->[b, 0, f]>}

// -----

// expected-error @below {{spatial dimension 14 is out of range}}
func.func private @f() attributes {a = #stablehlo.conv<[b, 14, f]x[0, i, o]->[b, 0, f]>}

// -----

// expected-error @below {{expected '->'}}
func.func private @f() attributes {a = #stablehlo.conv<[b, 0, f]x[0, i, o]>}

// -----

func.func @window_field(%x: tensor<1x8x2xf32>, %w: tensor<3x2x4xf32>) {
  // expected-error @below {{custom op 'stablehlo.convolution' unknown window field 'strides'}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {strides = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x2xf32>, tensor<3x2x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @window_repeated(%x: tensor<1x8x2xf32>, %w: tensor<3x2x4xf32>) {
  // expected-error @below {{custom op 'stablehlo.convolution' window field 'stride' is repeated}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x2xf32>, tensor<3x2x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @window_padding(%x: tensor<1x8x2xf32>, %w: tensor<3x2x4xf32>) {
  // expected-error @below {{expected ','}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x2xf32>, tensor<3x2x4xf32>) -> tensor<1x6x4xf32>
  return
}

// -----

func.func @reduce_no_init(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'stablehlo.reduce' expected 'init'}}
  %0 = stablehlo.reduce(%x) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_not_commutative(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{custom op 'stablehlo.reduce' 'stablehlo.subtract' is no commutative StableHLO operation of two operands}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.subtract across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_no_function(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{custom op 'stablehlo.reduce' expected a function type}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : tensor<2x3xf32>
  return
}

// -----

func.func @reduce_type_count(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  // expected-error @below {{custom op 'stablehlo.reduce' 2 operands but 1 operand types}}
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_scalars(%x: f32) {
  // expected-error @below {{custom op 'stablehlo.reduce' expected tensor operands}}
  %0 = stablehlo.reduce(%x init: %x) applies stablehlo.add across dimensions = [1] : (f32, f32) -> f32
  return
}

// -----

func.func @reduce_no_reducer(%x: tensor<2x3xf32>, %i: tensor<f32>) {
  %0 = stablehlo.reduce(%x init: %i) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  // expected-error @below {{custom op 'stablehlo.reduce' expected 'reducer'}}
  return
}

// -----

func.func @while_no_init(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected '='}}
  %0 = stablehlo.while(%a) : tensor<2x3xf32> cond {} do {}
  return
}

// -----

func.func @while_types(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected ','}}
  %0:2 = stablehlo.while(%a = %x, %b = %x) : tensor<2x3xf32> cond { stablehlo.return } do { stablehlo.return }
  return
}

// -----

func.func @while_no_body(%x: tensor<2x3xf32>) {
  %0 = stablehlo.while(%a = %x) : tensor<2x3xf32> cond { stablehlo.return }
  // expected-error @below {{custom op 'stablehlo.while' expected 'do'}}
  return
}

// -----

func.func @barrier(%x: tensor<2x3xf32>) {
  // expected-error @below {{expected SSA operand}}
  stablehlo.optimization_barrier
  return
}

// -----

func.func @scan_results(%x: tensor<2x3xf32>, %i: tensor<2xf32>) {
  // expected-error @below {{custom op 'chlo.scan' 1 initial values but 0 results}}
  chlo.scan(%x) inits (%i) dimension=1 {
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    stablehlo.return
  } : (tensor<2x3xf32>, tensor<2xf32>) -> ()
  return
}

// -----

func.func @top_k(%x: tensor<2x3xf32>) {
  // expected-error @below {{custom op 'chlo.top_k' expected 'k'}}
  %0:2 = chlo.top_k(%x, 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return
}
