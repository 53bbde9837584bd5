// RUN: mlopt-opt %s -split-input-file -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: mlopt-opt %t.mlir -split-input-file | diff %t.mlir -

// Every short form of StableHLO reads as the generic form, which is what is
// printed, and which reads back as the same.

// CHECK-LABEL: func @nullary
func.func @nullary(%n: tensor<1xindex>) {
  // CHECK: "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK: "stablehlo.constant"() <{value = dense<3> : tensor<i8>}> {note = "x"} : () -> tensor<i8>
  %1 = stablehlo.constant {note = "x"} dense<3> : tensor<i8>
  // CHECK: "stablehlo.constant"() <{value = dense<4> : tensor<i8>}> {note = "x"} : () -> tensor<i8>
  %2 = stablehlo.constant() <{value = dense<4> : tensor<i8>}> {note = "x"} : () -> tensor<i8>
  // CHECK: "stablehlo.constant"() <{value = dense<5> : tensor<1xi8>}> : () -> tensor<1x!quant.uniform<i8:f32, 2.000000e+00:15>>
  %3 = stablehlo.constant() {value = dense<5> : tensor<1xi8>} : () -> tensor<1x!quant.uniform<i8:f32, 2.0:15>>
  // CHECK: "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<2x3xf32>
  %4 = stablehlo.iota dim = 1 : tensor<2x3xf32>
  // CHECK: "stablehlo.dynamic_iota"(%arg0) <{iota_dimension = 0 : i64}> : (tensor<1xindex>) -> tensor<?xi32>
  %5 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xindex>) -> tensor<?xi32>
  // CHECK: "stablehlo.create_token"() : () -> !stablehlo.token
  %6 = stablehlo.create_token : !stablehlo.token
  // CHECK: "stablehlo.after_all"(%{{.*}}, %{{.*}}) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  %7 = stablehlo.after_all %6, %6 : !stablehlo.token
  // CHECK: "stablehlo.after_all"() : () -> !stablehlo.token
  %8 = stablehlo.after_all : !stablehlo.token
  // CHECK: "stablehlo.replica_id"() : () -> tensor<ui32>
  %9 = stablehlo.replica_id : tensor<ui32>
  // CHECK: "stablehlo.partition_id"() : () -> tensor<ui32>
  %10 = stablehlo.partition_id : tensor<ui32>
  // CHECK: "stablehlo.return"() : () -> ()
  stablehlo.return
}

// CHECK-LABEL: func @unary
func.func @unary(%f: tensor<2xf32>, %i: tensor<2xi32>, %c: tensor<2xcomplex<f32>>) {
  // CHECK: "stablehlo.abs"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
  %0 = stablehlo.abs %f : tensor<2xf32>
  // CHECK: "stablehlo.abs"(%arg2) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %1 = stablehlo.abs %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: "stablehlo.cbrt"(%arg0) <{result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}>
  %2 = stablehlo.cbrt %f {result_accuracy = #stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>
  // CHECK: "stablehlo.ceil"(%arg0)
  %3 = stablehlo.ceil %f : tensor<2xf32>
  // CHECK: "stablehlo.convert"(%arg1) : (tensor<2xi32>) -> tensor<2xf64>
  %4 = stablehlo.convert %i : (tensor<2xi32>) -> tensor<2xf64>
  // CHECK: "stablehlo.cosine"(%arg0)
  %5 = stablehlo.cosine %f : tensor<2xf32>
  // CHECK: "stablehlo.count_leading_zeros"(%arg1)
  %6 = stablehlo.count_leading_zeros %i : tensor<2xi32>
  // CHECK: "stablehlo.exponential"(%arg0)
  %7 = stablehlo.exponential %f : tensor<2xf32>
  // CHECK: "stablehlo.exponential_minus_one"(%arg0)
  %8 = stablehlo.exponential_minus_one %f : tensor<2xf32>
  // CHECK: "stablehlo.floor"(%arg0)
  %9 = stablehlo.floor %f : tensor<2xf32>
  // CHECK: "stablehlo.imag"(%arg2) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %10 = stablehlo.imag %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: "stablehlo.is_finite"(%arg0) : (tensor<2xf32>) -> tensor<2xi1>
  %11 = stablehlo.is_finite %f : (tensor<2xf32>) -> tensor<2xi1>
  // CHECK: "stablehlo.log"(%arg0)
  %12 = stablehlo.log %f : tensor<2xf32>
  // CHECK: "stablehlo.log_plus_one"(%arg0)
  %13 = stablehlo.log_plus_one %f : tensor<2xf32>
  // CHECK: "stablehlo.logistic"(%arg0)
  %14 = stablehlo.logistic %f : tensor<2xf32>
  // CHECK: "stablehlo.negate"(%arg0)
  %15 = stablehlo.negate %f : tensor<2xf32>
  // CHECK: "stablehlo.not"(%arg1)
  %16 = stablehlo.not %i : tensor<2xi32>
  // CHECK: "stablehlo.popcnt"(%arg1)
  %17 = stablehlo.popcnt %i : tensor<2xi32>
  // CHECK: "stablehlo.real"(%arg2) : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %18 = stablehlo.real %c : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  // CHECK: "stablehlo.round_nearest_afz"(%arg0)
  %19 = stablehlo.round_nearest_afz %f : tensor<2xf32>
  // CHECK: "stablehlo.round_nearest_even"(%arg0)
  %20 = stablehlo.round_nearest_even %f : tensor<2xf32>
  // CHECK: "stablehlo.rsqrt"(%arg0)
  %21 = stablehlo.rsqrt %f : tensor<2xf32>
  // CHECK: "stablehlo.sign"(%arg0)
  %22 = stablehlo.sign %f : tensor<2xf32>
  // CHECK: "stablehlo.sine"(%arg0)
  %23 = stablehlo.sine %f : tensor<2xf32>
  // CHECK: "stablehlo.sqrt"(%arg0)
  %24 = stablehlo.sqrt %f : tensor<2xf32>
  // CHECK: "stablehlo.tan"(%arg0)
  %25 = stablehlo.tan %f : tensor<2xf32>
  // CHECK: "stablehlo.tanh"(%arg0) {other.note} : (tensor<2xf32>) -> tensor<2xf32>
  %26 = stablehlo.tanh %f {other.note} : tensor<2xf32>
  // CHECK: "stablehlo.uniform_quantize"(%arg0) : (tensor<2xf32>) -> tensor<2x!quant.uniform<u8:f32, 3.400000e+01:16>>
  %27 = stablehlo.uniform_quantize %f : (tensor<2xf32>) -> tensor<2x!quant.uniform<u8:f32, 34.0:16>>
  // CHECK: "stablehlo.uniform_dequantize"
  %28 = stablehlo.uniform_dequantize %27 : (tensor<2x!quant.uniform<u8:f32, 34.0:16>>) -> tensor<2xf32>
  // CHECK: "stablehlo.reduce_precision"(%arg0) <{exponent_bits = 8 : i32, mantissa_bits = 10 : i32}> : (tensor<2xf32>) -> tensor<2xf32>
  %29 = stablehlo.reduce_precision %f, format = e8m10 : tensor<2xf32>
  // CHECK: "stablehlo.bitcast_convert"(%arg0) : (tensor<2xf32>) -> tensor<2x2xi16>
  %30 = stablehlo.bitcast_convert %f : (tensor<2xf32>) -> tensor<2x2xi16>
  return
}

// CHECK-LABEL: func @binary
func.func @binary(%f: tensor<2xf32>, %i: tensor<2xi32>, %d: tensor<?xf32>) {
  // CHECK: "stablehlo.add"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %0 = stablehlo.add %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.add"(%arg0, %arg2) : (tensor<2xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = stablehlo.add %f, %d : (tensor<2xf32>, tensor<?xf32>) -> tensor<?xf32>
  // CHECK: "stablehlo.and"(%arg1, %arg1)
  %2 = stablehlo.and %i, %i : tensor<2xi32>
  // CHECK: "stablehlo.atan2"(%arg0, %arg0)
  %3 = stablehlo.atan2 %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.divide"(%arg0, %arg0)
  %4 = stablehlo.divide %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.maximum"(%arg0, %arg0)
  %5 = stablehlo.maximum %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.minimum"(%arg0, %arg0)
  %6 = stablehlo.minimum %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.multiply"(%arg0, %arg0)
  %7 = stablehlo.multiply %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.or"(%arg1, %arg1)
  %8 = stablehlo.or %i, %i : tensor<2xi32>
  // CHECK: "stablehlo.power"(%arg0, %arg0)
  %9 = stablehlo.power %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.remainder"(%arg0, %arg0)
  %10 = stablehlo.remainder %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.shift_left"(%arg1, %arg1)
  %11 = stablehlo.shift_left %i, %i : tensor<2xi32>
  // CHECK: "stablehlo.shift_right_arithmetic"(%arg1, %arg1)
  %12 = stablehlo.shift_right_arithmetic %i, %i : tensor<2xi32>
  // CHECK: "stablehlo.shift_right_logical"(%arg1, %arg1)
  %13 = stablehlo.shift_right_logical %i, %i : tensor<2xi32>
  // CHECK: "stablehlo.subtract"(%arg0, %arg0)
  %14 = stablehlo.subtract %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.xor"(%arg1, %arg1)
  %15 = stablehlo.xor %i, %i : tensor<2xi32>
  // CHECK: "stablehlo.complex"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xcomplex<f32>>
  %16 = stablehlo.complex %f, %f : tensor<2xcomplex<f32>>
  // CHECK: "stablehlo.complex"(%arg0, %arg2) : (tensor<2xf32>, tensor<?xf32>) -> tensor<2xcomplex<f32>>
  %17 = stablehlo.complex %f, %d : (tensor<2xf32>, tensor<?xf32>) -> tensor<2xcomplex<f32>>
  // CHECK: "stablehlo.compare"(%arg1, %arg1) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %18 = stablehlo.compare LT, %i, %i : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  // CHECK: "stablehlo.compare"(%arg0, %arg0) <{compare_type = #stablehlo<comparison_type TOTALORDER>, comparison_direction = #stablehlo<comparison_direction GE>}>
  %19 = stablehlo.compare GE, %f, %f, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: "stablehlo.select"(%{{.*}}, %arg0, %arg0) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %20 = stablehlo.select %18, %f, %f : tensor<2xi1>, tensor<2xf32>
  // CHECK: "stablehlo.select"(%{{.*}}, %arg0, %arg2) : (tensor<2xi1>, tensor<2xf32>, tensor<?xf32>) -> tensor<2xf32>
  %21 = stablehlo.select %18, %f, %d : (tensor<2xi1>, tensor<2xf32>, tensor<?xf32>) -> tensor<2xf32>
  // CHECK: "stablehlo.clamp"(%arg0, %arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %22 = stablehlo.clamp %f, %f, %f : tensor<2xf32>
  // CHECK: "stablehlo.clamp"({{.*}}) : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %s = stablehlo.constant dense<0.0> : tensor<f32>
  %23 = stablehlo.clamp %s, %f, %s : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @layout
func.func @layout(%x: tensor<3x8xf32>, %s: tensor<f32>, %i: tensor<i64>, %n: tensor<2xi64>, %z: tensor<i32>) {
  // CHECK: "stablehlo.broadcast"(%arg0) <{broadcast_sizes = array<i64: 1, 2>}> : (tensor<3x8xf32>) -> tensor<1x2x3x8xf32>
  %0 = stablehlo.broadcast %x, sizes = [1, 2] : (tensor<3x8xf32>) -> tensor<1x2x3x8xf32>
  // CHECK: "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<4xf32>
  // CHECK: "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg3) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>}>
  %2 = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<3x8xf32>, tensor<2xi64>) -> tensor<3x8xf32>
  // CHECK: "stablehlo.reshape"(%arg0) : (tensor<3x8xf32>) -> tensor<24xf32>
  %3 = stablehlo.reshape %x : (tensor<3x8xf32>) -> tensor<24xf32>
  // CHECK: "stablehlo.dynamic_reshape"(%arg0, %arg3) : (tensor<3x8xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %4 = stablehlo.dynamic_reshape %x, %n : (tensor<3x8xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: "stablehlo.transpose"(%arg0) <{permutation = array<i64: 1, 0>}> : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %5 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  // CHECK: "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 1>}> : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %6 = stablehlo.reverse %x, dims = [1] : tensor<3x8xf32>
  // CHECK: "stablehlo.concatenate"(%arg0, %arg0) <{dimension = 0 : i64}> : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<6x8xf32>
  %7 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<6x8xf32>
  // CHECK: "stablehlo.pad"(%arg0, %arg1) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: -1, 0>, interior_padding = array<i64: 2, 0>}> : (tensor<3x8xf32>, tensor<f32>) -> tensor<6x9xf32>
  %8 = stablehlo.pad %x, %s, low = [-1, 0], high = [0, 1], interior = [2, 0] : (tensor<3x8xf32>, tensor<f32>) -> tensor<6x9xf32>
  // CHECK: "stablehlo.dynamic_pad"(%arg0, %arg1, %arg3, %arg3, %arg3)
  %9 = stablehlo.dynamic_pad %x, %s, %n, %n, %n : (tensor<3x8xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 3, 8>, start_indices = array<i64: 1, 4>, strides = array<i64: 1, 2>}> : (tensor<3x8xf32>) -> tensor<2x2xf32>
  %10 = stablehlo.slice %x [1:3, 4:8:2] : (tensor<3x8xf32>) -> tensor<2x2xf32>
  // CHECK: "stablehlo.slice"(%arg1) <{limit_indices = array<i64>, start_indices = array<i64>, strides = array<i64>}> : (tensor<f32>) -> tensor<f32>
  %11 = stablehlo.slice %s [] : (tensor<f32>) -> tensor<f32>
  // CHECK: "stablehlo.real_dynamic_slice"(%arg0, %arg3, %arg3, %arg3)
  %12 = stablehlo.real_dynamic_slice %x, %n, %n, %n : (tensor<3x8xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK: "stablehlo.dynamic_slice"(%arg0, %arg2, %arg2) <{slice_sizes = array<i64: 1, 4>}> : (tensor<3x8xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
  %13 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 4] : (tensor<3x8xf32>, tensor<i64>, tensor<i64>) -> tensor<1x4xf32>
  // CHECK: "stablehlo.dynamic_slice"(%arg1) <{slice_sizes = array<i64>}> : (tensor<f32>) -> tensor<f32>
  %14 = stablehlo.dynamic_slice %s, sizes = [] : (tensor<f32>) -> tensor<f32>
  // CHECK: "stablehlo.dynamic_update_slice"(%arg0, %{{.*}}, %arg2, %arg2)
  %15 = stablehlo.dynamic_update_slice %x, %13, %i, %i : (tensor<3x8xf32>, tensor<1x4xf32>, tensor<i64>, tensor<i64>) -> tensor<3x8xf32>
  // CHECK: "stablehlo.get_dimension_size"(%arg0) <{dimension = 1 : i64}> : (tensor<3x8xf32>) -> tensor<i32>
  %16 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x8xf32>) -> tensor<i32>
  // CHECK: "stablehlo.set_dimension_size"(%arg0, %arg4) <{dimension = 1 : i64}>
  // CHECK-SAME: -> tensor<3x?xf32, #stablehlo.bounds<?, 8>>
  %17 = stablehlo.set_dimension_size %x, %z, dim = 1 : (tensor<3x8xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.type_extensions<bounds = [?, 8]>>
  return
}

// -----

// CHECK-LABEL: func @reduce
func.func @reduce(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>, %f: tensor<f32>, %i: tensor<i32>) {
  // CHECK: "stablehlo.reduce"(%arg0, %arg2) <{dimensions = array<i64: 1>}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>):
  // CHECK-NEXT:   %[[SUM:.*]] = "stablehlo.add"(%[[A]], %[[B]]) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK-NEXT:   "stablehlo.return"(%[[SUM]]) : (tensor<f32>) -> ()
  // CHECK-NEXT: }) {note} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %0 = stablehlo.reduce(%x init: %f) applies stablehlo.add across dimensions = [1] {note} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: "stablehlo.reduce"(%arg0, %arg1, %arg2, %arg3) <{dimensions = array<i64: 0, 1>}> ({
  // CHECK-NEXT: ^bb0(%[[X0:.*]]: tensor<f32>, %[[Y0:.*]]: tensor<i32>, %[[X1:.*]]: tensor<f32>, %[[Y1:.*]]: tensor<i32>):
  // CHECK-NEXT:   "stablehlo.return"(%[[X1]], %[[Y0]])
  // CHECK-NEXT: }) : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
  %1:2 = stablehlo.reduce(%x init: %f), (%y init: %i) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%x0: tensor<f32>, %x1: tensor<f32>) (%y0: tensor<i32> loc("here"), %y1: tensor<i32>) {
    stablehlo.return %x1, %y0 : tensor<f32>, tensor<i32>
  }
  return
}

// CHECK-LABEL: func @while
func.func @while(%n: tensor<i32>, %x: tensor<2xf32>) {
  // CHECK: "stablehlo.while"(%arg0, %arg1) ({
  // CHECK-NEXT: ^bb0(%[[I:.*]]: tensor<i32>, %{{.*}}: tensor<2xf32>):
  // CHECK:        "stablehlo.return"(%{{.*}}) : (tensor<i1>) -> ()
  // CHECK-NEXT: }, {
  // CHECK-NEXT: ^bb0(%[[J:.*]]: tensor<i32>, %[[X:.*]]: tensor<2xf32>):
  // CHECK-NEXT:   "stablehlo.return"(%[[J]], %[[X]])
  // CHECK-NEXT: }) {note} : (tensor<i32>, tensor<2xf32>) -> (tensor<i32>, tensor<2xf32>)
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<2xf32> attributes {note}
  cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    stablehlo.return %i, %y : tensor<i32>, tensor<2xf32>
  }
  // CHECK: "stablehlo.while"() ({
  stablehlo.while()
  cond {
    %1 = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// CHECK-LABEL: func @dot
func.func @dot(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %m: tensor<3x4xf32>, %n: tensor<4x5xf32>) {
  // CHECK: "stablehlo.dot"(%arg2, %arg3) : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %0 = stablehlo.dot %m, %n : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK: "stablehlo.dot"(%arg2, %arg3) <{precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}>
  %1 = stablehlo.dot %m, %n, precision = [HIGH, DEFAULT] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK: "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %2 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  // CHECK: "stablehlo.dot_general"(%arg2, %arg3)
  // CHECK-SAME: precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]
  %3 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK: "stablehlo.dot_general"(%arg2, %arg3) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = []}>
  %4 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], precision = [], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK: "stablehlo.dot_general"(%arg2, %arg3) <{algorithm = #stablehlo.dot_algorithm<
  %5 = stablehlo.dot_general %m, %n, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK: "stablehlo.einsum"(%arg2, %arg3) <{einsum_config = "ab,bc->ac"}>
  %6 = stablehlo.einsum %m, %n, config = "ab,bc->ac" : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  // CHECK: "stablehlo.unary_einsum"(%arg2) <{einsum_config = "ab->a"}>
  %7 = stablehlo.unary_einsum %m, config = "ab->a" : (tensor<3x4xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: func @convolution
func.func @convolution(%x: tensor<1x8x8x2xf32>, %w: tensor<3x3x2x4xf32>) {
  // CHECK: "stablehlo.convolution"(%arg0, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64
  // CHECK-SAME: lhs_dilation = array<i64: 1, 1>
  // CHECK-SAME: padding = dense<{{\[}}[1, 1], [0, 2]]> : tensor<2x2xi64>
  // CHECK-SAME: rhs_dilation = array<i64: 1, 1>
  // CHECK-SAME: window_reversal = array<i1: true, false>
  // CHECK-SAME: window_strides = array<i64: 2, 2>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x4x4xf32>
  // CHECK: "stablehlo.convolution"(%arg0, %arg1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[1, 0, i, o]->[f, b, 1, 0]>, feature_group_count = 1 : i64}>
  %1 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[1, 0, i, o]->[f, b, 1, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<4x1x6x6xf32>
  return
}

// CHECK-LABEL: func @others
func.func @others(%m: tensor<4x4xf32>, %c: tensor<16xcomplex<f32>>, %s: tensor<f32>, %n: tensor<2xi64>, %u: tensor<2xui64>) {
  // CHECK: "stablehlo.cholesky"(%arg0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = stablehlo.cholesky %m : tensor<4x4xf32>
  // CHECK: "stablehlo.cholesky"(%arg0) <{lower = true}>
  %1 = stablehlo.cholesky %m, lower = true : tensor<4x4xf32>
  // CHECK: "stablehlo.fft"(%arg1) <{fft_length = array<i64: 16>, fft_type = #stablehlo<fft_type IFFT>}>
  %2 = stablehlo.fft %c, type = IFFT, length = [16] : (tensor<16xcomplex<f32>>) -> tensor<16xcomplex<f32>>
  // CHECK: "stablehlo.rng"(%arg2, %arg2, %arg3) <{rng_distribution = #stablehlo<rng_distribution NORMAL>}>
  %3 = stablehlo.rng %s, %s, %n, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  // CHECK: "stablehlo.rng_bit_generator"(%arg4) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui32>)
  %4, %5 = stablehlo.rng_bit_generator %u, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x2xui32>)
  // CHECK: "stablehlo.tuple"(%arg2, %arg3) : (tensor<f32>, tensor<2xi64>) -> tuple<tensor<f32>, tensor<2xi64>>
  %6 = stablehlo.tuple %s, %n : tuple<tensor<f32>, tensor<2xi64>>
  // CHECK: "stablehlo.tuple"() : () -> tuple<>
  %7 = stablehlo.tuple : tuple<>
  // CHECK: "stablehlo.get_tuple_element"(%{{.*}}) <{index = 1 : i32}> : (tuple<tensor<f32>, tensor<2xi64>>) -> tensor<2xi64>
  %8 = stablehlo.get_tuple_element %6[1] : (tuple<tensor<f32>, tensor<2xi64>>) -> tensor<2xi64>
  // CHECK: "stablehlo.optimization_barrier"() : () -> ()
  stablehlo.optimization_barrier ()
  // CHECK: "stablehlo.optimization_barrier"(%arg2, %arg3) {note} : (tensor<f32>, tensor<2xi64>) -> (tensor<f32>, tensor<2xi64>)
  %9:2 = stablehlo.optimization_barrier {note} %s, %n : tensor<f32>, tensor<2xi64>
  // CHECK: "stablehlo.custom_call"(%arg2) <{backend_config = "b", call_target_name = "foo", has_side_effect = true}> : (tensor<f32>) -> tensor<f32>
  %10 = stablehlo.custom_call @foo(%s) {backend_config = "b", has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  // CHECK: "stablehlo.custom_call"() <{
  // CHECK-SAME: call_target_name = "not an id"
  // CHECK-SAME: output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [1]>]
  stablehlo.custom_call @"not an id"() {api_version = 4 : i32, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = [1]>]} : () -> ()
  // CHECK: "stablehlo.composite"(%arg2) <{composite_attributes = {n = 1 : i32}, decomposition = @f, name = "my.op", version = 2 : i32}> : (tensor<f32>) -> tensor<f32>
  %11 = stablehlo.composite "my.op" %s {composite_attributes = {n = 1 : i32}, decomposition = @f, version = 2 : i32} : (tensor<f32>) -> tensor<f32>
  // CHECK: "stablehlo.composite"() <{decomposition = @f, name = "my.op"}> ({
  // CHECK: }, {
  // CHECK: }) : () -> ()
  stablehlo.composite "my.op" ({ stablehlo.return }, { stablehlo.return }) {decomposition = @f} : () -> ()
  return
}
