// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

func.func @exp_of_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{'mlopt.exp' op operand #0 must be tensor or scalar of floats, but got 'tensor<4xi32>'}}
  %0 = mlopt.exp %x : tensor<4xi32>
  return
}

// -----

func.func @sub_of_i1(%x: tensor<4xi1>) {
  // expected-error @+1 {{'mlopt.sub' op operand #0 must be tensor or scalar of floats, i8, i16, i32, i64 or index, but got 'tensor<4xi1>'}}
  %0 = mlopt.sub %x, %x : tensor<4xi1>
  return
}

// -----

func.func @add_of_i4(%x: tensor<4xi4>) {
  // expected-error @+1 {{'mlopt.add' op operand #0 must be tensor or scalar of floats, i1, i8, i16, i32, i64 or index, but got 'tensor<4xi4>'}}
  %0 = mlopt.add %x, %x : tensor<4xi4>
  return
}

// -----

func.func @shift_of_i1(%x: tensor<4xi1>) {
  // expected-error @+1 {{'mlopt.shl' op operand #0 must be tensor or scalar of i8, i16, i32, i64 or index, but got 'tensor<4xi1>'}}
  %0 = mlopt.shl %x, %x : tensor<4xi1>
  return
}

// -----

func.func @and_of_floats(%x: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.and' op operand #0 must be tensor or scalar of i1, i8, i16, i32, i64 or index, but got 'tensor<4xf32>'}}
  %0 = mlopt.and %x, %x : tensor<4xf32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'mlopt.tanh' op operand #0 must be tensor or scalar of floats, but got 'tensor<*xf32>'}}
  %0 = mlopt.tanh %x : tensor<*xf32>
  return
}

// -----

func.func @unknown_element(%x: tensor<4xi7>) {
  // expected-error @+1 {{'mlopt.not' op operand #0 must be tensor or scalar of i1, i8, i16, i32, i64 or index, but got 'tensor<4xi7>'}}
  %0 = mlopt.not %x : tensor<4xi7>
  return
}

// -----

func.func @mixed_types(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{'mlopt.add' op requires the same type for all operands and results}}
  %0 = "mlopt.add"(%a, %b) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unknown_attribute(%a: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.exp' op has no attribute 'numeric'}}
  %0 = mlopt.exp %a {numeric = 1} : tensor<4xf32>
  return
}

// -----

func.func @wrong_numerics(%a: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.exp' op attribute 'numerics' must be #mlopt.numerics<strict|default|fast>, but got "fast"}}
  %0 = mlopt.exp %a {numerics = "fast"} : tensor<4xf32>
  return
}

// -----

func.func @unknown_predicate(%a: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.compare' op attribute 'predicate' must be one of eq, ne, lt, le, gt, ge, ult, ule, ugt, uge}}
  %0 = mlopt.compare less, %a, %a : tensor<4xf32>
  return
}

// -----

func.func @unsigned_floats(%a: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.compare' op predicate 'ult' compares integers, but got 'tensor<4xf32>'}}
  %0 = mlopt.compare ult, %a, %a : tensor<4xf32>
  return
}

// -----

func.func @compare_two_types(%a: tensor<4xf32>, %b: tensor<4xf16>) {
  // expected-error @+1 {{'mlopt.compare' op compares operands of one type, but got 'tensor<4xf32>' and 'tensor<4xf16>'}}
  %0 = "mlopt.compare"(%a, %b) <{predicate = "eq"}> : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_result(%a: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.compare' op result must be 'tensor<4xi1>', but is 'tensor<5xi1>'}}
  %0 = "mlopt.compare"(%a, %a) <{predicate = "eq"}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

// One type is printed, so that not even a `?` may tell two apart.
func.func @compare_dynamic(%a: tensor<?xf32>, %b: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.compare' op compares operands of one type, but got 'tensor<?xf32>' and 'tensor<4xf32>'}}
  %0 = "mlopt.compare"(%a, %b) <{predicate = "eq"}> : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @isfinite_result(%a: tensor<?xf32>) {
  // expected-error @+1 {{'mlopt.isfinite' op result must be 'tensor<?xi1>', but is 'tensor<4xi1>'}}
  %0 = "mlopt.isfinite"(%a) : (tensor<?xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @select_result(%c: i1, %a: tensor<?xf32>) {
  // expected-error @+1 {{'mlopt.select' op result must be 'tensor<?xf32>', but is 'tensor<4xf32>'}}
  %0 = "mlopt.select"(%c, %a, %a) : (i1, tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_two_types(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error @+1 {{'mlopt.select' op selects between values of one type, but got 'tensor<4xf32>' and 'tensor<5xf32>'}}
  %0 = "mlopt.select"(%c, %a, %b) : (tensor<4xi1>, tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_condition_shape(%c: tensor<5xi1>, %a: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.select' op condition must be a single i1 or have the shape of 'tensor<4xf32>', but got 'tensor<5xi1>'}}
  %0 = mlopt.select %c, %a, %a : tensor<5xi1>, tensor<4xf32>
  return
}

// -----

// A tensor, even of one element, does not choose between scalars.
func.func @select_scalars(%c: tensor<i1>, %a: f32) {
  // expected-error @+1 {{'mlopt.select' op condition must be a single i1 or have the shape of 'f32', but got 'tensor<i1>'}}
  %0 = mlopt.select %c, %a, %a : tensor<i1>, f32
  return
}

// -----

func.func @select_on_integers(%c: tensor<4xi8>, %a: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.select' op operand #0 must be tensor or scalar of i1}}
  %0 = mlopt.select %c, %a, %a : tensor<4xi8>, tensor<4xf32>
  return
}

// -----

func.func @convert_shape(%x: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.convert' op keeps the shape, but goes from 'tensor<4xf32>' to 'tensor<2x2xf16>'}}
  %0 = mlopt.convert %x : tensor<4xf32> -> tensor<2x2xf16>
  return
}

// -----

func.func @convert_scalar_to_tensor(%x: f32) {
  // expected-error @+1 {{'mlopt.convert' op keeps the shape, but goes from 'f32' to 'tensor<f16>'}}
  %0 = mlopt.convert %x : f32 -> tensor<f16>
  return
}

// -----

func.func @convertu_of_floats(%x: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.convertu' op needs integers on one side, but goes from 'tensor<4xf32>' to 'tensor<4xf16>'}}
  %0 = mlopt.convertu %x : tensor<4xf32> -> tensor<4xf16>
  return
}

// -----

func.func @bitcast_ratio(%x: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.bitcast' op keeps the shape up to a last dimension of the narrower type of 2 elements, but goes from 'tensor<4xf32>' to 'tensor<4x4xf16>'}}
  %0 = mlopt.bitcast %x : tensor<4xf32> -> tensor<4x4xf16>
  return
}

// -----

func.func @bitcast_to_wider(%x: tensor<4x3xi8>) {
  // expected-error @+1 {{'mlopt.bitcast' op keeps the shape up to a last dimension of the narrower type of 4 elements, but goes from 'tensor<4x3xi8>' to 'tensor<4xi32>'}}
  %0 = mlopt.bitcast %x : tensor<4x3xi8> -> tensor<4xi32>
  return
}

// -----

func.func @bitcast_shape(%x: tensor<4xi32>) {
  // expected-error @+1 {{'mlopt.bitcast' op keeps the shape, but goes from 'tensor<4xi32>' to 'tensor<5xf32>'}}
  %0 = mlopt.bitcast %x : tensor<4xi32> -> tensor<5xf32>
  return
}

// -----

func.func @bitcast_i1(%x: tensor<8xi1>) {
  // expected-error @+1 {{'mlopt.bitcast' op cannot reinterpret i1 or index, but goes from 'tensor<8xi1>' to 'tensor<i8>'}}
  %0 = mlopt.bitcast %x : tensor<8xi1> -> tensor<i8>
  return
}

// -----

func.func @no_exponent(%x: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.reduce_precision' op 'exponent_bits' must be at least 1, but is 0}}
  %0 = mlopt.reduce_precision %x exponent 0 mantissa 10 : tensor<4xf32>
  return
}

// -----

func.func @negative_mantissa(%x: tensor<4xf32>) {
  // expected-error @+1 {{'mlopt.reduce_precision' op 'mantissa_bits' must be at least 0, but is -1}}
  %0 = mlopt.reduce_precision %x exponent 5 mantissa -1 : tensor<4xf32>
  return
}

// -----

func.func @clamp_bounds(%x: tensor<4xf32>, %low: tensor<f32>) {
  // expected-error @+1 {{'mlopt.clamp' op requires the same type for all operands and results}}
  %0 = "mlopt.clamp"(%low, %x, %x) : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
