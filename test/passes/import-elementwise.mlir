// RUN: mlopt-opt %s -convert-stablehlo-to-mlopt -o %t.mlir
// RUN: FileCheck %s --implicit-check-not=stablehlo --implicit-check-not=chlo < %t.mlir
// RUN: mlopt-opt %t.mlir | diff %t.mlir -

// Signed and unsigned operands choose different operations; the types lose
// their sign.
// CHECK-LABEL: @signs(%arg0: tensor<4xi8>, %arg1: tensor<4xi8>) -> tensor<4xi8>
func.func @signs(%a: tensor<4xui8>, %b: tensor<4xi8>) -> tensor<4xui8> {
  // CHECK: mlopt.divu %arg0, %arg0 : tensor<4xi8>
  %0 = stablehlo.divide %a, %a : tensor<4xui8>
  // CHECK: mlopt.div %arg1, %arg1 : tensor<4xi8>
  %1 = stablehlo.divide %b, %b : tensor<4xi8>
  // CHECK: mlopt.remu
  %2 = stablehlo.remainder %0, %a : tensor<4xui8>
  // CHECK: mlopt.maxu
  %3 = stablehlo.maximum %2, %a : tensor<4xui8>
  // CHECK: mlopt.minu
  %4 = stablehlo.minimum %3, %a : tensor<4xui8>
  // CHECK: mlopt.rem %
  %5 = stablehlo.remainder %1, %b : tensor<4xi8>
  // CHECK: mlopt.max %
  %6 = stablehlo.maximum %5, %b : tensor<4xi8>
  return %4 : tensor<4xui8>
}

// Arithmetic on booleans is logic.
// CHECK-LABEL: @booleans
func.func @booleans(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  // CHECK: mlopt.or %arg0, %arg1
  %0 = stablehlo.add %a, %b : tensor<4xi1>
  // CHECK: mlopt.and
  %1 = stablehlo.multiply %0, %b : tensor<4xi1>
  // CHECK: mlopt.or
  %2 = stablehlo.maximum %1, %b : tensor<4xi1>
  // CHECK: mlopt.and
  %3 = stablehlo.minimum %2, %b : tensor<4xi1>
  return %3 : tensor<4xi1>
}

// Comparisons of floats by value are as written; the total order compares bits.
// CHECK-LABEL: @comparisons
func.func @comparisons(%a: tensor<2xf32>, %b: tensor<2xui16>, %c: tensor<2xi1>)
    -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  // CHECK: mlopt.compare ne, %arg0, %arg0
  %0 = stablehlo.compare NE, %a, %a, FLOAT
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: mlopt.compare ult, %arg1, %arg1
  %1 = stablehlo.compare LT, %b, %b, UNSIGNED
      : (tensor<2xui16>, tensor<2xui16>) -> tensor<2xi1>
  // CHECK: mlopt.compare ge, %arg2, %arg2
  %2 = stablehlo.compare GE, %c, %c, UNSIGNED
      : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  // CHECK: %[[BITS:.*]] = mlopt.bitcast %arg0 : tensor<2xf32> -> tensor<2xi32>
  // CHECK: %[[SIGN:.*]] = mlopt.shrs %[[BITS]]
  // CHECK: %[[REST:.*]] = mlopt.shru %[[SIGN]]
  // CHECK: %[[KEY:.*]] = mlopt.xor %[[BITS]], %[[REST]]
  // CHECK: mlopt.compare lt, %[[KEY]], %{{.*}} : tensor<2xi32>
  %3 = stablehlo.compare LT, %a, %a, TOTALORDER
      : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0, %1, %2, %3
      : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// Bounds of rank 0 are spread; unsigned ones have no clamp.
// CHECK-LABEL: @clamps
func.func @clamps(%low: tensor<f32>, %x: tensor<4xf32>, %high: tensor<4xf32>,
                  %u: tensor<4xui8>) -> (tensor<4xf32>, tensor<4xui8>) {
  // CHECK: %[[LOW:.*]] = mlopt.broadcast %arg0 dims [] : tensor<f32> -> tensor<4xf32>
  // CHECK: mlopt.clamp %[[LOW]], %arg1, %arg2 : tensor<4xf32>
  %0 = stablehlo.clamp %low, %x, %high
      : (tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[MAX:.*]] = mlopt.maxu %arg3, %arg3
  // CHECK: mlopt.minu %[[MAX]], %arg3
  %1 = stablehlo.clamp %u, %u, %u : tensor<4xui8>
  return %0, %1 : tensor<4xf32>, tensor<4xui8>
}

// The source's sign counts, or the result's when the source is a float; a
// change of sign alone is nothing.
// CHECK-LABEL: @conversions
func.func @conversions(%f: tensor<2xf32>, %u: tensor<2xui8>, %i: tensor<2xi8>)
    -> (tensor<2xui8>, tensor<2xi8>, tensor<2xf32>, tensor<2xi32>,
        tensor<2xui32>, tensor<2xi8>, tensor<2xi1>) {
  // CHECK: %[[A:.*]] = mlopt.convertu %arg0 : tensor<2xf32> -> tensor<2xi8>
  %0 = stablehlo.convert %f : (tensor<2xf32>) -> tensor<2xui8>
  // CHECK: %[[B:.*]] = mlopt.convert %arg0 : tensor<2xf32> -> tensor<2xi8>
  %1 = stablehlo.convert %f : (tensor<2xf32>) -> tensor<2xi8>
  // CHECK: %[[C:.*]] = mlopt.convertu %arg1 : tensor<2xi8> -> tensor<2xf32>
  %2 = stablehlo.convert %u : (tensor<2xui8>) -> tensor<2xf32>
  // CHECK: %[[D:.*]] = mlopt.convertu %arg1 : tensor<2xi8> -> tensor<2xi32>
  %3 = stablehlo.convert %u : (tensor<2xui8>) -> tensor<2xi32>
  // CHECK: %[[E:.*]] = mlopt.convert %arg2 : tensor<2xi8> -> tensor<2xi32>
  %4 = stablehlo.convert %i : (tensor<2xi8>) -> tensor<2xui32>
  %5 = stablehlo.convert %u : (tensor<2xui8>) -> tensor<2xi8>
  // CHECK: %[[F:.*]] = mlopt.compare ne, %arg0, %{{.*}} : tensor<2xf32>
  %6 = stablehlo.convert %f : (tensor<2xf32>) -> tensor<2xi1>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %arg1, %[[F]]
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<2xui8>, tensor<2xi8>, tensor<2xf32>, tensor<2xi32>,
        tensor<2xui32>, tensor<2xi8>, tensor<2xi1>
}

// An unsigned exponent is halved, so that mlopt.pow does not see it negative.
// CHECK-LABEL: @powers
func.func @powers(%f: tensor<2xf32>, %u: tensor<2xui8>)
    -> (tensor<2xf32>, tensor<2xui8>) {
  // CHECK: mlopt.pow %arg0, %arg0 : tensor<2xf32>
  %0 = stablehlo.power %f, %f : tensor<2xf32>
  // CHECK: %[[HALF:.*]] = mlopt.shru %arg1, %{{.*}} : tensor<2xi8>
  // CHECK: %[[SQUARE:.*]] = mlopt.mul %arg1, %arg1
  // CHECK: mlopt.pow %[[SQUARE]], %[[HALF]]
  %1 = stablehlo.power %u, %u : tensor<2xui8>
  return %0, %1 : tensor<2xf32>, tensor<2xui8>
}

// CHLO broadcasts the last dimensions, or those it names.
// CHECK-LABEL: @broadcasts
func.func @broadcasts(%x: tensor<2x3xf32>, %row: tensor<3xf32>,
                      %column: tensor<2xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xi1>) {
  // CHECK: %[[ROW:.*]] = mlopt.broadcast %arg1 dims [1]
  // CHECK: mlopt.add %arg0, %[[ROW]]
  %0 = chlo.broadcast_add %x, %row
      : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[COLUMN:.*]] = mlopt.broadcast %arg2 dims [0]
  // CHECK: mlopt.compare gt, %arg0, %[[COLUMN]]
  %1 = "chlo.broadcast_compare"(%x, %column)
      {broadcast_dimensions = array<i64: 0>,
       comparison_direction = #chlo<comparison_direction GT>}
      : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi1>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xi1>
}

// Bits stay bits; a barrier is nothing.
// CHECK-LABEL: @bits
func.func @bits(%x: tensor<2xf32>) -> (tensor<2x2xui16>, tensor<2xf32>) {
  // CHECK: mlopt.bitcast %arg0 : tensor<2xf32> -> tensor<2x2xi16>
  %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x2xui16>
  // CHECK: %[[R:.*]] = mlopt.reduce_precision %arg0 exponent 5 mantissa 10
  %1 = stablehlo.reduce_precision %x, format = e5m10 : tensor<2xf32>
  %2 = stablehlo.optimization_barrier %1 : tensor<2xf32>
  // CHECK: return %{{.*}}, %[[R]]
  return %0, %2 : tensor<2x2xui16>, tensor<2xf32>
}
