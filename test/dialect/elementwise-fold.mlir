// Constants fold where the result is exact or correctly rounded, and identities
// where they hold for every bit.
// RUN: mlopt-opt %s -canonicalize -split-input-file | FileCheck %s

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @f32(
func.func @f32() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = mlopt.constant dense<[1.0, -0.0, 0x7F800000, 0x00000001]> : tensor<4xf32>
  %b = mlopt.constant dense<[3.0, 0.0, 0xFF800000, 0x00000001]> : tensor<4xf32>
  // A sum of infinities is the canonical NaN; denormals are exact.
  // CHECK-DAG: %[[ADD:.*]] = mlopt.constant dense<[4.000000e+00, 0.000000e+00, 0x7FC00000, 2.802600e-45]>
  // CHECK-DAG: %[[DIV:.*]] = mlopt.constant dense<[0.333333343, 0x7FC00000, 0x7FC00000, 1.000000e+00]>
  // CHECK-DAG: %[[MAX:.*]] = mlopt.constant dense<[3.000000e+00, 0.000000e+00, 0x7F800000, 1.401300e-45]>
  // CHECK-DAG: %[[MUL:.*]] = mlopt.constant dense<[3.000000e+00, -0.000000e+00, 0xFF800000, 0.000000e+00]>
  %0 = mlopt.add %a, %b : tensor<4xf32>
  %1 = mlopt.div %a, %b : tensor<4xf32>
  %2 = mlopt.max %a, %b : tensor<4xf32>
  %3 = mlopt.mul %a, %b : tensor<4xf32>
  // CHECK: return %[[ADD]], %[[DIV]], %[[MAX]], %[[MUL]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @small_floats(
func.func @small_floats() -> (tensor<2xf16>, tensor<2xbf16>, tensor<2xf8E4M3FN>, tensor<2xf8E5M2>) {
  %h = mlopt.constant dense<[2048.0, 60000.0]> : tensor<2xf16>
  %hone = mlopt.constant dense<[1.0, 60000.0]> : tensor<2xf16>
  %b = mlopt.constant dense<[256.0, 1.0]> : tensor<2xbf16>
  %bone = mlopt.constant dense<[3.0, 0.0039]> : tensor<2xbf16>
  %e4 = mlopt.constant dense<[448.0, 16.0]> : tensor<2xf8E4M3FN>
  %e4b = mlopt.constant dense<[32.0, 1.0]> : tensor<2xf8E4M3FN>
  %e5 = mlopt.constant dense<[57344.0, 1.0]> : tensor<2xf8E5M2>
  // Ties go to even; f16 and f8E5M2 overflow to infinity, f8E4M3FN to NaN.
  // CHECK-DAG: %[[H:.*]] = mlopt.constant dense<[2.048000e+03, 0x7C00]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<[2.600000e+02, 1.000000e+00]>
  // CHECK-DAG: %[[E4:.*]] = mlopt.constant dense<[0x7F, 1.600000e+01]>
  // CHECK-DAG: %[[E5:.*]] = mlopt.constant dense<[0x7C, 2.000000e+00]>
  %0 = mlopt.add %h, %hone : tensor<2xf16>
  %1 = mlopt.add %b, %bone : tensor<2xbf16>
  %2 = mlopt.add %e4, %e4b : tensor<2xf8E4M3FN>
  %3 = mlopt.add %e5, %e5 : tensor<2xf8E5M2>
  // CHECK: return %[[H]], %[[B]], %[[E4]], %[[E5]]
  return %0, %1, %2, %3 : tensor<2xf16>, tensor<2xbf16>, tensor<2xf8E4M3FN>, tensor<2xf8E5M2>
}

// -----

// CHECK-LABEL: @integers(
func.func @integers() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %a = mlopt.constant dense<[-128, 7, -7, 100]> : tensor<4xi8>
  %b = mlopt.constant dense<[-1, 0, 2, 9]> : tensor<4xi8>
  // CHECK-DAG: %[[DIV:.*]] = mlopt.constant dense<[-128, -1, -3, 11]>
  // CHECK-DAG: %[[REM:.*]] = mlopt.constant dense<[0, 7, -1, 1]>
  // CHECK-DAG: %[[MUL:.*]] = mlopt.constant dense<[-128, 0, -14, -124]>
  // CHECK-DAG: %[[SHL:.*]] = mlopt.constant dense<[0, 7, -28, 0]>
  // CHECK-DAG: %[[SHR:.*]] = mlopt.constant dense<[-1, 7, -2, 0]>
  %0 = mlopt.div %a, %b : tensor<4xi8>
  %1 = mlopt.rem %a, %b : tensor<4xi8>
  %2 = mlopt.mul %a, %b : tensor<4xi8>
  %3 = mlopt.shl %a, %b : tensor<4xi8>
  %4 = mlopt.shrs %a, %b : tensor<4xi8>
  // CHECK: return %[[DIV]], %[[REM]], %[[MUL]], %[[SHL]], %[[SHR]]
  return %0, %1, %2, %3, %4 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// -----

// CHECK-LABEL: @pow(
func.func @pow() -> tensor<6xi32> {
  %a = mlopt.constant dense<[3, 0, 1, -1, 0, 5]> : tensor<6xi32>
  %b = mlopt.constant dense<[4, 0, -2, -3, -1, -1]> : tensor<6xi32>
  // CHECK: mlopt.constant dense<[81, 1, 1, -1, -1, 0]>
  %0 = mlopt.pow %a, %b : tensor<6xi32>
  return %0 : tensor<6xi32>
}

// -----

// A splat folds whatever its size.
// CHECK-LABEL: @splat(
func.func @splat() -> (tensor<1000x1000xf32>, tensor<1000x1000xi1>) {
  %a = mlopt.constant dense<2.0> : tensor<1000x1000xf32>
  %b = mlopt.constant dense<3.0> : tensor<1000x1000xf32>
  // CHECK-DAG: %[[SUB:.*]] = mlopt.constant dense<-1.000000e+00> : tensor<1000x1000xf32>
  // CHECK-DAG: %[[LT:.*]] = mlopt.constant dense<true> : tensor<1000x1000xi1>
  %0 = mlopt.sub %a, %b : tensor<1000x1000xf32>
  %1 = mlopt.compare lt, %a, %b : tensor<1000x1000xf32>
  // CHECK: return %[[SUB]], %[[LT]]
  return %0, %1 : tensor<1000x1000xf32>, tensor<1000x1000xi1>
}

// -----

// CHECK-LABEL: @unary(
func.func @unary() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi32>) {
  %x = mlopt.constant dense<[-2.5, 0xFFC00000, -0.0]> : tensor<3xf32>
  %y = mlopt.constant dense<[2.0, -1.0, -0.0]> : tensor<3xf32>
  %i = mlopt.constant dense<[0, 1, -1]> : tensor<3xi32>
  // CHECK-DAG: %[[NEG:.*]] = mlopt.constant dense<[2.500000e+00, 0x7FC00000, 0.000000e+00]>
  // CHECK-DAG: %[[ROUND:.*]] = mlopt.constant dense<[-3.000000e+00, 0x7FC00000, -0.000000e+00]>
  // CHECK-DAG: %[[EVEN:.*]] = mlopt.constant dense<[-2.000000e+00, 0x7FC00000, -0.000000e+00]>
  // CHECK-DAG: %[[SQRT:.*]] = mlopt.constant dense<[1.41421354, 0x7FC00000, -0.000000e+00]>
  // CHECK-DAG: %[[FINITE:.*]] = mlopt.constant dense<[true, false, true]>
  // CHECK-DAG: %[[CTLZ:.*]] = mlopt.constant dense<[32, 31, 0]>
  %0 = mlopt.neg %x : tensor<3xf32>
  %1 = mlopt.round %x : tensor<3xf32>
  %2 = mlopt.roundeven %x : tensor<3xf32>
  %3 = mlopt.sqrt %y : tensor<3xf32>
  %4 = mlopt.isfinite %x : tensor<3xf32>
  %5 = mlopt.ctlz %i : tensor<3xi32>
  // CHECK: return %[[NEG]], %[[ROUND]], %[[EVEN]], %[[SQRT]], %[[FINITE]], %[[CTLZ]]
  return %0, %1, %2, %3, %4, %5 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi32>
}

// -----

// CHECK-LABEL: @choice(
func.func @choice() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) {
  %a = mlopt.constant dense<[1.0, 0x7FC00000, -0.0, 4.0]> : tensor<4xf32>
  %b = mlopt.constant dense<[2.0, 0x7FC00000, 0.0, 3.0]> : tensor<4xf32>
  %low = mlopt.constant dense<2.0> : tensor<4xf32>
  %high = mlopt.constant dense<3.0> : tensor<4xf32>
  // CHECK-DAG: %[[NE:.*]] = mlopt.constant dense<[true, true, false, true]>
  // CHECK-DAG: %[[GE:.*]] = mlopt.constant dense<[false, false, true, true]>
  // CHECK-DAG: %[[SELECT:.*]] = mlopt.constant dense<[2.000000e+00, 0x7FC00000, -0.000000e+00, 4.000000e+00]>
  // CHECK-DAG: %[[CLAMP:.*]] = mlopt.constant dense<[2.000000e+00, 0x7FC00000, 2.000000e+00, 3.000000e+00]>
  %0 = mlopt.compare ne, %a, %b : tensor<4xf32>
  %1 = mlopt.compare ge, %a, %b : tensor<4xf32>
  %2 = mlopt.select %1, %a, %b : tensor<4xf32>
  %3 = mlopt.clamp %low, %a, %high : tensor<4xf32>
  // CHECK: return %[[NE]], %[[GE]], %[[SELECT]], %[[CLAMP]]
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @convert(
func.func @convert() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xf8E4M3FN>, tensor<2xf16>, tensor<2xi4>) {
  %x = mlopt.constant dense<[300.0, -1.5, 0x7FC00000, 500.0]> : tensor<4xf32>
  %i = mlopt.constant dense<[2049, -2051]> : tensor<2xi32>
  // CHECK-DAG: %[[I:.*]] = mlopt.constant dense<[127, -1, 0, 127]>
  // CHECK-DAG: %[[U:.*]] = mlopt.constant dense<[-1, 0, 0, -1]>
  // CHECK-DAG: %[[B:.*]] = mlopt.constant dense<true> : tensor<4xi1>
  // CHECK-DAG: %[[E:.*]] = mlopt.constant dense<[2.880000e+02, -1.500000e+00, 0x7F, 0x7F]>
  // CHECK-DAG: %[[H:.*]] = mlopt.constant dense<[2.048000e+03, -2.052000e+03]>
  // CHECK-DAG: %[[N:.*]] = mlopt.constant dense<[1, -3]>
  %0 = mlopt.convert %x : tensor<4xf32> -> tensor<4xi8>
  %1 = mlopt.convertu %x : tensor<4xf32> -> tensor<4xi8>
  %2 = mlopt.convert %x : tensor<4xf32> -> tensor<4xi1>
  %3 = mlopt.convert %x : tensor<4xf32> -> tensor<4xf8E4M3FN>
  %4 = mlopt.convert %i : tensor<2xi32> -> tensor<2xf16>
  %5 = mlopt.convert %i : tensor<2xi32> -> tensor<2xi4>
  // CHECK: return %[[I]], %[[U]], %[[B]], %[[E]], %[[H]], %[[N]]
  return %0, %1, %2, %3, %4, %5 : tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xf8E4M3FN>, tensor<2xf16>, tensor<2xi4>
}

// -----

// CHECK-LABEL: @bitcast(
func.func @bitcast() -> (tensor<2x2xi16>, tensor<2xi32>, tensor<3x4xi8>, tensor<2xf32>) {
  %x = mlopt.constant dense<[65538, -1]> : tensor<2xi32>
  %h = mlopt.constant dense<[[2, 1], [-1, -1]]> : tensor<2x2xi16>
  %s = mlopt.constant dense<513> : tensor<3xi32>
  %n = mlopt.constant dense<[2143289345, 1065353216]> : tensor<2xi32>
  // CHECK-DAG: %[[N:.*]] = mlopt.constant dense<{{\[\[}}2, 1], [-1, -1]]> : tensor<2x2xi16>
  // CHECK-DAG: %[[W:.*]] = mlopt.constant dense<[65538, -1]> : tensor<2xi32>
  // CHECK-DAG: %[[S:.*]] = mlopt.constant dense<{{\[\[}}1, 2, 0, 0], [1, 2, 0, 0], [1, 2, 0, 0]]> : tensor<3x4xi8>
  // CHECK-DAG: %[[F:.*]] = mlopt.constant dense<[0x7FC00001, 1.000000e+00]> : tensor<2xf32>
  %0 = mlopt.bitcast %x : tensor<2xi32> -> tensor<2x2xi16>
  %1 = mlopt.bitcast %h : tensor<2x2xi16> -> tensor<2xi32>
  %2 = mlopt.bitcast %s : tensor<3xi32> -> tensor<3x4xi8>
  %3 = mlopt.bitcast %n : tensor<2xi32> -> tensor<2xf32>
  // CHECK: return %[[N]], %[[W]], %[[S]], %[[F]]
  return %0, %1, %2, %3 : tensor<2x2xi16>, tensor<2xi32>, tensor<3x4xi8>, tensor<2xf32>
}

// -----

// 1,024 distinct elements fold, one more does not.
// CHECK-LABEL: @limit(
func.func @limit() -> (tensor<512x2xi8>, tensor<513x2xi8>) {
  %x = mlopt.constant dense<513> : tensor<512xi16>
  %y = mlopt.constant dense<513> : tensor<513xi16>
  // CHECK-NOT: mlopt.bitcast
  %0 = mlopt.bitcast %x : tensor<512xi16> -> tensor<512x2xi8>
  // CHECK: mlopt.bitcast {{.*}} : tensor<513xi16> -> tensor<513x2xi8>
  %1 = mlopt.bitcast %y : tensor<513xi16> -> tensor<513x2xi8>
  return %0, %1 : tensor<512x2xi8>, tensor<513x2xi8>
}

// -----

// Rounding the mantissa may overflow; below the reduced normals is zero.
// CHECK-LABEL: @reduce_precision(
func.func @reduce_precision() -> tensor<4xf32> {
  %x = mlopt.constant dense<[65520.0, 65519.0, -1.0e-5, 1.00048828125]> : tensor<4xf32>
  // CHECK: mlopt.constant dense<[0x7F800000, 6.550400e+04, -0.000000e+00, 1.000000e+00]>
  %0 = mlopt.reduce_precision %x exponent 5 mantissa 10 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Bare scalars fold too.
// CHECK-LABEL: @scalars(
func.func @scalars() -> (f32, i1) {
  %a = mlopt.constant 1.5 : f32
  %b = mlopt.constant 2.5 : f32
  // CHECK-DAG: %[[ADD:.*]] = mlopt.constant 4.000000e+00 : f32
  // CHECK-DAG: %[[LT:.*]] = mlopt.constant true
  %0 = mlopt.add %a, %b : f32
  %1 = mlopt.compare lt, %a, %b : f32
  // CHECK: return %[[ADD]], %[[LT]]
  return %0, %1 : f32, i1
}

// -----

// Functions that are not correctly rounded stay.
// CHECK-LABEL: @functions(
func.func @functions() -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %x = mlopt.constant dense<1.0> : tensor<f32>
  // CHECK: mlopt.exp
  %0 = mlopt.exp %x : tensor<f32>
  // CHECK: mlopt.rsqrt
  %1 = mlopt.rsqrt %x : tensor<f32>
  // CHECK: mlopt.pow
  %2 = mlopt.pow %x, %x : tensor<f32>
  return %0, %1, %2 : tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

// CHECK-LABEL: @float_identities(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @float_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %minus_zero = mlopt.constant dense<-0.0> : tensor<4xf32>
  %zero = mlopt.constant dense<0.0> : tensor<4xf32>
  %one = mlopt.constant dense<1.0> : tensor<4xf32>
  %minus_inf = mlopt.constant dense<0xFF800000> : tensor<4xf32>
  %0 = mlopt.add %minus_zero, %x : tensor<4xf32>
  %1 = mlopt.sub %x, %zero : tensor<4xf32>
  %2 = mlopt.mul %one, %x : tensor<4xf32>
  %3 = mlopt.div %x, %one : tensor<4xf32>
  %4 = mlopt.max %x, %minus_inf : tensor<4xf32>
  %5 = mlopt.min %x, %x : tensor<4xf32>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Wrong for -0, NaN or infinities.
// CHECK-LABEL: @not_identities(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @not_identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>) {
  %minus_zero = mlopt.constant dense<-0.0> : tensor<4xf32>
  // CHECK: %[[ZERO:.*]] = mlopt.constant dense<0.0
  %zero = mlopt.constant dense<0.0> : tensor<4xf32>
  // CHECK: mlopt.add %[[X]], %[[ZERO]]
  %0 = mlopt.add %zero, %x : tensor<4xf32>
  // CHECK: mlopt.sub
  %1 = mlopt.sub %x, %minus_zero : tensor<4xf32>
  // CHECK: mlopt.mul
  %2 = mlopt.mul %x, %zero : tensor<4xf32>
  // CHECK: mlopt.sub
  %3 = mlopt.sub %x, %x : tensor<4xf32>
  // CHECK: mlopt.div
  %4 = mlopt.div %x, %x : tensor<4xf32>
  // CHECK: mlopt.compare eq
  %5 = mlopt.compare eq, %x, %x : tensor<4xf32>
  // CHECK: mlopt.compare ne
  %6 = mlopt.compare ne, %x, %x : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: @integer_identities(
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>
func.func @integer_identities(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  // CHECK-DAG: %[[ZERO:.*]] = mlopt.constant dense<0>
  // CHECK-DAG: %[[ONES:.*]] = mlopt.constant dense<-1>
  %zero = mlopt.constant dense<0> : tensor<4xi32>
  %width = mlopt.constant dense<32> : tensor<4xi32>
  %0 = mlopt.add %zero, %x : tensor<4xi32>
  %1 = mlopt.mul %x, %zero : tensor<4xi32>
  %2 = mlopt.sub %x, %x : tensor<4xi32>
  %3 = mlopt.div %x, %zero : tensor<4xi32>
  %4 = mlopt.rem %x, %zero : tensor<4xi32>
  %5 = mlopt.shl %x, %width : tensor<4xi32>
  %6 = mlopt.shrs %x, %zero : tensor<4xi32>
  // CHECK: return %[[X]], %[[ZERO]], %[[ZERO]], %[[ONES]], %[[X]], %[[ZERO]], %[[X]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// The sum of i1 is `or`, its product `and`.
// CHECK-LABEL: @i1_identities(
// CHECK-SAME: %[[X:.*]]: tensor<4xi1>
func.func @i1_identities(%x: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[TRUE:.*]] = mlopt.constant dense<true>
  // CHECK-DAG: %[[FALSE:.*]] = mlopt.constant dense<false>
  %true = mlopt.constant dense<true> : tensor<4xi1>
  %false = mlopt.constant dense<false> : tensor<4xi1>
  %0 = mlopt.add %x, %true : tensor<4xi1>
  %1 = mlopt.mul %x, %false : tensor<4xi1>
  %2 = mlopt.max %x, %false : tensor<4xi1>
  %3 = mlopt.xor %x, %x : tensor<4xi1>
  %4 = mlopt.and %true, %x : tensor<4xi1>
  %5 = mlopt.compare eq, %x, %true : tensor<4xi1>
  %6 = mlopt.select %x, %true, %false : tensor<4xi1>
  // CHECK: return %[[TRUE]], %[[FALSE]], %[[X]], %[[FALSE]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: @twice(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32>, %[[I:.*]]: tensor<4xi8>
func.func @twice(%x: tensor<?xf32>, %i: tensor<4xi8>) -> (tensor<?xf32>, tensor<4xi8>, tensor<?xf32>) {
  // CHECK: %[[FLOOR:.*]] = mlopt.floor %[[X]]
  %0 = mlopt.neg %x : tensor<?xf32>
  %1 = mlopt.neg %0 : tensor<?xf32>
  %2 = mlopt.not %i : tensor<4xi8>
  %3 = mlopt.not %2 : tensor<4xi8>
  %4 = mlopt.floor %x : tensor<?xf32>
  %5 = mlopt.floor %4 : tensor<?xf32>
  // CHECK: return %[[X]], %[[I]], %[[FLOOR]]
  return %1, %3, %5 : tensor<?xf32>, tensor<4xi8>, tensor<?xf32>
}

// -----

// A constant goes to the right, and the predicate with it.
// CHECK-LABEL: @compare_order(
// CHECK-SAME: %[[X:.*]]: tensor<4xi32>
func.func @compare_order(%x: tensor<4xi32>) -> (tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[C:.*]] = mlopt.constant dense<7>
  // CHECK-DAG: %[[TRUE:.*]] = mlopt.constant dense<true>
  %c = mlopt.constant dense<7> : tensor<4xi32>
  // CHECK: %[[R:.*]] = mlopt.compare ugt, %[[X]], %[[C]]
  %0 = mlopt.compare ult, %c, %x : tensor<4xi32>
  %1 = mlopt.compare ule, %x, %x : tensor<4xi32>
  // CHECK: return %[[R]], %[[TRUE]]
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: @select_known(
// CHECK-SAME: %[[C:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @select_known(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = mlopt.constant dense<true> : tensor<4xi1>
  %false = mlopt.constant dense<false> : tensor<i1>
  %0 = mlopt.select %true, %x, %y : tensor<4xf32>
  %1 = mlopt.select %false, %x, %y : tensor<i1>, tensor<4xf32>
  %2 = mlopt.select %c, %x, %x : tensor<4xf32>
  // CHECK: return %[[X]], %[[Y]], %[[X]]
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// There and back through a type that holds every value.
// CHECK-LABEL: @conversions(
// CHECK-SAME: %[[H:.*]]: tensor<4xf16>, %[[F:.*]]: tensor<4xf32>
func.func @conversions(%h: tensor<4xf16>, %f: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = mlopt.convert %h : tensor<4xf16> -> tensor<4xf32>
  %1 = mlopt.convert %0 : tensor<4xf32> -> tensor<4xf16>
  %2 = mlopt.convert %f : tensor<4xf32> -> tensor<4xf32>
  %3 = mlopt.bitcast %f : tensor<4xf32> -> tensor<4xi32>
  %4 = mlopt.bitcast %3 : tensor<4xi32> -> tensor<4xf32>
  // CHECK: %[[N:.*]] = mlopt.convert %[[F]] : tensor<4xf32> -> tensor<4xf16>
  // CHECK: %[[W:.*]] = mlopt.convert %[[N]] : tensor<4xf16> -> tensor<4xf32>
  %5 = mlopt.convert %f : tensor<4xf32> -> tensor<4xf16>
  %6 = mlopt.convert %5 : tensor<4xf16> -> tensor<4xf32>
  // CHECK: return %[[H]], %[[F]], %[[F]], %[[W]]
  return %1, %2, %4, %6 : tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Dead operations go, equal ones merge.
// CHECK-LABEL: @pure(
func.func @pure(%x: tensor<4xi32>, %y: tensor<4xi32>) {
  // CHECK-NEXT: return
  %0 = mlopt.div %x, %y : tensor<4xi32>
  %1 = mlopt.compare lt, %x, %y : tensor<4xi32>
  %2 = mlopt.select %1, %0, %y : tensor<4xi32>
  return
}

// -----

// What is defined first is the left operand of a commutative operation, and of
// no other; two ways of writing a sum are one then.

// CHECK-LABEL: @order(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
func.func @order(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[ARGUMENTS:.*]] = mlopt.add %[[X]], %[[Y]]
  %0 = mlopt.add %y, %x : tensor<4xf32>
  // CHECK: %[[E:.*]] = mlopt.exp
  %e = mlopt.exp %x : tensor<4xf32>
  // CHECK: %[[ABOVE:.*]] = mlopt.max %[[Y]], %[[E]]
  %1 = mlopt.max %e, %y : tensor<4xf32>
  // CHECK: %[[T:.*]] = mlopt.tanh
  %t = mlopt.tanh %y : tensor<4xf32>
  // CHECK: %[[OPERATIONS:.*]] = mlopt.mul %[[E]], %[[T]]
  %2 = mlopt.mul %t, %e : tensor<4xf32>
  // CHECK: %[[SUB:.*]] = mlopt.sub %[[T]], %[[E]]
  %3 = mlopt.sub %t, %e : tensor<4xf32>
  // CHECK: return %[[ARGUMENTS]], %[[ABOVE]], %[[OPERATIONS]], %[[SUB]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
