// RUN: mlopt-opt %s -convert-mlopt-to-linalg -split-input-file | FileCheck %s

// One loop for each dimension, one scalar operation, the type kept.
// CHECK-LABEL: func @add(
// CHECK-SAME:    %[[A:.*]]: tensor<4x8xbf16>, %[[B:.*]]: tensor<4x8xbf16>
// CHECK:         %[[INIT:.*]] = tensor.empty() : tensor<4x8xbf16>
// CHECK:         linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      ins(%[[A]], %[[B]] : {{.*}}) outs(%[[INIT]] :
// CHECK-NEXT:    ^bb0(%[[X:.*]]: bf16, %[[Y:.*]]: bf16, %{{.*}}: bf16):
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[X]], %[[Y]] : bf16
// CHECK-NEXT:      linalg.yield %[[SUM]]
// CHECK-NOT:     mlopt
func.func @add(%a: tensor<4x8xbf16>, %b: tensor<4x8xbf16>) -> tensor<4x8xbf16> {
  %0 = mlopt.add %a, %b : tensor<4x8xbf16>
  return %0 : tensor<4x8xbf16>
}

// -----

// A tensor of rank 0 has no loops.
// CHECK-LABEL: func @rank_zero(
// CHECK:         linalg.generic {{.*}}iterator_types = []
// CHECK:           math.exp
func.func @rank_zero(%a: tensor<f32>) -> tensor<f32> {
  %0 = mlopt.exp %a : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Nothing is computed for a tensor of no elements.
// CHECK-LABEL: func @empty(
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<0x4xf32>
// CHECK-NEXT:    return %[[E]]
func.func @empty(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = mlopt.exp %a : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

// -----

// A single condition is read by a map without dimensions.
// CHECK-DAG:   #[[ONE:.*]] = affine_map<(d0) -> ()>
// CHECK-DAG:   #[[ID:.*]] = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func @select(
// CHECK:         linalg.generic {indexing_maps = [#[[ONE]], #[[ID]], #[[ID]], #[[ID]]]
// CHECK:           arith.select
func.func @select(%c: tensor<i1>, %a: tensor<4xf32>, %b: tensor<4xf32>)
    -> tensor<4xf32> {
  %0 = mlopt.select %c, %a, %b : tensor<i1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Booleans add as or.
// CHECK-LABEL: func @bool(
// CHECK:         arith.ori %{{.*}} : i1
func.func @bool(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %0 = mlopt.add %a, %b : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

// No division by zero and no overflow is executed.
// CHECK-LABEL: func @divide(
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[Y:.*]], %c0_i32
// CHECK:         %[[DIVISOR:.*]] = arith.select %{{.*}}, %c1_i32, %[[Y]]
// CHECK:         %[[Q:.*]] = arith.divsi %{{.*}}, %[[DIVISOR]]
// CHECK:         arith.select %[[ZERO]], %c-1_i32{{.*}}, %[[Q]]
func.func @divide(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = mlopt.div %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// Several operations that stand for one happen in f32 and round once.
// CHECK-LABEL: func @logistic(
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         math.exp %{{.*}} : f32
// CHECK:         arith.divf %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT:     truncf
func.func @logistic(%a: tensor<4xf16>) -> tensor<4xf16> {
  %0 = mlopt.logistic %a : tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// Conversions between two formats of one width go through f32.
// CHECK-LABEL: func @convert(
// CHECK:         arith.extf %{{.*}} : bf16 to f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK:         arith.truncf %{{.*}} : f64 to bf16
func.func @convert(%a: tensor<4xbf16>, %b: tensor<4xf64>)
    -> (tensor<4xf16>, tensor<4xbf16>) {
  %0 = mlopt.convert %a : tensor<4xbf16> -> tensor<4xf16>
  %1 = mlopt.convert %b : tensor<4xf64> -> tensor<4xbf16>
  return %0, %1 : tensor<4xf16>, tensor<4xbf16>
}

// -----

// NaN, then the ends of the range, decide before the conversion does.
// CHECK-LABEL: func @saturate(
// CHECK:         %[[R:.*]] = arith.fptosi %[[X:.*]] : f32 to i8
// CHECK:         arith.cmpf oge, %[[X]]
// CHECK:         arith.cmpf ole, %[[X]]
// CHECK:         arith.cmpf uno, %[[X]], %[[X]]
func.func @saturate(%a: tensor<4xf32>) -> tensor<4xi8> {
  %0 = mlopt.convert %a : tensor<4xf32> -> tensor<4xi8>
  return %0 : tensor<4xi8>
}

// -----

// An operation on bare scalars becomes scalar operations where it stands.
// CHECK-LABEL: func @scalar(
// CHECK-NEXT:    %[[R:.*]] = arith.maximumf
// CHECK-NEXT:    return %[[R]]
func.func @scalar(%a: f32, %b: f32) -> f32 {
  %0 = mlopt.max %a, %b : f32
  return %0 : f32
}

// -----

// A fusion stays around what was in it.
// CHECK-LABEL: func @fusion(
// CHECK-SAME:    %[[A:.*]]: tensor<4xf32>)
// CHECK:         %[[F:.*]]:2 = mlopt.fusion (%[[X:.*]] = %[[A]] :
// CHECK:           %[[R:.*]] = linalg.generic
// CHECK:             arith.negf
// CHECK:           mlopt.yield %[[R]], %[[X]]
// CHECK:         return %[[F]]#0, %[[F]]#1
func.func @fusion(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = mlopt.fusion (%x = %a : tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = mlopt.neg %x : tensor<4xf32>
    mlopt.yield %1, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Operations inside control flow are converted, and the flow stays.
// CHECK-LABEL: func @branch(
// CHECK:         scf.if
// CHECK:           math.sin
// CHECK:         else
// CHECK:           math.cos
// CHECK-NOT:     mlopt
func.func @branch(%c: i1, %a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = mlopt.sin %a : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = mlopt.cos %a : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A function of constants has an argument that no folder sees, and so the bits
// of the same function elsewhere.
// CHECK-LABEL: func @known(
// CHECK:         %[[X:.*]] = llvm.intr.ssa.copy %{{.*}} : f32
// CHECK:         math.exp %[[X]] : f32
// CHECK-NOT:     ssa.copy
// CHECK:         math.tanh
func.func @known(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = mlopt.constant dense<0.75> : tensor<4xf32>
  %1 = mlopt.iota dim 0 : tensor<4xf32>
  %2 = mlopt.add %0, %1 : tensor<4xf32>
  %3 = mlopt.exp %2 : tensor<4xf32>
  %4 = mlopt.add %3, %a : tensor<4xf32>
  %5 = mlopt.tanh %4 : tensor<4xf32>
  return %3, %5 : tensor<4xf32>, tensor<4xf32>
}
