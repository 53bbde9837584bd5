// RUN: mlopt-opt %s -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlopt-opt %t.mlir | diff %t.mlir -
// RUN: mlopt-opt %s --emit-bytecode | mlopt-opt | diff %t.mlir -

// Every short form of CHLO reads as the generic form, which is what is printed,
// and which reads back as the same.

// CHECK-LABEL: func @unary
func.func @unary(%x: tensor<4xf32>, %c: tensor<4xcomplex<f32>>) {
  // CHECK: "chlo._asin_acos_kernel"(%arg1) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %0 = chlo._asin_acos_kernel %c : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: "chlo.acos"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = chlo.acos %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.acosh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = chlo.acosh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.asin"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.asin %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.asinh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = chlo.asinh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.atan"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = chlo.atan %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.atanh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %6 = chlo.atanh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.bessel_i1e"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %7 = chlo.bessel_i1e %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.conj"(%arg1) : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %8 = chlo.conj %c : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  // CHECK: "chlo.cosh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %9 = chlo.cosh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.digamma"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %10 = chlo.digamma %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.erf"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %11 = chlo.erf %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.erf_inv"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %12 = chlo.erf_inv %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.erfc"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %13 = chlo.erfc %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.lgamma"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %14 = chlo.lgamma %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.sinh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %15 = chlo.sinh %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.square"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %16 = chlo.square %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.tan"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  %17 = chlo.tan %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.is_inf"(%arg0) : (tensor<4xf32>) -> tensor<4xi1>
  %18 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  // CHECK: "chlo.is_neg_inf"(%arg0) : (tensor<4xf32>) -> tensor<4xi1>
  %19 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  // CHECK: "chlo.is_pos_inf"(%arg0) : (tensor<4xf32>) -> tensor<4xi1>
  %20 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  return
}

// CHECK-LABEL: func @binary
func.func @binary(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // CHECK: "chlo.mulhi"(%arg1, %arg1) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %0 = chlo.mulhi %i, %i : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>
  // CHECK: "chlo.next_after"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = chlo.next_after %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.polygamma"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = chlo.polygamma %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  // CHECK: "chlo.zeta"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = chlo.zeta %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}

// CHECK-LABEL: func @broadcasting
func.func @broadcasting(%x: tensor<4xf32>, %y: tensor<2x4xf32>, %i: tensor<4xi32>, %j: tensor<2x4xi32>, %p: tensor<i1>) {
  // CHECK: "chlo.broadcast_add"(%arg0, %arg1) <{broadcast_dimensions = array<i64: 1>}> : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_and"(%arg2, %arg3) : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  %1 = chlo.broadcast_and %i, %j : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  // CHECK: "chlo.broadcast_atan2"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = chlo.broadcast_atan2 %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_complex"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xcomplex<f32>>
  %3 = chlo.broadcast_complex %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xcomplex<f32>>
  // CHECK: "chlo.broadcast_divide"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = chlo.broadcast_divide %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_maximum"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %5 = chlo.broadcast_maximum %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_minimum"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %6 = chlo.broadcast_minimum %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_multiply"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = chlo.broadcast_multiply %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_next_after"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %8 = chlo.broadcast_next_after %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_or"(%arg2, %arg3) : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  %9 = chlo.broadcast_or %i, %j : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  // CHECK: "chlo.broadcast_polygamma"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %10 = chlo.broadcast_polygamma %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_power"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %11 = chlo.broadcast_power %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_remainder"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %12 = chlo.broadcast_remainder %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_shift_left"(%arg2, %arg3) : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  %13 = chlo.broadcast_shift_left %i, %j : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  // CHECK: "chlo.broadcast_shift_right_arithmetic"(%arg2, %arg3) : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  %14 = chlo.broadcast_shift_right_arithmetic %i, %j : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  // CHECK: "chlo.broadcast_shift_right_logical"(%arg2, %arg3) : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  %15 = chlo.broadcast_shift_right_logical %i, %j : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  // CHECK: "chlo.broadcast_subtract"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %16 = chlo.broadcast_subtract %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_xor"(%arg2, %arg3) : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  %17 = chlo.broadcast_xor %i, %j : (tensor<4xi32>, tensor<2x4xi32>) -> tensor<2x4xi32>
  // CHECK: "chlo.broadcast_zeta"(%arg0, %arg1) : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %18 = chlo.broadcast_zeta %x, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.broadcast_compare"(%arg0, %arg1) <{compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>}> : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  %19 = chlo.broadcast_compare %x, %y {compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  // CHECK: "chlo.broadcast_select"(%arg4, %arg0, %arg1) : (tensor<i1>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %20 = chlo.broadcast_select %p, %x, %y : (tensor<i1>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: func @others
func.func @others(%x: tensor<2x4xf32>, %s: tensor<2xf32>, %w: tensor<2x4x5xf32>, %g: tensor<2xi64>) {
  // CHECK: "chlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %0 = chlo.constant dense<1> : tensor<i32>
  // CHECK: "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = "chlo.constant_like"(%x) <{value = 1.0 : f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: "chlo.top_k"(%arg0) <{k = 3 : i64}> : (tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %2, %3 = chlo.top_k(%x, k = 3) : tensor<2x4xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  // CHECK: "chlo.top_k"(%arg0) <{is_stable = false, k = 3 : i64}>
  %4, %5 = chlo.top_k(%x, k = 3, is_stable = false) : tensor<2x4xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  // CHECK: "chlo.ragged_dot"(%arg0, %arg2, %arg3) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>
  %6 = "chlo.ragged_dot"(%x, %w, %g) {precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<2x4xf32>, tensor<2x4x5xf32>, tensor<2xi64>) -> tensor<2x5xf32>
  // CHECK: "chlo.scan"(%arg0, %arg1) <{dimension = 1 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<2xf32>, %{{.*}}: tensor<2xf32>):
  // CHECK: }) : (tensor<2x4xf32>, tensor<2xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  %7:2 = chlo.scan (%x) inits (%s) dimension=1 attributes {is_reverse = true} {
  ^bb0(%input: tensor<2xf32>, %carry: tensor<2xf32>):
    %8 = stablehlo.add %input, %carry : tensor<2xf32>
    stablehlo.return %8, %8 : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x4xf32>, tensor<2xf32>) -> (tensor<2x4xf32>, tensor<2xf32>)
  return
}
