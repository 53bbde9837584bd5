// RUN: mlopt-opt %s -convert-stablehlo-to-mlopt -o %t.mlir
// RUN: FileCheck %s --implicit-check-not=stablehlo < %t.mlir
// RUN: mlopt-opt %t.mlir | diff %t.mlir -

// Loops carry the imported types, and see values from outside.
// CHECK-LABEL: @loop
// CHECK: scf.while (%[[I:.*]] = %{{.*}}, %[[X:.*]] = %arg0) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
// CHECK: %[[LESS:.*]] = mlopt.compare ult, %[[I]], %arg1 : tensor<i32>
// CHECK: %[[GO:.*]] = tensor.extract %[[LESS]][] : tensor<i1>
// CHECK: scf.condition(%[[GO]]) %[[I]], %[[X]]
// CHECK: ^bb0(%[[J:.*]]: tensor<i32>, %[[Y:.*]]: tensor<4xf32>):
// CHECK: scf.yield %{{.*}}, %{{.*}} : tensor<i32>, tensor<4xf32>
func.func @loop(%x: tensor<4xf32>, %n: tensor<ui32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<ui32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %n, UNSIGNED
        : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<ui32>
    %1 = stablehlo.add %i, %one : tensor<ui32>
    %2 = stablehlo.add %y, %x : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<ui32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
}

// CHECK-LABEL: @branch
// CHECK: %[[P:.*]] = tensor.extract %arg0[] : tensor<i1>
// CHECK: scf.if %[[P]] -> (tensor<i8>) {
// CHECK: mlopt.divu
// CHECK: scf.yield %{{.*}} : tensor<i8>
// CHECK: } else {
// CHECK: scf.yield %arg1 : tensor<i8>
func.func @branch(%p: tensor<i1>, %x: tensor<ui8>) -> tensor<ui8> {
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.divide %x, %x : tensor<ui8>
    stablehlo.return %1 : tensor<ui8>
  }, {
    stablehlo.return %x : tensor<ui8>
  }) : (tensor<i1>) -> tensor<ui8>
  return %0 : tensor<ui8>
}

// An index that names no branch takes the last one.
// CHECK-LABEL: @case
// CHECK: scf.index_switch %{{.*}} -> tensor<f32>
// CHECK: case 0 {
// CHECK: mlopt.abs
// CHECK: case 1 {
// CHECK: mlopt.neg
// CHECK: default {
// CHECK: mlopt.exp
func.func @case(%i: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.abs %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.negate %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }, {
    %1 = stablehlo.exponential %x : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Calls stay calls, and a composite is one of its decomposition.
// CHECK-LABEL: @calls
// CHECK: call @callee(%arg0) : (tensor<4xi8>) -> tensor<4xi8>
// CHECK: call @callee(%{{.*}}) : (tensor<4xi8>) -> tensor<4xi8>
func.func @calls(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = call @callee(%x) : (tensor<4xui8>) -> tensor<4xui8>
  %1 = stablehlo.composite "my.square" %0 {decomposition = @callee}
      : (tensor<4xui8>) -> tensor<4xui8>
  return %1 : tensor<4xui8>
}
func.func private @callee(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = stablehlo.multiply %x, %x : tensor<4xui8>
  return %0 : tensor<4xui8>
}
