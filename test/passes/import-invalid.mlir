// RUN: mlopt-opt %s -split-input-file -convert-stablehlo-to-mlopt -verify-diagnostics

// Everything that is unsupported is told at once.
func.func @five(%x: tensor<8xf32>, %y: tensor<8x8xf32>, %s: tensor<2xui64>)
    -> tensor<8xf32> {
  // expected-error @+1 {{'stablehlo.fft' op cannot be imported: complex numbers are not supported}}
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  // expected-error @+1 {{'stablehlo.real' op cannot be imported: complex numbers are not supported}}
  %1 = stablehlo.real %0 : (tensor<5xcomplex<f32>>) -> tensor<5xf32>
  // expected-error @+1 {{'stablehlo.cholesky' op cannot be imported: it is not supported}}
  %2 = stablehlo.cholesky %y, lower = true : tensor<8x8xf32>
  // expected-error @+1 {{'stablehlo.rng_bit_generator' op cannot be imported: random number generators are not supported}}
  %3:2 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  // expected-error @+1 {{'stablehlo.custom_call' op cannot be imported: custom call 'my_kernel' is not known}}
  %4 = stablehlo.custom_call @my_kernel(%1) : (tensor<5xf32>) -> tensor<8xf32>
  %5 = stablehlo.add %4, %x : tensor<8xf32>
  return %5 : tensor<8xf32>
}

// -----

// expected-error @+1 {{'func.func' op cannot be imported: type 'tensor<4xcomplex<f32>>': complex numbers are not supported}}
func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  // expected-error @+1 {{'stablehlo.add' op cannot be imported: type 'tensor<4xcomplex<f32>>': complex numbers are not supported}}
  %0 = stablehlo.add %x, %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// Dynamic sizes are told once.
// expected-error @+1 {{type 'tensor<?xf32>': dynamic sizes (`?`) are not supported}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %x, %x : tensor<?xf32>
  %1 = stablehlo.abs %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @reshape(%x: tensor<4xf32>, %shape: tensor<1xi32>) -> tensor<4xf32> {
  // expected-error @+1 {{operations of dynamic shape are not supported}}
  %0 = stablehlo.dynamic_reshape %x, %shape : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @token() -> () {
  // expected-error @+1 {{tokens, and the side effects they order, are not supported}}
  %0 = stablehlo.create_token : !stablehlo.token
  return
}

// -----

func.func @devices(%x: tensor<f32>) -> tensor<ui32> {
  // expected-error @+1 {{programs for several devices are not supported}}
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----

func.func @tuple(%x: tensor<f32>) {
  // expected-error @+1 {{tuples are not supported}}
  %0 = stablehlo.tuple %x : tuple<tensor<f32>>
  return
}

// -----

// expected-error @+1 {{only values of tensor type are supported}}
func.func @bare_token(%x: !stablehlo.token) {
  return
}

// -----

// expected-error @+1 {{unranked tensors are not supported}}
func.func @unranked(%x: tensor<*xf32>) {
  return
}

// -----

// expected-error @+1 {{type 'tensor<4xi2>': elements of this type are not supported}}
func.func @element(%x: tensor<4xi2>) {
  return
}

// -----

// expected-error @+1 {{a tensor has at most 16 dimensions}}
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  return
}

// -----

// expected-error @+1 {{tensor encodings are not supported}}
func.func @encoding(%x: tensor<4xf32, "sparse">) {
  return
}

// -----

// expected-error @+1 {{quantized elements are not supported}}
func.func @quantized(%x: tensor<4x!quant.uniform<i8:f32, 1.0>>) {
  return
}

// -----

func.func @four_bits(%x: tensor<4xi4>) -> tensor<4xi4> {
  // expected-error @+1 {{4-bit integers can only be converted}}
  %0 = stablehlo.add %x, %x : tensor<4xi4>
  return %0 : tensor<4xi4>
}

// -----

func.func @four_bit_cast(%x: tensor<4x2xi4>) -> tensor<4xi8> {
  // expected-error @+1 {{elements of less than 8 bits cannot be cast to another type}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4x2xi4>) -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

func.func @elided() -> tensor<400xf32> {
  // expected-error @+1 {{its elements were left out of the text}}
  %0 = stablehlo.constant dense_resource<__elided__> : tensor<400xf32>
  return %0 : tensor<400xf32>
}

// -----

func.func @resource() -> tensor<1xui32> {
  // expected-error @+1 {{a resource of unsigned integers is not supported}}
  %0 = stablehlo.constant dense_resource<blob> : tensor<1xui32>
  return %0 : tensor<1xui32>
}

// -----

func.func @bessel(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @+1 {{its f64 form is not supported}}
  %0 = chlo.bessel_i1e %x : tensor<4xf64> -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

func.func @zeta(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{this special function is not supported}}
  %0 = chlo.zeta %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @boolean_product(%x: tensor<4xi1>) -> tensor<i1> {
  // expected-error @+1 {{products of booleans are not supported}}
  %0 = stablehlo.dot %x, %x : (tensor<4xi1>, tensor<4xi1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

func.func @mixed_product(%x: tensor<4xi8>, %y: tensor<4xui8>) -> tensor<i8> {
  // expected-error @+1 {{products of signed and unsigned integers are not supported}}
  %0 = stablehlo.dot %x, %y : (tensor<4xi8>, tensor<4xui8>) -> tensor<i8>
  return %0 : tensor<i8>
}

// -----

// What a body may hold.
func.func @bodies(%x: tensor<4xf32>, %outside: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %outside) across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    // expected-error @+1 {{a body may not use values from outside}}
    %1 = stablehlo.add %b, %outside : tensor<f32>
    // expected-error @+1 {{it is not supported in the body of another operation}}
    %2 = stablehlo.transpose %1, dims = [] : (tensor<f32>) -> tensor<f32>
    // expected-error @+1 {{a body computes on tensors of rank 0}}
    %3 = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<2xf32>
    stablehlo.return %2 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @recursion(%x: tensor<4xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %init) across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    // expected-error @+1 {{a recursive call in a body is not supported}}
    %1 = func.call @again(%b) : (tensor<f32>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}
func.func private @again(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @again(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

func.func @mixed_scatter(%x: tensor<8xf32>, %y: tensor<8xf32>, %i: tensor<3x1xi32>,
                         %u: tensor<3xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{scattering several operands together is not supported}}
  %0:2 = "stablehlo.scatter"(%x, %y, %i, %u, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
          index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %d, %c : tensor<f32>, tensor<f32>
  }) : (tensor<8xf32>, tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>,
        tensor<3xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}

// -----

func.func @nested_check(%p: tensor<i1>, %x: tensor<f32>) {
  "stablehlo.if"(%p) ({
    // expected-error @+1 {{a check compares two values at the top level of a function}}
    stablehlo.custom_call @check.expect_eq(%x, %x) : (tensor<f32>, tensor<f32>) -> ()
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @widening(%x: tensor<4xbf16>, %init: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{reducing elements of one type to another is not supported}}
  %0 = stablehlo.reduce(%x init: %init) across dimensions = [0]
      : (tensor<4xbf16>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// What a body lacks for another reason is told by that reason.
func.func @complex_body(%x: tensor<4xf32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.reduce(%x init: %init) across dimensions = [0]
      : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    // expected-error @+1 {{'stablehlo.real' op cannot be imported: complex numbers are not supported}}
    %1 = stablehlo.real %b : (tensor<f32>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

func.func @rank_16(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>)
    -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32> {
  // expected-error @+1 {{a convolution has at most 13 spatial dimensions}}
  %0 = stablehlo.convolution(%x, %x)
      dim_numbers = [b, f, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]x[o, i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]->[b, f, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
      window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>, tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  return %0 : tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
}

// -----

func.func @float_function(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{it is a function of floats}}
  %0 = chlo.erf_inv %x : tensor<4xi32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @constant_like(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{its value is not of the type of its elements}}
  %0 = "chlo.constant_like"(%x) {value = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
