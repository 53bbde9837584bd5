// Every elementwise operation in its pretty form, through the generic form and
// bytecode as well.
// RUN: mlopt-opt %s | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -mlir-print-op-generic | mlopt-opt | FileCheck %s
// RUN: mlopt-opt %s -emit-bytecode | mlopt-opt | FileCheck %s

// CHECK-LABEL: @rounding(
// CHECK-SAME: %[[X:.*]]: tensor<4x?xf32>
func.func @rounding(%x: tensor<4x?xf32>) -> tensor<4x?xi1> {
  // CHECK: mlopt.abs %[[X]] : tensor<4x?xf32>
  %0 = mlopt.abs %x : tensor<4x?xf32>
  // CHECK: mlopt.neg %[[X]] : tensor<4x?xf32>
  %1 = mlopt.neg %x : tensor<4x?xf32>
  // CHECK: mlopt.sign %[[X]] : tensor<4x?xf32>
  %2 = mlopt.sign %x : tensor<4x?xf32>
  // CHECK: mlopt.ceil %[[X]] : tensor<4x?xf32>
  %3 = mlopt.ceil %x : tensor<4x?xf32>
  // CHECK: mlopt.floor %[[X]] : tensor<4x?xf32>
  %4 = mlopt.floor %x : tensor<4x?xf32>
  // CHECK: mlopt.round %[[X]] : tensor<4x?xf32>
  %5 = mlopt.round %x : tensor<4x?xf32>
  // CHECK: mlopt.roundeven %[[X]] : tensor<4x?xf32>
  %6 = mlopt.roundeven %x : tensor<4x?xf32>
  // CHECK: %[[R:.*]] = mlopt.isfinite %[[X]] : tensor<4x?xf32>
  %7 = mlopt.isfinite %x : tensor<4x?xf32>
  // CHECK: return %[[R]] : tensor<4x?xi1>
  return %7 : tensor<4x?xi1>
}

// CHECK-LABEL: @functions(
// CHECK-SAME: %[[X:.*]]: tensor<8xbf16>
func.func @functions(%x: tensor<8xbf16>) {
  // CHECK: mlopt.sqrt %[[X]] : tensor<8xbf16>
  %0 = mlopt.sqrt %x : tensor<8xbf16>
  // CHECK: mlopt.rsqrt %[[X]] : tensor<8xbf16>
  %1 = mlopt.rsqrt %x : tensor<8xbf16>
  // CHECK: mlopt.cbrt %[[X]] : tensor<8xbf16>
  %2 = mlopt.cbrt %x : tensor<8xbf16>
  // CHECK: mlopt.exp %[[X]] {numerics = #mlopt.numerics<strict>} : tensor<8xbf16>
  %3 = mlopt.exp %x {numerics = #mlopt.numerics<strict>} : tensor<8xbf16>
  // CHECK: mlopt.expm1 %[[X]] : tensor<8xbf16>
  %4 = mlopt.expm1 %x : tensor<8xbf16>
  // CHECK: mlopt.log %[[X]] : tensor<8xbf16>
  %5 = mlopt.log %x : tensor<8xbf16>
  // CHECK: mlopt.log1p %[[X]] : tensor<8xbf16>
  %6 = mlopt.log1p %x : tensor<8xbf16>
  // CHECK: mlopt.logistic %[[X]] : tensor<8xbf16>
  %7 = mlopt.logistic %x : tensor<8xbf16>
  // CHECK: mlopt.erf %[[X]] : tensor<8xbf16>
  %8 = mlopt.erf %x : tensor<8xbf16>
  // CHECK: mlopt.erfc %[[X]] : tensor<8xbf16>
  %9 = mlopt.erfc %x : tensor<8xbf16>
  return
}

// CHECK-LABEL: @trigonometry(
// CHECK-SAME: %[[X:.*]]: tensor<f64>
func.func @trigonometry(%x: tensor<f64>) {
  // CHECK: mlopt.sin %[[X]] : tensor<f64>
  %0 = mlopt.sin %x : tensor<f64>
  // CHECK: mlopt.cos %[[X]] : tensor<f64>
  %1 = mlopt.cos %x : tensor<f64>
  // CHECK: mlopt.tan %[[X]] : tensor<f64>
  %2 = mlopt.tan %x : tensor<f64>
  // CHECK: mlopt.asin %[[X]] : tensor<f64>
  %3 = mlopt.asin %x : tensor<f64>
  // CHECK: mlopt.acos %[[X]] : tensor<f64>
  %4 = mlopt.acos %x : tensor<f64>
  // CHECK: mlopt.atan %[[X]] : tensor<f64>
  %5 = mlopt.atan %x : tensor<f64>
  // CHECK: mlopt.atan2 %[[X]], %[[X]] : tensor<f64>
  %6 = mlopt.atan2 %x, %x : tensor<f64>
  return
}

// CHECK-LABEL: @hyperbolic(
// CHECK-SAME: %[[X:.*]]: tensor<2xf8E4M3FN>
func.func @hyperbolic(%x: tensor<2xf8E4M3FN>) {
  // CHECK: mlopt.sinh %[[X]] : tensor<2xf8E4M3FN>
  %0 = mlopt.sinh %x : tensor<2xf8E4M3FN>
  // CHECK: mlopt.cosh %[[X]] : tensor<2xf8E4M3FN>
  %1 = mlopt.cosh %x : tensor<2xf8E4M3FN>
  // CHECK: mlopt.tanh %[[X]] : tensor<2xf8E4M3FN>
  %2 = mlopt.tanh %x : tensor<2xf8E4M3FN>
  // CHECK: mlopt.asinh %[[X]] : tensor<2xf8E4M3FN>
  %3 = mlopt.asinh %x : tensor<2xf8E4M3FN>
  // CHECK: mlopt.acosh %[[X]] : tensor<2xf8E4M3FN>
  %4 = mlopt.acosh %x : tensor<2xf8E4M3FN>
  // CHECK: mlopt.atanh %[[X]] : tensor<2xf8E4M3FN>
  %5 = mlopt.atanh %x : tensor<2xf8E4M3FN>
  return
}

// CHECK-LABEL: @arithmetic(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<4x8xf32>
func.func @arithmetic(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) {
  // CHECK: mlopt.add %[[A]], %[[B]] : tensor<4x8xf32>
  %0 = mlopt.add %a, %b : tensor<4x8xf32>
  // CHECK: mlopt.sub %[[A]], %[[B]] : tensor<4x8xf32>
  %1 = mlopt.sub %a, %b : tensor<4x8xf32>
  // CHECK: mlopt.mul %[[A]], %[[B]] : tensor<4x8xf32>
  %2 = mlopt.mul %a, %b : tensor<4x8xf32>
  // CHECK: mlopt.div %[[A]], %[[B]] {numerics = #mlopt.numerics<fast>} : tensor<4x8xf32>
  %3 = mlopt.div %a, %b {numerics = #mlopt.numerics<fast>} : tensor<4x8xf32>
  // CHECK: mlopt.rem %[[A]], %[[B]] : tensor<4x8xf32>
  %4 = mlopt.rem %a, %b : tensor<4x8xf32>
  // CHECK: mlopt.pow %[[A]], %[[B]] : tensor<4x8xf32>
  %5 = mlopt.pow %a, %b : tensor<4x8xf32>
  // CHECK: mlopt.max %[[A]], %[[B]] : tensor<4x8xf32>
  %6 = mlopt.max %a, %b : tensor<4x8xf32>
  // CHECK: mlopt.min %[[A]], %[[B]] : tensor<4x8xf32>
  %7 = mlopt.min %a, %b : tensor<4x8xf32>
  // CHECK: mlopt.clamp %[[A]], %[[B]], %[[A]] : tensor<4x8xf32>
  %8 = mlopt.clamp %a, %b, %a : tensor<4x8xf32>
  return
}

// CHECK-LABEL: @unsigned(
// CHECK-SAME: %[[A:.*]]: tensor<3xi16>, %[[B:.*]]: tensor<3xi16>
func.func @unsigned(%a: tensor<3xi16>, %b: tensor<3xi16>) {
  // CHECK: mlopt.divu %[[A]], %[[B]] : tensor<3xi16>
  %0 = mlopt.divu %a, %b : tensor<3xi16>
  // CHECK: mlopt.remu %[[A]], %[[B]] : tensor<3xi16>
  %1 = mlopt.remu %a, %b : tensor<3xi16>
  // CHECK: mlopt.maxu %[[A]], %[[B]] : tensor<3xi16>
  %2 = mlopt.maxu %a, %b : tensor<3xi16>
  // CHECK: mlopt.minu %[[A]], %[[B]] : tensor<3xi16>
  %3 = mlopt.minu %a, %b : tensor<3xi16>
  // CHECK: mlopt.shru %[[A]], %[[B]] : tensor<3xi16>
  %4 = mlopt.shru %a, %b : tensor<3xi16>
  return
}

// Operations on bits, of bare scalars as regions have them.
// CHECK-LABEL: @bits(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32
func.func @bits(%a: i32, %b: i32) {
  // CHECK: mlopt.not %[[A]] : i32
  %0 = mlopt.not %a : i32
  // CHECK: mlopt.ctpop %[[A]] : i32
  %1 = mlopt.ctpop %a : i32
  // CHECK: mlopt.ctlz %[[A]] : i32
  %2 = mlopt.ctlz %a : i32
  // CHECK: mlopt.and %[[A]], %[[B]] : i32
  %3 = mlopt.and %a, %b : i32
  // CHECK: mlopt.or %[[A]], %[[B]] : i32
  %4 = mlopt.or %a, %b : i32
  // CHECK: mlopt.xor %[[A]], %[[B]] : i32
  %5 = mlopt.xor %a, %b : i32
  // CHECK: mlopt.shl %[[A]], %[[B]] : i32
  %6 = mlopt.shl %a, %b : i32
  // CHECK: mlopt.shrs %[[A]], %[[B]] : i32
  %7 = mlopt.shrs %a, %b : i32
  return
}

// CHECK-LABEL: @compare(
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<?xi8>, %[[S:.*]]: i1
func.func @compare(%a: tensor<4xf32>, %i: tensor<?xi8>, %s: i1)
    -> (tensor<4xi1>, tensor<?xi1>, i1) {
  // CHECK: %[[C:.*]] = mlopt.compare lt, %[[A]], %[[A]] : tensor<4xf32>
  %0 = mlopt.compare lt, %a, %a : tensor<4xf32>
  // CHECK: %[[D:.*]] = mlopt.compare uge, %[[I]], %[[I]] : tensor<?xi8>
  %1 = mlopt.compare uge, %i, %i : tensor<?xi8>
  // CHECK: %[[E:.*]] = mlopt.compare eq, %[[S]], %[[S]] : i1
  %2 = mlopt.compare eq, %s, %s : i1
  // CHECK: return %[[C]], %[[D]], %[[E]] : tensor<4xi1>, tensor<?xi1>, i1
  return %0, %1, %2 : tensor<4xi1>, tensor<?xi1>, i1
}

// The condition's type is printed when it is not i1 of the values' shape.
// CHECK-LABEL: @select(
// CHECK-SAME: %[[C:.*]]: tensor<4xi1>, %[[Z:.*]]: tensor<i1>, %[[S:.*]]: i1, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: f32
func.func @select(%c: tensor<4xi1>, %z: tensor<i1>, %s: i1,
                  %x: tensor<4xf32>, %y: f32) {
  // CHECK: mlopt.select %[[C]], %[[X]], %[[X]] : tensor<4xf32>
  %0 = mlopt.select %c, %x, %x : tensor<4xf32>
  // CHECK: mlopt.select %[[Z]], %[[X]], %[[X]] : tensor<i1>, tensor<4xf32>
  %1 = mlopt.select %z, %x, %x : tensor<i1>, tensor<4xf32>
  // CHECK: mlopt.select %[[S]], %[[X]], %[[X]] : i1, tensor<4xf32>
  %2 = mlopt.select %s, %x, %x : i1, tensor<4xf32>
  // CHECK: mlopt.select %[[S]], %[[Y]], %[[Y]] : f32
  %3 = mlopt.select %s, %y, %y : f32
  return
}

// CHECK-LABEL: @convert(
// CHECK-SAME: %[[X:.*]]: tensor<2x?xi32>, %[[H:.*]]: tensor<4x2xf16>, %[[W:.*]]: tensor<4xi4>
func.func @convert(%x: tensor<2x?xi32>, %h: tensor<4x2xf16>,
                   %w: tensor<4xi4>) {
  // CHECK: mlopt.convert %[[X]] : tensor<2x?xi32> -> tensor<2x?xf8E5M2>
  %0 = mlopt.convert %x : tensor<2x?xi32> -> tensor<2x?xf8E5M2>
  // CHECK: mlopt.convertu %[[X]] : tensor<2x?xi32> -> tensor<2x?xf32>
  %1 = mlopt.convertu %x : tensor<2x?xi32> -> tensor<2x?xf32>
  // CHECK: mlopt.convertu %[[W]] : tensor<4xi4> -> tensor<4xbf16>
  %2 = mlopt.convertu %w : tensor<4xi4> -> tensor<4xbf16>
  // CHECK: mlopt.bitcast %[[X]] : tensor<2x?xi32> -> tensor<2x?x2xbf16>
  %3 = mlopt.bitcast %x : tensor<2x?xi32> -> tensor<2x?x2xbf16>
  // CHECK: mlopt.bitcast %[[H]] : tensor<4x2xf16> -> tensor<4xi32>
  %4 = mlopt.bitcast %h : tensor<4x2xf16> -> tensor<4xi32>
  // CHECK: mlopt.bitcast %[[X]] : tensor<2x?xi32> -> tensor<2x?xf32>
  %5 = mlopt.bitcast %x : tensor<2x?xi32> -> tensor<2x?xf32>
  // CHECK: mlopt.reduce_precision %[[H]] exponent 4 mantissa 3 : tensor<4x2xf16>
  %6 = mlopt.reduce_precision %h exponent 4 mantissa 3 : tensor<4x2xf16>
  return
}
