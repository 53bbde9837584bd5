// RUN: mlopt-opt %s -split-input-file \
// RUN:   -pass-pipeline='builtin.module(func.func(convert-mlopt-to-linalg,mlopt-expand-structured))' \
// RUN:   | FileCheck %s

// One loop for each line, one along it that carries the accumulator.
// CHECK-LABEL: func @scan(
// CHECK-SAME:    %[[X:.*]]: tensor<2x4xf32>)
// CHECK:         scf.for %[[I:.*]] = %c0{{.*}} iter_args(%[[OUT:.*]] = %{{.*}}) -> (tensor<2x4xf32>)
// CHECK:           scf.for %[[J:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[TO:.*]] = %[[OUT]]) -> (f32, tensor<2x4xf32>)
// CHECK:             %[[E:.*]] = tensor.extract %[[X]][%[[I]], %[[J]]]
// CHECK:             %[[S:.*]] = arith.addf %[[ACC]], %[[E]]
// CHECK:             %[[R:.*]] = tensor.insert %[[S]] into %[[TO]][%[[I]], %[[J]]]
// CHECK:             scf.yield %[[S]], %[[R]]
// CHECK-NOT:     mlopt
func.func @scan(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = mlopt.scan add %x dim 1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// A reverse scan goes down.
// CHECK-LABEL: func @scan_reverse(
// CHECK:         %[[AT:.*]] = arith.subi %c3, %{{.*}} : index
// CHECK:         tensor.extract %{{.*}}[%[[AT]]]
func.func @scan_reverse(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mlopt.scan add %x dim 0 {reverse} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An update whose place does not exist leaves the tensor as it is.
// CHECK-LABEL: func @scatter(
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<8x4xf32>)
// CHECK:           scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (tensor<8x4xf32>)
// CHECK:             arith.cmpi ult
// CHECK:             scf.if
// CHECK:               %[[OLD:.*]] = tensor.extract %[[T]]
// CHECK:               %[[NEW:.*]] = arith.addf %[[OLD]]
// CHECK:               %[[R:.*]] = tensor.insert %[[NEW]] into %[[T]]
// CHECK:               scf.yield %[[R]]
// CHECK:             else
// CHECK:               scf.yield %[[T]]
// CHECK-NOT:     mlopt
func.func @scatter(%x: tensor<8x4xf32>, %i: tensor<3xi32>, %u: tensor<3x4xf32>)
    -> tensor<8x4xf32> {
  %0 = mlopt.scatter add %x, %i, %u update_window_dims [1]
      inserted_window_dims [0] scatter_dims_to_operand_dims [0]
      index_vector_dim 1
      : (tensor<8x4xf32>, tensor<3xi32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

// Three rounds merge six rows.
// CHECK-LABEL: func @sort(
// CHECK:         scf.for %{{.*}} = %c0{{.*}} to %c3
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               arith.cmpi slt
// CHECK:               tensor.insert
// CHECK:           linalg.generic
// CHECK-NOT:     mlopt
func.func @sort(%x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = mlopt.sort %x dim 0 keys 1 : (tensor<6xi32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}

// Counts spare counting, which nobody does here.
// CHECK-LABEL: func @counted(
// CHECK-SAME:    %[[COUNTS:[a-z0-9]*]]: tensor<2x2xi32>
// CHECK:         arith.cmpi ult
// CHECK-NOT:     %[[COUNTS]]
func.func @counted(%c: tensor<2x2xi32>, %x: tensor<6xi32>) -> tensor<6xi32> {
  %0 = mlopt.sort %x, %c dim 0 counted 4 : (tensor<6xi32>, tensor<2x2xi32>) -> tensor<6xi32> {
  ^bb0(%a: i32, %b: i32):
    %d = arith.cmpi ult, %a, %b : i32
    mlopt.yield %d : i1
  }
  return %0 : tensor<6xi32>
}
