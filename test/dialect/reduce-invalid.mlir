// RUN: mlopt-opt %s -split-input-file -verify-diagnostics

func.func @no_kind(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce' op needs a kind or a region}}
  %0 = mlopt.reduce %x, %x dims [1] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @unknown_kind(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce' op attribute 'kind' must be one of add, mul, max, min, maxu, minu, and, or, xor, but got "set"}}
  %0 = mlopt.reduce set %x dims [1] : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @kind_of_elements(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce' op of kind xor needs a tensor or scalar of i1, i8, i16, i32, i64 or index}}
  %0 = mlopt.reduce xor %x dims [1] : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @kind_of_three(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce' op of a kind takes one input and at most one initial value, but has 3 operands}}
  %0 = mlopt.reduce add %x, %x, %x dims [1] : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @init_of_rank_1(%x: tensor<2x4xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{'mlopt.reduce' op initial value #0 must have rank 0, but has rank 1}}
  %0 = mlopt.reduce add %x, %v dims [1] : (tensor<2x4xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @init_of_another_element(%x: tensor<2x4xf32>, %v: tensor<f64>) {
  // expected-error @+1 {{'mlopt.reduce' op has an initial value of another element type than its input}}
  %0 = mlopt.reduce add %x, %v dims [1] : (tensor<2x4xf32>, tensor<f64>) -> tensor<2xf32>
  return
}

// -----

func.func @dims_past_the_rank(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce' op 'dims' names dimension 2, which is not in [0, 2)}}
  %0 = mlopt.reduce add %x dims [2] : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @dims_twice(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce' op 'dims' names dimension 1 twice}}
  %0 = mlopt.reduce add %x dims [1, 1] : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @result_shape(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce' op has result type(s) 'tensor<4xf32>', but its operands and attributes give 'tensor<2xf32>'}}
  %0 = mlopt.reduce add %x dims [1] : (tensor<2x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @region_without_inits(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce' op with a region takes inputs and as many initial values, but has 1 operands}}
  %0 = mlopt.reduce %x dims [1] : (tensor<2x4xf32>) -> tensor<2xf32> {
  ^bb0(%a: f32, %b: f32):
    mlopt.yield %a : f32
  }
  return
}

// -----

func.func @region_of_other_shapes(%x: tensor<2x4xf32>, %y: tensor<2x5xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'mlopt.reduce' op input #1 has another shape than input #0}}
  %0:2 = mlopt.reduce %x, %y, %v, %v dims [1] : (tensor<2x4xf32>, tensor<2x5xf32>, tensor<f32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    mlopt.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @region_arguments(%x: tensor<2x4xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{'mlopt.reduce' op needs a region of 2 arguments, but it has 3}}
  %0 = mlopt.reduce %x, %v dims [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    mlopt.yield %a : f32
  }
  return
}

// -----

func.func @region_types(%x: tensor<2x4xf16>, %v: tensor<f32>) {
  // expected-error @+1 {{'mlopt.reduce' op has a region whose argument #0 has not the element type of its operand}}
  %0 = mlopt.reduce %x, %v dims [1] : (tensor<2x4xf16>, tensor<f32>) -> tensor<2xf32> {
  ^bb0(%a: f16, %b: f16):
    mlopt.yield %a : f16
  }
  return
}

// -----

func.func @arg_kind(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.arg_reduce' op attribute 'kind' must be one of max, min, maxu, minu, but got "add"}}
  %0:2 = mlopt.arg_reduce add %x dim 1 : tensor<2x4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @arg_kind_of_elements(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.arg_reduce' op of kind maxu needs a tensor or scalar of i8, i16, i32, i64 or index}}
  %0:2 = mlopt.arg_reduce maxu %x dim 1 : tensor<2x4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @arg_dim(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.arg_reduce' op 'dim' is dimension -1, which is not in [0, 2)}}
  %0:2 = mlopt.arg_reduce max %x dim -1 : tensor<2x4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return
}

// -----

func.func @arg_value(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.arg_reduce' op needs a value result of the operand's element type and shape without dimension 1}}
  %0:2 = mlopt.arg_reduce max %x dim 1 : tensor<2x4xf32> -> (tensor<4xf32>, tensor<2xi32>)
  return
}

// -----

func.func @arg_index(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.arg_reduce' op needs an index result of the operand's shape without dimension 1}}
  %0:2 = mlopt.arg_reduce max %x dim 1 : tensor<2x4xf32> -> (tensor<2xf32>, tensor<3xi32>)
  return
}

// -----

func.func @arg_index_element(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.arg_reduce' op result #1 must be a ranked tensor of integers, but got 'tensor<2xf32>'}}
  %0:2 = mlopt.arg_reduce max %x dim 1 : tensor<2x4xf32> -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @arg_index_width(%x: tensor<257xf32>) {
  // expected-error @+1 {{'mlopt.arg_reduce' op has 8-bit indices, too narrow for the size 257 of dimension 0}}
  %0:2 = mlopt.arg_reduce max %x dim 0 : tensor<257xf32> -> (tensor<f32>, tensor<i8>)
  return
}

// -----

func.func @window_count(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce_window' op 'strides' needs 2 entries, but has 1}}
  %0 = mlopt.reduce_window max %x window [1, 2] strides [1] base_dilations [1, 1] window_dilations [1, 1] low [0, 0] high [0, 0] : (tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @window_size(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce_window' op 'window' entry 0 must be at least 1, but is 0}}
  %0 = mlopt.reduce_window max %x window [0, 2] strides [1, 1] base_dilations [1, 1] window_dilations [1, 1] low [0, 0] high [0, 0] : (tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @window_dilation(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce_window' op 'base_dilations' entry 1 must be at least 1, but is 0}}
  %0 = mlopt.reduce_window max %x window [1, 2] strides [1, 1] base_dilations [1, 0] window_dilations [1, 1] low [0, 0] high [0, 0] : (tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @window_past_64_bits(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce_window' op the padded size of dimension 1 does not fit in 64 bits}}
  %0 = mlopt.reduce_window max %x window [1, 2] strides [1, 1] base_dilations [1, 1] window_dilations [1, 1] low [0, 9223372036854775807] high [0, 0] : (tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @window_shape(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{'mlopt.reduce_window' op has result type(s) 'tensor<2x3xf32>', but its operands and attributes give 'tensor<2x4xf32>'}}
  %0 = mlopt.reduce_window max %x window [1, 2] strides [1, 1] base_dilations [1, 1] window_dilations [1, 1] low [0, 1] high [0, 0] : (tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}
